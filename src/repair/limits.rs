//! The caps on a patch, counted over the whole candidate as `git diff` would count it.

use std::collections::BTreeSet;

use crate::git::CommitId;
use crate::ids::RepoPath;
use crate::policy::{Decision, PatchLimits, Rule, RuleSource, Ruling};
use crate::repair::Ground;
use crate::repair::staged::Staged;
use crate::source::Source;
use crate::verify::VerifyError;

/// The ruling on the size of a candidate that is `staged` over `tree`.
pub(super) fn rule(
    limits: PatchLimits,
    ground: &dyn Ground,
    tree: &CommitId,
    staged: &Staged,
) -> Result<Ruling, VerifyError> {
    let base = ground.tree(&ground.base())?;
    let mut touched: BTreeSet<RepoPath> = ground.changes(tree)?.into_iter().map(|change| change.path).collect();
    touched.extend(staged.changes().iter().map(|change| change.path.clone()));
    touched.retain(|path| base.read(path) != staged.read(path));
    let lines: usize = touched.iter().map(|path| changed_lines(base.as_ref(), staged, path)).sum();
    let over = |text: String, count: usize, limit: u32| (count > limit as usize).then_some(text);
    let rules: Vec<Rule> = [
        over(format!("limits.files: {} ({} changed)", limits.files, touched.len()), touched.len(), limits.files),
        over(format!("limits.lines: {} ({lines} changed)", limits.lines), lines, limits.lines),
    ]
    .into_iter()
    .flatten()
    .map(|text| Rule { source: RuleSource::Policy, text, line: None })
    .collect();
    let decision = if rules.is_empty() { Decision::Allow } else { Decision::Deny };
    Ok(Ruling { decision, rules })
}

fn changed_lines(before: &dyn Source, after: &dyn Source, path: &RepoPath) -> usize {
    let text = |source: &dyn Source| {
        source.read(path).map_or_else(String::new, |bytes| String::from_utf8_lossy(&bytes).into_owned())
    };
    let (before, after) = (text(before), text(after));
    similar::TextDiff::from_lines(&before, &after)
        .iter_all_changes()
        .filter(|change| change.tag() != similar::ChangeTag::Equal)
        .count()
}
