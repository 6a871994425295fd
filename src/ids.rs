//! Small identities: repository paths, fingerprints, hashes, commits, command ids.
//!
//! Each normalises on construction, so equality is right by construction and a value that exists is a value
//! that was checked.

mod forge;

use std::fmt;

pub use forge::{BranchName, CommitSha, NameError, OwnBranch, RepositoryName};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// A path inside the repository: relative, `/`-separated, no `.` or `..`, no control characters.
///
/// The only type that may name a file to read or write in a tree.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct RepoPath(String);

/// Why a text is no repository path.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    /// Nothing is left after normalising.
    #[error("the path is empty")]
    Empty,
    /// It starts at a root or a drive.
    #[error("`{0}` is absolute; paths are relative to the repository")]
    Absolute(String),
    /// It climbs with `..`.
    #[error("`{0}` leaves its directory with `..`")]
    Climbs(String),
    /// Backslash, NUL or another character that no two systems read alike.
    #[error("`{0}` holds a backslash or a control character")]
    Character(String),
    /// No file system could hold it.
    #[error("`{0}` is too long: a name has at most 255 bytes, a path at most {LONGEST_PATH}")]
    Long(String),
}

/// What Linux file systems allow one name, in bytes.
const LONGEST_NAME: usize = 255;
/// What Linux allows a path (4096 bytes), with room for the directory that the tree lies in.
const LONGEST_PATH: usize = 3_072;

impl RepoPath {
    /// Checks and normalises `text` (drops `./` and doubled or trailing slashes).
    ///
    /// # Errors
    /// One of [`PathError`], which names the text.
    pub fn new(text: &str) -> Result<Self, PathError> {
        let shown = || text.escape_debug().to_string();
        if text.chars().any(|c| c == '\\' || c.is_control()) {
            return Err(PathError::Character(shown()));
        }
        let drive = text.as_bytes().get(1) == Some(&b':') && text.starts_with(|c: char| c.is_ascii_alphabetic());
        if text.starts_with('/') || drive {
            return Err(PathError::Absolute(shown()));
        }
        let mut parts = Vec::new();
        for part in text.split('/') {
            match part {
                "" | "." => {}
                ".." => return Err(PathError::Climbs(shown())),
                part => parts.push(part),
            }
        }
        if parts.is_empty() {
            return Err(PathError::Empty);
        }
        let path = parts.join("/");
        if path.len() > LONGEST_PATH || parts.iter().any(|part| part.len() > LONGEST_NAME) {
            return Err(PathError::Long(crate::text::one_line(&shown(), 60)));
        }
        Ok(Self(path))
    }

    /// The path as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The last component.
    #[must_use]
    pub fn file_name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or(&self.0)
    }

    /// The extension without its dot, if there is one.
    #[must_use]
    pub fn extension(&self) -> Option<&str> {
        let (stem, extension) = self.file_name().rsplit_once('.')?;
        (!stem.is_empty()).then_some(extension)
    }

    /// The directory that holds the file; `None` at the root.
    #[must_use]
    pub fn parent(&self) -> Option<Self> {
        self.0.rsplit_once('/').map(|(directory, _)| Self(directory.to_owned()))
    }
}

impl TryFrom<String> for RepoPath {
    type Error = PathError;
    fn try_from(text: String) -> Result<Self, PathError> {
        Self::new(&text)
    }
}

impl From<RepoPath> for String {
    fn from(path: RepoPath) -> Self {
        path.0
    }
}

impl fmt::Display for RepoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for RepoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.0)
    }
}

/// What a failure is known by across runs: 32 hexadecimal digits.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Fingerprint(String);

impl Fingerprint {
    /// The fingerprint of parts, in order; a part can hold any text.
    #[must_use]
    pub fn of(parts: &[&str]) -> Self {
        let mut hash = Sha256::new();
        for part in parts {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part.as_bytes());
        }
        let mut digits = hex(&hash.finalize());
        digits.truncate(32);
        Self(digits)
    }

    /// The digits.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A SHA-256 as 64 hexadecimal digits.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(transparent)]
pub struct Sha(String);

impl Sha {
    /// The hash of bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self(hex(&Sha256::digest(bytes)))
    }

    /// The hash of everything that can be read from `source`.
    ///
    /// # Errors
    /// Where `source` cannot be read to its end.
    pub fn of_all(source: &mut (impl std::io::Read + ?Sized)) -> std::io::Result<Self> {
        let mut hasher = Sha256::new();
        std::io::copy(source, &mut hasher)?;
        Ok(Self(hex(&hasher.finalize())))
    }

    /// The digits.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Sha {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Lower-case hexadecimal digits of bytes.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    use fmt::Write as _;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut digits, byte| {
        // Writing to a String cannot fail.
        let _ = write!(digits, "{byte:02x}");
        digits
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_normalised_once() {
        assert_eq!(RepoPath::new("./src//a.rs/").unwrap().as_str(), "src/a.rs");
    }

    #[test]
    fn paths_that_leave_the_tree_are_refused() {
        for text in ["", ".", "/etc/passwd", "../a", "a/../../b", "C:/a", "a\\b", "a\0b", "a\nb"] {
            assert!(RepoPath::new(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn a_path_that_no_file_system_holds_is_refused_without_repeating_it() {
        assert!(RepoPath::new(&format!("src/{}", "a".repeat(255))).is_ok());
        for text in [format!("src/{}", "é".repeat(128)), "ab/".repeat(1_500)] {
            let error = RepoPath::new(&text).unwrap_err();
            assert!(matches!(&error, PathError::Long(shown) if shown.len() < 200), "{error}");
        }
    }

    #[test]
    fn a_fingerprint_tells_parts_apart() {
        assert_ne!(Fingerprint::of(&["ab", "c"]), Fingerprint::of(&["a", "bc"]));
    }
}
