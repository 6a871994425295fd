//! A repository of our own between the forge and the scratch repository: commits come in by fetch or by bundle, and the
//! one commit of a proposal goes out by push. Its work tree is empty, and it has no force.
//!
//! Its only refs are `refs/unbreak/tips/ID`, one for each commit that was brought in: they keep the commits, and no
//! name from outside is ever one of them.

mod bundle;
mod commit;
mod patch;
mod push;
mod shallow;
mod wire;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use commit::{Described, NewCommit};
pub use push::PushError;

use super::objects::Objects;
use super::program::{Call, Input};
use super::{Git, GitError, TreeSource};
use crate::change::FileChange;
use crate::ids::CommitSha;
use crate::journal::Journal;

/// A repository of our own without files.
#[derive(Debug)]
pub struct Depot {
    git: Git,
    directory: PathBuf,
    objects: Arc<Objects>,
}

impl Depot {
    /// An empty one in `directory`, which is made, or is empty. Whoever made the directory removes it.
    ///
    /// # Errors
    /// [`GitError`]; [`GitError::Unusable`] for a directory that holds something.
    pub async fn create(git: &Git, directory: &Path, journal: &Journal) -> Result<Self, GitError> {
        std::fs::create_dir_all(directory).map_err(GitError::io(directory))?;
        let directory = directory.canonicalize().map_err(GitError::io(directory))?;
        let mut inside = std::fs::read_dir(&directory).map_err(GitError::io(&directory))?;
        if inside.next().is_some() {
            let message = format!("`{}` is not empty", directory.display());
            return Err(GitError::unusable(message, &["name a directory that does not exist yet"]));
        }
        // No template: those of the machine may hold hooks and configuration.
        let args = ["init", "--quiet", "--template=", "--object-format=sha1", "--initial-branch=main"];
        git.expect(Call::new(&args, &directory), journal).await?;
        let objects = Arc::new(Objects::of_repository(directory.join(".git")));
        Ok(Self { git: git.clone(), directory, objects })
    }

    /// Where it lies: `Checkout::open` takes it as a repository whose HEAD is what [`Self::set_head`] said.
    #[must_use]
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Whether a commit is here.
    #[must_use]
    pub fn has(&self, commit: &CommitSha) -> bool {
        self.objects.with(|repository| Ok(commit::raw(repository, commit)?)).is_ok()
    }

    /// Makes a commit HEAD, without a branch.
    ///
    /// # Errors
    /// [`GitError`]; [`GitError::Unusable`] for a commit that is not here.
    pub fn set_head(&self, commit: &CommitSha) -> Result<(), GitError> {
        self.demand(commit)?;
        let (head, fresh) = (self.git_dir().join("HEAD"), self.git_dir().join("HEAD.fresh"));
        std::fs::write(&fresh, format!("{commit}\n")).map_err(GitError::io(&fresh))?;
        std::fs::rename(&fresh, &head).map_err(GitError::io(&head))
    }

    /// The tree of a commit.
    ///
    /// # Errors
    /// [`GitError`].
    pub fn source(&self, commit: &CommitSha) -> Result<TreeSource, GitError> {
        self.demand(commit)?;
        TreeSource::open(&self.objects, &commit.into())
    }

    /// What lies between two commits, file by file.
    ///
    /// # Errors
    /// [`GitError`].
    pub fn changes(&self, from: &CommitSha, to: &CommitSha) -> Result<Vec<FileChange>, GitError> {
        self.demand(from)?;
        self.demand(to)?;
        self.objects.changes(&from.into(), &to.into())
    }

    fn demand(&self, commit: &CommitSha) -> Result<(), GitError> {
        if self.has(commit) {
            return Ok(());
        }
        Err(GitError::unusable(format!("commit {commit} is not here"), &["fetch it first, with more history"]))
    }

    fn git_dir(&self) -> PathBuf {
        self.directory.join(".git")
    }

    /// Keeps commits that are here.
    async fn keep(&self, commits: impl Iterator<Item = &CommitSha>, journal: &Journal) -> Result<(), GitError> {
        let mut lines = String::new();
        for commit in commits {
            // Writing to a String cannot fail.
            let _ = writeln!(lines, "update {} {commit}", kept(commit));
        }
        let args = ["update-ref", "--stdin"];
        let call = Call { input: Input::Bytes(lines.as_bytes()), ..Call::new(&args, &self.directory) };
        self.git.expect(call, journal).await.map(drop)
    }
}

/// The ref that keeps a commit.
fn kept(commit: &CommitSha) -> String {
    format!("refs/unbreak/tips/{commit}")
}
