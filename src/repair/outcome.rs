//! What came of a repair: how it ended, the best state so far, and everything that was refused on the way.

use crate::evidence::Weight;
use crate::git::CommitId;
use crate::ids::RepoPath;
use crate::llm::LlmError;
use crate::policy::Ruling;
use crate::repair::Proof;
use crate::usage::Tier;
use crate::verify::VerifyError;

/// What came of a repair.
#[derive(Debug)]
pub struct Outcome {
    /// How it ended.
    pub end: End,
    /// The best candidate so far: the verified one, or the one that came furthest.
    pub best: Option<Attempt>,
    /// Rounds that were begun.
    pub rounds: u32,
    /// What the policy refused, in order.
    pub refusals: Vec<Refusal>,
    /// What a person must agree to before `best` may be published.
    pub approvals: Vec<Refusal>,
    /// What was tried and did not hold, a line each.
    pub refuted: Vec<String>,
    /// What was shown to models through tools, beyond the context.
    pub sent: Vec<Sent>,
}

/// How a repair ended.
#[derive(Debug)]
pub enum End {
    /// `best` is proven.
    Verified,
    /// `best` is proven, and touches paths that a person must agree to.
    NeedsApproval,
    /// The rounds are used up, or the attempts fail in the same way again and again.
    NotVerified {
        /// Which of the two.
        reason: String,
    },
    /// The model says that this is not to be fixed here.
    Declined {
        /// Why.
        reason: String,
    },
    /// The next call could go over the budget, or the time is over.
    BudgetExhausted {
        /// Which limit.
        reason: String,
    },
    /// Nothing that the models wanted to change may be changed.
    PolicyBlocked,
    /// No model answers.
    ModelFailed(LlmError),
    /// No model was given.
    NoModel,
    /// The scratch repository or the sandbox failed.
    Broken(VerifyError),
}

/// One candidate with what proving it showed.
#[derive(Debug, Clone)]
pub struct Attempt {
    /// The snapshot.
    pub commit: CommitId,
    /// What proving it showed.
    pub proof: Proof,
    /// What the model says that it changed.
    pub summary: String,
    /// What the model says was wrong.
    pub cause: String,
    /// The rung that made it.
    pub tier: Tier,
    /// The model that made it.
    pub model: String,
}

impl Attempt {
    /// Whether each step held and nothing forbids it.
    #[must_use]
    pub fn is_verified(&self) -> bool {
        let steps = &self.proof.verification.steps;
        let forbidden = self.proof.findings.iter().any(|finding| finding.severity == Weight::Block);
        !steps.is_empty() && steps.iter().all(|step| step.passed) && !forbidden
    }
}

/// One thing that was not allowed, or not without a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The tool that wanted it.
    pub tool: String,
    /// The path, the check, the tool's name.
    pub subject: String,
    /// The decision, and the rules behind it.
    pub ruling: Ruling,
}

impl Refusal {
    pub(super) fn new(tool: &str, subject: &str, ruling: Ruling) -> Self {
        Self { tool: tool.to_owned(), subject: subject.to_owned(), ruling }
    }

    /// What the model is told: the decision with the rules that made it.
    #[must_use]
    pub fn told(&self) -> String {
        let rules: Vec<String> = self
            .ruling
            .rules
            .iter()
            .map(|rule| {
                let line = rule.line.map_or_else(String::new, |line| format!(", line {line}"));
                format!("`{}` ({:?}{line})", rule.text, rule.source)
            })
            .collect();
        format!("refused: {} is not allowed by {}", self.subject.escape_debug(), rules.join(", "))
    }
}

/// Lines of a file that a model saw.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Sent {
    /// The file.
    pub path: RepoPath,
    /// 1-based first and last line.
    pub lines: (u32, u32),
}
