//! Writing accepted changes into the user's own files: all or none, and nowhere but there.

use std::ffi::OsString;
use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use super::{Checkout, GitError};
use crate::change::{File, FileChange, Mode};
use crate::ids::RepoPath;

/// One file, checked and ready to be put in its place.
struct Write {
    target: PathBuf,
    /// What stands there, to be put back if a later file fails.
    before: Option<Vec<u8>>,
    permissions: Option<Permissions>,
    /// The new content, written beside the target; `None` deletes.
    fresh: Option<PathBuf>,
}

impl Checkout {
    /// Writes `changes` into the work tree, all or none; refuses where a file differs from its `before`. Line ends
    /// that the work tree keeps as CRLF stay so, permissions stay, and no symlink is followed.
    ///
    /// # Errors
    /// [`GitError::Unusable`] naming the files that changed since, or that cannot be written safely.
    pub fn apply(&self, changes: &[FileChange]) -> Result<(), GitError> {
        let mut refused = Vec::new();
        for change in changes {
            if let Err(why) = self.check(change) {
                refused.push(format!("{}: {why}", change.path));
            }
        }
        if !refused.is_empty() {
            let message = format!("nothing was applied; these files are not as they were:\n  {}", refused.join("\n  "));
            return Err(GitError::unusable(message, &["run again on the files as they are now"]));
        }
        let mut writes = Vec::new();
        let result = changes
            .iter()
            .try_for_each(|change| {
                writes.push(self.prepare(change)?);
                Ok(())
            })
            .and_then(|()| put_in_place(&writes));
        for fresh in writes.iter().filter_map(|write| write.fresh.as_ref()) {
            // Those in their place are gone from here already.
            drop(fs::remove_file(fresh));
        }
        result
    }

    /// Why `change` cannot be applied, in a few words.
    fn check(&self, change: &FileChange) -> Result<(), String> {
        let odd = |file: &File| !matches!(file.mode, Mode::Regular | Mode::Executable);
        if change.before.iter().chain(&change.after).any(odd) {
            return Err("it is a symlink or a submodule".to_owned());
        }
        self.check_parents(&change.path)?;
        let target = self.root.join(change.path.as_str());
        match (&change.before, fs::symlink_metadata(&target)) {
            (None, Err(error)) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            (None, Ok(_)) => Err("it exists already".to_owned()),
            (Some(_), Ok(found)) if !found.is_file() => Err("it is no regular file any more".to_owned()),
            (Some(before), Ok(_)) => match fs::read(&target) {
                Ok(bytes) if same(&bytes, &before.bytes) => Ok(()),
                Ok(_) => Err("its content changed".to_owned()),
                Err(error) => Err(error.to_string()),
            },
            (_, Err(error)) => Err(error.to_string()),
        }
    }

    fn check_parents(&self, path: &RepoPath) -> Result<(), String> {
        let mut directory = self.root.clone();
        let mut parts = path.as_str().split('/').peekable();
        while let Some(part) = parts.next() {
            if part.eq_ignore_ascii_case(".git") {
                return Err("it lies in a git directory".to_owned());
            }
            if parts.peek().is_none() {
                break;
            }
            directory.push(part);
            match fs::symlink_metadata(&directory) {
                Ok(found) if found.is_dir() => {}
                Ok(_) => return Err(format!("`{part}` is no directory")),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error.to_string()),
            }
        }
        Ok(())
    }

    fn prepare(&self, change: &FileChange) -> Result<Write, GitError> {
        let target = self.root.join(change.path.as_str());
        let before = match change.before {
            Some(_) => Some(fs::read(&target).map_err(GitError::io(&target))?),
            None => None,
        };
        let permissions = fs::symlink_metadata(&target).ok().map(|found| found.permissions());
        let mut write = Write { target, before, permissions, fresh: None };
        if let Some(after) = &change.after {
            let fresh = beside(&write.target);
            if let Some(directory) = fresh.parent() {
                fs::create_dir_all(directory).map_err(GitError::io(directory))?;
            }
            let old = change.before.as_ref();
            fs::write(&fresh, write.content(old, after)).map_err(GitError::io(&fresh))?;
            if let Some(permissions) = write.new_permissions(old, after) {
                fs::set_permissions(&fresh, permissions).map_err(GitError::io(&fresh))?;
            }
            write.fresh = Some(fresh);
        }
        Ok(write)
    }
}

impl Write {
    /// The new bytes, with the line ends that the file has in the work tree.
    fn content(&self, before: Option<&File>, after: &File) -> Vec<u8> {
        match (before, &self.before) {
            (Some(before), Some(found)) if before.bytes != *found => with_carriage_returns(&after.bytes),
            _ => after.bytes.clone(),
        }
    }

    fn new_permissions(&self, before: Option<&File>, after: &File) -> Option<Permissions> {
        let executable = after.mode == Mode::Executable;
        match (&self.permissions, before) {
            (Some(permissions), Some(before)) if before.mode == after.mode => Some(permissions.clone()),
            (Some(permissions), _) if !executable => Some(Permissions::from_mode(permissions.mode() & !0o111)),
            (Some(permissions), _) => {
                let readers = permissions.mode() & 0o444;
                Some(Permissions::from_mode(permissions.mode() | (readers >> 2)))
            }
            (None, _) => executable.then(|| Permissions::from_mode(0o755)),
        }
    }

    fn put(&self) -> io::Result<()> {
        match &self.fresh {
            Some(fresh) => fs::rename(fresh, &self.target),
            None => fs::remove_file(&self.target),
        }
    }

    fn put_back(&self) -> io::Result<()> {
        let Some(before) = &self.before else { return fs::remove_file(&self.target) };
        let fresh = beside(&self.target);
        fs::write(&fresh, before)?;
        if let Some(permissions) = &self.permissions {
            fs::set_permissions(&fresh, permissions.clone())?;
        }
        fs::rename(&fresh, &self.target)
    }
}

fn put_in_place(writes: &[Write]) -> Result<(), GitError> {
    for (at, write) in writes.iter().enumerate() {
        let Err(source) = write.put() else { continue };
        let lost: Vec<String> = writes[..at]
            .iter()
            .filter(|done| done.put_back().is_err())
            .map(|done| done.target.display().to_string())
            .collect();
        if lost.is_empty() {
            return Err(GitError::Io { path: write.target.clone(), source });
        }
        let message =
            format!("{}: {source}; and these could not be put back: {}", write.target.display(), lost.join(", "));
        return Err(GitError::unusable(message, &["see `git diff` for what they hold now"]));
    }
    Ok(())
}

/// A name in the same directory, so that a rename puts it in place in one step.
fn beside(target: &Path) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(target.file_name().unwrap_or_default());
    name.push(format!(".unbreak-{}", std::process::id()));
    target.with_file_name(name)
}

/// Whether a file of the work tree holds what git holds: as it is, or with its line ends turned to CRLF.
fn same(found: &[u8], stored: &[u8]) -> bool {
    found == stored || (!stored.contains(&b'\r') && found == with_carriage_returns(stored))
}

fn with_carriage_returns(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len() + bytes.len() / 32);
    for &byte in bytes {
        if byte == b'\n' {
            out.push(b'\r');
        }
        out.push(byte);
    }
    out
}
