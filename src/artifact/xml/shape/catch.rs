//! Catch2 and doctest in their own forms.

use super::{Field, Shape};
use crate::artifact::Status::{Errored, Failed, Passed};

/// Catch2's own form.
pub(in crate::artifact::xml) static CATCH2: Shape = Shape {
    cases: &[("", "TestCase", Passed)],
    groups: &["Catch", "Catch2TestRun", "Group"],
    outside: &[],
    rules: &[
        ("", "Catch", "name", Field::Suite),
        ("", "Catch2TestRun", "name", Field::Suite),
        ("", "Group", "name", Field::Suite),
        ("", "TestCase", "name", Field::Name),
        ("", "TestCase", "filename", Field::CaseFile),
        ("", "TestCase", "line", Field::CaseLine),
        ("TestCase", "OverallResult", "success", Field::Success),
        ("TestCase", "OverallResult", "durationInSeconds", Field::Seconds),
        ("", "Expression", "", Field::Fault(Failed)),
        ("", "Expression", "filename", Field::File),
        ("", "Expression", "line", Field::Line),
        ("", "Expression", "success", Field::Holds),
        ("Expression", "Original", "", Field::Message),
        ("Expression", "Expanded", "", Field::Details),
        ("", "Exception", "", Field::Fault(Errored)),
        ("", "Exception", "filename", Field::File),
        ("", "Exception", "line", Field::Line),
        ("", "Exception", "", Field::Message),
        ("", "FatalErrorCondition", "", Field::Fault(Errored)),
        ("", "FatalErrorCondition", "filename", Field::File),
        ("", "FatalErrorCondition", "line", Field::Line),
        ("", "FatalErrorCondition", "", Field::Message),
        ("", "Failure", "", Field::Fault(Failed)),
        ("", "Failure", "filename", Field::File),
        ("", "Failure", "line", Field::Line),
        ("", "Failure", "", Field::Message),
        ("", "Skip", "", Field::Skipped),
    ],
    words: &[],
};

/// doctest's own form.
pub(in crate::artifact::xml) static DOCTEST: Shape = Shape {
    cases: &[("", "TestCase", Passed)],
    groups: &["TestSuite"],
    outside: &[],
    rules: &[
        ("", "TestSuite", "name", Field::Suite),
        ("", "TestCase", "name", Field::Name),
        ("", "TestCase", "filename", Field::CaseFile),
        ("", "TestCase", "line", Field::CaseLine),
        ("", "TestCase", "skipped", Field::IsSkipped),
        ("TestCase", "OverallResultsAsserts", "test_case_success", Field::Success),
        ("TestCase", "OverallResultsAsserts", "duration", Field::Seconds),
        ("", "Expression", "", Field::Fault(Failed)),
        ("", "Expression", "filename", Field::File),
        ("", "Expression", "line", Field::Line),
        ("", "Expression", "success", Field::Holds),
        ("Expression", "Original", "", Field::Message),
        ("Expression", "Expanded", "", Field::Details),
        ("Expression", "Exception", "", Field::Details),
        ("TestCase", "Exception", "", Field::Fault(Errored)),
        ("TestCase", "Exception", "", Field::Message),
        ("SubCase", "Exception", "", Field::Fault(Errored)),
        ("SubCase", "Exception", "", Field::Message),
        ("", "Message", "", Field::Fault(Failed)),
        ("", "Message", "filename", Field::File),
        ("", "Message", "line", Field::Line),
        ("", "Message", "type", Field::Warns),
        ("Message", "Text", "", Field::Message),
    ],
    words: &[],
};
