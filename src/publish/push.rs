//! The commit onto the branch: claimed by creating it, moved forward only, looked at again whenever that failed.

use super::branch::{Standing, standing};
use super::end::{End, Step};
use super::published::Trail;
use super::{Job, commit, guidance, orphan};
use crate::git::PushError;
use crate::github::{Created, GitHubError, RemoteCommit};
use crate::ids::{CommitSha, RepoPath};

/// How often the branch is looked at before it is left to others.
const LOOKS: usize = 4;

/// The branch holds the repair.
#[derive(Debug)]
pub(super) struct Ready {
    /// The commit at its tip.
    pub(super) commit: CommitSha,
    /// Whether it was put there by this run.
    pub(super) pushed: bool,
    /// Whether the branch was not there before this run.
    pub(super) created: bool,
}

/// Brings the repair onto the branch. Where that cannot be, a branch that was made for it is taken away again.
pub(super) async fn settle(job: &Job<'_>, seconds: i64, trail: &mut Trail) -> Step<Ready> {
    let mut work = Pusher { job, seconds, claimed: false, signed: None, put: Vec::new(), trouble: None };
    match work.run(trail).await {
        Ok(commit) => {
            let pushed = job.ground.own_tip.as_ref() != Some(&commit);
            Ok(Ready { commit, pushed, created: work.claimed })
        }
        Err(end) => {
            if work.claimed {
                orphan::remove(job.ground, job.desk, &work.put, trail).await;
            }
            Err(end)
        }
    }
}

struct Pusher<'a> {
    job: &'a Job<'a>,
    seconds: i64,
    /// Whether the branch was not there, and was created.
    claimed: bool,
    /// Whether the forge has to make the commit, once that is known.
    signed: Option<bool>,
    /// What this run may have put at the tip.
    put: Vec<CommitSha>,
    /// The last failure that leaves open whether something was done.
    trouble: Option<String>,
}

