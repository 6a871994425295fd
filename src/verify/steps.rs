//! The proof of a candidate, step by step; the first step that fails is the last.

use super::compare::compare;
use super::ledger::same_command;
use super::proof::{few, holds, worse};
use super::{Bench, Outcome, VerifyError};
use crate::artifact::{FaultKind, Status, TestCounts, TestId};
use crate::evidence::{Finding, Step, TestRun, Verification, Weight};
use crate::failure::to_junit;
use crate::gate;
use crate::git::CommitId;
use crate::journal::Entry;
use crate::plan::{Check, Plan, Role};
use crate::sandbox::SandboxError;

/// One proof under way.
struct Proof<'a> {
    bench: &'a Bench<'a>,
    plan: &'a Plan,
    before: &'a Outcome,
    candidate: &'a CommitId,
    verification: Verification,
    findings: Vec<Finding>,
    /// The failing command, run on the candidate.
    after: Option<Outcome>,
}

impl Bench<'_> {
    /// Proves a candidate, or says at which step it fails: build, static checks, failing tests, suite, repeats, gate.
    ///
    /// `before` is what the plan's proof showed before any change. Checks that failed before count only by what
    /// they newly report; they are run on the base once, when the candidate does not pass them. The work tree is
    /// the candidate's afterwards.
    ///
    /// # Errors
    /// [`VerifyError`].
    pub async fn verify(
        &self,
        plan: &Plan,
        before: &Outcome,
        candidate: &CommitId,
    ) -> Result<(Verification, Vec<Finding>), VerifyError> {
        self.ledger.remember_base(&plan.proof.command, before);
        self.scratch.reset(candidate, self.journal).await?;
        let verification = Verification::default();
        let mut proof = Proof { bench: self, plan, before, candidate, verification, findings: Vec::new(), after: None };
        let held = proof.checks(Role::Build, "build").await?
            && proof.checks(Role::Static, "static").await?
            && proof.failing_tests().await?
            && proof.suite().await?
            && proof.repeats().await?
            && proof.gate()?;
        if !held {
            proof.say_what_was_not_run()?;
        }
        self.scratch.reset(candidate, self.journal).await?;
        Ok((proof.verification, proof.findings))
    }

    /// What a check showed before any change: remembered, or run now. Leaves the base in the work tree.
    async fn base_outcome(&self, check: &Check) -> Result<Outcome, VerifyError> {
        if let Some(known) = self.ledger.base_outcome(&check.command) {
            return Ok(known);
        }
        let outcome = self.run_at(&self.scratch.base(), &check.command, &format!("{} before", check.name)).await?;
        self.ledger.remember_base(&check.command, &outcome);
        Ok(outcome)
    }
}

