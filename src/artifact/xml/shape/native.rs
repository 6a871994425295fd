//! Runners of compiled languages.

use super::{Field, REPEATED, Shape};
use crate::artifact::Status::{Errored, Failed, Passed, Skipped};

/// The log and the report of Boost.Test.
pub(in crate::artifact::xml) static BOOST: Shape = Shape {
    cases: &[("", "TestCase", Passed)],
    groups: &["TestSuite"],
    outside: &[("TestSuite", "Exception"), ("TestLog", "Exception"), ("TestSuite", "FatalError")],
    rules: &[
        ("", "TestSuite", "name", Field::Suite),
        ("", "TestCase", "name", Field::Name),
        ("", "TestCase", "file", Field::CaseFile),
        ("", "TestCase", "line", Field::CaseLine),
        ("", "TestCase", "result", Field::Summary),
        ("", "TestCase", "skipped", Field::IsSkipped),
        ("TestCase", "TestingTime", "", Field::Micros),
        ("", "Error", "", Field::Fault(Failed)),
        ("", "Error", "file", Field::File),
        ("", "Error", "line", Field::Line),
        ("", "Error", "", Field::Message),
        ("", "FatalError", "", Field::Fault(Errored)),
        ("", "FatalError", "file", Field::File),
        ("", "FatalError", "line", Field::Line),
        ("", "FatalError", "", Field::Message),
        ("", "Exception", "", Field::Fault(Errored)),
        ("", "Exception", "file", Field::File),
        ("", "Exception", "line", Field::Line),
        ("", "Exception", "", Field::Message),
        ("Exception", "LastCheckpoint", "file", Field::LastFile),
        ("Exception", "LastCheckpoint", "line", Field::LastLine),
        ("Exception", "LastCheckpoint", "", Field::Ignored),
        ("", "Context", "", Field::Ignored),
    ],
    words: &[],
};

/// `CppUnit` and Ada's `AUnit`, which list the tests by their end.
pub(in crate::artifact::xml) static CPPUNIT: Shape = Shape {
    cases: &[
        ("", "FailedTest", Failed),
        ("FailedTests", "Test", Failed),
        ("SuccessfulTests", "Test", Passed),
        ("SkippedTests", "Test", Skipped),
        ("IgnoredTests", "Test", Skipped),
    ],
    groups: &[],
    outside: &[],
    rules: &[
        ("Test", "Name", "", Field::FullName),
        ("FailedTest", "Name", "", Field::FullName),
        ("", "Test", "elapsed", Field::Seconds),
        ("", "Time", "", Field::Seconds),
        ("", "FailureType", "", Field::Status),
        ("", "Message", "", Field::Message),
        ("Location", "File", "", Field::File),
        ("Location", "Line", "", Field::Line),
        ("Exception", "Name", "", Field::Exception),
    ],
    words: &[],
};

/// `UnitTest++`
pub(in crate::artifact::xml) static UNITTEST_CPP: Shape = Shape {
    cases: &[("", "test", Passed)],
    groups: &[],
    outside: &[],
    rules: &[
        ("", "test", "suite", Field::Class),
        ("", "test", "name", Field::Name),
        ("", "test", "time", Field::Seconds),
        ("", "failure", "", Field::Fault(Failed)),
        ("", "failure", "message", Field::Message),
    ],
    words: &[],
};

