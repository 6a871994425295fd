//! From what a command printed to what it showed: reports, failures, tests.

use std::path::Path;

use super::Outcome;
use crate::artifact::{self, Report, Status, TestCounts, TestId};
use crate::evidence::{CommandRun, TestRun};
use crate::failure;
use crate::sandbox::{End, Finished};
use crate::source::Source;

/// Reads the outputs, and the report file where there is one, of a command in the work tree `place`.
pub(super) fn outcome(
    run: CommandRun,
    finished: Finished,
    written: Option<Vec<u8>>,
    (place, source): (&Path, &dyn Source),
) -> Outcome {
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
    for report in &mut reports {
        name_relative(report, place);
    }
    let mut failures = failure::collect(&reports, Some(source));
    if failures.is_empty() && finished.end != End::Code(0) {
        // Some runners count on one stream and explain on the other: neither is read without its half.
        let whole = [&finished.stderr[..], b"\n", &finished.stdout[..]].concat();
        let mut joined = artifact::read("output", &whole);
        name_relative(&mut joined, place);
        failures = failure::collect(std::slice::from_ref(&joined), Some(source));
        if !failures.is_empty() {
            reports = vec![joined];
        }
    }
    let tests = test_run(&run.id, &reports, failures.iter().map(|failure| failure.id.to_string()));
    Outcome { run, finished, reports, failures, tests }
}

/// Some runners name a test by its file's whole path: where the tree lies is no part of that.
fn name_relative(report: &mut Report, place: &Path) {
    let prefix = format!("{}/", place.display());
    for id in report.cases.iter_mut().map(|case| &mut case.id) {
        for part in [&mut id.suite, &mut id.class, &mut id.name] {
            if part.contains(&prefix) {
                *part = part.replace(&prefix, "");
            }
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::Sha;
    use crate::source::Memory;

    fn read(code: i32, stdout: &str, stderr: &str) -> Outcome {
        let run = CommandRun {
            id: "c1".into(),
            purpose: "proof".into(),
            argv: Vec::new(),
            cwd: ".".into(),
            exit_code: Some(code),
            ended_by: None,
            seconds: 0.0,
            output_hash: Sha::of(b""),
        };
        let finished = Finished {
            end: End::Code(code),
            stdout: stdout.into(),
            stderr: stderr.into(),
            truncated: false,
            elapsed: std::time::Duration::ZERO,
            denied: Vec::new(),
        };
        outcome(run, finished, None, (Path::new("/run/tree"), &Memory::new::<[u8; 0]>([])))
    }

    const COUNTS: &str = " ✓ test/b.test.ts (2 tests) 3ms\n\n Test Files  1 failed | 1 passed (2)\n      Tests  1 failed | 2 passed (3)\n";
    const REASON: &str = "\n FAIL  test/a.test.ts > isRelative > ../x\nAssertionError: expected false to be true\n\n ❯ test/a.test.ts:89:35\n";

    #[test]
    fn counts_and_reasons_on_two_streams_are_put_together() {
        let outcome = read(1, COUNTS, REASON);
        assert_eq!(outcome.failures.len(), 1);
        assert_eq!(outcome.failures[0].test.as_ref().unwrap().name, "../x");
        assert_eq!((outcome.tests.counts.failed, outcome.tests.counts.passed), (1, 2));
    }

    #[test]
    fn a_test_that_is_named_by_its_file_does_not_tell_where_the_tree_lies() {
        let outcome = read(1, "TAP version 13\n1..1\nnot ok 1 - /run/tree/dist/a.test.js\n", "");
        assert_eq!(outcome.tests.tests[0].0.name, "dist/a.test.js");
    }

    #[test]
    fn a_stream_that_says_enough_is_read_by_itself() {
        let outcome = read(1, &format!("{REASON}{COUNTS}"), "warning: something\n");
        assert_eq!((outcome.failures.len(), outcome.reports.len()), (1, 2));
        assert!(read(0, COUNTS, REASON).failures.is_empty());
    }
}
