//! Runners of the JVM, of several languages, and of none.

use super::{Field, Shape};
use crate::artifact::Status::{Errored, Failed, Passed};

/// `testng-results.xml`
pub(in crate::artifact::xml) static TESTNG: Shape = Shape {
    cases: &[("", "test-method", Passed)],
    groups: &["suite", "test", "class"],
    outside: &[],
    rules: &[
        ("", "suite", "name", Field::Suite),
        ("", "test", "name", Field::Suite),
        ("", "class", "name", Field::SuiteClass),
        ("", "test-method", "name", Field::Name),
        ("", "test-method", "status", Field::Status),
        ("", "test-method", "is-config", Field::IsSetup),
        ("", "test-method", "duration-ms", Field::Millis),
        ("", "exception", "class", Field::Exception),
        ("exception", "message", "", Field::Message),
        ("exception", "full-stacktrace", "", Field::Details),
        ("exception", "short-stacktrace", "", Field::Details),
    ],
    words: &[],
};

/// `output.xml` of Robot Framework, from its first version to its last.
pub(in crate::artifact::xml) static ROBOT: Shape = Shape {
    cases: &[("suite", "test", Passed)],
    groups: &["suite"],
    outside: &[],
    rules: &[
        ("", "suite", "name", Field::Suite),
        ("", "suite", "source", Field::SuiteFile),
        ("suite", "test", "name", Field::Name),
        ("suite", "test", "line", Field::CaseLine),
        ("test", "status", "status", Field::Status),
        ("test", "status", "elapsed", Field::Seconds),
        ("test", "status", "starttime", Field::Began),
        ("test", "status", "endtime", Field::Ended),
        ("test", "status", "", Field::Message),
    ],
    words: &[],
};

/// What `SonarQube` imports.
pub(in crate::artifact::xml) static SONAR: Shape = Shape {
    cases: &[("", "testCase", Passed)],
    groups: &["file"],
    outside: &[],
    rules: &[
        ("", "file", "path", Field::Suite),
        ("", "file", "path", Field::SuiteFile),
        ("", "testCase", "name", Field::Name),
        ("", "testCase", "duration", Field::Millis),
        ("testCase", "skipped", "", Field::Skipped),
        ("testCase", "failure", "", Field::Fault(Failed)),
        ("testCase", "failure", "message", Field::Message),
        ("testCase", "failure", "", Field::Details),
        ("testCase", "error", "", Field::Fault(Errored)),
        ("testCase", "error", "message", Field::Message),
        ("testCase", "error", "", Field::Details),
    ],
    words: &[],
};

/// Allure 1.
pub(in crate::artifact::xml) static ALLURE: Shape = Shape {
    cases: &[("", "test-case", Passed)],
    groups: &["test-suite"],
    outside: &[],
    rules: &[
        ("test-suite", "name", "", Field::Suite),
        ("", "test-case", "status", Field::Status),
        ("test-case", "name", "", Field::Name),
        ("failure", "message", "", Field::Message),
        ("failure", "stack-trace", "", Field::Details),
    ],
    words: &[],
};

/// `JMeter`
pub(in crate::artifact::xml) static JMETER: Shape = Shape {
    cases: &[("", "httpSample", Passed), ("", "sample", Passed)],
    groups: &[],
    outside: &[],
    rules: &[
        ("", "httpSample", "lb", Field::Name),
        ("", "httpSample", "t", Field::Millis),
        ("", "httpSample", "s", Field::Success),
        ("", "httpSample", "rm", Field::Message),
        ("", "sample", "lb", Field::Name),
        ("", "sample", "t", Field::Millis),
        ("", "sample", "s", Field::Success),
        ("", "sample", "rm", Field::Message),
        ("assertionResult", "failureMessage", "", Field::Details),
    ],
    words: &[],
};

/// What `IntelliJ` exports.
pub(in crate::artifact::xml) static INTELLIJ: Shape = Shape {
    cases: &[("", "test", Passed)],
    groups: &["suite"],
    outside: &[],
    rules: &[
        ("", "suite", "name", Field::Suite),
        ("", "test", "name", Field::Name),
        ("", "test", "status", Field::Status),
        ("", "test", "duration", Field::Millis),
        ("test", "output", "", Field::Message),
    ],
    words: &[],
};
