//! From what a command printed to what it showed: reports, failures, tests.

use super::Outcome;
use crate::artifact::{self, Report, Status, TestCounts, TestId};
use crate::evidence::{CommandRun, TestRun};
use crate::failure;
use crate::sandbox::Finished;
use crate::source::Source;

/// Reads the outputs, and the report file where there is one.
pub(super) fn outcome(run: CommandRun, finished: Finished, written: Option<Vec<u8>>, source: &dyn Source) -> Outcome {
    let mut reports = Vec::new();
    if let Some(bytes) = written {
        reports.push(artifact::read("report.xml", &bytes));
    }
    // A report file names every test; the printed summary would only name some of them again, in other words.
    let named = reports.iter().any(|report| !report.cases.is_empty());
    for (name, bytes) in [("stdout", &finished.stdout), ("stderr", &finished.stderr)] {
        if !(bytes.is_empty() || named && name == "stdout") {
            reports.push(artifact::read(name, bytes));
        }
    }
    let failures = failure::collect(&reports, Some(source));
    let tests = test_run(&run.id, &reports, failures.iter().map(|failure| failure.id.to_string()));
    Outcome { run, finished, reports, failures, tests }
}

/// The tests that reports name, sorted, with their counts.
pub(super) fn test_run(command: &str, reports: &[Report], failures: impl Iterator<Item = String>) -> TestRun {
    let mut tests: Vec<(TestId, Status)> =
        reports.iter().flat_map(|report| &report.cases).map(|case| (case.id.clone(), case.status)).collect();
    tests.sort();
    let mut failures: Vec<String> = failures.collect();
    failures.sort();
    failures.dedup();
    let counts = reports.iter().map(|report| report.tests).fold(TestCounts::default(), |sum, counts| TestCounts {
        total: sum.total + counts.total,
        passed: sum.passed + counts.passed,
        failed: sum.failed + counts.failed,
        errored: sum.errored + counts.errored,
        skipped: sum.skipped + counts.skipped,
    });
    TestRun { command: command.to_owned(), counts, tests, failures }
}
