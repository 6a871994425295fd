//! The scratch repository: borrows the checkout's objects and never touches the checkout.
//!
//! libgit2 reads and writes objects (trees, commits, blobs, diffs); the git program does whatever concerns a work
//! tree, because libgit2 is slower there and cannot be made hermetic. The parent names `--git-dir` and
//! `--work-tree` on every call, so nothing that repository code plants in a tree is ever taken for a repository.

mod apply;
mod checkout;
mod depot;
mod difference;
mod folders;
mod objects;
mod odd_objects;
mod program;
mod remote;
mod run_directory;
mod scratch;
mod stand_in;
#[cfg(test)]
mod tests;
mod transport;

use std::path::PathBuf;

pub use checkout::Checkout;
pub use depot::{Depot, Described, NewCommit, PushError};
pub use folders::between_folders;
pub use objects::TreeSource;
pub use program::Git;
pub use remote::{Patience, Remote};
pub use scratch::Scratch;

use crate::ids::CommitSha;

/// Why git could not do something.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// No repository, a bare one, one without commits, an unknown revision: the user's to mend (exit 2).
    #[error("{message}")]
    Unusable {
        /// What, with the path.
        message: String,
        /// The ways out.
        hints: Vec<String>,
    },
    /// The git program failed.
    #[error("git {command} failed: {stderr}")]
    Program {
        /// The subcommand.
        command: String,
        /// The last lines that it printed.
        stderr: String,
    },
    /// The way to the forge failed, or the forge itself: the same call may succeed later.
    #[error("git {command} did not get through to the forge: {reason}")]
    Unreachable {
        /// The subcommand.
        command: String,
        /// One line of what git said.
        reason: String,
    },
    /// The forge was reached and does not give what was asked for: a credential, a right or a repository is missing.
    #[error("the forge refused git {command}: {reason}")]
    Denied {
        /// The subcommand.
        command: String,
        /// One line of what git said.
        reason: String,
    },
    /// libgit2 failed on the scratch repository.
    #[error("the scratch repository cannot be read")]
    Library(#[from] git2::Error),
    /// The file system failed.
    #[error("{path}: {source}")]
    Io {
        /// Where.
        path: PathBuf,
        /// How.
        source: std::io::Error,
    },
}

impl GitError {
    fn unusable(message: impl Into<String>, hints: &[&str]) -> Self {
        Self::Unusable { message: message.into(), hints: hints.iter().map(|hint| (*hint).to_owned()).collect() }
    }

    /// For `map_err`: an error of the file system at `path`.
    fn io(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io { path, source }
    }
}

/// A commit id: 40 hexadecimal digits.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CommitId(pub String);

impl CommitId {
    fn oid(&self) -> Result<git2::Oid, git2::Error> {
        git2::Oid::from_str(&self.0)
    }
}

impl From<&CommitSha> for CommitId {
    fn from(id: &CommitSha) -> Self {
        Self(id.as_str().to_owned())
    }
}

impl From<git2::Oid> for CommitId {
    fn from(id: git2::Oid) -> Self {
        Self(id.to_string())
    }
}

/// What the scratch repository starts from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Base {
    /// HEAD alone.
    Head,
    /// HEAD plus uncommitted changes to tracked files, as a first snapshot.
    WorkTree,
}
