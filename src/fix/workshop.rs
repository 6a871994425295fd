//! Where a repair happens: the scratch repository, its projects, the sandbox, and the command that proves a fix.

use super::choice::{self, Choice};
use super::draft::{Draft, End};
use super::intake::Intake;
use super::{Desk, Request, Stop, downloads, ended};
use crate::artifact::FaultKind;
use crate::failure::{self, Failure};
use crate::git::{Base, Checkout, Scratch};
use crate::journal::Entry;
use crate::plan::{self, Check, Refusal};
use crate::policy::{Decision, Policy, Setup, Stage};
use crate::project::{self, Kind};
use crate::proposal::Conclusion;
use crate::sandbox::{Sandbox, WallsMissing};
use crate::verify::{Bench, Ledger, Settings};

/// Everything that the later stages work with.
pub(super) struct Workshop<'a> {
    pub(super) desk: &'a Desk<'a>,
    pub(super) policy: Policy,
    pub(super) scratch: Scratch,
    pub(super) sandbox: Sandbox,
    /// The failures that the artifacts name, mapped to the tree.
    pub(super) failures: Vec<Failure>,
    /// The same, each test for itself.
    pub(super) named_failures: Vec<Failure>,
    /// The command that shows them, and must turn green.
    pub(super) proof: Check,
    /// What is tried in its place when it does not show them.
    pub(super) otherwise: Vec<Check>,
    pub(super) named_by_person: bool,
    workflow_failed: bool,
    pub(super) checks: Vec<Check>,
    /// How dependencies come in.
    pub(super) setups: Vec<Setup>,
    /// The kinds of project that the set-up belongs to.
    pub(super) kinds: Vec<Kind>,
    ledger: Ledger,
    settings: Settings,
}

impl<'a> Workshop<'a> {
    /// Lays the scratch repository and builds the walls.
    pub(super) async fn open(
        request: &Request,
        desk: &'a Desk<'a>,
        intake: Intake,
        draft: &mut Draft,
    ) -> Result<Self, Stop> {
        let Intake { checkout, mut policy, reports } = intake;
        let base = if request.clean { Base::Head } else { Base::WorkTree };
        let scratch = Scratch::create(&checkout, desk.scratch, base, desk.journal).await?;
        draft.base_commit.clone_from(&checkout.head);
        draft.uncommitted = scratch.base().0 != checkout.head;
        draft.left_out = checkout.untracked(desk.journal).await?.into_iter().take(100).collect();
        if draft.uncommitted {
            draft.hints.push("uncommitted changes are part of what was repaired; --clean leaves them out".to_owned());
        }
        draft.hints.extend(scratch.notes().iter().cloned());
        let source = scratch.source(&scratch.base())?;
        let failures = failure::collect(&reports, Some(&source));
        let named_failures = failure::each(&reports, Some(&source));
        draft.failure = failures.first().cloned();
        if policy.stage == Stage::ReadOnly {
            return ended(
                Conclusion::PolicyBlocked,
                "`stage: read-only` runs no repository code; `unbreak explain` does not need any",
            );
        }
        if failures.is_empty() && request.run.is_none() && request.steps.is_empty() {
            return ended(Conclusion::NoChangeNeeded, "the artifacts name no failure");
        }
        refuse_infrastructure(&failures, request)?;
        let projects = project::detect(&source);
        policy.adopt(project::named_commands(&projects));
        policy.adopt(choice::named_steps(&request.steps));
        let choice = choice::choose((request, &policy), &projects, &failures, draft)?;
        let refused = plan::allow(&choice.proof, request.run.is_some(), &policy).err();
        if let Some(refusal) = refused {
            return Err(Self::refused(desk, &refusal, draft));
        }
        let sandbox = match Sandbox::open(desk.host.clone()).await {
            Ok(sandbox) => sandbox,
            Err(WallsMissing { reason, hints }) => {
                draft.hints.extend(hints);
                return ended(Conclusion::WallsMissing, reason);
            }
        };
        draft.walls = Some(sandbox.walls().clone());
        demand_walls(&policy, &sandbox)?;
        let settings = settings((desk, request), &checkout, &policy, &scratch, &choice)?;
        Ok(Self {
            desk,
            policy,
            scratch,
            sandbox,
            failures,
            named_failures,
            proof: choice.proof,
            otherwise: choice.otherwise,
            named_by_person: request.run.is_some(),
            workflow_failed: !request.steps.is_empty(),
            checks: choice.checks,
            setups: choice.setups,
            kinds: choice.kinds,
            ledger: Ledger::default(),
            settings,
        })
    }

