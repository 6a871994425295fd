//! Looks for matchers on every line of a text.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use super::Matchers;
use super::command::{self, Command};
use super::expression::Stuck;
use super::force::Force;
use super::parse::{self, Pattern};
use super::said::Said;
use super::set::{Matcher, Set};
use crate::artifact::text::Part;
use crate::artifact::text::lines::Lines;
use crate::artifact::{Diagnostic, Problem};

/// Longer lines report nothing.
pub(super) const LINE_LIMIT: usize = 4096;
/// Shorter lines report nothing that a common tool says.
const SHORTEST: usize = 5;
/// Text that expressions which backtrack may be tried on, of each artifact.
const BACKTRACKED: usize = 4 << 20;
/// More diagnostics of one text than this are counted, not kept.
const KEPT: usize = 100_000;

/// Reads every line outside of `claimed`, which are sorted and apart.
pub(in crate::artifact) fn read(lines: &Lines, matchers: &Matchers, claimed: &[Range<usize>]) -> Part {
    let mut part = Part::default();
    let mut claims = claimed.iter().peekable();
    let commands = command::read(lines, &mut part.problems);
    let mut own = Scan::of(lines, &matchers.own, &commands);
    let mut built_in = Scan::of(lines, matchers.built_in, &commands);
    let mut commands = commands.iter().peekable();
    for (index, line) in lines.all() {
        while let Some(command) = commands.next_if(|command| command.line < index) {
            own.force.follow(command);
            built_in.force.follow(command);
        }
        while claims.peek().is_some_and(|claim| claim.end <= index) {
            claims.next();
        }
        if line.len() > LINE_LIMIT || claims.peek().is_some_and(|claim| claim.contains(&index)) {
            continue;
        }
        // Nobody knows what a repository's matchers look for: they see every line.
        let found = own.ends_on(index, line);
        let found = found.or_else(|| if may_report(line) { built_in.ends_on(index, line) } else { None });
        let Some(found) = found else { continue };
        forget_shorter(&mut part, &found, lines.number(index));
        if part.diagnostics.len() < KEPT {
            part.diagnostics.push(found);
        } else {
            part.more.add(found.severity);
        }
    }
    part.problems.append(&mut own.problems);
    part.problems.append(&mut built_in.problems);
    part.recognised = !part.diagnostics.is_empty();
    part
}

/// What the same tool was found to say on a part of these lines is what it says on all of them.
fn forget_shorter(part: &mut Part, found: &Diagnostic, end: u32) {
    let Some(whole) = found.lines.map(|at| at.start..end) else { return };
    let shorter = |last: &Diagnostic| last.tool == found.tool && last.lines.is_some_and(|at| whole.contains(&at.start));
    if part.diagnostics.last().is_some_and(shorter) {
        part.diagnostics.pop();
    }
}

/// What one of has to stand in a line that reports something.
static WORDS: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    let words = [
        "error",
        "warn",
        "fatal",
        "reformat",
        "sorted",
        "*w,",
        "*e,",
        "can't",
        "cannot find -l",
        "cannot open",
        "nothing changed",
        "undefined",
        "multiple def",
        "note:",
    ];
    AhoCorasick::builder().ascii_case_insensitive(true).build(words).ok()
});

/// A report of a common tool names a line by a number behind a mark, or says how bad it is.
fn may_report(line: &str) -> bool {
    if line.len() < SHORTEST {
        return false;
    }
    let placed = |pair: &[u8]| {
        pair[1].is_ascii_digit()
            && matches!(pair[0], b':' | b'(' | b'[' | b',' | b' ' | b'#' | b'|' | b'\t' | b'A'..=b'Z')
    };
    let labelled = matches!(line.as_bytes(), [b'A'..=b'Z', b'-', b'A'..=b'Z', ..] | [b'0'..=b'9', ..]);
    labelled || line.as_bytes().windows(2).any(placed) || WORDS.as_ref().is_some_and(|words| words.is_match(line))
}

/// A set on its way through a text.
struct Scan<'a> {
    lines: &'a Lines,
    set: &'a Set,
    force: Force<'a>,
    /// The last line that each loop matched.
    runs: Vec<Option<Run>>,
    /// What is left of the text for expressions that backtrack.
    left: usize,
    problems: Vec<Problem>,
}

/// Lines in a row that a loop matches.
#[derive(Clone, Copy)]
struct Run {
    /// The last that was looked at.
    line: usize,
    /// The first line of the matcher, where the patterns before the loop matched.
    head: Option<usize>,
}

impl<'a> Scan<'a> {
    fn of(lines: &'a Lines, set: &'a Set, commands: &[Command]) -> Self {
        let runs = vec![None; set.matchers.len()];
        Self { lines, set, force: Force::of(set, commands), runs, left: BACKTRACKED, problems: Vec::new() }
    }

