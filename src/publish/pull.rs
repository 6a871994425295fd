//! The pull request: found by the branch and by the tail of its body, brought up to date, or opened.

use super::end::{End, Step};
use super::ground::Ground;
use super::published::{Opened, Outcome, Trail};
use super::push::Ready;
use super::{Desk, Job, orphan};
use crate::github::{Created, GitHubError, NewPull, Pull, PullState};
use crate::report::State;

/// Labels beyond these are dropped; the forge takes names of up to 50 characters.
const MOST_LABELS: usize = 20;
const LONGEST_LABEL: usize = 50;

/// What is there.
#[derive(Debug)]
pub(super) enum Found {
    /// None that is open; one may have been merged.
    None,
    /// An open one of ours.
    Open(Box<Current>),
}

/// An open pull request of ours.
#[derive(Debug)]
pub(super) struct Current {
    pub(super) number: u64,
    title: String,
    body: String,
    head: String,
    state: State,
}

/// Looks for the pull request of this failure. A person's decision about one ends it.
pub(super) async fn find(ground: &Ground<'_>, desk: &Desk<'_>) -> Step<Found> {
    among(&desk.github.pulls_of_branch(&ground.own, desk.journal).await?, ground)
}

fn among(pulls: &[Pull], ground: &Ground<'_>) -> Step<Found> {
    let to_base = |pull: &&Pull| pull.base.branch == ground.failing.as_str();
    let open = |pull: &&Pull| pull.state == PullState::Open;
    if let Some(pull) = pulls.iter().filter(to_base).find(open) {
        return current(pull, ground).map(|current| Found::Open(Box::new(current)));
    }
    if let Some(pull) = pulls.iter().find(open) {
        let reason = format!("the same failure is being repaired for another branch in #{}", pull.number);
        return Err(End::left_alone(reason).hint("once that is merged, a failure that is still there starts anew"));
    }
    match pulls.iter().find(to_base) {
        Some(pull) if pull.merged_at.is_none() => {
            let reason = format!("#{} was closed without being merged: a person said no", pull.number);
            Err(End::left_alone(reason).hint(format!("reopen #{} to let the bot bring it up to date", pull.number)))
        }
        _ => Ok(Found::None),
    }
}

fn current(pull: &Pull, ground: &Ground<'_>) -> Step<Current> {
    let body = pull.body.clone().unwrap_or_default();
    let state = State::read(&body).filter(|state| state.fingerprint.as_str() == ground.fingerprint);
    let Some(state) = state else {
        let reason = format!("#{} does not end as the bot left it: a person has taken it over", pull.number);
        return Err(End::left_alone(reason));
    };
    Ok(Current { number: pull.number, title: pull.title.clone(), body, head: pull.head.sha.clone(), state })
}

/// Makes the pull request say what the branch holds.
pub(super) async fn deliver(job: &Job<'_>, ready: &Ready, found: Found, trail: &mut Trail) -> Step<End> {
    match found {
        Found::Open(current) => update(job, ready, &current, trail).await,
        Found::None => match open(job, ready, trail).await {
            Ok(end) => Ok(end),
            Err(end) => {
                // Only a clear no: where the answer is missing, the pull request may be there.
                let clear = matches!(end.outcome, Outcome::Refused | Outcome::Stale);
                if ready.created && clear {
                    orphan::remove(job.ground, job.desk, std::slice::from_ref(&ready.commit), trail).await;
                }
                Err(end)
            }
        },
    }
}

