//! One means of repair: a candidate, its proof, and what is concluded from it.

use super::draft::{Candidate, Draft, End};
use super::workshop::Workshop;
use super::{Request, Stop, model, setup};
use crate::evidence::{Finding, Verification, Weight};
use crate::fixers::{self, FIXERS};
use crate::gate;
use crate::git::CommitId;
use crate::journal::Entry;
use crate::plan::{Plan, PlanStep};
use crate::policy::{Decision, Ruling, Tracked};
use crate::proposal::Conclusion;
use crate::sandbox::SandboxError;
use crate::source::Source as _;
use crate::usage::Tier;
use crate::verify::{Outcome, VerifyError};

/// Tries one step of the plan. `Some` ends the loop; `None` goes on to a dearer step.
pub(super) async fn attempt(
    shop: &Workshop<'_>,
    request: &Request,
    (plan, step): (&Plan, &PlanStep),
    before: &Outcome,
    draft: &mut Draft,
) -> Result<Option<End>, Stop> {
    if step.tier != Tier::Zero {
        return model::attempt(shop, request, plan, before, draft).await;
    }
    let bench = shop.bench();
    let start = shop.scratch.base();
    let wanted = fixers::Request { failures: &plan.failures, proof: &plan.proof.command, start: &start };
    let Some(fixer) = FIXERS.iter().find(|fixer| fixer.name == step.means) else { return Ok(None) };
    let commit = match fixer.run(&bench, wanted).await {
        Ok(Some(commit)) => commit,
        Ok(None) => {
            draft.tried(step.tier, &step.means, "it had nothing to offer");
            return Ok(None);
        }
        Err(VerifyError::Sandbox(error @ SandboxError::NotFound { .. })) => {
            draft.tried(step.tier, &step.means, error.to_string());
            return Ok(None);
        }
        Err(error) => return Err(error.into()),
    };
    if let Some(end) = forbidden(shop, &commit, draft)? {
        draft.tried(step.tier, &step.means, end.reason.clone());
        return Ok(Some(end));
    }
    let (verification, findings) = bench.verify(plan, before, &commit).await?;
    let proved = holds(&verification, &findings);
    let outcome = if proved { "proved".to_owned() } else { why_not(&verification, &findings) };
    draft.tried(step.tier, &step.means, outcome);
    let candidate = Proved { commit, tier: step.tier, verification, findings };
    if !proved {
        candidate.keep(shop, draft)?;
        return Ok(None);
    }
    conclude(shop, plan, before, candidate, draft).await.map(Some)
}

/// A candidate with what proving it showed.
pub(super) struct Proved {
    pub(super) commit: CommitId,
    pub(super) tier: Tier,
    pub(super) verification: Verification,
    pub(super) findings: Vec<Finding>,
}

impl Proved {
    /// Whether tests ran before and after the change.
    fn ran_a_suite(&self) -> bool {
        self.verification.after.as_ref().is_some_and(|run| run.counts.total > 0 || !run.tests.is_empty())
    }

    /// Puts the candidate into the draft, in place of an earlier one.
    pub(super) fn keep(self, shop: &Workshop<'_>, draft: &mut Draft) -> Result<(), Stop> {
        let base = shop.scratch.base();
        draft.candidate = Some(Candidate {
            tier: self.tier,
            changes: shop.scratch.changes(&base, &self.commit)?,
            patch: shop.scratch.patch(&base, &self.commit)?,
        });
        draft.verification = Some(self.verification);
        draft.findings = self.findings;
        Ok(())
    }
}

/// Takes what is not needed out of a proved candidate, and ends the loop with it.
pub(super) async fn conclude(
    shop: &Workshop<'_>,
    plan: &Plan,
    before: &Outcome,
    mut proved: Proved,
    draft: &mut Draft,
) -> Result<End, Stop> {
    let bench = shop.bench();
    (shop.desk.progress)("minimising the patch");
    let smaller = bench.minimise(plan, before, &proved.commit).await?;
    if smaller != proved.commit {
        let (verification, findings) = bench.verify(plan, before, &smaller).await?;
        if holds(&verification, &findings) {
            proved = Proved { commit: smaller, tier: proved.tier, verification, findings };
        }
    }
    if !bench.ledger.ran_only(&[&shop.scratch.base(), &proved.commit])
        && let Some(end) = prove_afresh(shop, (plan, before), &mut proved, draft).await?
    {
        proved.keep(shop, draft)?;
        return Ok(end);
    }
    if shop.policy.demands_whole_suite() && !proved.ran_a_suite() {
        proved.keep(shop, draft)?;
        let reason = "the policy demands that the whole suite speaks for a fix, and no test of it ran".to_owned();
        return Ok(End { conclusion: Conclusion::VerificationFailed, reason });
    }
    let approvals = approvals(shop, &proved.commit)?;
    let tier = proved.tier;
    proved.keep(shop, draft)?;
    if draft.candidate.as_ref().is_some_and(|candidate| gate::touches_only_tests(&candidate.changes)) {
        let reason = "only tests would change: a person has to say which side is right".to_owned();
        return Ok(End { conclusion: Conclusion::TestOutdated, reason });
    }
    if !approvals.is_empty() {
        let reason = format!("a person has to agree to changes of {}", approvals.join(", "));
        return Ok(End { conclusion: Conclusion::NeedsApproval, reason });
    }
    let reason = match tier {
        Tier::Zero => "repaired by what the tools themselves call safe; no model was asked",
        Tier::Light | Tier::Strong => "repaired by a model's edit, and proved by the tests",
    };
    Ok(End { conclusion: Conclusion::Fixed, reason: reason.to_owned() })
}

