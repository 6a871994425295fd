//! A repair of what was collected of a failed run: its commits become a repository of our own, its artifacts and logs
//! the failure, and its workflow file says which commands may show it.

use std::path::PathBuf;

use anyhow::Context as _;

use super::{BrokenPolicy, Governing, Request, Step};
use crate::artifact::Raw;
use crate::git::{Depot, Git};
use crate::handover::Handover;
use crate::ids::{CommitSha, RepoPath, Sha};
use crate::incident::{FailedStep, Incident, Job};
use crate::journal::Journal;
use crate::lease::{Lease, Purpose};
use crate::policy::{CommandSpec, Network, Origin, Policy};
use crate::workflow::{self, Workflow};

/// What was collected, laid out for [`super::fix`].
#[derive(Debug)]
pub struct Collected {
    /// The failed run.
    pub incident: Incident,
    /// What to repair; the caller adds who may be asked.
    pub request: Request,
    /// Holds the repository that the request names for as long as this lives.
    _depot: Lease,
}

/// The policy at the tip of the default branch, as it was collected; the defaults when the repository has none.
///
/// # Errors
/// [`BrokenPolicy`], or a bundle that is not whole.
pub fn collected_policy(handover: &Handover, incident: &Incident) -> anyhow::Result<Policy> {
    let Some(file) = &incident.policy else { return Ok(Policy::default_for()) };
    let bytes = handover.read(&file.file)?;
    let commit = Some(incident.policy_commit.to_string());
    let origin = Origin { path: Some(file.path.clone()), commit, hash: Some(Sha::of(&bytes)) };
    let broken = |errors| BrokenPolicy { file: format!("{} of the default branch", file.path), errors };
    Ok(Policy::read(&bytes, origin).map_err(broken)?)
}

/// Lays out what was collected, in a directory of its own below `scratch`.
///
/// The policy is the caller's to bring, as [`collected_policy`] reads it and lowered as the caller likes; project rules
/// come from the tip of the default branch too, never from the commit under repair.
///
/// # Errors
/// A bundle that is not whole, or whose commits are not.
pub async fn unpack(
    handover: &Handover,
    incident: Incident,
    policy: Policy,
    (git, scratch, journal): (&Git, &std::path::Path, &Journal),
) -> anyhow::Result<Collected> {
    let lease = Lease::take(scratch, Purpose::Run).context("making room for the commits")?;
    let depot = lay(handover, &incident, git, &lease, journal).await?;
    let mut remarks = passed_before(&incident);
    let request = Request {
        repo: depot.directory().to_owned(),
        artifacts: artifacts(handover, &incident)?,
        steps: steps(handover, &incident, &mut remarks)?,
        policy: Governing::Given(Box::new(policy)),
        known_as: Some(incident.repository.to_string()),
        rules_of: depot.has(&incident.policy_commit).then(|| incident.policy_commit.clone()),
        clean: true,
        since: since(&incident, &depot),
        remarks,
        zero: true,
        way_to_a_model: Some("the input `model`, or `models` in the policy".to_owned()),
        ..Request::default()
    };
    Ok(Collected { incident, request, _depot: lease })
}

async fn lay(
    handover: &Handover,
    incident: &Incident,
    git: &Git,
    lease: &Lease,
    journal: &Journal,
) -> anyhow::Result<Depot> {
    let carried = &incident.history_bundle;
    // Git reads a copy of the bytes that were checked, not the file that others might still write.
    let bundle: PathBuf = lease.path().join("history.bundle");
    std::fs::write(&bundle, handover.read(&carried.file)?).with_context(|| format!("writing {}", bundle.display()))?;
    let shallow = carried.shallow.as_ref().map(|file| text(handover, file)).transpose()?;
    let depot = Depot::create(git, &lease.path().join("commits"), journal).await?;
    depot.unbundle(&bundle, shallow.as_deref(), journal).await.context("the commits of the bundle cannot be read")?;
    depot.set_head(&incident.head.commit)?;
    Ok(depot)
}

