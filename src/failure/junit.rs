//! Artifacts of any format as one `JUnit` report, for tools that read nothing else.

use quick_junit::{NonSuccessKind, TestCase, TestCaseStatus, TestSuite, XmlString};

use super::Failure;
use crate::artifact::{Report, Status};

/// A `JUnit` document: a suite for each artifact with its named cases, and a suite of the faults that are no test's.
///
/// # Errors
/// Only when the document cannot be written as XML, which its text (cleaned here) does not cause.
pub fn to_junit(reports: &[Report], failures: &[Failure]) -> Result<String, quick_junit::SerializeError> {
    let mut document = quick_junit::Report::new("unbreak");
    for report in reports {
        let mut suite = TestSuite::new(report.path.as_str());
        for case in &report.cases {
            let mut status = match case.status {
                Status::Passed => TestCaseStatus::success(),
                Status::Skipped => TestCaseStatus::skipped(),
                Status::Failed => TestCaseStatus::non_success(NonSuccessKind::Failure),
                Status::Errored => TestCaseStatus::non_success(NonSuccessKind::Error),
            };
            if let Some(fault) = case.faults.first() {
                status.set_message(fault.message.as_str()).set_description(fault.details.as_str());
                if let Some(class) = &fault.class {
                    status.set_type(class.as_str());
                }
            }
            let mut written = TestCase::new(case.id.name.as_str(), status);
            written.set_classname(case.id.class.as_str());
            if let Some(seconds) = case.seconds.and_then(|seconds| std::time::Duration::try_from_secs_f64(seconds).ok())
            {
                written.set_time(seconds);
            }
            suite.add_test_case(written);
        }
        document.add_test_suite(suite);
    }
    let others: Vec<&Failure> = failures.iter().filter(|failure| failure.test.is_none()).collect();
    if !others.is_empty() {
        document.add_test_suite(diagnostics(&others));
    }
    Ok(legal(&document.to_string()?))
}

/// A document without the characters that XML 1.0 forbids, and without lines that a CI system would obey (`::error …`,
/// `##[…]`) when the document is printed: their first character becomes a reference.
fn legal(document: &str) -> String {
    let lines = document.split_inclusive('\n').map(|line| {
        let (indent, rest) = line.split_at(line.len() - line.trim_start().len());
        rest.strip_prefix("::").map_or_else(|| line.to_owned(), |rest| format!("{indent}&#58;:{rest}"))
    });
    let allowed =
        |c: &char| matches!(c, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..);
    lines.collect::<String>().replace("##[", "&#35;#[").chars().filter(allowed).collect()
}

fn diagnostics(failures: &[&Failure]) -> TestSuite {
    let mut suite = TestSuite::new("diagnostics");
    for failure in failures {
        let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
        status.set_message(failure.message.as_str()).set_description(failure.excerpt.as_str());
        if let Some(rule) = &failure.rule {
            status.set_type(rule.as_str());
        }
        let place = failure.location.as_ref().map(|at| match at.line {
            Some(line) => format!("{}:{line}", at.path),
            None => at.path.clone(),
        });
        let name = place.unwrap_or_else(|| failure.id.to_string());
        let mut case = TestCase::new(XmlString::new(name), status);
        case.set_classname(failure.tool.as_deref().unwrap_or("unknown"));
        suite.add_test_case(case);
    }
    suite
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back_the_same() {
        let text = "<testsuite name='s'><testcase classname='c' name='a&lt;b'/><testcase classname='c' name='b' time='1.5'><failure message='boom' type='E'>x</failure></testcase><testcase name='d'><skipped/></testcase></testsuite>";
        let report = crate::artifact::read("r.xml", text.as_bytes());
        let again =
            crate::artifact::read("again.xml", to_junit(std::slice::from_ref(&report), &[]).unwrap().as_bytes());
        assert_eq!(again.tests, report.tests);
        assert_eq!(again.cases[0].id.name, "a<b");
        assert_eq!(again.cases[1].faults[0].message, "boom");
    }

    #[test]
    fn what_xml_forbids_and_what_a_log_would_obey_is_not_written() {
        let text = "<testsuite><testcase classname='c' name='a\u{fffe}b\u{1}c\u{ffff}'><failure message='m\u{fffe}'>x\n::error::y\u{ffff}\n  ::stop</failure></testcase></testsuite>";
        let written = to_junit(&[crate::artifact::read("r.xml", text.as_bytes())], &[]).unwrap();
        assert!(!written.contains(['\u{fffe}', '\u{ffff}', '\u{1}']), "{written}");
        assert!(!written.lines().any(|line| line.trim_start().starts_with("::")), "{written}");
        let again = crate::artifact::read("again.xml", written.as_bytes());
        assert_eq!(again.cases[0].id.name, "abc");
        assert!(again.cases[0].faults[0].details.contains("::error::y"), "{:?}", again.cases[0]);
    }

    #[test]
    fn a_diagnostic_becomes_an_errored_case() {
        let report = crate::artifact::read("o.txt", b"error[E0308]: mismatched types\n --> src/a.rs:1:2\n  |\n");
        let failures = super::super::collect(std::slice::from_ref(&report), None);
        let again = crate::artifact::read("x", to_junit(&[report], &failures).unwrap().as_bytes());
        assert_eq!((again.tests.errored, again.cases[0].id.name.as_str()), (1, "src/a.rs:1"));
    }
}
