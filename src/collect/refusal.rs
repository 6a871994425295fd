//! What ends a collection, and what the user has to do about it.

use crate::git::GitError;
use crate::github::GitHubError;

/// Something of the forge that is read, and the permission that it takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Wanted {
    what: &'static str,
    permission: &'static str,
}

pub(super) const REPOSITORY: Wanted = Wanted { what: "the repository", permission: "contents: read" };
pub(super) const RUN: Wanted = Wanted { what: "the run", permission: "actions: read" };
pub(super) const JOBS: Wanted = Wanted { what: "the jobs of the run", permission: "actions: read" };
pub(super) const LOGS: Wanted = Wanted { what: "logs", permission: "actions: read" };
pub(super) const ARTIFACTS: Wanted = Wanted { what: "artifacts", permission: "actions: read" };
pub(super) const RUNS: Wanted = Wanted { what: "earlier runs", permission: "actions: read" };
pub(super) const ANNOTATIONS: Wanted = Wanted { what: "annotations", permission: "checks: read" };
pub(super) const PULLS: Wanted = Wanted { what: "pull requests", permission: "pull-requests: read" };

/// Why there is nothing to collect.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// It does not exist, or not for this token.
    #[error("{what} was not found, or this token may not see it")]
    NotFound {
        /// What was asked for.
        what: &'static str,
        /// The permission that it takes.
        permission: &'static str,
        /// The forge's words.
        source: GitHubError,
    },
    /// The token is none, or not any more.
    #[error("GitHub does not accept the token")]
    Token {
        /// The forge's words.
        source: GitHubError,
    },
    /// The token may not do this.
    #[error("this token may not read {what}")]
    Permission {
        /// What was asked for.
        what: &'static str,
        /// The permission that it takes.
        permission: &'static str,
        /// The forge's words.
        source: GitHubError,
    },
    /// The forge failed, or the way to it.
    #[error(transparent)]
    Forge(GitHubError),
}

impl Refusal {
    pub(super) fn of(error: GitHubError, wanted: Wanted) -> Self {
        let Wanted { what, permission } = wanted;
        match error {
            source if source.is_not_found() => Self::NotFound { what, permission, source },
            source @ GitHubError::Refused { status: 401, .. } => Self::Token { source },
            source @ GitHubError::Refused { status: 403, .. } => Self::Permission { what, permission, source },
            other => Self::Forge(other),
        }
    }
}

/// The way out for a collection that ended.
#[must_use]
pub fn hints_of(error: &anyhow::Error) -> Vec<String> {
    if error.chain().any(|cause| matches!(cause.downcast_ref(), Some(GitError::Denied { .. }))) {
        return vec![ask_for("contents: read")];
    }
    let Some(refusal) = error.chain().find_map(|cause| cause.downcast_ref::<Refusal>()) else { return Vec::new() };
    match refusal {
        Refusal::NotFound { permission, .. } => {
            vec!["check the repository and the run's number".to_owned(), ask_for(permission)]
        }
        Refusal::Token { .. } => {
            vec!["a token of a workflow ends with its job; pass `github.token` or a new one".to_owned()]
        }
        Refusal::Permission { permission, .. } => vec![ask_for(permission)],
        Refusal::Forge(_) => Vec::new(),
    }
}

fn ask_for(permission: &str) -> String {
    format!(
        "the job needs `permissions: {{{permission}}}`; all of it is `actions: read, contents: read, checks: read, \
         pull-requests: read`"
    )
}

/// What to add to a sentence about something that was left out, when a permission would bring it.
pub(super) fn hint(error: &GitHubError, wanted: Wanted) -> String {
    match error {
        GitHubError::Refused { status: 401 | 403 | 404, .. } => {
            format!(" ({} may need `{}`).", wanted.what, wanted.permission)
        }
        _ => ".".to_owned(),
    }
}
