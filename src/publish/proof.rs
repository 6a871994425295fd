//! Whether the proposal proves what it says, as far as that can be told without running anything.

use super::bundle::Sealed;
use super::end::{self, End};
use crate::evidence::{CommandRun, Step, Verdict, Weight};
use crate::journal;
use crate::proposal::Proposal;

/// Everything about the proposal that its own files can contradict.
pub(super) fn check(sealed: &Sealed) -> end::Step<()> {
    let proposal = &sealed.proposal;
    let faults = [identity(proposal), base(sealed), proof(proposal), record(sealed), outputs(sealed)];
    match faults.into_iter().flatten().next() {
        Some(fault) => Err(End::refused(fault)),
        None => Ok(()),
    }
}

/// A failure whose fingerprint is one; hashes and fingerprints are read from files, where they may be any text.
fn identity(proposal: &Proposal) -> Option<String> {
    let (Some(failure), Some(fingerprint)) = (&proposal.failure, &proposal.fingerprint) else {
        return Some("proposal.json names no failure".to_owned());
    };
    let digits = fingerprint.as_str();
    let whole =
        digits.len() == 32 && digits.bytes().all(|digit| digit.is_ascii_digit() || (b'a'..=b'f').contains(&digit));
    if !whole || failure.id != *fingerprint {
        return Some("the fingerprint in proposal.json is not that of its failure".to_owned());
    }
    None
}

fn base(sealed: &Sealed) -> Option<String> {
    let (proposal, head) = (&sealed.proposal, &sealed.incident.head.commit);
    if proposal.base_commit != head.as_str() {
        return Some(format!("the patch is for commit {}, and the run built {head}", proposal.base_commit));
    }
    proposal.uncommitted.then(|| "the patch rests on changes that were never committed".to_owned())
}

/// A result `fixed` has a failure that showed, a verification that held to its end, and nothing that forbids it.
fn proof(proposal: &Proposal) -> Option<String> {
    let reproduced = proposal.reproduction.as_ref().is_some_and(|it| it.verdict == Verdict::Reproduced);
    if !reproduced {
        return Some("proposal.json says `fixed`, but the failure was not reproduced".to_owned());
    }
    let steps = proposal.verification.as_ref().map(|it| it.steps.as_slice()).unwrap_or_default();
    if let Some(step) = steps.iter().find(|step| !step.passed) {
        return Some(format!("proposal.json says `fixed`, but its step `{}` failed", step.name));
    }
    if !steps.iter().any(|step| step.commands.iter().any(|run| run.exit_code.is_some())) {
        return Some("proposal.json says `fixed`, but no command proves it".to_owned());
    }
    let green = |step: &Step| step.commands.is_empty() || step.commands.iter().any(|run| run.exit_code == Some(0));
    if let Some(step) = steps.iter().find(|step| !green(step)) {
        return Some(format!("proposal.json says `fixed`, but no command of its step `{}` ended with 0", step.name));
    }
    let blocking = proposal.findings.iter().find(|finding| finding.severity == Weight::Block)?;
    Some(format!("proposal.json says `fixed`, but its own finding `{}` forbids it", blocking.rule))
}

/// The record holds together, and holds the head that the proposal was written at.
fn record(sealed: &Sealed) -> Option<String> {
    if let (_, Some(broken)) = journal::read(&sealed.journal) {
        return Some(format!("journal.jsonl was altered: {broken}"));
    }
    let known = journal::hashes(&sealed.journal).contains(&sealed.proposal.journal_head);
    (!known).then(|| "journal.jsonl does not hold the record that proposal.json was written at".to_owned())
}

/// Every command's output is in the evidence.
fn outputs(sealed: &Sealed) -> Option<String> {
    let missing = commands(&sealed.proposal).find(|run| !sealed.outputs.contains(&run.output_hash))?;
    Some(format!("the evidence does not hold the output of the command `{}`", missing.id))
}

fn commands(proposal: &Proposal) -> impl Iterator<Item = &CommandRun> {
    let before = proposal.reproduction.iter().flat_map(|it| &it.runs);
    let after = proposal.verification.iter().flat_map(|it| &it.steps).flat_map(|step| &step.commands);
    before.chain(after)
}
