//! Plain text: what a terminal or a CI log shows. One log often holds several formats, so every reader of the
//! table sees every line and what they found is merged.

use super::lines::Lines;
use super::{Case, Diagnostic, Input, Problem, Report, Status, TestCounts};
use super::{ava, cargo_json, cargo_test, jest, mocha, node, pytest, python, rustc, tap, unittest};

/// What one reader found in a text.
#[derive(Debug, Default)]
pub(super) struct Part {
    /// Whether the reader saw its format at all, also when nothing failed.
    pub(super) recognised: bool,
    /// Counts, the cases' included.
    pub(super) counts: TestCounts,
    pub(super) cases: Vec<Case>,
    pub(super) diagnostics: Vec<Diagnostic>,
    pub(super) problems: Vec<Problem>,
    /// Lines (by index, end excluded) that belong to this format: what others read in them is quotation.
    pub(super) claims: Vec<(usize, usize)>,
}

/// A format of text.
struct Format {
    kind: &'static str,
    /// The program that writes it.
    producer: &'static str,
    read: fn(&Lines) -> Part,
}

/// The formats of text; of several in one artifact the first that has tests, else the first, gives the kind.
const TEXTS: &[Format] = &[
    Format { kind: "pytest", producer: "pytest", read: pytest::read },
    Format { kind: "unittest", producer: "unittest", read: unittest::read },
    Format { kind: "cargo-test", producer: "cargo", read: cargo_test::read },
    Format { kind: "tap", producer: "tap", read: tap::read },
    Format { kind: "node-test", producer: "node", read: node::read },
    Format { kind: "jest", producer: "jest", read: jest::read },
    Format { kind: "vitest", producer: "vitest", read: jest::read_vitest },
    Format { kind: "ava", producer: "ava", read: ava::read },
    Format { kind: "mocha", producer: "mocha", read: mocha::read },
    Format { kind: "cargo-json", producer: "cargo", read: cargo_json::read },
    Format { kind: "rustc", producer: "rustc", read: rustc::read },
    Format { kind: "python", producer: "python", read: python::read },
];

/// The kinds of text that are known.
pub(super) fn kinds() -> impl Iterator<Item = &'static str> {
    TEXTS.iter().map(|format| format.kind)
}

/// Whether a text can be anything at all: binaries and structured documents are not for these readers.
pub(super) fn sniff(input: &Input<'_>) -> bool {
    !input.text().trim_start().is_empty()
}

/// Runs every reader; the kind is `unknown` when none recognised anything.
pub(super) fn read(input: &Input<'_>) -> Report {
    let mut report = Report { kind: "unknown", ..Report::default() };
    let lines = Lines::new(input.decoded, &mut report.problems);
    let found: Vec<(&Format, Part)> =
        TEXTS.iter().map(|format| (format, (format.read)(&lines))).filter(|(_, part)| part.recognised).collect();
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
    let first = found.iter().find(|(_, part)| part.counts.total > 0).or_else(|| found.first());
    if let Some((format, _)) = first {
        report.kind = format.kind;
        report.producer = Some(format.producer.to_owned());
    }
    for (format, part) in found {
        report.tests = sum(report.tests, part.counts);
        report.cases.extend(part.cases);
        report.problems.extend(part.problems);
        let quoted = |diagnostic: &Diagnostic| {
            format.kind == "python" && diagnostic.lines.is_some_and(|at| inside(&claims, at.start))
        };
        report.diagnostics.extend(part.diagnostics.into_iter().filter(|diagnostic| !quoted(diagnostic)));
    }
    report
}

fn inside(claims: &[(u32, u32)], line: u32) -> bool {
    let before = claims.partition_point(|(start, _)| *start <= line);
    before.checked_sub(1).is_some_and(|at| claims[at].1 >= line)
}

fn sum(a: TestCounts, b: TestCounts) -> TestCounts {
    TestCounts {
        total: a.total.saturating_add(b.total),
        passed: a.passed.saturating_add(b.passed),
        failed: a.failed.saturating_add(b.failed),
        errored: a.errored.saturating_add(b.errored),
        skipped: a.skipped.saturating_add(b.skipped),
    }
}

/// Counts of cases.
pub(super) fn count(cases: &[Case]) -> TestCounts {
    let mut counts = TestCounts::default();
    for case in cases {
        counts.total += 1;
        match case.status {
            Status::Passed => counts.passed += 1,
            Status::Failed => counts.failed += 1,
            Status::Errored => counts.errored += 1,
            Status::Skipped => counts.skipped += 1,
        }
    }
    counts
}

impl Part {
    /// Takes what the runner states where it counts more than it names: quiet runners name only failures.
    pub(super) fn state(&mut self, stated: TestCounts) {
        let named = count(&self.cases);
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
