//! Names on a forge: repositories, branches, commits. Each is checked once, so that none of them can become an option
//! of a program, another segment of an address or a path out of a directory.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Why a text is no name of this kind.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{shown}` is no {kind}")]
pub struct NameError {
    kind: &'static str,
    shown: String,
}

impl NameError {
    fn new(kind: &'static str, text: &str) -> Self {
        Self { kind, shown: crate::text::one_line(&text.escape_debug().to_string(), 80) }
    }
}

/// `owner/name`, as the forge spells it; two spellings that differ in case alone are the same repository.
#[derive(Debug, Clone, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct RepositoryName {
    owner: String,
    name: String,
}

impl RepositoryName {
    /// Checks `owner/name`.
    ///
    /// # Errors
    /// [`NameError`].
    pub fn new(text: &str) -> Result<Self, NameError> {
        let wrong = || NameError::new("repository name", text);
        let (owner, name) = text.split_once('/').ok_or_else(wrong)?;
        let letters = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        let fits = |part: &str| !part.is_empty() && part.len() <= 100 && part.chars().all(letters);
        let means_else = |part: &str| part.starts_with('-') || matches!(part, "." | "..");
        if !fits(owner) || !fits(name) || owner.starts_with('.') || means_else(owner) || means_else(name) {
            return Err(wrong());
        }
        Ok(Self { owner: owner.to_owned(), name: name.to_owned() })
    }

    /// The user or organisation.
    #[must_use]
    pub fn owner(&self) -> &str {
        &self.owner
    }

    /// The name below its owner.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl PartialEq for RepositoryName {
    fn eq(&self, other: &Self) -> bool {
        self.owner.eq_ignore_ascii_case(&other.owner) && self.name.eq_ignore_ascii_case(&other.name)
    }
}

impl fmt::Display for RepositoryName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.owner, self.name)
    }
}

impl TryFrom<String> for RepositoryName {
    type Error = NameError;
    fn try_from(text: String) -> Result<Self, NameError> {
        Self::new(&text)
    }
}

impl From<RepositoryName> for String {
    fn from(name: RepositoryName) -> Self {
        name.to_string()
    }
}

/// A branch by its short name, without `refs/heads/`, by the rules of `git check-ref-format`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct BranchName(String);

impl BranchName {
    /// Checks a short name.
    ///
    /// # Errors
    /// [`NameError`].
    pub fn new(text: &str) -> Result<Self, NameError> {
        let forbidden =
            |c: char| c.is_control() || matches!(c, ' ' | '~' | '^' | ':' | '?' | '*' | '[' | '\\' | '\u{7f}');
        let bad_part =
            |part: &str| part.is_empty() || part.starts_with('.') || part.to_ascii_lowercase().ends_with(".lock");
        let bad = text.is_empty()
            || text.len() > 240
            || text == "@"
            || text == "HEAD"
            || text.starts_with('-')
            || text.ends_with('.')
            || text.contains("..")
            || text.contains("@{")
            || text.chars().any(forbidden)
            || text.split('/').any(bad_part);
        if bad { Err(NameError::new("branch name", text)) } else { Ok(Self(text.to_owned())) }
    }

    /// The short name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The whole ref.
    #[must_use]
    pub fn full(&self) -> String {
        format!("refs/heads/{}", self.0)
    }
}

impl fmt::Display for BranchName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for BranchName {
    type Error = NameError;
    fn try_from(text: String) -> Result<Self, NameError> {
        Self::new(&text)
    }
}

impl From<BranchName> for String {
    fn from(name: BranchName) -> Self {
        name.0
    }
}

/// A branch of ours: `unbreak/…`. The only kind of branch that anything is ever pushed to, and that may be deleted.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct OwnBranch(BranchName);

impl OwnBranch {
    /// What every branch of ours begins with.
    pub const PREFIX: &'static str = "unbreak/";

    /// Checks a short name.
    ///
    /// # Errors
    /// [`NameError`], also for a branch of somebody else.
    pub fn new(text: &str) -> Result<Self, NameError> {
        let name = BranchName::new(text)?;
        if !text.starts_with(Self::PREFIX) {
            return Err(NameError::new("branch of this program", text));
        }
        Ok(Self(name))
    }

    /// The name as that of any branch.
    #[must_use]
    pub fn name(&self) -> &BranchName {
        &self.0
    }
}

impl fmt::Display for OwnBranch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl TryFrom<String> for OwnBranch {
    type Error = NameError;
    fn try_from(text: String) -> Result<Self, NameError> {
        Self::new(&text)
    }
}

impl From<OwnBranch> for String {
    fn from(branch: OwnBranch) -> Self {
        branch.0.into()
    }
}

/// A commit by its whole id: 40 lower-case hexadecimal digits, or 64 in a repository that hashes with SHA-256.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct CommitSha(String);

impl CommitSha {
    /// Checks an id.
    ///
    /// # Errors
    /// [`NameError`].
    pub fn new(text: &str) -> Result<Self, NameError> {
        let digits = |b: u8| b.is_ascii_digit() || (b'a'..=b'f').contains(&b);
        if matches!(text.len(), 40 | 64) && text.bytes().all(digits) {
            return Ok(Self(text.to_owned()));
        }
        Err(NameError::new("commit id", text))
    }

    /// The digits.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for CommitSha {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for CommitSha {
    type Error = NameError;
    fn try_from(text: String) -> Result<Self, NameError> {
        Self::new(&text)
    }
}

impl From<CommitSha> for String {
    fn from(id: CommitSha) -> Self {
        id.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_could_mean_something_else_are_refused() {
        for text in ["", "a", "a/b/c", "../b", "a/..", "-a/b", "a/-b", "a b/c", "a/b\n", "a/b?x", "ä/b"] {
            assert!(RepositoryName::new(text).is_err(), "{text:?}");
        }
        for text in [
            "",
            "-x",
            "a..b",
            "a b",
            "a:b",
            "refs/heads/",
            "/a",
            "a/",
            "a//b",
            ".a",
            "a/.b",
            "a.lock",
            "a@{1}",
            "HEAD",
            "a\nb",
            "a~1",
            "a^",
            "x.",
            "${IFS}?",
            "@",
        ] {
            assert!(BranchName::new(text).is_err(), "{text:?}");
        }
        for text in ["", "abc", "HEAD", &"A".repeat(40), &"g".repeat(40)] {
            assert!(CommitSha::new(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn names_keep_their_spelling_and_repositories_ignore_case() {
        assert_eq!(RepositoryName::new("Octo/Hello").unwrap(), RepositoryName::new("octo/hello").unwrap());
        assert_eq!(RepositoryName::new("Octo/Hello").unwrap().to_string(), "Octo/Hello");
        assert_eq!(RepositoryName::new("octo/.github").unwrap().name(), ".github");
        for text in ["main", "feature/x-1", "renovate/äöü", "user/$(id)", "a.b", "dependabot/npm_and_yarn/x-1.2.3"] {
            assert_eq!(BranchName::new(text).unwrap().as_str(), text);
        }
        assert_eq!(BranchName::new("main").unwrap().full(), "refs/heads/main");
    }
}
