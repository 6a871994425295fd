//! The scratch repository: borrows the checkout's objects and never touches the checkout.
//!
//! libgit2 reads and writes objects (trees, commits, blobs, diffs); the git program does whatever concerns a work
//! tree, because libgit2 is slower there and cannot be made hermetic. The parent names `--git-dir` and
//! `--work-tree` on every call, so nothing that repository code plants in a tree is ever taken for a repository.

mod apply;
mod checkout;
mod difference;
mod folders;
mod objects;
mod program;
mod run_directory;
mod scratch;
mod stand_in;
#[cfg(test)]
mod tests;

use std::path::PathBuf;

pub use checkout::Checkout;
pub use folders::between_folders;
pub use objects::TreeSource;
pub use program::Git;
pub use scratch::Scratch;

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
