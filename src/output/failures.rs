//! Failures for a reader at a terminal.

use std::fmt::Write as _;

use crate::failure::Listing;
use crate::{report, text};

/// What `parse` found, without colour.
#[must_use]
pub fn failures(listing: &Listing) -> String {
    let mut lines = String::new();
    for artifact in &listing.artifacts {
        let tests = &artifact.tests;
        let _ = write!(lines, "{}: {}", text::in_line(&artifact.path), artifact.kind);
        if tests.total > 0 {
            let _ = write!(
                lines,
                ", {} tests: {} passed, {} failed, {} errored, {} skipped",
                tests.total, tests.passed, tests.failed, tests.errored, tests.skipped
            );
        }
        let diagnostics = &artifact.diagnostics;
        if diagnostics.total > 0 {
            let _ = write!(lines, ", {} errors, {} warnings", diagnostics.errors, diagnostics.warnings);
        }
        lines.push('\n');
        for problem in &artifact.problems {
            let place = problem.line.map_or_else(String::new, |line| format!("line {line}: "));
            let _ = writeln!(lines, "  not read: {place}{}", text::in_line(&problem.message));
        }
    }
    for failure in &listing.failures {
        let _ = writeln!(lines, "\n{}", text::in_line(&report::title(failure)));
        let _ = writeln!(lines, "  {} {}", failure.id, format!("{:?}", failure.kind).to_lowercase());
        for line in failure.excerpt.lines() {
            let _ = writeln!(lines, "  | {}", text::printable(line));
        }
    }
    lines
}
