//! What is known about an artifact besides its bytes.

use super::Limits;
use super::matcher::Matchers;

/// How to read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Options<'a> {
    /// The tools that report by the line.
    pub(super) matchers: &'a Matchers,
    /// The log of the last green run of the same job.
    pub(super) baseline: Option<&'a str>,
    /// Whether a text may be a CI system's log: the output of a command of our own is none.
    pub(super) logs: bool,
    /// How much is kept.
    pub(super) limits: Limits,
}

impl Options<'_> {
    /// For what a command printed.
    pub(super) fn of_output() -> Self {
        Self { matchers: Matchers::built_in(), baseline: None, logs: false, limits: Limits::default() }
    }

    /// For an artifact of which nothing is known.
    pub(super) fn of_artifact() -> Self {
        Self { logs: true, ..Self::of_output() }
    }
}
