//! One dialect or one defect a test.

use super::super::{Report, Status, TestCounts, read};

fn report(text: &str) -> Report {
    read("r.xml", text.as_bytes())
}

fn counts(report: &Report) -> [u64; 5] {
    let TestCounts { total, passed, failed, errored, skipped } = report.tests;
    [total, passed, failed, errored, skipped]
}

#[test]
fn pytest_reports_are_read_with_message_place_and_lines() {
    let report = report(
        r#"<?xml version="1.0" encoding="utf-8"?><testsuites><testsuite name="pytest" tests="9">
<testcase classname="tests.test_a" name="test_ok" time="0.001" />
<testcase classname="tests.test_a" name="test_deep" time="0.001"><failure message="ZeroDivisionError: division by zero">def test_deep():
&gt;       div(1, 0)

tests/test_a.py:7: 
_ _ _ _ _ _

    def div(a, b):
&gt;       return a / b
E       ZeroDivisionError: division by zero

pkg/m.py:2: ZeroDivisionError</failure></testcase>
<testcase classname="" name="tests.test_b"><error message="collection failure">tests/test_b.py:1: in &lt;module&gt;
    import nope
E   ModuleNotFoundError: No module named 'nope'</error></testcase>
<testcase name="s"><skipped message="no"/></testcase></testsuite></testsuites>"#,
    );
    assert_eq!((report.kind, report.producer.as_deref(), counts(&report)), ("junit", Some("pytest"), [4, 1, 1, 1, 1]));
    let fault = &report.cases[1].faults[0];
    assert_eq!(fault.message, "ZeroDivisionError: division by zero");
    assert_eq!(fault.location.as_ref().map(|at| (at.path.as_str(), at.line)), Some(("pkg/m.py", Some(2))));
    assert_eq!(
        fault.frames.iter().map(|frame| frame.function.as_deref().unwrap()).collect::<Vec<_>>(),
        ["test_deep", "div"]
    );
    let lines = fault.lines.unwrap();
    assert_eq!((lines.start, lines.end), (9, 13));
    assert!(fault.excerpt.starts_with("    def div(a, b):"), "{}", fault.excerpt);
    assert_eq!(report.cases[2].faults[0].message, "ModuleNotFoundError: No module named 'nope'");
    assert!(report.problems.is_empty());
}

#[test]
fn roots_nesting_and_missing_names_do_not_matter() {
    let report = report(
        "<testsuite><testsuite name='in'><testcase/><testsuite><testcase name='b'/></testsuite></testsuite></testsuite>",
    );
    assert_eq!(counts(&report), [2, 2, 0, 0, 0]);
    assert_eq!(report.cases[0].id.suite, "in");
}

#[test]
fn the_worst_of_several_ends_counts_and_every_failure_is_kept() {
    let report = report(
        "<testsuite><testcase name='a'><skipped/><failure message='one'/><failure message='two'/></testcase><testcase name='b'><failure/><error/></testcase></testsuite>",
    );
    assert_eq!(counts(&report), [2, 0, 1, 1, 0]);
    assert_eq!(report.cases[0].faults.iter().map(|fault| fault.message.as_str()).collect::<Vec<_>>(), ["one", "two"]);
}

#[test]
fn a_test_that_passed_on_a_rerun_is_passed_and_flaky() {
    let report = report(
        "<testsuite><testcase name='a'><flakyFailure message='x'><stackTrace>t</stackTrace><system-out>o</system-out></flakyFailure></testcase><testcase name='b'><failure/><rerunFailure/></testcase></testsuite>",
    );
    assert_eq!((report.cases[0].status, report.cases[0].flaky), (Status::Passed, true));
    assert_eq!((report.cases[1].status, report.cases[1].faults.len()), (Status::Failed, 1));
}

#[test]
fn cdata_escapes_and_forbidden_characters_are_read_and_reported() {
    let report = report(
        "\u{feff}<testsuite><testcase name='a\u{1b}[31mb'><failure message='&#27;[1mred&#0;'><![CDATA[a ]]]]><![CDATA[> b <x>\u{7}]]>&amp;</failure></testcase></testsuite>",
    );
    assert_eq!(report.cases[0].id.name, "ab");
    assert_eq!(report.cases[0].faults[0].message, "red");
    assert_eq!(report.cases[0].faults[0].details, "a ]]> b <x>&");
    assert_eq!(report.problems.len(), 1);
}

#[test]
fn entities_are_refused_and_said() {
    let report = report(
        "<!DOCTYPE t [<!ENTITY a SYSTEM \"file:///etc/passwd\">]><testsuite><testcase name='t'><failure message='&a;'>&a;</failure></testcase></testsuite>",
    );
    assert_eq!(report.cases[0].faults[0].message, "&a;");
    assert!(report.problems[0].message.contains("entities are refused"));
}

#[test]
fn a_report_that_is_cut_off_yields_what_was_there() {
    let report = report(
        "<testsuites><testsuite name='a'><testcase name='one'/><testcase name='two'><failure message='boom'>trace li",
    );
    assert_eq!(counts(&report), [2, 1, 1, 0, 0]);
    assert_eq!(report.problems.len(), 1);
}

#[test]
fn depth_and_length_cost_no_stack_and_no_time() {
    let deep = format!("{}<testcase/>{}", "<testsuite>".repeat(200_000), "</testsuite>".repeat(200_000));
    assert_eq!(counts(&report(&deep)), [1, 1, 0, 0, 0]);
    let wide = format!("<testsuite><testcase {}/></testsuite>", "a='b' ".repeat(100_000));
    assert_eq!(counts(&report(&wide)), [1, 1, 0, 0, 0]);
}

#[test]
fn times_are_read_in_any_locale_and_nonsense_is_none() {
    let of = |time: &str| report(&format!("<testsuite><testcase time='{time}'/></testsuite>")).cases[0].seconds;
    assert_eq!(
        (of("1,234.5"), of("0,5"), of("NaN"), of("1e309"), of("-1")),
        (Some(1234.5), Some(0.5), None, None, None)
    );
}

#[test]
fn a_page_of_html_is_no_report() {
    assert_eq!(report("<!DOCTYPE html><html><body>log in: testsuite</body></html>").kind, "unknown");
}

#[test]
fn text_before_the_document_and_a_second_document_are_read_over() {
    let report = report(
        "npm WARN x\n<?xml version='1.0'?>\n<testsuite><testcase/></testsuite>\n<?xml version='1.0'?><testsuite><testcase><failure/></testcase></testsuite>",
    );
    assert_eq!(counts(&report), [2, 1, 1, 0, 0]);
}
