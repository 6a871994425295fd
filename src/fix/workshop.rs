//! Where a repair happens: the scratch repository, its projects, the sandbox, and the command that proves a fix.

use std::time::Duration;

use super::draft::{Draft, End};
use super::intake::Intake;
use super::{Desk, Request, Stop, downloads, ended};
use crate::artifact::FaultKind;
use crate::failure::{self, Failure};
use crate::git::{Base, Checkout, Scratch};
use crate::journal::Entry;
use crate::plan::{Check, Refusal, Role};
use crate::policy::{CommandSpec, Decision, Policy, Setup, Stage};
use crate::project::{self, Kind, Project};
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
    pub(super) named_by_person: bool,
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
        if policy.stage == Stage::ReadOnly {
            return ended(
                Conclusion::PolicyBlocked,
                "`stage: read-only` runs no repository code; `unbreak explain` does not need any",
            );
        }
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
        if failures.is_empty() && request.run.is_none() {
            return ended(Conclusion::NoChangeNeeded, "the artifacts name no failure");
        }
        refuse_infrastructure(&failures, request)?;
        let projects = project::detect(&source);
        policy.adopt(project::named_commands(&projects));
        let choice = choose(request, &policy, &projects, &failures)?;
        let sandbox = match Sandbox::open(desk.host.clone()).await {
            Ok(sandbox) => sandbox,
            Err(WallsMissing { reason, hints }) => {
                draft.hints.extend(hints);
                return ended(Conclusion::WallsMissing, reason);
            }
        };
        draft.walls = Some(sandbox.walls().clone());
        demand_walls(&policy, &sandbox)?;
        let settings = settings(desk, &checkout, &policy, &scratch, &choice)?;
        Ok(Self {
            desk,
            policy,
            scratch,
            sandbox,
            failures,
            named_failures,
            proof: choice.proof,
            named_by_person: request.run.is_some(),
            checks: choice.checks,
            setups: choice.setups,
            kinds: choice.kinds,
            ledger: Ledger::default(),
            settings,
        })
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
    pub(super) fn refused(&self, refusal: &Refusal, draft: &mut Draft) -> Stop {
        self.desk.journal.record(Entry {
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

/// The command that proves, with what goes with it.
struct Choice {
    proof: Check,
    checks: Vec<Check>,
    setups: Vec<Setup>,
    kinds: Vec<Kind>,
}

/// Chooses the failing command: the one that was named, else among those of the policy and the detected ones. A log
/// or a report never supplies a command; it only selects.
fn choose(request: &Request, policy: &Policy, projects: &[Project], failures: &[Failure]) -> Result<Choice, Stop> {
    let by_failure = project::command_for(projects, failures);
    let project = match &request.run {
        Some(words) => by_failure.map(|(project, _)| project).or_else(|| project_of_command(projects, words)),
        None => by_failure.map(|(project, _)| project),
    };
    let proof = match &request.run {
        Some(words) => named(words, policy, project),
        None => selected(policy, by_failure, failures)?,
    };
    let scope: Vec<&Project> = match project {
        Some(project) => vec![project],
        None => projects.iter().filter(|project| project.root.is_none()).collect(),
    };
    let program = proof.command.argv.first().map_or("", String::as_str);
    let setups = match &policy.setup {
        Some(setup) => vec![setup.clone()],
        None => scope.iter().map(|project| project.setup_for(program)).collect(),
    };
    let kinds = scope.iter().map(|project| project.kind).collect();
    Ok(Choice { checks: checks(policy, project), proof, setups, kinds })
}

/// The project whose tools a command names.
fn project_of_command<'a>(projects: &'a [Project], words: &[String]) -> Option<&'a Project> {
    let program = words.first()?.rsplit('/').next()?;
    projects.iter().find(|project| project.kind.runs(program)).or_else(|| projects.first())
}

fn named(words: &[String], policy: &Policy, project: Option<&Project>) -> Check {
    let same = policy.commands.values().find(|command| command.argv == *words);
    let command = same.cloned().unwrap_or_else(|| CommandSpec {
        argv: words.to_vec(),
        cwd: None,
        env: project.and_then(|it| it.commands.get("unit-test")).map(|it| it.env.clone()).unwrap_or_default(),
        timeout: Duration::from_mins(10),
        network: policy.network.clone(),
    });
    Check { name: "run".to_owned(), command, role: Role::Suite }
}

fn selected(policy: &Policy, found: Option<(&Project, &'static str)>, failures: &[Failure]) -> Result<Check, Stop> {
    let wanted = found.map_or_else(|| names_for(failures), |(_, name)| vec![name]);
    let owner = found.map(|(project, _)| project);
    for name in &wanted {
        if let Some(command) = policy_command(policy, owner, name) {
            return Ok(Check { name: (*name).to_owned(), command, role: role(name) });
        }
    }
    ended(
        Conclusion::Environment,
        format!(
            "no command is known that would show this failure: name one with --run, or as `{}` under `commands` in the policy",
            wanted.first().unwrap_or(&"unit-test")
        ),
    )
}

/// A command by name: the policy's own, else the detected one of the project that owns the failure.
fn policy_command(policy: &Policy, project: Option<&Project>, name: &str) -> Option<CommandSpec> {
    let detected = project.and_then(|project| project.commands.get(name));
    let of_policy = policy.commands.get(name);
    match (of_policy, detected) {
        // A detected command of a member is adopted under the root's name only when the root has none of its own.
        (Some(own), Some(detected)) if project.is_some_and(|it| it.root.is_some()) && !policy.writes_own_commands() => {
            let mut command = detected.clone();
            command.network = own.network.clone();
            Some(command)
        }
        (own, _) => own.cloned(),
    }
}

fn names_for(failures: &[Failure]) -> Vec<&'static str> {
    match failures.first().map(|failure| failure.kind) {
        Some(FaultKind::Lint) => vec!["lint", "static-check"],
        Some(FaultKind::Format) => vec!["format", "lint"],
        Some(FaultKind::Compile | FaultKind::Type) => vec!["static-check", "build", "unit-test"],
        _ => vec!["unit-test"],
    }
}

/// The named commands that can speak for or against a change, each with the part that it plays.
fn checks(policy: &Policy, project: Option<&Project>) -> Vec<Check> {
    let named = ["build", "static-check", "lint", "format", "unit-test"];
    named
        .iter()
        .filter_map(|name| {
            let command = policy_command(policy, project, name)?;
            Some(Check { name: (*name).to_owned(), command, role: role(name) })
        })
        .collect()
}

fn role(name: &str) -> Role {
    match name {
        "build" => Role::Build,
        "static-check" | "lint" | "format" => Role::Static,
        _ => Role::Suite,
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
    desk: &Desk<'_>,
    checkout: &Checkout,
    policy: &Policy,
    scratch: &Scratch,
    choice: &Choice,
) -> anyhow::Result<Settings> {
    let source = scratch.source(&scratch.base())?;
    let downloads = downloads::directory(desk, checkout, &source, &choice.setups)?;
    let mut env = Scratch::environment();
    env.insert("CARGO_HOME".to_owned(), downloads.join("cargo").to_string_lossy().into_owned());
    // `uv run` would fetch and lock anew; what the set-up brought is what it shall use.
    env.insert("UV_NO_SYNC".to_owned(), "1".to_owned());
    let mut readable = scratch.readable();
    readable.push(downloads);
    let redactor = desk.redactor.clone();
    Ok(Settings { repeats: policy.verify.repeats, readable, env, redactor, ..Settings::default() })
}
