//! Real output of pytest, cut down.

use crate::artifact::{FaultKind, Report, Status, read};

const TRACES: &str = "==================================== ERRORS ====================================
_______________________ ERROR collecting tests/test_b.py _______________________
ImportError while importing test module '/tmp/p/tests/test_b.py'.
Traceback:
tests/test_b.py:1: in <module>
    import nope
E   ModuleNotFoundError: No module named 'nope'
=================================== FAILURES ===================================
__________________________________ test_deep ___________________________________

    def test_deep():
>       div(1, 0)

tests/test_a.py:7: 
_ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ 

a = 1, b = 0

    def div(a, b):
>       return a / b
E       ZeroDivisionError: division by zero

pkg/m.py:2: ZeroDivisionError
----------------------------- Captured stdout call -----------------------------
Traceback (most recent call last):
  File \"noise.py\", line 1, in noise
_______________________________ TestC.test_p[2] ________________________________

self = <test_a.TestC object at 0x7f80b2c6a950>, x = 2

    def test_p(self, x):
>       assert {\"a\": x} == {\"a\": 1}
E       AssertionError: assert {'a': 2} == {'a': 1}
E         
E         Use -v to get more diff

tests/test_a.py:11: AssertionError
";
const SUMMARY: &str = "=========================== short test summary info ============================
FAILED tests/test_a.py::test_deep - ZeroDivisionError: division by zero
FAILED tests/test_a.py::TestC::test_p[2] - AssertionError: assert {'a': 2} ==...
ERROR tests/test_b.py
";

fn failing(report: &Report) -> Vec<String> {
    let failing = report.cases.iter().filter(|case| case.is_failing());
    failing
        .map(|case| {
            let at = case.faults[0].location.as_ref().map(|at| format!("{}:{}", at.path, at.line.unwrap_or(0)));
            format!(
                "{}::{} {:?} {} {}",
                case.id.class,
                case.id.name,
                case.status,
                at.unwrap_or_default(),
                case.faults[0].message
            )
        })
        .collect()
}

const EXPECTED: [&str; 3] = [
    "tests.test_a::test_deep Failed pkg/m.py:2 ZeroDivisionError: division by zero",
    "tests.test_a.TestC::test_p[2] Failed tests/test_a.py:11 AssertionError: assert {'a': 2} == {'a': 1}",
    "::tests.test_b Errored tests/test_b.py:1 ModuleNotFoundError: No module named 'nope'",
];

#[test]
fn the_usual_form_is_read() {
    let text = format!(
        "============================= test session starts ==============================\nrootdir: /tmp/p\ncollected 9 items / 1 error\n\ntests/test_a.py .F.FsxX     [100%]\n\n{TRACES}{SUMMARY}==== 2 failed, 2 passed, 1 skipped, 1 xfailed, 1 xpassed, 1 error in 0.07s ====\n"
    );
    let report = read("log", text.as_bytes());
    assert_eq!(failing(&report), EXPECTED);
    assert_eq!((report.kind, report.tests.total, report.tests.passed, report.tests.skipped), ("pytest", 8, 3, 2));
    let deep = &report.cases[0].faults[0];
    assert_eq!(
        deep.frames.iter().map(|frame| frame.function.as_deref().unwrap()).collect::<Vec<_>>(),
        ["test_deep", "div"]
    );
    assert!(deep.details.contains("noise.py"), "captured output is kept");
    assert_eq!(deep.excerpt.lines().next(), Some("    def div(a, b):"));
    assert!(report.problems.is_empty() && report.diagnostics.is_empty());
}

#[test]
fn the_quiet_form_is_read() {
    let text = format!(".F.FsxX    [100%]\n{TRACES}{SUMMARY}2 failed, 3 passed, 2 skipped, 1 error in 0.07s\n");
    let report = read("log", text.as_bytes());
    assert_eq!(failing(&report), EXPECTED);
    assert_eq!(report.tests.total, 8);
}

#[test]
fn the_verbose_form_names_every_test_also_with_workers() {
    let head = "============================= test session starts ==============================\n";
    let plain = "tests/test_a.py::test_ok PASSED     [ 11%]\ntests/test_a.py::test_deep FAILED   [ 22%]\ntests/test_a.py::test_s SKIPPED (no)   [ 55%]\ntests/test_a.py::test_fl RERUN [ 60%]\ntests/test_a.py::test_fl PASSED [ 60%]\n";
    let workers = "tests/test_a.py::test_ok \n[gw0] [ 11%] PASSED tests/test_a.py::test_ok \n[gw1] [ 22%] FAILED tests/test_a.py::test_deep \n[gw1] [ 55%] SKIPPED tests/test_a.py::test_s \n[gw1] [ 60%] RERUN tests/test_a.py::test_fl \n[gw1] [ 60%] PASSED tests/test_a.py::test_fl \n";
    for progress in [plain, workers] {
        let text = format!(
            "{head}{progress}{TRACES}{SUMMARY}==== 2 failed, 2 passed, 1 skipped, 1 error, 1 rerun in 0.07s ====\n"
        );
        let report = read("log", text.as_bytes());
        assert_eq!(report.cases.iter().filter(|case| case.status == Status::Passed).count(), 2);
        assert!(report.cases.iter().any(|case| case.flaky && case.id.name == "test_fl"));
        assert_eq!(failing(&report).len(), 3);
    }
}

#[test]
fn without_a_summary_the_sections_name_the_tests() {
    let text = format!("{TRACES}=== 2 failed, 1 error in 0.07s ===\n");
    let mut found = failing(&read("log", text.as_bytes()));
    found.sort();
    let mut expected = EXPECTED.map(str::to_owned);
    expected.sort();
    assert_eq!(found, expected);
}

#[test]
fn stamps_of_a_log_do_not_matter_and_lines_stay_right() {
    let text = format!("=== test session starts ===\n{TRACES}{SUMMARY}=== 2 failed, 1 error in 0.07s ===\n");
    let stamp = "2024-01-01T00:00:00.0000000Z ";
    let stamped = format!("{stamp}{}", text.replace('\n', &format!("\r\n{stamp}")));
    let (plain, stamped) = (read("a", text.as_bytes()), read("b", stamped.as_bytes()));
    assert_eq!(failing(&plain), failing(&stamped));
    assert_eq!(plain.cases[0].faults[0].lines, stamped.cases[0].faults[0].lines);
    let lines = plain.cases[0].faults[0].lines.unwrap();
    assert_eq!(text.lines().nth(lines.end as usize - 1), Some("pkg/m.py:2: ZeroDivisionError"));
}

#[test]
fn a_conftest_that_cannot_be_imported_is_a_diagnostic() {
    let text = "ImportError while loading conftest '/x/conftest.py'.\nconftest.py:1: in <module>\n    import yaml\nE   ModuleNotFoundError: No module named 'yaml'\n";
    let report = read("log", text.as_bytes());
    assert_eq!((report.kind, report.diagnostics[0].kind), ("pytest", FaultKind::Dependency));
    assert_eq!(report.diagnostics[0].message, "ModuleNotFoundError: No module named 'yaml'");
}

#[test]
fn a_session_that_is_cut_off_says_so() {
    let report = read("log", b"=== test session starts ===\ntests/test_a.py::test_ok PASSED [ 11%]\n");
    assert_eq!((report.tests.passed, report.problems.len()), (1, 1));
}
