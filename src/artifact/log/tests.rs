//! Whole logs: which lines are quoted first.

mod names;

use crate::artifact::matcher::Matchers;
use crate::artifact::{FaultKind, Limits, Raw, Report};

fn report(log: &str, baseline: Option<&str>) -> Report {
    let raw =
        Raw { name: "log".to_owned(), content: log.as_bytes().to_vec().into(), baseline: baseline.map(str::to_owned) };
    raw.open(Matchers::built_in(), Limits::default()).remove(0)
}

/// The strongest passage: its kind, its first and its last line, and its message.
fn best(log: &str, baseline: Option<&str>) -> (FaultKind, u32, u32, String) {
    let report = report(log, baseline);
    let found = report.diagnostics.iter().chain(&report.passages).max_by_key(|found| found.weight).unwrap();
    let lines = found.lines.unwrap();
    (found.kind, lines.start, lines.end, found.message.clone())
}

const TRAVIS: &str = "Worker information\r\ntravis_fold:end:system_info\r\n$ ./configure\r\nerror: optional thing is missing, going on\r\nThe command \"./configure\" exited with 0.\r\ntravis_time:start:1\r\n$ make docs\r\nreading a\r\nreading b\r\n\r\nfatal: no theme `plain` was found\r\n  searched: themes/\r\n\r\nmake: *** [docs] Error 1\r\nThe command \"make docs\" exited with 2.\r\n$ after_failure\r\nerror: cannot upload\r\nDone. Your build exited with 1.\r\n";

#[test]
fn the_cause_in_the_failed_command_comes_before_what_follows_and_what_went_well() {
    let (_, start, end, message) = best(TRAVIS, None);
    assert_eq!((start, end), (7, 14), "a command that says little is quoted whole");
    assert_eq!(message, "fatal: no theme `plain` was found");
    assert_eq!(report(TRAVIS, None).kind, "travis-log");
}

#[test]
fn in_a_long_command_only_the_report_is_quoted() {
    let log = TRAVIS.replace("reading b\r\n", &"reading b\r\n".repeat(50));
    let (_, start, end, message) = best(&log, None);
    assert_eq!((start, end, message.as_str()), (60, 61, "fatal: no theme `plain` was found"));
}

#[test]
fn the_script_of_a_step_is_not_its_output() {
    let log = "2024-01-01T00:00:00.0000000Z ##[group]Run make\n2024-01-01T00:00:00.0000000Z make || echo \"error: it failed\"\n2024-01-01T00:00:00.0000000Z ##[endgroup]\n2024-01-01T00:00:01.0000000Z write /tmp/a: no space left on device\n2024-01-01T00:00:01.0000000Z ##[error]Process completed with exit code 1.\n";
    let (kind, start, _, message) = best(log, None);
    assert_eq!((kind, start), (FaultKind::Infrastructure, 4));
    assert_eq!(message, "write /tmp/a: no space left on device");
}

#[test]
fn an_annotation_ends_no_step_that_goes_on() {
    let ordinary = "compiling another file of the package\n".repeat(2000);
    let log = format!(
        "##[group]Run npm test\n##[endgroup]\n##[error]a/x.ts: cannot find module 'y', ignoring\n{ordinary}fatal: the table has no rows\n\n##[error]Process completed with exit code 1.\n"
    );
    assert_eq!(best(&log, None).3, "fatal: the table has no rows");
    // An action that fails says so by an annotation and nothing else.
    let log = log.replace("Process completed with exit code 1.", "the table is wrong").replace("fatal: ", "");
    assert_eq!(best(&log, None).3, "##[error]the table is wrong");
}

#[test]
fn what_a_green_run_said_as_well_explains_nothing() {
    let old = "error: cannot open cache 17, going on\n";
    let log = format!("$ make\n{}\n\n\n{}now the table is odd: 3 columns expected, got 4\n", "x\n".repeat(30), old);
    let green = "$ make\nerror: cannot open cache 4, going on\nfine\n";
    assert!(best(&log, None).3.starts_with("error: cannot open"));
    assert!(best(&log, Some(green)).3.starts_with("now the table"));
}

#[test]
fn a_stalled_and_a_killed_command_are_not_the_fault_of_the_code() {
    let stalled = "$ make test\nrunning\n\nNo output has been received in the last 10m0s, this potentially indicates a stalled build.\nThe build has been terminated\n";
    assert_eq!(best(stalled, None).0, FaultKind::Timeout);
    let killed = "Worker information\n$ make test\nrunning a\nrunning b\nThe command \"make test\" exited with 137.\n";
    let kinds: Vec<_> = report(killed, None).passages.iter().map(|found| found.kind).collect();
    assert!(kinds.contains(&FaultKind::Infrastructure), "{kinds:?}");
}

#[test]
fn a_cut_log_is_read_as_far_as_it_goes() {
    for end in 0..TRAVIS.len() {
        if let Some(part) = TRAVIS.get(..end) {
            let _read = report(part, Some(part));
        }
    }
}

#[test]
fn a_log_that_ends_well_explains_no_failure() {
    let log = "$ make\nerror: optional thing is missing, going on\nDone. Your build exited with 0.\n";
    assert!(report(log, None).passages.is_empty());
    assert!(!report(&log.replace("with 0", "with 1"), None).passages.is_empty());
}

#[test]
fn the_verdict_of_a_harness_comes_before_what_runs_behind_it() {
    let stamp = "[task 2025-01-01T00:00:00.000Z] ";
    let lines = |text: &str| format!("{stamp}{}\n", text.trim_end().replace('\n', &format!("\n{stamp}")));
    let log = format!(
        "[taskcluster 2025-01-01T00:00:00.000Z] Task ID: x\n{}{}{}[taskcluster 2025-01-01T00:00:00.000Z] Unsuccessful task run with exit code: 1\n",
        lines("00:00:01     INFO - TEST-UNEXPECTED-FAIL | dom/a.html | assertion 7 failed"),
        lines(&"00:00:02     INFO - TEST-PASS | dom/b.html\n".repeat(5000)),
        lines("error: cannot list the devices\n+ kill 47\n+ [[ false == false ]]\n+ exit 1"),
    );
    let (kind, start, _, message) = best(&log, None);
    assert_eq!((kind, start), (FaultKind::Test, 2));
    assert!(message.contains("TEST-UNEXPECTED-FAIL"), "{message}");
}

#[test]
fn a_log_of_failed_commands_alone_takes_linear_time() {
    let log = "error: a\nThe command \"m\" exited with 1.\n".repeat(100_000);
    assert!(!report(&log, None).passages.is_empty());
}
