//! The user's repository: found, described and read, never written but by [`Checkout::apply`].

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::objects::{Objects, TreeSource, object_directories};
use super::program::{Call, Git};
use super::{CommitId, GitError};
use crate::journal::Journal;

/// Settings that say what a work tree's files look like; the only ones that are carried over.
const CARRIED: &[&str] = &["core.filemode", "core.symlinks", "core.ignorecase", "core.autocrlf", "core.eol"];

const PARTIAL: &str = "the checkout is a partial clone: files that were never fetched cannot be read";

/// The user's repository: read, never written.
#[derive(Debug, Clone)]
pub struct Checkout {
    /// The root of its work tree.
    pub root: PathBuf,
    /// The full id of HEAD.
    pub head: String,
    /// What a reader should know about it: shallow, sparse, partial.
    pub notes: Vec<String>,
    pub(super) git: Git,
    /// Its own directory: for a linked worktree or a submodule not `.git`.
    pub(super) git_dir: PathBuf,
    /// Where objects and refs are; shared between linked worktrees.
    pub(super) common_dir: PathBuf,
    /// Whether objects may be missing that the remote promised.
    pub(super) partial: bool,
    /// `name=value` of [`CARRIED`].
    pub(super) carried: Vec<String>,
}

impl Checkout {
    /// Finds the repository that holds `directory`: a plain one, a linked worktree or a submodule, whoever owns it.
    ///
    /// # Errors
    /// [`GitError::Unusable`] for no repository, a bare one, or one without commits.
    pub async fn open(git: &Git, directory: &Path, journal: &Journal) -> Result<Self, GitError> {
        if !directory.is_dir() {
            let message = format!("`{}` is no directory", directory.display());
            return Err(GitError::unusable(message, &["name the directory of a git work tree with --repo"]));
        }
        let (git_dir, common_dir, root) = places(git, directory, journal).await?;
        let verify = ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"];
        let head = git.run(Call::new(&verify, directory), journal).await?;
        if !head.success {
            let message = format!("`{}` has no commits yet", root.display());
            return Err(GitError::unusable(message, &["commit what there is: git add -A && git commit"]));
        }
        let config = git.expect(Call::new(&["config", "--list", "-z"], directory), journal).await?;
        let (carried, mut notes) = settings(&String::from_utf8_lossy(&config));
        let partial = notes.iter().any(|note| note == PARTIAL);
        if common_dir.join("shallow").exists() {
            notes.push("the checkout is shallow: history before its first commits is missing".to_owned());
        }
        let head = text(&head.stdout);
        Ok(Self { root, head, notes, git: git.clone(), git_dir, common_dir, partial, carried })
    }

    /// The full id of the commit that a revision names.
    ///
    /// # Errors
    /// [`GitError::Unusable`] for an unknown revision.
    pub async fn resolve(&self, revision: &str, journal: &Journal) -> Result<CommitId, GitError> {
        let commit = format!("{revision}^{{commit}}");
        let args = ["rev-parse", "--verify", "--quiet", "--end-of-options", &commit];
        let printed = self.git.run(Call::new(&args, &self.root), journal).await?;
        let id = CommitId(text(&printed.stdout));
        if printed.success && !revision.is_empty() && id.oid().is_ok() {
            return Ok(id);
        }
        let message = format!("`{revision}` is no commit of `{}`", self.root.display());
        Err(GitError::unusable(message, &["see `git log --oneline`; in a shallow clone fetch more history first"]))
    }

    /// The tree of a revision, for reading policy and rule files without a scratch repository.
    ///
    /// # Errors
    /// [`GitError::Unusable`] for an unknown revision.
    pub async fn source(&self, revision: &str, journal: &Journal) -> Result<TreeSource, GitError> {
        let commit = self.resolve(revision, journal).await?;
        TreeSource::open(&Arc::new(Objects::of_directories(object_directories(&self.common_dir))), &commit)
    }

    /// Whether an ignore rule of the repository covers a path.
    ///
    /// # Errors
    /// [`GitError`].
    pub async fn ignores(&self, path: &Path, journal: &Journal) -> Result<bool, GitError> {
        let path = path.to_string_lossy();
        let args = ["check-ignore", "--quiet", "--no-index", "--", &*path];
        Ok(self.git.run(Call::new(&args, &self.root), journal).await?.success)
    }

    /// Untracked files that no ignore rule of the repository covers: what a run leaves out.
    ///
    /// # Errors
    /// [`GitError`].
    pub async fn untracked(&self, journal: &Journal) -> Result<Vec<String>, GitError> {
        let args = ["ls-files", "--others", "--exclude-standard", "-z"];
        let printed = self.git.expect(Call::new(&args, &self.root), journal).await?;
        let names = printed.split(|byte| *byte == 0).filter(|name| !name.is_empty());
        Ok(names.map(|name| String::from_utf8_lossy(name).into_owned()).collect())
    }
}

/// The git directory, the common directory and the root of the work tree.
async fn places(git: &Git, directory: &Path, journal: &Journal) -> Result<(PathBuf, PathBuf, PathBuf), GitError> {
    let args = [
        "rev-parse",
        "--path-format=absolute",
        "--is-bare-repository",
        "--show-object-format",
        "--git-dir",
        "--git-common-dir",
        "--show-toplevel",
    ];
    let found = git.run(Call::new(&args, directory), journal).await?;
    let printed = String::from_utf8_lossy(&found.stdout).into_owned();
    let lines: Vec<&str> = printed.lines().collect();
    let shown = directory.display();
    match lines.as_slice() {
        [_, "sha1", git_dir, common_dir, root] if found.success => {
            Ok((PathBuf::from(git_dir), PathBuf::from(common_dir), PathBuf::from(root)))
        }
        [_, "sha1", _, _, _, ..] if found.success => {
            Err(GitError::unusable(format!("the path of `{shown}` holds a line break"), &["move it elsewhere"]))
        }
        [_, format, ..] if *format != "sha1" => Err(GitError::unusable(
            format!("`{shown}` names its objects by {format}, which is not supported"),
            &["only repositories with SHA-1 object names can be worked on"],
        )),
        ["true", ..] => Err(GitError::unusable(
            format!("`{shown}` is a bare repository: it has no files to work on"),
            &["clone it and run there: git clone PATH"],
        )),
        ["false", ..] => Err(GitError::unusable(
            format!("`{shown}` lies inside a git directory, not in a work tree"),
            &["run in the directory that holds the files"],
        )),
        _ => Err(GitError::unusable(
            format!("`{shown}` is not inside a git repository ({})", found.stderr.trim()),
            &["run inside a repository, or name one with --repo", "make one: git init && git add -A && git commit"],
        )),
    }
}

/// The carried settings and the notes that a configuration listing (`name LF value NUL`) gives rise to.
fn settings(listing: &str) -> (Vec<String>, Vec<String>) {
    let mut carried = Vec::new();
    let mut notes = Vec::new();
    for record in listing.split('\0') {
        let (name, value) = record.split_once('\n').unwrap_or((record, "true"));
        if CARRIED.contains(&name) {
            carried.push(format!("{name}={value}"));
        } else if name == "core.sparsecheckout" && value == "true" {
            notes.push("the checkout is sparse: the run works on the whole tree".to_owned());
        } else if name == "extensions.partialclone" || (name.starts_with("remote.") && name.ends_with(".promisor")) {
            notes.push(PARTIAL.to_owned());
        }
    }
    notes.dedup();
    (carried, notes)
}

pub(super) fn text(printed: &[u8]) -> String {
    String::from_utf8_lossy(printed).trim().to_owned()
}
