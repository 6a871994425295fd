//! The runners whose reports are lists of tests.

use serde_json::Value;

use super::{Shape, stated};
use crate::artifact::json::field::{self, at, items, number, text};
use crate::artifact::{Status, TestCounts, TestId};

/// A runner that names its fields as most do.
pub(super) const PLAIN: Shape = Shape {
    kind: "",
    producer: "",
    signs: &[],
    lists: &["tests"],
    test: &["name", "status"],
    titles: &["name", "title"],
    name: &["name", "title"],
    suite: &[],
    status: by_status,
    message: &["message", "err.message", "error.message"],
    class: &["err.name", "error.name", "type"],
    trace: &["trace", "err.stack", "error.stack", "stack"],
    file: &["file", "filePath"],
    line: &["line", "location.line"],
    time: ("duration", 1000.0),
    flaky: |test| at(test, "flaky").and_then(Value::as_bool) == Some(true),
    counts: |_| None,
    broken: None,
    is_hook: |_| false,
    id: None,
};

/// The runners that write a file of their own.
pub(super) const SHAPES: &[Shape] = &[
    Shape {
        kind: "jest-json",
        producer: "jest or vitest",
        signs: &["numTotalTests", "testResults"],
        lists: &["testResults", "assertionResults"],
        test: &["status", "title"],
        titles: &[],
        name: &["title"],
        suite: &["ancestorTitles"],
        message: &["failureMessages"],
        trace: &["failureMessages"],
        file: &["name", "testFilePath"],
        flaky: |test| number(test, "invocations").is_some_and(|runs| runs > 1),
        counts: |report| stated(report, ["numTotalTests", "numFailedTests", "numPendingTests"]),
        broken: Some(("failed", "message")),
        ..PLAIN
    },
    Shape {
        kind: "mochawesome",
        producer: "mochawesome",
        signs: &["stats", "results[].suites"],
        lists: &["results", "tests", "suites"],
        test: &["state?"],
        titles: &["title"],
        name: &["title"],
        status: |test| {
            if text(test, "state").is_empty() { Some(Status::Skipped) } else { field::status(text(test, "state")) }
        },
        trace: &["err.estack", "err.stack"],
        file: &["file", "fullFile"],
        counts: |report| stated(report, ["stats.tests", "stats.failures", "stats.pending"]),
        ..PLAIN
    },
    Shape {
        kind: "mocha-json",
        producer: "mocha",
        signs: &["stats.passes", "tests", "failures", "pending"],
        test: &["title"],
        name: &["fullTitle", "title"],
        status: |test| Some(mocha_status(test)),
        is_hook: |test| text(test, "title").contains("\" hook"),
        flaky: |test| number(test, "currentRetry").is_some_and(|retry| retry > 0),
        counts: |report| stated(report, ["stats.tests", "stats.failures", "stats.pending"]),
        ..PLAIN
    },
    Shape {
        kind: "ctrf",
        producer: "CTRF",
        signs: &["results.tests", "results.summary"],
        lists: &["results.tests"],
        suite: &["suite"],
        file: &["filePath"],
        ..PLAIN
    },
    Shape {
        kind: "rspec-json",
        producer: "rspec",
        signs: &["examples", "summary.example_count"],
        lists: &["examples"],
        test: &["status", "description"],
        name: &["full_description", "description"],
        message: &["exception.message"],
        class: &["exception.class"],
        trace: &["exception.backtrace"],
        file: &["file_path"],
        line: &["line_number"],
        time: ("run_time", 1.0),
        counts: rspec_counts,
        ..PLAIN
    },
    Shape {
        kind: "karma-json",
        producer: "karma",
        signs: &["browsers", "result"],
        lists: &["result", "*"],
        test: &["description", "success"],
        name: &["description"],
        suite: &["suite"],
        status: |test| Some(karma_status(test)),
        message: &["log"],
        trace: &["log"],
        time: ("time", 1000.0),
        ..PLAIN
    },
    Shape {
        kind: "testcafe-json",
        producer: "testcafe",
        signs: &["fixtures", "userAgents"],
        lists: &["fixtures", "tests"],
        test: &["errs"],
        status: |test| Some(testcafe_status(test)),
        message: &["errs"],
        trace: &["errs"],
        file: &["path"],
        time: ("durationMs", 1000.0),
        flaky: |test| at(test, "unstable").and_then(Value::as_bool) == Some(true),
        ..PLAIN
    },
    Shape {
        kind: "googletest-json",
        producer: "googletest",
        signs: &["testsuites[].testsuite"],
        lists: &["testsuites", "testsuite"],
        test: &["status", "classname"],
        suite: &["classname"],
        status: |test| Some(googletest_status(test)),
        message: &["failures"],
        trace: &["failures"],
        time: ("time", 1.0),
        ..PLAIN
    },
    Shape {
        kind: "pytest-json",
        producer: "pytest",
        signs: &["tests[].nodeid", "summary"],
        lists: &["tests", "collectors"],
        test: &["nodeid", "outcome"],
        name: &["nodeid"],
        id: Some(TestId::of_node),
        status: pytest_status,
        message: &["call.crash.message", "setup.crash.message", "teardown.crash.message"],
        trace: &["call.longrepr", "setup.longrepr", "teardown.longrepr", "longrepr"],
        file: &["call.crash.path", "setup.crash.path", "teardown.crash.path"],
        line: &["call.crash.lineno", "setup.crash.lineno", "lineno"],
        time: ("call.duration", 1.0),
        ..PLAIN
    },
    Shape {
        kind: "robot-json",
        producer: "robot",
        signs: &["generator", "suite.name"],
        lists: &["suite", "suites", "tests"],
        test: &["status", "body"],
        trace: &["message"],
        file: &["source"],
        line: &["lineno"],
        time: ("elapsed_time", 1.0),
        ..PLAIN
    },
    Shape {
        kind: "cypress-json",
        producer: "cypress",
        signs: &["runs[].tests", "totalTests"],
        lists: &["runs", "tests"],
        test: &["title", "state"],
        titles: &["spec.relative", "spec.name"],
        name: &["title"],
        status: |test| field::status(text(test, "state")),
        message: &["displayError", "error"],
        trace: &["displayError", "error"],
        file: &["spec.relative"],
        flaky: |test| items(test, "attempts").len() > 1,
        counts: |report| stated(report, ["totalTests", "totalFailed", "totalPending"]),
        ..PLAIN
    },
    Shape {
        kind: "webdriverio-json",
        producer: "webdriverio",
        signs: &["suites[].tests", "specs", "state"],
        lists: &["suites", "tests"],
        test: &["state", "name"],
        status: |test| field::status(text(test, "state")),
        message: &["error"],
        trace: &["error"],
        ..PLAIN
    },
    Shape {
        kind: "tap-json",
        producer: "tap-json",
        signs: &["stats.asserts", "asserts"],
        lists: &["asserts"],
        test: &["number", "ok"],
        name: &["comment", "name"],
        status: |test| {
            field::status(if at(test, "ok").and_then(Value::as_bool) == Some(true) { "ok" } else { "failed" })
        },
        ..PLAIN
    },
    Shape {
        kind: "case-events",
        producer: "launchable",
        signs: &["events[].testPath"],
        lists: &["events"],
        test: &["testPath", "status"],
        name: &["testPath"],
        status: |test| {
            number(test, "status").map(|code| {
                [Status::Failed, Status::Passed, Status::Skipped][usize::try_from(code.min(2)).unwrap_or(2)]
            })
        },
        message: &["stderr"],
        trace: &["stderr", "stdout"],
        time: ("duration", 1.0),
        ..PLAIN
    },
];

