//! How well lines explain a failure by where they stand: in the command that failed, near its end, and seldom said.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::ops::Range;

use super::baseline::Baseline;
use super::dialect::{self, Dialect, Step};
use super::sign::{self, Role};
use crate::artifact::text::lines::Lines;
use crate::artifact::{Lines as Span, Report, Severity};

/// Lines before the end of a failed command that are as good as the last one.
const NEAR: usize = 200;
/// How good a command that was run again is, one that failed being 1000.
const RETRIED: u32 = 600;
/// How good what stands before the commands that failed is.
const BEFORE: u32 = 350;
/// The same where the first command that fails is the last that runs.
const BEFORE_STOP: u32 = 150;
/// How good what stands behind them is.
const AFTER: u32 = 60;
/// How good a line is that a run that passed said as well.
const OLD: u32 = 150;
/// The weight of what a reader of a format found, in thousandths of the best.
const OF_A_FORMAT: u32 = 900;
/// The least weight of the words of a line that is of a known format.
const RECOGNISED: u32 = 76;
/// The least weight of the words that name an infrastructure's failure.
const CERTAIN: u32 = 97;
/// What has fewer lines is a line, not a report.
const SHORT: u32 = 2;
/// The same where it only says that a program failed.
const FOLLOWS: u32 = 500;

/// Where the lines of a log stand.
pub(super) struct Scale<'a> {
    lines: &'a Lines,
    steps: &'a [Step],
    /// Where the first command begins: before that the machine introduces itself.
    setup: usize,
    /// How good what stands before the failed commands is, in thousandths.
    before: u32,
    /// What the last green run said.
    baseline: Option<&'a Baseline>,
    /// How often lines of a shape occur, of those that sound like a cause.
    shapes: HashMap<u64, u32>,
    /// What each line that says something says.
    pub(super) signs: Vec<(usize, Role, u32)>,
    /// Where each line that sounds like a cause stands for the last time, by its text.
    last: HashMap<u64, usize>,
}

impl<'a> Scale<'a> {
    /// Reads every line once.
    pub(super) fn of(lines: &'a Lines, dialect: Option<&Dialect>, steps: &'a [Step]) -> Self {
        let mut shapes = HashMap::new();
        let mut signs = Vec::new();
        let mut last = HashMap::new();
        let mut script = false;
        for (index, line) in lines.all() {
            // A step of GitHub begins with its script and its environment.
            if line.starts_with("##[") {
                script = line.starts_with("##[group]Run ") || (script && !line.starts_with("##[endgroup]"));
            }
            if script {
                continue;
            }
            if let Some((role, weight)) = sign::read(line) {
                if role == Role::Cause {
                    *shapes.entry(shape(line)).or_insert(0_u32) += 1;
                    last.insert(text_hash(line), index);
                }
                signs.push((index, role, weight));
            }
        }
        let setup = dialect::setup(lines);
        let before = if dialect.is_some_and(|dialect| dialect.stops) { BEFORE_STOP } else { BEFORE };
        Self { lines, steps, setup, before, baseline: None, shapes, signs, last }
    }

    /// Beside a run that passed, only what is new explains the failure.
    pub(super) fn beside(mut self, baseline: Option<&'a Baseline>) -> Self {
        self.baseline = baseline;
        self
    }

    /// What a line says by its words.
    pub(super) fn sign(&self, index: usize) -> Option<(Role, u32)> {
        let at = self.signs.binary_search_by_key(&index, |sign| sign.0).ok()?;
        Some((self.signs[at].1, self.signs[at].2))
    }

    /// The weight of a line that sounds like a cause, in thousandths.
    pub(super) fn of_line(&self, index: usize, words: u32) -> u32 {
        // What no code can mend stays what it is however often it is said.
        let times =
            if words >= CERTAIN { 1 } else { self.shapes.get(&shape(self.lines.get(index))).copied().unwrap_or(1) };
        // A verdict stands where its test ended, however much ran after that.
        let place = if words == sign::VERDICT { self.place(index).max(OF_A_FORMAT) } else { self.place(index) };
        words * 10 * place / 1000 * rarity(times) / 1000
    }

    /// Whether the same line stands once more in the same command: it was tried again.
    pub(super) fn again(&self, index: usize) -> bool {
        let last = self.last.get(&text_hash(self.lines.get(index))).copied().unwrap_or(index);
        last > index && self.steps.iter().any(|step| step.lines.contains(&index) && step.lines.contains(&last))
    }

    /// How good a place in the log is, in thousandths.
    fn place(&self, index: usize) -> u32 {
        let old = self.baseline.is_some_and(|baseline| baseline.has(self.lines.get(index)));
        self.place_in_log(index) * if old { OLD } else { 1000 } / 1000
    }

    fn place_in_log(&self, index: usize) -> u32 {
        let inside = self.steps.iter().filter(|step| step.lines.contains(&index));
        let near =
            inside.map(|step| nearness(&step.lines, index) * if step.retried { RETRIED } else { 1000 } / 1000).max();
        // What runs after a failure only cleans up or uploads.
        let after = self.steps.last().is_some_and(|step| index >= step.lines.end);
        near.unwrap_or(if after || index < self.setup { AFTER } else { self.before })
    }

    /// Weighs what readers of formats found.
    pub(super) fn weigh(&self, report: &mut Report) {
        for fault in report.cases.iter_mut().flat_map(|case| &mut case.faults) {
            fault.weight =
                fault.lines.map_or(1, |span| OF_A_FORMAT * self.place(self.lines.index_of(span.start)) / 1000);
        }
        for found in &mut report.diagnostics {
            let weight = found.lines.map_or(1, |span| self.of_diagnostic(span, &found.message));
            // A warning is a failure only where a linter is what failed.
            found.weight = if found.severity == Severity::Error { weight } else { (weight / 2).max(1) };
        }
    }

    fn of_diagnostic(&self, span: Span, message: &str) -> u32 {
        let index = self.lines.index_of(span.start);
        let follows = sign::read(message).is_some_and(|(role, _)| role == Role::Echo);
        if !follows && span.end.saturating_sub(span.start) < SHORT {
            // One line of a linter is worth what its words are worth, and that it was recognised.
            let words = self.sign(index).filter(|(role, _)| *role == Role::Cause).map_or(0, |(_, weight)| weight);
            return self.of_line(index, words.max(RECOGNISED));
        }
        (if follows { FOLLOWS } else { OF_A_FORMAT }) * self.place(index) / 1000
    }
}

/// The end of a command is where it says why it failed: each doubling of the distance costs the same.
fn nearness(step: &Range<usize>, index: usize) -> u32 {
    const DOUBLING: u32 = 45;
    let times =
        (step.end.saturating_sub(index) / NEAR).max(1).ilog2() + u32::from(step.end.saturating_sub(index) > NEAR);
    1000 - (times * DOUBLING).min(400)
}

/// What is said often is said of things that go on working.
fn rarity(times: u32) -> u32 {
    1000 - (times.max(1).ilog2() * 60).min(500)
}

/// A line without what differs from one occurrence to the next: digits, and what stands in quotes.
fn shape(line: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    for byte in line.bytes().filter(|byte| !byte.is_ascii_digit()).take(300) {
        byte.hash(&mut hasher);
    }
    hasher.finish()
}

fn text_hash(line: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    line.hash(&mut hasher);
    hasher.finish()
}
