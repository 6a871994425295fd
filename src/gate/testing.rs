//! How the tests of the rules state a change: paths with both texts.

use super::judge;
use crate::change::{File, FileChange, Mode};
use crate::evidence::{Finding, Weight};
use crate::ids::RepoPath;
use crate::policy::PatchLimits;

/// A change of one text file; an empty text means that the file does not exist.
pub(super) fn change(path: &str, before: &str, after: &str) -> FileChange {
    let file = |text: &str| (!text.is_empty()).then(|| File { bytes: text.as_bytes().to_vec(), mode: Mode::Regular });
    FileChange { path: RepoPath::new(path).unwrap(), before: file(before), after: file(after) }
}

/// What the gate says of changed files.
pub(super) fn judged(changes: &[(&str, &str, &str)]) -> Vec<Finding> {
    let changes: Vec<_> = changes.iter().map(|(path, before, after)| change(path, before, after)).collect();
    judge(&changes, PatchLimits::default(), None)
}

/// The rules that block, without duplicates, in the order of the findings.
pub(super) fn blocked(changes: &[(&str, &str, &str)]) -> Vec<String> {
    names(&judged(changes), Weight::Block)
}

/// The rules that show.
pub(super) fn shown(changes: &[(&str, &str, &str)]) -> Vec<String> {
    names(&judged(changes), Weight::Show)
}

fn names(findings: &[Finding], weight: Weight) -> Vec<String> {
    let mut names: Vec<String> = findings.iter().filter(|f| f.severity == weight).map(|f| f.rule.clone()).collect();
    names.dedup();
    names
}

/// Asserts that a change passes without any finding.
#[track_caller]
pub(super) fn passes(changes: &[(&str, &str, &str)]) {
    let findings = judged(changes);
    assert!(findings.is_empty(), "{findings:#?}");
}

/// Asserts that a change is blocked by this rule, at least.
#[track_caller]
pub(super) fn blocks(rule: &str, changes: &[(&str, &str, &str)]) {
    let findings = judged(changes);
    assert!(findings.iter().any(|f| f.rule == rule && f.severity == Weight::Block), "{rule}: {findings:#?}");
}
