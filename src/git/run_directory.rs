//! The directory of one run: made, locked while the run lives, removed with it or by the next one.

use std::fs::{self, DirBuilder, File, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use super::GitError;

/// What our directories are called; nothing else below the root is ever removed.
const PREFIX: &str = "run-";

/// A run's own directory: `repo.git/ tree/ home/ tmp/`. Dropping it removes all of it.
#[derive(Debug)]
pub(super) struct RunDirectory {
    path: PathBuf,
    /// Held for as long as the run lives; the system lets go of it when the process dies, however it dies.
    _lock: File,
}

impl RunDirectory {
    /// Removes what dead runs left below `root`, then makes a fresh directory there.
    pub(super) fn create(root: &Path) -> Result<Self, GitError> {
        fs::create_dir_all(root).map_err(GitError::io(root))?;
        let root = root.canonicalize().map_err(GitError::io(root))?;
        // Held while looking and making, so that nobody takes a directory without its lock for a dead one.
        let gate = open_lock(&root.join("lock"))?;
        gate.lock().map_err(GitError::io(root.join("lock")))?;
        remove_dead(&root);
        let path = fresh(&root)?;
        let lock = open_lock(&path.join("lock"))?;
        lock.lock().map_err(GitError::io(path.join("lock")))?;
        for name in ["repo.git", "tree", "home", "tmp"] {
            let inner = path.join(name);
            fs::create_dir(&inner).map_err(GitError::io(&inner))?;
        }
        Ok(Self { path, _lock: lock })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for RunDirectory {
    fn drop(&mut self) {
        // What cannot be removed now is tried again by the next run.
        drop(remove(&self.path));
    }
}

fn open_lock(path: &Path) -> Result<File, GitError> {
    File::options().create(true).truncate(false).write(true).open(path).map_err(GitError::io(path))
}

fn fresh(root: &Path) -> Result<PathBuf, GitError> {
    let mut count = 0_u32;
    loop {
        let path = root.join(format!("{PREFIX}{}-{count}", std::process::id()));
        // Others may pass through, as the run's own unprivileged user must, but not look around.
        match DirBuilder::new().mode(0o711).create(&path) {
            Ok(()) => return Ok(path),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => count += 1,
            Err(error) => return Err(GitError::Io { path, source: error }),
        }
    }
}

fn remove_dead(root: &Path) {
    let Ok(entries) = fs::read_dir(root) else { return };
    for entry in entries.flatten() {
        let ours = entry.file_name().to_string_lossy().starts_with(PREFIX);
        if !ours || !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            continue;
        }
        let lock = File::options().write(true).open(entry.path().join("lock"));
        let alive = lock.as_ref().is_ok_and(|lock| lock.try_lock().is_err());
        if !alive {
            drop(remove(&entry.path()));
        }
    }
}

/// Removes a directory whatever modes its parts have; never follows a symlink.
pub(super) fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            open_up(path);
            fs::remove_dir_all(path)
        }
        other => other,
    }
}

/// Gives the owner access to every directory below.
fn open_up(directory: &Path) {
    drop(fs::set_permissions(directory, Permissions::from_mode(0o700)));
    let Ok(entries) = fs::read_dir(directory) else { return };
    for entry in entries.flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            open_up(&entry.path());
        }
    }
}
