//! The honesty check: what about a change a reviewer must know, and what forbids it.
//!
//! Pure over the two versions of each file, so it judges commits, snapshots and plain folders alike, whoever made
//! the change. It runs nothing and needs no grammar: comments and strings are told from code lexically. A rule is
//! one file in `rules/` and a row in its table. Whether a rule blocks or shows is decided there, with the reason.

mod asked;
mod assertion;
mod cases;
#[cfg(test)]
mod corpus;
mod entry;
mod language;
mod mask;
mod novelty;
mod pairing;
mod pattern;
mod report;
mod rules;
mod sarif;
mod settings;
#[cfg(test)]
mod testing;
mod view;

use crate::change::FileChange;
use crate::evidence::Finding;
use crate::policy::PatchLimits;
use crate::source::Source;

pub use report::{GateReport, Verdict};
pub use rules::{RULES, Rule};

/// Judges a change.
///
/// `base` is the tree before the change where the caller has it: a lockfile there may vouch for a dependency.
/// Findings come in the order of path, line and rule; lines are those of the new version where there is one.
#[must_use]
pub fn judge(changes: &[FileChange], limits: PatchLimits, base: Option<&dyn Source>) -> Vec<Finding> {
    let view = view::View::new(changes, limits, base);
    let mut findings: Vec<Finding> = RULES.iter().flat_map(|rule| (rule.check)(&view)).collect();
    findings.sort_by(|a, b| (&a.path, a.line, &a.rule, &a.message).cmp(&(&b.path, b.line, &b.rule, &b.message)));
    findings.dedup();
    findings
}

/// Whether a change touches tests alone and all that forbids it are expected values: the case where the test may
/// be what is wrong, which is a person's to decide and never mixed with source edits.
#[must_use]
pub fn is_test_outdated(changes: &[FileChange], findings: &[Finding]) -> bool {
    let mut blocking = findings.iter().filter(|finding| finding.severity == crate::evidence::Weight::Block).peekable();
    blocking.peek().is_some()
        && blocking.all(|finding| finding.rule == rules::CHANGED_EXPECTATION)
        && touches_only_tests(changes)
}

/// Whether a change touches tests and nothing else.
#[must_use]
pub fn touches_only_tests(changes: &[FileChange]) -> bool {
    !changes.is_empty() && changes.iter().all(|change| language::is_test_path(&change.path))
}
