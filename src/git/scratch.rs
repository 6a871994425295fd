//! A repository and a work tree of our own, laid over the checkout's objects.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, lchown};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use git2::build::TreeUpdateBuilder;
use git2::{FileMode, Oid, Repository, Signature, TreeWalkMode, TreeWalkResult};

use super::checkout::text;
use super::objects::{Objects, TreeSource, object_directories};
use super::program::{Call, Input};
use super::run_directory::RunDirectory;
use super::{Base, Checkout, CommitId, GitError, stand_in};
use crate::change::{FileChange, Mode};
use crate::ids::RepoPath;
use crate::journal::Journal;
use crate::lease;
use crate::source::Source as _;

/// A scratch repository with a work tree of its own; dropping it removes both.
#[derive(Debug)]
pub struct Scratch {
    pub(super) checkout: Checkout,
    pub(super) objects: Arc<Objects>,
    base: CommitId,
    notes: Vec<String>,
    // Last: what lies in it is let go of first.
    directory: RunDirectory,
}

impl Scratch {
    /// Lays a scratch repository below `root`, after removing what dead runs left there.
    ///
    /// # Errors
    /// [`GitError`].
    pub async fn create(checkout: &Checkout, root: &Path, base: Base, journal: &Journal) -> Result<Self, GitError> {
        let directory = RunDirectory::create(root)?;
        let git_dir = directory.path().join("repo.git");
        lay(&git_dir, &directory.path().join("tree"), checkout, journal).await?;
        let head = CommitId(checkout.head.clone());
        let objects = Arc::new(Objects::of_repository(git_dir));
        let notes = checkout.notes.clone();
        let mut scratch = Self { checkout: checkout.clone(), objects, base: head.clone(), notes, directory };
        if base == Base::WorkTree {
            scratch.base = scratch.uncommitted(&head, journal).await?;
        }
        scratch.reset(&scratch.base(), journal).await.map_err(|error| incomplete(checkout, error))?;
        scratch.describe()?;
        Ok(scratch)
    }

    /// The run's own directory: `repo.git/`, `tree/`, and `home/` and `tmp/` for its commands.
    #[must_use]
    pub fn directory(&self) -> &Path {
        self.directory.path()
    }

    /// The work tree that commands run in.
    #[must_use]
    pub fn tree(&self) -> PathBuf {
        self.directory().join("tree")
    }

    /// What commands in the tree may read so that `git` answers there (versions are often derived from tags):
    /// the scratch repository and the object directories that it borrows from. The repository in the tree itself
    /// borrows from both, and is theirs to write.
    #[must_use]
    pub fn readable(&self) -> Vec<PathBuf> {
        let mut directories = vec![self.git_dir()];
        directories.extend(object_directories(&self.checkout.common_dir));
        directories
    }

    /// Variables for commands in the tree: `git` there trusts the tree though another user may own it.
    #[must_use]
    pub fn environment() -> BTreeMap<String, String> {
        [
            ("GIT_CONFIG_COUNT", "1"),
            ("GIT_CONFIG_KEY_0", "safe.directory"),
            ("GIT_CONFIG_VALUE_0", "*"),
            ("GIT_TERMINAL_PROMPT", "0"),
        ]
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect()
    }

    /// What a reader should know about the tree: submodules and large files that are not there, a shallow history.
    #[must_use]
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The first snapshot: what every candidate is compared with. HEAD itself when nothing is uncommitted.
    #[must_use]
    pub fn base(&self) -> CommitId {
        self.base.clone()
    }

    /// The tree of a snapshot.
    ///
    /// # Errors
    /// [`GitError`].
    pub fn source(&self, commit: &CommitId) -> Result<TreeSource, GitError> {
        TreeSource::open(&self.objects, commit)
    }

