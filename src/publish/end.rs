//! A way out: what came of it, why, and what helps. Errors of the forge and of git become ways out here.

use super::guidance;
use super::published::Outcome;
use super::pull::Found;
use crate::git::GitError;
use crate::github::GitHubError;
use crate::handover::HandoverError;

/// A way out.
#[derive(Debug)]
pub(super) struct End {
    pub(super) outcome: Outcome,
    pub(super) reason: String,
    pub(super) hints: Vec<String>,
}

/// A step goes on with a value, or ends all.
pub(super) type Step<T> = Result<T, End>;

impl End {
    pub(super) fn new(outcome: Outcome, reason: impl Into<String>) -> Self {
        Self { outcome, reason: reason.into(), hints: Vec::new() }
    }

    pub(super) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// The proposal is not what it has to be.
    pub(super) fn refused(reason: impl Into<String>) -> Self {
        Self::new(Outcome::Refused, reason)
    }

    /// The policy or the gate says no.
    pub(super) fn blocked(reason: impl Into<String>) -> Self {
        Self::new(Outcome::Blocked, reason)
    }

    pub(super) fn stale(reason: impl Into<String>) -> Self {
        Self::new(Outcome::Stale, reason).hint("the next failing run of the branch starts a new repair")
    }

    pub(super) fn left_alone(reason: impl Into<String>) -> Self {
        Self::new(Outcome::LeftAlone, reason)
    }

    pub(super) fn failed(reason: impl Into<String>) -> Self {
        Self::new(Outcome::Failed, reason).hint("run it again: what is there already is found and not made twice")
    }

    /// The forge says no, in words that may be known.
    pub(super) fn forbidden(words: impl Into<String>) -> Self {
        let words = words.into();
        let hints = guidance::hints(&words).map(str::to_owned).collect();
        Self { outcome: Outcome::Refused, reason: words, hints }
    }
}

impl From<GitHubError> for End {
    fn from(error: GitHubError) -> Self {
        match error {
            GitHubError::Refused { .. } => Self::forbidden(error.to_string()),
            _ => Self::failed(error.to_string()),
        }
    }
}

impl From<GitError> for End {
    fn from(error: GitError) -> Self {
        match error {
            GitError::Denied { .. } => Self::forbidden(error.to_string()),
            _ => Self::failed(error.to_string()),
        }
    }
}

impl From<HandoverError> for End {
    fn from(error: HandoverError) -> Self {
        Self::refused(error.to_string())
    }
}

/// What would have been done.
pub(super) fn rehearsed(found: &Found) -> End {
    let reason = match found {
        Found::Open(it) => format!("everything holds; pull request #{} would be brought up to date", it.number),
        Found::None => "everything holds; a pull request would be opened".to_owned(),
    };
    End::new(Outcome::DryRun, reason)
}
