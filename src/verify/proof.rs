//! Whether a run shows that the planned failures are gone.

use super::Outcome;
use super::compare::name;
use super::matching::same_failure;
use super::reproduce::key;
use crate::artifact::{Status, TestId};
use crate::failure::Failure;

/// Why a run is no proof; `Ok` with what remains, in a sentence, when it is one.
///
/// A command that passes is a proof, unless it names tests that fail all the same, or tests that failed before are no
/// longer among those that pass: an exit code alone is easily had. One that still fails is a proof only where it failed
/// for other reasons before, names what fails, and names nothing that did not fail then.
pub(super) fn holds(planned: &[Failure], before: &Outcome, after: &Outcome) -> Result<String, String> {
    let gone = no_longer_run(before, after);
    if !gone.is_empty() {
        return Err(format!("failed before and no longer run: {}", few(&gone)));
    }
    if left_early(after) {
        return Err("the test run was ended from inside before it was through".to_owned());
    }
    if after.passed() {
        let failing = still_failing(after);
        if !failing.is_empty() {
            return Err(format!("the command says that it passed, and names what fails: {}", few(&failing)));
        }
        return Ok("the command passes".to_owned());
    }
    if let Some(ended) = &after.run.ended_by {
        return Err(format!("the command was ended by {ended}"));
    }
    let left: Vec<String> = after
        .failures
        .iter()
        .filter(|seen| planned.iter().any(|planned| same_failure(planned, seen)))
        .map(key)
        .collect();
    if !left.is_empty() {
        return Err(format!("still failing: {}", few(&left)));
    }
    let new: Vec<String> = after
        .failures
        .iter()
        .filter(|seen| !before.failures.iter().any(|old| same_failure(old, seen)))
        .map(key)
        .collect();
    if !new.is_empty() {
        return Err(format!("newly failing: {}", few(&new)));
    }
    let others = before.failures.iter().filter(|old| !planned.iter().any(|planned| same_failure(planned, old))).count();
    if after.failures.is_empty() || others == 0 {
        return Err("the command still fails, and does not say why".to_owned());
    }
    Ok(format!("the planned failures are gone; {} others failed before and still do", after.failures.len()))
}

/// Tests that failed before and are neither passing nor failing now, where the runner names the tests that pass.
fn no_longer_run(before: &Outcome, after: &Outcome) -> Vec<String> {
    let ended =
        |id: &TestId| after.tests.tests.iter().filter(|(other, _)| other == id).map(|(_, status)| *status).max();
    if !after.tests.tests.iter().any(|(_, status)| *status == Status::Passed) {
        return Vec::new();
    }
    let failed = before.tests.tests.iter().filter(|(_, status)| is_failing(*status));
    failed.filter(|(id, _)| matches!(ended(id), None | Some(Status::Skipped))).map(|(id, _)| name(id)).collect()
}

fn still_failing(after: &Outcome) -> Vec<String> {
    after.tests.tests.iter().filter(|(_, status)| is_failing(*status)).map(|(id, _)| name(id)).collect()
}

fn is_failing(status: Status) -> bool {
    matches!(status, Status::Failed | Status::Errored)
}

/// pytest marks a run that a test or a fixture ended with a banner, and exits as it was told to.
fn left_early(after: &Outcome) -> bool {
    let banner = b"!!! _pytest.outcomes.Exit";
    after.finished.stdout.windows(banner.len()).any(|window| window == banner)
}

/// What a check reports now and did not before: a linter must not get worse.
pub(super) fn worse(before: &Outcome, after: &Outcome) -> Vec<String> {
    let known = |seen: &Failure| {
        before.failures.iter().map(|old| if same_failure(old, seen) { old.occurrences } else { 0 }).sum::<u64>()
    };
    after.failures.iter().filter(|seen| known(seen) < seen.occurrences).map(key_with_message).collect()
}

fn key_with_message(failure: &Failure) -> String {
    failure.test.as_ref().map_or_else(
        || format!("{}{}", failure.rule.as_ref().map_or(String::new(), |rule| format!("{rule}: ")), failure.message),
        name,
    )
}

