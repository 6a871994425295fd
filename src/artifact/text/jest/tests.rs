//! Real output of jest and vitest, cut down.

use crate::artifact::{Report, read};

fn shown(report: &Report) -> Vec<String> {
    report
        .cases
        .iter()
        .map(|case| format!("{}|{}|{} {:?}", case.id.suite, case.id.class, case.id.name, case.status))
        .collect()
}

const JEST: &str = "FAIL je/a.test.js
  suite
    ✓ ok (2 ms)
    ✕ bad (2 ms)
    ○ skipped sk
    deep
      ✕ boom (1 ms)

  ● suite › bad

    expect(received).toBe(expected) // Object.is equality

    Expected: 2
    Received: 1

    > 1 | describe('suite', …)
        |      ^
      2 |

      at Object.toBe (je/a.test.js:1:69)

  ● suite › deep › boom

    boom

      at Object.<anonymous> (je/a.test.js:1:150)

FAIL je/b.test.js
  ● Test suite failed to run

    Cannot find module './nope' from 'je/b.test.js'

      at Object.require (je/b.test.js:1:1)

Test Suites: 2 failed, 2 total
Tests:       2 failed, 1 skipped, 1 passed, 4 total
Time:        0.373 s
";

#[test]
fn jest_is_read_with_files_that_could_not_be_loaded() {
    let report = read("log", JEST.as_bytes());
    assert_eq!(
        shown(&report),
        [
            "je/a.test.js|suite|ok Passed",
            "je/a.test.js|suite|sk Skipped",
            "je/a.test.js|suite|bad Failed",
            "je/a.test.js|suite > deep|boom Failed",
            "je/b.test.js||je/b.test.js Errored",
        ]
    );
    assert_eq!((report.kind, report.tests.total, report.tests.errored), ("jest", 5, 1));
    assert_eq!(
        report.cases[2].faults[0].message,
        "expect(received).toBe(expected) // Object.is equality, Expected: 2, Received: 1"
    );
    assert_eq!(report.cases[2].faults[0].location.as_ref().unwrap().column, Some(69));
}

#[test]
fn vitest_is_read_in_its_verbose_form_too() {
    let list = " ✓ vi/a.test.js > suite > ok 1ms\n × vi/a.test.js > suite > bad 5ms\n   → expected 1 to be 2\n ↓ vi/a.test.js > suite > sk\n";
    let rest = "\n⎯⎯⎯⎯⎯⎯⎯ Failed Tests 1 ⎯⎯⎯⎯⎯⎯⎯\n\n FAIL  vi/a.test.js > suite > bad\nAssertionError: expected 1 to be 2 // Object.is equality\n\n- Expected\n+ Received\n\n- 2\n+ 1\n\n ❯ vi/a.test.js:2:69\n      1| import {describe} from 'vitest';\n\n⎯⎯⎯⎯[1/1]⎯\n\n Test Files  1 failed (1)\n      Tests  1 failed | 1 passed | 1 skipped (3)\n";
    let report = read("log", format!("{list}{rest}").as_bytes());
    assert_eq!(
        shown(&report),
        ["vi/a.test.js|suite|ok Passed", "vi/a.test.js|suite|sk Skipped", "vi/a.test.js|suite|bad Failed"]
    );
    assert_eq!((report.kind, report.tests.total), ("vitest", 3));
    assert_eq!(report.cases[2].faults[0].location.as_ref().unwrap().line, Some(2));
    let quiet = read("log", rest.as_bytes());
    assert_eq!((quiet.tests.total, quiet.tests.passed, quiet.cases.len()), (3, 1, 1));
}
