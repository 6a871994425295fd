//! Rust panics as the standard library prints them, in the old one-line form and in the new one.

use crate::artifact::{Location, place};

/// A panic.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::artifact) struct Panic {
    /// The thread, which the test runner names after the test.
    pub(in crate::artifact) thread: String,
    /// One line: the message, with left and right of an assertion.
    pub(in crate::artifact) message: String,
    /// Where it was raised.
    pub(in crate::artifact) location: Option<Location>,
    /// Lines from the first one of the panic on that belong to it, backtrace not counted.
    pub(in crate::artifact) lines: usize,
}

/// Reads the first panic in `lines`, the first of which must hold `panicked at`.
pub(in crate::artifact) fn read<'a>(lines: impl IntoIterator<Item = &'a str>) -> Option<Panic> {
    let mut lines = lines.into_iter();
    let first = lines.next()?;
    let (thread, rest) = head(first)?;
    let mut body = Vec::new();
    for line in lines.take(40) {
        let trimmed = line.trim_start();
        let ends =
            ["note: run with", "note: Some details", "stack backtrace:", "thread '", "---- ", "failures:", "test "];
        if trimmed.is_empty() || ends.iter().any(|end| trimmed.starts_with(end)) {
            break;
        }
        body.push(line);
    }
    let count = body.len() + 1;
    let new = place::leading(rest).filter(|(_, after)| after.trim() == ":");
    let (location, text) = match new {
        Some((at, _)) => (Some(at), body),
        None => old(rest, &body),
    };
    let (_, text) = (text.len(), one_line(&text));
    Some(Panic { thread: thread.to_owned(), message: text, location, lines: count })
}

/// `thread 'name' (123) panicked at rest` gives the name and the rest.
fn head(line: &str) -> Option<(&str, &str)> {
    let (before, rest) = line.split_once(" panicked at ")?;
    let name = before.split_once("thread '")?.1;
    let name = name.rsplit_once('\'')?.0;
    Some((name, rest))
}

/// `'message', src/a.rs:1:2`, where the message can span lines.
fn old<'a>(rest: &'a str, body: &[&'a str]) -> (Option<Location>, Vec<&'a str>) {
    let mut text = Vec::new();
    let mut open = Some(rest.strip_prefix('\'').unwrap_or(rest));
    for line in open.take().into_iter().chain(body.iter().copied()) {
        if let Some((message, at)) = line.rsplit_once("', ")
            && let Some(at) = place::whole(at)
        {
            text.push(message);
            return (Some(at), text);
        }
        text.push(line);
    }
    (None, text)
}

/// The message with the two sides of an assertion behind it.
fn one_line(text: &[&str]) -> String {
    let mut message = String::new();
    for line in text.iter().map(|line| line.trim()).filter(|line| !line.is_empty()).take(6) {
        if !message.is_empty() {
            message.push_str(if line.starts_with("left:") || line.starts_with("right:") { ", " } else { " " });
        }
        message.push_str(line);
    }
    crate::text::first_line(&message, 400)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_new_form_is_read_with_both_sides() {
        let text = "thread 'tests::b' (77) panicked at src/lib.rs:10:9:\nassertion `left == right` failed: sums\n  left: 1\n right: 2\nnote: run with `RUST_BACKTRACE=1`";
        let panic = read(text.lines()).unwrap();
        assert_eq!(panic.thread, "tests::b");
        assert_eq!(panic.message, "assertion `left == right` failed: sums, left: 1, right: 2");
        assert_eq!(panic.location.unwrap().line, Some(10));
        assert_eq!(panic.lines, 4);
    }

    #[test]
    fn the_old_form_is_read_over_several_lines() {
        let text = "thread 'b' panicked at 'assertion failed: `(left == right)`\n  left: `1`,\n right: `2`', src/lib.rs:10:9\nnote: run with";
        let panic = read(text.lines()).unwrap();
        assert_eq!(panic.message, "assertion failed: `(left == right)`, left: `1`,, right: `2`");
        assert_eq!(panic.location.unwrap().path, "src/lib.rs");
    }

    #[test]
    fn other_text_is_no_panic() {
        assert_eq!(read(["it panicked at noon"]), None);
    }
}
