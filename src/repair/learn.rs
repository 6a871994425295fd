//! What an attempt that did not hold teaches: how far it came, and what it is known by.

use std::cmp::Reverse;

use crate::artifact::Status;
use crate::evidence::Weight;
use crate::ids::Fingerprint;
use crate::prompt::Steady;
use crate::repair::Attempt;
use crate::text::cut_middle;

/// How far a candidate came; the greater the better.
pub(super) type Reach = (usize, Reverse<usize>, Reverse<usize>);

/// Steps that held, then fewer failing tests, then fewer things that the gate forbids.
pub(super) fn reach(attempt: &Attempt) -> Reach {
    let held = attempt.proof.verification.steps.iter().filter(|step| step.passed).count();
    let failing = attempt.proof.verification.after.as_ref().map_or(usize::MAX, |run| {
        run.tests.iter().filter(|(_, status)| matches!(status, Status::Failed | Status::Errored)).count()
    });
    let forbidden = attempt.proof.findings.iter().filter(|finding| finding.severity == Weight::Block).count();
    (held, Reverse(failing), Reverse(forbidden))
}

/// What the verification is known by: two attempts that fail in the same way have the same one.
pub(super) fn fingerprint(attempt: &Attempt, steady: &Steady) -> Fingerprint {
    let mut parts: Vec<String> = Vec::new();
    for step in &attempt.proof.verification.steps {
        parts.push(format!("{} {}", step.name, step.passed));
    }
    match &attempt.proof.verification.after {
        Some(run) => parts.extend(run.failures.iter().cloned()),
        // Without test results the words of the failing step are all there is.
        None => parts.extend(failing_step(attempt).map(|step| steady.apply(&step.summary))),
    }
    let forbidden = attempt.proof.findings.iter().filter(|finding| finding.severity == Weight::Block);
    parts.extend(forbidden.map(|finding| format!("{} {}", finding.rule, finding.path)));
    Fingerprint::of(&parts.iter().map(String::as_str).collect::<Vec<_>>())
}

/// The attempt in a line: what was believed, and what spoke against it.
pub(super) fn refuted(attempt: &Attempt) -> String {
    let claim = if attempt.cause.is_empty() { &attempt.summary } else { &attempt.cause };
    let claim = cut_middle(&claim.split_whitespace().collect::<Vec<_>>().join(" "), 300);
    let against = match failing_step(attempt) {
        Some(step) => format!("{} failed: {}", step.name, cut_middle(step.summary.trim(), 200)),
        None => "the gate forbids it".to_owned(),
    };
    format!("{claim} => {against}")
}

fn failing_step(attempt: &Attempt) -> Option<&crate::evidence::Step> {
    attempt.proof.verification.steps.iter().find(|step| !step.passed)
}
