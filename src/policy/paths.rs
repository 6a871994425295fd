//! Rules for paths: patterns like those of `.gitignore`, anchored at the root of the repository.

use std::path::Path;

use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::fold::{fold, fold_text};
use super::{Rule, RuleSource};
use crate::ids::RepoPath;

/// One rule: a pattern and where it stands.
#[derive(Clone)]
pub struct PathRule {
    /// The pattern as written, with its `!`.
    text: String,
    source: RuleSource,
    line: Option<u32>,
    excludes: bool,
    exact: Gitignore,
    folded: Gitignore,
}

impl PathRule {
    /// A rule from `text`, as it stands on `line` of the policy file.
    ///
    /// # Errors
    /// What is wrong with the pattern, in a sentence.
    pub fn new(text: &str, line: Option<u32>, may_exclude: bool) -> Result<Self, String> {
        let source = if line.is_some() { RuleSource::Policy } else { RuleSource::BuiltIn };
        let (excludes, pattern) = match text.strip_prefix('!') {
            Some(_) if !may_exclude => {
                return Err("`!` excludes only in `models.may_see`; use `denied_paths`".to_owned());
            }
            Some(pattern) => (true, pattern),
            None => (false, text),
        };
        check(pattern)?;
        let exact = matcher(pattern)?;
        // What must not be written below a directory must not take the place of the directory either.
        let folded = matcher(fold_text(pattern).trim_end_matches('/'))?;
        Ok(Self { text: text.to_owned(), source, line, excludes, exact, folded })
    }

    /// The pattern as written.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether it begins with `!`.
    #[must_use]
    pub fn excludes(&self) -> bool {
        self.excludes
    }

    /// Whether it names exactly this path, or a directory above it.
    #[must_use]
    pub fn matches(&self, path: &RepoPath) -> bool {
        matched(&self.exact, path.as_str())
    }

    /// Whether it names any spelling of this path: without regard to case, Unicode form and what file systems drop.
    #[must_use]
    pub fn matches_any_spelling(&self, path: &RepoPath) -> bool {
        self.matches_spelled(&Spelled::new(path))
    }

    pub(super) fn matches_spelled(&self, path: &Spelled<'_>) -> bool {
        matched(&self.exact, path.exact) || matched(&self.folded, &path.folded)
    }

    pub(super) fn rule(&self) -> Rule {
        Rule { source: self.source, text: self.text.clone(), line: self.line }
    }
}

/// A path as it is written and as the least careful file system reads it.
pub(super) struct Spelled<'a> {
    exact: &'a str,
    folded: String,
}

impl<'a> Spelled<'a> {
    pub(super) fn new(path: &'a RepoPath) -> Self {
        Self { exact: path.as_str(), folded: fold(path.as_str()) }
    }
}

/// Many patterns in one: says at once that none of them matches, which is so for nearly every path of a tree.
pub(super) struct AnyOf(Gitignore);

impl AnyOf {
    /// Of folded patterns that are known to be good.
    pub(super) fn new<'a>(patterns: impl IntoIterator<Item = &'a str>) -> Self {
        let mut builder = GitignoreBuilder::new("");
        for pattern in patterns {
            // A pattern that cannot be read is one that the tests of the built-in rules find.
            drop(builder.add_line(None, &format!("/{}", fold_text(pattern).trim_end_matches('/'))));
        }
        Self(builder.build().unwrap_or_else(|_| Gitignore::empty()))
    }

    pub(super) fn matches(&self, path: &Spelled<'_>) -> bool {
        matched(&self.0, &path.folded)
    }
}

impl PartialEq for PathRule {
    /// Two rules are the same when they say the same, wherever they stand.
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl std::fmt::Debug for PathRule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}", self.text)
    }
}

fn check(pattern: &str) -> Result<(), String> {
    let drive = pattern.as_bytes().get(1) == Some(&b':') && pattern.starts_with(|c: char| c.is_ascii_alphabetic());
    if pattern.is_empty() || pattern == "." || pattern == "./" {
        Err("the pattern is empty; `**` means everything".to_owned())
    } else if pattern.starts_with('/') || drive {
        Err(format!("`{pattern}` is absolute; patterns are relative to the repository"))
    } else if pattern.starts_with('~') {
        Err(format!("`{pattern}` is not in the repository"))
    } else if pattern.split('/').any(|part| part == "..") {
        Err(format!("`{pattern}` leaves its directory with `..`"))
    } else if pattern.contains('\\') {
        Err(format!("`{pattern}` holds a backslash; parts are separated by `/`"))
    } else if pattern.chars().any(char::is_control) || pattern.trim() != pattern {
        Err("the pattern holds a control character, or a blank at one end".to_owned())
    } else {
        Ok(())
    }
}

fn matcher(pattern: &str) -> Result<Gitignore, String> {
    let mut builder = GitignoreBuilder::new("");
    builder.allow_unclosed_class(false);
    let anchored = format!("/{}", pattern.trim_start_matches("./"));
    let built = builder.add_line(None, &anchored).and_then(|builder| builder.build());
    built.map_err(|error| {
        let told = error.to_string();
        format!("`{pattern}` is no pattern: {}", told.rsplit_once(": ").map_or(told.as_str(), |(_, why)| why))
    })
}

fn matched(rules: &Gitignore, path: &str) -> bool {
    // The matcher asserts that the path is relative; a folded one has no leading slash either.
    !path.is_empty() && !path.starts_with('/') && rules.matched_path_or_any_parents(Path::new(path), false).is_ignore()
}
