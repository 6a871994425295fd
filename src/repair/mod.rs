//! The model loop: ask, edit, prove, learn, until a candidate is verified or a limit is reached.
//!
//! Each round starts from a fresh prompt that is built from structured state; nothing is carried over in a
//! conversation. Every candidate is a snapshot of its own, so a future that is dropped leaves nothing half done.

mod ground;
mod learn;
mod limits;
mod outcome;
mod round;
mod staged;
mod state;
pub mod tools;

use std::ops::ControlFlow;
use std::time::Duration;

use crate::git::CommitId;
use crate::journal::Journal;
use crate::llm::{Message, Model, Request};
use crate::plan::Plan;
use crate::policy::Decision;
use crate::prompt::Steady;
use crate::usage::{Meter, Tier};

pub use ground::{Checked, Ground, Proof, Proving, Working};
pub use outcome::{Attempt, End, Outcome, Refusal, Sent};
pub use tools::code::{Code, Place};

use round::Finish;
use staged::Staged;
use state::State;

/// Removes secrets from a text.
pub type Scrub<'a> = &'a (dyn Fn(&str) -> String + Send + Sync);

/// One repair: everything that it needs, as values.
#[derive(Clone, Copy)]
pub struct Job<'a> {
    /// The tree, the rulings and the proof.
    pub ground: &'a dyn Ground,
    /// What is to be repaired.
    pub plan: &'a Plan,
    /// The context as Markdown.
    pub context: &'a str,
    /// Outlines, symbols, references and history; without it the tools for them are not offered.
    pub code: Option<&'a dyn Code>,
    /// The models, lightest first.
    pub ladder: &'a [(Tier, &'a dyn Model)],
    /// The most tokens of one answer.
    pub max_output: u32,
    /// The time since the start of the record after which no model is asked or waited for: the budget's minutes.
    pub deadline: Duration,
    /// Passed by everything that goes to a model.
    pub scrub: Scrub<'a>,
    /// Removes what differs between two runs from what commands printed.
    pub steady: &'a Steady,
    /// The record.
    pub journal: &'a Journal,
}

/// Repairs, within the plan's budget; `meter` refuses the call that could go over it.
pub async fn repair(job: &Job<'_>, meter: &mut Meter) -> Outcome {
    let mut state = State::new(job.ground.start());
    let end = loop {
        let Some((tier, model)) = job.ladder.get(state.rung).copied() else { break End::NoModel };
        if let Some(end) = state.limit(job) {
            break end;
        }
        state.rounds += 1;
        let finish = round::run(job, &mut state, (tier, model), meter).await;
        let step = match finish {
            Finish::Submitted { staged, summary, cause } => prove(job, &mut state, staged, [summary, cause]).await,
            Finish::Idle => state.learn_idle(job),
            Finish::Declined(reason) => state.climb(job, End::Declined { reason }),
            Finish::Failed(error) => state.climb(job, End::ModelFailed(error)),
            Finish::Exhausted(reason) => ControlFlow::Break(End::BudgetExhausted { reason }),
            Finish::Broken(error) => ControlFlow::Break(End::Broken(error)),
        };
        if let ControlFlow::Break(end) = step {
            break end;
        }
    };
    state.close(end)
}

/// Makes a snapshot of what was submitted, proves it, and learns from it.
async fn prove(job: &Job<'_>, state: &mut State, staged: Staged, [summary, cause]: [String; 2]) -> ControlFlow<End> {
    let commit = match job.ground.snapshot(&state.tree, staged.changes(), &summary) {
        Ok(commit) => commit,
        Err(error) => return ControlFlow::Break(End::Broken(error)),
    };
    let approvals = match approvals(job, state, &commit) {
        Ok(approvals) => approvals,
        Err(end) => return ControlFlow::Break(end),
    };
    let proof = match job.ground.prove(&commit).await {
        Ok(proof) => proof,
        Err(error) => return ControlFlow::Break(End::Broken(error)),
    };
    let (tier, model) = job.ladder[state.rung];
    let model = model.name().to_owned();
    let attempt = Attempt { commit, proof, summary, cause, tier, model };
    if !attempt.is_verified() {
        return state.learn(job, attempt);
    }
    let end = if approvals.is_empty() { End::Verified } else { End::NeedsApproval };
    state.approvals = approvals;
    state.best = Some(attempt);
    ControlFlow::Break(end)
}

/// The paths of a candidate that a person must agree to. Every path was ruled on when it was edited; it is ruled on
/// again here, over the whole change, so that nothing gets by.
fn approvals(job: &Job<'_>, state: &mut State, commit: &CommitId) -> Result<Vec<Refusal>, End> {
    let mut approvals = Vec::new();
    for change in job.ground.changes(commit).map_err(End::Broken)? {
        let ruling = job.ground.may_write(&change.path, change.before.is_none());
        let decision = ruling.decision;
        let wanted = Refusal::new("submit", change.path.as_str(), ruling);
        match decision {
            Decision::Allow => {}
            Decision::Ask => approvals.push(wanted),
            Decision::Deny => {
                tools::record_ruling(job, "candidate", &wanted);
                state.refusals.push(wanted);
                return Err(End::PolicyBlocked);
            }
        }
    }
    Ok(approvals)
}

/// The first request, as it would be sent.
///
/// # Errors
/// [`End::Broken`] when the tree cannot be read.
pub fn first_request(job: &Job<'_>) -> Result<Request, End> {
    let state = State::new(job.ground.start());
    round::request(job, &state).map_err(End::Broken)
}

/// The first request as text, for `--show-prompt`.
///
/// # Errors
/// As [`first_request`].
pub fn show_prompt(job: &Job<'_>) -> Result<String, End> {
    use std::fmt::Write as _;
    let request = first_request(job)?;
    let mut text = String::new();
    for message in &request.messages {
        let _ = write!(text, "--- {}\n{}\n", message.role(), Message::shown(message).trim_end());
    }
    text.push_str("--- tools\n");
    for tool in &request.tools {
        let _ = writeln!(text, "{}: {} {}", tool.name, tool.description, tool.parameters);
    }
    let _ = writeln!(text, "--- at most {} tokens of answer; request {}", request.max_output, request.key());
    Ok(text)
}
