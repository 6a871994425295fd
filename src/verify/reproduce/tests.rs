//! Verdicts over runs that are given as values.

use super::*;
use crate::artifact::{Case, Fault, Location, Report, Severity, Status, TestId};
use crate::evidence::{CommandRun, TestRun};
use crate::ids::{RepoPath, Sha};
use crate::sandbox::{Denied, Finished};
use crate::source::Memory;

fn failure(name: &str, message: &str) -> Failure {
    Failure {
        id: Fingerprint::of(&[name, message]),
        kind: FaultKind::Test,
        tool: Some("pytest".into()),
        rule: None,
        severity: Severity::Error,
        message: message.into(),
        test: Some(TestId { name: name.into(), ..TestId::default() }),
        location: None,
        frames: Vec::new(),
        artifact: 0,
        lines: None,
        excerpt: String::new(),
        occurrences: 1,
        tests: Vec::new(),
        weight: 0,
    }
}

fn outcome(code: i32, output: &str, failures: Vec<Failure>) -> Outcome {
    let run = CommandRun {
        id: "c1".into(),
        purpose: "reproduce".into(),
        argv: vec!["pytest".into()],
        cwd: ".".into(),
        exit_code: Some(code),
        ended_by: None,
        seconds: 0.1,
        output_hash: Sha::of(b""),
    };
    let finished = Finished {
        end: End::Code(code),
        stdout: output.as_bytes().to_vec(),
        stderr: Vec::new(),
        truncated: false,
        elapsed: Duration::from_millis(100),
        denied: Vec::new(),
    };
    let case = |failure: &Failure| Case {
        id: failure.test.clone().unwrap_or_default(),
        status: Status::Failed,
        faults: vec![Fault { message: failure.message.clone(), ..Fault::default() }],
        ..Case::default()
    };
    let report = Report { kind: "pytest", cases: failures.iter().map(case).collect(), ..Report::default() };
    Outcome { run, finished, reports: vec![report], failures, tests: TestRun::default() }
}

fn tree() -> Memory {
    Memory::new([(RepoPath::new("app.py").unwrap(), "")])
}

fn verdict(outcomes: &[Outcome], wanted: &[Failure]) -> Reproduction {
    let sights: Vec<Sight> = outcomes.iter().map(|outcome| look(outcome, wanted, &tree())).collect();
    let runs: Vec<_> = outcomes.iter().zip(&sights).collect();
    conclude(&runs, wanted)
}

#[test]
fn a_failure_that_shows_each_time_is_reproduced() {
    let failing = outcome(1, "", vec![failure("test_a", "assert 1 == 2")]);
    let reproduction = verdict(&[failing.clone(), failing], &[failure("test_a", "assert 1 == 3")]);
    assert_eq!((reproduction.verdict, reproduction.failing), (Verdict::Reproduced, vec!["test_a".to_owned()]));
}

#[test]
fn a_failure_that_comes_and_goes_is_flaky() {
    let failing = outcome(1, "", vec![failure("test_a", "x")]);
    assert_eq!(verdict(&[failing.clone(), outcome(0, "", vec![])], &[failure("test_a", "x")]).verdict, Verdict::Flaky);
    let other = outcome(1, "", vec![failure("test_b", "y")]);
    assert_eq!(verdict(&[failing, other], &[]).verdict, Verdict::Flaky);
}

#[test]
fn a_passing_command_and_other_failures_are_not_it() {
    assert_eq!(verdict(&[outcome(0, "", vec![])], &[failure("test_a", "x")]).verdict, Verdict::NotReproduced);
    let other = outcome(1, "", vec![failure("test_b", "y")]);
    assert_eq!(verdict(&[other], &[failure("test_a", "x")]).verdict, Verdict::NotReproduced);
}

#[test]
fn without_a_wanted_failure_whatever_fails_is_it() {
    let failing = outcome(1, "", vec![failure("test_a", "x")]);
    assert_eq!(verdict(&[failing], &[]).verdict, Verdict::Reproduced);
    assert_eq!(verdict(&[outcome(2, "boom", vec![])], &[]).verdict, Verdict::Reproduced);
}

#[test]
fn a_missing_module_is_the_environment_and_an_own_one_is_not() {
    let foreign =
        outcome(2, "No module named 'numpy'", vec![failure("test_a", "ModuleNotFoundError: No module named 'numpy'")]);
    assert!(matches!(look(&foreign, &[], &tree()), Sight::Missing(_)));
    let own =
        outcome(2, "No module named 'app.x'", vec![failure("test_a", "ModuleNotFoundError: No module named 'app.x'")]);
    assert!(matches!(look(&own, &[], &tree()), Sight::Failing(_)));
}

#[test]
fn one_real_failure_among_missing_things_is_real() {
    let mixed = outcome(
        1,
        "No module named 'numpy'",
        vec![failure("test_a", "No module named 'numpy'"), failure("test_b", "assert 0")],
    );
    assert_eq!(look(&mixed, &[], &tree()), Sight::Failing(vec!["test_b".to_owned()]));
}

#[test]
fn a_refused_access_names_the_line_that_would_allow_it() {
    let mut denied = outcome(1, "", vec![]);
    denied.finished.denied = vec![Denied { wanted: "a socket".into(), allow_with: "network: loopback".into() }];
    let Sight::Missing(missing) = look(&denied, &[], &tree()) else { panic!("not missing") };
    assert_eq!(missing.hints, ["network: loopback"]);
}

#[test]
fn a_command_at_its_limit_lacks_time_unless_a_hang_was_wanted() {
    let mut hung = outcome(0, "", vec![]);
    hung.finished.end = End::Timeout;
    assert!(matches!(look(&hung, &[], &tree()), Sight::Missing(_)));
    let mut wanted = failure("test_a", "timed out");
    wanted.kind = FaultKind::Timeout;
    assert_eq!(look(&hung, &[wanted], &tree()), Sight::Failing(vec!["timeout".to_owned()]));
}

#[test]
fn every_test_of_one_cause_is_named() {
    let mut failing = outcome(1, "", vec![failure("test_b", "assert 1 == 2"), failure("test_a", "assert 1 == 2")]);
    for case in &mut failing.reports[0].cases {
        case.faults[0].location = Some(Location { path: "app.py".into(), line: Some(3), column: None });
    }
    assert_eq!(failure::collect(&failing.reports, Some(&tree())).len(), 1);
    assert_eq!(look(&failing, &[], &tree()), Sight::Failing(vec!["test_a".to_owned(), "test_b".to_owned()]));
}

#[test]
fn a_named_failure_that_speaks_of_what_is_missing_is_real_and_one_that_does_not_is_not() {
    let message = "Failed to resolve 'example.org'";
    let failing = outcome(1, message, vec![failure("test_a", message)]);
    let named = |message: &str| look(&failing, &[failure("test_a", message)], &tree());
    assert_eq!(named(message), Sight::Failing(vec!["test_a".to_owned()]));
    assert!(matches!(named("assert 1 == 2"), Sight::Missing(_)));
}

#[test]
fn a_long_suite_that_failed_is_not_run_again() {
    let mut failing = outcome(1, "", vec![failure("test_a", "x")]);
    assert!(!takes_too_long(&failing));
    failing.finished.elapsed = Duration::from_mins(6);
    assert!(takes_too_long(&failing));
    let mut passing = outcome(0, "", vec![]);
    passing.finished.elapsed = Duration::from_mins(6);
    assert!(!takes_too_long(&passing));
}
