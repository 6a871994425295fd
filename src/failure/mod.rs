//! One normalised, fingerprinted fault: what every later stage works on, whatever format it came in.

mod cluster;
mod collect;
mod fingerprint;
mod junit;
mod listing;
mod matchers;
mod nameless;
mod paths;
mod sarif;
mod wording;

use serde::{Deserialize, Serialize};

pub use collect::{collect, each};
pub use fingerprint::normalise;
pub use junit::to_junit;
pub use listing::{ArtifactSummary, DiagnosticCounts, Listing};
pub use matchers::matchers_of;
pub use nameless::of_command;
pub use sarif::to_sarif;

use crate::artifact::{FaultKind, Frame, Lines, Location, Severity, TestId};
use crate::ids::Fingerprint;

/// One fault, as `parse --format json` prints it.
#[derive(Debug, Clone, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Failure {
    /// Stable across line shifts, temporary paths, addresses, times and matrix cells.
    #[schemars(with = "String")]
    pub id: Fingerprint,
    /// What kind of fault.
    pub kind: FaultKind,
    /// The tool that reported it.
    pub tool: Option<String>,
    /// Its rule or code.
    pub rule: Option<String>,
    /// How bad.
    pub severity: Severity,
    /// One line that says what is wrong.
    pub message: String,
    /// The test that failed, for test failures.
    pub test: Option<TestId>,
    /// Where; repository-relative when the repository is known.
    pub location: Option<Location>,
    /// The stack, outermost call first.
    pub frames: Vec<Frame>,
    /// Index of the artifact it was read from.
    pub artifact: usize,
    /// The lines of the artifact that a person would quote.
    pub lines: Option<Lines>,
    /// Those lines' text, terminal escapes removed.
    pub excerpt: String,
    /// How often the same fault occurred.
    pub occurrences: u64,
    /// Every test that fails for this reason, `test` first; at most 1000 are named.
    #[serde(default)]
    pub tests: Vec<TestId>,
    /// How well it explains what happened among the failures of one log; 0 where nothing was weighed.
    #[serde(skip)]
    pub weight: u32,
}