async fn open(job: &Job<'_>, ready: &Ready, trail: &mut Trail) -> Step<End> {
    let (ground, desk) = (job.ground, job.desk);
    // The lease, right before the pull request.
    if ground.look_again().await?.as_ref() != Some(&ready.commit) {
        return Err(faster(ground));
    }
    let new = NewPull {
        title: job.wording.title.clone(),
        body: job.wording.body(&job.wording.state(ground, &ready.commit, None)),
        head: ground.own.clone(),
        base: ground.failing.clone(),
        draft: job.order.draft.unwrap_or(job.policy.pull_request.draft),
    };
    match desk.github.create_pull(&new, desk.journal).await {
        // After a lost answer it may be that of another run with the same title.
        Ok(Created::New(pull)) => match current(&pull, ground) {
            Ok(other) if !same(&other.body, &new.body) => update(job, ready, &other, trail).await,
            _ => Ok(opened(job, pull.number, trail).await),
        },
        Ok(Created::Existing) => settled(job, ready, trail, None).await,
        Err(error @ GitHubError::Refused { .. }) => Err(error.into()),
        Err(error) => settled(job, ready, trail, Some(error)).await,
    }
}

/// The pull request is there, or may be: the list, which can lag behind, says what it holds.
async fn settled(job: &Job<'_>, ready: &Ready, trail: &mut Trail, lost: Option<GitHubError>) -> Step<End> {
    let own = job.wording.state(job.ground, &ready.commit, None);
    let pulls = job.desk.github.pulls_once_open(&job.ground.own, job.desk.journal).await?;
    match (among(&pulls, job.ground)?, lost) {
        // Made by this run, whose answer was lost, or by its twin.
        (Found::Open(current), _) if current.state == own => Ok(opened(job, current.number, trail).await),
        (Found::Open(current), _) => update(job, ready, &current, trail).await,
        (Found::None, Some(error)) => Err(error.into()),
        (Found::None, None) => Err(End::failed("GitHub says that there is a pull request, and does not show it yet")),
    }
}

async fn opened(job: &Job<'_>, number: u64, trail: &mut Trail) -> End {
    note(job, number, trail);
    let labels = labels(job);
    if !labels.is_empty()
        && let Err(error) = job.desk.github.add_labels(number, &labels, job.desk.journal).await
    {
        trail.notes.push(format!("the labels were not added: {error}"));
    }
    End::new(Outcome::Opened, format!("pull request #{number} is open"))
}

async fn update(job: &Job<'_>, ready: &Ready, current: &Current, trail: &mut Trail) -> Step<End> {
    let (ground, desk, number) = (job.ground, job.desk, current.number);
    note(job, number, trail);
    let settled = !ready.pushed && current.head == ready.commit.as_str();
    if !settled && ground.own_tip_now().await?.as_ref() != Some(&ready.commit) {
        return Err(faster(ground));
    }
    let title = &job.wording.title;
    let body = job.wording.body(&job.wording.state(ground, &ready.commit, Some(&current.state)));
    if current.title == *title && same(&current.body, &body) {
        let (outcome, what) = if ready.pushed {
            (Outcome::Updated, "holds the new commit")
        } else {
            (Outcome::Unchanged, "holds this repair already")
        };
        return Ok(End::new(outcome, format!("pull request #{number} {what}")));
    }
    desk.github.update_pull(number, title, &body, desk.journal).await?;
    Ok(End::new(Outcome::Updated, format!("pull request #{number} is brought up to date")))
}

/// The forge keeps bodies with line ends of its own.
fn same(there: &str, wanted: &str) -> bool {
    there.replace("\r\n", "\n").trim_end() == wanted.trim_end()
}

fn faster(ground: &Ground<'_>) -> End {
    End::stale(format!("`{}` moved: another run is at the same failure", ground.own))
}

fn note(job: &Job<'_>, number: u64, trail: &mut Trail) {
    trail.pull_request = Some(Opened::new(number, job.order.server, job.desk.github.repository_name()));
}

/// The labels of the policy and of the order, each once.
fn labels(job: &Job<'_>) -> Vec<String> {
    let mut labels: Vec<String> = Vec::new();
    for label in job.policy.pull_request.labels.iter().chain(job.order.labels) {
        let label = label.trim();
        let fits = !label.is_empty() && label.chars().count() <= LONGEST_LABEL && !label.chars().any(char::is_control);
        if fits && !labels.iter().any(|known| known.eq_ignore_ascii_case(label)) && labels.len() < MOST_LABELS {
            labels.push(label.to_owned());
        }
    }
    labels
}
