//! A document of each runner, in its own form.

use crate::artifact::{Report, Status, TestCounts, read};

fn of(text: &str) -> Report {
    read("r.json", text.as_bytes())
}

const JEST: &str = r#"{"numTotalTests":3,"numFailedTests":1,"numPendingTests":1,"testResults":[
  {"name":"/w/a.test.js","status":"failed","message":"","assertionResults":[
    {"ancestorTitles":["A","b"],"title":"adds","status":"failed","duration":1500,
     "failureMessages":["Error: \u001b[2mexpect(\u001b[22mreceived).toBe(expected)\n    at Object.<anonymous> (/w/a.test.js:9:3)"]},
    {"ancestorTitles":[],"title":"subtracts","status":"passed"},
    {"ancestorTitles":[],"title":"divides","status":"pending"}]},
  {"name":"/w/b.test.js","status":"failed","message":"SyntaxError: Unexpected token","assertionResults":[]}]}"#;

#[test]
fn jest_tells_tests_and_suites_that_did_not_run() {
    let report = of(JEST);
    assert_eq!(report.kind, "jest-json");
    assert_eq!(report.tests, TestCounts { total: 3, passed: 1, failed: 1, errored: 0, skipped: 1 });
    let case = &report.cases[0];
    assert_eq!((case.id.suite.as_str(), case.id.name.as_str(), case.seconds), ("A > b", "adds", Some(1.5)));
    assert_eq!(case.faults[0].message, "Error: expect(received).toBe(expected)");
    assert_eq!(case.faults[0].location.as_ref().unwrap().line, Some(9));
    assert_eq!(report.diagnostics[0].message, "SyntaxError: Unexpected token");
}

#[test]
fn a_cut_never_adds_failures() {
    for end in 0..JEST.len() {
        let report = of(&JEST[..end]);
        assert!(report.cases.iter().filter(|case| case.is_failing()).count() <= 1);
        assert!(report.tests.failed <= 1 && report.diagnostics.len() <= 1);
    }
}

#[test]
fn rows_read_the_fields_of_their_runners() {
    let failing = [
        r#"{"stats":{"tests":1,"passes":0,"failures":1,"pending":0},"tests":[{"title":"t","fullTitle":"s t","err":{"message":"bad","stack":"E: bad\n    at f (a.js:1:2)"}}],"pending":[],"failures":[{}],"passes":[]}"#,
        r#"{"stats":{"tests":1,"failures":1,"pending":0},"results":[{"title":"","file":"a.js","tests":[],"suites":[{"title":"s","tests":[{"title":"s t","state":"failed","err":{"message":"bad"}}],"suites":[]}]}]}"#,
        r#"{"results":{"summary":{"tests":1},"tests":[{"name":"s t","status":"failed","message":"bad","duration":5}]}}"#,
        r#"{"examples":[{"description":"t","full_description":"s t","status":"failed","file_path":"a.rb","line_number":3,"exception":{"class":"E","message":"\nbad\n","backtrace":["a.rb:4:in `x'"]}}],"summary":{"example_count":1,"failure_count":1,"pending_count":0}}"#,
        r#"{"browsers":{"1":{}},"result":{"1":[{"description":"s t","success":false,"skipped":false,"suite":["S"],"log":["bad"]}]}}"#,
        r#"{"userAgents":["x"],"fixtures":[{"name":"F","path":"a.js","tests":[{"name":"s t","errs":["bad"],"durationMs":5}]}]}"#,
        r#"{"tests":1,"testsuites":[{"name":"S","testsuite":[{"name":"s t","status":"RUN","classname":"S","time":"0.5s","file":"a.cc","line":3,"failures":[{"failure":"bad"}]}]}]}"#,
        r#"{"summary":{"total":1},"tests":[{"nodeid":"s t","outcome":"failed","call":{"duration":0.5,"crash":{"path":"a.py","lineno":3,"message":"bad"},"longrepr":"E   bad"}}]}"#,
        r#"{"generator":"Robot","suite":{"name":"S","source":"a.robot","tests":[{"name":"s t","status":"FAIL","message":"bad","body":[]}]}}"#,
        r#"{"totalTests":1,"totalFailed":1,"totalPending":0,"runs":[{"spec":{"relative":"a.cy.js"},"tests":[{"title":["s t"],"state":"failed","displayError":"bad","attempts":[{}]}]}]}"#,
        r#"{"state":{"failed":1},"specs":["a.js"],"suites":[{"name":"S","tests":[{"name":"s t","state":"failed","error":"bad"}]}]}"#,
    ];
    for text in failing {
        let report = of(text);
        assert_eq!(report.tests, TestCounts { total: 1, failed: 1, ..TestCounts::default() }, "{text}");
        let case = &report.cases[0];
        assert_eq!((case.status, case.id.name.as_str()), (Status::Failed, "s t"), "{text}");
        assert_eq!(case.faults[0].message, "bad", "{text}");
        for end in (0..text.len()).filter(|end| text.is_char_boundary(*end)) {
            assert!(of(&text[..end]).cases.len() <= 1, "{text}");
        }
    }
}
