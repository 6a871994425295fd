//! What the loop knows between rounds, and what follows from an attempt.

use std::ops::ControlFlow;
use std::time::Duration;

use crate::git::CommitId;
use crate::ids::Fingerprint;
use crate::policy::Decision;
use crate::repair::learn::{fingerprint, reach, refuted};
use crate::repair::{Attempt, End, Job, Outcome, Refusal, Sent};

/// What the loop knows between rounds.
pub(super) struct State {
    start: CommitId,
    /// The snapshot that the next edits go on top of.
    pub(super) tree: CommitId,
    pub(super) best: Option<Attempt>,
    /// The last attempt, which the next prompt tells of.
    pub(super) last: Option<Attempt>,
    pub(super) refuted: Vec<String>,
    /// Whether the last two attempts failed in the same way.
    pub(super) stuck: bool,
    /// Whether the strategy was changed already.
    changed: bool,
    previous: Option<Fingerprint>,
    /// The place on the ladder of models, and the rounds spent there.
    pub(super) rung: usize,
    on_rung: u32,
    pub(super) rounds: u32,
    pub(super) refusals: Vec<Refusal>,
    pub(super) approvals: Vec<Refusal>,
    pub(super) sent: Vec<Sent>,
}

impl State {
    pub(super) fn new(start: CommitId) -> Self {
        Self {
            tree: start.clone(),
            start,
            best: None,
            last: None,
            refuted: Vec::new(),
            stuck: false,
            changed: false,
            previous: None,
            rung: 0,
            on_rung: 0,
            rounds: 0,
            refusals: Vec::new(),
            approvals: Vec::new(),
            sent: Vec::new(),
        }
    }

    /// Whether a limit forbids another round.
    pub(super) fn limit(&self, job: &Job<'_>) -> Option<End> {
        let budget = &job.plan.budget;
        if job.journal.elapsed() >= job.deadline {
            return Some(End::BudgetExhausted { reason: over(job.deadline) });
        }
        (self.rounds >= budget.rounds)
            .then(|| End::NotVerified { reason: format!("no candidate held in {} rounds", budget.rounds) })
    }

    /// Learns from an attempt that did not hold.
    pub(super) fn learn(&mut self, job: &Job<'_>, attempt: Attempt) -> ControlFlow<End> {
        self.refuted.push(refuted(&attempt));
        let print = fingerprint(&attempt, job.steady);
        let better = self.best.as_ref().is_none_or(|best| reach(&attempt) >= reach(best));
        if better {
            self.tree = attempt.commit.clone();
            self.best = Some(attempt.clone());
        }
        self.last = Some(attempt);
        self.diagnose(job, print)
    }

    /// A round without any edit teaches that much.
    pub(super) fn learn_idle(&mut self, job: &Job<'_>) -> ControlFlow<End> {
        self.refuted.push("an answer without any edit => nothing to prove".to_owned());
        self.diagnose(job, Fingerprint::of(&["idle"]))
    }

    /// Diagnosis before blind retry: the same failure twice changes the strategy once, then ends the loop.
    fn diagnose(&mut self, job: &Job<'_>, print: Fingerprint) -> ControlFlow<End> {
        self.on_rung += 1;
        let same = self.previous.replace(print.clone()) == Some(print);
        self.stuck = same;
        if same && self.changed {
            return ControlFlow::Break(End::NotVerified {
                reason: "the attempts keep failing in the same way, even after a change of strategy".to_owned(),
            });
        }
        if same {
            self.changed = true;
            self.tree = self.start.clone();
        }
        let share = job.plan.budget.rounds.div_ceil(2);
        if same || self.on_rung >= share {
            self.step_up(job);
        }
        ControlFlow::Continue(())
    }

    /// Goes on with the next model, or ends.
    pub(super) fn climb(&mut self, job: &Job<'_>, end: End) -> ControlFlow<End> {
        if self.step_up(job) { ControlFlow::Continue(()) } else { ControlFlow::Break(end) }
    }

    fn step_up(&mut self, job: &Job<'_>) -> bool {
        let higher = self.rung + 1 < job.ladder.len();
        if higher {
            self.rung += 1;
            self.on_rung = 0;
            // Another model is a change of strategy, and has a right to its own.
            self.changed = false;
            self.previous = None;
        }
        higher
    }

    pub(super) fn close(mut self, end: End) -> Outcome {
        let denied = self.refusals.iter().any(|refusal| {
            refusal.ruling.decision == Decision::Deny
                && matches!(refusal.tool.as_str(), "edit" | "create_file" | "submit")
        });
        let nothing = self.best.is_none() && denied;
        let end = match end {
            End::NotVerified { .. } | End::Declined { .. } if nothing => End::PolicyBlocked,
            end => end,
        };
        self.sent.sort();
        self.sent.dedup();
        Outcome {
            end,
            best: self.best,
            rounds: self.rounds,
            refusals: self.refusals,
            approvals: self.approvals,
            refuted: self.refuted,
            sent: self.sent,
        }
    }
}

/// That the time is over, in words.
pub(super) fn over(deadline: Duration) -> String {
    format!("the {} s that the budget allows are over", deadline.as_secs())
}
