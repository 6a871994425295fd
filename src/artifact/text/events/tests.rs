//! Events of each runner, between other lines.

use crate::artifact::{Report, Status, TestCounts, read};

fn counts(report: &Report) -> (&'static str, [u64; 5]) {
    let TestCounts { total, passed, failed, errored, skipped } = report.tests;
    (report.kind, [total, passed, failed, errored, skipped])
}

#[test]
fn go_tells_by_test_and_by_package() {
    let text = r#"go: downloading x v1
{"Action":"start","Package":"ex/a"}
{"Action":"run","Package":"ex/a","Test":"TestX"}
{"Action":"output","Package":"ex/a","Test":"TestX","Output":"=== RUN   TestX\n"}
{"Action":"output","Package":"ex/a","Test":"TestX","Output":"    a_test.go:7: got 1, want 2\n"}
{"Action":"output","Package":"ex/a","Test":"TestX","Output":"--- FAIL: TestX (0.01s)\n"}
{"Action":"fail","Package":"ex/a","Test":"TestX","Elapsed":0.01}
{"Action":"run","Package":"ex/a","Test":"TestY"}
{"Action":"skip","Package":"ex/a","Test":"TestY","Elapsed":0}
{"Action":"output","Package":"ex/a","Output":"FAIL\n"}
{"Action":"fail","Package":"ex/a","Elapsed":0.02}
{"ImportPath":"ex/b","Action":"build-output","Output":"b/b.go:3:2: undefined: y\n"}
{"ImportPath":"ex/b","Action":"build-fail"}
"#;
    let report = read("out", text.as_bytes());
    assert_eq!(counts(&report), ("go-test-json", [2, 0, 1, 0, 1]));
    let case = &report.cases[0];
    assert_eq!((case.id.class.as_str(), case.id.name.as_str()), ("ex/a", "TestX"));
    let place = case.faults[0].location.as_ref().unwrap();
    assert_eq!((place.path.as_str(), place.line), ("a_test.go", Some(7)));
    assert!(case.faults[0].message.contains("got 1, want 2"), "{:?}", case.faults);
    assert!(report.diagnostics[0].message.contains("undefined: y"), "{:?}", report.diagnostics);
}

#[test]
fn a_go_test_that_never_ended_is_reported() {
    let text = r#"{"Action":"run","Package":"p","Test":"TestSlow"}
{"Action":"output","Package":"p","Test":"TestSlow","Output":"panic: test timed out after 1s\n"}
{"Action":"fail","Package":"p","Elapsed":1}
"#;
    let report = read("out", text.as_bytes());
    assert_eq!(report.tests.total, 0);
    assert!(report.diagnostics[0].message.starts_with("TestSlow: "), "{:?}", report.diagnostics);
}

#[test]
fn libtest_tells_by_test() {
    let text = r#"{ "type": "suite", "event": "started", "test_count": 3 }
{ "type": "test", "event": "started", "name": "a::adds" }
{ "type": "test", "name": "a::adds", "event": "failed", "exec_time": 0.5, "stdout": "thread 'a::adds' panicked at src/lib.rs:7:5:\nassertion `left == right` failed\n  left: 3\n right: 4\n" }
{ "type": "test", "name": "a::slow", "event": "timeout" }
{ "type": "test", "name": "a::slow", "event": "ok", "exec_time": "61.2s" }
{ "type": "test", "name": "demo::bin$a::later", "event": "ignored" }
{ "type": "suite", "event": "failed", "passed": 1, "failed": 1, "ignored": 1, "measured": 0, "filtered_out": 0 }
"#;
    let report = read("out", text.as_bytes());
    assert_eq!(counts(&report), ("libtest-json", [3, 1, 1, 0, 1]));
    assert_eq!(report.cases[1].seconds, Some(61.2));
    assert_eq!((report.cases[2].id.class.as_str(), report.cases[2].id.name.as_str()), ("demo::bin", "a::later"));
    let fault = &report.cases[0].faults[0];
    assert_eq!(fault.location.as_ref().unwrap().line, Some(7));
    assert_eq!(fault.lines.unwrap().start, 3);
}

#[test]
fn dart_tells_by_number() {
    let text = r#"{"suite":{"id":0,"path":"/r/test/a_test.dart"},"type":"suite","time":0}
{"test":{"id":1,"name":"loading a","suiteID":0,"line":null,"url":null},"type":"testStart","time":0}
{"testID":1,"result":"success","skipped":false,"hidden":true,"type":"testDone","time":9}
{"test":{"id":2,"name":"adds","suiteID":0,"line":5,"url":"file:///r/test/a_test.dart"},"type":"testStart","time":10}
{"testID":2,"error":"Expected: <2>\n  Actual: <1>","stackTrace":"test/a_test.dart 6:5  main.<fn>","isFailure":true,"type":"error","time":12}
{"testID":2,"result":"failure","skipped":false,"hidden":false,"type":"testDone","time":20}
"#;
    let report = read("out", text.as_bytes());
    assert_eq!(counts(&report), ("dart-json", [1, 0, 1, 0, 0]));
    assert_eq!((report.cases[0].id.suite.as_str(), report.cases[0].seconds), ("/r/test/a_test.dart", Some(0.01)));
    assert!(report.cases[0].faults[0].message.contains("Expected: <2>"), "{:?}", report.cases);
}

