//! Plain TAP, and node's.

use crate::artifact::{Report, Status, read};

fn shown(report: &Report) -> Vec<String> {
    report.cases.iter().map(|case| format!("{}|{} {:?}", case.id.class, case.id.name, case.status)).collect()
}

#[test]
fn points_and_directives_are_read() {
    let report = read("t", b"TAP version 13\n1..5\nok 1 - a\nnot ok 2 - b\nok 3 - c # SKIP no db\nnot ok 4 - d # TODO later\nok 5 - issue #12\n    not ok 1 - inner\n");
    assert_eq!(shown(&report), ["|a Passed", "|b Failed", "|c Skipped", "|d Skipped", "|issue #12 Passed"]);
    assert_eq!(report.kind, "tap");
}

#[test]
fn the_runner_of_node_nests_its_tests() {
    let text = "TAP version 13
# Subtest: bad one
not ok 1 - bad one
  ---
  duration_ms: 1.313598
  location: '/r/test/a.test.js:3:1'
  error: |-
    Expected values to be strictly equal:
    
    1 !== 2
    
  name: 'AssertionError'
  stack: |-
    TestContext.<anonymous> (/r/test/a.test.js:3:32)
    Test.run (node:internal/test_runner/test:796:25)
  ...
# Subtest: suite
    # Subtest: inner bad
    not ok 1 - inner bad
      ---
      location: '/r/test/a.test.js:4:53'
      error: 'boom'
      ...
    # Subtest: td
    ok 2 - td # TODO
    1..2
not ok 2 - suite
  ---
  type: 'suite'
  error: '1 subtest failed'
  ...
# Error: Cannot find module './nope'
# Subtest: /r/test/b.test.js
not ok 3 - /r/test/b.test.js
  ---
  error: 'test failed'
  ...
1..3
# tests 4
# suites 1
# pass 0
# fail 3
# cancelled 0
# skipped 0
# todo 1
";
    let report = read("t", text.as_bytes());
    assert_eq!(
        shown(&report),
        ["|bad one Failed", "suite|inner bad Failed", "suite|td Skipped", "|/r/test/b.test.js Failed"]
    );
    assert_eq!((report.tests.total, report.tests.failed), (4, 3));
    let fault = &report.cases[0].faults[0];
    assert_eq!(fault.message, "AssertionError: Expected values to be strictly equal: 1 !== 2");
    assert_eq!(fault.location.as_ref().map(|at| (at.line, at.column)), Some((Some(3), Some(32))));
    assert_eq!(report.cases[1].faults[0].location.as_ref().unwrap().line, Some(4));
    assert_eq!(report.cases[3].faults[0].message, "Error: Cannot find module './nope'");
}

#[test]
fn a_hash_that_is_escaped_begins_no_directive() {
    let text = b"TAP version 14\n1..4\nok 1 - a \\# todo\nok 2 - b \\\\# todo later\nok 3 - c \\\\\\# todo\nnot ok 4 - u#todo is an address\n";
    let report = read("t", text);
    assert_eq!(
        shown(&report),
        ["|a # todo Passed", "|b \\ Skipped", "|c \\# todo Passed", "|u#todo is an address Failed"]
    );
}

#[test]
fn what_is_wrong_stands_in_the_block_or_in_the_comments_below() {
    let text = "TAP version 13\n1..2\nnot ok 1 adds\n# (in test file test/cart.bats, line 5)\n#   `[ \"$result\" -eq 2 ]' failed\nnot ok 2 should be equal\n  ---\n    operator: equal\n    expected: 2\n    actual:   1\n  ...\n";
    let report = read("t", text.as_bytes());
    let said: Vec<&str> = report.cases.iter().map(|case| case.faults[0].message.as_str()).collect();
    assert_eq!(said, ["`[ \"$result\" -eq 2 ]' failed", "expected 2, got 1"]);
    assert_eq!(report.cases[0].faults[0].location.as_ref().and_then(|at| at.line), Some(5));
    assert_eq!(report.cases[0].faults[0].lines.map(|at| (at.start, at.end)), Some((3, 5)));
}

#[test]
fn prose_with_the_word_ok_is_no_protocol() {
    assert_eq!(read("t", b"ok then\nnot ok at all\n").kind, "unknown");
    assert!(
        read("t", b"TAP version 13\n1..0 # SKIP nothing here\n")
            .cases
            .iter()
            .all(|case| case.status == Status::Skipped)
    );
}

#[test]
fn how_long_a_test_took_is_no_part_of_its_name() {
    let text = "TAP version 13\nnot ok 1 - test/a.js # time=1460.905ms\nok 2 - test/b.js # SKIP # time=3ms\n1..2\n";
    let report = read("log", text.as_bytes());
    let names: Vec<&str> = report.cases.iter().map(|case| case.id.name.as_str()).collect();
    assert_eq!(names, ["test/a.js", "test/b.js"]);
    assert_eq!(report.tests.skipped, 1);
}
