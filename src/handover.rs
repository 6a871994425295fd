//! A directory that one stage hands to the next: files, and a list of their hashes that is written last.
//!
//! The list finds what was cut off, mixed up or altered on the way. It is no signature: whoever made the directory
//! could have written anything, so the reader trusts no more than that it is whole.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::ids::{RepoPath, Sha};

/// The list.
pub const MANIFEST: &str = "manifest.json";

const VERSION: u32 = 1;
const MAX_MANIFEST: u64 = 8 << 20;
const MAX_FILES: usize = 20_000;

/// What a directory holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// What was collected of a failed run.
    Collected,
    /// A proposal with its evidence.
    Proposal,
}

impl Kind {
    /// The stage that leaves it.
    fn maker(self) -> &'static str {
        match self {
            Self::Collected => "`unbreak collect`",
            Self::Proposal => "`unbreak repair`",
        }
    }
}

/// Why a directory cannot be taken over.
#[derive(Debug, thiserror::Error)]
pub enum HandoverError {
    /// It is none, or another one.
    #[error("{}: {reason}", .directory.display())]
    Unusable {
        /// The directory.
        directory: PathBuf,
        /// Why.
        reason: String,
    },
    /// A file is not what the list says.
    #[error("{}: {file} {reason}: it was altered, or cut off, after it was made", .directory.display())]
    Altered {
        /// The directory.
        directory: PathBuf,
        /// The file.
        file: String,
        /// How it differs.
        reason: &'static str,
    },
    /// The file system failed.
    #[error("{}", .path.display())]
    Io {
        /// Where.
        path: PathBuf,
        /// How.
        source: io::Error,
    },
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Manifest {
    version: u32,
    kind: Kind,
    files: BTreeMap<RepoPath, Listed>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Listed {
    bytes: u64,
    sha256: Sha,
}

/// Lists every regular file below `directory` and writes the list: the directory is whole from then on.
///
/// # Errors
/// [`HandoverError::Io`], or [`HandoverError::Unusable`] for a name that no other system could read.
pub fn seal(directory: &Path, kind: Kind) -> Result<(), HandoverError> {
    let mut files = BTreeMap::new();
    for path in walk(directory)? {
        let text = path.to_string_lossy().into_owned();
        if text == MANIFEST {
            continue;
        }
        let name = RepoPath::new(&text).map_err(|error| unusable(directory, error.to_string()))?;
        let file = directory.join(&path);
        let bytes = fs::read(&file).map_err(at(&file))?;
        files.insert(name, Listed { bytes: bytes.len() as u64, sha256: Sha::of(&bytes) });
    }
    let manifest = Manifest { version: VERSION, kind, files };
    let text = serde_json::to_string_pretty(&manifest).map_err(|error| unusable(directory, error.to_string()))?;
    let (partial, whole) = (directory.join(".manifest"), directory.join(MANIFEST));
    fs::write(&partial, text).map_err(at(&partial))?;
    fs::rename(&partial, &whole).map_err(at(&whole))
}

/// A directory that was found whole.
#[derive(Debug)]
pub struct Handover {
    directory: PathBuf,
    files: BTreeMap<RepoPath, Listed>,
}

impl Handover {
    /// Opens a directory and checks its list: no file more, none less. The content of a file is checked when it is
    /// read.
    ///
    /// # Errors
    /// [`HandoverError`].
    pub fn open(directory: &Path, kind: Kind) -> Result<Self, HandoverError> {
        let path = directory.join(MANIFEST);
        let bytes = match read(&path, MAX_MANIFEST) {
            Ok(Some(bytes)) => bytes,
            Ok(None) => return Err(unusable(directory, format!("{MANIFEST} is too large"))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(unusable(
                    directory,
                    format!("it holds no {MANIFEST}: it is not what {} left, or that was cut off", kind.maker()),
                ));
            }
            Err(error) => return Err(at(&path)(error)),
        };
        let manifest: Manifest =
            serde_json::from_slice(&bytes).map_err(|error| unusable(directory, format!("{MANIFEST}: {error}")))?;
        if manifest.version != VERSION {
            return Err(unusable(
                directory,
                format!("version {} is not known; this program reads 1", manifest.version),
            ));
        }
        if manifest.kind != kind {
            let (left, wanted) = (manifest.kind.maker(), kind.maker());
            return Err(unusable(directory, format!("it is what {left} left, and what {wanted} left is wanted")));
        }
        let this = Self { directory: directory.to_owned(), files: manifest.files };
        this.check_names()?;
        Ok(this)
    }

    /// The directory itself.
    #[must_use]
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// The names of all files, sorted.
    pub fn names(&self) -> impl Iterator<Item = &RepoPath> {
        self.files.keys()
    }

    /// The bytes of a file, checked against the list.
    ///
    /// # Errors
    /// [`HandoverError`].
    pub fn read(&self, name: &RepoPath) -> Result<Vec<u8>, HandoverError> {
        let altered =
            |reason| HandoverError::Altered { directory: self.directory.clone(), file: name.to_string(), reason };
        let listed = self.files.get(name).ok_or_else(|| altered("is not in the list"))?;
        let path = self.directory.join(name.as_str());
        let kind = fs::symlink_metadata(&path).map_err(at(&path))?.file_type();
        if !kind.is_file() {
            return Err(altered("is no regular file"));
        }
        match read(&path, listed.bytes).map_err(at(&path))? {
            Some(bytes) if bytes.len() as u64 == listed.bytes && Sha::of(&bytes) == listed.sha256 => Ok(bytes),
            _ => Err(altered("does not have the bytes that the list says")),
        }
    }

    /// A file that is read as JSON.
    ///
    /// # Errors
    /// [`HandoverError`].
    pub fn json<T: serde::de::DeserializeOwned>(&self, name: &str) -> Result<T, HandoverError> {
        let path = RepoPath::new(name).map_err(|error| unusable(&self.directory, error.to_string()))?;
        serde_json::from_slice(&self.read(&path)?).map_err(|error| {
            unusable(&self.directory, format!("{name} is not of the form that this program reads: {error}"))
        })
    }

    fn check_names(&self) -> Result<(), HandoverError> {
        let mut seen = 0;
        for path in walk(&self.directory)? {
            let text = path.to_string_lossy().into_owned();
            if text == MANIFEST {
                continue;
            }
            let known = RepoPath::new(&text).is_ok_and(|name| self.files.contains_key(&name));
            if !known {
                let directory = self.directory.clone();
                return Err(HandoverError::Altered { directory, file: text, reason: "is not in the list" });
            }
            seen += 1;
        }
        if seen < self.files.len() {
            let missing = self.files.keys().find(|name| !self.directory.join(name.as_str()).is_file());
            return Err(HandoverError::Altered {
                directory: self.directory.clone(),
                file: missing.map(ToString::to_string).unwrap_or_default(),
                reason: "is missing",
            });
        }
        Ok(())
    }
}

/// Every file below, relative and sorted; a symlink counts as a file, and is never followed.
fn walk(directory: &Path) -> Result<Vec<PathBuf>, HandoverError> {
    let (mut files, mut open) = (Vec::new(), vec![PathBuf::new()]);
    while let Some(inner) = open.pop() {
        let here = directory.join(&inner);
        for entry in fs::read_dir(&here).map_err(at(&here))? {
            let entry = entry.map_err(at(&here))?;
            let path = inner.join(entry.file_name());
            if entry.file_type().map_err(at(&here))?.is_dir() {
                open.push(path);
            } else {
                files.push(path);
            }
            if files.len() + open.len() > MAX_FILES {
                return Err(unusable(directory, format!("it holds more than {MAX_FILES} files")));
            }
        }
    }
    files.sort();
    Ok(files)
}

/// The bytes of a file; `None` when it is larger than `most`.
fn read(path: &Path, most: u64) -> io::Result<Option<Vec<u8>>> {
    // A pipe in its place would wait for a writer.
    if !fs::symlink_metadata(path)?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file"));
    }
    let mut bytes = Vec::new();
    fs::File::open(path)?.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= most).then_some(bytes))
}

