//! A directory of this process: made under a lock, locked while it is used, removed by its owner or by the next run.

use std::fs::{self, DirBuilder, File, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

/// What our directories are called: a run's, and a job's. Nothing else below a root is ever removed.
const PREFIXES: [&str; 2] = ["run-", "job-"];

/// A directory that is ours for as long as the value lives.
#[derive(Debug)]
pub struct Lease {
    path: PathBuf,
    /// The system lets go of it when the process dies, however it dies.
    _lock: File,
}

/// What a directory is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// One run: `run-PID-N`.
    Run,
    /// One job of a sandbox: `job-PID-N`.
    Job,
}

impl Lease {
    /// Makes a fresh directory below `root`, which is made too. Others may pass through it, as the unprivileged user
    /// of a job must, but not look around.
    ///
    /// # Errors
    /// When the file system refuses.
    pub fn take(root: &Path, purpose: Purpose) -> io::Result<Self> {
        fs::create_dir_all(root)?;
        let _gate = gate(root)?;
        let path = fresh(root, PREFIXES[purpose as usize])?;
        let lock = open_lock(&path.join("lock"))?;
        lock.lock()?;
        Ok(Self { path, _lock: lock })
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// Removes what dead processes left below `root`; what cannot be removed stays for the next time.
pub fn sweep(root: &Path) {
    let Ok(_gate) = gate(root) else { return };
    for entry in fs::read_dir(root).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let ours = PREFIXES.iter().any(|prefix| name.to_string_lossy().starts_with(prefix));
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
///
/// # Errors
/// When something of it stays.
pub fn remove(directory: &Path) -> io::Result<()> {
    match fs::remove_dir_all(directory) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(_) => {
            open_up(directory);
            fs::remove_dir_all(directory)
        }
        Ok(()) => Ok(()),
    }
}

/// Held while looking and making, so that nobody takes a directory without its lock for a dead one.
fn gate(root: &Path) -> io::Result<File> {
    let gate = open_lock(&root.join("lock"))?;
    gate.lock()?;
    Ok(gate)
}

fn open_lock(path: &Path) -> io::Result<File> {
    File::options().create(true).truncate(false).write(true).open(path)
}

fn fresh(root: &Path, prefix: &str) -> io::Result<PathBuf> {
    let mut count = 0_u32;
    loop {
        let path = root.join(format!("{prefix}{}-{count}", std::process::id()));
        match DirBuilder::new().mode(0o711).create(&path) {
            Ok(()) => return Ok(path),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => count += 1,
            Err(error) => return Err(error),
        }
    }
}

/// Gives the owner access to every directory below: tests of permissions leave some that not even he may list.
fn open_up(directory: &Path) {
    drop(fs::set_permissions(directory, Permissions::from_mode(0o700)));
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            open_up(&entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_dead_processes_left_is_removed_and_nothing_else() {
        let root = tempfile::tempdir().unwrap();
        let alive = [Purpose::Run, Purpose::Job].map(|purpose| Lease::take(root.path(), purpose).unwrap());
        let locked = root.path().join("job-1-0/home/locked");
        fs::create_dir_all(&locked).unwrap();
        fs::set_permissions(&locked, Permissions::from_mode(0o000)).unwrap();
        fs::create_dir(root.path().join("run-1-0")).unwrap();
        fs::create_dir(root.path().join("theirs")).unwrap();
        sweep(root.path());
        let left: std::collections::BTreeSet<PathBuf> =
            fs::read_dir(root.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
        let kept = ["lock", "theirs"].map(|name| root.path().join(name));
        let expected = kept.into_iter().chain(alive.iter().map(|lease| lease.path().to_owned())).collect();
        assert_eq!(left, expected);
    }

    #[test]
    fn a_lease_that_was_given_up_is_swept() {
        let root = tempfile::tempdir().unwrap();
        let path = Lease::take(root.path(), Purpose::Job).unwrap().path().to_owned();
        assert!(path.exists());
        sweep(root.path());
        assert!(!path.exists());
    }
}
