//! Real output of the `spec` reporter, cut down.

use crate::artifact::read;

const RUN: &str = "✔ ok one (0.914467ms)
✖ bad one (1.124538ms)
  AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:

▶ suite
  ✔ inner ok (0.21582ms)
  ✖ inner bad (0.083384ms)
  ﹣ sk (0.094745ms) # SKIP
✖ suite (0.913008ms)
Error: Cannot find module './nope'
Require stack:
- /r/test/b.test.js
    at Object.<anonymous> (/r/test/b.test.js:1:1)

✖ /r/test/b.test.js (126.675956ms)
  'test failed'

ℹ tests 6
ℹ suites 1
ℹ pass 2
ℹ fail 3
ℹ cancelled 0
ℹ skipped 1
ℹ todo 0
ℹ duration_ms 332.440418

✖ failing tests:

test at test/a.test.js:3:1
✖ bad one (1.124538ms)
  AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:
  
  1 !== 2
  
      at TestContext.<anonymous> (/r/test/a.test.js:3:32)
      at Test.run (node:internal/test_runner/test:796:25) {
    code: 'ERR_ASSERTION'
  }

test at test/a.test.js:4:53
✖ inner bad (0.083384ms)
  Error: boom
      at TestContext.<anonymous> (/r/test/a.test.js:4:83)

test at test/b.test.js:1:1
✖ /r/test/b.test.js (126.675956ms)
  'test failed'
";

#[test]
fn tests_suites_and_failures_are_read() {
    let report = read("log", RUN.as_bytes());
    let shown: Vec<_> =
        report.cases.iter().map(|case| format!("{}|{} {:?}", case.id.class, case.id.name, case.status)).collect();
    assert_eq!(
        shown,
        [
            "|ok one Passed",
            "|bad one Failed",
            "suite|inner ok Passed",
            "suite|inner bad Failed",
            "suite|sk Skipped",
            "|/r/test/b.test.js Failed"
        ]
    );
    assert_eq!((report.kind, report.tests.total, report.tests.failed), ("node-test", 6, 3));
    let bad = &report.cases[1].faults[0];
    assert_eq!(bad.message, "AssertionError [ERR_ASSERTION]: Expected values to be strictly equal: 1 !== 2");
    assert_eq!(bad.location.as_ref().map(|at| at.line), Some(Some(3)));
    assert_eq!(report.cases[5].faults[0].message, "Error: Cannot find module './nope'");
}
