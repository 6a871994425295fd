//! Packages that pass, fail, panic and are not built.

use super::*;
use crate::artifact;

const VERBOSE: &str = "=== RUN   TestA
--- PASS: TestA (0.00s)
=== RUN   TestB
=== RUN   TestB/sub
    b_test.go:7: looked
    b_test.go:9: got 1, want 2
--- FAIL: TestB (0.00s)
    --- FAIL: TestB/sub (0.00s)
=== RUN   TestC
    b_test.go:20: not here
--- SKIP: TestC (0.00s)
FAIL
FAIL\texample.com/m/b\t0.005s
ok  \texample.com/m/c\t0.010s
FAIL
";

#[test]
fn a_verbose_run_gives_output_to_the_test_that_printed_it() {
    let report = artifact::read("log", VERBOSE.as_bytes());
    assert_eq!((report.kind, report.tests.total, report.tests.failed, report.tests.skipped), ("go-test", 4, 2, 1));
    let sub = report.cases.iter().find(|case| case.id.name == "TestB/sub").unwrap();
    assert_eq!(sub.id.class, "example.com/m/b");
    assert_eq!(sub.faults[0].message, "got 1, want 2");
    assert_eq!(sub.faults[0].location.as_ref().unwrap().path, "b_test.go");
}

#[test]
fn a_quiet_run_names_what_failed_with_the_text_below() {
    let log = "ok  \texample.com/a\t0.1s\n--- FAIL: TestX (0.01s)\n    x_test.go:3: \n        \tError Trace:\tx_test.go:3\n        \tError:      \tNot equal: \n        \t            \texpected: 1\n        \t            \tactual  : 2\n        \tTest:       \tTestX\nFAIL\nFAIL\texample.com/x\t0.2s\n";
    let part = read(&Lines::of(log));
    assert_eq!(part.counts.failed, 1);
    assert_eq!(part.cases[0].faults[0].message, "Not equal: expected: 1 actual : 2");
    assert_eq!(part.cases[0].faults[0].lines.unwrap(), artifact::Lines { start: 2, end: 8 });
}

#[test]
fn packages_that_do_not_build_or_panic_are_errors() {
    let log = "# example.com/m/x [example.com/m/x.test]\n./x_test.go:5:2: undefined: y\nFAIL\texample.com/m/x [build failed]\n=== RUN   TestP\npanic: boom\n\ngoroutine 1 [running]:\nmain.f()\n\t/src/p_test.go:4 +0x1\nFAIL\texample.com/m/p\t0.003s\npanic: init\nFAIL\texample.com/m/q\t0.003s\n";
    let part = read(&Lines::of(log));
    assert_eq!((part.counts.errored, part.counts.total), (3, 3));
    let names: Vec<_> = part.cases.iter().map(|case| (case.id.class.as_str(), case.id.name.as_str())).collect();
    assert_eq!(names, [("example.com/m/x", ""), ("example.com/m/p", "TestP"), ("example.com/m/q", "")]);
    assert_eq!(part.cases[0].faults[0].message, "./x_test.go:5:2: undefined: y");
    assert_eq!(part.cases[1].faults[0].message, "panic: boom");
}

#[test]
fn benchmarks_count_once_each() {
    let log = "BenchmarkA-8\t 5000\t 350 ns/op\nBenchmarkA-8\t 5000\t 350 ns/op\nBenchmarkB/x-8\t 5000\t 350 ns/op\nPASS\nok  \tpkg/count\t1.2s";
    assert_eq!(read(&Lines::of(log)).counts.passed, 2);
}

#[test]
fn gotestsum_adds_its_own_names_and_counts() {
    let log = "PASS pkg/a.TestOk (0.00s)\n=== RUN   TestBad\n    a_test.go:3: no\n--- FAIL: TestBad (0.00s)\nFAIL pkg/a.TestBad (0.00s)\n\n=== Failed\n=== FAIL: pkg/a TestBad (0.00s)\n    a_test.go:3: no\n\nDONE 3 tests, 1 skipped, 1 failure in 0.004s\n";
    let report = artifact::read("log", log.as_bytes());
    assert_eq!((report.tests.total, report.tests.failed, report.tests.skipped), (3, 1, 1));
    let failed: Vec<_> = report.cases.iter().filter(|case| case.is_failing()).collect();
    assert_eq!((failed.len(), failed[0].id.class.as_str()), (1, "pkg/a"));
}

#[test]
fn a_cut_at_any_byte_is_read() {
    for end in 0..VERBOSE.len() {
        read(&Lines::of(&VERBOSE[..end]));
    }
}
