//! Plain text: what a terminal or a CI log shows. One log often holds several formats, so every reader of the
//! table sees every line and what they found is merged.

mod ava;
mod beam;
mod behave;
mod between;
mod browser;
mod cargo_json;
mod cargo_test;
mod cases;
mod condense;
mod coverprofile;
mod dotnet;
mod events;
mod flutter;
mod functional;
mod go;
mod jest;
mod json_lines;
mod jvm;
mod lcov;
pub(super) mod lines;
mod mark;
mod maven;
mod mocha;
mod native;
mod node;
mod php;
mod pytest;
mod ruby;
mod runners;
mod rustc;
mod scripts;
mod section;
mod tap;
mod unittest;

use std::io::BufRead;
use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use cases::Cases;
use lines::Lines;

use super::decode::Decoded;
use super::log;
use super::matcher;
use super::options::Options;
use super::trace::crash::{self, python};
use super::{CoveredFile, Diagnostic, DiagnosticTotals, Entry, Problem, Report, TestCounts};

/// What one reader found in a text.
#[derive(Debug, Default)]
pub(super) struct Part {
    /// Whether the reader saw its format at all, also when nothing failed.
    pub(super) recognised: bool,
    /// Counts, the cases' included.
    pub(super) counts: TestCounts,
    pub(super) cases: Cases,
    pub(super) diagnostics: Vec<Diagnostic>,
    pub(super) coverage: Vec<CoveredFile>,
    pub(super) problems: Vec<Problem>,
    /// Diagnostics beyond those that are kept.
    pub(super) more: DiagnosticTotals,
    /// Lines (by index, end excluded) that belong to this format: what others read in them is quotation.
    pub(super) claims: Vec<(usize, usize)>,
    /// What it found inside the claims of others is quotation.
    pub(super) quotes: bool,
    /// All of the text is of this format: nothing else is looked for in it.
    pub(super) whole: bool,
    /// The program that wrote it, where the format has many.
    pub(super) producer: Option<String>,
}

/// A format of text.
struct Format {
    kind: &'static str,
    /// The program that writes it.
    producer: &'static str,
    /// What is read from it, for people.
    reads: &'static str,
    /// Words without one of which no text is of this format, so that most readers never run; none: it always runs.
    needles: &'static [&'static str],
    read: fn(&Lines) -> Part,
}