fn by_status(test: &Value) -> Option<Status> {
    field::status(text(test, "status"))
}

fn is(test: &Value, key: &str) -> bool {
    at(test, key).and_then(Value::as_bool) == Some(true)
}

/// A test that is pending took no time.
fn mocha_status(test: &Value) -> Status {
    let fails = at(test, "err").and_then(Value::as_object).is_some_and(|error| !error.is_empty());
    match (fails, at(test, "duration")) {
        (true, _) => Status::Failed,
        (false, Some(_)) => Status::Passed,
        (false, None) => Status::Skipped,
    }
}

fn karma_status(test: &Value) -> Status {
    let skipped = is(test, "skipped") || is(test, "disabled") || is(test, "pending");
    match (skipped, is(test, "success")) {
        (true, _) => Status::Skipped,
        (false, true) => Status::Passed,
        (false, false) => Status::Failed,
    }
}

fn testcafe_status(test: &Value) -> Status {
    let failed = !items(test, "errs").is_empty();
    if is(test, "skipped") {
        Status::Skipped
    } else if failed {
        Status::Failed
    } else {
        Status::Passed
    }
}

fn googletest_status(test: &Value) -> Status {
    if !items(test, "failures").is_empty() {
        Status::Failed
    } else if text(test, "status") == "NOTRUN" || text(test, "result") == "SKIPPED" {
        Status::Skipped
    } else {
        Status::Passed
    }
}

fn pytest_status(test: &Value) -> Option<Status> {
    match text(test, "outcome") {
        // A file that could not be collected is an error, one that was is no test.
        outcome if at(test, "result").is_some() => (outcome == "failed").then_some(Status::Errored),
        "xpassed" => Some(Status::Passed),
        word => field::status(word),
    }
}

fn rspec_counts(report: &Value) -> Option<TestCounts> {
    let errored = number(report, "summary.errors_outside_of_examples_count").unwrap_or(0);
    let counts = stated(report, ["summary.example_count", "summary.failure_count", "summary.pending_count"])?;
    Some(TestCounts { total: counts.total.saturating_add(errored), errored, ..counts })
}
