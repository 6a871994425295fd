//! What the forge answers, as far as it is looked at. Lenient: what is not needed is not read, what may be missing may
//! be missing, and a word that is new is only a word. What is null where the forge's own description says that it is
//! not reads as missing.

use serde::{Deserialize, Deserializer};

use crate::ids::CommitSha;

/// A repository.
#[derive(Debug, Clone, Deserialize)]
pub struct Repository {
    /// `owner/name`.
    pub full_name: String,
    /// The branch that policy is read from.
    pub default_branch: String,
    /// Whether it is shut to writing.
    #[serde(default, deserialize_with = "or_default")]
    pub archived: bool,
}

/// A run of a workflow.
#[derive(Debug, Clone, Deserialize)]
#[expect(missing_docs, reason = "the forge's own terms")]
pub struct WorkflowRun {
    pub id: u64,
    #[serde(default)]
    pub name: Option<String>,
    #[serde(default)]
    pub path: Option<String>,
    pub workflow_id: u64,
    #[serde(default)]
    pub run_attempt: Option<u32>,
    #[serde(default, deserialize_with = "or_default")]
    pub event: String,
    #[serde(default)]
    pub status: Option<String>,
    #[serde(default)]
    pub conclusion: Option<String>,
    pub head_sha: String,
    #[serde(default)]
    pub head_branch: Option<String>,
    #[serde(default)]
    pub head_repository: Option<Named>,
    #[serde(default)]
    pub actor: Option<User>,
    #[serde(default)]
    pub triggering_actor: Option<User>,
    #[serde(default, deserialize_with = "or_default")]
    pub html_url: String,
    #[serde(default)]
    pub run_started_at: Option<String>,
}

/// A repository by name.
#[derive(Debug, Clone, Deserialize)]
#[expect(missing_docs, reason = "the forge's own terms")]
pub struct Named {
    pub full_name: String,
}

/// A user by name.
#[derive(Debug, Clone, Deserialize)]
#[expect(missing_docs, reason = "the forge's own terms")]
pub struct User {
    pub login: String,
}

/// A job of a run.
#[derive(Debug, Clone, Deserialize)]
#[expect(missing_docs, reason = "the forge's own terms")]
pub struct Job {
    pub id: u64,
    #[serde(default, deserialize_with = "or_default")]
    pub name: String,
    #[serde(default)]
    pub run_attempt: Option<u32>,
    #[serde(default)]
    pub status: Option<String>,
    #[serde(default)]
    pub conclusion: Option<String>,
    #[serde(default, deserialize_with = "or_default")]
    pub labels: Vec<String>,
    #[serde(default, deserialize_with = "or_default")]
    pub steps: Vec<JobStep>,
}

/// A step of a job.
#[derive(Debug, Clone, Deserialize)]
#[expect(missing_docs, reason = "the forge's own terms")]
pub struct JobStep {
    #[serde(default, deserialize_with = "or_default")]
    pub name: String,
    #[serde(default, deserialize_with = "or_default")]
    pub number: u64,
    #[serde(default)]
    pub conclusion: Option<String>,
}

/// What a run uploaded.
#[derive(Debug, Clone, Deserialize)]
#[expect(missing_docs, reason = "the forge's own terms")]
pub struct Artifact {
    pub id: u64,
    #[serde(default, deserialize_with = "or_default")]
    pub name: String,
    #[serde(default, deserialize_with = "or_default")]
    pub size_in_bytes: u64,
    #[serde(default, deserialize_with = "or_default")]
    pub expired: bool,
}

/// A pull request.
#[derive(Debug, Clone, Deserialize)]
#[expect(missing_docs, reason = "the forge's own terms")]
pub struct Pull {
    pub number: u64,
    pub state: PullState,
    #[serde(default, deserialize_with = "or_default")]
    pub html_url: String,
    #[serde(default)]
    pub body: Option<String>,
    #[serde(default, deserialize_with = "or_default")]
    pub title: String,
    #[serde(default, deserialize_with = "or_default")]
    pub draft: bool,
    #[serde(default)]
    pub created_at: Option<String>,
    #[serde(default)]
    pub merged_at: Option<String>,
    pub head: PullEnd,
    pub base: PullEnd,
}

/// One end of a pull request.
#[derive(Debug, Clone, Deserialize)]
#[expect(missing_docs, reason = "the forge's own terms")]
pub struct PullEnd {
    #[serde(rename = "ref")]
    pub branch: String,
    pub sha: String,
    #[serde(default)]
    pub repo: Option<Named>,
}

/// Whether a pull request is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "the forge's own terms")]
pub enum PullState {
    Open,
    #[serde(other)]
    Closed,
}

/// A branch with its last commit.
#[derive(Debug, Deserialize)]
pub(super) struct BranchAnswer {
    pub commit: BranchHead,
}

/// The last commit of a branch.
#[derive(Debug, Deserialize)]
pub(super) struct BranchHead {
    pub sha: CommitSha,
    pub commit: CommitText,
    #[serde(default, deserialize_with = "or_default")]
    pub parents: Vec<Parent>,
}

/// What a commit says.
#[derive(Debug, Deserialize)]
pub(super) struct CommitText {
    #[serde(default, deserialize_with = "or_default")]
    pub message: String,
}

/// A commit before another.
#[derive(Debug, Deserialize)]
pub(super) struct Parent {
    pub sha: CommitSha,
}

/// Null as if it were missing.
fn or_default<'de, D: Deserializer<'de>, T: Deserialize<'de> + Default>(deserializer: D) -> Result<T, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}
