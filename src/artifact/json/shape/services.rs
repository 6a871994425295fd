//! What CI systems and test services answer when they are asked for the tests of a run.

use super::rows::PLAIN;
use super::{Shape, stated};
use crate::artifact::Status;
use crate::artifact::json::field::{self, number, text};

/// The services.
pub(super) const SHAPES: &[Shape] = &[
    Shape {
        kind: "gitlab-tests",
        producer: "gitlab",
        signs: &["test_suites", "total_count"],
        lists: &["test_suites", "test_cases"],
        suite: &["classname"],
        message: &["system_output.message", "system_output"],
        trace: &["stack_trace", "system_output"],
        time: ("execution_time", 1.0),
        ..PLAIN
    },
    Shape {
        kind: "jenkins-tests",
        producer: "jenkins",
        signs: &["suites[].cases", "failCount", "passCount"],
        lists: &["suites", "cases"],
        test: &["name", "status", "className"],
        suite: &["className"],
        message: &["errorDetails"],
        trace: &["errorStackTrace"],
        time: ("duration", 1.0),
        ..PLAIN
    },
    Shape {
        kind: "jenkins-tests",
        producer: "jenkins",
        signs: &["childReports[].result", "failCount"],
        lists: &["childReports", "result", "suites", "cases"],
        test: &["name", "status", "className"],
        suite: &["className"],
        message: &["errorDetails"],
        trace: &["errorStackTrace"],
        time: ("duration", 1.0),
        ..PLAIN
    },
    Shape {
        kind: "circleci-tests",
        producer: "circleci",
        signs: &["items[].classname", "items[].result", "items[].run_time"],
        lists: &["items"],
        test: &["name", "result"],
        suite: &["classname"],
        status: |test| field::status(text(test, "result")),
        trace: &["message"],
        time: ("run_time", 1.0),
        ..PLAIN
    },
    Shape {
        kind: "azure-tests",
        producer: "azure",
        signs: &["value[].testCaseTitle", "value[].outcome"],
        lists: &["value"],
        test: &["testCaseTitle", "outcome"],
        name: &["automatedTestName", "testCaseTitle"],
        status: |test| field::status(text(test, "outcome")),
        message: &["errorMessage"],
        trace: &["stackTrace"],
        time: ("durationInMs", 1000.0),
        ..PLAIN
    },
    Shape {
        kind: "buildkite-tests",
        producer: "buildkite",
        signs: &["[].scope", "[].result", "[].history"],
        test: &["name", "result"],
        suite: &["scope"],
        status: |test| field::status(text(test, "result")),
        message: &["failure_reason"],
        trace: &["failure_expanded[].backtrace"],
        file: &["file_name"],
        time: ("history.duration", 1.0),
        ..PLAIN
    },
    Shape {
        kind: "rwx-tests",
        producer: "rwx",
        signs: &["framework.kind", "summary.status.kind", "tests"],
        test: &["name", "attempt"],
        status: |test| field::status(text(test, "attempt.status.kind")),
        message: &["attempt.status.message"],
        class: &["attempt.status.exception"],
        trace: &["attempt.status.backtrace", "attempt.stderr"],
        file: &["location.file"],
        time: ("attempt.durationInNanoseconds", 1e9),
        ..PLAIN
    },
    Shape {
        kind: "apex-json",
        producer: "salesforce",
        signs: &["result.tests[].MethodName", "result.summary"],
        lists: &["result.tests"],
        ..APEX
    },
    Shape { kind: "apex-json", producer: "salesforce", signs: &["tests[].MethodName", "summary"], ..APEX },
    Shape {
        kind: "allure-summary",
        producer: "allure",
        signs: &["statistic.broken", "statistic.total", "time"],
        lists: &[],
        counts: |report| {
            let counts = stated(report, ["statistic.total", "statistic.failed", "statistic.skipped"])?;
            let errored = number(report, "statistic.broken").unwrap_or(0);
            Some(crate::artifact::TestCounts { passed: counts.passed.checked_sub(errored)?, errored, ..counts })
        },
        ..PLAIN
    },
    Shape {
        kind: "xcresult-summary",
        producer: "xcodebuild",
        signs: &["testFailures", "totalTestCount"],
        lists: &["testFailures"],
        test: &["failureText"],
        name: &["testIdentifierString", "testName"],
        suite: &["targetName"],
        status: |_| Some(Status::Failed),
        message: &["failureText"],
        trace: &["failureText"],
        counts: |report| stated(report, ["totalTestCount", "failedTests", "skippedTests"]),
        ..PLAIN
    },
];

const APEX: Shape = Shape {
    test: &["MethodName", "Outcome"],
    name: &["MethodName"],
    suite: &["ApexClass.Name", "FullName"],
    status: |test| field::status(text(test, "Outcome")),
    message: &["Message"],
    trace: &["StackTrace"],
    file: &[],
    time: ("RunTime", 1000.0),
    ..PLAIN
};
