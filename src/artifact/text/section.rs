//! Failed tests as most runners print them: a head that names the test, and below it what went wrong.
//!
//! A runner is a [`Shape`]: how it writes heads, what ends their text, and the line in which it counts.

use crate::artifact::text::cases::Cases;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ops::Range;

use super::Part;
use super::lines::Lines;
use crate::artifact::{Case, Fault, Location, Status, TestCounts, TestId, gist, place, trace::panic};
use crate::text;

/// Text of one failure beyond this many lines is not read.
const SECTION_LIMIT: usize = 200;
/// A place is looked for in this many lines of a failure.
const PLACE_LIMIT: usize = 60;

/// What a head says.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Head {
    pub(super) id: TestId,
    pub(super) status: Status,
    /// Lines of the head itself; its text follows.
    pub(super) lines: usize,
    /// What is wrong, where the head says so.
    pub(super) message: String,
    /// Where, when the head says so.
    pub(super) location: Option<Location>,
}

impl Head {
    /// A test that ended like this and is named on one line.
    pub(super) fn new(status: Status, class: &str, name: &str) -> Self {
        let id = TestId { suite: String::new(), class: class.trim().to_owned(), name: name.trim().to_owned() };
        Self { id, status, lines: 1, ..Self::default() }
    }
}

/// How a runner prints.
pub(super) struct Shape {
    /// The head of a test's section, or its only line.
    pub(super) head: fn(&Lines, usize) -> Option<Head>,
    /// Whether this line is no longer text of the section before it.
    pub(super) ends: fn(&str) -> bool,
    /// What the runner counts, in the line that ends a run (a second line may follow).
    pub(super) counts: fn(&Lines, usize) -> Option<TestCounts>,
    /// A title that tells how the tests below it ended; what was skipped is only counted.
    pub(super) mode: fn(&str) -> Option<Status>,
    /// Whether heads count for nothing until the runner's count follows: others write alike.
    pub(super) counted: bool,
}

/// A shape of which everything is yet to say.
pub(super) const SHAPE: Shape =
    Shape { head: |_, _| None, ends: |_| false, counts: |_, _| None, mode: |_| None, counted: true };

/// Reads the runs of one runner; counts of several add up.
pub(super) fn read(lines: &Lines, shape: &Shape) -> Part {
    let mut part = Part::default();
    let mut run = Run::default();
    let mut index = 0;
    while index < lines.len() {
        if let Some(counts) = (shape.counts)(lines, index) {
            run.close(&mut part, index + 1, counts);
            index += 1;
        } else if let Some(mode) = (shape.mode)(lines.get(index)) {
            run.mode = Some(mode);
            index += 1;
        } else if let Some(head) = (shape.head)(lines, index) {
            index = run.add(lines, shape, index, head);
        } else {
            index += 1;
        }
    }
    if !shape.counted {
        run.forget_repeated();
    }
    if !shape.counted && !run.cases.is_empty() {
        run.close(&mut part, lines.len(), TestCounts::default());
    }
    part
}

#[derive(Default)]
struct Run {
    cases: Cases,
    /// Where each test with each end stands in `cases`.
    known: BTreeMap<(TestId, Status), usize>,
    /// The same of the run before.
    previous: BTreeMap<(TestId, Status), usize>,
    /// Failures that the run before counted and did not name: some runners count before they name.
    unnamed: u64,
    start: Option<usize>,
    mode: Option<Status>,
}

impl Run {
    /// Takes a test; returns the line to read next.
    fn add(&mut self, lines: &Lines, shape: &Shape, index: usize, mut head: Head) -> usize {
        let begin = (index + head.lines.max(1)).min(lines.len());
        head.status = self.mode.unwrap_or(head.status);
        if self.mode == Some(Status::Skipped) {
            return begin;
        }
        self.start.get_or_insert(index);
        if !matches!(head.status, Status::Failed | Status::Errored) {
            if self.first(&head).is_none() {
                self.cases.push(Case { id: head.id, status: head.status, ..Case::default() });
            }
            return begin;
        }
        let limit = lines.len().min(begin + SECTION_LIMIT);
        let is_end = |at: usize, line: &str| {
            (shape.ends)(line)
                || (shape.mode)(line).is_some()
                || (shape.counts)(lines, at).is_some()
                || (shape.head)(lines, at).is_some()
        };
        let end = lines.range(begin..limit).find(|(at, line)| is_end(*at, line)).map_or(limit, |(at, _)| at);
        // Progress and summary name the same test; what one of them tells is enough.
        match self.first(&head) {
            None => self.cases.push(failed(lines, head, index..begin, end)),
            Some(at) => {
                let bare = |case: &&mut Case| case.faults.iter().all(|fault| fault.message == gist::NOTHING_SAID);
                if let Some(case) = self.cases.get_mut(at).filter(bare).filter(|_| begin < end) {
                    *case = failed(lines, head, index..begin, end);
                }
            }
        }
        end.max(begin)
    }

