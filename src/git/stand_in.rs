//! The repository that commands in a scratch tree see: theirs to write, and never read by us.
//!
//! Build scripts install hooks, and tests commit. In the scratch repository itself they could plant configuration that
//! our own git, outside of the walls, would then obey. So they get one of their own that borrows all objects, laid
//! afresh with each reset.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use super::{CommitId, GitError};

const CONFIG: &str = "[core]\n\trepositoryformatversion = 0\n\tbare = false\n[gc]\n\tauto = 0\n";

/// Lays it into `tree` in place of what is there: HEAD at `commit`, with the tags and the index of `git_dir`.
///
/// No command may be running in the tree. What one planted there is removed and never followed.
pub(super) fn lay(git_dir: &Path, tree: &Path, commit: &CommitId) -> Result<(), GitError> {
    let inner = tree.join(".git");
    let removed = match fs::symlink_metadata(&inner) {
        Ok(found) if found.is_dir() => fs::remove_dir_all(&inner),
        Ok(_) => fs::remove_file(&inner),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    };
    // A plain creation next: it fails where anything is left, so that nothing is written through a link.
    removed.and_then(|()| fs::create_dir(&inner)).map_err(GitError::io(&inner))?;
    for directory in ["objects/info", "objects/pack", "refs/heads", "refs/tags", "info", "hooks"] {
        let directory = inner.join(directory);
        fs::create_dir_all(&directory).map_err(GitError::io(&directory))?;
    }
    let borrowed = git_dir.join("objects/info/alternates");
    let mut alternates = git_dir.join("objects").into_os_string().into_encoded_bytes();
    alternates.push(b'\n');
    alternates.extend(fs::read(&borrowed).map_err(GitError::io(&borrowed))?);
    let head = format!("{}\n", commit.0).into_bytes();
    for (name, bytes) in
        [("HEAD", head), ("config", CONFIG.as_bytes().to_vec()), ("objects/info/alternates", alternates)]
    {
        let path = inner.join(name);
        fs::write(&path, bytes).map_err(GitError::io(&path))?;
    }
    for name in ["packed-refs", "shallow", "index"] {
        let (from, to) = (git_dir.join(name), inner.join(name));
        if from.exists() {
            fs::copy(&from, &to).map_err(GitError::io(&to))?;
        }
    }
    Ok(())
}