impl Proof<'_> {
    fn step(&mut self, name: &str, passed: bool, summary: String, outcomes: &[&Outcome]) -> bool {
        let commands = outcomes.iter().map(|outcome| outcome.run.clone()).collect();
        self.verification.steps.push(Step { name: name.to_owned(), passed, summary, commands });
        passed
    }

    /// The plan's checks of one role, but for the proof itself, which is a step of its own.
    fn of_role(&self, role: Role) -> Vec<Check> {
        let proof = &self.plan.proof.command;
        self.plan
            .checks
            .iter()
            .filter(|check| check.role == role && !same_command(&check.command, proof))
            .cloned()
            .collect()
    }

    /// Builds and static checks: what passed before must pass, and what failed before must not get worse.
    async fn checks(&mut self, role: Role, name: &str) -> Result<bool, VerifyError> {
        let checks = self.of_role(role);
        if checks.is_empty() {
            let own = self.plan.proof.role == role;
            let why = if own { "the failing command is that check" } else { "no such check is known" };
            self.verification.not_run.push(format!("{name}: {why}"));
            return Ok(true);
        }
        let (mut outcomes, mut said) = (Vec::new(), Vec::new());
        for check in &checks {
            let Some(after) = self.run_if_installed(check, &check.name).await? else { continue };
            let verdict = if after.passed() {
                Ok(format!("`{}` passes", check.name))
            } else {
                let before = self.bench.base_outcome(check).await?;
                let verdict = judge_check(&check.name, &before, &after);
                outcomes.push(before);
                verdict
            };
            outcomes.push(after);
            match verdict {
                Ok(sentence) => said.push(sentence),
                Err(sentence) => {
                    self.step(name, false, sentence, &outcomes.iter().collect::<Vec<_>>());
                    return Ok(false);
                }
            }
        }
        if outcomes.is_empty() {
            return Ok(true);
        }
        Ok(self.step(name, true, said.join("; "), &outcomes.iter().collect::<Vec<_>>()))
    }

    /// Runs a check on the candidate. One whose program is not here proves nothing either way, and is said.
    async fn run_if_installed(&mut self, check: &Check, purpose: &str) -> Result<Option<Outcome>, VerifyError> {
        match self.bench.run_at(self.candidate, &check.command, purpose).await {
            Ok(outcome) => Ok(Some(outcome)),
            Err(VerifyError::Sandbox(SandboxError::NotFound { .. })) => {
                let program = check.command.argv.first().map_or("", String::as_str);
                self.verification.not_run.push(format!("{}: `{program}` is not installed here", check.name));
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// The command that failed, on the candidate.
    async fn failing_tests(&mut self) -> Result<bool, VerifyError> {
        let after = self.bench.run_at(self.candidate, &self.plan.proof.command, "proof").await?;
        let rewritten = self.bench.rewritten(self.candidate).await?;
        let forbids: Vec<String> =
            rewritten.iter().filter(|it| it.severity == Weight::Block).map(|it| it.path.clone()).collect();
        self.findings.extend(rewritten);
        let verdict = holds(&self.plan.failures, self.before, &after).and_then(|held| {
            if forbids.is_empty() { Ok(held) } else { Err(format!("the run rewrites {}", few(&forbids))) }
        });
        let passed = verdict.is_ok();
        let sentence = verdict.unwrap_or_else(|why| why);
        self.step("failing-tests", passed, sentence, &[&after]);
        self.after = Some(after);
        Ok(passed)
    }

    /// Every suite, test by test against its run before. The proof counts as one when it runs tests.
    async fn suite(&mut self) -> Result<bool, VerifyError> {
        let mut pairs = Vec::new();
        if let Some(after) =
            self.after.clone().filter(|after| self.plan.proof.role == Role::Suite || !after.tests.tests.is_empty())
        {
            pairs.push((self.plan.proof.name.clone(), self.before.clone(), after));
        }
        for check in self.of_role(Role::Suite) {
            let after = self.run_if_installed(&check, &format!("{} after", check.name)).await?;
            let Some(after) = after else { continue };
            let before = self.bench.base_outcome(&check).await?;
            pairs.push((check.name, before, after));
        }
        let untested = pairs.iter().all(|(_, before, after)| before.tests.counts.total + after.tests.counts.total == 0);
        if untested {
            self.findings.push(no_suite());
        }
        if pairs.is_empty() {
            self.verification.not_run.push("suite: no test suite is known".to_owned());
            return Ok(true);
        }
        let (mut passed, mut said) = (true, Vec::new());
        for (name, before, after) in &pairs {
            let was_built = was_built(before);
            let comparison = compare(&before.tests, &after.tests, was_built);
            let broke = before.passed() && !after.passed();
            let known = before.passed() || after.passed() || !comparison.unseen_failing.is_empty();
            let fresh = if known { Vec::new() } else { new_failures(before, after) };
            passed &= comparison.holds() && !broke && fresh.is_empty() && after.run.ended_by.is_none();
            self.findings.extend(comparison.lost().into_iter().chain(comparison.unseen()));
            let broken = if broke { "; it passed before and fails now" } else { "" };
            said.push(format!("`{name}`: {}{broken}", comparison.summary()));
        }
        let befores: Vec<&Outcome> = pairs.iter().map(|(_, before, _)| before).collect();
        let afters: Vec<&Outcome> = pairs.iter().map(|(.., after)| after).collect();
        self.keep("before", &befores)?;
        self.keep("after", &afters)?;
        self.verification.before = Some(merged(&befores));
        self.verification.after = Some(merged(&afters));
        let outcomes: Vec<&Outcome> = pairs.iter().flat_map(|(_, before, after)| [before, after]).collect();
        Ok(self.step("suite", passed, said.join("; "), &outcomes))
    }

    /// Keeps the tests of a side as `JUnit` XML.
    fn keep(&self, name: &str, outcomes: &[&Outcome]) -> Result<(), VerifyError> {
        let reports: Vec<_> = outcomes.iter().flat_map(|outcome| outcome.reports.iter().cloned()).collect();
        let failures: Vec<_> = outcomes.iter().flat_map(|outcome| outcome.failures.iter().cloned()).collect();
        let document = to_junit(&reports, &failures).map_err(std::io::Error::other)?;
        let document = self.bench.settings.redactor.scrub(&document);
        Ok(std::fs::write(self.bench.evidence.join(format!("{name}.xml")), document)?)
    }

    /// The proof again: is it a fix, or a flake that happened to pass?
    async fn repeats(&mut self) -> Result<bool, VerifyError> {
        let certain = |kind| matches!(kind, FaultKind::Compile | FaultKind::Lint | FaultKind::Format | FaultKind::Type);
        if !self.plan.failures.is_empty() && self.plan.failures.iter().all(|failure| certain(failure.kind)) {
            self.verification.repeats = 1;
            self.verification.not_run.push("repeats: compilers and linters say the same each time".to_owned());
            return Ok(true);
        }
        let wanted = self.bench.settings.repeats.max(1);
        let mut outcomes = Vec::new();
        for time in 2..=wanted {
            let again = self.bench.run_at(self.candidate, &self.plan.proof.command, &format!("repeat {time}")).await?;
            let verdict = holds(&self.plan.failures, self.before, &again);
            outcomes.push(again);
            if let Err(why) = verdict {
                let sentence = format!("run {time} of {wanted} differs: {why}");
                return Ok(self.step("repeats", false, sentence, &outcomes.iter().collect::<Vec<_>>()));
            }
        }
        self.verification.repeats = wanted;
        Ok(self.step("repeats", true, format!("{wanted} of {wanted} runs hold"), &outcomes.iter().collect::<Vec<_>>()))
    }

    /// What the gate sees in all that changed, and whether anything did.
    fn judged(&self) -> Result<(Vec<Finding>, bool), VerifyError> {
        let scratch = self.bench.scratch;
        let changes = scratch.changes(&scratch.base(), self.candidate)?;
        let base = scratch.source(&scratch.base())?;
        let found = gate::judge(&changes, self.plan.limits, Some(&base));
        let said: Vec<String> = found.iter().map(|it| format!("{} {}: {}", it.rule, it.path, it.message)).collect();
        self.bench.journal.record(Entry {
            action: "gate".to_owned(),
            subject: format!("candidate {}", self.candidate.0),
            outcome: if said.is_empty() { "no finding".to_owned() } else { said.join("; ") },
            ..Entry::default()
        });
        Ok((found, !changes.is_empty()))
    }

    /// The honesty check over all that changed.
    fn gate(&mut self) -> Result<bool, VerifyError> {
        let (found, changed) = self.judged()?;
        let blocking: Vec<String> = found
            .iter()
            .filter(|finding| finding.severity == Weight::Block)
            .map(|f| format!("{} ({})", f.message, f.path))
            .collect();
        let sentence = match (changed, blocking.is_empty(), found.len()) {
            (false, ..) => "nothing changed".to_owned(),
            (_, true, 0) => "no finding".to_owned(),
            (_, true, shown) => format!("{shown} findings to show"),
            (_, false, _) => few(&blocking),
        };
        self.findings.extend(found);
        Ok(self.step("gate", blocking.is_empty() && changed, sentence, &[]))
    }

    /// Names the steps after the one that failed. The gate costs nothing, so what it sees is said all the same: it
    /// often explains the failure.
    fn say_what_was_not_run(&mut self) -> Result<(), VerifyError> {
        let Some(last) = self.verification.steps.last().map(|step| step.name.clone()) else { return Ok(()) };
        let order = ["build", "static", "failing-tests", "suite", "repeats"];
        let after = order.iter().skip_while(|name| **name != last).skip(1);
        self.verification.not_run.extend(after.map(|name| format!("{name}: step `{last}` failed before it")));
        if last != "gate" {
            let (found, _) = self.judged()?;
            self.findings.extend(found);
        }
        Ok(())
    }
}

fn judge_check(name: &str, before: &Outcome, after: &Outcome) -> Result<String, String> {
    if before.passed() {
        let what: Vec<String> = after.failures.iter().map(|failure| failure.message.clone()).collect();
        return Err(format!("`{name}` passed before and fails now: {}", few(&what)));
    }
    let new = worse(before, after);
    if !new.is_empty() {
        return Err(format!("`{name}` reports what it did not before: {}", few(&new)));
    }
    Ok(format!("`{name}` failed before the change as well, and reports nothing new"))
}

/// Failures of a suite that failed before too, that it did not show then.
fn new_failures(before: &Outcome, after: &Outcome) -> Vec<String> {
    let untested = after.tests.tests.is_empty() && after.failures.is_empty();
    let mut new = if before.tests.tests.is_empty() { worse(before, after) } else { Vec::new() };
    if untested && !before.tests.tests.is_empty() {
        new.push("the suite no longer says what it ran".to_owned());
    }
    new
}

/// Whether all tests of a suite could be run: what does not compile hides tests that may fail.
fn was_built(outcome: &Outcome) -> bool {
    let hides = |kind| matches!(kind, FaultKind::Compile | FaultKind::Type | FaultKind::Crash | FaultKind::Dependency);
    !outcome.failures.iter().any(|failure| hides(failure.kind))
}

/// Nothing but the failing command itself speaks for the change: a reviewer has to know.
fn no_suite() -> Finding {
    Finding {
        rule: "no-suite".to_owned(),
        path: String::new(),
        line: None,
        message: "no test ran: the failing command alone speaks for this change".to_owned(),
        severity: Weight::Show,
    }
}

/// Several suites as one run. A test that several of them name counts once, by its worst end.
fn merged(outcomes: &[&Outcome]) -> TestRun {
    let mut all = TestRun::default();
    for run in outcomes.iter().map(|outcome| &outcome.tests) {
        all.command =
            if all.command.is_empty() { run.command.clone() } else { format!("{},{}", all.command, run.command) };
        all.counts.total += run.counts.total;
        all.counts.passed += run.counts.passed;
        all.counts.failed += run.counts.failed;
        all.counts.errored += run.counts.errored;
        all.counts.skipped += run.counts.skipped;
        all.tests.extend(run.tests.iter().cloned());
        all.failures.extend(run.failures.iter().cloned());
    }
    all.failures.sort();
    all.failures.dedup();
    let all_named = all.tests.len() as u64 == all.counts.total;
    all.tests.sort_by(|(a, was), (b, is)| (a, std::cmp::Reverse(was)).cmp(&(b, std::cmp::Reverse(is))));
    all.tests.dedup_by(|(later, _), (first, _)| later == first);
    if all_named {
        all.counts = counted(&all.tests);
    }
    all
}

fn counted(tests: &[(TestId, Status)]) -> TestCounts {
    let of = |wanted| tests.iter().filter(|(_, status)| *status == wanted).count() as u64;
    TestCounts {
        total: tests.len() as u64,
        passed: of(Status::Passed),
        failed: of(Status::Failed),
        errored: of(Status::Errored),
        skipped: of(Status::Skipped),
    }
}
