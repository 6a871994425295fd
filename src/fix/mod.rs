//! The loop: from a failure to a proposal. Each stage fills its part of a draft, and every way out is a whole
//! proposal.

mod attempt;
mod bundle;
mod choice;
mod code;
mod collected;
mod downloads;
mod draft;
mod intake;
mod model;
mod setup;
mod workshop;

pub use bundle::Bundle;
pub use collected::{Collected, collected_policy, unpack};
pub use intake::{BrokenPolicy, Governing, Input, Nothing, PolicyFile, hints_of, read_policy};
pub use model::Ladder;

use std::path::PathBuf;
use std::time::Duration;

use crate::cache::Cache;
use crate::change::FileChange;
use crate::evidence::{Reproduction, Verdict};
use crate::failure;
use crate::fixers::{self, FIXERS};
use crate::git::Git;
use crate::ids::CommitSha;
use crate::journal::{Entry, Journal};
use crate::plan::{self, Brief, Plan};
use crate::policy::CommandSpec;
use crate::proposal::{Conclusion, Proposal};
use crate::sandbox::Host;
use crate::secret::Redactor;
use crate::usage::Tier;
use crate::verify::{self, Outcome};
use draft::{Draft, End};
use intake::Intake;
use workshop::Workshop;

/// What a person or a program asks for.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// The repository, or a directory in it.
    pub repo: PathBuf,
    /// What CI left behind.
    pub artifacts: Vec<Input>,
    /// The failing command, in words.
    pub run: Option<Vec<String>>,
    /// What the steps that failed ran, as the workflow file says; tried in this order where no command is named.
    pub steps: Vec<Step>,
    /// Which policy is in force.
    pub policy: Governing,
    /// What the repository is known as, where its place says nothing about it: what is kept between runs is kept
    /// under this name.
    pub known_as: Option<String>,
    /// HEAD alone, without uncommitted changes.
    pub clean: bool,
    /// What changed since it was green.
    pub since: Option<String>,
    /// The commit whose project rules are shown to a model; the tree under repair when none is named.
    pub rules_of: Option<CommitSha>,
    /// What the reader should know of how this request came about.
    pub remarks: Vec<String>,
    /// Whether fixers may be tried.
    pub zero: bool,
    /// The models that may be asked, lightest first; none is asked when empty.
    pub ladder: Ladder,
    /// How whoever reads the result can name a model; nothing where none may be asked.
    pub way_to_a_model: Option<String>,
    /// Stop with the first prompt, before any cost.
    pub show_prompt: bool,
}

/// A command that a step of a workflow ran.
#[derive(Debug, Clone)]
pub struct Step {
    /// The job and the step, as the forge shows them.
    pub name: String,
    /// What it ran.
    pub command: CommandSpec,
}

/// What a run works with: the machine's parts as values.
#[derive(Clone, Copy)]
pub struct Desk<'a> {
    /// The git program.
    pub git: &'a Git,
    /// What the sandbox needs to know.
    pub host: &'a Host,
    /// Where scratch repositories are laid.
    pub scratch: &'a std::path::Path,
    /// Facts that were derived from blobs in earlier runs; a run without them is only slower.
    pub cache: Option<&'a Cache>,
    /// Where the outcome goes.
    pub bundle: &'a Bundle,
    /// The record.
    pub journal: &'a Journal,
    /// Takes credentials out of what is written or sent.
    pub redactor: &'a Redactor,
    /// Is told what begins.
    pub progress: &'a (dyn Fn(&str) + Send + Sync),
}

/// What a run came to.
#[derive(Debug)]
pub struct Done {
    /// The proposal, as it was written.
    pub proposal: Proposal,
    /// What it changes; empty without a patch.
    pub changes: Vec<FileChange>,
    /// The first prompt, when that was asked for.
    pub prompt: Option<String>,
}

/// A way out of the loop before its end.
enum Stop {
    /// With a result.
    Ended(End),
    /// With the first prompt.
    Prompt(String),
    /// Because something of ours failed.
    Failed(anyhow::Error),
}

impl<E: Into<anyhow::Error>> From<E> for Stop {
    fn from(error: E) -> Self {
        Self::Failed(error.into())
    }
}

/// Ends the loop with a result.
fn ended<T>(conclusion: Conclusion, reason: impl Into<String>) -> Result<T, Stop> {
    Err(Stop::Ended(End { conclusion, reason: reason.into() }))
}

