//! What the forge says before anything is written: the repository, the tips, the base, and the policy in force.

use super::Desk;
use super::bundle::Sealed;
use super::end::{End, Step};
use super::workplace::Workplace;
use crate::git::{Depot, GitError, TreeSource};
use crate::ids::{BranchName, CommitSha, OwnBranch, RepoPath};
use crate::policy::{FILES, Origin, Policy};

/// How much of the history of a branch of ours is fetched at first.
const DEPTH: u32 = 50;

/// A depot with the commits that matter, and where the branches stand.
pub(super) struct Ground<'a> {
    pub(super) depot: Depot,
    desk: &'a Desk<'a>,
    /// The failing branch: the base of the pull request.
    pub(super) failing: BranchName,
    failing_tip: Option<CommitSha>,
    /// Its commit that the repair is for.
    pub(super) base: CommitSha,
    /// The branch of the repair.
    pub(super) own: OwnBranch,
    /// Where that one stood when it was first looked at; `None` when there was none.
    pub(super) own_tip: Option<CommitSha>,
    /// The failure.
    pub(super) fingerprint: String,
    default_branch: BranchName,
    default_tip: CommitSha,
}

impl<'a> Ground<'a> {
    /// Asks the forge where everything stands; nothing is fetched yet.
    pub(super) async fn lay(
        desk: &'a Desk<'a>,
        place: &Workplace,
        sealed: &Sealed,
        branches: (BranchName, OwnBranch),
    ) -> Step<Self> {
        let (failing, own) = branches;
        let repository = desk.github.repository(desk.journal).await?;
        if repository.archived {
            return Err(End::refused(format!("{} is archived: nothing is published there", repository.full_name)));
        }
        let default_branch =
            BranchName::new(&repository.default_branch).map_err(|error| End::failed(error.to_string()))?;
        let base = sealed.incident.head.commit.clone();
        let depot = Depot::create(desk.git, &place.depot(), desk.journal).await?;
        let tips = depot.tips(desk.remote, &[&failing, &default_branch, own.name()], desk.journal).await?;
        let Some(default_tip) = tips.get(&default_branch).cloned() else {
            return Err(End::failed(format!("the default branch `{default_branch}` is not there")));
        };
        let (failing_tip, own_tip) = (tips.get(&failing).cloned(), tips.get(own.name()).cloned());
        let fingerprint = sealed.proposal.fingerprint.as_ref().map(ToString::to_string).unwrap_or_default();
        Ok(Self { depot, desk, failing, failing_tip, base, own, own_tip, fingerprint, default_branch, default_tip })
    }

    /// The failing branch stands where the run built it.
    pub(super) fn lease(&self) -> Step<()> {
        at_base(&self.failing, self.failing_tip.as_ref(), &self.base)
    }

    /// Fetches what the checks need.
    pub(super) async fn take_in(&self) -> Step<()> {
        let depth = if self.own_tip.is_some() { DEPTH } else { 1 };
        let mut wanted = vec![&self.base, &self.default_tip];
        wanted.extend(&self.own_tip);
        wanted.sort();
        wanted.dedup();
        self.fetch(&wanted, Some(depth)).await
    }

    /// Brings commits into the depot.
    pub(super) async fn fetch(&self, commits: &[&CommitSha], depth: Option<u32>) -> Step<()> {
        Ok(self.depot.fetch(self.desk.remote, commits, depth, self.desk.journal).await?)
    }

    /// Where the failing branch and the branch of the repair stand now, that one fetched.
    ///
    /// The failing branch has to stand where it stood: the lease.
    pub(super) async fn look_again(&self) -> Step<Option<CommitSha>> {
        let tips = self.depot.tips(self.desk.remote, &[&self.failing, self.own.name()], self.desk.journal).await?;
        at_base(&self.failing, tips.get(&self.failing), &self.base)?;
        self.taken_in(tips.get(self.own.name()).cloned()).await
    }

    /// Where the branch of the repair stands now, fetched.
    pub(super) async fn own_tip_now(&self) -> Step<Option<CommitSha>> {
        let tips = self.depot.tips(self.desk.remote, &[self.own.name()], self.desk.journal).await?;
        self.taken_in(tips.get(self.own.name()).cloned()).await
    }

    async fn taken_in(&self, tip: Option<CommitSha>) -> Step<Option<CommitSha>> {
        if let Some(tip) = tip.as_ref().filter(|tip| !self.depot.has(tip)) {
            self.fetch(&[tip, &self.base], Some(DEPTH)).await?;
        }
        Ok(tip)
    }

    /// The tree that the patch is for.
    pub(super) fn base_tree(&self) -> Step<TreeSource> {
        Ok(self.depot.source(&self.base)?)
    }

    /// The policy at the tip of the default branch: never one that the bundle or the failing branch brings along.
    pub(super) fn policy(&self) -> Step<Policy> {
        let tree = self.depot.source(&self.default_tip)?;
        for name in FILES {
            let path = RepoPath::new(name).map_err(|error| End::failed(error.to_string()))?;
            let unread = |error: GitError| End::blocked(format!("the policy cannot be read: {error}"));
            let Some(bytes) = tree.read_if_any(&path).map_err(unread)? else { continue };
            let origin = Origin { path: Some(path), commit: Some(self.default_tip.to_string()), hash: None };
            return Policy::read(&bytes, origin).map_err(|faults| {
                let first = faults.first().map(ToString::to_string).unwrap_or_default();
                let reason = format!("the policy at the tip of `{}` cannot be read: {first}", self.default_branch);
                End::blocked(reason).hint("`unbreak policy check` shows every fault of it")
            });
        }
        Ok(Policy::default_for())
    }
}

fn at_base(failing: &BranchName, tip: Option<&CommitSha>, base: &CommitSha) -> Step<()> {
    match tip {
        Some(tip) if tip == base => Ok(()),
        Some(tip) => Err(End::stale(format!("`{failing}` is at {tip} by now, and the repair is for {base}"))),
        None => Err(End::stale(format!("`{failing}` is gone"))),
    }
}
