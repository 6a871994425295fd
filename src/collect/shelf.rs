//! The directory that is filled: every name in it is ours, made of the forge's numbers.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;

use crate::ids::RepoPath;

/// A new directory.
#[derive(Debug)]
pub(super) struct Shelf {
    directory: PathBuf,
}

impl Shelf {
    /// Makes it with its parents; it has to be new or empty.
    pub(super) fn create(directory: &Path) -> anyhow::Result<Self> {
        let place = || format!("the output directory {}", directory.display());
        fs::create_dir_all(directory).with_context(place)?;
        let occupied = fs::read_dir(directory).with_context(place)?.next().is_some();
        anyhow::ensure!(!occupied, "{} is not empty", place());
        Ok(Self { directory: directory.to_owned() })
    }

    /// Where a file of this name goes; its directory is there afterwards.
    pub(super) fn place(&self, name: &str) -> anyhow::Result<(RepoPath, PathBuf)> {
        let name = RepoPath::new(name)?;
        let file = self.directory.join(name.as_str());
        if let Some(parent) = file.parent() {
            fs::create_dir_all(parent).with_context(|| parent.display().to_string())?;
        }
        Ok((name, file))
    }

    /// Writes a file.
    pub(super) fn write(&self, name: &str, bytes: &[u8]) -> anyhow::Result<RepoPath> {
        let (name, file) = self.place(name)?;
        fs::write(&file, bytes).with_context(|| file.display().to_string())?;
        Ok(name)
    }
}

/// Takes away what a download left that is of no use.
pub(super) fn discard(file: &Path) {
    // What is not there is what is wanted.
    drop(fs::remove_file(file));
}
