//! Merging, mapping and order.

use super::*;
use crate::artifact::read;
use crate::ids::RepoPath;
use crate::source::Memory;

fn report(text: &str) -> Report {
    read("log", text.as_bytes())
}

fn tree(files: &[&str]) -> Memory {
    Memory::new(files.iter().map(|file| (RepoPath::new(file).unwrap(), "")))
}

fn junit(line: u32, address: &str, folder: &str) -> Report {
    report(&format!(
        "<testsuite name='pytest ({folder})'><testcase classname='t' name='test_a'><failure message='ValueError: at {address} in /tmp/{folder}/x'>Traceback (most recent call last):\n  File \"/home/runner/work/r/r/t.py\", line {line}, in test_a\nValueError</failure></testcase></testsuite>"
    ))
}

#[test]
fn the_cells_of_a_matrix_are_one_failure() {
    let found = collect(&[junit(3, "0x7f80b2c6a950", "py310"), junit(90, "0x7f00b2c6aaaa", "py311x")], None);
    assert_eq!((found.len(), found[0].occurrences, found[0].artifact), (1, 2, 0));
}

#[test]
fn paths_are_mapped_and_frames_know_whether_they_are_the_projects() {
    let text = "<testsuite><testcase name='t'><failure message='boom'>Traceback (most recent call last):\n  File \"/home/runner/work/r/r/tests/t.py\", line 3, in test_a\n  File \"/opt/x/site-packages/lib/m.py\", line 9, in load\nValueError: boom</failure></testcase></testsuite>";
    let tree = tree(&["tests/t.py", "lib/m.py"]);
    let found = collect(&[report(text)], Some(&tree));
    let frames: Vec<_> = found[0].frames.iter().map(|frame| (frame.path.as_str(), frame.in_project)).collect();
    assert_eq!(frames, [("tests/t.py", Some(true)), ("/opt/x/site-packages/lib/m.py", Some(false))]);
    assert_eq!(found[0].location.as_ref().unwrap().path, "tests/t.py");
}

#[test]
fn tests_that_fail_in_one_function_for_one_reason_are_one_failure() {
    let case = |name: &str| {
        format!(
            "<testcase classname='t' name='{name}'><failure message='ZeroDivisionError: division by zero'>t.py:3: in {name}\n    div()\nm.py:2: in div\n    1 / 0\nE   ZeroDivisionError: division by zero</failure></testcase>"
        )
    };
    let all = format!(
        "<testsuite>{}{}<testcase classname='t' name='c'><failure message='other'/></testcase></testsuite>",
        case("a"),
        case("b")
    );
    let found = collect(&[report(&all)], None);
    assert_eq!(found.iter().map(|failure| failure.occurrences).collect::<Vec<_>>(), [2, 1]);
    let one = collect(&[report(&format!("<testsuite>{}</testsuite>", case("b")))], None);
    assert_eq!(one[0].id, found[0].id, "the fingerprint does not depend on how many tests fail");
}

#[test]
fn parameters_that_fail_at_one_assertion_with_the_same_words_are_one_failure() {
    let case = |name: &str| {
        format!(
            "<testcase classname='t' name='{name}'><failure message='assert 1 == 2'>t.py:3: AssertionError</failure></testcase>"
        )
    };
    let found =
        |first, second| collect(&[report(&format!("<testsuite>{}{}</testsuite>", case(first), case(second)))], None);
    let (one, two) = (found("t[1]", "t[2]"), found("t[2]", "t[1]"));
    assert_eq!((one.len(), one[0].occurrences), (1, 2));
    assert_eq!(one[0].id, two[0].id, "nor on their order");
}

#[test]
fn root_causes_come_first_and_warnings_do_not_count_beside_failures() {
    let tests =
        report("running 1 test\ntest a ... FAILED\n\nfailures:\n    a\n\ntest result: FAILED. 0 passed; 1 failed\n");
    let build = report(
        "warning: unused variable: `x`\n --> src/a.rs:1:2\n  |\n\nerror[E0308]: mismatched types\n --> src/a.rs:9:2\n  |\n\nDiff in src/b.rs:1:\n-a\n+b\n",
    );
    let found = collect(&[tests, build], None);
    let kinds: Vec<_> = found.iter().map(|failure| (failure.kind, failure.severity)).collect();
    assert_eq!(
        kinds,
        [
            (FaultKind::Compile, Severity::Error),
            (FaultKind::Test, Severity::Error),
            (FaultKind::Format, Severity::Error)
        ]
    );
}

#[test]
fn warnings_are_failures_only_as_a_linters_result() {
    let warning = "warning: unused variable: `x`\n --> src/a.rs:1:2\n  |\n\n";
    assert_eq!(collect(&[report(warning)], None)[0].severity, Severity::Warning);
    let passing = format!("{warning}running 1 test\ntest a ... ok\n\ntest result: ok. 1 passed; 0 failed\n");
    assert!(collect(&[report(&passing)], None).is_empty());
}

#[test]
fn what_kept_tests_from_loading_has_its_own_kind() {
    let kind = |text: &str| collect(&[report(text)], None)[0].kind;
    assert_eq!(
        kind(
            "<testsuite name='pytest'><testcase classname='' name='t'><error message='collection failure'>E   ModuleNotFoundError: No module named 'x'</error></testcase></testsuite>"
        ),
        FaultKind::Dependency
    );
    assert_eq!(
        kind(
            "<testsuite><testcase classname='c' name='t'><failure message='Test timed out in 5000ms.'/></testcase></testsuite>"
        ),
        FaultKind::Timeout
    );
}

#[test]
fn a_flaky_pass_is_no_failure() {
    assert!(
        collect(&[report("<testsuite><testcase name='t'><flakyFailure message='x'/></testcase></testsuite>")], None)
            .is_empty()
    );
}

#[test]
fn an_annotation_at_a_line_that_a_log_explains_is_an_echo() {
    let log = crate::artifact::read("log", b"error[E0308]: mismatched types\n --> src/a.rs:1:2\n  |\n");
    let list = crate::artifact::read(
        "list",
        br#"[{"path":"src/a.rs","start_line":1,"annotation_level":"failure","message":"mismatched types"},
             {"path":"src/b.rs","start_line":1,"annotation_level":"failure","message":"another"}]"#,
    );
    let seen: Vec<_> =
        collect(&[list, log], None).into_iter().map(|failure| (failure.artifact, failure.message)).collect();
    assert_eq!(seen, [(1, "mismatched types".to_owned()), (0, "another".to_owned())]);
}
