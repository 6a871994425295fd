//! Splits a text into its stacks: a chain of exceptions, the threads of a process, the stacks of a sanitizer's report.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use regex::Regex;

use super::{LINE_LIMIT, language};
use crate::artifact::{Frame, Location};

/// More frames than this are not looked at: a stack that overflowed repeats itself.
const CALLS_LIMIT: usize = 20_000;

/// Which end of the stack a language prints first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    OutermostFirst,
    InnermostFirst,
}

/// What a stack is to the fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// Where it was raised, or caught and raised again.
    Main,
    /// What the exception above wraps.
    Cause,
    /// Another thread, where memory was allocated, what was suppressed.
    Aside,
}

/// How the traces of one language read.
pub(super) struct Language {
    /// Words without one of which no line is a frame.
    pub(super) needles: &'static [&'static str],
    pub(super) order: Order,
    /// Of several stacks of equal rank the later one counts.
    pub(super) last_counts: bool,
    /// How many other lines can stand between two frames of one stack.
    pub(super) gap: usize,
    /// A frame names the function that was called there, not the one that the place is in.
    pub(super) names_callee: bool,
    /// Patterns of a frame with the groups `path`, `line`, `column` and `function`, tried on the line without blanks
    /// around it.
    pub(super) shapes: &'static [&'static str],
    /// What patterns cannot say.
    pub(super) read: Option<fn(&Line<'_>) -> Option<Step>>,
    /// A function's name as a person says it.
    pub(super) clean: fn(&str) -> String,
}

/// A line with what stands above it.
pub(super) struct Line<'a> {
    /// As it stands.
    pub(super) raw: &'a str,
    /// Without blanks around it.
    pub(super) text: &'a str,
    /// The line above, without blanks around it.
    pub(super) above: &'a str,
    /// The Python function whose source was shown last.
    pub(super) definition: Option<&'a str>,
    /// How deep the last `Suppressed:` stood.
    pub(super) suppressed: Option<usize>,
}

impl Line<'_> {
    /// Blanks before the line.
    pub(super) fn indent(&self) -> usize {
        self.raw.len() - self.raw.trim_start().len()
    }
}

/// What a line of a trace is.
pub(super) enum Step {
    Call(Call),
    /// A stack begins here; the words that head it, where they name what was raised.
    Begin(Role, Option<String>),
    /// The outermost calls that the stack above shares were left out.
    Shared(usize),
    /// What follows is no trace of the fault, where one was read already.
    End,
}

/// One call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Call {
    /// The path is empty where the language names none.
    pub(super) at: Location,
    pub(super) function: Option<String>,
}

impl Call {
    pub(super) fn new(at: Location, function: &str) -> Self {
        let function = function.trim();
        Self { at, function: (!function.is_empty()).then(|| function.to_owned()) }
    }

    pub(super) fn frame(&self) -> Frame {
        Frame {
            path: self.at.path.clone(),
            line: self.at.line,
            function: self.function.clone().filter(|name| name != "<module>"),
            in_project: None,
        }
    }
}

/// The frames of one stack in the order of the text.
#[derive(Debug)]
pub(super) struct Stack {
    /// Index into the table of languages.
    pub(super) language: usize,
    pub(super) role: Role,
    pub(super) calls: Vec<Call>,
    pub(super) last_line: usize,
    /// What was raised here, for a cause.
    pub(super) cause: Option<String>,
    /// The lowest one tells where the fault was raised.
    pub(super) preference: (bool, usize, usize),
}