    /// The diagnostic that ends on a line.
    fn ends_on(&mut self, index: usize, line: &str) -> Option<Diagnostic> {
        let set = self.set;
        if set.matchers.is_empty() {
            return None;
        }
        for at in set.last.matches(line) {
            let matcher = &set.matchers[at];
            if matcher.context {
                return None;
            }
            match self.of_matcher(matcher, at, index) {
                Ok(None) => {}
                Ok(found) => return found,
                Err(Stuck) => {
                    self.force.take_out(at);
                    let message = format!(
                        "the matcher `{}` of {} takes too long here; it is not used from this line on",
                        parse::quoted(&matcher.owner),
                        matcher.file.as_deref().unwrap_or("the built-in ones"),
                    );
                    self.problems.push(Problem { line: Some(self.lines.number(index)), message });
                }
            }
        }
        None
    }

    /// The same of one matcher, whose last pattern may match the line.
    fn of_matcher(&mut self, matcher: &Matcher, at: usize, end: usize) -> Result<Option<Diagnostic>, Stuck> {
        let Some((last, above)) = matcher.patterns.split_last() else { return Ok(None) };
        if !self.force.has(at, end) || (last.expression.backtracks() && !self.is_match(last, end)?) {
            return Ok(None);
        }
        let head = if last.is_loop { self.head(matcher, at, end)? } else { end.checked_sub(above.len()) };
        let Some(head) = head.filter(|head| self.force.has(at, *head)) else { return Ok(None) };
        let mut said = Said::default();
        for (pattern, index) in above.iter().zip(head..).chain([(last, end)]) {
            self.spend(pattern, index)?;
            match pattern.expression.captures(self.lines.get(index))? {
                Some(groups) => said.take(pattern, &groups),
                None => return Ok(None),
            }
        }
        let first = if last.is_loop { end } else { head };
        // What has no line shows no source.
        let quoted = if said.line.is_some() { self.quoted(first, end) } else { end + 1 };
        Ok(said.diagnostic(matcher, self.lines.quote(first..quoted)))
    }

    /// The first line of a matcher whose loop matches the line `end`.
    fn head(&mut self, matcher: &Matcher, at: usize, end: usize) -> Result<Option<usize>, Stuck> {
        let Some((last, above)) = matcher.patterns.split_last() else { return Ok(None) };
        // Back to where the head is known: each line is looked at once for each loop.
        let known = self.runs[at];
        let mut bottom = end;
        let head = loop {
            let run = known.filter(|run| run.line + 1 == bottom);
            if let Some(head) = run.and_then(|run| run.head) {
                break Some(head);
            }
            if let Some(start) = bottom.checked_sub(above.len())
                && self.all_match(above, start)?
            {
                break Some(start);
            }
            if bottom == 0 || run.is_some() || !self.is_match(last, bottom - 1)? {
                break None;
            }
            bottom -= 1;
        };
        self.runs[at] = Some(Run { line: end, head });
        Ok(head)
    }

    /// Whether patterns match the lines from `start` on.
    fn all_match(&mut self, patterns: &[Pattern], start: usize) -> Result<bool, Stuck> {
        for (pattern, index) in patterns.iter().zip(start..) {
            if !self.is_match(pattern, index)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn is_match(&mut self, pattern: &Pattern, index: usize) -> Result<bool, Stuck> {
        self.spend(pattern, index)?;
        pattern.expression.is_match(self.lines.get(index))
    }

    /// Expressions that backtrack see a bounded part of a text.
    fn spend(&mut self, pattern: &Pattern, index: usize) -> Result<(), Stuck> {
        if pattern.expression.backtracks() {
            self.left = self.left.checked_sub(self.lines.get(index).len()).ok_or(Stuck)?;
        }
        Ok(())
    }

    /// The lines that a tool prints below its report: the source and what points into it, or what it would rather see.
    fn quoted(&self, first: usize, end: usize) -> usize {
        if self.lines.get(end + 1) == "Found:" {
            let blank = self.lines.range(end + 1..end + 12).find(|(_, line)| line.trim().is_empty());
            return blank.map_or(end + 1, |(index, _)| index);
        }
        let points = |index: usize| {
            let line = self.lines.get(index).trim_start_matches(['|', ' ', '\t']);
            !line.is_empty() && line.starts_with(['^', '~']) || line.trim_end().ends_with('^')
        };
        (end + 1..end + 4)
            .find(|index| points(*index))
            .filter(|index| index - first < 12)
            .map_or(end + 1, |index| index + 1)
    }
}
