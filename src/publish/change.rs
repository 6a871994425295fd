//! The change itself, judged anew: it has to be what the proposal says, and what the policy of the base and the gate
//! allow.

use super::Desk;
use super::bundle::Sealed;
use super::end::{End, Step};
use super::ground::Ground;
use crate::change::FileChange;
use crate::evidence::{Finding, Weight};
use crate::gate;
use crate::git::{GitError, TreeSource};
use crate::ids::CommitSha;
use crate::journal::Entry;
use crate::policy::{Decision, Deliver, Policy, Ruling, Stage, Tracked};
use crate::proposal::LineCounts;
use crate::source::Source as _;

/// A change that may be published.
#[derive(Debug)]
pub(super) struct Change {
    /// A commit, in the depot alone, whose tree is the wanted one.
    pub(super) wanted: CommitSha,
    /// What a reviewer must know of it.
    pub(super) findings: Vec<Finding>,
}

/// Applies the patch to the base and judges what comes of it.
pub(super) async fn check(sealed: &Sealed, ground: &Ground<'_>, policy: &Policy, desk: &Desk<'_>) -> Step<Change> {
    may_publish(policy)?;
    let applied = ground.depot.apply(&ground.base, sealed.patch.as_bytes(), desk.journal).await;
    let wanted = applied.map_err(|error| match error {
        GitError::Unusable { message, .. } => {
            End::refused(format!("the patch does not apply to {}: {message}", ground.base))
        }
        other => other.into(),
    })?;
    let changes = ground.depot.changes(&ground.base, &wanted).map_err(|error| match error {
        GitError::Unusable { message, .. } => End::refused(message),
        other => other.into(),
    })?;
    agrees(sealed, &changes)?;
    let tree = ground.base_tree()?;
    paths(policy, &tree, &changes, desk)?;
    size(policy, sealed, &changes)?;
    let findings = gate::judge(&changes, policy.limits, Some(&tree));
    if let Some(finding) = findings.iter().find(|finding| finding.severity == Weight::Block) {
        let line = finding.line.map_or_else(String::new, |line| format!(":{line}"));
        let place = format!("{}{line}", finding.path);
        return Err(End::blocked(format!("the gate's rule `{}` at {place}: {}", finding.rule, finding.message)));
    }
    credentials(sealed, &changes, desk)?;
    Ok(Change { wanted, findings })
}

fn may_publish(policy: &Policy) -> Step<()> {
    if policy.stage < Stage::PullRequest {
        let reason = "the stage in force is lower than `pull-request`, so nothing is published";
        return Err(End::blocked(reason).hint("take the patch from the proposal: `git apply change.patch`"));
    }
    if policy.deliver != Deliver::PullRequest {
        let reason = "the policy's `deliver` asks for something else than a pull request, so none is opened";
        return Err(End::blocked(reason).hint("take the patch from the proposal: `git apply change.patch`"));
    }
    Ok(())
}

/// The files and lines that the proposal names are those that the patch changes.
fn agrees(sealed: &Sealed, changes: &[FileChange]) -> Step<()> {
    let sorted = |mut names: Vec<String>| {
        names.sort();
        names
    };
    let touched = sorted(changes.iter().map(|change| change.path.to_string()).collect());
    let promised = sorted(sealed.proposal.files.clone());
    if touched.is_empty() {
        return Err(End::refused("the patch changes nothing"));
    }
    if touched != promised {
        let reason = format!("the patch changes {}, and proposal.json names {}", list(&touched), list(&promised));
        return Err(End::refused(reason));
    }
    let (counted, told) = (LineCounts::of_patch(&sealed.patch), sealed.proposal.lines);
    if counted != told {
        return Err(End::refused(format!(
            "the patch adds {} and removes {} lines, and proposal.json says {} and {}",
            counted.added, counted.removed, told.added, told.removed
        )));
    }
    Ok(())
}

fn list(names: &[String]) -> String {
    let shown = names.iter().take(5).map(String::as_str).collect::<Vec<_>>().join(", ");
    if names.len() > 5 { format!("{shown} and {} more", names.len() - 5) } else { shown }
}

fn paths(policy: &Policy, tree: &TreeSource, changes: &[FileChange], desk: &Desk<'_>) -> Step<()> {
    let tracked = Tracked::new(tree.files().iter().map(|entry| entry.path.clone()));
    for change in changes {
        let ruling = policy.decide_write(&change.path, &tracked);
        let decision = ruling.decision;
        let why = rules(&ruling);
        desk.journal.record(Entry {
            action: "decision".to_owned(),
            subject: format!("write {}", change.path),
            outcome: format!("{decision:?}").to_lowercase(),
            ruling: Some(ruling),
            ..Entry::default()
        });
        match decision {
            Decision::Allow => {}
            Decision::Ask => {
                let reason = format!("a person has to agree before {} is changed ({why})", change.path);
                return Err(End::blocked(reason).hint("look at the patch in the proposal and apply it by hand"));
            }
            Decision::Deny => {
                return Err(End::blocked(format!("the policy forbids to change {} ({why})", change.path)));
            }
        }
    }
    Ok(())
}

fn rules(ruling: &Ruling) -> String {
    ruling.rules.iter().map(|rule| format!("`{}`", rule.text)).collect::<Vec<_>>().join(", ")
}

fn size(policy: &Policy, sealed: &Sealed, changes: &[FileChange]) -> Step<()> {
    let lines = sealed.proposal.lines.added as usize + sealed.proposal.lines.removed as usize;
    let ruling = policy.decide_patch(changes.len(), lines);
    if ruling.decision == Decision::Allow {
        return Ok(());
    }
    let reason = format!("the patch is too large: {} files, {lines} lines ({})", changes.len(), rules(&ruling));
    Err(End::blocked(reason))
}

/// No credential in what the patch adds: looked for in its added lines, and in each file as a whole, where one that
/// an added line only completes would show.
fn credentials(sealed: &Sealed, changes: &[FileChange], desk: &Desk<'_>) -> Step<()> {
    let added = sealed.patch.lines().filter_map(|line| line.strip_prefix('+')).collect::<Vec<_>>().join("\n");
    if let Some(leak) = desk.redactor.find(&added).first() {
        return Err(End::blocked(format!("the patch would carry a credential ({})", leak.kind)));
    }
    for change in changes {
        let count = |file: &Option<crate::change::File>| {
            file.as_ref().map_or(0, |file| desk.redactor.find_bytes(&file.bytes).len())
        };
        if count(&change.after) > count(&change.before) {
            return Err(End::blocked(format!("{} would hold a credential that it does not hold now", change.path)));
        }
    }
    Ok(())
}
