//! One dialect or one defect a test.

use crate::artifact::{Report, Status, TestCounts, read};

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

#[test]
fn a_cut_inside_of_a_failure_keeps_what_it_said() {
    let report = report("<testsuite><testcase name='one'/><testcase name='two'><failure><![CDATA[ValueError: bad\n at");
    assert_eq!(counts(&report), [2, 1, 1, 0, 0]);
    assert_eq!(report.cases[1].faults[0].message, "ValueError: bad");
    assert_eq!(report.problems.len(), 1);
}

#[test]
fn a_failure_without_an_end_tag_does_not_swallow_the_next_case() {
    let report = report("<testsuite><testcase name='a'><failure>x<testcase name='b'/></testsuite>");
    assert_eq!(counts(&report), [2, 1, 1, 0, 0]);
}

#[test]
fn output_that_quotes_a_report_is_no_report() {
    let report = report(
        "<testsuite><testcase name='a'><system-out><testcase name='b'><failure/></testcase></system-out></testcase></testsuite>",
    );
    assert_eq!(counts(&report), [1, 1, 0, 0, 0]);
}

#[test]
fn a_message_that_spans_lines_is_quoted_from_where_it_begins() {
    let report =
        report("<testsuite>\n<testcase name='a'>\n<failure\n message='one\ntwo'\n type='E'/></testcase></testsuite>");
    let fault = &report.cases[0].faults[0];
    let lines = fault.lines.unwrap();
    assert_eq!((lines.start, lines.end, fault.class.as_deref()), (4, 5, Some("E")));
}

#[test]
fn the_runner_s_own_lines_do_not_hide_what_a_go_test_says() {
    let report = report(
        "<testsuite><testcase name='TestA'><failure message='Failed' type=''>=== RUN   TestA\n    a_test.go:8: got 1, want 2\n--- FAIL: TestA (0.00s)</failure></testcase></testsuite>",
    );
    let fault = &report.cases[0].faults[0];
    assert_eq!(fault.message, "got 1, want 2");
    assert_eq!(fault.location.as_ref().unwrap().line, Some(8));
    assert_eq!(fault.lines.unwrap().start, 2);
    assert!(fault.details.starts_with("=== RUN"));
}

#[test]
fn a_suite_that_failed_itself_is_a_diagnostic_and_names_its_file() {
    let report = report(
        "<testsuites><testsuite name='s' file='a.js'><error message='cannot load'/><testcase name='t'><failure message='m'/></testcase></testsuite></testsuites>",
    );
    assert_eq!(report.diagnostics[0].message, "s: cannot load");
    assert_eq!(report.cases[0].faults[0].location.as_ref().unwrap().path, "a.js");
}

#[test]
fn a_report_reads_the_same_in_pieces() {
    let text = "<testsuites><testsuite name='s'><testcase classname='c' name='a &amp; b'><failure message='x &lt; y' type='E'><![CDATA[at ]]]]><![CDATA[> é]]>&#233;\nT</failure><system-out>o</system-out></testcase><testcase name='z'/></testsuite></testsuites>";
    let whole = report(text);
    for size in [1, 2, 3, 7, 16] {
        let mut source = std::io::BufReader::with_capacity(size, text.as_bytes());
        let mut pieces = Report::default();
        super::read(&mut super::Document::behind(&mut source, 0), &mut pieces);
        assert_eq!(counts(&pieces), [2, 1, 1, 0, 0]);
        assert_eq!(pieces.cases[0].id, whole.cases[0].id);
        assert_eq!(pieces.cases[0].faults[0].message, whole.cases[0].faults[0].message);
    }
}

#[test]
fn a_report_that_is_cut_anywhere_is_read() {
    let text = "<?xml version='1.0'?><!-- c --><testsuites><testsuite name='s'><testcase name='é'><failure message='m'><![CDATA[t]]></failure></testcase><testcase name='b'><error/></testcase></testsuite></testsuites>";
    for end in 0..text.len() {
        let report = read("r.xml", &text.as_bytes()[..end]);
        assert!(report.tests.total <= 2);
        assert!(!report.problems.is_empty());
    }
}

#[test]
fn much_text_before_the_document_is_read_over_and_its_lines_count() {
    let noise = "<info> it's a long build\n".repeat(500);
    let text = format!(
        "{noise}<?xml version='1.0'?>\n<testsuite><testcase name='a'><failure>x</failure></testcase></testsuite>\n"
    );
    let found = report(&text);
    assert_eq!((found.kind, counts(&found)), ("junit", [1, 0, 1, 0, 0]));
    assert_eq!(found.cases[0].faults[0].lines.unwrap().start, 502);
    assert_eq!(found.problems.len(), 1);
    assert_eq!(report(&format!("{text}done\n")).kind, "unknown", "a log that quotes a report is a log");
}

#[test]
fn the_suite_of_a_linter_is_a_file() {
    let report = report(
        "<testsuites><testsuite name='/r/src/a.js'><testcase name='no-undef'><failure message='x is not defined'>line 3, col 1, Error - x is not defined. (no-undef)</failure></testcase></testsuite></testsuites>",
    );
    let at = report.cases[0].faults[0].location.as_ref().unwrap();
    assert_eq!((at.path.as_str(), at.line), ("/r/src/a.js", Some(3)));
}
