//! The end of the pipeline short of publishing: a value that holds the diff, the proof and the bill.
//!
//! `proposal.json` is this value; within a version keys are only added. Whoever publishes it trusts nothing in
//! it without checking it again.

use serde::{Deserialize, Serialize};

use crate::evidence::{Finding, Reproduction, Verification, Walls};
use crate::failure::Failure;
use crate::ids::{Fingerprint, Sha};
use crate::policy::Origin;
use crate::usage::{Tier, Usage};

/// The version of the format that this program writes.
pub const VERSION: u32 = 1;

/// What a run came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Conclusion {
    /// A verified patch.
    Fixed,
    /// The command passes as it stands.
    NoChangeNeeded,
    /// It failed and passed without a change.
    Flaky,
    /// The failure that the artifacts name did not show again.
    NotReproduced,
    /// This machine lacks something that the command needs.
    Environment,
    /// Nothing that may be tried applies, or the model said that it cannot.
    Declined,
    /// The test is what is wrong.
    TestOutdated,
    /// Changes were tried, and none was proved.
    VerificationFailed,
    /// The tree moved meanwhile.
    Stale,
    /// The policy forbids what a fix would need.
    PolicyBlocked,
    /// A person has to agree first.
    NeedsApproval,
    /// Money, tokens, rounds or minutes are used up.
    BudgetExhausted,
    /// The walls that repository code must run behind cannot be built here.
    WallsMissing,
    /// The model's service failed.
    ServiceFailed,
    /// The program itself failed.
    Error,
}

impl Conclusion {
    /// The exit code that a program ends with.
    #[must_use]
    pub fn exit_code(self) -> u8 {
        match self {
            Self::Fixed | Self::NoChangeNeeded => 0,
            Self::Flaky
            | Self::NotReproduced
            | Self::Environment
            | Self::Declined
            | Self::TestOutdated
            | Self::VerificationFailed
            | Self::Stale => 3,
            Self::PolicyBlocked | Self::NeedsApproval => 4,
            Self::BudgetExhausted => 5,
            Self::WallsMissing => 6,
            Self::ServiceFailed => 7,
            Self::Error => 1,
        }
    }

    /// The word, as in `proposal.json`.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Fixed => "fixed",
            Self::NoChangeNeeded => "no_change_needed",
            Self::Flaky => "flaky",
            Self::NotReproduced => "not_reproduced",
            Self::Environment => "environment",
            Self::Declined => "declined",
            Self::TestOutdated => "test_outdated",
            Self::VerificationFailed => "verification_failed",
            Self::Stale => "stale",
            Self::PolicyBlocked => "policy_blocked",
            Self::NeedsApproval => "needs_approval",
            Self::BudgetExhausted => "budget_exhausted",
            Self::WallsMissing => "walls_missing",
            Self::ServiceFailed => "service_failed",
            Self::Error => "error",
        }
    }
}

/// `proposal.json`.
#[derive(Debug, Clone, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Proposal {
    /// The version of this format: 1.
    pub version: u32,
    /// What the run came to.
    pub result: Conclusion,
    /// Why, in a sentence or two.
    pub reason: String,
    /// The exit code that goes with the result.
    pub exit_code: u8,
    /// The failure's identity across runs; of the first failure when there are several.
    #[schemars(with = "Option<String>")]
    pub fingerprint: Option<Fingerprint>,
    /// The commit that was HEAD.
    pub base_commit: String,
    /// Whether uncommitted changes to tracked files were part of what was repaired: `change.patch` then applies onto
    /// `base_commit` with these.
    pub uncommitted: bool,
    /// Untracked files that were left out, the first hundred.
    pub left_out: Vec<String>,
    /// The policy in force.
    pub policy: Origin,
    /// The failure; the root cause when there are several.
    pub failure: Option<Failure>,
    /// What repaired it.
    pub tier: Option<Tier>,
    /// The files touched, in path order.
    pub files: Vec<String>,
    /// The size of the patch.
    pub lines: LineCounts,
    /// Running the failing command before any change.
    pub reproduction: Option<Reproduction>,
    /// The proof.
    pub verification: Option<Verification>,
    /// What a reviewer must know, or what forbade it.
    pub findings: Vec<Finding>,
    /// The walls that stood while repository code ran.
    pub walls: Option<Walls>,
    /// The bill.
    pub usage: Usage,
    /// What was shown to a model.
    pub sent: Vec<Sent>,
    /// The hash of the last record of `journal.jsonl` before this proposal was written.
    pub journal_head: Sha,
    /// What each attempt came to, in order.
    pub attempts: Vec<Attempt>,
    /// What the reader can do next.
    pub hints: Vec<String>,
    /// What is wrong and why the change mends it, in the words of whoever made it.
    pub cause: Option<String>,
}

/// The size of a patch.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[expect(missing_docs, reason = "the names say it")]
pub struct LineCounts {
    pub added: u32,
    pub removed: u32,
}

impl LineCounts {
    /// The lines that a unified diff adds and removes.
    #[must_use]
    pub fn of_patch(patch: &str) -> Self {
        let mut counts = Self::default();
        for line in body_lines(patch) {
            match line.as_bytes().first() {
                Some(b'+') => counts.added += 1,
                Some(b'-') => counts.removed += 1,
                _ => {}
            }
        }
        counts
    }
}

/// The lines of the hunks of a unified diff, with their marks and without any header.
fn body_lines(patch: &str) -> impl Iterator<Item = &str> {
    let mut in_hunk = false;
    patch.lines().filter(move |line| {
        match line.as_bytes().first() {
            Some(b'd') => in_hunk = false,
            Some(b'@') => in_hunk = true,
            _ => return in_hunk,
        }
        false
    })
}

/// An excerpt that was shown to a model.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Sent {
    /// The file.
    pub path: String,
    /// `12-40`, 1-based and inclusive.
    pub lines: String,
}

/// One means of repair that was tried.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Attempt {
    /// How dear.
    pub tier: Tier,
    /// The fixer or the model.
    pub means: String,
    /// What came of it.
    pub outcome: String,
}

/// The published schema of `proposal.json`.
#[must_use]
pub fn schema() -> serde_json::Value {
    schemars::schema_for!(Proposal).to_value()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_no_lines_of_a_change() {
        let patch = "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n x\n--- y\n+++ z\n+w\n";
        assert_eq!(LineCounts::of_patch(patch), LineCounts { added: 2, removed: 1 });
    }
}
