//! The directory of one run: made, locked while the run lives, removed with it or by the next one.

use std::fs;
use std::path::Path;

use super::GitError;
use crate::lease::{self, Lease, Purpose};

/// A run's own directory: `repo.git/ tree/ home/ tmp/`. Dropping it removes all of it.
#[derive(Debug)]
pub(super) struct RunDirectory(Lease);

impl RunDirectory {
    /// Removes what dead runs left below `root`, then makes a fresh directory there.
    pub(super) fn create(root: &Path) -> Result<Self, GitError> {
        fs::create_dir_all(root).map_err(GitError::io(root))?;
        let root = root.canonicalize().map_err(GitError::io(root))?;
        lease::sweep(&root);
        let lease = Lease::take(&root, Purpose::Run).map_err(GitError::io(&root))?;
        for name in ["repo.git", "tree", "home", "tmp"] {
            let inner = lease.path().join(name);
            fs::create_dir(&inner).map_err(GitError::io(&inner))?;
        }
        Ok(Self(lease))
    }

    pub(super) fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for RunDirectory {
    fn drop(&mut self) {
        // What cannot be removed now is tried again by the next run.
        drop(lease::remove(self.0.path()));
    }
}