impl Pusher<'_> {
    async fn run(&mut self, trail: &mut Trail) -> Step<CommitSha> {
        let ground = self.job.ground;
        let mut tip = ground.own_tip.clone();
        for _ in 0..LOOKS {
            let claimed = if tip.is_none() { self.claim().await? } else { None };
            let Some(at) = tip.or(claimed) else {
                tip = ground.look_again().await?;
                continue;
            };
            let parents = match standing(ground, &at, self.job.change).await? {
                Standing::Wanted => return Ok(at),
                Standing::Behind(parents) => parents,
            };
            if at != ground.base && ground.own_tip.as_ref() != Some(&at) {
                let reason =
                    format!("another run put a different repair of this failure on `{}` meanwhile", ground.own);
                return Err(End::stale(reason));
            }
            // The lease, right before the push; a branch that was just created may not show yet.
            let now = ground.look_again().await?;
            if now.as_ref().is_none_or(|now| *now == at) {
                if let Some(commit) = self.put(&at, &parents, trail).await? {
                    return Ok(commit);
                }
                tip = ground.look_again().await?;
            } else {
                tip = now;
            }
        }
        Err(self.gave_up())
    }

    /// Creates the branch at the base: whoever does is the first. `None` when it was there.
    async fn claim(&mut self) -> Step<Option<CommitSha>> {
        let (ground, desk) = (self.job.ground, self.job.desk);
        // It was not there when this run began: if nothing comes of it, it is this run that takes it away again, even
        // if the answer to its creation was lost.
        self.claimed = ground.own_tip.is_none();
        match desk.github.create_branch(&ground.own, &ground.base, desk.journal).await {
            Ok(Created::New(())) => Ok(Some(ground.base.clone())),
            Ok(Created::Existing) => Ok(None),
            Err(error @ GitHubError::Unreachable { .. }) => {
                self.trouble = Some(error.to_string());
                Ok(None)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Puts the commit at the tip. `None` when the branch has to be looked at again.
    async fn put(&mut self, at: &CommitSha, parents: &[CommitSha], trail: &mut Trail) -> Step<Option<CommitSha>> {
        if self.has_to_be_signed(trail).await? {
            return self.put_signed(at, parents).await;
        }
        let (ground, desk) = (self.job.ground, self.job.desk);
        let what = (&self.job.change.wanted, parents);
        let commit = commit::make(&ground.depot, self.job.wording, self.seconds, what)?;
        self.put.push(commit.clone());
        match ground.depot.push(desk.remote, &commit, &ground.own, desk.journal).await {
            Ok(()) => Ok(Some(commit)),
            Err(PushError::Moved) => Ok(None),
            Err(PushError::Git(error)) => {
                self.trouble = Some(error.to_string());
                Ok(None)
            }
            Err(PushError::Refused(words)) if guidance::is_about_signatures(&words) => {
                self.signed = Some(true);
                Ok(None)
            }
            Err(PushError::Refused(words)) => Err(End::forbidden(format!("GitHub refused the push: {words}"))),
        }
    }

    async fn has_to_be_signed(&mut self, trail: &mut Trail) -> Step<bool> {
        if let Some(known) = self.signed {
            return Ok(known);
        }
        let (ground, desk) = (self.job.ground, self.job.desk);
        let signed = match desk.github.demands_signatures(&ground.own, desk.journal).await {
            Ok(signed) => signed,
            // A token may not be allowed to read the rules; the push then tells.
            Err(error @ GitHubError::Refused { .. }) => {
                trail.notes.push(format!("the rules of the repository could not be read: {error}"));
                false
            }
            Err(error) => return Err(error.into()),
        };
        self.signed = Some(signed);
        Ok(signed)
    }

    /// The forge makes the commit, and signs it: it takes the tip for the only parent.
    async fn put_signed(&mut self, at: &CommitSha, parents: &[CommitSha]) -> Step<Option<CommitSha>> {
        let (ground, desk) = (self.job.ground, self.job.desk);
        if parents != std::slice::from_ref(at) {
            let reason = format!(
                "`{}` moved since `{}` was made, and a commit that the forge signs cannot bring both together",
                ground.failing, ground.own
            );
            let hint = format!("close its pull request and delete `{}`; the next failing run begins anew", ground.own);
            return Err(End::stale(reason).hint(hint));
        }
        match desk.github.commit_on_branch(&self.remote_commit(at)?, desk.journal).await {
            Ok(commit) => {
                self.put.push(commit.clone());
                self.as_wanted(&commit).await?;
                Ok(Some(commit))
            }
            Err(GitHubError::Refused { status: 409, .. }) => Ok(None),
            Err(error @ GitHubError::Unreachable { .. }) => {
                self.trouble = Some(error.to_string());
                Ok(None)
            }
            Err(error) => Err(error.into()),
        }
    }

    fn remote_commit(&self, at: &CommitSha) -> Step<RemoteCommit> {
        let (ground, wording) = (self.job.ground, self.job.wording);
        let (mut additions, mut deletions): (Vec<(RepoPath, Vec<u8>)>, Vec<RepoPath>) = Default::default();
        for change in ground.depot.changes(at, &self.job.change.wanted)? {
            match change.after {
                Some(file) => additions.push((change.path, file.bytes)),
                None => deletions.push(change.path),
            }
        }
        Ok(RemoteCommit {
            branch: ground.own.clone(),
            expected_head: at.clone(),
            headline: wording.headline.clone(),
            body: wording.message.clone(),
            additions,
            deletions,
        })
    }

    /// What the forge made is looked at: it knows no file modes.
    async fn as_wanted(&self, commit: &CommitSha) -> Step<()> {
        let ground = self.job.ground;
        ground.fetch(&[commit], Some(2)).await?;
        if ground.depot.describe(commit)?.tree == ground.depot.describe(&self.job.change.wanted)?.tree {
            return Ok(());
        }
        Err(End::refused(format!("commit {commit}, which GitHub made and signed, does not hold what was proved")))
    }

    fn gave_up(&self) -> End {
        match &self.trouble {
            Some(trouble) => End::failed(trouble.clone()),
            None => End::stale(format!("`{}` moved each time that it was looked at", self.job.ground.own)),
        }
    }
}
