//! A proposal becomes a branch and a pull request: everything in it is checked again, nothing is merged.
//!
//! It alone writes to the forge, and it trusts nobody upstream. All that can be known without writing is found out
//! first; from then on each step looks at what is there and does what is missing, so a run that was cut off anywhere
//! is finished by running it again, and two runs at once end with one branch and one pull request.

mod branch;
mod bundle;
mod change;
mod commit;
mod eligible;
mod end;
mod ground;
mod guidance;
mod orphan;
mod proof;
mod published;
mod pull;
mod push;
mod quota;
mod wording;
mod workplace;

pub use published::{Opened, Outcome, PublishError, Published};

use std::path::Path;

use crate::git::{Git, Remote};
use crate::github::GitHub;
use crate::handover::Handover;
use crate::journal::{Entry, Journal};
use crate::policy::{Policy, Stage};
use crate::secret::Redactor;
use bundle::Sealed;
use change::Change;
use end::{End, Step};
use ground::Ground;
use published::Trail;
use wording::Wording;
use workplace::Workplace;

/// What is to be published, and how.
#[derive(Debug, Clone, Copy)]
pub struct Order<'a> {
    /// A sealed proposal: `proposal.json incident.json change.patch body.md journal.jsonl evidence/`.
    pub bundle: &'a Handover,
    /// The address of the forge's pages, without a slash at its end: `https://github.com`. Links are built from it.
    pub server: &'a str,
    /// Whether it is a draft; `None` leaves that to the policy.
    pub draft: Option<bool>,
    /// Labels over those of the policy.
    pub labels: &'a [String],
    /// The highest stage that may be gone to, under that of the policy.
    pub stage: Option<Stage>,
    /// Find out everything, write nothing.
    pub dry_run: bool,
    /// The version of this program.
    pub version: &'a str,
}

/// What it works with: the machine's parts as values.
#[derive(Clone, Copy)]
pub struct Desk<'a> {
    /// The forge, for the repository that the failure is in.
    pub github: &'a GitHub,
    /// The git program.
    pub git: &'a Git,
    /// The same repository, for git.
    pub remote: &'a Remote,
    /// The record of this stage.
    pub journal: &'a Journal,
    /// Knows the credentials of this stage, its own token with them.
    pub redactor: &'a Redactor,
    /// Where a directory of our own is laid.
    pub scratch: &'a Path,
    /// The time: seconds since 1970.
    pub now: i64,
    /// Is told what begins.
    pub progress: &'a (dyn Fn(&str) + Send + Sync),
}

/// What the writing steps share: all of it was checked.
struct Job<'a> {
    order: &'a Order<'a>,
    desk: &'a Desk<'a>,
    ground: &'a Ground<'a>,
    change: &'a Change,
    wording: &'a Wording,
    policy: &'a Policy,
}

/// Publishes a proposal, or says why not.
///
/// # Errors
/// [`PublishError`] when this machine fails before anything was looked at; every other way out is an [`Outcome`].
pub async fn publish(order: &Order<'_>, desk: &Desk<'_>) -> Result<Published, PublishError> {
    let bundle = order.bundle.directory();
    let place = Workplace::take(desk.scratch).map_err(|source| PublishError::Scratch {
        scratch: desk.scratch.to_owned(),
        bundle: bundle.to_owned(),
        source,
    })?;
    let before = desk.github.calls();
    let mut trail = Trail::default();
    let (Ok(end) | Err(end)) = Box::pin(deliver(order, desk, &place, &mut trail)).await;
    let calls = desk.github.calls().saturating_sub(before);
    let published = published::assemble(end, trail, order, (desk.redactor, calls));
    desk.journal.record(Entry {
        action: "publish".to_owned(),
        subject: published.branch.as_ref().map(ToString::to_string).unwrap_or_default(),
        outcome: format!("{}: {}", published.outcome.word(), published.reason),
        ..Entry::default()
    });
    Ok(published)
}

/// The steps. Up to the line in the middle nothing is written anywhere but on this machine; only what an earlier run
/// for the same commit left behind is taken away.
async fn deliver(order: &Order<'_>, desk: &Desk<'_>, place: &Workplace, trail: &mut Trail) -> Step<End> {
    (desk.progress)("checking the proposal");
    let sealed = Sealed::open(order.bundle)?;
    proof::check(&sealed)?;
    let failing = eligible::check(&sealed.incident, desk.github.repository_name())?;
    let own = branch::name(&sealed)?;
    eligible::confirm(&sealed.incident, desk).await?;
    trail.branch = Some(own.clone());
    (desk.progress)("fetching the commit and the policy");
    let ground = Ground::lay(desk, place, &sealed, (failing, own)).await?;
    if let Err(end) = ground.lease() {
        if !order.dry_run {
            orphan::sweep(&ground, desk, trail).await;
        }
        return Err(end);
    }
    ground.take_in().await?;
    let mut policy = ground.policy()?;
    policy.lower_stage(order.stage.unwrap_or(Stage::Batch));
    let change = change::check(&sealed, &ground, &policy, desk).await?;
    let wording = Wording::of(&sealed, order, &policy, change.findings.clone())?;
    wording::check(&wording, &ground, desk.redactor)?;
    let found = pull::find(&ground, desk).await?;
    if matches!(found, pull::Found::None) {
        quota::check(&policy, desk).await?;
    }
    if order.dry_run {
        return Ok(end::rehearsed(&found));
    }
    // ---- from here on the forge is written to
    (desk.progress)("pushing the branch");
    let job = Job { order, desk, ground: &ground, change: &change, wording: &wording, policy: &policy };
    let seconds = commit::seconds(&sealed.incident);
    let ready = push::settle(&job, seconds, trail).await?;
    trail.commit = Some(ready.commit.clone());
    (desk.progress)("opening the pull request");
    pull::deliver(&job, &ready, found, trail).await
}