    /// A snapshot of `changes` over `parent`, built from objects alone.
    ///
    /// # Errors
    /// [`GitError`].
    pub fn snapshot(&self, parent: &CommitId, changes: &[FileChange], message: &str) -> Result<CommitId, GitError> {
        self.objects.with(|repository| {
            let tree = repository.find_commit(parent.oid()?)?.tree()?;
            // What goes, goes first: a file may make room for a directory of its name.
            let mut removal = TreeUpdateBuilder::new();
            for change in changes.iter().filter(|change| change.after.is_none()) {
                removal.remove(change.path.as_str());
            }
            let tree = repository.find_tree(removal.create_updated(repository, &tree)?)?;
            let mut update = TreeUpdateBuilder::new();
            for change in changes {
                let Some(file) = &change.after else { continue };
                let id = match file.mode {
                    Mode::Submodule => CommitId(text(&file.bytes)).oid()?,
                    _ => repository.blob(&file.bytes)?,
                };
                update.upsert(change.path.as_str(), id, filemode(file.mode));
            }
            let tree = update.create_updated(repository, &tree)?;
            Ok(commit(repository, parent, tree, message)?)
        })
    }

    /// A snapshot of the tracked files as they stand in the work tree (after a fixer ran there).
    ///
    /// # Errors
    /// [`GitError`].
    pub async fn capture(&self, parent: &CommitId, message: &str, journal: &Journal) -> Result<CommitId, GitError> {
        self.capture_with(parent, &[], message, journal).await
    }

    /// The same, with `new` files that are not tracked yet; those that do not exist are left out.
    ///
    /// # Errors
    /// [`GitError`].
    pub async fn capture_with(
        &self,
        parent: &CommitId,
        new: &[RepoPath],
        message: &str,
        journal: &Journal,
    ) -> Result<CommitId, GitError> {
        self.git(&["add", "--update"], &[], journal).await?;
        if !new.is_empty() {
            let mut names = String::new();
            for path in new {
                let _ = write!(names, "{path}\0");
            }
            self.git(&["update-index", "--add", "--remove", "-z", "--stdin"], names.as_bytes(), journal).await?;
        }
        let tree = text(&self.git(&["write-tree"], &[], journal).await?);
        self.objects.with(|repository| Ok(commit(repository, parent, Oid::from_str(&tree)?, message)?))
    }

    /// Makes the work tree's tracked files those of `commit`; untracked files (build output) stay. Planted
    /// symlinks are replaced, not followed; no hook and no filter runs.
    ///
    /// # Errors
    /// [`GitError`].
    pub async fn reset(&self, commit: &CommitId, journal: &Journal) -> Result<(), GitError> {
        // Without this git writes every file whose owner or inode changed afresh, and builds start from nothing.
        // It fails when files differ, which is what the next call is for.
        let (git_dir, tree) = (self.git_dir(), self.tree());
        // A command may have shut its own directory to everyone.
        fs::set_permissions(&tree, fs::Permissions::from_mode(0o755)).map_err(GitError::io(&tree))?;
        let refresh = ["update-index", "-q", "--refresh"];
        self.checkout.git.run(Call::new(&refresh, &tree).on(&git_dir, &tree), journal).await?;
        self.git(&["reset", "--hard", "--quiet", &commit.0], &[], journal).await?;
        stand_in::lay(&git_dir, &tree, commit)?;
        self.give_away(commit)
    }

    /// Takes away everything that commands left: untracked and ignored files, their home, their private environment.
    ///
    /// # Errors
    /// [`GitError`].
    pub async fn wipe(&self, journal: &Journal) -> Result<(), GitError> {
        self.git(&["clean", "-ffdx", "--quiet"], &[], journal).await?;
        for name in ["env", "home", "reports"] {
            let directory = self.directory().join(name);
            if fs::symlink_metadata(&directory).is_ok() {
                lease::remove(&directory).map_err(GitError::io(&directory))?;
            }
            fs::create_dir(&directory).map_err(GitError::io(&directory))?;
        }
        Ok(())
    }

