//! Logs of CI systems: which command failed, and which few lines explain it.
//!
//! Readers of formats find tests and diagnostics in a log as in any text. What is done here is to weigh them, and to
//! find reports of errors that no format describes: blocks of lines around what sounds like a cause, near the end of
//! the command that failed, and seldom said otherwise.

mod baseline;
mod block;
mod cause;
mod dialect;
mod grow;
mod sign;
mod told;
mod weight;

use baseline::Baseline;

use super::text::lines::Lines;
use super::{Entry, Report};

/// The tool that passages name: nobody but the log says that anything failed.
pub const PASSAGE: &str = "log";

/// The systems, for people.
pub(super) fn entries() -> impl Iterator<Item = Entry> {
    dialect::DIALECTS.iter().map(|dialect| Entry {
        kind: dialect.kind,
        syntax: "log",
        producers: dialect.name,
        reads: "the failed commands and what explains them, and every format of text in them",
    })
}

/// Whether a line sounds like a cause so clearly that it is kept of a log which is too large to be held.
pub(super) fn stands_out(line: &str) -> bool {
    const CLEARLY: u32 = 80;
    sign::read(line).is_some_and(|(role, weight)| role == sign::Role::Cause && weight >= CLEARLY)
}

/// Weighs what readers found in a log and adds what no reader knows.
pub(super) fn read(lines: &Lines, baseline: Option<&str>, report: &mut Report) {
    let dialect = dialect::Dialect::of(lines);
    if let Some(dialect) = dialect {
        report.kind = dialect.kind;
    } else if baseline.is_none() && !lines.are_stamped() && !(report.cases.is_empty() && report.diagnostics.is_empty())
    {
        // What one tool printed, and its reader knows, is no log that somebody else has to be looked for in.
        return;
    }
    let baseline = baseline.map(Baseline::of);
    let steps = dialect::failed_steps(lines, dialect);
    let scale = weight::Scale::of(lines, dialect, &steps).beside(baseline.as_ref());
    scale.weigh(report);
    if dialect.is_some() {
        grow::grow(lines, report);
    }
    let unended = steps.iter().all(|step| step.lines == (0..lines.len()));
    if unended && dialect::succeeded(lines) {
        return;
    }
    let found = block::find(lines, &steps, &scale);
    told::merge(lines, found, report);
}

#[cfg(test)]
mod tests;
