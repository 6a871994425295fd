//! A tree with the edits of a round laid over it, in memory: what tools read, and what a submit takes.

use std::sync::Arc;

use crate::change::{Edit, EditError, FileChange, Mode, resolve};
use crate::ids::{RepoPath, Sha};
use crate::source::{Entry, Source};

/// A tree with edits over it.
pub(super) struct Staged {
    base: Box<dyn Source>,
    edits: Vec<Edit>,
    changes: Vec<FileChange>,
    entries: Vec<Entry>,
}

impl Staged {
    /// A tree without edits.
    pub(super) fn new(base: Box<dyn Source>) -> Self {
        let entries = base.files().to_vec();
        Self { base, edits: Vec::new(), changes: Vec::new(), entries }
    }

    /// Lays one more edit over the tree; one that does not fit leaves it as it was.
    pub(super) fn add(&mut self, edit: Edit) -> Result<(), EditError> {
        self.edits.push(edit);
        match resolve(&self.edits, self.base.as_ref()) {
            Ok(changes) => {
                self.changes = changes;
                self.entries = self.merged();
                Ok(())
            }
            Err(error) => {
                self.edits.pop();
                Err(error)
            }
        }
    }

    pub(super) fn changes(&self) -> &[FileChange] {
        &self.changes
    }

    pub(super) fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    fn merged(&self) -> Vec<Entry> {
        let mut entries: Vec<Entry> = self.base.files().to_vec();
        for change in &self.changes {
            let place = entries.binary_search_by(|entry| entry.path.cmp(&change.path));
            let entry = change.after.as_ref().map(|file| Entry {
                path: change.path.clone(),
                blob: Sha::of(&file.bytes).to_string(),
                size: file.bytes.len() as u64,
                executable: file.mode == Mode::Executable,
            });
            match (place, entry) {
                (Ok(at), Some(entry)) => entries[at] = entry,
                (Err(at), Some(entry)) => entries.insert(at, entry),
                (Ok(at), None) => drop(entries.remove(at)),
                (Err(_), None) => {}
            }
        }
        entries
    }
}

impl Source for Staged {
    fn files(&self) -> &[Entry] {
        &self.entries
    }

    fn read(&self, path: &RepoPath) -> Option<Arc<[u8]>> {
        match self.changes.iter().find(|change| change.path == *path) {
            Some(change) => change.after.as_ref().map(|file| Arc::from(file.bytes.as_slice())),
            None => self.base.read(path),
        }
    }
}
