//! Object stores read through libgit2, and the tree of one commit as a [`Source`].

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use git2::{ObjectType, Odb, Oid, Repository, TreeWalkMode, TreeWalkResult};

use super::{CommitId, GitError};
use crate::ids::RepoPath;
use crate::source::{Entry, Source};

/// One set of object directories. libgit2's handles are for one thread at a time, so there is a pool of them:
/// parallel readers do not wait for each other.
#[derive(Debug)]
pub(super) struct Objects {
    place: Place,
    idle: Mutex<Vec<Handle>>,
}

#[derive(Debug)]
enum Place {
    /// Object directories alone: nothing of a repository's configuration is read.
    Directories(Vec<PathBuf>),
    /// The scratch repository, where objects can be written.
    Repository(PathBuf),
}

struct Handle(Repository);

impl std::fmt::Debug for Handle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Handle")
    }
}

impl Objects {
    pub(super) fn of_directories(directories: Vec<PathBuf>) -> Self {
        Self { place: Place::Directories(directories), idle: Mutex::default() }
    }

    pub(super) fn of_repository(git_dir: PathBuf) -> Self {
        Self { place: Place::Repository(git_dir), idle: Mutex::default() }
    }

    /// Gives `work` a handle of its own.
    pub(super) fn with<T>(&self, work: impl FnOnce(&Repository) -> Result<T, GitError>) -> Result<T, GitError> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let handle = match idle {
            Some(handle) => handle,
            None => Handle(self.open()?),
        };
        let result = work(&handle.0);
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(handle);
        result
    }

    fn open(&self) -> Result<Repository, git2::Error> {
        match &self.place {
            Place::Repository(git_dir) => Repository::open_bare(git_dir),
            Place::Directories(directories) => {
                let odb = Odb::new()?;
                for directory in directories {
                    odb.add_disk_alternate(&directory.to_string_lossy())?;
                }
                Repository::from_odb(odb)
            }
        }
    }
}

/// The object directory of a repository and all that it borrows from, each absolute and once.
pub(super) fn object_directories(common_dir: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = Vec::new();
    let mut waiting = vec![common_dir.join("objects")];
    while let Some(directory) = waiting.pop() {
        let directory = directory.canonicalize().unwrap_or(directory);
        if found.contains(&directory) {
            continue;
        }
        let alternates = std::fs::read_to_string(directory.join("info/alternates")).unwrap_or_default();
        let lines = alternates.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        waiting.extend(lines.map(|line| directory.join(line)));
        found.push(directory);
    }
    found
}

/// The tree of one commit, read through objects.
#[derive(Debug)]
pub struct TreeSource {
    objects: Arc<Objects>,
    entries: Vec<Entry>,
    blobs: HashMap<RepoPath, Oid>,
    submodules: Vec<String>,
    links: Vec<RepoPath>,
    unnameable: usize,
}

impl TreeSource {
    pub(super) fn open(objects: &Arc<Objects>, commit: &CommitId) -> Result<Self, GitError> {
        let id = commit.oid()?;
        let mut source = Self {
            objects: Arc::clone(objects),
            entries: vec![],
            blobs: HashMap::new(),
            submodules: vec![],
            links: vec![],
            unnameable: 0,
        };
        objects.with(|repository| source.list(repository, id))?;
        source.entries.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(source)
    }

    /// The paths of submodules, whose content is not here.
    #[must_use]
    pub fn submodules(&self) -> &[String] {
        &self.submodules
    }

    /// How many files have names that no [`RepoPath`] can hold (backslashes, control characters, not UTF-8).
    #[must_use]
    pub fn unnameable(&self) -> usize {
        self.unnameable
    }

    /// The bytes of a file that is not passed over when it is there: `None` only where nothing has this name.
    ///
    /// # Errors
    /// [`GitError::Unusable`] for a symlink, a submodule, or a file that cannot be read.
    pub fn read_if_any(&self, path: &RepoPath) -> Result<Option<Arc<[u8]>>, GitError> {
        let bytes = self.read(path);
        let taken = || {
            self.blobs.contains_key(path) || self.links.contains(path) || self.submodules.contains(&path.to_string())
        };
        if bytes.is_none() && taken() {
            return Err(GitError::unusable(
                format!("`{path}` is there, and is no file that can be read"),
                &["make it a regular file: no symlink is followed"],
            ));
        }
        Ok(bytes)
    }

    fn list(&mut self, repository: &Repository, commit: Oid) -> Result<(), GitError> {
        let odb = repository.odb()?;
        let tree = repository.find_commit(commit)?.tree()?;
        tree.walk(TreeWalkMode::PreOrder, |directory, entry| {
            let kind = entry.kind();
            let path = entry.name().ok().and_then(|name| RepoPath::new(&format!("{directory}{name}")).ok());
            match (kind, path) {
                (Some(ObjectType::Tree), _) => {}
                (Some(ObjectType::Commit), Some(path)) => self.submodules.push(path.as_str().to_owned()),
                (_, None) => self.unnameable += 1,
                (_, Some(path)) => self.add(&odb, path, entry.id(), entry.filemode()),
            }
            TreeWalkResult::Ok
        })?;
        Ok(())
    }

    fn add(&mut self, odb: &Odb<'_>, path: RepoPath, id: Oid, mode: i32) {
        if mode == i32::from(git2::FileMode::Link) {
            self.links.push(path);
            return;
        }
        // A blob that a partial clone left out has no size and reads as `None`.
        let size = odb.read_header(id).map_or(0, |(size, _)| size as u64);
        let executable = mode == i32::from(git2::FileMode::BlobExecutable);
        self.entries.push(Entry { path: path.clone(), blob: id.to_string(), size, executable });
        self.blobs.insert(path, id);
    }
}

impl Source for TreeSource {
    fn files(&self) -> &[Entry] {
        &self.entries
    }

    fn read(&self, path: &RepoPath) -> Option<Arc<[u8]>> {
        let id = *self.blobs.get(path)?;
        self.objects.with(|repository| Ok(Arc::from(repository.find_blob(id)?.content()))).ok()
    }
}
