//! Everything that is phrased for a model: the prompt of a round, built afresh from structured state.
//!
//! What stays the same through a run comes first, so that providers can cache it; what changes comes last. The
//! texts hold no path outside the tree, no time and no duration: the same state gives the same prompt anywhere.

mod fence;
mod steady;

use std::fmt::Write as _;

use crate::evidence::{Finding, Verification, Weight};
use crate::failure::Failure;
use crate::plan::{Plan, Role};
use crate::text::cut_middle;

pub use fence::fence;
pub use steady::Steady;

/// The rules of the work: the system message.
pub const SYSTEM: &str = include_str!("system.md");
/// How a model without tool calling writes its calls.
pub const PLAIN_FORM: &str = include_str!("plain.md");

/// Failures that are shown in full; of the others only their number is told.
const FAILURES: usize = 5;
/// Bytes of one failure's excerpt.
const EXCERPT: usize = 900;
/// Bytes of the diff so far.
const DIFF: usize = 8_000;

/// What stays the same through a run.
#[derive(Debug, Clone, Copy)]
pub struct Task<'a> {
    /// What is to be repaired, and what proves it.
    pub plan: &'a Plan,
    /// The context as Markdown, its excerpts fenced already; the project's own rules are sections of it.
    pub context: &'a str,
}

/// What changes from round to round.
#[derive(Debug, Clone, Copy, Default)]
pub struct Progress<'a> {
    /// The patch of the candidate that the edits go on top of; empty at the start.
    pub diff: &'a str,
    /// What proving the last candidate showed.
    pub last: Option<Last<'a>>,
    /// What was tried and did not hold, oldest first.
    pub refuted: &'a [String],
    /// Whether the last two candidates failed in the same way.
    pub stuck: bool,
}

/// What proving a candidate showed.
#[derive(Debug, Clone, Copy)]
pub struct Last<'a> {
    /// The steps, the last of which failed.
    pub verification: &'a Verification,
    /// What the gate found.
    pub findings: &'a [Finding],
    /// What still fails, parsed.
    pub failures: &'a [Failure],
}

/// The user's message of a round. Only what commands printed is made steady: code is quoted as it stands.
#[must_use]
pub fn user(task: &Task<'_>, progress: &Progress<'_>, steady: &Steady) -> String {
    let mut text = String::new();
    text.push_str("## Failure\n");
    failures(&mut text, &task.plan.failures, steady);
    checks(&mut text, task.plan);
    if !task.context.is_empty() {
        let _ = write!(text, "\n## Context\n{}\n", task.context.trim_end());
    }
    volatile(&mut text, progress, steady);
    text
}

fn failures(text: &mut String, failures: &[Failure], steady: &Steady) {
    for failure in failures.iter().take(FAILURES) {
        let mut shown = format!("{:?}", failure.kind).to_lowercase();
        if let Some(rule) = &failure.rule {
            let _ = write!(shown, " [{rule}]");
        }
        if let Some(place) = &failure.location {
            let line = place.line.map_or_else(String::new, |line| format!(":{line}"));
            let _ = write!(shown, " at {}{line}", place.path);
        }
        if let Some(test) = &failure.test {
            let parts = [test.suite.as_str(), test.class.as_str(), test.name.as_str()];
            let named: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
            let _ = write!(shown, " in test {}", named.join(" "));
        }
        let excerpt = cut_middle(&failure.excerpt, EXCERPT);
        // The excerpt usually holds the message: it is not told twice.
        if !excerpt.contains(&failure.message) {
            let _ = write!(shown, "\n{}", cut_middle(&failure.message, EXCERPT));
        }
        let _ = write!(shown, "\n{excerpt}");
        text.push_str(&fence("", steady.apply(&shown).trim_end()));
    }
    if failures.len() > FAILURES {
        let _ = writeln!(text, "and {} more failures", failures.len() - FAILURES);
    }
}

fn checks(text: &mut String, plan: &Plan) {
    let _ = write!(text, "\nProof: check `{}` must pass", plan.proof.name);
    let others: Vec<String> = plan
        .checks
        .iter()
        .filter(|check| check.name != plan.proof.name)
        .map(|check| format!("`{}` ({})", check.name, role(check.role)))
        .collect();
    if !others.is_empty() {
        let _ = write!(text, "; then {}", others.join(", "));
    }
    let _ = writeln!(text, ". Limits: {} files, {} changed lines.", plan.limits.files, plan.limits.lines);
}

fn role(role: Role) -> &'static str {
    match role {
        Role::Build => "build",
        Role::Static => "static check",
        Role::Suite => "suite",
    }
}

fn volatile(text: &mut String, progress: &Progress<'_>, steady: &Steady) {
    if !progress.diff.is_empty() {
        let diff = fence("diff", &cut_middle(progress.diff, DIFF));
        let _ = write!(text, "\n## Candidate so far (already applied; edit on top of it)\n{diff}");
    }
    if let Some(last) = &progress.last {
        let _ = write!(text, "\n## Last attempt\n{}", fence("", steady.apply(&attempt(last)).trim_end()));
        failures(text, last.failures, steady);
    }
    if !progress.refuted.is_empty() {
        let list: Vec<String> = progress.refuted.iter().map(|tried| format!("- {tried}")).collect();
        let _ = write!(text, "\n## Tried and refuted\n{}", fence("", &steady.apply(&list.join("\n"))));
    }
    if progress.stuck {
        text.push_str(
            "\nTwo attempts failed in the same way, so the cause is elsewhere. The candidate was dropped. Before you \
             edit, read code that you have not read, name a different cause, and fix that.\n",
        );
    }
}

/// What an attempt showed: each step, then what still fails, then what the gate objects to.
fn attempt(last: &Last<'_>) -> String {
    let mut text = String::new();
    for step in &last.verification.steps {
        let verdict = if step.passed { "ok" } else { "FAILED" };
        let _ = writeln!(text, "{}: {verdict}, {}", step.name, cut_middle(&step.summary, 2_000));
    }
    if let Some(after) = &last.verification.after {
        let before = last.verification.before.as_ref();
        let failing = |id: &crate::artifact::TestId| format!("{} {} {}", id.suite, id.class, id.name).trim().to_owned();
        let bad = after.tests.iter().filter(|(_, status)| is_bad(*status));
        for (id, _) in bad.clone().take(20) {
            let was = before.map(|run| run.tests.iter().any(|(other, status)| other == id && is_bad(*status)));
            let how = match was {
                Some(true) => "still fails",
                Some(false) => "newly fails",
                None => "fails",
            };
            let _ = writeln!(text, "{how}: {}", failing(id));
        }
        if bad.clone().count() > 20 {
            let _ = writeln!(text, "and {} more", bad.count() - 20);
        }
    }
    for finding in last.findings.iter().filter(|finding| finding.severity == Weight::Block) {
        let line = finding.line.map_or_else(String::new, |line| format!(":{line}"));
        let _ = writeln!(text, "forbidden ({}) {}{line}: {}", finding.rule, finding.path, finding.message);
    }
    text
}

fn is_bad(status: crate::artifact::Status) -> bool {
    matches!(status, crate::artifact::Status::Failed | crate::artifact::Status::Errored)
}

#[cfg(test)]
mod tests;
