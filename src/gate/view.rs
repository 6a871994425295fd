//! A change as the rules see it: each file before and after, its added and removed lines, its tests.

use std::collections::BTreeMap;

use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::cases::{Function, functions};
use super::language::{Language, is_collected, is_test_path};
use super::mask::{Masked, mask};
use super::pairing::{Pairing, pair};
use crate::change::{File, FileChange, Mode};
use crate::ids::RepoPath;
use crate::policy::PatchLimits;
use crate::source::Source;

/// The whole change.
pub(super) struct View<'a> {
    pub(super) files: Vec<Reading<'a>>,
    pub(super) limits: PatchLimits,
    /// The tree that the change applies to, where the caller has it: lockfiles are looked up there.
    pub(super) base: Option<&'a dyn Source>,
    /// What became of each test.
    pub(super) pairing: Pairing,
}

/// One changed file.
pub(super) struct Reading<'a> {
    pub(super) change: &'a FileChange,
    pub(super) path: &'a RepoPath,
    pub(super) language: Language,
    /// Whether tests live here, by its path.
    pub(super) test_path: bool,
    pub(super) before: Version<'a>,
    pub(super) after: Version<'a>,
    pub(super) hunks: Vec<Hunk>,
}

/// One version of a file; empty where the file does not exist or is no text.
#[derive(Default)]
pub(super) struct Version<'a> {
    pub(super) text: &'a str,
    pub(super) masked: Masked,
    pub(super) functions: Vec<Function>,
    pub(super) lines: Vec<&'a str>,
    /// The byte offset of each line.
    starts: Vec<usize>,
    /// The lines of each test function, both ends included.
    tests: Vec<(usize, usize, usize)>,
    /// The lines of Rust's `#[cfg(test)] mod tests { … }`.
    test_module: Option<std::ops::Range<usize>>,
}

/// Lines that were replaced: 0-based ranges in both versions.
#[derive(Debug, Clone)]
pub(super) struct Hunk {
    pub(super) removed: std::ops::Range<usize>,
    pub(super) added: std::ops::Range<usize>,
}

impl<'a> View<'a> {
    pub(super) fn new(changes: &'a [FileChange], limits: PatchLimits, base: Option<&'a dyn Source>) -> Self {
        let mut files: Vec<Reading<'a>> = changes.iter().map(Reading::new).collect();
        files.sort_by(|a, b| a.path.cmp(b.path));
        let pairing = pair(&files);
        Self { files, limits, base, pairing }
    }

    /// Whether code that is no test is changed: what must not be mixed with changed expectations.
    pub(super) fn touches_sources(&self) -> bool {
        self.files.iter().any(|file| {
            file.language.is_code(file.path)
                && !file.test_path
                && !file.hunks.is_empty()
                && file.changes_outside_tests()
        })
    }
}

impl<'a> Reading<'a> {
    fn new(change: &'a FileChange) -> Self {
        let language = Language::of(&change.path);
        let before = Version::new(change.before.as_ref(), language);
        let after = Version::new(change.after.as_ref(), language);
        let hunks = diff(&before.lines, &after.lines);
        Self { change, path: &change.path, language, test_path: is_test_path(&change.path), before, after, hunks }
    }

    /// 0-based indices of the lines that are new.
    pub(super) fn added(&self) -> impl Iterator<Item = usize> {
        self.hunks.iter().flat_map(|hunk| hunk.added.clone())
    }

    /// 0-based indices, in the old version, of the lines that are gone.
    pub(super) fn removed(&self) -> impl Iterator<Item = usize> {
        self.hunks.iter().flat_map(|hunk| hunk.removed.clone())
    }

    /// One of both versions.
    pub(super) fn version(&self, after: bool) -> &Version<'a> {
        if after { &self.after } else { &self.before }
    }

    /// 0-based indices of the lines that only this version has. Counting what both hold as well would give the
    /// same difference, at the cost of reading whole files.
    pub(super) fn own_lines(&self, after: bool) -> Vec<usize> {
        if after { self.added().collect() } else { self.removed().collect() }
    }

    /// Whether the file is test code at this line of the new version: by path, or inside a test function or module.
    pub(super) fn is_test_line(&self, line: usize) -> bool {
        self.test_path || self.after.in_test(line)
    }

    /// Lines added, and removed, as they count against limits.
    pub(super) fn size(&self) -> (usize, usize) {
        (self.added().count(), self.removed().count())
    }

    /// Whether the runner's usual rules collect tests of this file.
    pub(super) fn collected(&self) -> bool {
        is_collected(self.path)
    }

    fn changes_outside_tests(&self) -> bool {
        let code = |version: &Version<'_>, line: usize| !version.code_line(line).trim().is_empty();
        self.added().any(|line| code(&self.after, line) && !self.after.in_test(line))
            || self.removed().any(|line| code(&self.before, line) && !self.before.in_test(line))
    }
}

