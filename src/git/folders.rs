//! Repositories of our own making, and plain folders: what the demo lays and what the gate compares.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use super::program::Call;
use super::{Git, GitError};
use crate::change::{File, FileChange, Mode};
use crate::ids::RepoPath;
use crate::journal::Journal;

impl Git {
    /// Makes an empty repository of `directory`, with `main` as its branch.
    ///
    /// # Errors
    /// [`GitError`].
    pub async fn start_repository(&self, directory: &Path, journal: &Journal) -> Result<(), GitError> {
        self.expect(Call::new(&["init", "--quiet", "--initial-branch=main"], directory), journal).await.map(drop)
    }

    /// Commits everything in the work tree of a repository of our own.
    ///
    /// # Errors
    /// [`GitError`].
    pub async fn commit_all(&self, directory: &Path, message: &str, journal: &Journal) -> Result<(), GitError> {
        self.expect(Call::new(&["add", "--all"], directory), journal).await?;
        let words =
            ["-c", "user.name=unbreak", "-c", "user.email=unbreak@localhost", "commit", "--quiet", "-m", message];
        self.expect(Call::new(&words, directory), journal).await.map(drop)
    }
}

/// What lies between two plain folders; a `.git` in them is passed over, and links are not followed.
///
/// # Errors
/// [`GitError::Io`] for what cannot be read.
pub fn between_folders(base: &Path, head: &Path) -> Result<Vec<FileChange>, GitError> {
    let (mut before, mut after) = (read(base)?, read(head)?);
    let paths: std::collections::BTreeSet<RepoPath> = before.keys().chain(after.keys()).cloned().collect();
    let pairs = paths.into_iter().map(|path| {
        let (before, after) = (before.remove(&path), after.remove(&path));
        FileChange { path, before, after }
    });
    Ok(pairs.filter(|change| change.before != change.after).collect())
}

fn read(root: &Path) -> Result<BTreeMap<RepoPath, File>, GitError> {
    let mut files = BTreeMap::new();
    let mut open = vec![root.to_owned()];
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(&directory).map_err(GitError::io(&directory))? {
            let path = entry.map_err(GitError::io(&directory))?.path();
            let metadata = fs::symlink_metadata(&path).map_err(GitError::io(&path))?;
            let inside = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().into_owned();
            if metadata.is_dir() && !path.ends_with(".git") {
                open.push(path);
                continue;
            }
            // What is no path of a repository (a name with a backslash, say) cannot be one of its files.
            let Ok(name) = RepoPath::new(&inside) else { continue };
            if metadata.is_symlink() {
                let target = fs::read_link(&path).map_err(GitError::io(&path))?;
                let bytes = target.to_string_lossy().into_owned().into_bytes();
                files.insert(name, File { bytes, mode: Mode::Symlink });
            } else if metadata.is_file() {
                let bytes = fs::read(&path).map_err(GitError::io(&path))?;
                let executable = metadata.permissions().mode() & 0o111 != 0;
                let mode = if executable { Mode::Executable } else { Mode::Regular };
                files.insert(name, File { bytes, mode });
            }
        }
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_compared_file_by_file_and_links_are_not_followed() {
        let (base, head) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::write(base.path().join("same"), "1").unwrap();
        fs::write(head.path().join("same"), "1").unwrap();
        fs::create_dir(head.path().join("d")).unwrap();
        fs::write(head.path().join("d/new"), "2").unwrap();
        fs::write(base.path().join("gone"), "3").unwrap();
        std::os::unix::fs::symlink("/etc", head.path().join("link")).unwrap();
        let changes = between_folders(base.path(), head.path()).unwrap();
        let seen: Vec<(&str, bool, Option<Mode>)> = changes
            .iter()
            .map(|it| (it.path.as_str(), it.before.is_some(), it.after.as_ref().map(|file| file.mode)))
            .collect();
        let expected =
            [("d/new", false, Some(Mode::Regular)), ("gone", true, None), ("link", false, Some(Mode::Symlink))];
        assert_eq!(seen, expected);
    }
}