    /// Where a tree belongs to another user than us (commands run as one), the files that we wrote become theirs:
    /// tools that write in place could not change them otherwise.
    fn give_away(&self, commit: &CommitId) -> Result<(), GitError> {
        let tree = self.tree();
        let owner = fs::symlink_metadata(&tree).map_err(GitError::io(&tree))?;
        let us = nix::unistd::geteuid();
        if owner.uid() == us.as_raw() || !us.is_root() {
            return Ok(());
        }
        self.objects.with(|repository| {
            let objects = repository.find_commit(commit.oid()?)?.tree()?;
            objects.walk(TreeWalkMode::PreOrder, |directory, entry| {
                let name = std::ffi::OsStr::from_bytes(entry.name_bytes());
                let path = tree.join(directory).join(name);
                if fs::symlink_metadata(&path).is_ok_and(|found| found.uid() != owner.uid()) {
                    // A file that stays ours can still be read; the command that must write it will say so.
                    drop(lchown(&path, Some(owner.uid()), Some(owner.gid())));
                }
                TreeWalkResult::Ok
            })?;
            Ok(())
        })
    }

    fn git_dir(&self) -> PathBuf {
        self.directory().join("repo.git")
    }

    async fn git(&self, args: &[&str], input: &[u8], journal: &Journal) -> Result<Vec<u8>, GitError> {
        let (git_dir, tree) = (self.git_dir(), self.tree());
        // Submodules are never looked into: what stands there was not checked out by us.
        let options = ["diff.ignoreSubmodules=all".to_owned()];
        let call = Call { input: Input::Bytes(input), options: &options, ..Call::new(args, &tree).on(&git_dir, &tree) };
        self.checkout.git.expect(call, journal).await
    }

    /// HEAD plus the tracked files as they stand in the checkout, through a copy of its index: staged additions,
    /// deletions and renames are in it, and the checkout's own index is not touched.
    async fn uncommitted(&self, head: &CommitId, journal: &Journal) -> Result<CommitId, GitError> {
        let git_dir = self.git_dir();
        let index = git_dir.join("checkout-index");
        if !copy_index(&self.checkout.git_dir, &git_dir, &index)? {
            return Ok(head.clone());
        }
        let root = self.checkout.root.as_path();
        let on = |args| Call {
            index: Some(&index),
            options: &self.checkout.carried,
            ..Call::new(args, root).on(&git_dir, root)
        };
        self.checkout.git.expect(on(&["add", "--update"]), journal).await?;
        let tree = text(&self.checkout.git.expect(on(&["write-tree"]), journal).await?);
        fs::remove_file(&index).map_err(GitError::io(&index))?;
        self.objects.with(|repository| {
            let tree = Oid::from_str(&tree)?;
            if repository.find_commit(head.oid()?)?.tree_id() == tree {
                return Ok(head.clone());
            }
            Ok(commit(repository, head, tree, "uncommitted changes")?)
        })
    }

    /// Notes what the tree lacks.
    fn describe(&mut self) -> Result<(), GitError> {
        let source = self.source(&self.base)?;
        if !source.submodules().is_empty() {
            let names = source.submodules().join(", ");
            self.notes.push(format!("submodules are left empty: {names}"));
        }
        let attributes = source.files().iter().filter(|entry| entry.path.file_name() == ".gitattributes");
        if attributes.filter_map(|entry| source.text(&entry.path)).any(|text| text.contains("filter=lfs")) {
            self.notes.push("files kept in Git LFS stand as pointers, not as their content".to_owned());
        }
        if source.unnameable() > 0 {
            let count = source.unnameable();
            self.notes.push(format!("{count} files have names with backslashes or control characters: not looked at"));
        }
        Ok(())
    }
}

