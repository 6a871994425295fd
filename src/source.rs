//! A tree of files as a value: what every reader of a repository is given.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::ids::{RepoPath, Sha};

/// A read-only view of one version of a tree.
///
/// Two implementations: [`Memory`] here, and the commit of a git repository in `git`. Reading goes through
/// objects and never through a work tree, so no symlink that repository code planted is ever followed.
pub trait Source: Send + Sync {
    /// Every regular file, in path order.
    fn files(&self) -> &[Entry];

    /// The bytes of one file; `None` when there is no such regular file or it cannot be read.
    fn read(&self, path: &RepoPath) -> Option<Arc<[u8]>>;

    /// The text of one file; `None` also when it is not UTF-8.
    fn text(&self, path: &RepoPath) -> Option<String> {
        String::from_utf8(self.read(path)?.to_vec()).ok()
    }

    /// The entry of one file.
    fn entry(&self, path: &RepoPath) -> Option<&Entry> {
        let files = self.files();
        files.binary_search_by(|entry| entry.path.cmp(path)).ok().map(|at| &files[at])
    }
}

/// One file of a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Where it is.
    pub path: RepoPath,
    /// What it holds, by hash: equal blobs have equal content.
    pub blob: String,
    /// Its size in bytes.
    pub size: u64,
    /// Whether it may be executed.
    pub executable: bool,
}

/// A tree held in memory.
#[derive(Debug, Clone, Default)]
pub struct Memory {
    entries: Vec<Entry>,
    contents: BTreeMap<RepoPath, Arc<[u8]>>,
}

impl Memory {
    /// A tree of these files; a later one of the same path wins.
    pub fn new<T: AsRef<[u8]>>(files: impl IntoIterator<Item = (RepoPath, T)>) -> Self {
        let contents: BTreeMap<_, Arc<[u8]>> =
            files.into_iter().map(|(path, bytes)| (path, Arc::from(bytes.as_ref()))).collect();
        let entries = contents
            .iter()
            .map(|(path, bytes)| Entry {
                path: path.clone(),
                blob: Sha::of(bytes).to_string(),
                size: bytes.len() as u64,
                executable: false,
            })
            .collect();
        Self { entries, contents }
    }
}

impl Source for Memory {
    fn files(&self) -> &[Entry] {
        &self.entries
    }

    fn read(&self, path: &RepoPath) -> Option<Arc<[u8]>> {
        self.contents.get(path).cloned()
    }
}
