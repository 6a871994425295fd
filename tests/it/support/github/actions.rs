//! Runs of workflows: their jobs, logs, artifacts and annotations.

use serde_json::{Value, json};

use super::answer::{Answer, Call};
use super::model::{Job, Pull, Run, State};
use super::server::{time, user};
use super::world::World;

fn found(world: &World, id: u64) -> Option<&Run> {
    world.runs.iter().find(|run| run.id == id)
}

pub(super) fn run(world: &mut World, call: &Call) -> Answer {
    found(world, call.number(0)).map_or_else(Answer::not_found, |run| Answer::ok(rendered(world, run, run.attempt)))
}

pub(super) fn run_attempt(world: &mut World, call: &Call) -> Answer {
    let attempt = u32::try_from(call.number(1)).unwrap_or(0);
    match found(world, call.number(0)) {
        Some(run) if (1..=run.attempt).contains(&attempt) => Answer::ok(rendered(world, run, attempt)),
        _ => Answer::not_found(),
    }
}

pub(super) fn workflow_runs(world: &mut World, call: &Call) -> Answer {
    let workflow = call.text(0);
    let is = |name: &str, value: Option<&str>| call.query(name).is_none_or(|wanted| Some(wanted) == value);
    let mut runs: Vec<&Run> = world
        .runs
        .iter()
        .filter(|run| run.workflow.to_string() == workflow || run.path.ends_with(&format!("/{workflow}")))
        .filter(|run| is("branch", Some(&run.head_branch)) && is("event", Some(&run.event)))
        .filter(|run| is("status", run.conclusion.as_deref()) || is("status", Some(&run.status)))
        .filter(|run| is("head_sha", Some(&run.head_sha)) && is("actor", Some(&run.actor)))
        .collect();
    runs.sort_by_key(|run| std::cmp::Reverse(run.at));
    let items = runs.into_iter().map(|run| rendered(world, run, run.attempt)).collect();
    Answer::List { member: Some("workflow_runs"), items }
}

/// A run as the interface gives it; earlier attempts failed as the last one did.
fn rendered(world: &World, run: &Run, attempt: u32) -> Value {
    let forge = &world.addresses.forge;
    // Given for branches of the repository itself alone, forks have none.
    let from = |pull: &&Pull| pull.state == State::Open && pull.sha == run.head_sha;
    let pulls = world.pulls.iter().filter(from).filter(|pull| pull.head_repository == world.repository);
    let end = |branch: &str, sha: &str| json!({"ref": branch, "sha": sha});
    let pulls = pulls.map(|pull| {
        json!({"number": pull.number, "head": end(&pull.head, &pull.sha), "base": end(&pull.base, &pull.base_sha)})
    });
    json!({
        "id": run.id, "run_number": run.number, "run_attempt": attempt, "name": run.name, "path": run.path,
        "workflow_id": run.workflow, "event": run.event, "status": run.status, "conclusion": run.conclusion,
        "head_branch": run.head_branch, "head_sha": run.head_sha,
        "html_url": format!("{forge}/{}/actions/runs/{}", world.repository, run.id),
        "actor": user(&run.actor), "triggering_actor": user(&run.actor), "pull_requests": pulls.collect::<Vec<_>>(),
        "run_started_at": time(run.at), "created_at": time(run.at), "updated_at": time(run.at),
        "repository": short_repository(&world.repository),
        "head_repository": short_repository(&run.head_repository),
    })
}

fn short_repository(name: &str) -> Value {
    let (owner, short) = name.split_once('/').unwrap();
    json!({"name": short, "full_name": name, "owner": user(owner)})
}

pub(super) fn jobs(world: &mut World, call: &Call) -> Answer {
    let Some(run) = found(world, call.number(0)) else { return Answer::not_found() };
    let all = call.query("filter") == Some("all");
    let jobs = world.jobs.iter().filter(|job| job.run == run.id && (all || job.attempt == run.attempt));
    Answer::List { member: Some("jobs"), items: jobs.map(|job| rendered_job(world, run, job)).collect() }
}