/// The formats of text; of several in one artifact the first that has tests, else the first, gives the kind.
const FORMATS: &[Format] = &[
    Format {
        kind: "pytest",
        producer: "pytest",
        reads: "tests, messages, stacks",
        needles: &[
            "test session starts",
            "short test summary",
            "passed in ",
            "failed in ",
            "error in ",
            "errors in ",
            "skipped in ",
            "xfailed in ",
            "xpassed in ",
            "deselected in ",
            "warning in ",
            "warnings in ",
            "no tests ran in ",
            ".py::",
            ".rst::",
            ".md::",
            "ImportError while loading conftest",
            "= FAILURES",
            "= ERRORS",
            "warnings summary",
            "[100%]",
            "ERROR: usage: pytest",
            "file or directory not found",
        ],
        read: pytest::read,
    },
    Format {
        kind: "unittest",
        producer: "unittest",
        reads: "tests, messages, stacks",
        needles: &["Ran "],
        read: unittest::read,
    },
    Format {
        kind: "cargo-test",
        producer: "cargo",
        reads: "tests, messages, stacks",
        needles: &["test result: ", "running ", "Doc-tests ", "process didn't exit successfully"],
        read: cargo_test::read,
    },
    Format {
        kind: "tap",
        producer: "tap",
        reads: "tests, messages, stacks",
        needles: &["TAP ", "1..", "ok 1"],
        read: tap::read,
    },
    Format {
        kind: "node-test",
        producer: "node",
        reads: "tests, messages, stacks",
        needles: &["ℹ tests "],
        read: node::read,
    },
    Format {
        kind: "jest",
        producer: "jest",
        reads: "tests, messages, stacks",
        needles: &["Tests:", "  ● ", "FAIL ", "PASS "],
        read: jest::read,
    },
    Format {
        kind: "vitest",
        producer: "vitest",
        reads: "tests, messages, stacks",
        needles: &["Tests  "],
        read: jest::read_vitest,
    },
    Format { kind: "ava", producer: "ava", reads: "tests, messages, stacks", needles: &["─"], read: ava::read },
    Format {
        kind: "mocha",
        producer: "mocha",
        reads: "tests, messages, stacks",
        needles: &[" passing"],
        read: mocha::read,
    },
    Format {
        kind: "cargo-json",
        producer: "cargo",
        reads: "diagnostics, edits",
        needles: &["\"compiler-", "\"build-finished\"", "\"build-script-executed\"", "\"level\""],
        read: cargo_json::read,
    },
    Format {
        kind: "linter-json-lines",
        producer: "linters that write one finding a line",
        reads: "diagnostics, edits",
        needles: &["{\""],
        read: json_lines::read,
    },
    Format {
        kind: "lcov",
        producer: "lcov",
        reads: "covered lines",
        needles: &["end_of_record", "SF:"],
        read: lcov::read,
    },
    Format {
        kind: "go-cover",
        producer: "go",
        reads: "covered lines",
        needles: &["mode: set", "mode: count", "mode: atomic"],
        read: coverprofile::read,
    },
    Format { kind: "rustc", producer: "rustc", reads: "diagnostics", needles: &[], read: rustc::read },
    Format {
        kind: "python",
        producer: "python",
        reads: "tracebacks",
        needles: &["Traceback (most recent call last)"],
        read: python::read,
    },
    Format {
        kind: "crash",
        producer: "node, deno, java, dotnet, go, rust, C, C++, swift, ruby, php, perl, elixir, …",
        reads: "crashes, stacks",
        needles: &[],
        read: crash::read,
    },
];

/// Every format; the runners that share a reader come last.
fn formats() -> impl Iterator<Item = &'static Format> {
    FORMATS.iter().chain(runners::RUNNERS)
}

/// The formats, for people.
pub(super) fn entries() -> impl Iterator<Item = Entry> {
    formats().map(|format| Entry { kind: format.kind, syntax: "text", producers: format.producer, reads: format.reads })
}

/// The same of a text that is too large to be held.
pub(super) fn read_stream(text: impl BufRead, options: &Options<'_>) -> Report {
    let mut problems = Vec::new();
    let lines = condense::read(text, options.matchers, &mut problems);
    read_lines(&lines, problems, options)
}

/// Runs every reader; the kind is `unknown` when none recognised anything.
pub(super) fn read(decoded: &Decoded<'_>, options: &Options<'_>) -> Report {
    let mut problems = Vec::new();
    let lines = Lines::new(decoded, &mut problems);
    read_lines(&lines, problems, options)
}

