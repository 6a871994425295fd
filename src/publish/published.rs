//! What came of publishing: a value that says where everything is.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{End, Order};
use crate::ids::{CommitSha, OwnBranch, RepositoryName};
use crate::secret::Redactor;

/// The version of the format of [`Published`].
const VERSION: u32 = 1;

/// How it ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// There is a new pull request.
    Opened,
    /// The pull request that was there holds the new repair.
    Updated,
    /// All of it was there already.
    Unchanged,
    /// The proposal holds no verified repair.
    Nothing,
    /// A person has taken over, or has said no.
    LeftAlone,
    /// The branch moved, or another run was faster.
    Stale,
    /// The policy or the gate forbids it, or a person has to agree first.
    Blocked,
    /// The proposal is not what it has to be, or the forge says no.
    Refused,
    /// The forge, or the way to it, failed.
    Failed,
    /// Everything was found out and nothing was written, as was asked for.
    DryRun,
}

impl Outcome {
    /// The word, as it is written.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Opened => "opened",
            Self::Updated => "updated",
            Self::Unchanged => "unchanged",
            Self::Nothing => "nothing",
            Self::LeftAlone => "left_alone",
            Self::Stale => "stale",
            Self::Blocked => "blocked",
            Self::Refused => "refused",
            Self::Failed => "failed",
            Self::DryRun => "dry_run",
        }
    }

    /// Whether the pull request stands as the proposal says.
    #[must_use]
    pub fn is_delivered(self) -> bool {
        matches!(self, Self::Opened | Self::Updated | Self::Unchanged)
    }
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Published {
    /// The version of this format: 1.
    pub version: u32,
    /// How it ended.
    pub outcome: Outcome,
    /// Why, in a sentence or two.
    pub reason: String,
    /// The branch of the repair, as soon as its name is known.
    pub branch: Option<OwnBranch>,
    /// The commit at its tip, once it is there.
    pub commit: Option<CommitSha>,
    /// The pull request, as soon as one is known.
    pub pull_request: Option<Opened>,
    /// What the reader can do.
    pub hints: Vec<String>,
    /// What did not work and did not matter: one sentence each.
    pub notes: Vec<String>,
    /// The directory that holds the proposal, unless the pull request holds it now: nothing is lost.
    pub bundle: Option<PathBuf>,
    /// Requests that were sent to the forge's interface, repeated ones counted.
    pub api_calls: u32,
}

/// A pull request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opened {
    /// Its number.
    pub number: u64,
    /// Its page.
    pub url: String,
}

/// Why nothing could even be looked at.
#[derive(Debug, thiserror::Error)]
pub enum PublishError {
    /// No directory of our own can be made.
    #[error("no scratch directory can be made in {}; the proposal is kept in {}", .scratch.display(), .bundle.display())]
    Scratch {
        /// Where it was tried.
        scratch: PathBuf,
        /// The directory that holds the proposal.
        bundle: PathBuf,
        /// How it failed.
        source: std::io::Error,
    },
}

impl PublishError {
    /// The directory that holds the proposal.
    #[must_use]
    pub fn bundle(&self) -> &Path {
        match self {
            Self::Scratch { bundle, .. } => bundle,
        }
    }
}

/// What is known so far, whatever the end will be.
#[derive(Debug, Default)]
pub(super) struct Trail {
    pub(super) branch: Option<OwnBranch>,
    pub(super) commit: Option<CommitSha>,
    pub(super) pull_request: Option<Opened>,
    pub(super) notes: Vec<String>,
}

impl Opened {
    /// The page is built from checked parts: an answer's own address is not followed.
    pub(super) fn new(number: u64, server: &str, repository: &RepositoryName) -> Self {
        Self { number, url: format!("{server}/{repository}/pull/{number}") }
    }
}

/// The end with all that is known. Foreign words in it become one line each, and carry no credential.
pub(super) fn assemble(end: End, trail: Trail, order: &Order<'_>, told: (&Redactor, u32)) -> Published {
    let (redactor, api_calls) = told;
    let clean = |text: String| crate::text::in_line(&redactor.scrub(&text));
    let delivered = end.outcome.is_delivered();
    Published {
        version: VERSION,
        outcome: end.outcome,
        reason: clean(end.reason),
        branch: trail.branch,
        commit: trail.commit,
        pull_request: trail.pull_request,
        hints: end.hints.into_iter().map(clean).collect(),
        notes: trail.notes.into_iter().map(clean).collect(),
        bundle: (!delivered).then(|| order.bundle.directory().to_owned()),
        api_calls,
    }
}