/// The first few of a list.
pub(super) fn few(names: &[String]) -> String {
    let shown = names.iter().take(3).cloned().collect::<Vec<_>>().join(", ");
    if names.len() > 3 { format!("{shown} and {} more", names.len() - 3) } else { shown }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::artifact::{FaultKind, Location, Severity};
    use crate::evidence::{CommandRun, TestRun};
    use crate::ids::{Fingerprint, Sha};
    use crate::sandbox::{End, Finished};

    fn lint(path: &str, rule: &str) -> Failure {
        Failure {
            id: Fingerprint::of(&[path, rule]),
            kind: FaultKind::Lint,
            tool: Some("ruff".into()),
            rule: Some(rule.into()),
            severity: Severity::Error,
            message: format!("{rule} in {path}"),
            test: None,
            location: Some(Location { path: path.into(), line: Some(1), column: None }),
            frames: Vec::new(),
            artifact: 0,
            lines: None,
            excerpt: String::new(),
            occurrences: 1,
            tests: Vec::new(),
            weight: 0,
        }
    }

    fn outcome(code: i32, failures: Vec<Failure>) -> Outcome {
        let run = CommandRun {
            id: "c1".into(),
            purpose: "proof".into(),
            argv: Vec::new(),
            cwd: ".".into(),
            exit_code: Some(code),
            ended_by: None,
            seconds: 0.0,
            output_hash: Sha::of(b""),
        };
        let finished = Finished {
            end: End::Code(code),
            stdout: Vec::new(),
            stderr: Vec::new(),
            truncated: false,
            elapsed: std::time::Duration::ZERO,
            denied: Vec::new(),
        };
        Outcome { run, finished, reports: Vec::new(), failures, tests: TestRun::default() }
    }

    #[test]
    fn a_passing_command_is_a_proof_and_a_fixer_that_fixed_nothing_is_none() {
        let before = outcome(1, vec![lint("a.py", "F401")]);
        assert!(holds(&before.failures, &before, &outcome(0, vec![])).is_ok());
        assert_eq!(holds(&before.failures, &before, &before).unwrap_err().split(':').next(), Some("still failing"));
    }

    fn tests(code: i32, ends: &[(&str, Status)]) -> Outcome {
        let id = |name: &str| TestId { name: name.to_owned(), ..TestId::default() };
        let mut outcome = outcome(code, vec![]);
        outcome.tests.tests = ends.iter().map(|(name, status)| (id(name), *status)).collect();
        outcome
    }

    #[test]
    fn an_exit_code_alone_is_no_proof() {
        use Status::{Failed, Passed, Skipped};
        let before = tests(1, &[("a", Failed), ("b", Passed)]);
        let proof = |ends: &[(&str, Status)]| holds(&[], &before, &tests(0, ends));
        assert!(proof(&[("a", Passed), ("b", Passed)]).is_ok());
        assert!(proof(&[("a", Failed), ("b", Passed)]).unwrap_err().contains("names what fails: a"));
        assert!(proof(&[("b", Passed)]).unwrap_err().contains("no longer run: a"));
        assert!(proof(&[("a", Skipped), ("b", Passed)]).unwrap_err().contains("no longer run: a"));
        assert!(proof(&[]).is_ok(), "a runner that names no passing test");
        let mut left = tests(0, &[("a", Passed)]);
        left.finished.stdout = b"!!!!!!! _pytest.outcomes.Exit: done !!!!!!".to_vec();
        assert!(holds(&[], &before, &left).is_err());
    }

    #[test]
    fn failures_that_were_not_planned_may_stay_but_not_come() {
        let before = outcome(1, vec![lint("a.py", "F401"), lint("b.py", "F811")]);
        let planned = &before.failures[..1];
        assert!(holds(planned, &before, &outcome(1, vec![lint("b.py", "F811")])).is_ok());
        assert!(holds(planned, &before, &outcome(1, vec![lint("c.py", "E999")])).is_err());
        assert!(holds(planned, &before, &outcome(1, vec![])).is_err());
    }

    #[test]
    fn a_check_gets_worse_by_what_it_did_not_say_before() {
        let before = outcome(1, vec![lint("a.py", "F401")]);
        assert!(worse(&before, &outcome(1, vec![lint("a.py", "F401")])).is_empty());
        let mut twice = lint("a.py", "F401");
        twice.occurrences = 2;
        assert_eq!(worse(&before, &outcome(1, vec![twice])).len(), 1);
        assert_eq!(worse(&before, &outcome(1, vec![lint("b.py", "F811")])).len(), 1);
    }
}
