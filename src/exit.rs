//! Exit codes: documented constants, chosen in one place.

use std::process::ExitCode;

use crate::collect::{self, Refusal};
use crate::fix::{self, BrokenPolicy, Nothing};
use crate::git::GitError;
use crate::github::GitHubError;
use crate::handover::HandoverError;
use crate::llm::LlmError;
use crate::proposal::Conclusion;
use crate::publish::Outcome;

/// Everything went as asked: `fixed`, `no_change_needed`, or a command that only reads.
pub const OK: u8 = 0;
/// The program itself failed.
pub const ERROR: u8 = 1;
/// The command line, the policy file or an input is not usable.
pub const USAGE: u8 = 2;
/// A run that changed nothing, for a reason that it names.
pub const NOT_FIXED: u8 = 3;
/// The policy or the gate forbids it, or a person has to agree.
pub const BLOCKED: u8 = 4;
/// The budget is used up.
pub const BUDGET: u8 = 5;
/// The walls cannot be built.
pub const WALLS: u8 = 6;
/// GitHub's or a model's service failed.
pub const SERVICE: u8 = 7;
/// Interrupted from the keyboard.
pub const INTERRUPTED: u8 = 130;
/// The terminal is gone.
pub const HUNG_UP: u8 = 129;
/// Asked to quit from the keyboard.
pub const QUIT: u8 = 131;
/// Asked to terminate.
pub const TERMINATED: u8 = 143;

/// The table of `unbreak --help` and the README.
pub const TABLE: &str = "\
Exit codes:
  0    fixed, or no change needed; a reading command did its work
  1    the program itself failed
  2    the command line, the policy file, an input, a bundle or a token
       is not usable
  3    nothing was fixed: flaky, not reproduced, environment, declined,
       test outdated, verification failed, stale
  4    blocked by the policy or the gate, or a person has to agree
  5    the budget is used up
  6    the walls that repository code must run behind cannot be built here
  7    GitHub or the model service failed
  129  the terminal went away    130  interrupted    131  quit    143  terminated";

/// What the user has to mend: exit 2.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct Usage {
    /// What is wrong.
    pub message: String,
    /// The ways out.
    pub hints: Vec<String>,
}

impl Usage {
    /// A usage error with one way out.
    #[must_use]
    pub fn error(message: impl Into<String>, hint: impl Into<String>) -> anyhow::Error {
        Self { message: message.into(), hints: vec![hint.into()] }.into()
    }
}

/// The code for a run that ended with a result.
#[must_use]
pub fn of_conclusion(conclusion: Conclusion) -> ExitCode {
    ExitCode::from(conclusion.exit_code())
}

/// What a repair that was proved comes to once it was to be published; `None` where that changes nothing: the proposal
/// held no proved repair, or this was a rehearsal.
#[must_use]
pub fn conclusion_of_delivery(outcome: Outcome) -> Option<Conclusion> {
    match outcome {
        Outcome::Opened | Outcome::Updated | Outcome::Unchanged => Some(Conclusion::Fixed),
        Outcome::Nothing | Outcome::DryRun => None,
        Outcome::LeftAlone => Some(Conclusion::Declined),
        Outcome::Stale => Some(Conclusion::Stale),
        Outcome::Blocked => Some(Conclusion::PolicyBlocked),
        Outcome::Refused => Some(Conclusion::Error),
        Outcome::Failed => Some(Conclusion::ServiceFailed),
    }
}

/// The code for what came of publishing.
#[must_use]
pub fn of_delivery(outcome: Outcome) -> u8 {
    match outcome {
        Outcome::Nothing => NOT_FIXED,
        // The bundle, the token or a setting of the repository is for the user to mend.
        Outcome::Refused => USAGE,
        other => conclusion_of_delivery(other).map_or(OK, Conclusion::exit_code),
    }
}

/// The code for a run that ended with an error.
#[must_use]
pub fn of_error(error: &anyhow::Error) -> u8 {
    if error.chain().any(<dyn std::error::Error>::is::<Usage>) {
        return USAGE;
    }
    for cause in error.chain() {
        match cause.downcast_ref() {
            Some(GitError::Unusable { .. }) => return USAGE,
            Some(GitError::Unreachable { .. } | GitError::Denied { .. }) => return SERVICE,
            _ => {}
        }
        if cause.is::<BrokenPolicy>() || cause.is::<Nothing>() {
            return USAGE;
        }
        if let Some(HandoverError::Unusable { .. } | HandoverError::Altered { .. }) = cause.downcast_ref() {
            return USAGE;
        }
        if let Some(refusal) = cause.downcast_ref() {
            return match refusal {
                // The run, the token or its permissions are for the user to mend.
                Refusal::NotFound { .. } | Refusal::Token { .. } | Refusal::Permission { .. } => USAGE,
                Refusal::Forge(error) => of_github(error),
            };
        }
        if let Some(error) = cause.downcast_ref() {
            return of_github(error);
        }
        if cause.is::<LlmError>() {
            return SERVICE;
        }
    }
    ERROR
}

fn of_github(error: &GitHubError) -> u8 {
    match error {
        GitHubError::Unusable(_) => USAGE,
        GitHubError::Unkept { .. } => ERROR,
        GitHubError::Unreachable { .. }
        | GitHubError::RateLimited { .. }
        | GitHubError::Refused { .. }
        | GitHubError::Garbled { .. } => SERVICE,
    }
}

/// The ways out that an error carries.
#[must_use]
pub fn hints_of(error: &anyhow::Error) -> Vec<String> {
    let usage = error.chain().find_map(|cause| cause.downcast_ref::<Usage>());
    usage.map_or_else(|| [fix::hints_of(error), collect::hints_of(error)].concat(), |usage| usage.hints.clone())
}
