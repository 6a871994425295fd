//! A patch becomes a commit, without a work tree.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use git2::Oid;

use super::super::checkout::text;
use super::super::program::{Call, Input};
use super::super::{GitError, scratch, transport};
use super::Depot;
use crate::ids::CommitSha;
use crate::journal::Journal;

/// Names that some file systems take for `.git` are no names of files here either.
const STRICT: [&str; 2] = ["core.protectHFS=true", "core.protectNTFS=true"];

/// The most that git takes at once while it works on a patch: a few kilobytes can say that they are many gigabytes.
const MEMORY: (&str, &str) = ("GIT_ALLOC_LIMIT", "256m");
/// How long a patch may keep us busy.
const LONGEST: Duration = Duration::from_mins(5);

impl Depot {
    /// The commit that a patch makes of `base`, by its tree; `base` is its parent and nothing refers to it. An empty
    /// patch changes nothing. Line ends and blanks are taken as they stand.
    ///
    /// # Errors
    /// [`GitError`]; [`GitError::Unusable`] when the patch does not apply, or names a path outside of the tree.
    pub async fn apply(&self, base: &CommitSha, patch: &[u8], journal: &Journal) -> Result<CommitSha, GitError> {
        self.demand(base)?;
        let index = Index::fresh(&self.git_dir());
        let (git_dir, options) = (self.git_dir(), STRICT.map(str::to_owned));
        let memory = [(MEMORY.0.to_owned(), MEMORY.1.to_owned())];
        let on = Call {
            index: Some(&index.0),
            options: &options,
            ..Call::new(&[], &self.directory).on(&git_dir, &self.directory)
        };
        self.git.expect(Call { args: &["read-tree", base.as_str()], ..on }, journal).await?;
        if !patch.trim_ascii().is_empty() {
            let args = ["apply", "--cached", "--whitespace=nowarn", "-"];
            let printed = self
                .git
                .run(
                    Call { args: &args, input: Input::Bytes(patch), variables: &memory, limit: Some(LONGEST), ..on },
                    journal,
                )
                .await?;
            if !printed.success {
                let why = transport::clean(printed.stderr.lines());
                let message = format!("the patch does not apply to commit {base}: {why}");
                return Err(GitError::unusable(message, &["make the patch again, from that commit"]));
            }
        }
        let tree = text(&self.git.expect(Call { args: &["write-tree"], ..on }, journal).await?);
        let made = self
            .objects
            .with(|repository| Ok(scratch::commit(repository, &base.into(), Oid::from_str(&tree)?, "a patch")?))?;
        super::commit::made(made.oid()?)
    }
}

/// An index for one patch; dropping it removes it.
struct Index(PathBuf);

impl Index {
    fn fresh(git_dir: &Path) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        Self(git_dir.join(format!("patch-index-{}", COUNT.fetch_add(1, Ordering::Relaxed))))
    }
}

impl Drop for Index {
    fn drop(&mut self) {
        for path in [self.0.clone(), self.0.with_extension("lock")] {
            // It lies in a directory that its owner removes as a whole.
            drop(fs::remove_file(path));
        }
    }
}