    /// Where the same test with the same end stands; the test is known from now on.
    fn first(&mut self, head: &Head) -> Option<usize> {
        match self.known.entry((head.id.clone(), head.status)) {
            Entry::Occupied(known) => Some(*known.get()),
            Entry::Vacant(open) => {
                open.insert(self.cases.len());
                None
            }
        }
    }

    fn close(&mut self, part: &mut Part, end: usize, counts: TestCounts) {
        let mut own = Part { cases: std::mem::take(&mut self.cases), ..Part::default() };
        own.state(counts);
        let named = own.cases.counts().failed;
        let counted = self.unnamed.min(named);
        own.counts.failed = own.counts.failed.saturating_sub(counted);
        own.counts.total = own.counts.total.saturating_sub(counted);
        self.unnamed = (self.unnamed - counted).saturating_add(counts.failed.saturating_sub(named));
        part.counts = part.counts.plus(own.counts);
        part.cases.append(&mut own.cases);
        part.claims.push((self.start.take().unwrap_or(end.saturating_sub(1)), end));
        part.recognised = true;
        self.previous = std::mem::take(&mut self.known);
        self.mode = None;
    }

    /// Behind the last count stands a list of what failed: what was told before counts once.
    fn forget_repeated(&mut self) {
        let previous = &self.previous;
        self.cases.retain(|case| !previous.contains_key(&(case.id.clone(), case.status)));
    }
}

/// A failed test with the text below its head.
pub(super) fn failed(lines: &Lines, head: Head, title: Range<usize>, end: usize) -> Case {
    let start = title.start;
    let body = title.end..end.max(title.end);
    let panicked = lines.range(body.clone()).find(|(_, line)| line.contains(" panicked at ")).map(|(at, _)| at);
    let said = match panicked {
        Some(_) if head.message.is_empty() => String::new(),
        _ if head.message.is_empty() => message(lines, body.clone()),
        _ => head.message,
    };
    let mut fault = gist::fault(&said, None, &lines.join(body.clone()), None);
    if let Some(at) = head.location {
        fault.location = Some(at);
    } else if fault.location.is_none() {
        fault.location = place_in(lines, body.clone());
    }
    let panic = panicked.and_then(|at| Some((at, panic::read(lines.range(at..body.end).map(|(_, line)| line))?.lines)));
    let quoted = match panic {
        Some((at, length)) if at > start + 6 => at..at + length,
        _ => start..quoted_end(lines, body),
    };
    (fault.lines, fault.excerpt) = lines.quote(quoted);
    Case { id: head.id, status: head.status, faults: vec![fault], ..Case::default() }
}

/// A failed test of which only its line is known.
pub(super) fn named(lines: &Lines, at: usize, message: &str) -> Fault {
    let mut fault = gist::fault(message, None, "", None);
    (fault.lines, fault.excerpt) = lines.quote(at..at + 1);
    fault
}

/// Frames beyond the first few explain nothing: the quote ends behind the third.
fn quoted_end(lines: &Lines, body: Range<usize>) -> usize {
    let calls = lines.range(body.clone()).filter(|(_, line)| is_call(line)).map(|(at, _)| at);
    calls.take(3).last().map_or(body.end, |at| at + 1)
}

fn is_call(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("at ") || line.starts_with("# ./") || line.starts_with("from ") || line.starts_with("File \"")
}

/// Words that introduce what was wrong without saying it.
const LABELS: &[&str] = &[
    "Message:",
    "Error Message:",
    "Stack:",
    "Stack Trace:",
    "Failure:",
    "Error:",
    "Traceback (most recent call last):",
];

/// The line that says what is wrong, with the two sides of a comparison where they follow.
pub(super) fn message(lines: &Lines, body: Range<usize>) -> String {
    let mut said: Vec<&str> = Vec::new();
    let mut size = 0;
    for (_, line) in lines.range(body.start..body.end.min(body.start + 40)) {
        let line = line.trim();
        if said.is_empty() {
            let skip = line.is_empty()
                || LABELS.contains(&line)
                || line.starts_with("Failure/Error:")
                || is_rule(line)
                || line.ends_with(" ───")
                || line.starts_with("running ")
                || place::whole(line.trim_end_matches(':')).is_some();
            if !skip {
                said.push(line);
                size = line.len();
            }
            continue;
        }
        if said.len() >= 4 || size > 300 || is_call(line) || place::whole(line).is_some() {
            break;
        }
        let more = said.last().is_some_and(|last| last.ends_with(':')) || is_side(line);
        if line.is_empty() {
            continue;
        }
        if !more {
            break;
        }
        said.push(line);
        size += line.len();
    }
    text::first_line(&said.join(", ").replace(":, ", ": "), 400)
}

fn is_rule(line: &str) -> bool {
    line.len() > 3 && line.bytes().all(|byte| matches!(byte, b'-' | b'=' | b'_' | b'~' | b'*'))
}

/// One of the two sides of a comparison.
fn is_side(line: &str) -> bool {
    let word = line.split([' ', ':', '=']).next().unwrap_or_default();
    let sides = ["expected", "actual", "got", "received", "but", "left", "right", "code", "which", "to"];
    sides.iter().any(|side| word.eq_ignore_ascii_case(side))
}

