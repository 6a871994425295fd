//! Runs commands on candidates and says what they show: reproduction, verification, minimisation.

mod bench;
mod compare;
mod environment;
mod ledger;
mod matching;
mod minimise;
mod proof;
mod reading;
mod report_file;
mod reproduce;
mod rewritten;
mod shrink;
mod steps;

use crate::artifact::Report;
use crate::evidence::{CommandRun, TestRun};
use crate::failure::Failure;
use crate::git::GitError;
use crate::sandbox::{End, Finished, SandboxError};

pub use bench::{Bench, Settings};
pub use compare::{Comparison, compare};
pub use environment::opens_registries;
pub use ledger::Ledger;
pub use matching::same_failure;

/// What one command showed.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The record of it.
    pub run: CommandRun,
    /// How it ended and what it printed.
    pub finished: Finished,
    /// What was read from its output and from the report files that it wrote.
    pub reports: Vec<Report>,
    /// The failures in them, mapped to the tree.
    pub failures: Vec<Failure>,
    /// Test by test.
    pub tests: TestRun,
}

impl Outcome {
    /// Whether the command says that all is well.
    #[must_use]
    pub fn passed(&self) -> bool {
        self.finished.end == End::Code(0)
    }
}

/// Why nothing could be shown.
#[derive(Debug, thiserror::Error)]
pub enum VerifyError {
    /// The sandbox failed.
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
    /// The scratch repository failed.
    #[error(transparent)]
    Git(#[from] GitError),
    /// The evidence could not be kept.
    #[error("evidence could not be written")]
    Io(#[from] std::io::Error),
}