fn read_lines(lines: &Lines, problems: Vec<Problem>, options: &Options<'_>) -> Report {
    let mut report = Report { kind: "unknown", problems, ..Report::default() };
    let mut found: Vec<(&Format, Part)> =
        possible(lines).map(|format| (format, (format.read)(lines))).filter(|(_, part)| part.recognised).collect();
    if let Some(at) = found.iter().position(|(_, part)| part.whole) {
        let (format, part) = found.swap_remove(at);
        report.kind = format.kind;
        report.producer = Some(format.producer.to_owned());
        report.coverage = part.coverage;
        report.problems.extend(part.problems);
        return report;
    }
    let number = |index: usize| lines.number(index.min(lines.len().saturating_sub(1)));
    let claimed = found.iter().flat_map(|(_, part)| &part.claims);
    let mut claims: Vec<(u32, u32)> =
        claimed.map(|(start, end)| (number(*start), number(end.saturating_sub(1)))).collect();
    claims.sort_unstable();
    // The furthest end so far, so that one look-up tells whether any claim covers a line.
    let mut furthest = 0;
    for (_, end) in &mut claims {
        furthest = furthest.max(*end);
        *end = furthest;
    }
    let quoted = ranges(lines, &found);
    let matched = matcher::read(lines, options.matchers, &quoted);
    let first = found.iter().find(|(_, part)| part.counts.total > 0).or_else(|| found.first());
    if let Some((format, part)) = first {
        report.kind = format.kind;
        report.producer = Some(part.producer.clone().unwrap_or_else(|| format.producer.to_owned()));
    }
    for (_, part) in found {
        report.tests = report.tests.plus(part.counts);
        let (cases, beyond) = part.cases.into_kept();
        report.cases.extend(cases);
        report.problems.extend(beyond);
        report.coverage.extend(part.coverage);
        report.problems.extend(part.problems);
        let quoted =
            |diagnostic: &Diagnostic| part.quotes && diagnostic.lines.is_some_and(|at| inside(&claims, at.start));
        report.diagnostics.extend(part.diagnostics.into_iter().filter(|diagnostic| !quoted(diagnostic)));
    }
    report.problems.extend(matched.problems);
    if matched.recognised {
        if report.kind == "unknown" {
            report.kind = "matched";
            report.producer = matched.diagnostics.first().map(|found| found.tool.clone());
        }
        report.diagnostics.extend(matched.diagnostics);
        report.more = matched.more;
    }
    // Several readers tell of one text: whoever reads the report reads it from its top.
    report.diagnostics.sort_by_key(|found| found.lines.map(|at| at.start));
    if options.logs {
        log::read(lines, options.baseline, &mut report);
    }
    report
}

/// The formats whose words occur at all, found in one pass.
fn possible(lines: &Lines) -> impl Iterator<Item = &'static Format> {
    static NEEDLES: LazyLock<(Option<AhoCorasick>, Vec<usize>)> = LazyLock::new(|| {
        let needles =
            formats().enumerate().flat_map(|(row, format)| format.needles.iter().map(move |word| (word, row)));
        let (words, rows): (Vec<&str>, Vec<usize>) = needles.map(|(word, row)| (*word, row)).unzip();
        (AhoCorasick::builder().kind(Some(AhoCorasickKind::DFA)).build(words).ok(), rows)
    });
    let (words, rows) = &*NEEDLES;
    let mut seen = vec![words.is_none(); formats().count()];
    for found in words.iter().flat_map(|words| words.find_overlapping_iter(lines.text())) {
        seen[rows[found.pattern()]] = true;
    }
    formats().zip(seen).filter(|(format, seen)| *seen || format.needles.is_empty()).map(|(format, _)| format)
}

/// The lines that readers claim, sorted and apart.
fn ranges(lines: &Lines, found: &[(&Format, Part)]) -> Vec<Range<usize>> {
    let told = found.iter().flat_map(|(_, part)| &part.diagnostics).filter_map(|found| found.lines);
    let told = told.map(|at| (lines.index_of(at.start), lines.index_of(at.end) + 1));
    let mut claims: Vec<(usize, usize)> =
        found.iter().flat_map(|(_, part)| part.claims.iter().copied()).chain(told).collect();
    claims.sort_unstable();
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for (start, end) in claims {
        match ranges.last_mut() {
            Some(last) if start <= last.end => last.end = last.end.max(end),
            _ => ranges.push(start..end),
        }
    }
    ranges
}

fn inside(claims: &[(u32, u32)], line: u32) -> bool {
    let before = claims.partition_point(|(start, _)| *start <= line);
    before.checked_sub(1).is_some_and(|at| claims[at].1 >= line)
}

impl Part {
    /// Takes what the runner states where it counts more than it names: quiet runners name only failures.
    pub(super) fn state(&mut self, stated: TestCounts) {
        let named = self.cases.counts();
        let mut counts = TestCounts {
            total: 0,
            passed: named.passed.max(stated.passed),
            failed: named.failed.max(stated.failed),
            errored: named.errored.max(stated.errored),
            skipped: named.skipped.max(stated.skipped),
        };
        counts.total =
            [counts.passed, counts.failed, counts.errored, counts.skipped].into_iter().fold(0_u64, u64::saturating_add);
        self.counts = counts;
    }
}
