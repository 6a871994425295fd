//! The tiers that ask a model: the context it is shown, the ladder of models, and what is concluded from the outcome.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::attempt::{self, Proved};
use super::code::Indexed;
use super::draft::{Candidate, Draft, End};
use super::workshop::Workshop;
use super::{Request, Stop};
use crate::context;
use crate::gate;
use crate::git::CommitId;
use crate::ids::RepoPath;
use crate::llm::Model;
use crate::plan::Plan;
use crate::policy::{Decision, Tracked};
use crate::prompt::Steady;
use crate::proposal::{Conclusion, Sent};
use crate::repair::{self, Job, Proving};
use crate::source::Source as _;
use crate::survey::Survey;
use crate::usage::{Meter, Seconds, Tier};
use crate::verify::Outcome;

/// How many tokens of code a first prompt may hold.
const CONTEXT_TOKENS: usize = 6_000;
/// The most tokens of one answer.
const MAX_OUTPUT: u32 = 8_000;

/// The models that may be asked, lightest first.
#[derive(Clone, Default)]
pub struct Ladder(Vec<(Tier, Arc<dyn Model>)>);

impl Ladder {
    /// These models, sorted by tier.
    #[must_use]
    pub fn new(mut rungs: Vec<(Tier, Arc<dyn Model>)>) -> Self {
        rungs.sort_by_key(|(tier, _)| *tier);
        Self(rungs)
    }

    /// Whether no model may be asked.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// One step of a plan covers the whole ladder: the loop climbs it by itself.
    pub(super) fn step(&self) -> Option<(Tier, String)> {
        let names: Vec<&str> = self.0.iter().map(|(_, model)| model.name()).collect();
        self.0.first().map(|(tier, _)| (*tier, names.join(", then ")))
    }
}

impl fmt::Debug for Ladder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.iter().map(|(tier, model)| (tier, model.name()))).finish()
    }
}

/// Asks the models of the ladder until one's candidate is proved.
pub(super) async fn attempt(
    shop: &Workshop<'_>,
    request: &Request,
    plan: &Plan,
    before: &Outcome,
    draft: &mut Draft,
) -> Result<Option<End>, Stop> {
    let bench = shop.bench();
    let base = shop.scratch.base();
    let source = shop.scratch.source(&base)?;
    let mut survey = Survey::take(&source, shop.desk.cache);
    if let Some(trusted) = &request.rules_of {
        survey.rules = context::root_rules(&shop.scratch.source(&CommitId(trusted.to_string()))?);
    }
    let changed = match &request.since {
        Some(range) => shop.scratch.changed(range, shop.desk.journal).await?,
        None => Vec::new(),
    };
    let may_see = |path: &RepoPath| shop.policy.decide_read(path).decision == Decision::Allow;
    let packed = context::pack(&context::Request {
        failures: &plan.failures,
        index: &survey.index,
        source: &source,
        changed: &changed,
        rules: &survey.rules,
        budget: CONTEXT_TOKENS,
        may_see: &may_see,
    });
    let markdown = packed.markdown();
    let steady = Steady::new(
        [shop.scratch.tree(), shop.scratch.directory().to_owned()].map(|it| it.to_string_lossy().into_owned()),
    );
    let ladder: Vec<(Tier, &dyn Model)> = request.ladder.0.iter().map(|(tier, model)| (*tier, &**model)).collect();
    let scrub = |text: &str| shop.desk.redactor.scrub(text);
    let tracked = Tracked::new(source.files().iter().map(|entry| entry.path.clone()));
    let ground = Proving { bench: &bench, plan, before, start: base, tracked: &tracked };
    let code = Indexed::new(&survey.index);
    let job = Job {
        ground: &ground,
        plan,
        context: &markdown,
        code: Some(&code),
        ladder: &ladder,
        max_output: MAX_OUTPUT,
        deadline: Duration::from_secs(60 * plan.budget.minutes),
        scrub: &scrub,
        steady: &steady,
        journal: shop.desk.journal,
    };
    if request.show_prompt {
        return match repair::show_prompt(&job) {
            Ok(text) => Err(Stop::Prompt(text)),
            Err(end) => Err(Stop::Failed(anyhow::anyhow!("the prompt could not be made: {end:?}"))),
        };
    }
    let mut meter = Meter::new(plan.budget.usd, plan.budget.tokens);
    draft.sent.extend(packed.sections.iter().map(|it| sent(it.path.as_str(), (it.start_line, it.end_line))));
    let outcome = repair::repair(&job, &mut meter).await;
    draft.usage = meter.bill(Seconds::default());
    draft.sent.extend(outcome.sent.iter().map(|it| sent(it.path.as_str(), it.lines)));
    conclude(shop, plan, before, outcome, draft).await.map(Some)
}

fn sent(path: &str, (first, last): (u32, u32)) -> Sent {
    Sent { path: path.to_owned(), lines: format!("{first}-{last}") }
}

/// What follows from a repair: the proved candidate, or the best one with the reason why it is none.
async fn conclude(
    shop: &Workshop<'_>,
    plan: &Plan,
    before: &Outcome,
    outcome: repair::Outcome,
    draft: &mut Draft,
) -> Result<End, Stop> {
    let rounds = outcome.rounds;
    let told: Vec<String> = outcome.refusals.iter().chain(&outcome.approvals).map(repair::Refusal::told).collect();
    draft.hints.extend(told);
    let means = outcome.best.as_ref().map_or_else(|| "model".to_owned(), |best| best.model.clone());
    let tier = outcome.best.as_ref().map_or(Tier::Light, |best| best.tier);
    let (conclusion, reason) = match outcome.end {
        repair::End::Verified | repair::End::NeedsApproval => {
            draft.tried(tier, &means, format!("proved in round {rounds}"));
            let Some(best) = outcome.best else { return Err(anyhow::anyhow!("a proof without a candidate").into()) };
            draft.cause = Some(best.cause.clone()).filter(|cause| !cause.is_empty());
            let proved = Proved {
                commit: best.commit,
                tier: best.tier,
                verification: best.proof.verification,
                findings: best.proof.findings,
            };
            return attempt::conclude(shop, plan, before, proved, draft).await;
        }
        repair::End::NotVerified { reason } => (Conclusion::VerificationFailed, reason),
        repair::End::Declined { reason } => (Conclusion::Declined, reason),
        repair::End::BudgetExhausted { reason } => (Conclusion::BudgetExhausted, reason),
        repair::End::PolicyBlocked => {
            (Conclusion::PolicyBlocked, "the policy forbids every change that the model wanted".to_owned())
        }
        repair::End::ModelFailed(error) => (Conclusion::ServiceFailed, error.to_string()),
        repair::End::NoModel => (Conclusion::Declined, "no model was named".to_owned()),
        repair::End::Broken(error) => return Err(error.into()),
    };
    draft.tried(tier, &means, format!("round {rounds}: {reason}"));
    if let Some(best) = outcome.best {
        let proof = best.proof;
        let kept = Proved { commit: best.commit, tier, verification: proof.verification, findings: proof.findings };
        kept.keep(shop, draft)?;
    }
    let outdated = |candidate: &Candidate| gate::is_test_outdated(&candidate.changes, &draft.findings);
    if conclusion == Conclusion::VerificationFailed && draft.candidate.as_ref().is_some_and(outdated) {
        let reason = "only what tests expect would change: a person has to say which side is right".to_owned();
        return Ok(End { conclusion: Conclusion::TestOutdated, reason });
    }
    Ok(End { conclusion, reason })
}
