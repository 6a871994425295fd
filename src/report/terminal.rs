//! The last lines that a run prints for a person.

use std::fmt::Write as _;

use crate::proposal::Proposal;
use crate::text;

/// The summary of a run; reads well without colour.
#[must_use]
pub fn summary(proposal: &Proposal) -> String {
    let mut lines = String::new();
    let _ = writeln!(lines, "{}: {}", proposal.result.word(), super::meaning(proposal.result));
    if !proposal.reason.is_empty() {
        let _ = writeln!(lines, "  {}", text::in_line(&proposal.reason));
    }
    if let Some(failure) = &proposal.failure {
        let _ = writeln!(lines, "  failure   {}", text::in_line(&super::title(failure)));
    }
    for attempt in &proposal.attempts {
        let _ = writeln!(lines, "  tried     {}: {}", text::in_line(&attempt.means), text::in_line(&attempt.outcome));
    }
    if !proposal.files.is_empty() {
        let counts = proposal.lines;
        let _ = writeln!(
            lines,
            "  patch     {} (+{} -{})",
            text::in_line(&proposal.files.join(", ")),
            counts.added,
            counts.removed
        );
    }
    if let Some(verification) = &proposal.verification {
        for step in &verification.steps {
            let mark = if step.passed { "ok" } else { "FAILED" };
            let _ = writeln!(lines, "  {:<13} {mark:<6} {}", step.name, text::in_line(&step.summary));
        }
    }
    for finding in &proposal.findings {
        let _ = writeln!(
            lines,
            "  finding   {} {}: {}",
            finding.rule,
            text::in_line(&finding.path),
            text::in_line(&finding.message)
        );
    }
    let usage = &proposal.usage;
    let _ = writeln!(
        lines,
        "  cost      {} model calls, {} tokens, ${:.4}; {:.1} s in commands, {:.2} s own",
        usage.calls,
        usage.input + usage.cached_read + usage.cache_write + usage.output,
        usage.usd,
        usage.seconds.commands,
        usage.seconds.own
    );
    for hint in &proposal.hints {
        let _ = writeln!(lines, "  hint      {}", text::in_line(hint));
    }
    lines
}