/// Repairs a failure, or says why not. The bundle is written in either case.
///
/// # Errors
/// What the user has to mend (no repository, no failure given, a broken policy), or what failed of our own.
pub async fn fix(request: &Request, desk: &Desk<'_>) -> anyhow::Result<Done> {
    let mut draft = Draft { hints: request.remarks.clone(), ..Draft::default() };
    let intake = Intake::take(request, desk).await?;
    draft.policy = intake.policy.origin.clone();
    let limit = Duration::from_secs(60 * intake.policy.budget.minutes);
    // It outlives the proposal: taking a large scratch repository away is not what the reader waits for.
    let mut workshop = None;
    let work = Box::pin(repair(request, desk, intake, (&mut draft, &mut workshop)));
    let stop = match tokio::time::timeout(limit, work).await {
        Ok(Ok(end)) => Stop::Ended(end),
        Ok(Err(stop)) => stop,
        Err(_) => {
            let reason = format!("the {} minutes of the budget are over", limit.as_secs() / 60);
            Stop::Ended(End { conclusion: Conclusion::BudgetExhausted, reason })
        }
    };
    match stop {
        Stop::Failed(error) => {
            // The bundle is there whatever happened; the error itself is the caller's to tell.
            let end = End { conclusion: Conclusion::Error, reason: format!("{error:#}") };
            close(draft, end, desk).and(Err(error))
        }
        Stop::Prompt(text) => {
            let end = End { conclusion: Conclusion::Declined, reason: "only the prompt was asked for".to_owned() };
            Ok(Done { prompt: Some(text), ..close(draft, end, desk)? })
        }
        Stop::Ended(end) => close(draft, end, desk),
    }
}

/// The stages, in order.
async fn repair<'a>(
    request: &Request,
    desk: &'a Desk<'a>,
    intake: Intake,
    (draft, workshop): (&mut Draft, &mut Option<Workshop<'a>>),
) -> Result<End, Stop> {
    let say = desk.progress;
    say("reading the failure");
    let shop = workshop.insert(Workshop::open(request, desk, intake, draft).await?);
    say(&format!("setting up in a scratch repository, walls of tier {}", shop.sandbox.walls().tier));
    setup::run(shop, draft).await?;
    let before = reproduce(shop, draft).await?;
    let shop: &Workshop<'_> = shop;
    let plan = make_plan(request, shop, draft, &before)?;
    for step in &plan.steps {
        say(&format!("trying {}", step.means));
        if let Some(end) = attempt::attempt(shop, request, (&plan, step), &before, draft).await? {
            return Ok(end);
        }
    }
    Ok(attempt::nothing_left(request, draft, &before))
}

/// Is the failure real? Everything but a yes ends the loop.
async fn reproduce(shop: &mut Workshop<'_>, draft: &mut Draft) -> Result<Outcome, Stop> {
    let (reproduction, outcome) = find_proof(shop).await?;
    let (verdict, reason) = (reproduction.verdict, reproduction.reason.clone());
    // Where registries cannot be reached at all, allowing them is no way out.
    let helps = |hint: &&String| shop.sandbox.walls().tier == 1 || !verify::opens_registries(hint);
    draft.hints.extend(reproduction.hints.iter().filter(helps).cloned());
    draft.reproduction = Some(reproduction);
    let first = outcome.as_ref().and_then(|outcome| outcome.failures.first());
    let unnamed = || {
        let outcome = outcome.as_ref().filter(|_| verdict == Verdict::Reproduced)?;
        let printed = [&outcome.finished.stdout[..], &outcome.finished.stderr].concat();
        let printed = shop.desk.redactor.scrub(&String::from_utf8_lossy(&printed));
        Some(failure::of_command(&outcome.run.argv, &outcome.run.cwd, &printed))
    };
    if let Some(failure) = shop.failures.first().or(first).cloned().or_else(unnamed) {
        draft.failure = Some(failure);
    }
    // A failure after a broken set-up proves nothing about the code, unless an artifact names it or the tests could
    // evidently run: some passed.
    let ran = outcome.as_ref().is_some_and(|it| it.tests.counts.passed > 0 && !it.failures.is_empty());
    let certain = match verdict {
        Verdict::NotReproduced => true,
        Verdict::Reproduced => ran || !shop.failures.is_empty(),
        Verdict::Flaky | Verdict::Environment => false,
    };
    if let Some(missing) = draft.setup_failure.as_ref().filter(|_| !certain) {
        return ended(Conclusion::Environment, format!("the set-up failed: {missing}"));
    }
    match (verdict, outcome) {
        (Verdict::Reproduced, Some(outcome)) => Ok(outcome),
        (Verdict::Flaky, _) => ended(Conclusion::Flaky, reason),
        (Verdict::Environment, _) => ended(Conclusion::Environment, reason),
        (Verdict::NotReproduced, _) if shop.is_claim_of_ours() => ended(Conclusion::NoChangeNeeded, reason),
        (Verdict::Reproduced | Verdict::NotReproduced, _) => ended(Conclusion::NotReproduced, reason),
    }
}

