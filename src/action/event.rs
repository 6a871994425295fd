//! What happened, and whether this program acts on it: a decision with its reason, from the event file and the
//! runner's variables.
//!
//! The event file is foreign: everybody's names and texts are in it. Only numbers, checked names and words of closed
//! lists are taken from it.

mod payload;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use crate::ids::{OwnBranch, RepositoryName};
use crate::text;
pub(super) use payload::Payload;

/// What to do about an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Decision {
    /// A run failed: look after it.
    Act(Target),
    /// Nothing failed that this program looks after.
    Nothing(String),
    /// Something may have failed, and this program keeps its hands off.
    Refused(String),
}

/// A failed run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Target {
    /// The forge's number for it.
    pub(super) run: u64,
    /// Which attempt, from 1.
    pub(super) attempt: u32,
    /// Its branch, as the event spells it; `None` where the event names none.
    pub(super) branch: Option<String>,
    /// Why its code is not run and nothing is published: it is diagnosed only.
    pub(super) diagnose_only: Option<String>,
}

/// Events that are refused, with the reason.
const REFUSED: &[(&str, &str)] = &[(
    "pull_request_target",
    "it holds the rights of the base branch while it looks at code of anybody; use `workflow_run`, or a last step with \
     `if: failure()` in the job of a `pull_request`",
)];

/// Events that a later version acts on, with what this one lacks.
const LATER: &[(&str, &str)] = &[
    ("issue_comment", "commands in comments"),
    ("pull_request_review", "commands in reviews"),
    ("pull_request_review_comment", "commands in reviews"),
    ("issues", "work on issues"),
];

/// Events that have nothing to do with code that could be built.
const IDLE: &[&str] = &["discussion", "discussion_comment", "fork", "gollum", "label", "milestone", "star", "watch"];

/// The conclusions of a run that are failures.
const FAILED: &[&str] = &["failure", "timed_out", "startup_failure"];

/// Where a merge queue builds.
const QUEUE: &str = "gh-readonly-queue/";

/// Decides from the runner's variables and the event file.
///
/// # Errors
/// A sentence for variables that a runner always sets and that are not there.
pub(super) fn decide(env: &BTreeMap<String, String>, payload: &Payload) -> Result<Decision, String> {
    let name = variable(env, "GITHUB_EVENT_NAME")?;
    if let Some((_, why)) = REFUSED.iter().find(|(event, _)| *event == name) {
        return Ok(Decision::Refused(format!("`{name}` is never acted on: {why}")));
    }
    if let Some((_, what)) = LATER.iter().find(|(event, _)| *event == name) {
        return Ok(Decision::Refused(format!("`{name}` is not acted on yet: {what} are for a later version")));
    }
    if IDLE.contains(&name) {
        return Ok(Decision::Nothing(format!("`{name}` builds nothing, so nothing failed")));
    }
    if name != "workflow_run" {
        return of_this_run(env, name, payload);
    }
    if payload.action.is_none() && payload.workflow_run.is_none() {
        return Err("the event file (GITHUB_EVENT_PATH) tells of no run".to_owned());
    }
    Ok(of_another_run(payload))
}

/// `workflow_run`: another run ended.
fn of_another_run(payload: &Payload) -> Decision {
    if payload.action.as_deref() != Some("completed") {
        let action = payload.action.as_deref().map_or_else(|| "nothing".to_owned(), shown);
        return Decision::Nothing(format!("the run is not at its end: the event says `{action}`, not `completed`"));
    }
    let Some(run) = &payload.workflow_run else {
        return Decision::Refused("the event names no run that can be read".to_owned());
    };
    let conclusion = run.conclusion.as_deref().unwrap_or("nothing");
    if !FAILED.contains(&conclusion) {
        let known = FAILED.join("`, `");
        return Decision::Nothing(format!("the run ended with `{}`, which is none of `{known}`", shown(conclusion)));
    }
    if run.event.as_deref() == Some("pull_request_target") {
        return Decision::Refused(
            "the run was one of `pull_request_target`: what it left may come from code of anybody".to_owned(),
        );
    }
    let target = Target {
        run: run.id,
        attempt: run.attempt,
        branch: run.branch.clone(),
        diagnose_only: fork(payload.repository.as_ref(), run.head_repository.as_ref()),
    };
    guarded(target)
}

/// Any other event: this program is a last step of the failing job itself.
fn of_this_run(env: &BTreeMap<String, String>, name: &str, payload: &Payload) -> Result<Decision, String> {
    let number = |name: &str| {
        let value = variable(env, name)?;
        value.parse::<u64>().map_err(|_| format!("{name} is `{}`, which is no number", shown(value)))
    };
    if env.get("GITHUB_REF_TYPE").is_some_and(|kind| kind == "tag") {
        return Ok(Decision::Refused("a tag was built, and there is no branch that a fix could go to".to_owned()));
    }
    let head = env.get("GITHUB_HEAD_REF").filter(|head| !head.is_empty());
    let pull = name == "pull_request";
    let target = Target {
        run: number("GITHUB_RUN_ID")?,
        attempt: u32::try_from(number("GITHUB_RUN_ATTEMPT")?).map_err(|error| error.to_string())?,
        branch: head.or_else(|| env.get("GITHUB_REF_NAME")).filter(|name| !name.is_empty()).cloned(),
        diagnose_only: if pull { fork(payload.repository.as_ref(), payload.pull_head.as_ref()) } else { None },
    };
    Ok(guarded(target))
}

/// Branches that are left alone.
fn guarded(target: Target) -> Decision {
    let branch = target.branch.as_deref().unwrap_or_default();
    if branch.starts_with(OwnBranch::PREFIX) {
        return Decision::Refused(format!(
            "`{}` is a branch of this program, which does not repair its own repairs",
            shown(branch)
        ));
    }
    if branch.starts_with(QUEUE) {
        return Decision::Refused(format!(
            "`{}` is the temporary branch of a merge queue: a fix belongs on the branch that waits in it",
            shown(branch)
        ));
    }
    Decision::Act(target)
}

/// Why a head is diagnosed only: it is that of another repository, or of one that is gone.
fn fork(here: Option<&RepositoryName>, head: Option<&RepositoryName>) -> Option<String> {
    match (here, head) {
        (Some(here), Some(head)) if here == head => None,
        (_, Some(head)) => Some(format!(
            "the code comes from another repository, `{head}`: it is diagnosed, and neither run nor published to"
        )),
        _ => Some(
            "the event does not say that the code is this repository's own: it is diagnosed, and neither run nor \
             published to"
                .to_owned(),
        ),
    }
}

fn variable<'a>(env: &'a BTreeMap<String, String>, name: &str) -> Result<&'a str, String> {
    env.get(name).map(String::as_str).filter(|value| !value.is_empty()).ok_or_else(|| format!("{name} is not set"))
}

/// A foreign word inside a sentence of ours.
fn shown(word: &str) -> String {
    text::one_line(&text::plain(word).replace('`', "'"), 100)
}
