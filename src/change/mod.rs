//! Edits as values: parsed first, resolved against the tree, applied all or none.

mod fold;
mod locate;
mod resolve;

use serde::{Deserialize, Serialize};

use crate::ids::RepoPath;

pub use resolve::{EditError, Reason, resolve};

/// One edit that somebody proposes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Edit {
    /// Replace `old`, which must occur exactly once, by `new`.
    Replace {
        /// The file.
        path: RepoPath,
        /// What stands there.
        old: String,
        /// What shall stand there.
        new: String,
    },
    /// Write a file that does not exist yet.
    Create {
        /// The file.
        path: RepoPath,
        /// Its text.
        content: String,
    },
}

/// What one file becomes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    /// The file.
    pub path: RepoPath,
    /// What it was; `None` when it is new.
    pub before: Option<File>,
    /// What it becomes; `None` when it is deleted.
    pub after: Option<File>,
}

/// One version of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// Its content: for a symlink its target, for a submodule its commit.
    pub bytes: Vec<u8>,
    /// What git thinks that it is.
    pub mode: Mode,
}

/// The kinds of tree entries that git knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are git's own")]
pub enum Mode {
    Regular,
    Executable,
    Symlink,
    Submodule,
}

impl Edit {
    /// The file that it is about.
    #[must_use]
    pub fn path(&self) -> &RepoPath {
        match self {
            Self::Replace { path, .. } | Self::Create { path, .. } => path,
        }
    }
}