/// Runs the command that has to show the failure, and where it does not, the others that might. The one that does is
/// the proof from then on; when none does, the first one's answer stands.
async fn find_proof(shop: &mut Workshop<'_>) -> Result<(Reproduction, Option<Outcome>), Stop> {
    let first = shop.bench().reproduce(&shop.proof.command, &shop.named_failures).await?;
    let shows = |verdict| matches!(verdict, Verdict::Reproduced | Verdict::Flaky);
    if shows(first.0.verdict) {
        return Ok(first);
    }
    for check in std::mem::take(&mut shop.otherwise) {
        (shop.desk.progress)(&format!("it does not show there; trying `{}`", check.command.argv.join(" ")));
        let other = shop.bench().reproduce(&check.command, &shop.named_failures).await?;
        if shows(other.0.verdict) {
            shop.proof = check;
            return Ok(other);
        }
    }
    Ok(first)
}

fn make_plan(request: &Request, shop: &Workshop<'_>, draft: &mut Draft, before: &Outcome) -> Result<Plan, Stop> {
    let failures = if shop.failures.is_empty() { &before.failures } else { &shop.failures };
    let wanted = fixers::Request { failures, proof: &shop.proof.command, start: &shop.scratch.base() };
    let fixers = FIXERS.iter().filter(|fixer| request.zero && fixer.applies(&wanted));
    let fixers = fixers.map(|fixer| (Tier::Zero, fixer.name.to_owned()));
    let brief = Brief {
        failures,
        proof: shop.proof.clone(),
        named_by_person: shop.named_by_person,
        checks: shop.checks.clone(),
        means: fixers.chain(request.ladder.step()).collect(),
        policy: &shop.policy,
    };
    let plan = plan::make(brief).map_err(|refusal| Workshop::refused(shop.desk, &refusal, draft))?;
    let names: Vec<&str> = plan.steps.iter().map(|step| step.means.as_str()).collect();
    shop.desk.journal.record(Entry {
        action: "plan".to_owned(),
        subject: plan.proof.command.argv.join(" "),
        outcome: names.join(", "),
        ..Entry::default()
    });
    Ok(plan)
}

/// Writes the bundle. A patch that would carry a credential is withheld.
fn close(mut draft: Draft, mut end: End, desk: &Desk<'_>) -> anyhow::Result<Done> {
    let leaks = draft.candidate.as_ref().map(|candidate| desk.redactor.find(&added(&candidate.patch)));
    if let Some(leak) = leaks.iter().flatten().next() {
        let reason = format!("the patch would carry a credential ({}), so it is withheld", leak.kind);
        end = End { conclusion: Conclusion::PolicyBlocked, reason };
        draft.candidate = None;
    }
    desk.journal.record(Entry {
        action: "result".to_owned(),
        subject: end.conclusion.word().to_owned(),
        outcome: end.reason.clone(),
        ..Entry::default()
    });
    let (patch, changes) = match &draft.candidate {
        Some(candidate) => (candidate.patch.clone(), candidate.changes.clone()),
        None => Default::default(),
    };
    let proposal = draft.propose(end, desk.journal);
    let proposal = desk.bundle.write(&proposal, &patch, desk.redactor)?;
    desk.journal.close().map_err(|error| anyhow::anyhow!("the journal could not be written: {error}"))?;
    Ok(Done { proposal, changes, prompt: None })
}

/// The lines that a patch adds.
fn added(patch: &str) -> String {
    let lines = patch.lines().filter(|line| line.starts_with('+') && !line.starts_with("+++ "));
    lines.map(|line| &line[1..]).collect::<Vec<_>>().join("\n")
}
