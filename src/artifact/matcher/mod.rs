//! Problem matchers: tools that report by the line, described in the JSON that GitHub Actions knows.
//!
//! Data files hold the common tools; a repository's own are read beside them. A matcher of several patterns matches
//! lines in a row, so it is looked for by its last pattern and verified backwards: no state runs through a log.

mod built_in;
mod parse;

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use regex::{Captures, RegexSet, RegexSetBuilder};

use super::text::Part;
use super::text::lines::Lines;
use super::{Diagnostic, FaultKind, Location, Problem, Severity};
use crate::text;

/// A compiled set may take this much memory.
const SIZE_LIMIT: usize = 32 << 20;
/// Longer lines report nothing.
const LINE_LIMIT: usize = 4096;
/// More diagnostics of one text than this are counted, not kept.
const KEPT: usize = 100_000;

/// One matcher.
#[derive(Debug)]
pub(super) struct Matcher {
    /// The tool.
    owner: String,
    severity: Severity,
    kind: FaultKind,
    /// Its lines belong to the report above them: nobody reads them for one of their own.
    context: bool,
    /// One for each line.
    patterns: Vec<parse::Pattern>,
}

/// Matchers that are tried together, the more specific first.
#[derive(Debug)]
pub struct Matchers {
    matchers: Vec<Matcher>,
    /// The last pattern of each.
    last: RegexSet,
}

static BUILT_IN: LazyLock<Matchers> = LazyLock::new(|| Matchers::new(built_in::matchers(&mut Vec::new())));

impl Matchers {
    fn new(matchers: Vec<Matcher>) -> Self {
        let last = matchers.iter().filter_map(|matcher| Some(matcher.patterns.last()?.regex.as_str()));
        let last = RegexSetBuilder::new(last).size_limit(SIZE_LIMIT).dfa_size_limit(SIZE_LIMIT).build();
        // Each pattern compiled alone; together they may be too large, and then none is used.
        Self { matchers, last: last.unwrap_or_else(|_| RegexSet::empty()) }
    }

    /// The common tools.
    #[must_use]
    pub fn built_in() -> &'static Self {
        &BUILT_IN
    }

    /// Those of a repository, which win over the common ones: name and text of each file.
    #[must_use]
    pub fn of(files: &[(String, String)]) -> (Self, Vec<Problem>) {
        let mut problems = Vec::new();
        let mut matchers = Vec::new();
        for (name, json) in files {
            matchers.extend(parse::read(name, json, &mut problems));
        }
        matchers.extend(built_in::matchers(&mut problems));
        (Self::new(matchers), problems)
    }
}

/// Reads every line outside of `claimed`, which are sorted and apart.
pub(super) fn read(lines: &Lines, matchers: &Matchers, claimed: &[Range<usize>]) -> Part {
    let mut part = Part::default();
    let mut claims = claimed.iter().peekable();
    // The matcher, header and line of the last hit: a loop goes on from there.
    let mut before: Option<(usize, usize, usize)> = None;
    for (index, line) in lines.all() {
        while claims.peek().is_some_and(|claim| claim.end <= index) {
            claims.next();
        }
        if claims.peek().is_some_and(|claim| claim.contains(&index)) || !may_report(line) {
            continue;
        }
        for at in matchers.last.matches(line) {
            let matcher = &matchers.matchers[at];
            if matcher.context {
                break;
            }
            let known = before.filter(|(of, _, line)| *of == at && line + 1 == index).map(|(_, head, _)| head);
            if let Some((found, head)) = matched(lines, matcher, index, known) {
                before = Some((at, head, index));
                if part.diagnostics.len() < KEPT {
                    part.diagnostics.push(found);
                } else {
                    part.more.add(found.severity);
                }
                break;
            }
        }
    }
    part.recognised = !part.diagnostics.is_empty();
    part
}

/// What one of has to stand in a line that reports something.
static WORDS: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    let words = [
        "error",
        "warn",
        "fatal",
        "reformat",
        "sorted",
        "*w,",
        "*e,",
        "can't",
        "nothing changed",
        "undefined",
        "multiple def",
        "note:",
    ];
    AhoCorasick::builder().ascii_case_insensitive(true).build(words).ok()
});