/// What says what failed: archives first, since reports are exact, then logs, then what the forge shows beside the code.
fn artifacts(handover: &Handover, incident: &Incident) -> anyhow::Result<Vec<Raw>> {
    let raw = |file: &RepoPath, name: &str, baseline: Option<String>| -> anyhow::Result<Raw> {
        Ok(Raw { name: crate::text::in_line(name), content: handover.read(file)?.into(), baseline })
    };
    let mut artifacts = Vec::new();
    for artifact in &incident.artifacts {
        artifacts.push(raw(&artifact.file, &format!("{}.zip", artifact.name), None)?);
    }
    for job in &incident.jobs {
        if let Some(log) = &job.log {
            let green = incident.green.iter().flat_map(|green| &green.logs).find(|(name, _)| *name == job.name);
            let baseline = green.map(|(_, log)| text(handover, log)).transpose()?;
            artifacts.push(raw(log, &format!("{}.log", job.name), baseline)?);
        }
    }
    for job in &incident.jobs {
        if let Some(annotations) = &job.annotations {
            artifacts.push(raw(annotations, &format!("{}.annotations", job.name), None)?);
        }
    }
    Ok(artifacts)
}

/// The commands of the failed steps, each once; what cannot be run as it stands is remarked.
fn steps(handover: &Handover, incident: &Incident, remarks: &mut Vec<String>) -> anyhow::Result<Vec<Step>> {
    let Some(file) = &incident.workflow else { return Ok(Vec::new()) };
    let workflow = match Workflow::read(&handover.read(&file.file)?) {
        Ok(workflow) => workflow,
        Err(error) => {
            remarks.push(format!("{} cannot be read: {error}", file.path));
            return Ok(Vec::new());
        }
    };
    let mut steps: Vec<Step> = Vec::new();
    for (job, step) in incident.jobs.iter().flat_map(|job| job.failed_steps.iter().map(move |step| (job, step))) {
        match commands(&workflow, job, step, remarks) {
            Ok(found) => {
                let fresh = found.into_iter().filter(|command| steps.iter().all(|step| step.command != *command));
                let fresh: Vec<CommandSpec> = fresh.collect();
                let name = |at: usize| match at {
                    0 => format!("{} / {}", job.name, step.name),
                    at => format!("{} / {} ({})", job.name, step.name, at + 1),
                };
                let named = fresh.into_iter().enumerate();
                steps.extend(named.map(|(at, command)| Step { name: crate::text::one_line(&name(at), 200), command }));
            }
            Err(why) => {
                remarks.push(format!("the step `{}` of `{}` is not run as it stands: {why}", step.name, job.name));
            }
        }
    }
    Ok(steps)
}

fn commands(
    workflow: &Workflow,
    job: &Job,
    step: &FailedStep,
    remarks: &mut Vec<String>,
) -> Result<Vec<CommandSpec>, String> {
    let found = workflow::find(workflow, &job.name, step).map_err(|missing| missing.to_string())?;
    let lines = found.command().map_err(|unknown| unknown.to_string())?;
    for lack in found.lacks() {
        if !remarks.contains(&lack) {
            remarks.push(lack);
        }
    }
    Ok(lines
        .into_iter()
        .map(|line| CommandSpec {
            argv: line.argv,
            cwd: line.cwd,
            env: line.env,
            timeout: super::choice::TIMEOUT,
            network: Network::Deny,
        })
        .collect())
}

/// A job that passed in another attempt at the same commit hints at a flaky test.
fn passed_before(incident: &Incident) -> Vec<String> {
    let failed = |name: &str| incident.jobs.iter().any(|job| job.name == name);
    let passed = incident.history.iter().filter(|past| past.conclusion.as_deref() == Some("success"));
    passed
        .filter(|past| failed(&past.name))
        .map(|past| format!("`{}` passed in attempt {} of the same run: it may be flaky", past.name, past.attempt))
        .collect()
}

/// What changed since it was green, where the green commit is here.
fn since(incident: &Incident, depot: &Depot) -> Option<String> {
    let head: &CommitSha = &incident.head.commit;
    let green = incident.green.as_ref().map(|green| &green.commit)?;
    (green != head && depot.has(green)).then(|| format!("{green}..{head}"))
}

fn text(handover: &Handover, file: &RepoPath) -> anyhow::Result<String> {
    Ok(String::from_utf8_lossy(&handover.read(file)?).into_owned())
}