    /// Whether nothing but our own run speaks of a failure: no artifact names one, and no step of a workflow failed.
    pub(super) fn is_claim_of_ours(&self) -> bool {
        self.failures.is_empty() && !self.workflow_failed
    }

    /// Where commands run and what they print is kept.
    pub(super) fn bench(&self) -> Bench<'_> {
        self.bench_with(&self.settings)
    }

    /// The same under other settings.
    pub(super) fn bench_with<'b>(&'b self, settings: &'b Settings) -> Bench<'b> {
        Bench {
            sandbox: &self.sandbox,
            scratch: &self.scratch,
            policy: &self.policy,
            journal: self.desk.journal,
            evidence: self.desk.bundle.evidence(),
            ledger: &self.ledger,
            settings,
        }
    }

    /// The settings of every command after set-up.
    pub(super) fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Ends the loop with a ruling that forbids a command, or that a person has to soften.
    pub(super) fn refused(desk: &Desk<'_>, refusal: &Refusal, draft: &mut Draft) -> Stop {
        desk.journal.record(Entry {
            action: "decision".to_owned(),
            subject: refusal.subject.clone(),
            outcome: "the plan needs it".to_owned(),
            ruling: Some(refusal.ruling.clone()),
            ..Entry::default()
        });
        let rules: Vec<String> = refusal.ruling.rules.iter().map(|rule| rule.text.clone()).collect();
        draft.hints.push(
            "`unbreak policy explain --run …` shows what decides, `unbreak policy show` what is in force".to_owned(),
        );
        let conclusion = match refusal.ruling.decision {
            Decision::Ask => Conclusion::NeedsApproval,
            Decision::Allow | Decision::Deny => Conclusion::PolicyBlocked,
        };
        Stop::Ended(End { conclusion, reason: format!("{refusal}: {}", rules.join("; ")) })
    }
}

/// A full disk or a lost runner is not repaired in code.
fn refuse_infrastructure(failures: &[Failure], request: &Request) -> Result<(), Stop> {
    let only = !failures.is_empty() && failures.iter().all(|failure| failure.kind == FaultKind::Infrastructure);
    if only && request.run.is_none() {
        return ended(Conclusion::Environment, "the artifacts show trouble with the machine, not with the code");
    }
    Ok(())
}

fn demand_walls(policy: &Policy, sandbox: &Sandbox) -> Result<(), Stop> {
    let walls = sandbox.walls();
    let stands = |name: &String| walls.walls.contains_key(name) || (name == "namespaces" && walls.tier == 1);
    match policy.required_walls.iter().find(|name| !stands(name)) {
        Some(missing) => ended(
            Conclusion::WallsMissing,
            format!("the policy demands the wall `{missing}`, which does not stand here"),
        ),
        None => Ok(()),
    }
}

/// Conditions of every command: the private environment first on the search path, the set-up's downloads readable.
fn settings(
    (desk, request): (&Desk<'_>, &Request),
    checkout: &Checkout,
    policy: &Policy,
    scratch: &Scratch,
    choice: &Choice,
) -> anyhow::Result<Settings> {
    let source = scratch.source(&scratch.base())?;
    let place = checkout.root.to_string_lossy();
    let known_as = request.known_as.as_deref().unwrap_or(&place);
    let downloads = downloads::directory(desk, known_as, &source, &choice.setups)?;
    let mut env = Scratch::environment();
    env.insert("CARGO_HOME".to_owned(), downloads.join("cargo").to_string_lossy().into_owned());
    // `uv run` would fetch and lock anew; what the set-up brought is what it shall use.
    env.insert("UV_NO_SYNC".to_owned(), "1".to_owned());
    let mut readable = scratch.readable();
    readable.push(downloads);
    let redactor = desk.redactor.clone();
    Ok(Settings { repeats: policy.verify.repeats, readable, env, redactor, ..Settings::default() })
}