fn rendered_job(world: &World, run: &Run, job: &Job) -> Value {
    let ended = |conclusion: &Option<String>| if conclusion.is_some() { "completed" } else { "in_progress" };
    let steps = job.steps.iter().zip(1..).map(|((name, conclusion), number)| {
        json!({"name": name, "number": number, "status": ended(conclusion), "conclusion": conclusion})
    });
    let forge = &world.addresses.forge;
    let repository = format!("{forge}/api/v3/repos/{}", world.repository);
    json!({
        "id": job.id, "run_id": job.run, "run_attempt": job.attempt, "name": job.name, "workflow_name": run.name,
        "status": ended(&job.conclusion), "conclusion": job.conclusion, "labels": job.labels,
        "head_sha": run.head_sha, "head_branch": run.head_branch, "steps": steps.collect::<Vec<_>>(),
        "html_url": format!("{forge}/{}/actions/runs/{}/job/{}", world.repository, job.run, job.id),
        "check_run_url": format!("{repository}/check-runs/{}", job.id),
        "run_url": format!("{repository}/actions/runs/{}", job.run),
        "started_at": time(run.at), "completed_at": time(run.at), "created_at": time(run.at),
    })
}

/// Where somebody else gives a file to whoever knows the address.
fn blob(world: &World, kind: &str, id: u64) -> Answer {
    Answer::Redirect(format!("{}/blobs/{kind}/{id}?sig=2f0c", world.addresses.blobs))
}

pub(super) fn job_log(world: &mut World, call: &Call) -> Answer {
    match world.jobs.iter().find(|job| job.id == call.number(0)) {
        Some(job) if job.log.is_some() => blob(world, "logs", job.id),
        _ => Answer::not_found(),
    }
}

pub(super) fn artifacts(world: &mut World, call: &Call) -> Answer {
    let Some(run) = found(world, call.number(0)) else { return Answer::not_found() };
    let uploaded = world.artifacts.iter().filter(|artifact| artifact.run == run.id);
    let named = uploaded.filter(|artifact| call.query("name").is_none_or(|name| name == artifact.name));
    let rendered = named.map(|artifact| {
        json!({
            "id": artifact.id, "name": artifact.name, "size_in_bytes": artifact.zip.len(),
            "expired": artifact.expired, "created_at": time(run.at), "updated_at": time(run.at),
            "expires_at": time(run.at + 90 * 86_400),
            "workflow_run": {"id": run.id, "head_branch": run.head_branch, "head_sha": run.head_sha},
        })
    });
    Answer::List { member: Some("artifacts"), items: rendered.collect() }
}

pub(super) fn artifact_zip(world: &mut World, call: &Call) -> Answer {
    match world.artifacts.iter().find(|artifact| artifact.id == call.number(0)) {
        Some(artifact) if artifact.expired => Answer::error(410, "Artifact has expired"),
        Some(artifact) if call.text(1) == "zip" => blob(world, "artifacts", artifact.id),
        _ => Answer::not_found(),
    }
}

pub(super) fn annotations(world: &mut World, call: &Call) -> Answer {
    if !world.jobs.iter().any(|job| job.id == call.number(0)) {
        return Answer::not_found();
    }
    let of_job = world.annotations.iter().filter(|(job, _)| *job == call.number(0));
    let rendered = of_job.map(|(_, annotation)| {
        json!({
            "path": annotation.path, "start_line": annotation.line, "end_line": annotation.line,
            "annotation_level": annotation.level, "message": annotation.message,
        })
    });
    Answer::List { member: None, items: rendered.collect() }
}

impl World {
    /// What a workflow that waits for a completed run is told.
    pub(super) fn workflow_run_event(&self, id: u64) -> Value {
        let run = found(self, id).unwrap();
        let mut rendered = rendered(self, run, run.attempt);
        rendered["head_commit"] = json!({"id": run.head_sha});
        json!({
            "action": "completed", "workflow_run": rendered, "sender": user(&run.actor),
            "workflow": {"id": run.workflow, "name": run.name, "path": run.path, "state": "active"},
            "repository": {
                "name": self.repository.split('/').nth(1).unwrap(), "full_name": self.repository,
                "owner": user(self.owner()), "default_branch": self.default_branch,
            },
        })
    }
}