/// Every stack of the text.
pub(super) fn all(text: &str) -> Vec<Stack> {
    let languages = possible(text);
    let mut stacks: Vec<Stack> = Vec::new();
    if languages.is_empty() {
        return stacks;
    }
    let (mut above, mut definition, mut suppressed, mut calls) = ("", None, None, 0);
    for (index, raw) in text.lines().enumerate() {
        let line = Line { raw, text: raw.trim(), above, definition, suppressed };
        above = line.text;
        if line.text.starts_with("Suppressed: ") {
            suppressed = Some(line.indent());
        }
        if let Some(function) = language::definition(raw) {
            definition = Some(function);
        }
        if raw.len() > LINE_LIMIT || line.text.is_empty() || calls > CALLS_LIMIT {
            continue;
        }
        let Some((found, step)) = languages.iter().find_map(|at| Some((*at, language::step(*at, &line)?))) else {
            continue;
        };
        let current = stacks.last().filter(|stack| stack.language == found);
        match step {
            Step::Begin(role, cause) => stacks.push(Stack::new(found, role, index, cause)),
            Step::Shared(count) => share(&mut stacks, count),
            Step::End if stacks.iter().any(|stack| !stack.calls.is_empty()) => break,
            Step::End => {}
            Step::Call(call) => {
                calls += 1;
                let gap = language::table()[found].gap;
                let goes_on = current.is_some_and(|stack| index - stack.last_line <= gap.saturating_add(1));
                if !goes_on {
                    stacks.push(Stack::new(found, Role::Main, index, None));
                }
                if let Some(stack) = stacks.last_mut() {
                    stack.calls.push(call);
                    stack.last_line = index;
                }
            }
        }
    }
    prefer(&mut stacks);
    for stack in stacks.iter_mut().filter(|stack| language::table()[stack.language].names_callee) {
        let above: Vec<Option<String>> = stack.calls.iter().skip(1).map(|call| call.function.clone()).collect();
        for (call, function) in stack.calls.iter_mut().zip(above.into_iter().chain([None])) {
            call.function = function;
        }
    }
    stacks
}

impl Stack {
    fn new(language: usize, role: Role, line: usize, cause: Option<String>) -> Self {
        Self { language, role, calls: Vec::new(), last_line: line, cause, preference: (false, 0, 0) }
    }
}

/// `... 12 more`: the last twelve of the exception that wraps this one are its own too.
fn share(stacks: &mut [Stack], count: usize) {
    let Some((last, before)) = stacks.split_last_mut() else { return };
    let wrapping = before.iter().rev().find(|stack| stack.language == last.language && stack.role != Role::Aside);
    if let Some(wrapping) = wrapping.filter(|_| last.role == Role::Cause) {
        let from = wrapping.calls.len().saturating_sub(count.min(CALLS_LIMIT));
        last.calls.extend(wrapping.calls[from..].iter().cloned());
    }
}

/// Ranks the stacks: the deepest cause of the first chain, then what wraps it, then other chains, then asides.
fn prefer(stacks: &mut [Stack]) {
    let mut chain = 0;
    for (index, stack) in stacks.iter_mut().enumerate() {
        if stack.role == Role::Main {
            chain += 1;
        }
        let chains = if language::table()[stack.language].last_counts { usize::MAX - chain } else { chain };
        stack.preference = match stack.role {
            Role::Aside => (true, 0, index),
            Role::Main | Role::Cause => (false, chains, usize::MAX - index),
        };
    }
}

/// The languages whose words occur at all, in the order of the table.
fn possible(text: &str) -> Vec<usize> {
    static NEEDLES: LazyLock<Option<(AhoCorasick, Vec<usize>)>> = LazyLock::new(|| {
        let table = language::table().iter().enumerate();
        let needles = table.flat_map(|(row, language)| language.needles.iter().map(move |word| (*word, row)));
        let (words, rows): (Vec<&str>, Vec<usize>) = needles.unzip();
        AhoCorasick::new(words).ok().map(|words| (words, rows))
    });
    let Some((words, rows)) = &*NEEDLES else { return Vec::new() };
    let mut seen = vec![false; language::table().len()];
    for found in words.find_overlapping_iter(text) {
        seen[rows[found.pattern()]] = true;
    }
    (0..seen.len()).filter(|at| seen[*at]).collect()
}

/// The call that one of the patterns reads in `line`.
pub(super) fn matched(patterns: &[Regex], line: &str, clean: fn(&str) -> String) -> Option<Call> {
    patterns.iter().find_map(|pattern| {
        let groups = pattern.captures(line)?;
        let text = |name: &str| groups.name(name).map(|group| group.as_str());
        let number = |name: &str| text(name).and_then(|digits| digits.parse().ok());
        let at =
            Location { path: text("path")?.trim().to_owned(), line: Some(number("line")?), column: number("column") };
        Some(Call::new(at, &clean(text("function").unwrap_or_default())))
    })
}