/// A report names a line by a number behind a mark, or says how bad it is.
fn may_report(line: &str) -> bool {
    if !(5..=LINE_LIMIT).contains(&line.len()) {
        return false;
    }
    let placed = |pair: &[u8]| {
        pair[1].is_ascii_digit() && matches!(pair[0], b':' | b'(' | b'[' | b',' | b' ' | b'#' | b'A'..=b'Z')
    };
    line.as_bytes().windows(2).any(placed) || WORDS.as_ref().is_some_and(|words| words.is_match(line))
}

/// The diagnostic that ends on the line `end`, and the first line of its matcher.
fn matched(lines: &Lines, matcher: &Matcher, end: usize, known: Option<usize>) -> Option<(Diagnostic, usize)> {
    let (last, above) = matcher.patterns.split_last()?;
    let head = match known {
        Some(head) if last.is_loop => head,
        _ => {
            let mut bottom = end;
            while last.is_loop && bottom > 0 && end - bottom < 1000 && last.regex.is_match(lines.get(bottom - 1)) {
                bottom -= 1;
            }
            bottom.checked_sub(above.len())?
        }
    };
    let mut read = Read::default();
    for (pattern, index) in above.iter().zip(head..) {
        read.take(pattern, &pattern.regex.captures(lines.get(index))?);
    }
    read.take(last, &last.regex.captures(lines.get(end))?);
    let first = if last.is_loop { end } else { head };
    let quoted = quoted(lines, first, end);
    Some((read.diagnostic(matcher, lines.quote(first..quoted)), head))
}

/// The lines that a tool prints below its report: the source and what points into it.
fn quoted(lines: &Lines, first: usize, end: usize) -> usize {
    let points = |index: usize| {
        let line = lines.get(index).trim_start_matches(['|', ' ', '\t']);
        !line.is_empty() && line.starts_with(['^', '~']) || line.trim_end().ends_with('^')
    };
    (end + 1..end + 4)
        .find(|index| points(*index))
        .filter(|index| index - first < 12)
        .map_or(end + 1, |index| index + 1)
}

/// What the groups of a matcher's patterns said.
#[derive(Default)]
struct Read {
    file: String,
    line: Option<u32>,
    column: Option<u32>,
    severity: String,
    code: String,
    message: String,
}

impl Read {
    fn take(&mut self, pattern: &parse::Pattern, groups: &Captures<'_>) {
        let group =
            |number: Option<usize>| number.and_then(|number| groups.get(number)).map(|found| found.as_str().trim());
        let set = |value: &mut String, number: Option<usize>| {
            if let Some(found) = group(number).filter(|found| !found.is_empty()) {
                found.clone_into(value);
            }
        };
        set(&mut self.file, pattern.file);
        set(&mut self.severity, pattern.severity);
        set(&mut self.code, pattern.code);
        set(&mut self.message, pattern.message);
        if let Some(line) = group(pattern.line).and_then(|line| line.parse().ok()) {
            self.line = Some(line);
        }
        if let Some(column) = group(pattern.column).and_then(|column| column.parse().ok()) {
            self.column = Some(column);
        }
    }