/// Other candidates ran in the same tree, and may have left files that this one's proof rests on. So everything that
/// commands left is taken away, the set-up runs anew, and the proof has to hold once more. `Some` when it does not.
async fn prove_afresh(
    shop: &Workshop<'_>,
    (plan, before): (&Plan, &Outcome),
    proved: &mut Proved,
    draft: &mut Draft,
) -> Result<Option<End>, Stop> {
    (shop.desk.progress)("proving it once more, in a tree that no other candidate ran in");
    shop.scratch.reset(&shop.scratch.base(), shop.desk.journal).await?;
    shop.scratch.wipe(shop.desk.journal).await?;
    setup::run(shop, draft).await?;
    let (verification, findings) = shop.bench().verify(plan, before, &proved.commit).await?;
    let held = holds(&verification, &findings);
    let why = why_not(&verification, &findings);
    (proved.verification, proved.findings) = (verification, findings);
    if held {
        return Ok(None);
    }
    let reason = format!("it held only where earlier candidates had run: {why}");
    Ok(Some(End { conclusion: Conclusion::VerificationFailed, reason }))
}

/// Nothing is left to try: which of the reasons is it?
pub(super) fn nothing_left(request: &Request, draft: &mut Draft, before: &Outcome) -> End {
    let tried = !draft.attempts.is_empty();
    if let Some(how) = request.way_to_a_model.as_ref().filter(|_| request.ladder.is_empty()) {
        draft.hints.push(format!("name a model to go on: {how}"));
    }
    let left = before.failures.len();
    if tried && draft.candidate.is_some() {
        let reason = "what was tried did not hold; the last candidate is kept for a look".to_owned();
        return End { conclusion: Conclusion::VerificationFailed, reason };
    }
    if tried {
        let reason = "the fixers that apply changed nothing".to_owned();
        return End { conclusion: Conclusion::VerificationFailed, reason };
    }
    if left == 0 {
        let reason = "the command fails, but its output names no failure that is known".to_owned();
        return End { conclusion: Conclusion::Declined, reason };
    }
    let what = if left == 1 { "this failure".to_owned() } else { format!("these {left} failures") };
    let reason = if request.ladder.is_empty() {
        format!("no fixer applies to {what}, and no model was named")
    } else {
        format!("no means was left for {what}")
    };
    End { conclusion: Conclusion::Declined, reason }
}

/// Whether every step held and nothing forbids the change.
fn holds(verification: &Verification, findings: &[Finding]) -> bool {
    let blocked = findings.iter().any(|finding| finding.severity == Weight::Block);
    !verification.steps.is_empty() && verification.steps.iter().all(|step| step.passed) && !blocked
}

fn why_not(verification: &Verification, findings: &[Finding]) -> String {
    let step = verification.steps.iter().find(|step| !step.passed);
    let step = step.map(|step| format!("{} failed: {}", step.name, step.summary));
    let finding = findings.iter().find(|finding| finding.severity == Weight::Block);
    step.or_else(|| finding.map(|finding| format!("{}: {}", finding.rule, finding.message))).unwrap_or_default()
}

/// Ends the loop when a candidate of a fixer touches what may not be written.
fn forbidden(shop: &Workshop<'_>, commit: &CommitId, draft: &mut Draft) -> Result<Option<End>, Stop> {
    for (path, ruling) in rulings(shop, commit)? {
        if ruling.decision != Decision::Deny {
            continue;
        }
        let rules: Vec<&str> = ruling.rules.iter().map(|rule| rule.text.as_str()).collect();
        let reason = format!("{path} may not be written: {}", rules.join("; "));
        draft.hints.push(format!("`unbreak policy explain --write {path}` shows what decides"));
        let entry = Entry {
            action: "decision".to_owned(),
            subject: path,
            outcome: "write".to_owned(),
            ruling: Some(ruling),
            ..Entry::default()
        };
        shop.desk.journal.record(entry);
        return Ok(Some(End { conclusion: Conclusion::PolicyBlocked, reason }));
    }
    Ok(None)
}

fn approvals(shop: &Workshop<'_>, commit: &CommitId) -> Result<Vec<String>, Stop> {
    let asked = rulings(shop, commit)?.into_iter().filter(|(_, ruling)| ruling.decision == Decision::Ask);
    Ok(asked.map(|(path, _)| path).collect())
}

fn rulings(shop: &Workshop<'_>, commit: &CommitId) -> Result<Vec<(String, Ruling)>, Stop> {
    let base = shop.scratch.base();
    let source = shop.scratch.source(&base)?;
    let tracked = Tracked::new(source.files().iter().map(|entry| entry.path.clone()));
    let changes = shop.scratch.changes(&base, commit)?;
    Ok(changes
        .iter()
        .map(|change| (change.path.to_string(), shop.policy.decide_write(&change.path, &tracked)))
        .collect())
}
