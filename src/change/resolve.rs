//! Edits against a tree: every one fits, or none is made.

use std::collections::BTreeMap;
use std::fmt;

use crate::change::locate::{Place, locate};
use crate::change::{Edit, File, FileChange, Mode};
use crate::ids::RepoPath;
use crate::source::Source;
use crate::text::nearest;

/// The edit that does not fit, and why.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("edit {number} of {path}: {reason}")]
pub struct EditError {
    /// 1-based place among the edits.
    pub number: usize,
    /// The file.
    pub path: RepoPath,
    /// Why.
    pub reason: Reason,
}

/// Why an edit does not fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// The file is not there.
    NoFile {
        /// A file of nearly that path.
        near: Option<String>,
    },
    /// It is not UTF-8 text.
    NotText,
    /// The file to create is there, or one of its directories is a file.
    Exists,
    /// There is nothing to look for.
    EmptyOld,
    /// It changes nothing.
    NoChange,
    /// The old text occurs more than once.
    Ambiguous {
        /// 1-based first lines.
        lines: Vec<usize>,
    },
    /// The old text does not occur.
    Missing {
        /// 1-based line of the file where it parts from the old text; `None` when not even its first line occurs.
        line: Option<usize>,
        /// The line of the old text.
        expected: String,
        /// The line of the file; `None` at its end.
        actual: Option<String>,
        /// Whether the new text stands there already.
        stands: bool,
    },
    /// The old text occurred until an earlier edit of the same round changed it.
    Overlaps,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoFile { near: None } => f.write_str("there is no such file; create_file makes one"),
            Self::NoFile { near: Some(near) } => write!(f, "there is no such file; did you mean {near}?"),
            Self::NotText => f.write_str("the file is not UTF-8 text"),
            Self::Exists => f.write_str("the path exists already; use edit"),
            Self::EmptyOld => f.write_str("`old` is empty; quote the lines to replace"),
            Self::NoChange => f.write_str("it changes nothing"),
            Self::Ambiguous { lines } => {
                let lines = lines.iter().take(20).map(ToString::to_string).collect::<Vec<_>>().join(", ");
                write!(f, "`old` occurs more than once, at lines {lines}; quote more lines around it")
            }
            Self::Missing { line, expected, actual, stands } => {
                match (line, actual) {
                    (None, _) => write!(f, "`old` does not occur, not even its first line `{expected}`")?,
                    (Some(line), None) => {
                        write!(f, "`old` goes on with `{expected}` where the file ends (line {line})")?;
                    }
                    (Some(line), Some(actual)) => {
                        write!(f, "`old` parts from the file at line {line}: expected `{expected}`, found `{actual}`")?;
                    }
                }
                if *stands { f.write_str("; `new` stands in the file already") } else { Ok(()) }
            }
            Self::Overlaps => f.write_str("an earlier edit of this round changed the text that `old` quotes"),
        }
    }
}

/// What the files become when the edits are made in their order, each on the outcome of those before it.
///
/// # Errors
/// The first edit that does not fit; then none is made.
pub fn resolve(edits: &[Edit], source: &dyn Source) -> Result<Vec<FileChange>, EditError> {
    let mut drafts: BTreeMap<RepoPath, Draft> = BTreeMap::new();
    for (at, edit) in edits.iter().enumerate() {
        let path = edit.path();
        let failed = |reason| EditError { number: at + 1, path: path.clone(), reason };
        match edit {
            Edit::Create { content, .. } => {
                let draft = Draft::create(path, content, source, &drafts).map_err(failed)?;
                drafts.insert(path.clone(), draft);
            }
            Edit::Replace { old, new, .. } => {
                if !drafts.contains_key(path) {
                    drafts.insert(path.clone(), Draft::open(path, source).map_err(failed)?);
                }
                if let Some(draft) = drafts.get_mut(path) {
                    draft.replace(old, new).map_err(failed)?;
                }
            }
        }
    }
    Ok(drafts.into_iter().filter_map(|(path, draft)| draft.finish(path)).collect())
}

/// A file while it is being edited: text without byte-order mark, and with `\n` when it had `\r\n` throughout.
struct Draft {
    before: Option<File>,
    mode: Mode,
    mark: bool,
    crlf: bool,
    original: String,
    text: String,
}

impl Draft {
    fn open(path: &RepoPath, source: &dyn Source) -> Result<Self, Reason> {
        let (Some(entry), Some(bytes)) = (source.entry(path), source.read(path)) else {
            let paths = source.files().iter().map(|entry| entry.path.as_str());
            return Err(Reason::NoFile { near: nearest(path.as_str(), paths).map(str::to_owned) });
        };
        let mode = if entry.executable { Mode::Executable } else { Mode::Regular };
        let text = std::str::from_utf8(&bytes).ok().filter(|text| !text.contains('\0')).ok_or(Reason::NotText)?;
        let (mark, text) = text.strip_prefix('\u{feff}').map_or((false, text), |text| (true, text));
        let crlf = text.contains("\r\n") && text.matches('\n').count() == text.matches("\r\n").count();
        let text = if crlf { text.replace("\r\n", "\n") } else { text.to_owned() };
        let before = Some(File { bytes: bytes.to_vec(), mode });
        Ok(Self { before, mode, mark, crlf, original: text.clone(), text })
    }

    fn create(
        path: &RepoPath,
        content: &str,
        source: &dyn Source,
        drafts: &BTreeMap<RepoPath, Self>,
    ) -> Result<Self, Reason> {
        let taken = |path: &RepoPath| source.entry(path).is_some() || drafts.contains_key(path);
        let below = format!("{path}/");
        let is_directory = source
            .files()
            .iter()
            .map(|entry| &entry.path)
            .chain(drafts.keys())
            .any(|other| other.as_str().starts_with(&below));
        let mut parent = path.parent();
        let mut blocked = taken(path) || is_directory;
        while let Some(directory) = parent {
            blocked |= taken(&directory);
            parent = directory.parent();
        }
        if blocked {
            return Err(Reason::Exists);
        }
        if content.contains('\0') {
            return Err(Reason::NotText);
        }
        let text = content.to_owned();
        Ok(Self { before: None, mode: Mode::Regular, mark: false, crlf: false, original: text.clone(), text })
    }

    fn replace(&mut self, old: &str, new: &str) -> Result<(), Reason> {
        let unix = |text: &str| if self.crlf { text.replace("\r\n", "\n") } else { text.to_owned() };
        let (old, new) = (unix(old), unix(new));
        if old.is_empty() {
            return Err(Reason::EmptyOld);
        }
        if old == new {
            return Err(Reason::NoChange);
        }
        let Place { start, end, replacement } = locate(&self.text, &old, &new).map_err(|reason| {
            let was_there = self.text != self.original && locate(&self.original, &old, &new).is_ok();
            if was_there && matches!(reason, Reason::Missing { .. }) { Reason::Overlaps } else { reason }
        })?;
        if replacement.contains('\0') {
            return Err(Reason::NotText);
        }
        self.text.replace_range(start..end, &replacement);
        Ok(())
    }

    fn finish(self, path: RepoPath) -> Option<FileChange> {
        let mut text = if self.crlf { self.text.replace('\n', "\r\n") } else { self.text };
        if self.mark {
            text.insert(0, '\u{feff}');
        }
        let after = File { bytes: text.into_bytes(), mode: self.mode };
        (self.before.as_ref() != Some(&after)).then_some(FileChange { path, before: self.before, after: Some(after) })
    }
}

#[cfg(test)]
mod tests;
