//! Stack traces of any language inside a text: frames, outermost call first, and where a fault was raised.
//!
//! A language is one small file below `language`; programs that died outside of a test runner are read in `crash`.

pub(super) mod crash;
mod language;
pub(super) mod panic;
mod stack;

use super::{Frame, Location, place};
use stack::{Call, Order, Stack};

/// The most frames that are kept of one trace.
const FRAMES_LIMIT: usize = 100;
/// A line that is longer holds no frame.
const LINE_LIMIT: usize = 2048;

/// A trace as read.
#[derive(Debug, Default)]
pub(super) struct Trace {
    /// Outermost call first.
    pub(super) frames: Vec<Frame>,
    /// The innermost place that is not the language's or a package's; else the innermost.
    pub(super) location: Option<Location>,
    /// The line of the text (from 0) that holds the last frame.
    pub(super) last_line: Option<usize>,
    /// What was raised first, where one exception was wrapped in others: its line without the words around it.
    pub(super) cause: Option<String>,
}

/// Finds the frames of the stack in `text` that tells where its fault was raised.
pub(super) fn read(text: &str) -> Trace {
    let stacks = stack::all(text);
    let last_line = stacks.iter().filter(|stack| !stack.calls.is_empty()).map(|stack| stack.last_line).max();
    // Of several languages the one with the most to say: a wrapper only starts what then dies.
    let mut sizes: Vec<(usize, usize)> = Vec::new();
    for stack in &stacks {
        match sizes.iter_mut().find(|(language, _)| *language == stack.language) {
            Some((_, calls)) => *calls += stack.calls.len(),
            None => sizes.push((stack.language, stack.calls.len())),
        }
    }
    let Some(most) = sizes.iter().map(|(_, calls)| *calls).max().filter(|calls| *calls > 0) else {
        return Trace::default();
    };
    let language = sizes.iter().find(|(_, calls)| *calls == most).map_or(0, |(language, _)| *language);
    let own: Vec<&Stack> = stacks.iter().filter(|stack| stack.language == language).collect();
    let Some(chosen) = choose(&own) else { return Trace::default() };
    let mut calls: Vec<&Call> = chosen.calls.iter().filter(|call| !call.at.path.is_empty()).collect();
    if matches!(language::table()[language].order, Order::InnermostFirst) {
        calls.reverse();
    }
    let location = calls.iter().rev().find(|call| is_own(call)).or_else(|| calls.last()).map(|call| call.at.clone());
    if calls.len() > FRAMES_LIMIT {
        calls.drain(FRAMES_LIMIT / 2..calls.len() - FRAMES_LIMIT / 2);
    }
    let frames = calls.into_iter().map(Call::frame).collect();
    Trace { frames, location, last_line, cause: chosen.cause.clone() }
}

/// The line that names the exception that was raised first, where `text` says that others wrap it.
pub(crate) fn root_cause(text: &str) -> Option<String> {
    read(text).cause
}

/// The stack of the fault: the deepest cause of the first exception, or the one that the language prints last;
/// where that one shows nothing of the project, the next one that does.
fn choose<'a>(stacks: &[&'a Stack]) -> Option<&'a Stack> {
    let mut ranked: Vec<&Stack> = stacks.iter().copied().filter(|stack| !stack.calls.is_empty()).collect();
    ranked.sort_by_key(|stack| stack.preference);
    ranked.iter().copied().find(|stack| stack.calls.iter().any(is_own)).or_else(|| ranked.first().copied())
}

fn is_own(call: &Call) -> bool {
    !call.at.path.is_empty() && !place::is_foreign(&call.at.path)
}

#[cfg(test)]
mod tests;