/// The first place of the project that a text names: `a/b.rb:12`, `a.php(12)`, `a.pl line 12`.
pub(super) fn place_in(lines: &Lines, body: Range<usize>) -> Option<Location> {
    lines.range(body.start..body.end.min(body.start + PLACE_LIMIT)).find_map(|(_, line)| place_of(line))
}

/// The first place that a line names.
pub(super) fn place_of(line: &str) -> Option<Location> {
    if line.len() > 2048 {
        return None;
    }
    for (at, mark) in line.match_indices([':', '(', '#']) {
        let rest = &line[at + mark.len()..];
        if !rest.starts_with(|c: char| c.is_ascii_digit()) && !rest.starts_with("line ") {
            continue;
        }
        if let Some(found) = placed(&line[..at], rest.strip_prefix("line ").unwrap_or(rest)) {
            return Some(found);
        }
    }
    let (front, rest) = line.split_once(" line ").or_else(|| line.split_once(", line "))?;
    placed(front.trim_end_matches(','), rest)
}

/// The path at the end of `front` and the number at the start of `rest`.
fn placed(front: &str, rest: &str) -> Option<Location> {
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let number: u32 = rest.get(..digits)?.parse().ok()?;
    let odd =
        |c: char| c.is_whitespace() || matches!(c, '(' | ')' | '[' | ']' | '"' | '\'' | '`' | '<' | '>' | ',' | '=');
    let path = front.trim_end_matches(['"', '\'', '`']);
    let path = path.rsplit(odd).next().unwrap_or(path).trim_start_matches(['@', ':']);
    let fits = place::is_file(path) && !path.contains("://") && !place::is_foreign(path) && number > 0;
    fits.then(|| Location { path: path.to_owned(), line: Some(number), column: None })
}

/// The number beside one of these words in a list of pairs, summed: it stands before its word (`3 failed, 1 passed`) or
/// behind it (`Failed: 3, Passed: 1`).
pub(super) fn number_of(line: &str, words: &[&str]) -> Option<u64> {
    let numbers = line.split([',', ';', '|', '(', ')', '[', ']']).filter_map(|part| beside(part, words));
    numbers.reduce(u64::saturating_add)
}

fn beside(part: &str, words: &[&str]) -> Option<u64> {
    let tokens = part.split([' ', '\t', ':', '=', '/']).map(|token| token.trim_end_matches('.'));
    let mut tokens = tokens.filter(|token| !token.is_empty()).peekable();
    let before = tokens.peek()?.starts_with(|c: char| c.is_ascii_digit());
    let mut last = tokens.next()?;
    for token in tokens {
        let (number, word) = if before { (last, token) } else { (token, last) };
        if words.iter().any(|known| known.eq_ignore_ascii_case(word))
            && let Ok(number) = number.parse()
        {
            return Some(number);
        }
        last = token;
    }
    None
}

/// Counts where a runner says how many there were and how many of them went wrong.
pub(super) fn out_of(total: u64, failed: u64, errored: u64, skipped: u64) -> TestCounts {
    let others = failed.saturating_add(errored).saturating_add(skipped);
    let passed = total.saturating_sub(others);
    TestCounts { total: passed.saturating_add(others), passed, failed, errored, skipped }
}

/// `3) name`, perhaps indented, gives the name.
pub(super) fn numbered(line: &str) -> Option<&str> {
    let body = line.trim_start();
    let digits = body.bytes().take_while(u8::is_ascii_digit).count();
    let name = body.get(digits..)?.strip_prefix(") ")?;
    (digits > 0 && digits < 7 && !name.is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_stand_before_or_behind_their_words() {
        assert_eq!(number_of("Tests: 3, Assertions: 5, Failures: 1.", &["failures"]), Some(1));
        assert_eq!(number_of("12 examples, 2 failures, 1 pending", &["failure", "failures"]), Some(2));
        assert_eq!(number_of("Failed! - Failed: 1, Passed: 2, Skipped: 0", &["failed"]), Some(1));
        assert_eq!(number_of("nothing", &["failed"]), None);
    }

    #[test]
    fn places_are_found_in_the_ways_of_many_languages() {
        let show = |line: &str| place_of(line).map(|at| format!("{}:{}", at.path, at.line.unwrap_or(0)));
        assert_eq!(show("     # ./spec/a_spec.rb:12:in `x'").as_deref(), Some("./spec/a_spec.rb:12"));
        assert_eq!(show("#   at t/a.t line 7.").as_deref(), Some("t/a.t:7"));
        assert_eq!(show("/app/tests/ATest.php:31").as_deref(), Some("/app/tests/ATest.php:31"));
        assert_eq!(show("   at A.B() in C:\\src\\A.cs:line 9").as_deref(), Some("C:\\src\\A.cs:9"));
        assert_eq!(show("src/a.cpp(12): error: in \"x\"").as_deref(), Some("src/a.cpp:12"));
        assert_eq!(show("at 12:30 o'clock"), None);
    }
}
