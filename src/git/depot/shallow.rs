//! Where history is cut off: the list of commits whose parents are not here.

use std::collections::BTreeSet;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::super::GitError;
use super::Depot;
use crate::ids::CommitSha;

/// No history that is worth working on has more ends.
const MOST: usize = 200_000;

impl Depot {
    /// The commits whose parents are not here.
    pub(super) fn shallow(&self) -> Result<BTreeSet<CommitSha>, GitError> {
        let path = self.git_dir().join("shallow");
        match fs::read_to_string(&path) {
            Ok(text) => parse(&text),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(BTreeSet::new()),
            Err(error) => Err(GitError::io(path)(error)),
        }
    }

    /// Adds commits to the list; the list is as before when the value is dropped without [`Added::keep`].
    pub(super) fn cut_off(&self, more: &BTreeSet<CommitSha>) -> Result<Added, GitError> {
        let before = self.shallow()?;
        let all: BTreeSet<CommitSha> = before.union(more).cloned().collect();
        let path = self.git_dir().join("shallow");
        write(&path, &all)?;
        Ok(Added { path, before: Some(before) })
    }
}

/// A list that was added to.
pub(super) struct Added {
    path: PathBuf,
    before: Option<BTreeSet<CommitSha>>,
}

impl Added {
    pub(super) fn keep(mut self) {
        self.before = None;
    }
}

impl Drop for Added {
    fn drop(&mut self) {
        if let Some(before) = &self.before {
            // The error that led here is the one that is told.
            drop(write(&self.path, before));
        }
    }
}

/// Reads a list: one id a line.
pub(super) fn parse(text: &str) -> Result<BTreeSet<CommitSha>, GitError> {
    let wrong = |what: String| GitError::unusable(what, &["collect the run again"]);
    let mut ids = BTreeSet::new();
    for line in text.lines() {
        let id = CommitSha::new(line).ok().filter(|id| id.as_str().len() == 40).ok_or_else(|| {
            wrong("the list of commits whose parents are missing holds a line that is no id".to_owned())
        })?;
        ids.insert(id);
        if ids.len() > MOST {
            return Err(wrong(format!("the list of commits whose parents are missing is longer than {MOST} lines")));
        }
    }
    Ok(ids)
}

/// A list as text: one id a line.
pub(super) fn text<'a>(ids: impl IntoIterator<Item = &'a CommitSha>) -> String {
    ids.into_iter().fold(String::new(), |text, id| text + id.as_str() + "\n")
}

fn write(path: &Path, ids: &BTreeSet<CommitSha>) -> Result<(), GitError> {
    if ids.is_empty() {
        return match fs::remove_file(path) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(GitError::io(path)(error)),
            _ => Ok(()),
        };
    }
    let fresh = path.with_extension("fresh");
    fs::write(&fresh, text(ids)).map_err(GitError::io(&fresh))?;
    fs::rename(&fresh, path).map_err(GitError::io(path))
}
