//! Is the failure real? The failing command, run before any change.

use std::collections::BTreeSet;
use std::time::Duration;

use super::environment::{self, Missing};
use super::matching::{is_matchable, same_failure};
use super::{Bench, Outcome, VerifyError};
use crate::artifact::FaultKind;
use crate::evidence::{Reproduction, Verdict};
use crate::failure::{self, Failure};
use crate::ids::Fingerprint;
use crate::policy::CommandSpec;
use crate::sandbox::{End, SandboxError};
use crate::source::Source;
use crate::text;

/// The way out when the failure does not show.
const ANOTHER: &str = "where another command fails, name it: --run, or under `commands` in the policy";

/// Runs beyond this are not repeated: a quarter of the usual budget.
const LONG: Duration = Duration::from_mins(5);

impl Bench<'_> {
    /// Runs the failing command before any change: is the failure real?
    ///
    /// `wanted` are the failures that artifacts name; empty when only the command is known, and then whatever it
    /// shows is the failure. Test failures are run a second time to tell flaky ones. The outcome is that of the
    /// run that failed, and `None` when nothing could be run.
    ///
    /// # Errors
    /// [`VerifyError`]; a program that is not there is a verdict.
    pub async fn reproduce(
        &self,
        command: &CommandSpec,
        wanted: &[Failure],
    ) -> Result<(Reproduction, Option<Outcome>), VerifyError> {
        let base = self.scratch.base();
        let first = match self.run_at(&base, command, "reproduce").await {
            Ok(outcome) => outcome,
            Err(VerifyError::Sandbox(SandboxError::NotFound { program })) => {
                return Ok((environment_verdict(environment::program(&program), Vec::new()), None));
            }
            Err(error) => return Err(error),
        };
        self.ledger.remember_base(command, &first);
        let source = self.scratch.source(&base)?;
        let first_sight = look(&first, wanted, &source);
        if let Sight::Missing(missing) = first_sight {
            return Ok((environment_verdict(missing, vec![first]), None));
        }
        if !may_be_flaky(&first, wanted) || takes_too_long(&first) {
            let reproduction = conclude(&[(&first, &first_sight)], wanted);
            return Ok((reproduction, Some(first)));
        }
        let second = self.run(command, "reproduce again").await?;
        let second_sight = look(&second, wanted, &source);
        let reproduction = conclude(&[(&first, &first_sight), (&second, &second_sight)], wanted);
        let shown = if first.passed() && !second.passed() { second } else { first };
        Ok((reproduction, Some(shown)))
    }
}

/// What one run says of the wanted failures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Sight {
    /// These keys fail: names of tests, or fingerprints.
    Failing(Vec<String>),
    /// The wanted ones do not fail, whatever else does.
    Absent,
    /// The machine lacks something.
    Missing(Missing),
}

/// Looks at one run. A wanted failure that shows is real, whatever else the machine lacks.
pub(super) fn look(outcome: &Outcome, wanted: &[Failure], source: &dyn Source) -> Sight {
    if outcome.passed() {
        return Sight::Absent;
    }
    // Each test for itself: which of several with one cause is the first may differ from run to run.
    let each = failure::each(&outcome.reports, Some(source));
    let ids: BTreeSet<&Fingerprint> = wanted.iter().map(|wanted| &wanted.id).collect();
    let real = each
        .iter()
        .filter(|seen| {
            wanted.is_empty() || ids.contains(&seen.id) || wanted.iter().any(|wanted| same_failure(wanted, seen))
        })
        .filter(|failure| is_real(failure, wanted, source));
    let mut keys: Vec<String> = real.map(key).collect();
    if !keys.is_empty() {
        keys.sort();
        keys.dedup();
        return Sight::Failing(keys);
    }
    // A command that hangs is what was wanted where an artifact says that it hung.
    if outcome.finished.end == End::Timeout && wanted.iter().any(|failure| failure.kind == FaultKind::Timeout) {
        return Sight::Failing(vec!["timeout".to_owned()]);
    }
    if let Some(missing) = environment::missing_for(&outcome.finished, source) {
        return Sight::Missing(missing);
    }
    // A command that fails without naming what, or an artifact that says too little to be told from others.
    if outcome.failures.is_empty() || !wanted.iter().any(is_matchable) {
        let kind = outcome.run.ended_by.clone().unwrap_or_else(|| "the command fails".to_owned());
        return Sight::Failing(vec![kind]);
    }
    Sight::Absent
}