#[test]
fn a_report_log_of_pytest_has_three_lines_a_test() {
    let text = r#"{"pytest_version": "8.0", "$report_type": "SessionStart"}
{"nodeid": "t.py::TestA::test_b[x::y]", "outcome": "passed", "longrepr": null, "when": "setup", "duration": 0.1, "$report_type": "TestReport"}
{"nodeid": "t.py::TestA::test_b[x::y]", "outcome": "failed", "longrepr": {"reprcrash": {"path": "/r/t.py", "lineno": 4, "message": "assert 1 == 2"}, "reprtraceback": {"reprentries": [{"data": {"lines": [">       assert 1 == 2", "E       assert 1 == 2"]}}]}}, "when": "call", "duration": 0.2, "$report_type": "TestReport"}
{"nodeid": "t.py::test_s", "outcome": "skipped", "longrepr": ["/r/t.py", 9, "Skipped: no"], "when": "setup", "duration": 0, "$report_type": "TestReport"}
"#;
    let report = read("out", text.as_bytes());
    assert_eq!(counts(&report), ("pytest-reportlog", [2, 0, 1, 0, 1]));
    let case = &report.cases[0];
    assert_eq!((case.id.class.as_str(), case.id.name.as_str()), ("t.TestA", "test_b[x::y]"));
    assert_eq!((case.faults[0].message.as_str(), case.status), ("assert 1 == 2", Status::Failed));
    assert_eq!(case.faults[0].location.as_ref().unwrap().line, Some(4));
}

#[test]
fn cucumber_tells_by_step_and_by_attempt() {
    let text = r#"{"meta":{"protocolVersion":"19.1.2"}}
{"pickle":{"id":"p","uri":"f/a.feature","name":"adds","steps":[]}}
{"testCase":{"id":"t","pickleId":"p","testSteps":[]}}
{"testCaseStarted":{"id":"1","testCaseId":"t","attempt":0}}
{"testStepFinished":{"testCaseStartedId":"1","testStepResult":{"status":"FAILED","message":"no"}}}
{"testCaseFinished":{"testCaseStartedId":"1","willBeRetried":true}}
{"testCaseStarted":{"id":"2","testCaseId":"t","attempt":1}}
{"testStepFinished":{"testCaseStartedId":"2","testStepResult":{"status":"FAILED","message":"AssertionError: 1 != 2\n    at World (/w/steps.js:7:3)"}}}
{"testStepFinished":{"testCaseStartedId":"2","testStepResult":{"status":"SKIPPED"}}}
{"testCaseFinished":{"testCaseStartedId":"2","willBeRetried":false}}
"#;
    let report = read("out", text.as_bytes());
    assert_eq!(counts(&report), ("cucumber-messages", [1, 0, 1, 0, 0]));
    let case = &report.cases[0];
    assert_eq!((case.id.suite.as_str(), case.id.name.as_str(), case.faults.len()), ("f/a.feature", "adds", 1));
    assert_eq!(case.faults[0].message, "AssertionError: 1 != 2");
    assert_eq!(case.faults[0].location.as_ref().unwrap().line, Some(7));
}

#[test]
fn terraform_tells_by_run() {
    let text = r#"{"@level":"info","@message":"  \"adds\"... in progress","type":"test_run","test_run":{"path":"t.tftest.hcl","run":"adds","progress":"starting"}}
{"@level":"error","@message":"Error: Test assertion failed","@testfile":"t.tftest.hcl","@testrun":"adds","diagnostic":{"severity":"error","summary":"Test assertion failed","detail":"name is wrong","range":{"filename":"t.tftest.hcl","start":{"line":7,"column":3}}},"type":"diagnostic"}
{"@level":"info","@message":"  \"adds\"... fail","type":"test_run","test_run":{"path":"t.tftest.hcl","run":"adds","progress":"complete","status":"fail"}}
{"@level":"info","@message":"  \"keeps\"... pass","type":"test_run","test_run":{"path":"t.tftest.hcl","run":"keeps","progress":"complete","status":"pass"}}
"#;
    let report = read("out", text.as_bytes());
    assert_eq!(counts(&report), ("terraform-test", [2, 1, 1, 0, 0]));
    let fault = &report.cases[0].faults[0];
    assert_eq!(fault.message, "Test assertion failed: name is wrong");
    assert_eq!(fault.location.as_ref().unwrap().line, Some(7));
}

#[test]
fn a_line_of_a_result_that_an_event_quotes_counts_once() {
    let text = r#"{"Action":"output","Package":"ex/a","Test":"BenchmarkX","Output":"--- FAIL: BenchmarkX\n"}
{"Action":"fail","Package":"ex/a","Test":"BenchmarkX"}
{"Action":"fail","Package":"ex/a"}
"#;
    assert_eq!(counts(&read("out", text.as_bytes())), ("go-test-json", [1, 0, 1, 0, 0]));
}

#[test]
fn no_cut_makes_more_failures() {
    let text = r#"{"Action":"fail","Package":"p","Test":"T","Elapsed":1}
{ "type": "test", "name": "a", "event": "failed", "stdout": "é" }
"#;
    for end in (0..text.len()).filter(|end| text.is_char_boundary(*end)) {
        assert!(read("out", &text.as_bytes()[..end]).cases.len() <= 2);
    }
}
