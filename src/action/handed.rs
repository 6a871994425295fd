//! What `collect` prints as JSON: the little that the next stages and the summary need of it.

use serde::{Deserialize, Serialize};

use crate::ids::{BranchName, CommitSha, RepoPath, RepositoryName};
use crate::incident::Incident;

/// The version of this format.
const VERSION: u32 = 1;

/// What was collected, in short; the bundle holds all of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Collected {
    /// The version of this format: 1.
    pub version: u32,
    /// Where it happened.
    pub repository: RepositoryName,
    /// The run.
    pub run_id: u64,
    /// Which attempt of it.
    pub attempt: u32,
    /// What was built.
    pub commit: CommitSha,
    /// Its branch.
    pub branch: Option<BranchName>,
    /// Whether the commit comes from another repository.
    pub fork: bool,
    /// The names of the jobs that failed.
    pub failed_jobs: Vec<String>,
    /// How many artifacts there are.
    pub artifacts: usize,
    /// The last run that passed, when one is known.
    pub last_green: Option<u64>,
    /// The policy file at the tip of the default branch, when there is one.
    pub policy: Option<RepoPath>,
    /// What was left out: a sentence each.
    pub left_out: Vec<String>,
}

impl Collected {
    /// The short form of an incident.
    #[must_use]
    pub fn of(incident: &Incident) -> Self {
        Self {
            version: VERSION,
            repository: incident.repository.clone(),
            run_id: incident.run.id,
            attempt: incident.run.attempt,
            commit: incident.head.commit.clone(),
            branch: incident.head.branch.clone(),
            fork: incident.is_from_fork(),
            failed_jobs: incident.jobs.iter().map(|job| job.name.clone()).collect(),
            artifacts: incident.artifacts.len(),
            last_green: incident.green.as_ref().map(|green| green.run_id),
            policy: incident.policy.as_ref().map(|policy| policy.path.clone()),
            left_out: incident.left_out.clone(),
        }
    }
}
