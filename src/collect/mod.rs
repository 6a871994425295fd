//! From a failed run to a bundle: what the forge knows of it, read with a token that may read, without running a line of
//! the repository and without a model.
//!
//! What cannot be had is one sentence in the incident; only what nothing can be done without ends the work.

mod commits;
mod green;
mod jobs;
mod logs;
mod refusal;
mod shelf;
mod uploads;

use std::path::{Path, PathBuf};

use anyhow::Context as _;

pub use refusal::{Refusal, hints_of};

use crate::git::{Git, Remote};
use crate::github::{GitHub, Pull, PullState, WorkflowRun};
use crate::handover::{self, Kind};
use crate::ids::{BranchName, CommitSha, RepositoryName};
use crate::incident::{self, Head, Incident, Run, VERSION};
use crate::journal::{Entry, Journal};
use crate::text::in_line;
use commits::Ground;
use jobs::Split;
use shelf::Shelf;

/// What is to be collected.
#[derive(Debug, Clone)]
pub struct Request {
    /// The run.
    pub run: u64,
    /// Which attempt of it; the latest when none is named.
    pub attempt: Option<u32>,
    /// Where it goes: new or empty.
    pub directory: PathBuf,
    /// How much of it.
    pub caps: Caps,
}

/// How much is collected of a run at most. With the defaults that is at most 32 calls, as long
/// as no list of the forge has a second page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Caps {
    /// Failed jobs whose logs are fetched; default 8.
    pub logs: usize,
    /// Bytes of one log, from its end; default 16 MiB.
    pub log_bytes: u64,
    /// Failed jobs whose annotations are fetched; default 8.
    pub annotations: usize,
    /// Archives that are fetched; default 6.
    pub artifacts: usize,
    /// Bytes of one archive; default 32 MiB.
    pub artifact_bytes: u64,
    /// Bytes of all archives; default 96 MiB.
    pub artifacts_bytes: u64,
    /// Logs of the last green run; default 3.
    pub green_logs: usize,
    /// Commits that are fetched, from the failed one back; default 50.
    pub depth: u32,
}

impl Default for Caps {
    fn default() -> Self {
        Self {
            logs: 8,
            log_bytes: 16 << 20,
            annotations: 8,
            artifacts: 6,
            artifact_bytes: 32 << 20,
            artifacts_bytes: 96 << 20,
            green_logs: 3,
            depth: 50,
        }
    }
}

/// What collecting works with.
#[derive(Clone, Copy)]
pub struct Desk<'a> {
    /// The forge.
    pub github: &'a GitHub,
    /// The git program.
    pub git: &'a Git,
    /// The repository on the forge.
    pub remote: &'a Remote,
    /// Where a repository of our own is laid meanwhile.
    pub scratch: &'a Path,
    /// The record.
    pub journal: &'a Journal,
    /// Is told what begins.
    pub progress: &'a (dyn Fn(&str) + Send + Sync),
}

/// The work, as far as it has come.
struct Work<'a> {
    request: &'a Request,
    desk: &'a Desk<'a>,
    shelf: Shelf,
    left_out: Vec<String>,
}

/// Collects a run into a directory, which is whole and sealed when this returns.
///
/// # Errors
/// [`Refusal`] when the run or the repository cannot be seen with this token; the failures of git and of the file
/// system. The directory is not sealed then.
pub async fn collect(request: &Request, desk: &Desk<'_>) -> anyhow::Result<Incident> {
    let shelf = Shelf::create(&request.directory)?;
    let mut work = Work { request, desk, shelf, left_out: Vec::new() };
    let incident = work.incident().await?;
    let text = serde_json::to_vec_pretty(&incident).context("the incident cannot be written")?;
    work.shelf.write(incident::FILE, &text)?;
    handover::seal(&request.directory, Kind::Collected)?;
    let calls = desk.github.calls();
    desk.journal.record(Entry {
        action: "collect".to_owned(),
        subject: format!("run {}", request.run),
        outcome: format!("{} failed jobs, {} left out, {calls} calls", incident.jobs.len(), incident.left_out.len()),
        ..Entry::default()
    });
    Ok(incident)
}

