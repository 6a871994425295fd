//! A directory of this run alone, gone with it or with the next one.

use std::io;
use std::path::{Path, PathBuf};

use crate::lease::{self, Lease, Purpose};

/// The directory; dropping it removes all of it.
#[derive(Debug)]
pub(super) struct Workplace(Lease);

impl Workplace {
    /// A fresh one below `root`; what dead runs left there is removed.
    pub(super) fn take(root: &Path) -> io::Result<Self> {
        std::fs::create_dir_all(root)?;
        lease::sweep(root);
        Lease::take(root, Purpose::Run).map(Self)
    }

    /// Where the depot is laid.
    pub(super) fn depot(&self) -> PathBuf {
        self.0.path().join("depot.git")
    }
}

impl Drop for Workplace {
    fn drop(&mut self) {
        // What cannot be removed now is removed by the next run.
        drop(lease::remove(self.0.path()));
    }
}