impl<'a> Version<'a> {
    fn new(file: Option<&'a File>, language: Language) -> Self {
        let text = file
            .filter(|file| matches!(file.mode, Mode::Regular | Mode::Executable))
            .and_then(|file| std::str::from_utf8(&file.bytes).ok())
            .unwrap_or_default();
        let masked = mask(text, language);
        let functions = functions(text, &masked, language);
        let newlines = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
        let starts = std::iter::once(0).chain(newlines).collect();
        let mut version = Self { text, functions, lines: text.lines().collect(), masked, starts, ..Self::default() };
        let tests = version.functions.iter().enumerate().filter(|(_, function)| function.test);
        let lines =
            |span: &std::ops::Range<usize>| (version.line_of(span.start), version.line_of(span.end.saturating_sub(1)));
        version.tests = tests.map(|(which, f)| (lines(&f.span).0, lines(&f.span).1, which)).collect();
        version.test_module = version.find_test_module();
        version
    }

    /// One line of the masked code.
    pub(super) fn code_line(&self, line: usize) -> &str {
        self.line_in(&self.masked.code, line)
    }

    /// One line of the comments alone.
    pub(super) fn comment_line(&self, line: usize) -> &str {
        self.line_in(&self.masked.comments, line)
    }

    /// One line as it stands, less the comment at its end; strings are kept, for words may stand in them.
    pub(super) fn without_comment(&self, line: usize) -> &'a str {
        let text = self.lines.get(line).copied().unwrap_or_default();
        let comment = self.comment_line(line).trim();
        if comment.is_empty() { text } else { text.split(comment).next().unwrap_or_default() }
    }

    fn line_in<'m>(&self, text: &'m str, line: usize) -> &'m str {
        let start = self.starts.get(line).copied().unwrap_or(text.len());
        let end = self.starts.get(line + 1).map_or(text.len(), |next| next.saturating_sub(1));
        text.get(start..end).unwrap_or_default()
    }

    /// The 0-based line of a byte offset.
    pub(super) fn line_of(&self, offset: usize) -> usize {
        self.starts.partition_point(|start| *start <= offset).saturating_sub(1)
    }

    /// The test function that holds a line.
    pub(super) fn test_at(&self, line: usize) -> Option<&Function> {
        let found = self.tests.iter().find(|(first, last, _)| (*first..=*last).contains(&line))?;
        self.functions.get(found.2)
    }

    /// Whether a test function, or a test module, holds a line.
    pub(super) fn in_test(&self, line: usize) -> bool {
        self.test_at(line).is_some() || self.test_module.as_ref().is_some_and(|lines| lines.contains(&line))
    }

    fn find_test_module(&self) -> Option<std::ops::Range<usize>> {
        let code = &self.masked.code;
        let start = code.find("#[cfg(test)]")?;
        let rest = code[start..].trim_start_matches("#[cfg(test)]").trim_start();
        if !rest.starts_with("mod ") && !rest.starts_with("pub") {
            return None;
        }
        let end = super::cases::block_end(code, start, b'{', b'}');
        Some(self.line_of(start)..self.line_of(end) + 1)
    }

    /// The text of a function.
    pub(super) fn body(&self, function: &Function) -> &'a str {
        self.text.get(function.span.clone()).unwrap_or_default()
    }

    /// The masked code of a function.
    pub(super) fn code(&self, function: &Function) -> &str {
        self.masked.code.get(function.span.clone()).unwrap_or_default()
    }

    /// Whether there is any text.
    pub(super) fn exists(&self) -> bool {
        !self.text.is_empty()
    }
}

fn diff(before: &[&str], after: &[&str]) -> Vec<Hunk> {
    capture_diff_slices(Algorithm::Myers, before, after)
        .into_iter()
        .filter(|op| !matches!(op, DiffOp::Equal { .. }))
        .map(|op| Hunk { removed: op.old_range(), added: op.new_range() })
        .collect()
}

/// Counts of things that a rule compares between both versions, with where each occurs.
#[derive(Default)]
pub(super) struct Tally(BTreeMap<String, Vec<(usize, usize)>>);

impl Tally {
    /// Notes a thing at (file, line).
    pub(super) fn note(&mut self, key: String, file: usize, line: usize) {
        self.0.entry(key).or_default().push((file, line));
    }

    /// What occurs more often here than in `other`: the last occurrences, on lines that `fresh` calls new if it can.
    pub(super) fn beyond(&self, other: &Self, fresh: &dyn Fn(usize, usize) -> bool) -> Vec<(String, usize, usize)> {
        let mut more = Vec::new();
        for (key, places) in &self.0 {
            let known = other.0.get(key).map_or(0, Vec::len);
            let mut places = places.clone();
            places.sort_by_key(|(file, line)| (fresh(*file, *line), *file, *line));
            more.extend(places.into_iter().skip(known).map(|(file, line)| (key.clone(), file, line)));
        }
        more.sort_by_key(|(key, file, line)| (*file, *line, key.clone()));
        more
    }
}
