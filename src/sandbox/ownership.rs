//! Whose the job's directories are: under root a job runs as a uid of the run's own, which must own what it writes.

use std::ffi::{CStr, CString};
use std::fs;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use nix::dir::{Dir, Type};
use nix::errno::Errno;
use nix::fcntl::{AtFlags, OFlag, open, openat};
use nix::sys::stat::{FileStat, Mode, SFlag, fstat, fstatat};
use nix::unistd::{Gid, Uid, fchown, fchownat};

/// The range that uids of runs come from, above what systems and directories hand out.
const FIRST: u32 = 1_879_048_192;
const RANGE: u32 = 100_000_000;
/// Trees that jobs fill themselves and nobody else changes: looked at once, not before each job.
const FILLED_BY_JOBS: [&[u8]; 7] = [b"target", b"node_modules", b".venv", b"venv", b".tox", b"__pycache__", b".git"];

/// An unprivileged uid (and gid) for this process's jobs; `None` when we are not root and keep our own.
pub(super) fn choose() -> Option<u32> {
    if !Uid::effective().is_root() {
        return None;
    }
    let wanted = FIRST + std::process::id() % RANGE;
    let (first, length) = mapped_range(&fs::read_to_string("/proc/self/uid_map").unwrap_or_default());
    if wanted >= first && u64::from(wanted) < u64::from(first) + u64::from(length) {
        return Some(wanted);
    }
    // In a container with a short map: its upper quarter, away from `nobody` at the usual end.
    let quarter = (length / 4).max(1);
    Some(first + length - quarter + std::process::id() % quarter.saturating_sub(2).max(1))
}

/// Our own uid and gid.
pub(super) fn caller() -> (u32, u32) {
    (Uid::effective().as_raw(), Gid::effective().as_raw())
}

/// The longest range of uids that exist here.
fn mapped_range(map: &str) -> (u32, u32) {
    let ranges = map.lines().filter_map(|line| {
        let mut fields = line.split_ascii_whitespace();
        Some((fields.next()?.parse().ok()?, fields.nth(1)?.parse().ok()?))
    });
    ranges.max_by_key(|(_, length): &(u32, u32)| *length).unwrap_or((0, u32::MAX))
}

/// Makes a file or a whole tree the job's. Never follows a symbolic link, never leaves the file system, and leaves
/// alone a file with several names: one of them may be somebody else's. With `again`, trees that jobs fill
/// themselves are not looked through.
///
/// # Errors
/// The path and the call that failed.
pub(super) fn give(path: &Path, id: u32, again: bool) -> std::io::Result<()> {
    let flags = OFlag::O_RDONLY | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC | OFlag::O_NONBLOCK;
    let top = open(path, flags, Mode::empty())?;
    let stat = fstat(&top)?;
    if owner(&stat) != id {
        fchown(&top, Some(Uid::from_raw(id)), Some(Gid::from_raw(id)))?;
    }
    let mut walk = Walk { id, again, device: stat.st_dev };
    if kind(&stat) == SFlag::S_IFDIR { Ok(walk.directory(top, 0)?) } else { Ok(()) }
}

/// Whether the top of a tree is the job's already.
pub(super) fn is_given(path: &Path, id: u32) -> bool {
    path.symlink_metadata().is_ok_and(|meta| meta.uid() == id)
}

struct Walk {
    id: u32,
    again: bool,
    device: u64,
}

impl Walk {
    fn directory(&mut self, directory: OwnedFd, depth: usize) -> nix::Result<()> {
        // Deeper than any path can be written: a trap, not a tree.
        const DEEPEST: usize = 512;
        if depth > DEEPEST {
            return Ok(());
        }
        let mut listing = Dir::from_fd(directory)?;
        let entries: Vec<(CString, Option<Type>)> = listing
            .iter()
            .filter_map(|entry| entry.ok().map(|entry| (entry.file_name().to_owned(), entry.file_type())))
            .filter(|(name, _)| name.to_bytes() != b"." && name.to_bytes() != b"..")
            .collect();
        for (name, _) in &entries {
            match self.entry(&listing, name, depth) {
                // It was removed meanwhile, or became a link: no longer what we looked at.
                Err(Errno::ENOENT | Errno::ELOOP | Errno::ENOTDIR) | Ok(()) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn entry(&mut self, parent: &impl AsFd, name: &CStr, depth: usize) -> nix::Result<()> {
        let stat = fstatat(parent, name, AtFlags::AT_SYMLINK_NOFOLLOW)?;
        if stat.st_dev != self.device {
            return Ok(());
        }
        let ours = owner(&stat) == self.id;
        if kind(&stat) != SFlag::S_IFDIR {
            let shared = kind(&stat) == SFlag::S_IFREG && stat.st_nlink > 1;
            return if ours || shared { Ok(()) } else { self.change(parent, name) };
        }
        if ours && self.again && FILLED_BY_JOBS.contains(&name.to_bytes()) {
            return Ok(());
        }
        let flags = OFlag::O_RDONLY | OFlag::O_NOFOLLOW | OFlag::O_DIRECTORY | OFlag::O_CLOEXEC;
        let directory = openat(parent, name, flags, Mode::empty())?;
        if !ours {
            fchown(&directory, Some(Uid::from_raw(self.id)), Some(Gid::from_raw(self.id)))?;
        }
        self.directory(directory, depth + 1)
    }

    fn change(&self, parent: &impl AsFd, name: &CStr) -> nix::Result<()> {
        let (uid, gid) = (Uid::from_raw(self.id), Gid::from_raw(self.id));
        fchownat(parent, name, Some(uid), Some(gid), AtFlags::AT_SYMLINK_NOFOLLOW)
    }
}

fn owner(stat: &FileStat) -> u32 {
    stat.st_uid
}

fn kind(stat: &FileStat) -> SFlag {
    SFlag::from_bits_truncate(stat.st_mode) & SFlag::S_IFMT
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_mapped_range_is_taken() {
        assert_eq!(mapped_range("         0     100000      65536\n"), (0, 65536));
        assert_eq!(mapped_range("0 1000 1\n1 100000 65536\n"), (1, 65536));
        assert_eq!(mapped_range(""), (0, u32::MAX));
    }
}
