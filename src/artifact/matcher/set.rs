//! Matchers that are looked for together: one pass over a line tells which of them may end on it.

use regex::{RegexSet, RegexSetBuilder};

use super::parse::Pattern;
use crate::artifact::{FaultKind, Severity};

/// What a compiled set may take, and the tables that searching fills. The parts of a set are bounded far below it.
const SIZE_LIMIT: usize = 32 << 20;

/// One matcher.
#[derive(Debug)]
pub(super) struct Matcher {
    /// The tool.
    pub(super) owner: String,
    pub(super) severity: Severity,
    pub(super) kind: FaultKind,
    /// A file in whose directory the files are that it names, unless a group says another.
    pub(super) from_path: String,
    /// The file of the repository that brings it; nothing of a common one.
    pub(super) file: Option<String>,
    /// Its lines belong to the report above them: nobody reads them for one of their own.
    pub(super) context: bool,
    /// One for each line; never empty.
    pub(super) patterns: Vec<Pattern>,
}

/// Matchers that are tried together, the first that matches wins.
#[derive(Debug, Default)]
pub(super) struct Set {
    pub(super) matchers: Vec<Matcher>,
    /// The last pattern of each, without look-around.
    pub(super) last: RegexSet,
}

impl Set {
    /// Compiles them together.
    pub(super) fn of(matchers: Vec<Matcher>) -> Result<Self, regex::Error> {
        let last = matchers.iter().filter_map(|matcher| Some(matcher.patterns.last()?.expression.linear()));
        let last = RegexSetBuilder::new(last).size_limit(SIZE_LIMIT).dfa_size_limit(SIZE_LIMIT).build()?;
        Ok(Self { matchers, last })
    }
}
