//! A failed run of a workflow as plain values: what `collect` found out and `repair` and `publish` work from.
//!
//! `incident.json` is this value. Everything in it was said by the forge or by code that nobody trusts: names are
//! checked when they are read, and texts stay data.

use serde::{Deserialize, Serialize};

use crate::ids::{BranchName, CommitSha, RepoPath, RepositoryName};

/// The name of this value in the directories that stages hand on.
pub const FILE: &str = "incident.json";

/// The version of the format that this program writes.
pub const VERSION: u32 = 1;

/// A failed run, with what was collected of it. Names of files are those of the bundle that holds it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Incident {
    /// The version of this format: 1.
    pub version: u32,
    /// Where it happened.
    pub repository: RepositoryName,
    /// The branch that policy is read from.
    pub default_branch: BranchName,
    /// The run.
    pub run: Run,
    /// What was built.
    pub head: Head,
    /// The open pull request of that commit, when there is one.
    pub pull_request: Option<u64>,
    /// The jobs that failed in this attempt, in the order of their ids; those of other attempts are in `history`.
    pub jobs: Vec<Job>,
    /// How jobs of the same names ended in other attempts of the run.
    pub history: Vec<PastJob>,
    /// What the run uploaded.
    pub artifacts: Vec<Artifact>,
    /// The last green run of the same workflow on the same branch.
    pub green: Option<Green>,
    /// The workflow file at the commit.
    pub workflow: Option<WorkflowFile>,
    /// The policy at the tip of the default branch; none when the repository has none.
    pub policy: Option<PolicyFile>,
    /// The tip of the default branch that policy was looked for at.
    pub policy_commit: CommitSha,
    /// The commits, as git carries them.
    pub history_bundle: GitBundle,
    /// What was left out, and why: one sentence each.
    pub left_out: Vec<String>,
}

/// A run of a workflow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Run {
    /// The forge's number for it.
    pub id: u64,
    /// Which attempt: from 1.
    pub attempt: u32,
    /// The workflow's name.
    pub workflow: String,
    /// Its page.
    pub url: String,
    /// What started it: `push`, `pull_request`, …
    pub event: String,
    /// Who started it first, and who this attempt.
    pub actor: Option<String>,
    /// Who started this attempt.
    pub triggering_actor: Option<String>,
    /// How it ended; `None` while it runs (the repair is a step of it then).
    pub conclusion: Option<String>,
    /// When this attempt began: RFC 3339.
    pub started_at: Option<String>,
}

/// What a run built.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    /// The commit.
    pub commit: CommitSha,
    /// Its branch; `None` for a tag or a name that is no branch name.
    pub branch: Option<BranchName>,
    /// Where the branch lives: another repository is a fork. `None` when it is gone.
    pub repository: Option<RepositoryName>,
}

/// A job that failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Job {
    /// The forge's number for it.
    pub id: u64,
    /// Its name, matrix values in parentheses.
    pub name: String,
    /// Which attempt of the run it belongs to.
    pub attempt: u32,
    /// How it ended: `failure`, `timed_out`, …; `None` while it runs.
    pub conclusion: Option<String>,
    /// The labels of its runner.
    pub runner: Vec<String>,
    /// The steps that failed, in order.
    pub failed_steps: Vec<FailedStep>,
    /// Its log, when there was one.
    pub log: Option<RepoPath>,
    /// Its annotations as the forge lists them, when there were any.
    pub annotations: Option<RepoPath>,
}

/// A step that failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailedStep {
    /// Its number within the job, from 1, the runner's own steps counted.
    pub number: u64,
    /// Its name, as the log shows it.
    pub name: String,
}

/// A job of another attempt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PastJob {
    /// Its name.
    pub name: String,
    /// Which attempt.
    pub attempt: u32,
    /// How it ended.
    pub conclusion: Option<String>,
}

/// What a run uploaded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Artifact {
    /// The forge's number for it.
    pub id: u64,
    /// Its name: anybody's choice.
    pub name: String,
    /// The archive.
    pub file: RepoPath,
    /// Its size.
    pub bytes: u64,
}

/// The last run that passed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Green {
    /// The forge's number for it.
    pub run_id: u64,
    /// What it built.
    pub commit: CommitSha,
    /// The logs of the jobs that fail now, by the names of these jobs.
    pub logs: Vec<(String, RepoPath)>,
}

/// The workflow file that the run executed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkflowFile {
    /// Where it lies in the repository.
    pub path: RepoPath,
    /// Its text.
    pub file: RepoPath,
}

/// The policy in force.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PolicyFile {
    /// Where it lies in the repository.
    pub path: RepoPath,
    /// Its text.
    pub file: RepoPath,
}

/// Commits as `git bundle` carries them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GitBundle {
    /// The bundle.
    pub file: RepoPath,
    /// The commits whose parents are not in it, one id a line; none when it reaches back to the beginning.
    pub shallow: Option<RepoPath>,
}

impl Incident {
    /// Whether the commit comes from another repository, or from one that is gone.
    #[must_use]
    pub fn is_from_fork(&self) -> bool {
        self.head.repository.as_ref() != Some(&self.repository)
    }
}
