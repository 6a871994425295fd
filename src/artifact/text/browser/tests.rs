//! What each browser runner prints.

use super::*;

#[test]
fn karma_names_tests_without_their_browser() {
    let log = "Chrome 60.0.3112 (Linux 0.0.0) Cart adds things FAILED\n\tExpected 1 to be 2.\n\t    at UserContext.<anonymous> (test/cart.spec.js:12:15)\nChrome 60.0.3112 (Linux 0.0.0): Executed 1 of 2 (1 FAILED) (0 secs / 0.01 secs)\nChrome 60.0.3112 (Linux 0.0.0): Executed 2 of 2 (1 FAILED) (0.1 secs / 0.01 secs)\n";
    let part = karma(&Lines::of(log));
    assert_eq!((part.counts.total, part.counts.failed), (2, 1));
    assert_eq!(
        (part.cases[0].id.name.as_str(), part.cases[0].faults[0].message.as_str()),
        ("Cart adds things", "Expected 1 to be 2.")
    );
}

#[test]
fn jasmine_counts_behind_its_failures() {
    let log = "Failures:\n1) Cart adds things\n  Message:\n    Expected 1 to be 2.\n  Stack:\n    Error: Expected 1 to be 2.\n        at <Jasmine>\n        at UserContext.<anonymous> (spec/cart.spec.js:12:15)\n\n3 specs, 1 failure\n";
    let part = jasmine(&Lines::of(log));
    assert_eq!((part.counts.total, part.cases[0].faults[0].message.as_str()), (3, "Expected 1 to be 2."));
}

#[test]
fn playwright_gives_file_suite_and_name() {
    let log = "  1) [chromium] › tests/cart.spec.ts:3:5 › cart › adds ─────────\n\n    Error: expect(received).toBe(expected)\n\n    Expected: 2\n    Received: 1\n\n  1 failed\n    [chromium] › tests/cart.spec.ts:3:5 › cart › adds ────\n  2 passed (5.1s)\n";
    let part = playwright(&Lines::of(log));
    assert_eq!((part.counts.total, part.counts.failed), (3, 1));
    let id = &part.cases[0].id;
    assert_eq!((id.suite.as_str(), id.class.as_str(), id.name.as_str()), ("tests/cart.spec.ts", "cart", "adds"));
}

#[test]
fn bun_and_deno_are_read() {
    let log = "cart.test.ts:\nerror: expect(received).toBe(expected)\n      at /r/cart.test.ts:4:18\n(fail) cart > adds [0.12ms]\n(pass) cart > keeps [0.12ms]\n\n 1 pass\n 1 fail\n 2 expect() calls\nRan 2 tests across 1 files. [8.00ms]\n";
    let part = bun(&Lines::of(log));
    assert_eq!((part.counts.total, part.counts.failed), (2, 1));
    assert_eq!(part.cases[0].faults[0].message, "expect(received).toBe(expected)");
    let log = "running 2 tests from ./a.ts\nkeeps ... ok (5ms)\nadds ... FAILED (4ms)\n\n ERRORS \n\nadds => ./a.ts:3:6\nerror: AssertionError: Values are not equal.\n    at file:///r/a.ts:4:3\n\n FAILURES \n\nadds => ./a.ts:3:6\n\nFAILED | 1 passed | 1 failed (10ms)\n";
    let part = deno(&Lines::of(log));
    assert_eq!((part.counts.total, part.counts.failed, part.cases.len()), (2, 1, 2));
    assert_eq!(part.cases[1].id.name, "adds");
}

#[test]
fn nextest_joins_the_list_and_the_output() {
    let log = "        PASS [   0.004s] demo tests::keeps\n        FAIL [   0.005s] demo tests::adds\n\n--- STDERR:              demo tests::adds ---\nthread 'tests::adds' panicked at src/lib.rs:9:9:\nassertion failed: x\n\n────────────\n     Summary [   0.010s] 2 tests run: 1 passed, 1 failed, 3 skipped\n";
    let part = nextest(&Lines::of(log));
    assert_eq!((part.counts.total, part.counts.failed, part.counts.skipped, part.cases.len()), (5, 1, 3, 2));
    assert_eq!(part.cases[1].faults[0].message, "assertion failed: x");
}

#[test]
fn grunt_blocks_are_read() {
    let log = ">> modal - should close\n>> Message: closed\n>> Actual: false\n>> Expected: true\n>> at test/modal.js:12\nWarning: 1/290 assertions failed (5823ms)\n";
    let part = grunt(&Lines::of(log));
    assert_eq!((part.cases[0].id.class.as_str(), part.cases[0].id.name.as_str()), ("modal", "should close"));
}

#[test]
fn a_cakefile_counts_above_its_failures() {
    let log = "passed 9 tests in 1.2 seconds\nfailed 1 and passed 3 tests in 6.93 seconds\n\n  adds things\n  AssertionError: expected 1 to equal 2\n    at global.test (/r/Cakefile:538:21)\n\n  function () {\n  return 1;\n}\n";
    let part = cake(&Lines::of(log));
    assert_eq!((part.counts.total, part.counts.failed, part.cases[0].id.name.as_str()), (13, 1, "adds things"));
    assert_eq!(part.cases[0].faults[0].message, "AssertionError: expected 1 to equal 2");
}