/// A failure that only shows what this machine lacks is not the one that was named, unless that one says so itself.
fn is_real(seen: &Failure, wanted: &[Failure], source: &dyn Source) -> bool {
    let missing = lacks(seen, source);
    let says_so = |wanted: &Failure| same_failure(wanted, seen) && lacks(wanted, source) == missing;
    missing.is_none() || wanted.iter().any(says_so)
}

fn lacks(failure: &Failure, source: &dyn Source) -> Option<Missing> {
    // A compiler's or a linter's finding is about the sources, whatever words it quotes.
    if matches!(failure.kind, FaultKind::Lint | FaultKind::Format | FaultKind::Type) {
        return None;
    }
    environment::missing_in(&failure.message, source).or_else(|| environment::missing_in(&failure.excerpt, source))
}

/// How a failure is listed: by its test where it has one.
pub(super) fn key(failure: &Failure) -> String {
    failure.test.as_ref().map_or_else(|| failure.id.to_string(), super::compare::name)
}

/// Compilers and linters say the same each time; tests may not.
fn may_be_flaky(first: &Outcome, wanted: &[Failure]) -> bool {
    let uncertain = |kind| matches!(kind, FaultKind::Test | FaultKind::Crash | FaultKind::Timeout | FaultKind::Unknown);
    let of_tests = |failures: &[Failure]| failures.iter().any(|failure| uncertain(failure.kind));
    if first.passed() {
        !wanted.is_empty() && of_tests(wanted)
    } else {
        first.failures.is_empty() || of_tests(&first.failures)
    }
}

/// A long suite that failed is not run again to tell flaky tests: no time would be left to repair anything.
fn takes_too_long(first: &Outcome) -> bool {
    !first.passed() && first.finished.elapsed > LONG
}

/// The verdict over the runs.
pub(super) fn conclude(runs: &[(&Outcome, &Sight)], wanted: &[Failure]) -> Reproduction {
    let records: Vec<_> = runs.iter().map(|(outcome, _)| outcome.run.clone()).collect();
    let failing: Vec<&Vec<String>> =
        runs.iter().filter_map(|(_, sight)| if let Sight::Failing(keys) = sight { Some(keys) } else { None }).collect();
    let mut all: Vec<String> = failing.iter().flat_map(|keys| keys.iter().cloned()).collect();
    all.sort();
    all.dedup();
    let steady: Vec<String> = all.iter().filter(|key| failing.iter().all(|keys| keys.contains(key))).cloned().collect();
    let times = runs.len();
    let (verdict, reason, failing) = if failing.is_empty() {
        let passed = runs.iter().all(|(outcome, _)| outcome.passed());
        let reason = match (passed, wanted.is_empty()) {
            (true, true) => "the command passes".to_owned(),
            (true, false) => format!("`{}` passes here", shown(runs)),
            (false, _) => format!("`{}` fails, but with other failures than the artifact names", shown(runs)),
        };
        (Verdict::NotReproduced, reason, Vec::new())
    } else if failing.len() < times {
        (Verdict::Flaky, format!("it failed {} of {times} times without any change", failing.len()), all)
    } else if steady.is_empty() {
        (Verdict::Flaky, format!("each of {times} runs failed in another way"), all)
    } else {
        let count = if times > 1 { format!(", {times} times") } else { String::new() };
        (Verdict::Reproduced, format!("the same command fails at the same commit{count}"), steady)
    };
    let elsewhere = verdict == Verdict::NotReproduced && !wanted.is_empty();
    let hints = elsewhere.then(|| ANOTHER.to_owned()).into_iter().collect();
    Reproduction { verdict, reason, hints, runs: records, failing }
}

/// The command that was run, for a sentence.
fn shown(runs: &[(&Outcome, &Sight)]) -> String {
    let words = runs.first().map(|(outcome, _)| outcome.run.argv.join(" ")).unwrap_or_default();
    text::one_line(&words, 160)
}

fn environment_verdict(missing: Missing, runs: Vec<Outcome>) -> Reproduction {
    Reproduction {
        verdict: Verdict::Environment,
        reason: format!("this machine lacks {}", missing.what),
        hints: missing.hints,
        runs: runs.into_iter().map(|outcome| outcome.run).collect(),
        failing: Vec::new(),
    }
}

#[cfg(test)]
#[path = "reproduce/tests.rs"]
mod tests;