impl Work<'_> {
    async fn incident(&mut self) -> anyhow::Result<Incident> {
        let (github, journal) = (self.desk.github, self.desk.journal);
        (self.desk.progress)("reading the run");
        let refused = |what| move |error| Refusal::of(error, what);
        let about = github.repository(journal).await.map_err(refused(refusal::REPOSITORY))?;
        let repository = RepositoryName::new(&about.full_name).context("the repository has a name that is none")?;
        let default_branch =
            BranchName::new(&about.default_branch).context("the default branch has a name that is none")?;
        let run = github.run(self.request.run, self.request.attempt, journal).await.map_err(refused(refusal::RUN))?;
        let all = github.jobs(run.id, journal).await.map_err(refused(refusal::JOBS))?;
        let attempt = self.request.attempt.or(run.run_attempt).unwrap_or(1);
        let Split { failed, history } = Split::of(all, attempt);
        self.explain_nothing(&run, failed.is_empty());
        let mut head = self.head(&run)?;
        let mut ground = Ground::open(self, &default_branch, &head).await?;
        self.check_branch(&mut head, &repository, &ground);
        let jobs = self.logs(failed).await?;
        let artifacts = self.uploads(run.id).await?;
        let green = self.green(&run, &head, &jobs).await?;
        let pull_request = self.pull_request(&head).await;
        (self.desk.progress)("fetching the commits");
        let fetched = ground.fetch(self, &head.commit, green.as_ref().map(|green| &green.commit)).await?;
        let workflow = self.workflow(&run, &fetched.head)?;
        let policy = self.policy(&fetched.default_tip)?;
        let history_bundle = ground.bundle(self).await?;
        Ok(Incident {
            version: VERSION,
            repository,
            default_branch,
            run: described(&run, attempt),
            head,
            pull_request,
            jobs,
            history,
            artifacts,
            green,
            workflow,
            policy,
            policy_commit: ground.default_tip().clone(),
            history_bundle,
            left_out: std::mem::take(&mut self.left_out),
        })
    }

    /// A run without a failed job is no mistake of the collection; the reader is told what it means.
    fn explain_nothing(&mut self, run: &WorkflowRun, nothing: bool) {
        if !nothing {
            return;
        }
        self.left_out.push(match run.conclusion.as_deref() {
            Some("startup_failure") => {
                "The run failed before any job began: the forge did not accept the workflow file.".to_owned()
            }
            Some(other) => format!("No job of this attempt failed; the run ended with {}.", in_line(other)),
            None => "No job of this attempt has failed so far; the run has not ended.".to_owned(),
        });
    }

    fn head(&mut self, run: &WorkflowRun) -> anyhow::Result<Head> {
        let commit = CommitSha::new(&run.head_sha).context("the run has a commit that is none")?;
        let name = run.head_branch.as_deref().filter(|name| !name.is_empty());
        let branch = name.and_then(|name| match BranchName::new(name) {
            Ok(branch) => Some(branch),
            Err(error) => {
                self.left_out.push(format!("The branch is not known: {error}."));
                None
            }
        });
        let repository = run.head_repository.as_ref().and_then(|named| RepositoryName::new(&named.full_name).ok());
        if run.event.starts_with("pull_request") {
            self.left_out.push(
                "The run built the merge of the commit with its base; the commit alone was collected.".to_owned(),
            );
        }
        Ok(Head { commit, branch, repository })
    }

    /// A run of a tag names the tag where others name their branch.
    fn check_branch(&mut self, head: &mut Head, repository: &RepositoryName, ground: &Ground) {
        let here = head.repository.as_ref() == Some(repository);
        if let Some(branch) = head.branch.take_if(|branch| here && !ground.knows(branch)) {
            let name = in_line(branch.as_str());
            self.left_out
                .push(format!("`{name}` is no branch of the repository (any more): it may be a tag, or deleted."));
        }
    }

    /// The open pull request whose head is this commit.
    async fn pull_request(&mut self, head: &Head) -> Option<u64> {
        let pulls = match self.desk.github.pulls_of_commit(&head.commit, self.desk.journal).await {
            Ok(pulls) => pulls,
            Err(error) => {
                let hint = refusal::hint(&error, refusal::PULLS);
                self.left_out.push(format!("Pull requests were not looked for: {}{hint}", in_line(&error.to_string())));
                return None;
            }
        };
        let fits = |pull: &&Pull| pull.state == PullState::Open && pull.head.sha == head.commit.as_str();
        let same_branch = |pull: &&Pull| head.branch.as_ref().is_some_and(|branch| pull.head.branch == branch.as_str());
        let open: Vec<&Pull> = pulls.iter().filter(fits).collect();
        let chosen = open.iter().copied().find(same_branch).or_else(|| open.first().copied())?;
        if open.len() > 1 {
            let others = open.iter().filter(|pull| pull.number != chosen.number);
            let others: Vec<String> = others.map(|pull| format!("#{}", pull.number)).collect();
            self.left_out.push(format!("The commit is also the head of {}.", others.join(", ")));
        }
        Some(chosen.number)
    }
}

fn described(run: &WorkflowRun, attempt: u32) -> Run {
    let login = |user: &Option<crate::github::User>| user.as_ref().map(|user| user.login.clone());
    Run {
        id: run.id,
        attempt,
        workflow: run.name.clone().unwrap_or_default(),
        url: run.html_url.clone(),
        event: run.event.clone(),
        actor: login(&run.actor),
        triggering_actor: login(&run.triggering_actor),
        conclusion: run.conclusion.clone(),
        started_at: run.run_started_at.clone(),
    }
}
