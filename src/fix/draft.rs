//! A proposal in the making: each stage of the loop adds its part, and every way out gives a whole proposal.

use std::collections::BTreeSet;

use crate::change::FileChange;
use crate::evidence::{Finding, Reproduction, Verification, Walls};
use crate::failure::Failure;
use crate::journal::{Journal, WaitingFor};
use crate::policy::Origin;
use crate::proposal::{self, Attempt, Conclusion, LineCounts, Proposal, Sent};
use crate::usage::{Seconds, Tier, Usage};

/// What is known of a run so far.
#[derive(Debug, Default)]
pub(super) struct Draft {
    pub(super) base_commit: String,
    pub(super) uncommitted: bool,
    pub(super) left_out: Vec<String>,
    pub(super) policy: Origin,
    pub(super) failure: Option<Failure>,
    pub(super) reproduction: Option<Reproduction>,
    pub(super) verification: Option<Verification>,
    pub(super) findings: Vec<Finding>,
    pub(super) walls: Option<Walls>,
    pub(super) attempts: Vec<Attempt>,
    pub(super) sent: BTreeSet<Sent>,
    pub(super) usage: Usage,
    pub(super) hints: Vec<String>,
    pub(super) cause: Option<String>,
    /// Why the set-up did not do what it should; what fails after it may fail for that reason.
    pub(super) setup_failure: Option<String>,
    /// The best candidate so far: what it changes, as values and as a patch, and who made it.
    pub(super) candidate: Option<Candidate>,
}

/// A change that was made, proved or not.
#[derive(Debug)]
pub(super) struct Candidate {
    pub(super) tier: Tier,
    pub(super) changes: Vec<FileChange>,
    pub(super) patch: String,
}

/// How a run ended.
#[derive(Debug)]
pub(super) struct End {
    pub(super) conclusion: Conclusion,
    pub(super) reason: String,
}

impl Draft {
    /// Notes that a means of repair was tried.
    pub(super) fn tried(&mut self, tier: Tier, means: &str, outcome: impl Into<String>) {
        self.attempts.push(Attempt { tier, means: means.to_owned(), outcome: outcome.into() });
    }

    /// The whole proposal.
    pub(super) fn propose(mut self, end: End, journal: &Journal) -> Proposal {
        self.usage.seconds = seconds(journal);
        self.findings.sort();
        let patch = self.candidate.as_ref().map_or("", |candidate| candidate.patch.as_str());
        Proposal {
            version: proposal::VERSION,
            result: end.conclusion,
            reason: end.reason,
            exit_code: end.conclusion.exit_code(),
            fingerprint: self.failure.as_ref().map(|failure| failure.id.clone()),
            base_commit: self.base_commit,
            uncommitted: self.uncommitted,
            left_out: self.left_out,
            policy: self.policy,
            failure: self.failure,
            tier: self.candidate.as_ref().map(|candidate| candidate.tier),
            files: self.candidate.iter().flat_map(|it| &it.changes).map(|change| change.path.to_string()).collect(),
            lines: LineCounts::of_patch(patch),
            reproduction: self.reproduction,
            verification: self.verification,
            findings: self.findings,
            walls: self.walls,
            usage: self.usage,
            sent: self.sent.into_iter().collect(),
            journal_head: journal.head(),
            attempts: self.attempts,
            hints: once(self.hints),
            cause: self.cause,
        }
    }
}

/// Each hint once, in the order in which they came up.
fn once(hints: Vec<String>) -> Vec<String> {
    let mut seen = std::collections::BTreeSet::new();
    hints.into_iter().filter(|hint| seen.insert(hint.clone())).collect()
}

/// Where the time went: what is left after all waiting is the program's own.
fn seconds(journal: &Journal) -> Seconds {
    let commands = journal.waited(WaitingFor::Child).as_secs_f64();
    let model = journal.waited(WaitingFor::Http).as_secs_f64();
    let own = (journal.elapsed().as_secs_f64() - commands - model).max(0.0);
    Seconds { model, commands, own }
}
