//! What the groups of a matcher's patterns say, as a diagnostic.

use super::parse::Pattern;
use super::root;
use super::set::Matcher;
use crate::artifact::{Diagnostic, Lines, Location, Severity};
use crate::text;

/// What the groups of a matcher's patterns said.
#[derive(Default)]
pub(super) struct Said {
    file: String,
    pub(super) line: Option<u32>,
    column: Option<u32>,
    severity: String,
    code: String,
    message: String,
    from_path: String,
}

impl Said {
    pub(super) fn take(&mut self, pattern: &Pattern, groups: &[&str]) {
        let group = |number: Option<usize>| number.and_then(|number| groups.get(number)).map(|found| found.trim());
        let set = |value: &mut String, number: Option<usize>| {
            if let Some(found) = group(number).filter(|found| !found.is_empty()) {
                found.clone_into(value);
            }
        };
        set(&mut self.file, pattern.file);
        set(&mut self.severity, pattern.severity);
        set(&mut self.code, pattern.code);
        set(&mut self.message, pattern.message);
        set(&mut self.from_path, pattern.from_path);
        if let Some(line) = group(pattern.line).and_then(|line| line.parse().ok()) {
            self.line = Some(line);
        }
        if let Some(column) = group(pattern.column).and_then(|column| column.parse().ok()) {
            self.column = Some(column);
        }
    }

    /// Nothing where a repository's matcher found no message: GitHub reports nothing then either.
    pub(super) fn diagnostic(self, matcher: &Matcher, (lines, excerpt): (Option<Lines>, String)) -> Option<Diagnostic> {
        if matcher.file.is_some() && self.message.is_empty() {
            return None;
        }
        let severity = if self.severity.is_empty() { matcher.severity } else { severity(&self.severity) };
        let from = if self.from_path.is_empty() { &matcher.from_path } else { &self.from_path };
        let file = root::rooted(self.file.trim_matches(['"', '\'']), from);
        let location = (!file.is_empty()).then_some(Location { path: file, line: self.line, column: self.column });
        let message = if self.message.is_empty() { self.code.clone() } else { self.message };
        Some(Diagnostic {
            kind: matcher.kind,
            tool: matcher.owner.clone(),
            rule: Some(self.code).filter(|code| !code.is_empty()),
            severity,
            message: text::first_line(&message, 400),
            location,
            details: excerpt.clone(),
            lines,
            excerpt,
            ..Diagnostic::default()
        })
    }
}

/// How bad a tool's word is.
fn severity(word: &str) -> Severity {
    const ERRORS: &[&str] = &[
        "err",
        "fatal",
        "fail",
        "crit",
        "high",
        "severe",
        "block",
        "internal",
        "panic",
        "alert",
        "emerg",
        "fehler",
        "erreur",
        "致命",
        "错误",
        "エラー",
    ];
    const WARNINGS: &[&str] = &[
        "warn",
        "medium",
        "moderate",
        "style",
        "performance",
        "portability",
        "deprecat",
        "questionable",
        "avertissement",
        "警告",
    ];
    let word = word.to_lowercase();
    let word = word.trim_matches(|c: char| !c.is_alphanumeric());
    let starts = |words: &[&str]| words.iter().any(|start| word.starts_with(start));
    if matches!(word, "e" | "f") || starts(ERRORS) || word.contains("error") {
        Severity::Error
    } else if word == "w" || starts(WARNINGS) || word.contains("warning") {
        Severity::Warning
    } else {
        Severity::Note
    }
}
