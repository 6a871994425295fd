//! Further artifacts that the workflow names in the workspace: copied, so that the repair reads no file of it.
//!
//! The failing job ran code that nobody trusts in the workspace, and it may still run: no symlink is followed, and each
//! file is opened so that the kernel itself refuses a path that leads through one.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

use nix::fcntl::{OFlag, OpenHow, ResolveFlag, openat2};

use super::glob;
use crate::text;

/// More files are not taken.
const MOST_FILES: usize = 1_000;
/// More bytes are not taken.
const MOST_BYTES: u64 = 256 << 20;
/// More entries of the workspace are not looked at.
const MOST_ENTRIES: usize = 200_000;

/// What was taken.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Taken {
    /// How many files.
    pub(super) files: usize,
    /// What was left out: a sentence each.
    pub(super) left_out: Vec<String>,
}

/// Copies the files of `workspace` that the patterns match into `into`, under the same relative paths. A pattern that
/// matches a directory stands for what is below it.
///
/// # Errors
/// When the workspace or `into` cannot be worked with.
pub(super) fn take(workspace: &Path, patterns: &[String], into: &Path) -> io::Result<Taken> {
    let root = File::open(workspace)?;
    let (mut taken, mut bytes) = (Taken::default(), 0);
    let (found, whole) = files(workspace)?;
    if !whole {
        taken.left_out.push(format!("only the first {MOST_ENTRIES} entries of the workspace were looked at"));
    }
    for pattern in patterns {
        let mut some = false;
        for path in found.iter().filter(|path| fits(pattern, path)) {
            some = true;
            let target = into.join(path);
            if target.exists() {
                continue;
            }
            if taken.files == MOST_FILES {
                taken.left_out.push(format!("`artifacts`: more than {MOST_FILES} files are not taken"));
                return Ok(taken);
            }
            match copy(&root, path, &target, MOST_BYTES - bytes) {
                Ok(Some(size)) => {
                    bytes += size;
                    taken.files += 1;
                }
                Ok(None) => taken.left_out.push(format!("{}: too large together with the others", shown(path))),
                Err(error) => taken.left_out.push(format!("{}: {error}", shown(path))),
            }
        }
        if !some {
            taken.left_out.push(format!("`artifacts`: nothing in the workspace matches {}", shown(pattern)));
        }
    }
    Ok(taken)
}

fn fits(pattern: &str, path: &str) -> bool {
    glob::matches(pattern, path) || glob::matches(&format!("{pattern}/**"), path)
}

/// Every regular file below, `/`-separated and sorted, without `.git`; and whether that is all.
fn files(workspace: &Path) -> io::Result<(Vec<String>, bool)> {
    let (mut found, mut open, mut seen) = (Vec::new(), vec![PathBuf::new()], 0);
    while let Some(inner) = open.pop() {
        // A directory that is gone or closed meanwhile has nothing to read.
        let Ok(entries) = fs::read_dir(workspace.join(&inner)) else { continue };
        for entry in entries.filter_map(Result::ok) {
            seen += 1;
            if seen > MOST_ENTRIES {
                found.sort();
                return Ok((found, false));
            }
            let path = inner.join(entry.file_name());
            let kind = entry.file_type()?;
            if kind.is_dir() && entry.file_name() != ".git" {
                open.push(path);
            } else if kind.is_file()
                && let Some(path) = path.to_str()
            {
                found.push(path.to_owned());
            }
        }
    }
    found.sort();
    Ok((found, true))
}

/// Copies one file; `None` when it has more than `room` bytes.
fn copy(workspace: impl AsFd, path: &str, target: &Path, room: u64) -> io::Result<Option<u64>> {
    // Without blocking: a pipe that took the file's place would wait for a writer.
    let how = OpenHow::new()
        .flags(OFlag::O_RDONLY | OFlag::O_CLOEXEC | OFlag::O_NONBLOCK | OFlag::O_NOCTTY)
        .resolve(ResolveFlag::RESOLVE_BENEATH | ResolveFlag::RESOLVE_NO_SYMLINKS);
    let file = File::from(openat2(workspace, path, how)?);
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("it is no regular file"));
    }
    let mut bytes = Vec::new();
    file.take(room + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > room {
        return Ok(None);
    }
    if let Some(parent) = target.parent() {
        fs::create_dir_all(parent)?;
    }
    fs::write(target, &bytes)?;
    Ok(Some(bytes.len() as u64))
}

fn shown(path: &str) -> String {
    text::in_line(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    fn workspace(files: &[(&str, &str)]) -> tempfile::TempDir {
        let directory = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = directory.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        directory
    }

    fn taken(workspace: &Path, patterns: &[&str]) -> (Taken, tempfile::TempDir) {
        let into = tempfile::tempdir().unwrap();
        let patterns: Vec<String> = patterns.iter().map(|pattern| (*pattern).to_owned()).collect();
        (take(workspace, &patterns, into.path()).unwrap(), into)
    }

    #[test]
    fn files_patterns_and_directories_are_taken_once() {
        let workspace = workspace(&[("a.log", "1"), ("target/x/r.xml", "2"), ("target/s.xml", "3"), ("b.txt", "4")]);
        let (found, into) = taken(workspace.path(), &["a.log", "target/**/*.xml", "target"]);
        assert_eq!(found, Taken { files: 3, left_out: Vec::new() });
        assert_eq!(fs::read_to_string(into.path().join("target/x/r.xml")).unwrap(), "2");
        assert!(!into.path().join("b.txt").exists());
    }

    #[test]
    fn no_symlink_leads_out_and_no_git_directory_is_read() {
        let workspace = workspace(&[(".git/config", "token"), ("a.log", "1")]);
        symlink("/etc", workspace.path().join("out")).unwrap();
        symlink("/etc/hostname", workspace.path().join("b.log")).unwrap();
        nix::unistd::mkfifo(&workspace.path().join("c.log"), nix::sys::stat::Mode::S_IRWXU).unwrap();
        let (found, into) = taken(workspace.path(), &["**", "out/hostname", "b.log"]);
        assert_eq!(found.files, 1);
        assert_eq!(found.left_out.len(), 2, "{found:?}");
        assert_eq!(fs::read_dir(into.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_path_that_became_a_symlink_meanwhile_is_refused_by_the_kernel() {
        let workspace = workspace(&[("a.log", "1")]);
        symlink("/etc", workspace.path().join("out")).unwrap();
        let root = File::open(workspace.path()).unwrap();
        let target = workspace.path().join("copied");
        for path in ["out/hostname", "../etc/hostname", "/etc/hostname", "out/../../etc/hostname"] {
            assert!(copy(&root, path, &target, 100).is_err(), "{path}");
        }
        assert_eq!(copy(&root, "a.log", &target, 0).unwrap(), None);
        assert_eq!(copy(&root, "a.log", &target, 1).unwrap(), Some(1));
    }
}
