//! What holds for every format: bytes of any kind are survived, and one log can hold several formats.

use proptest::prelude::*;

use super::*;

#[test]
fn what_is_no_artifact_is_said_with_what_was_tried() {
    for (bytes, word) in
        [(&b""[..], "empty"), (b"hello", "docs/artifacts.md"), (b"PK\x03\x04<testsuite><testcase/>", "zip")]
    {
        let report = read("x", bytes);
        assert_eq!((report.kind, report.tests.total), ("unknown", 0));
        assert!(report.problems[0].message.contains(word), "{:?}", report.problems);
    }
}

#[test]
fn one_log_can_hold_several_formats() {
    let text = "   Compiling x v0.1.0 (/x)\nwarning: unused variable: `a`\n --> src/lib.rs:1:2\n  |\n\nrunning 1 test\ntest t ... ok\n\ntest result: ok. 1 passed; 0 failed; 0 ignored\n=== test session starts ===\na.py .F [100%]\n=== short test summary info ===\nFAILED a.py::t - boom\n=== 1 failed, 1 passed in 0.1s ===\n";
    let report = read("log", text.as_bytes());
    assert_eq!((report.kind, report.tests.total, report.diagnostics.len()), ("pytest", 3, 1));
}

#[test]
fn a_traceback_inside_a_runners_section_is_not_counted_again() {
    let trace = "Traceback (most recent call last):\n  File \"a.py\", line 1, in t\nValueError: x\n";
    let text = format!(
        "=== test session starts ===\n=== FAILURES ===\n___ t ___\n{trace}=== short test summary info ===\nFAILED a.py::t - ValueError: x\n=== 1 failed in 0.1s ===\n{trace}"
    );
    let report = read("log", text.as_bytes());
    assert_eq!((report.tests.failed, report.diagnostics.len()), (1, 1));
}

#[test]
fn long_hostile_lines_are_read_in_one_pass() {
    let bait = [
        "::".repeat(200_000),
        " - [".repeat(100_000),
        "a:1".repeat(200_000),
        "test ... ".repeat(100_000),
        "= ".repeat(300_000),
    ];
    for line in bait {
        for head in [
            "",
            "=== test session starts ===\n",
            "=== short test summary info ===\nFAILED a.py::",
            "running 1 test\ntest ",
            "=== FAILURES ===\n___ t ___\nE   ",
        ] {
            let started = std::time::Instant::now();
            let report = read("log", format!("{head}{line}\n").as_bytes());
            assert_eq!(report.path, "log");
            assert!(started.elapsed().as_secs() < 20, "{head:?} {:?}", line.get(..8));
        }
    }
}

/// Pieces that readers act on, so that chance finds their seams.
const PIECES: &[&str] = &[
    "=== test session starts ===\n",
    "=== FAILURES ===\n",
    "___ t ___\n",
    "E   assert 1\n",
    "a.py:1: Error\n",
    "=== short test summary info ===\n",
    "FAILED a.py::t - x\n",
    "=== 1 failed in 0.1s ===\n",
    "running 2 tests\n",
    "test a ... ",
    "FAILED\n",
    "ok\n",
    "failures:\n",
    "---- a stdout ----\n",
    "thread 'a' panicked at src/a.rs:1:2:\n",
    "thread 'a' panicked at '",
    "test result: FAILED. 1 passed; 1 failed\n",
    "error[E0308]: m\n",
    " --> a.rs:1:2\n",
    "Diff in a.rs:1:\n",
    "Traceback (most recent call last):\n",
    "  File \"a\", line 1, in f\n",
    "TAP version 13\n",
    "1..2\n",
    "not ok 1 - a\n",
    "  ---\n",
    "  error: |-\n",
    "  ...\n",
    "# Subtest: a\n",
    "# tests 1\n# suites 0\n# pass 1\n# fail 0\n",
    "ℹ tests 1\n",
    "✖ a (1ms)\n",
    "▶ s\n",
    "✖ failing tests:\n",
    "  1 passing (1ms)\n",
    "  1 failing\n",
    "  1) a\n",
    "FAIL a.test.js\n",
    "  ● a › b\n",
    "Tests: 1 failed, 1 total\n",
    " FAIL  a.test.js > b\n",
    "      Tests  1 failed (1)\n",
    "<testsuite>",
    "<testcase name='a'>",
    "<failure>",
    "</failure>",
    "</testcase>",
    "<![CDATA[",
    "]]>",
    "&",
    "<",
    "\u{1b}[",
    "\r",
    "\n",
    "é",
    "\0",
    "{\"reason\":\"compiler-message\"}\n",
    "======================================================================\n",
    "ERROR: t (m.T)\n",
    "----------------------------------------------------------------------\n",
    "Ran 1 test in 0.1s\n",
    "FAILED (errors=1)\n",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn any_bytes_are_survived(bytes in proptest::collection::vec(any::<u8>(), 0..2000)) {
        let report = read("x", &bytes);
        prop_assert_eq!(report.path, "x");
    }

    #[test]
    fn any_mixture_of_formats_is_survived_and_adds_up(picks in proptest::collection::vec(0..PIECES.len(), 0..60)) {
        let text: String = picks.iter().map(|pick| PIECES[*pick]).collect();
        let report = read("x", text.as_bytes());
        let TestCounts { total, passed, failed, errored, skipped } = report.tests;
        prop_assert_eq!(total, passed + failed + errored + skipped);
        let last = u32::try_from(text.split('\n').count()).unwrap();
        let spans = report.cases.iter().flat_map(|case| &case.faults).filter_map(|fault| fault.lines);
        for span in spans.chain(report.diagnostics.iter().filter_map(|found| found.lines)) {
            prop_assert!(1 <= span.start && span.start <= span.end && span.end <= last, "{:?} of {}", span, last);
        }
    }
}
