//! What a step came to.

use crate::exit;
use crate::proposal::{Conclusion, Proposal};
use crate::report::Delivery;

/// The result of a step in one word: those of a repair, and three for what never gets that far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Word {
    /// As the proposal says.
    Concluded(Conclusion),
    /// The failed run was collected, for a later job to repair.
    Collected,
    /// The event is none to act on.
    Skipped,
    /// The event is one that is left alone on purpose.
    Refused,
}

impl Word {
    /// Every word.
    pub(super) fn all() -> impl Iterator<Item = Self> {
        use Conclusion::{
            BudgetExhausted, Declined, Environment, Error, Fixed, Flaky, NeedsApproval, NoChangeNeeded, NotReproduced,
            PolicyBlocked, ServiceFailed, Stale, TestOutdated, VerificationFailed, WallsMissing,
        };
        let concluded = [
            Fixed,
            NoChangeNeeded,
            Flaky,
            NotReproduced,
            Environment,
            Declined,
            TestOutdated,
            VerificationFailed,
            Stale,
            PolicyBlocked,
            NeedsApproval,
            BudgetExhausted,
            WallsMissing,
            ServiceFailed,
            Error,
        ];
        concluded.into_iter().map(Self::Concluded).chain([Self::Collected, Self::Skipped, Self::Refused])
    }

    /// As the output `result` says it.
    pub(super) fn text(self) -> &'static str {
        match self {
            Self::Concluded(conclusion) => conclusion.word(),
            Self::Collected => "collected",
            Self::Skipped => "skipped",
            Self::Refused => "refused",
        }
    }

    /// The exit code that goes with it, where the step is to fail.
    pub(super) fn exit_code(self) -> u8 {
        match self {
            Self::Concluded(conclusion) => conclusion.exit_code(),
            Self::Collected | Self::Skipped => exit::OK,
            Self::Refused => exit::NOT_FIXED,
        }
    }

    /// Whether there was a failure, and it is still there.
    pub(super) fn leaves_failure(self) -> bool {
        !matches!(
            self,
            Self::Concluded(Conclusion::Fixed | Conclusion::NoChangeNeeded) | Self::Collected | Self::Skipped
        )
    }

    /// The conclusion that an exit code of a stage stands for when the stage left no result of its own.
    pub(super) fn of_exit(code: Option<i32>) -> Self {
        let code = code.and_then(|code| u8::try_from(code).ok());
        Self::Concluded(match code {
            Some(exit::BLOCKED) => Conclusion::PolicyBlocked,
            Some(exit::BUDGET) => Conclusion::BudgetExhausted,
            Some(exit::WALLS) => Conclusion::WallsMissing,
            Some(exit::SERVICE) => Conclusion::ServiceFailed,
            _ => Conclusion::Error,
        })
    }
}

/// What a step came to.
#[derive(Debug, Clone)]
pub(super) struct Outcome {
    pub(super) word: Word,
    /// Why, in a sentence or two.
    pub(super) reason: String,
    /// The ways out.
    pub(super) hints: Vec<String>,
    /// What a reader should know besides: what was lowered, left out, not done.
    pub(super) notes: Vec<String>,
    pub(super) proposal: Option<Box<Proposal>>,
    pub(super) delivery: Option<Delivery>,
    /// The output `proposal`: where the last stage wrote.
    pub(super) place: Option<String>,
    /// Whether what a person set is not usable: the step fails whatever `fail-on` says.
    pub(super) unusable: bool,
}

impl Outcome {
    /// An outcome without a proposal.
    pub(super) fn new(word: Word, reason: impl Into<String>) -> Self {
        Self {
            word,
            reason: reason.into(),
            hints: Vec::new(),
            notes: Vec::new(),
            proposal: None,
            delivery: None,
            place: None,
            unusable: false,
        }
    }

    /// The outcome of a repair.
    pub(super) fn of(proposal: Proposal) -> Self {
        let mut outcome = Self::new(Word::Concluded(proposal.result), proposal.reason.clone());
        outcome.hints.clone_from(&proposal.hints);
        outcome.proposal = Some(Box::new(proposal));
        outcome
    }
}
