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
        r#"{"collection":{},"run":{"executions":[{"item":{"name":"I"},"assertions":[{"assertion":"s t","skipped":false,"error":{"name":"AssertionError","message":"bad"}}]}]}}"#,
        r#"{"test-run":{"test-cases":[{"test-info":{"name":"s t","source-location":{"filename":"a.cpp","line":3}},"totals":{"assertions":{"failed":1}},"message":"bad"}]}}"#,
        r#"{"name":"s t","result":"FAIL","starttime":1.5,"returncode":1,"duration":0.5,"stdout":"bad"}"#,
        r#"{"event":"suiteStart","suite":"S","tests":1}{"event":"test","suite":"S","test":"s t","status":"fail","time":0.1,"message":"bad","trace":[{"file":"a.php"}]}"#,
        r#"{"event":"runStart","testCount":"1"}{"event":"testCompleted","status":"fail","labels":["s t"],"failures":[{"message":"bad"}],"duration":"1"}"#,
        r#"[{"package":"data.p","name":"s t","fail":true,"duration":7,"location":{"file":"a.rego","row":3},"message":"bad"}]"#,
        r#"{"metadata":{"dbt_schema_version":"v4"},"results":[{"unique_id":"s t","status":"fail","message":"bad","execution_time":0.1}]}"#,
        r#"{"statistics":{},"profiles":[{"name":"p","controls":[{"id":"c","results":[{"status":"failed","code_desc":"s t","message":"bad"}]}]}]}"#,
        r#"{"test_suites":[{"name":"S","test_cases":[{"status":"failed","name":"s t","classname":"C","execution_time":0.1,"system_output":"bad"}]}],"total_count":1}"#,
        r#"{"failCount":1,"passCount":0,"suites":[{"cases":[{"className":"C","name":"s t","status":"REGRESSION","errorDetails":"bad"}]}]}"#,
        r#"{"items":[{"classname":"C","name":"s t","result":"failure","run_time":0.1,"message":"bad"}],"next_page_token":null}"#,
        r#"{"count":1,"value":[{"testCaseTitle":"t","automatedTestName":"s t","outcome":"Failed","errorMessage":"bad"}]}"#,
        r#"[{"id":"1","scope":"S","name":"s t","result":"failed","failure_reason":"bad","history":{"duration":0.1}}]"#,
        r#"{"framework":{"language":"Ruby","kind":"RSpec"},"summary":{"status":{"kind":"failed"}},"tests":[{"name":"s t","attempt":{"durationInNanoseconds":5,"status":{"kind":"failed","message":"bad","backtrace":[]}}}]}"#,
        r#"{"status":100,"result":{"summary":{},"tests":[{"MethodName":"s t","Outcome":"Fail","ApexClass":{"Name":"C"},"Message":"bad","StackTrace":null}]}}"#,
        r#"{"totalTestCount":1,"failedTests":1,"skippedTests":0,"testFailures":[{"testName":"s t","targetName":"T","failureText":"bad"}]}"#,
        r#"{"state":{"failed":1},"specs":["a.js"],"suites":[{"name":"S","tests":[{"name":"s t","state":"failed","error":"bad"}]}]}"#,
    ];
    for text in failing {
        let report = of(text);
        assert_eq!(report.tests, TestCounts { total: 1, failed: 1, ..TestCounts::default() }, "{text}");
        let case = &report.cases[0];
        assert_eq!((case.status, case.id.name.as_str()), (Status::Failed, "s t"), "{text}");
        assert_eq!(case.faults[0].message, "bad", "{text}");
        let cuts = text.len().div_ceil(40);
        for end in (0..text.len()).step_by(cuts).filter(|end| text.is_char_boundary(*end)) {
            assert!(of(&text[..end]).cases.len() <= 1, "{text}");
        }
    }
}

#[test]
fn the_runner_s_sum_holds_unless_it_denies_a_failure() {
    let twice = JEST.replace("{\"ancestorTitles\":[],\"title\":\"subtracts\"", "{\"ancestorTitles\":[\"A\",\"b\"],\"title\":\"adds\",\"status\":\"failed\",\"failureMessages\":[]},{\"ancestorTitles\":[],\"title\":\"subtracts\"");
    let report = of(&twice);
    assert_eq!((report.cases.len(), report.tests.total, report.tests.failed), (4, 3, 1));
    let denied = JEST.replace("\"numFailedTests\":1", "\"numFailedTests\":0");
    assert_eq!(of(&denied).tests.failed, 1);
}

#[test]
fn hooks_of_mocha_fail_and_pending_tests_are_skipped() {
    let report = of(r#"{"stats":{"tests":2,"passes":1,"failures":1,"pending":1},"tests":[
        {"title":"a","fullTitle":"S a","duration":1,"err":{}},{"title":"b","fullTitle":"S b","err":{}}],
        "pending":[{"title":"b"}],"passes":[],"failures":[{"title":"\"before each\" hook for \"c\"","fullTitle":"S \"before each\" hook for \"c\"","err":{"message":"no db"}}]}"#);
    let seen: Vec<_> = report.cases.iter().map(|case| (case.id.name.as_str(), case.status)).collect();
    assert_eq!(
        seen,
        [("S a", Status::Passed), ("S b", Status::Skipped), ("S \"before each\" hook for \"c\"", Status::Failed)]
    );
    assert_eq!(report.cases[2].faults[0].message, "no db");
}

#[test]
fn a_file_that_pytest_could_not_collect_is_an_error_with_the_name_of_its_module() {
    let report = of(
        r#"{"summary":{"total":1},"collectors":[{"nodeid":"","outcome":"passed","result":[]},{"nodeid":"tests/test_b.py","outcome":"failed","result":[],"longrepr":"E   ImportError: x"}],
        "tests":[{"nodeid":"tests/test_a.py::TestC::test_x[1]","outcome":"passed"}]}"#,
    );
    let seen: Vec<_> = report.cases.iter().map(|case| (case.id.class.as_str(), case.id.name.as_str())).collect();
    assert_eq!(seen, [("tests.test_a.TestC", "test_x[1]"), ("", "tests.test_b")]);
    assert_eq!((report.tests.errored, report.cases[1].faults[0].message.as_str()), (1, "ImportError: x"));
}

#[test]
fn checks_of_k6_and_sums_of_allure_are_read() {
    let report = of(
        r#"{"root_group":{"name":"","checks":[{"name":"is 200","passes":3,"fails":1}],"groups":[{"name":"g","checks":[{"name":"is fast","passes":4,"fails":0}],"groups":[]}]},"metrics":{}}"#,
    );
    assert_eq!((report.tests.total, report.tests.failed, report.cases[1].id.suite.as_str()), (2, 1, "g"));
    let report = of(
        r#"{"reportName":"R","statistic":{"failed":1,"broken":2,"skipped":3,"passed":4,"unknown":0,"total":10},"time":{}}"#,
    );
    assert_eq!(report.tests, TestCounts { total: 10, passed: 4, failed: 1, errored: 2, skipped: 3 });
}
