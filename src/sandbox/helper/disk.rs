//! How much a job has written: free space is asked often, files are counted only when enough of it went.

use std::collections::BTreeMap;
use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use nix::sys::statvfs::statvfs;
use nix::unistd::Pid;

use super::super::order::View;

/// Watches the writable directories of a job.
pub(super) struct Gauge {
    places: Vec<PathBuf>,
    /// Free bytes at the start, by file system.
    free: BTreeMap<u64, (PathBuf, u64)>,
    cap: u64,
    /// Change time from which a file counts as the job's, in seconds.
    since: i64,
}

impl Gauge {
    pub(super) fn new(view: &View, cap: u64) -> Self {
        let places: Vec<PathBuf> = view.writable.iter().chain([&view.temporary]).cloned().collect();
        let mut free = BTreeMap::new();
        for place in &places {
            if let (Ok(meta), Some(bytes)) = (place.metadata(), free_bytes(place)) {
                free.entry(meta.dev()).or_insert((place.clone(), bytes));
            }
        }
        // The order that we came from was made a moment ago; our own process is as old as the job.
        let since = fs::metadata("/proc/self").map_or(0, |meta| meta.ctime());
        Self { places, free, cap, since }
    }

    /// Whether the job wrote more than its cap. `root` is the top of its process tree.
    pub(super) fn over(&self, root: Pid) -> bool {
        let shrunk = |(place, before): &(PathBuf, u64)| {
            free_bytes(place).is_some_and(|now| before.saturating_sub(now) > self.cap)
        };
        self.free.values().any(shrunk) && self.written() + deleted_but_open(root) > self.cap
    }

    fn written(&self) -> u64 {
        let mut sum = 0;
        let mut open = self.places.clone();
        while let Some(directory) = open.pop() {
            for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
                let Ok(meta) = entry.metadata() else { continue };
                if meta.is_dir() {
                    open.push(entry.path());
                } else if meta.ctime() >= self.since {
                    sum += bytes(&meta);
                }
            }
        }
        sum
    }
}

fn bytes(meta: &Metadata) -> u64 {
    meta.blocks() * 512
}

fn free_bytes(place: &Path) -> Option<u64> {
    let stat = statvfs(place).ok()?;
    Some(stat.blocks_free() * stat.fragment_size())
}

/// Space of files without a name is space all the same.
fn deleted_but_open(root: Pid) -> u64 {
    let mut seen = BTreeMap::new();
    for pid in super::tree::pids(root) {
        for entry in fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten() {
            let Ok(meta) = fs::metadata(entry.path()) else { continue };
            if meta.is_file() && meta.nlink() == 0 {
                seen.insert((meta.dev(), meta.ino()), bytes(&meta));
            }
        }
    }
    seen.values().sum()
}
