//! Blocks of lines that report an error in no known format: from the first line that says so to the last that
//! belongs to it.

use std::cmp::Reverse;
use std::ops::Range;

use super::PASSAGE;
use super::cause;
use super::dialect::{self, Step};
use super::sign::{self, Role};
use super::weight::Scale;
use crate::artifact::text::lines::Lines;
use crate::artifact::{Diagnostic, Severity, gist};
use crate::text;

/// More blocks than this explain nothing.
const BLOCKS: usize = 10;
/// What weighs less than this, the best being 1000, is noise beside it.
const LEAST: u32 = 250;
/// The most lines of a block.
const LONGEST: usize = 30;
/// Lines above the strongest that may belong to it.
const ABOVE: usize = 12;

/// The best blocks, each with its weight.
pub(super) fn find(lines: &Lines, steps: &[Step], scale: &Scale<'_>) -> Vec<Diagnostic> {
    let peaks = |role: Role| -> Vec<(u32, usize)> {
        let of_role = scale.signs.iter().filter(|(index, found, _)| *found == role && !scale.again(*index));
        of_role.map(|(index, _, weight)| (scale.of_line(*index, *weight), *index)).collect()
    };
    let mut found = peaks(Role::Cause);
    found.extend(
        steps.iter().filter(|step| !step.retried).filter_map(|step| Some((TAIL_WEIGHT, tail(lines, step, scale)?))),
    );
    let killed = steps.iter().map(|step| step.lines.end).filter(|end| dialect::is_killed(lines.get(*end)));
    found.extend(killed.map(|end| (KILLED_WEIGHT, end)));
    if found.is_empty() {
        found = peaks(Role::Echo);
    }
    // The first of equals: what follows it often follows from it.
    found.sort_by_key(|(weight, index)| (Reverse(*weight), *index));
    let mut blocks: Vec<Block> = Vec::new();
    for (weight, peak) in found {
        if blocks.len() == BLOCKS {
            break;
        }
        if blocks.iter().any(|block| block.lines.contains(&peak)) {
            continue;
        }
        if blocks.first().is_some_and(|best| weight < best.weight * LEAST / 1000) {
            break;
        }
        let mut block = whole(steps, peak).unwrap_or_else(|| around(lines, peak, scale));
        for other in blocks.iter().map(|block| &block.lines) {
            if other.start > peak {
                block.end = block.end.min(other.start);
            } else {
                block.start = block.start.max(other.end);
            }
        }
        match blocks.iter_mut().find(|other| joins(lines, &other.lines, &block)) {
            Some(other) => other.lines = other.lines.start.min(block.start)..other.lines.end.max(block.end),
            None => blocks.push(Block { weight, peak, lines: block }),
        }
    }
    blocks.iter().map(|block| diagnostic(lines, block)).collect()
}

/// Lines that report one fault.
struct Block {
    weight: u32,
    /// The line that says it best.
    peak: usize,
    lines: Range<usize>,
}

/// All that a failed command says, where that is little.
fn whole(steps: &[Step], peak: usize) -> Option<Range<usize>> {
    let step = steps.iter().find(|step| step.lines.contains(&peak))?;
    (step.lines.len() <= WHOLE).then(|| step.lines.clone())
}

/// A command that says no more than this is quoted whole.
const WHOLE: usize = 18;

/// Whether two blocks are one report: nothing but blank lines stands between them.
fn joins(lines: &Lines, one: &Range<usize>, other: &Range<usize>) -> bool {
    let gap = one.end.min(other.end)..one.start.max(other.start);
    one.len() + other.len() <= LONGEST && gap.len() <= 2 && lines.range(gap).all(|(_, line)| line.trim().is_empty())
}

/// The weight of the last words of a failed command that sound like nothing.
const TAIL_WEIGHT: u32 = 590;

/// The weight of the line that says that the system ended a command.
const KILLED_WEIGHT: u32 = 640;

/// What a shell echoes before it ends.
const TIDYING: &[&str] =
    &["local ", "[[ ", "'[' ", "kill ", "exit ", "return ", "set ", "trap ", "rm ", "true", "cleanup", "pidof "];

/// The last line of a failed command that says anything.
fn tail(lines: &Lines, step: &Step, scale: &Scale<'_>) -> Option<usize> {
    let noise = |line: &str| {
        let echo = sign::without_prefix(line).strip_prefix('+').map(|rest| rest.trim_start_matches('+').trim_start());
        line.trim().is_empty()
            || echo.is_some_and(|command| TIDYING.iter().any(|word| command.starts_with(word)))
            || ["travis_", "$ ", "##["].iter().any(|start| line.starts_with(start))
    };
    let echo = |index: usize| scale.sign(index).is_some_and(|(role, _)| role == Role::Echo || role == Role::Harmless);
    let last = step.lines.clone().rev().take(30).find(|index| !noise(lines.get(*index)) && !echo(*index))?;
    // The first line of its paragraph.
    let start = step.lines.start.max(last.saturating_sub(8));
    Some((start..last).rev().take_while(|index| !noise(lines.get(*index))).last().unwrap_or(last))
}