/// What a failed first checkout means where objects may be missing.
fn incomplete(checkout: &Checkout, error: GitError) -> GitError {
    if !checkout.partial {
        return error;
    }
    let message =
        format!("`{}` is a partial clone that lacks files of its own HEAD ({error})", checkout.root.display());
    GitError::unusable(message, &["fetch them: git sparse-checkout disable", "or clone without --filter"])
}

/// Writes an empty repository that borrows the checkout's objects and knows its HEAD and tags.
async fn lay(git_dir: &Path, tree: &Path, checkout: &Checkout, journal: &Journal) -> Result<(), GitError> {
    for inner in ["objects/info", "objects/pack", "refs/heads", "refs/tags"] {
        let inner = git_dir.join(inner);
        fs::create_dir_all(&inner).map_err(GitError::io(&inner))?;
    }
    let tags = ["for-each-ref", "--format=%(objectname) %(refname)", "--sort=refname", "refs/tags"];
    let tags = checkout.git.expect(Call::new(&tags, &checkout.root), journal).await?;
    let mut alternates = Vec::new();
    for directory in object_directories(&checkout.common_dir) {
        alternates.extend_from_slice(directory.as_os_str().as_bytes());
        alternates.push(b'\n');
    }
    let worktree = tree.to_string_lossy().replace('\\', "\\\\").replace('"', "\\\"");
    let config = format!(
        "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tlogAllRefUpdates = false\n\tworktree = \"{worktree}\"\n"
    );
    let shallow = fs::read(checkout.common_dir.join("shallow")).ok();
    let files: [(PathBuf, Option<Vec<u8>>); 5] = [
        (git_dir.join("HEAD"), Some(format!("{}\n", checkout.head).into_bytes())),
        (git_dir.join("config"), Some(config.into_bytes())),
        (git_dir.join("packed-refs"), Some(tags)),
        (git_dir.join("objects/info/alternates"), Some(alternates)),
        (git_dir.join("shallow"), shallow),
    ];
    for (path, bytes) in files {
        if let Some(bytes) = bytes {
            fs::write(&path, bytes).map_err(GitError::io(&path))?;
        }
    }
    Ok(())
}

/// Copies the checkout's index with its time stamp, which tells git the entries that it must not trust unread;
/// false when there is none.
fn copy_index(from: &Path, git_dir: &Path, to: &Path) -> Result<bool, GitError> {
    let index = from.join("index");
    if !index.exists() {
        return Ok(false);
    }
    fs::copy(&index, to).map_err(GitError::io(&index))?;
    let changed = fs::metadata(&index).and_then(|found| found.modified()).map_err(GitError::io(&index))?;
    File::options().write(true).open(to).and_then(|file| file.set_modified(changed)).map_err(GitError::io(to))?;
    // A split index keeps most of its entries in a file beside it.
    let beside = fs::read_dir(from).map_err(GitError::io(from))?;
    for entry in beside.flatten().filter(|entry| entry.file_name().as_bytes().starts_with(b"sharedindex.")) {
        fs::copy(entry.path(), git_dir.join(entry.file_name())).map_err(GitError::io(entry.path()))?;
    }
    Ok(true)
}

/// Commits a tree under a fixed name and its parent's time: equal content gives equal ids.
pub(super) fn commit(
    repository: &Repository,
    parent: &CommitId,
    tree: Oid,
    message: &str,
) -> Result<CommitId, git2::Error> {
    let parent = repository.find_commit(parent.oid()?)?;
    let signature = Signature::new("unbreak", "unbreak@localhost", &parent.time())?;
    let tree = repository.find_tree(tree)?;
    repository.commit(None, &signature, &signature, message, &tree, &[&parent]).map(CommitId::from)
}

fn filemode(mode: Mode) -> FileMode {
    match mode {
        Mode::Regular => FileMode::Blob,
        Mode::Executable => FileMode::BlobExecutable,
        Mode::Symlink => FileMode::Link,
        Mode::Submodule => FileMode::Commit,
    }
}