/// Qt Test: each set of data is a test; a failure that was expected is followed by the end of its test.
pub(in crate::artifact::xml) static QTEST: Shape = Shape {
    cases: &[("TestFunction", "Incident", Passed), ("TestFunction", "Message", Passed)],
    groups: &["TestCase", "TestFunction"],
    outside: &[],
    rules: &[
        ("", "TestCase", "name", Field::SuiteClass),
        ("", "TestFunction", "name", Field::Suite),
        ("", "Incident", "type", Field::Status),
        ("", "Incident", "file", Field::CaseFile),
        ("", "Incident", "line", Field::CaseLine),
        ("", "Message", "type", Field::Status),
        ("", "DataTag", "", Field::Row),
        ("", "Description", "", Field::Message),
    ],
    words: &[
        ("xpass", Some(Failed)),
        ("bpass", Some(Passed)),
        ("bfail", Some(Skipped)),
        ("bskip", Some(Skipped)),
        ("bxpass", Some(Skipped)),
        ("bxfail", None),
        ("xfail", None),
        ("qdebug", None),
        ("qinfo", None),
        ("info", None),
        ("warn", None),
        ("qwarn", None),
        ("qsystem", None),
        ("system", None),
        ("qcritical", None),
        ("qfatal", None),
        ("benchmark", None),
    ],
};

/// `CUnit`
pub(in crate::artifact::xml) static CUNIT: Shape = Shape {
    cases: &[("", "CUNIT_RUN_TEST_SUCCESS", Passed), ("", REPEATED, Failed)],
    groups: &["CUNIT_RUN_SUITE_SUCCESS", "CUNIT_RUN_GROUP_SUCCESS"],
    outside: &[("", "CUNIT_RUN_SUITE_FAILURE"), ("", "CUNIT_RUN_GROUP_FAILURE")],
    rules: &[
        ("CUNIT_RUN_SUITE_SUCCESS", "SUITE_NAME", "", Field::Suite),
        ("CUNIT_RUN_GROUP_SUCCESS", "GROUP_NAME", "", Field::Suite),
        ("CUNIT_RUN_SUITE_FAILURE", "SUITE_NAME", "", Field::Name),
        ("CUNIT_RUN_GROUP_FAILURE", "GROUP_NAME", "", Field::Name),
        ("", "FAILURE_REASON", "", Field::Message),
        ("", "TEST_NAME", "", Field::Name),
        ("", "CONDITION", "", Field::Message),
        ("", "FILE_NAME", "", Field::File),
        ("", "LINE_NUMBER", "", Field::Line),
    ],
    words: &[],
};

/// Check, for C.
pub(in crate::artifact::xml) static CHECK: Shape = Shape {
    cases: &[("", "test", Passed)],
    groups: &["suite"],
    outside: &[],
    rules: &[
        ("suite", "title", "", Field::Suite),
        ("", "test", "result", Field::Status),
        ("test", "id", "", Field::Name),
        ("test", "description", "", Field::Class),
        ("test", "duration", "", Field::Seconds),
        ("test", "fn", "", Field::Place),
        ("test", "message", "", Field::Message),
    ],
    words: &[],
};

/// `FPCUnit`, for Pascal.
pub(in crate::artifact::xml) static FPCUNIT: Shape = Shape {
    cases: &[("", "Test", Passed)],
    groups: &["TestSuite"],
    outside: &[],
    rules: &[
        ("", "TestSuite", "Name", Field::Suite),
        ("", "Test", "Name", Field::Name),
        ("", "Test", "Result", Field::Status),
        ("", "Test", "ElapsedTime", Field::Clock),
        ("Test", "ExceptionMessage", "", Field::Message),
        ("Test", "Message", "", Field::Details),
        ("Test", "ExceptionClass", "", Field::Exception),
        ("Test", "SourceUnitName", "", Field::File),
        ("Test", "LineNumber", "", Field::Line),
    ],
    words: &[],
};

/// `GLib`'s gtester.
pub(in crate::artifact::xml) static GTESTER: Shape = Shape {
    cases: &[("", "testcase", Passed)],
    groups: &["testbinary"],
    outside: &[],
    rules: &[
        ("", "testbinary", "path", Field::Suite),
        ("", "testcase", "path", Field::Name),
        ("testcase", "duration", "", Field::Seconds),
        ("testcase", "status", "result", Field::Status),
        ("testcase", "error", "", Field::Message),
    ],
    words: &[],
};