/// The lines that belong to a line which says what is wrong.
fn around(lines: &Lines, peak: usize, scale: &Scale<'_>) -> Range<usize> {
    let start = start_of(lines, peak, scale);
    let end = end_of(lines, start, peak, scale);
    // A command that says little is part of what it says.
    if start > 0 && end - start <= 5 && lines.get(start - 1).starts_with("$ ") { start - 1..end } else { start..end }
}

fn start_of(lines: &Lines, peak: usize, scale: &Scale<'_>) -> usize {
    let strong = |index: usize| is_strong(scale, index);
    let blank = |index: usize| lines.get(index).trim().is_empty();
    let mut start = peak;
    while start > 0 && peak - start < ABOVE {
        let above = start - 1;
        let line = lines.get(above);
        if blank(above) {
            // What stands above a blank line belongs to the report only when it reports as well.
            let next = (above.saturating_sub(2)..above).rev().find(|index| !blank(*index));
            match next.filter(|next| strong(*next) && !is_other(lines.get(*next))) {
                Some(next) => start = next,
                None => break,
            }
            continue;
        }
        let heads = indent(line) < indent(lines.get(start)) || line.trim_end().ends_with(':') || is_path(line);
        let reports = scale.sign(above).is_some_and(|(role, _)| matches!(role, Role::Cause | Role::Echo));
        if is_other(line) || !(reports || heads) {
            break;
        }
        start = above;
    }
    start
}

fn end_of(lines: &Lines, start: usize, peak: usize, scale: &Scale<'_>) -> usize {
    let begins_diff = |line: &str| ["@@ ", "diff ", "--- ", "+++ "].iter().any(|head| line.starts_with(head));
    let mut diff = lines.range(start..peak + 1).any(|(_, line)| begins_diff(line));
    let mut end = peak + 1;
    let mut plain = 0;
    while end < lines.len() && end - start < LONGEST {
        let line = lines.get(end);
        diff |= begins_diff(line);
        let changed = diff && line.starts_with(['+', '-', ' ', '@']);
        // PowerShell quotes the statement behind a plus sign.
        let quoted =
            line.starts_with("+  ") || line.starts_with("+ CategoryInfo") || line.starts_with("+ FullyQualified");
        let elsewhere = scale
            .sign(end)
            .is_some_and(|(role, weight)| role == Role::Harmless || (role == Role::Echo && weight < SAME_REPORT));
        if is_other(line) || (elsewhere && !changed && !quoted) {
            break;
        }
        if line.trim().is_empty() && !changed {
            // One blank line may stand inside of a report: what follows is indented, or says more.
            let next = lines.get(end + 1);
            let deeper = indent(next) > indent(lines.get(peak));
            let changed = diff && next.starts_with(['+', '-', ' ', '@', '/']);
            let goes_on = !next.trim().is_empty() && (deeper || is_strong(scale, end + 1) || changed);
            if !goes_on || is_other(next) {
                break;
            }
        }
        // What neither reports nor is indented may explain for a few lines; then the program goes on.
        let related = changed || quoted || indent(line) > 0 || scale.sign(end).is_some();
        plain = if related { 0 } else { plain + 1 };
        if plain > PLAIN {
            return end + 1 - plain;
        }
        end += 1;
    }
    end
}

/// Lines that say nothing of their own inside of a report.
const PLAIN: usize = 8;

fn is_strong(scale: &Scale<'_>, index: usize) -> bool {
    scale.sign(index).is_some_and(|(role, weight)| role == Role::Cause && weight >= 60)
}

/// Whether a line is no part of any report: a command, or what the CI system says.
fn is_other(line: &str) -> bool {
    dialect::is_failed(line)
        || ["travis_", "$ ", "npm "].iter().any(|head| line.starts_with(head))
        || (line.starts_with("##[") && !line.starts_with("##[error]"))
}

/// Whether a line is the path of a file and nothing else.
fn is_path(line: &str) -> bool {
    let line = line.trim();
    line.len() < 300
        && !line.contains(' ')
        && line.contains('/')
        && line.rsplit('/').next().is_some_and(|name| name.contains('.'))
}

/// An echo of less weight than this is the next thing that a log says.
const SAME_REPORT: u32 = 16;

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

fn diagnostic(lines: &Lines, block: &Block) -> Diagnostic {
    let details = lines.join(block.lines.clone());
    let fault = gist::fault("", None, &details, None);
    let (quoted, excerpt) = lines.quote_at_most(LONGEST, block.lines.clone());
    Diagnostic {
        kind: cause::kind(lines.range(block.lines.clone()).map(|(_, line)| line)),
        tool: PASSAGE.to_owned(),
        severity: Severity::Error,
        message: text::first_line(lines.get(block.peak), 400),
        location: fault.location,
        frames: fault.frames,
        details: fault.details,
        lines: quoted,
        excerpt,
        weight: block.weight,
        ..Diagnostic::default()
    }
}
