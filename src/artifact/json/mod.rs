//! JSON from strangers: documents, read as far as they go, bounded in what they cost.
//!
//! JSON by the line is text: its lines stand in logs between others.

mod allure;
mod annotations;
mod bazel;
mod coverage;
mod cucumber;
pub(super) mod field;
mod ginkgo;
pub(super) mod linter;
mod playwright;
mod sarif;
mod shape;
mod sums;
mod tree;
mod unreal;
mod xcresult;

use std::io::Read;

use serde_json::Value;

use super::decode::Decoded;
use super::{Entry, Report};

/// A format of JSON: recognised by the document's own keys.
struct Format {
    kind: &'static str,
    /// The programs that write it, for people.
    producers: &'static str,
    /// What is read from it, for people.
    reads: &'static str,
    sniff: fn(&Value) -> bool,
    read: fn(&Value, &mut Report),
}

/// The first row that recognises a document reads it; several documents in one text are read as a list of them.
const FORMATS: &[Format] = &[
    Format {
        kind: "playwright-json",
        producers: "Playwright",
        reads: "tests, messages, stacks, retries",
        sniff: playwright::sniff,
        read: playwright::read,
    },
    Format {
        kind: "cucumber-json",
        producers: "Cucumber in every language, behave",
        reads: "scenarios, messages, stacks, hooks",
        sniff: cucumber::sniff,
        read: cucumber::read,
    },
    Format {
        kind: "ginkgo-json",
        producers: "Ginkgo",
        reads: "tests, messages, stacks, retries",
        sniff: ginkgo::sniff,
        read: ginkgo::read,
    },
    Format {
        kind: "allure",
        producers: "Allure adapters of every runner",
        reads: "tests, messages, stacks",
        sniff: allure::sniff,
        read: allure::read,
    },
    Format {
        kind: "bazel-events",
        producers: "Bazel's build event protocol",
        reads: "test targets, retries",
        sniff: bazel::sniff,
        read: bazel::read,
    },
    Format {
        kind: "xcresult",
        producers: "Xcode's `xcresulttool`",
        reads: "tests, messages, places",
        sniff: xcresult::sniff,
        read: xcresult::read,
    },
    Format {
        kind: "unreal-json",
        producers: "Unreal Engine's automation",
        reads: "tests, messages, places",
        sniff: unreal::sniff,
        read: unreal::read,
    },
    Format {
        kind: "test-results",
        producers: "publish-unit-test-result-action",
        reads: "counts, failed tests, messages",
        sniff: sums::sniff,
        read: sums::read,
    },
    Format {
        kind: "annotations",
        producers: "GitHub's list of a check run's annotations",
        reads: "diagnostics",
        sniff: annotations::sniff,
        read: annotations::read,
    },
];

/// Whatever no test runner wrote and looks like a list of findings.
const LINTER: Format = Format {
    kind: "linter-json",
    producers: linter::PRODUCERS,
    reads: "diagnostics, edits",
    sniff: linter::sniff,
    read: linter::read,
};

/// What is read without a tree.
const SARIF: Entry = Entry {
    kind: "sarif",
    syntax: "JSON",
    producers: "CodeQL, Semgrep, Trivy, ESLint, clippy-sarif, MSVC, Roslyn and all else that writes SARIF",
    reads: "diagnostics, code flows, edits",
};

fn formats() -> impl Iterator<Item = &'static Format> {
    FORMATS.iter().chain(coverage::FORMATS)
}

/// The formats, for people.
pub(super) fn entries() -> impl Iterator<Item = Entry> {
    let own = formats().map(|format| (format.kind, format.producers, format.reads));
    // A runner that writes two forms has a row for each.
    let mut last = "";
    let shapes = shape::shapes().filter(move |shape| std::mem::replace(&mut last, shape.kind) != shape.kind);
    let shapes = shapes.map(|shape| (shape.kind, shape.producer, "tests, messages, stacks"));
    let rows = own.chain(shapes).chain([(LINTER.kind, LINTER.producers, LINTER.reads)]);
    std::iter::once(SARIF).chain(rows.map(|(kind, producers, reads)| Entry { kind, syntax: "JSON", producers, reads }))
}

/// Reads a document that is too large to be held, by its beginning; of JSON that is SARIF alone.
pub(super) fn read_stream(head: &str, source: impl Read) -> Option<Report> {
    sarif::sniff(head).then(|| sarif::read_stream(head, source))
}

/// Reads the documents of a known format.
pub(super) fn read(decoded: &Decoded<'_>) -> Option<Report> {
    if sarif::sniff(&decoded.head) {
        return Some(sarif::read(&decoded.head));
    }
    let trees = tree::read(&decoded.head, is_known)?;
    let mut report = Report::default();
    // Findings or events by the line are text: their lines have numbers, and others may stand between.
    let whole = trees.documents.len() == 1 && decoded.head.trim_start().starts_with(['{', '[']);
    if !whole && !trees.documents.iter().any(is_own) {
        return None;
    }
    if trees.documents.len() > 1 {
        let all = Value::Array(trees.documents);
        if !read_one(&all, &mut report) {
            all.as_array().into_iter().flatten().for_each(|document| {
                read_one(document, &mut report);
            });
        }
    } else {
        read_one(trees.documents.first()?, &mut report);
    }
    report.problems.extend(trees.problem);
    Some(report)
}

/// Whether a document is of a format of its own, and not just some list of findings.
fn is_own(document: &Value) -> bool {
    formats().any(|format| (format.sniff)(document)) || shape::of(document).is_some()
}

fn is_known(document: &Value) -> bool {
    is_own(document) || (LINTER.sniff)(document)
}

/// Adds what one document says; whether it is of a known format.
fn read_one(document: &Value, report: &mut Report) -> bool {
    let mut own = Report::default();
    if let Some(format) = formats().find(|format| (format.sniff)(document)) {
        own.kind = format.kind;
        (format.read)(document, &mut own);
    } else if let Some(shape) = shape::of(document) {
        own.kind = shape.kind;
        shape::read(shape, document, &mut own);
    } else if (LINTER.sniff)(document) {
        own.kind = LINTER.kind;
        (LINTER.read)(document, &mut own);
    } else {
        return false;
    }
    let counts = own.tests.or_count(&own.cases);
    if report.kind.is_empty() {
        *report = Report { tests: counts, ..own };
        return true;
    }
    report.tests = report.tests.plus(counts);
    report.cases.extend(own.cases);
    report.diagnostics.extend(own.diagnostics);
    report.coverage.extend(own.coverage);
    report.problems.extend(own.problems);
    true
}

#[cfg(test)]
mod tests;
