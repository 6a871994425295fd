//! Runners of .NET.

use super::{Field, Shape};
use crate::artifact::Status::{Failed, Passed};

/// `NUnit` 2, and what writes the same: `DUnit`, older Unity.
pub(in crate::artifact::xml) static NUNIT2: Shape = Shape {
    cases: &[("", "test-case", Passed)],
    groups: &["test-suite"],
    outside: &[],
    rules: &[
        ("", "test-suite", "name", Field::Suite),
        ("", "test-case", "name", Field::FullName),
        ("", "test-case", "result", Field::Status),
        ("", "test-case", "executed", Field::Executed),
        ("", "test-case", "success", Field::Success),
        ("", "test-case", "time", Field::Seconds),
        ("test-case", "failure", "", Field::Fault(Failed)),
        ("failure", "message", "", Field::Message),
        ("failure", "stack-trace", "", Field::Details),
    ],
    words: &[],
};

/// `NUnit` 3.
pub(in crate::artifact::xml) static NUNIT3: Shape = Shape {
    cases: &[("", "test-case", Passed)],
    groups: &["test-suite"],
    outside: &[("test-suite", "failure")],
    rules: &[
        ("", "test-suite", "name", Field::Suite),
        ("", "test-case", "name", Field::Name),
        ("", "test-case", "classname", Field::Class),
        ("", "test-case", "fullname", Field::FullName),
        ("", "test-case", "result", Field::Status),
        ("", "test-case", "runstate", Field::RunState),
        ("", "test-case", "duration", Field::Seconds),
        ("", "test-case", "time", Field::Seconds),
        ("test-case", "failure", "", Field::Fault(Failed)),
        ("failure", "message", "", Field::Message),
        ("failure", "stack-trace", "", Field::Details),
    ],
    words: &[],
};

/// `xUnit.net` of every version, and Fixie.
pub(in crate::artifact::xml) static XUNIT: Shape = Shape {
    cases: &[("", "test", Passed)],
    groups: &["assembly", "collection", "class"],
    outside: &[("errors", "error"), ("assembly", "failure"), ("class", "failure")],
    rules: &[
        ("", "assembly", "name", Field::Suite),
        ("", "collection", "name", Field::Suite),
        ("", "class", "name", Field::SuiteClass),
        ("", "test", "name", Field::Name),
        ("", "test", "type", Field::Class),
        ("", "test", "result", Field::Status),
        ("", "test", "time", Field::Seconds),
        ("", "test", "source-file", Field::CaseFile),
        ("", "test", "source-line", Field::CaseLine),
        ("test", "source-file", "", Field::CaseFile),
        ("test", "source-line", "", Field::CaseLine),
        ("", "error", "name", Field::Name),
        ("", "failure", "", Field::Fault(Failed)),
        ("", "failure", "exception-type", Field::Exception),
        ("failure", "message", "", Field::Message),
        ("failure", "stack-trace", "", Field::Details),
    ],
    words: &[],
};

/// The test results of Visual Studio and `dotnet test`.
pub(in crate::artifact::xml) static TRX: Shape = Shape {
    cases: &[
        ("", "UnitTestResult", Passed),
        ("", "TestResult", Passed),
        ("", "GenericTestResult", Passed),
        ("", "ManualTestResult", Passed),
        ("", "WebTestResult", Passed),
        ("", "TestResultAggregation", Passed),
    ],
    groups: &[],
    outside: &[("RunInfos", "RunInfo")],
    rules: &[
        ("", "UnitTestResult", "testName", Field::Name),
        ("", "UnitTestResult", "testId", Field::Key),
        ("", "UnitTestResult", "outcome", Field::Status),
        ("", "UnitTestResult", "duration", Field::Clock),
        ("", "TestResult", "testName", Field::Name),
        ("", "TestResult", "outcome", Field::Status),
        ("", "TestResult", "duration", Field::Clock),
        ("", "GenericTestResult", "testName", Field::Name),
        ("", "GenericTestResult", "outcome", Field::Status),
        ("", "GenericTestResult", "duration", Field::Clock),
        ("", "ManualTestResult", "testName", Field::Name),
        ("", "ManualTestResult", "outcome", Field::Status),
        ("", "WebTestResult", "testName", Field::Name),
        ("", "WebTestResult", "outcome", Field::Status),
        ("", "WebTestResult", "duration", Field::Clock),
        ("", "TestResultAggregation", "testName", Field::Name),
        ("", "TestResultAggregation", "outcome", Field::Status),
        ("", "TestResultAggregation", "duration", Field::Clock),
        ("ErrorInfo", "Message", "", Field::Message),
        ("ErrorInfo", "StackTrace", "", Field::Details),
        ("", "RunInfo", "outcome", Field::Status),
        ("RunInfo", "Text", "", Field::Message),
        ("TestDefinitions", "UnitTest", "id", Field::DefinedKey),
        ("", "TestMethod", "className", Field::DefinedClass),
    ],
    words: &[],
};

/// `MbUnit` 2.
pub(in crate::artifact::xml) static MBUNIT: Shape = Shape {
    cases: &[("", "run", Passed)],
    groups: &["fixture"],
    outside: &[("set-up", "exception"), ("tear-down", "exception")],
    rules: &[
        ("", "fixture", "name", Field::Suite),
        ("", "fixture", "type", Field::SuiteClass),
        ("", "run", "name", Field::Name),
        ("", "run", "result", Field::Status),
        ("", "run", "duration", Field::Seconds),
        ("", "exception", "type", Field::Exception),
        ("exception", "message", "", Field::Message),
        ("exception", "stack-trace", "", Field::Details),
    ],
    words: &[],
};

/// Gallio, which `MbUnit` 3 writes.
pub(in crate::artifact::xml) static GALLIO: Shape = Shape {
    cases: &[("", "testStepRun", Passed)],
    groups: &[],
    outside: &[],
    rules: &[
        ("testStepRun", "testStep", "isTestCase", Field::IsCase),
        ("testStepRun", "testStep", "fullName", Field::FullName),
        ("testStepRun", "testStep", "name", Field::Name),
        ("testStep", "codeReference", "type", Field::Class),
        ("testStep", "codeLocation", "path", Field::CaseFile),
        ("testStep", "codeLocation", "line", Field::CaseLine),
        ("result", "outcome", "status", Field::Status),
        ("result", "outcome", "category", Field::Status),
        ("", "result", "duration", Field::Seconds),
        ("", "text", "", Field::Message),
    ],
    words: &[],
};