fn unusable(directory: &Path, reason: impl Into<String>) -> HandoverError {
    HandoverError::Unusable { directory: directory.to_owned(), reason: reason.into() }
}

fn at(path: &Path) -> impl FnOnce(io::Error) -> HandoverError {
    let path = path.to_owned();
    move |source| HandoverError::Io { path, source }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sealed() -> tempfile::TempDir {
        let directory = tempfile::tempdir().unwrap();
        fs::create_dir(directory.path().join("logs")).unwrap();
        fs::write(directory.path().join("a.json"), "[1]").unwrap();
        fs::write(directory.path().join("logs/b.txt"), "text").unwrap();
        seal(directory.path(), Kind::Collected).unwrap();
        directory
    }

    fn path(text: &str) -> RepoPath {
        RepoPath::new(text).unwrap()
    }

    #[test]
    fn what_was_sealed_reads_back() {
        let directory = sealed();
        let open = Handover::open(directory.path(), Kind::Collected).unwrap();
        assert_eq!(open.read(&path("logs/b.txt")).unwrap(), b"text");
        assert_eq!(open.json::<Vec<u8>>("a.json").unwrap(), [1]);
        assert_eq!(open.names().count(), 2);
    }

    #[test]
    fn what_was_altered_is_refused_with_the_file() {
        for (spoil, named) in [
            (Box::new(|dir: &Path| fs::write(dir.join("a.json"), "[2]").unwrap()) as Box<dyn Fn(&Path)>, "a.json"),
            (Box::new(|dir: &Path| fs::write(dir.join("a.json"), "[1] ").unwrap()), "a.json"),
            (Box::new(|dir: &Path| fs::write(dir.join("more"), "").unwrap()), "more"),
            (Box::new(|dir: &Path| fs::remove_file(dir.join("logs/b.txt")).unwrap()), "logs/b.txt"),
            (
                Box::new(|dir: &Path| {
                    fs::remove_file(dir.join("a.json")).unwrap();
                    std::os::unix::fs::symlink("/etc/hostname", dir.join("a.json")).unwrap();
                }),
                "a.json",
            ),
        ] {
            let directory = sealed();
            spoil(directory.path());
            let error = Handover::open(directory.path(), Kind::Collected)
                .and_then(|open| open.read(&path("a.json")).map(drop))
                .unwrap_err();
            assert!(error.to_string().contains(named), "{error}");
        }
    }

    #[test]
    fn a_list_may_say_any_number_of_bytes() {
        let directory = sealed();
        let list = fs::read_to_string(directory.path().join(MANIFEST)).unwrap();
        let list = list.replace("\"bytes\": 3", &format!("\"bytes\": {}", u64::MAX));
        fs::write(directory.path().join(MANIFEST), list).unwrap();
        let open = Handover::open(directory.path(), Kind::Collected).unwrap();
        assert!(matches!(open.read(&path("a.json")), Err(HandoverError::Altered { .. })));
    }

    #[test]
    fn a_list_that_is_a_pipe_or_a_link_is_not_read() {
        let directory = sealed();
        let list = directory.path().join(MANIFEST);
        fs::rename(&list, directory.path().with_extension("list")).unwrap();
        std::os::unix::fs::symlink(directory.path().with_extension("list"), &list).unwrap();
        assert!(matches!(Handover::open(directory.path(), Kind::Collected), Err(HandoverError::Io { .. })));
        fs::remove_file(directory.path().with_extension("list")).unwrap();
        fs::remove_file(&list).unwrap();
        nix::unistd::mkfifo(&list, nix::sys::stat::Mode::S_IRWXU).unwrap();
        assert!(matches!(Handover::open(directory.path(), Kind::Collected), Err(HandoverError::Io { .. })));
    }

    #[test]
    fn another_kind_and_a_directory_without_a_list_are_refused() {
        let directory = sealed();
        let error = Handover::open(directory.path(), Kind::Proposal).unwrap_err().to_string();
        assert!(error.contains("it is what `unbreak collect` left"), "{error}");
        fs::remove_file(directory.path().join(MANIFEST)).unwrap();
        assert!(Handover::open(directory.path(), Kind::Collected).unwrap_err().to_string().contains("cut off"));
    }
}