    fn diagnostic(self, matcher: &Matcher, (lines, excerpt): (Option<super::Lines>, String)) -> Diagnostic {
        let severity = if self.severity.is_empty() { matcher.severity } else { severity(&self.severity) };
        let file = self.file.trim_matches(['"', '\'']);
        let location =
            (!file.is_empty()).then(|| Location { path: file.to_owned(), line: self.line, column: self.column });
        let message = if self.message.is_empty() { self.code.clone() } else { self.message };
        Diagnostic {
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
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_data_file_can_be_used() {
        let (matchers, problems) = Matchers::of(&[]);
        assert!(problems.is_empty(), "{problems:?}");
        assert_eq!(matchers.last.len(), matchers.matchers.len());
        assert!(matchers.matchers.len() > 60);
    }

    /// `path:line:column severity code message` of each diagnostic that `json` finds in `text`.
    fn found(json: &str, text: &str) -> Vec<String> {
        let (matchers, problems) = Matchers::of(&[("m.json".to_owned(), json.to_owned())]);
        assert!(problems.is_empty(), "{problems:?}");
        let part = read(&Lines::of(text), &matchers, &[]);
        let shown = part.diagnostics.iter().map(|found| {
            let at = found.location.as_ref().map_or("-".to_owned(), |at| {
                format!("{}:{}:{}", at.path, at.line.unwrap_or(0), at.column.unwrap_or(0))
            });
            format!("{at} {:?} {} {}", found.severity, found.rule.as_deref().unwrap_or("-"), found.message)
        });
        shown.collect()
    }

    #[test]
    fn a_loop_takes_its_file_from_the_line_above() {
        let json = r#"{"problemMatcher": [{"owner": "x", "pattern": [
            {"regexp": "^File (\\S+)$", "file": 1},
            {"regexp": "^ +(\\d+):(\\d+) (error|warn) (.+) \\[(.+)\\]$", "line": 1, "column": 2, "severity": 3,
             "message": 4, "code": 5, "loop": true}]}]}"#;
        let text = "File a.x\n  1:2 error bad [A]\n  3:4 warn odd [B]\nother\n  5:6 error lost [C]\nFile b.x\n  7:8 error end [D]\n";
        assert_eq!(found(json, text), ["a.x:1:2 Error A bad", "a.x:3:4 Warning B odd", "b.x:7:8 Error D end"]);
    }

    #[test]
    fn patterns_match_lines_in_a_row_or_not_at_all() {
        let json = r#"{"problemMatcher": [{"owner": "x", "severity": "warning", "pattern": [
            {"regexp": "^>> (.+)$", "message": 1}, {"regexp": "^at (\\S+) line (\\d+)$", "file": 1, "line": 2}]}]}"#;
        assert_eq!(found(json, ">> bad\nat a.x line 3\n"), ["a.x:3:0 Warning - bad"]);
        assert!(found(json, ">> bad\n\nat a.x line 3\n").is_empty());
    }

    #[test]
    fn common_tools_are_known() {
        let text = "src/a.c:3:12: error: 'x' undeclared [-Wx]\nsrc/a.c:3:12: note: each undeclared identifier\nA.cs(7,9): warning CS0168: The variable 'e' is never used [A.csproj]\n[WARNING] /r/A.java:[23,32] [Format] Prefer this\nlib/x.py:4:1: F401 'os' imported but unused\nmain.go:9:2: undefined: y\n";
        let report = crate::artifact::read("o.txt", text.as_bytes());
        let shown: Vec<_> =
            report.diagnostics.iter().map(|found| (found.tool.as_str(), found.rule.as_deref())).collect();
        assert_eq!(
            shown,
            [
                ("ansi-c", Some("-Wx")),
                ("msbuild", Some("CS0168")),
                ("maven", Some("Format")),
                ("flake8", Some("F401")),
                ("go", None)
            ]
        );
    }

    #[test]
    fn strange_files_are_named_with_their_reason() {
        let files = [
            ("a.json", "{"),
            ("b.json", r#"{"problemMatcher": [{"owner": "o", "pattern": []}]}"#),
            ("c.json", r#"{"problemMatcher": [{"owner": "o", "pattern": [{"regexp": "(?<!x)y"}]}]}"#),
            ("d.json", r#"{"problemMatcher": {"owner": "fine", "pattern": {"regexp": "^zz$", "file": 99}}}"#),
        ];
        let files: Vec<_> = files.iter().map(|(name, json)| ((*name).to_owned(), (*json).to_owned())).collect();
        let (_, problems) = Matchers::of(&files);
        let named: Vec<_> = problems.iter().map(|problem| problem.message.split(':').next().unwrap()).collect();
        assert_eq!(named, ["a.json", "b.json", "c.json"], "{problems:?}");
    }
}
