//! Real output of mocha, cut down.

use crate::artifact::read;

const RUN: &str = "

  suite
    ✔ ok
    1) bad
    - sk
    deep
      2) boom


  1 passing (4ms)
  1 pending
  2 failing

  1) suite
       bad:

      AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:

1 !== 2

      + expected - actual

      -1
      +2
      
      at Context.<anonymous> (mo/a.js:2:62)
      at process.processImmediate (node:internal/timers:483:21)

  2) suite
       deep
         boom:
     Error: boom
      at Context.<anonymous> (mo/a.js:2:148)
";

#[test]
fn the_list_and_the_numbered_failures_are_read() {
    let report = read("log", RUN.as_bytes());
    let shown: Vec<_> =
        report.cases.iter().map(|case| format!("{}|{} {:?}", case.id.class, case.id.name, case.status)).collect();
    assert_eq!(shown, ["suite|ok Passed", "suite|sk Skipped", "suite|bad Failed", "suite > deep|boom Failed"]);
    assert_eq!((report.kind, report.tests.total), ("mocha", 4));
    assert_eq!(
        report.cases[2].faults[0].message,
        "AssertionError [ERR_ASSERTION]: Expected values to be strictly equal: 1 !== 2"
    );
    assert_eq!(report.cases[3].faults[0].location.as_ref().unwrap().column, Some(148));
}
