//! Real output of cargo test, cut down.

use crate::artifact::{FaultKind, Report, Status, read};

const RUN: &str = "     Running unittests src/lib.rs (target/debug/deps/demo_x-0e9959a2f8e92b33)

running 4 tests
test tests::good ... ok
test tests::slow ... ignored, slow
test tests::sp - should panic ... FAILED
test tests::sums ... FAILED

failures:

---- tests::sp stdout ----
note: test did not panic as expected at src/lib.rs:18:29
---- tests::sums stdout ----

thread 'tests::sums' (20710) panicked at src/lib.rs:14:22:
assertion `left == right` failed: sums of 1
  left: 3
 right: 4
stack backtrace:
   0: core::panicking::assert_failed
             at /rustc/59807616e1fa2540724bfbac14d7976d7e4a3860/library/core/src/panicking.rs:394:5
   1: demo_x::tests::sums
             at ./src/lib.rs:14:22


failures:
    tests::sp
    tests::sums

test result: FAILED. 1 passed; 2 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.20s

error: test failed, to rerun pass `--lib`
     Running tests/it.rs (target/debug/deps/it-5deb4dd97fcf70d1)

running 2 tests
error: test failed, to rerun pass `--test it`

Caused by:
  process didn't exit successfully: `/x/target/debug/deps/it-5deb4dd97fcf70d1` (signal: 6, SIGABRT: process abort signal)
   Doc-tests demo_x

running 1 test
test src/lib.rs - add (line 3) ... FAILED

failures:

---- src/lib.rs - add (line 3) stdout ----
Test executable failed (exit status: 101).

stderr:

thread 'main' (20748) panicked at src/lib.rs:5:1:
assertion `left == right` failed
  left: 3
 right: 4

failures:
    src/lib.rs - add (line 3)

test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.62s
";

fn names(report: &Report) -> Vec<String> {
    report
        .cases
        .iter()
        .map(|case| format!("{}|{}|{} {:?}", case.id.suite, case.id.class, case.id.name, case.status))
        .collect()
}

#[test]
fn several_binaries_and_documentation_tests_are_read() {
    let report = read("log", RUN.as_bytes());
    assert_eq!(
        names(&report),
        [
            "src/lib.rs|demo_x|tests::good Passed",
            "src/lib.rs|demo_x|tests::slow Skipped",
            "src/lib.rs|demo_x|tests::sp Failed",
            "src/lib.rs|demo_x|tests::sums Failed",
            "doc-tests|demo_x|src/lib.rs - add (line 3) Failed",
        ]
    );
    assert_eq!((report.kind, report.tests.total, report.tests.failed), ("cargo-test", 5, 3));
    let sums = &report.cases[3].faults[0];
    assert_eq!(sums.message, "assertion `left == right` failed: sums of 1, left: 3, right: 4");
    assert_eq!(sums.excerpt.lines().count(), 4);
    assert_eq!(sums.frames[0].function.as_deref(), Some("demo_x::tests::sums"));
    assert_eq!(report.cases[2].faults[0].message, "test did not panic as expected");
    assert_eq!(report.cases[4].faults[0].location.as_ref().unwrap().line, Some(3));
}

#[test]
fn a_binary_that_died_is_a_crash() {
    let report = read("log", RUN.as_bytes());
    assert_eq!(report.diagnostics.len(), 1);
    assert_eq!(report.diagnostics[0].kind, FaultKind::Crash);
    assert!(report.diagnostics[0].message.contains("`it` died (signal: 6"), "{}", report.diagnostics[0].message);
}

#[test]
fn a_test_that_overflowed_its_stack_is_named() {
    let text = "running 2 tests\ntest a ... ok\n\nthread 'deep' (7) has overflowed its stack\nfatal runtime error: stack overflow, aborting\nerror: test failed, to rerun pass `--lib`\n\nCaused by:\n  process didn't exit successfully: `/x/deps/it-5deb4dd97fcf70d1` (signal: 6, SIGABRT: process abort signal)\n";
    let report = read("log", text.as_bytes());
    assert_eq!(names(&report), ["||a Passed", "||deep Errored"]);
    assert!(report.cases[1].faults[0].message.contains("overflowed its stack"));
}

#[test]
fn a_quiet_run_names_failures_and_counts_the_rest() {
    let text = "running 8 tests\n. 1/8\ntests::b --- FAILED\n......\nfailures:\n\n---- tests::b stdout ----\n\nthread 'tests::b' panicked at 'boom', src/lib.rs:3:5\nnote: run with `RUST_BACKTRACE=1`\n\n\nfailures:\n    tests::b\n\ntest result: FAILED. 7 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out\n";
    let report = read("log", text.as_bytes());
    assert_eq!((report.tests.total, report.tests.passed, report.tests.failed), (8, 7, 1));
    assert_eq!(report.cases[0].faults[0].message, "boom");
}

#[test]
fn output_that_is_not_captured_still_explains() {
    let text = "running 1 test\ntest tests::a ... \nthread 'tests::a' (9) panicked at src/lib.rs:10:43:\nindex out of bounds\nnote: run with `RUST_BACKTRACE=1`\nFAILED\n\nfailures:\n\nfailures:\n    tests::a\n\ntest result: FAILED. 0 passed; 1 failed; 0 ignored\n";
    let report = read("log", text.as_bytes());
    assert_eq!((report.cases.len(), report.cases[0].status), (1, Status::Failed));
    assert_eq!(report.cases[0].faults[0].message, "index out of bounds");
}

#[test]
fn a_run_that_is_cut_off_says_so() {
    let report = read("log", b"running 5 tests\ntest a ... ok\n");
    assert_eq!((report.tests.total, report.problems.len()), (1, 1));
}
