//! A directory of values that can be computed again: written whole or not at all, never trusted blindly.
//!
//! An entry is a file that begins with the hash of its content. One that is cut off or altered reads as absent and
//! is written anew. Several processes may share a cache.

use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::ids::Sha;

/// The form of the entries; another form lives in another directory.
const VERSION: &str = "v1";

/// The length of the hash at the head of an entry, in bytes.
const HASH: usize = 64;

/// A cache below one directory.
#[derive(Debug)]
pub struct Cache {
    root: PathBuf,
    limit: u64,
    written: AtomicU64,
}

impl Cache {
    /// Opens or makes the cache below `directory`; [`Self::trim`] keeps it below `limit` bytes.
    ///
    /// # Errors
    /// When the directory cannot be made.
    pub fn open(directory: &Path, limit: u64) -> io::Result<Self> {
        let root = directory.join(VERSION);
        fs::DirBuilder::new().recursive(true).mode(0o700).create(&root)?;
        Ok(Self { root, limit, written: AtomicU64::new(0) })
    }

    /// The value of a key; `None` when it is absent or damaged.
    #[must_use]
    pub fn get(&self, kind: &str, key: &str) -> Option<Vec<u8>> {
        let entry = fs::read(self.path(kind, key)).ok()?;
        let (hash, value) = entry.split_at_checked(HASH)?;
        (Sha::of(value).as_str().as_bytes() == hash).then(|| value.to_vec())
    }

    /// Keeps a value: whoever reads at the same time sees the old entry or the new one.
    ///
    /// # Errors
    /// When it cannot be written; the cache then is as before.
    pub fn put(&self, kind: &str, key: &str, value: &[u8]) -> io::Result<()> {
        let path = self.path(kind, key);
        let folder = path.parent().unwrap_or(&self.root);
        fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        let number = self.written.fetch_add(1, Ordering::Relaxed);
        let partial = folder.join(format!(".{}-{number}", std::process::id()));
        let written = write(&partial, value).and_then(|()| fs::rename(&partial, &path));
        if written.is_err() {
            // What is left of a failed write is useless; the failure itself is what is reported.
            drop(fs::remove_file(&partial));
        }
        written
    }

    /// Removes the entries written longest ago until the cache is below its limit; gives the bytes removed.
    ///
    /// # Errors
    /// When the directory cannot be read. An entry that another process removed first is no error.
    pub fn trim(&self) -> io::Result<u64> {
        let mut entries = Vec::new();
        for folder in fs::read_dir(&self.root)? {
            let folder = folder?.path();
            for entry in fs::read_dir(folder)?.flatten() {
                if let Ok(data) = entry.metadata() {
                    entries.push((data.modified()?, entry.path(), data.len()));
                }
            }
        }
        entries.sort_unstable();
        let mut total: u64 = entries.iter().map(|(_, _, length)| length).sum();
        let before = total;
        for (_, path, length) in entries {
            if total <= self.limit {
                break;
            }
            match fs::remove_file(&path) {
                Ok(()) => total -= length,
                Err(error) if error.kind() == io::ErrorKind::NotFound => total -= length,
                Err(error) => return Err(error),
            }
        }
        Ok(before - total)
    }

    fn path(&self, kind: &str, key: &str) -> PathBuf {
        let name = Sha::of(format!("{kind}\0{key}").as_bytes()).to_string();
        let (folder, rest) = name.split_at(2);
        self.root.join(folder).join(rest)
    }
}

fn write(path: &Path, value: &[u8]) -> io::Result<()> {
    let mut file = fs::File::create(path)?;
    file.write_all(Sha::of(value).as_str().as_bytes())?;
    file.write_all(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cache(limit: u64) -> (tempfile::TempDir, Cache) {
        let directory = tempfile::tempdir().unwrap();
        let cache = Cache::open(directory.path(), limit).unwrap();
        (directory, cache)
    }

    #[test]
    fn a_value_comes_back_under_its_kind_and_key() {
        let (_directory, cache) = cache(1000);
        cache.put("facts", "a", b"one").unwrap();
        cache.put("facts", "a", b"two").unwrap();
        assert_eq!(cache.get("facts", "a").as_deref(), Some(&b"two"[..]));
        assert_eq!(cache.get("other", "a"), None);
    }

    #[test]
    fn a_damaged_entry_is_absent_and_can_be_written_anew() {
        let (_directory, cache) = cache(1000);
        let path = cache.path("facts", "a");
        for damage in [&b""[..], b"short", &[b'0'; 70]] {
            cache.put("facts", "a", b"value").unwrap();
            fs::write(&path, damage).unwrap();
            assert_eq!(cache.get("facts", "a"), None, "{damage:?}");
        }
        cache.put("facts", "a", b"value").unwrap();
        assert_eq!(cache.get("facts", "a").as_deref(), Some(&b"value"[..]));
    }

    #[test]
    fn the_oldest_entries_go_when_it_is_full() {
        let (_directory, cache) = cache(200);
        for key in ["a", "b", "c"] {
            cache.put("facts", key, &[b'x'; 100]).unwrap();
        }
        let old = fs::File::open(cache.path("facts", "b")).unwrap();
        old.set_modified(std::time::UNIX_EPOCH).unwrap();
        assert_eq!(cache.trim().unwrap(), 328, "two of 164 bytes each");
        assert!(cache.get("facts", "b").is_none());
        assert_eq!(cache.trim().unwrap(), 0, "what is left fits");
    }

    #[test]
    fn nothing_partial_is_left_behind() {
        let (directory, cache) = cache(1000);
        cache.put("facts", "a", b"value").unwrap();
        let left = fs::read_dir(cache.path("facts", "a").parent().unwrap()).unwrap().count();
        assert_eq!(left, 1, "{directory:?}");
    }
}
