//! What a person reads first of a fault's text: one line that says what is wrong, and the few lines to quote.

use std::ops::Range;

use super::trace::{self as stack, panic};
use super::{Fault, Lines, Location, place};
use crate::text;

/// The message of a failure that its runner does not explain.
pub(super) const NOTHING_SAID: &str = "the test failed";
/// A message is one line of at most this many bytes.
const MESSAGE_LIMIT: usize = 400;
/// Details of one fault are cut in the middle beyond this.
const DETAILS_LIMIT: usize = 64 << 10;
/// A person quotes a few lines.
const QUOTE_LIMIT: usize = 12;

/// Frames that are quoted below the exception that caused others.
const CAUSE_FRAMES: usize = 4;

/// Builds a fault from the text that a runner printed for it.
///
/// `stated` is the message that the runner gives apart from the text, `first` the artifact's line of the text's
/// first one; without it the quoted lines have no numbers.
pub(super) fn fault(stated: &str, class: Option<String>, details: &str, first: Option<u32>) -> Fault {
    let details = text::cut_middle(&text::plain(details), DETAILS_LIMIT);
    let stated = text::plain(stated);
    let trace = stack::read(&details);
    let lines: Vec<&str> = details.lines().collect();
    let at_panic = lines.iter().position(|line| line.contains(" panicked at "));
    let panicked = at_panic.and_then(|at| panic::read(lines[at..].iter().copied()));
    let gist = match (&panicked, at_panic) {
        (Some(panicked), Some(at)) => Gist { message: panicked.message.clone(), range: at..at + panicked.lines },
        _ => read(&lines, &trace),
    };
    let message = message(&stated, &gist.message);
    let class = class.filter(|class| !class.is_empty()).or_else(|| exception(&message));
    let raised = panicked.and_then(|panicked| panicked.location).or(trace.location);
    let location = raised.or_else(|| place::mentioned(&details));
    let range = gist.range.start..gist.range.end.min(gist.range.start + QUOTE_LIMIT).min(lines.len());
    let excerpt = lines.get(range.clone()).unwrap_or_default().join("\n");
    let span = |first: u32| Lines {
        start: first.saturating_add(number(range.start)),
        end: first.saturating_add(number(range.end.max(range.start + 1) - 1)),
    };
    Fault {
        message,
        class,
        location,
        frames: trace.frames,
        lines: first.map(span),
        excerpt,
        details,
        ..Fault::default()
    }
}

fn number(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

struct Gist {
    message: String,
    range: Range<usize>,
}

/// A runner's own message wins where it says something.
fn message(stated: &str, read: &str) -> String {
    if let Some(panicked) = panic::read(stated.lines()) {
        return panicked.message;
    }
    // Some reporters put the whole text into the message.
    let told = stated.lines().take(HEADING_LINES).find(|line| says_something(line));
    let stated = text::first_line(told.unwrap_or(stated), MESSAGE_LIMIT);
    let generic = [
        "",
        "Failure:",
        "Error:",
        "Test suite failed to run",
        "mypy produced messages",
        "failed",
        "test failed",
        "Failed",
        "test failure",
        "error",
        "collection failure",
    ];
    let wrapped = ["failed on setup with", "failed on teardown with"];
    let says_nothing = generic.contains(&stated.as_str()) || stated.contains(" panicked at ");
    if says_nothing || (wrapped.iter().any(|start| stated.starts_with(start)) && !read.is_empty()) {
        if read.is_empty() { NOTHING_SAID.to_owned() } else { text::first_line(read, MESSAGE_LIMIT) }
    } else {
        stated
    }
}

fn read(lines: &[&str], trace: &stack::Trace) -> Gist {
    if let Some(gist) = marked(lines) {
        return gist;
    }
    // A traceback ends with what was raised.
    if let Some(head) = lines.iter().rposition(|line| line.starts_with("Traceback (most recent call last)")) {
        let last = trace.last_line.filter(|last| *last > head).unwrap_or(head);
        let raised = lines[last..]
            .iter()
            .position(|line| !line.is_empty() && !line.starts_with([' ', '\t', 'T']) && exception(line).is_some());
        let raised = raised.map_or(last, |at| last + at);
        return Gist {
            message: lines[raised].trim().to_owned(),
            range: head.max(raised.saturating_sub(6))..raised + 1,
        };
    }
    let caused = trace.cause.as_deref().and_then(|cause| caused(lines, cause));
    if let Some(gist) = caused {
        return gist;
    }
    let first = || lines.iter().position(|line| !line.trim().is_empty());
    let start = lines.iter().take(HEADING_LINES).position(|line| says_something(line)).or_else(first).unwrap_or(0);
    let frame = |line: &&str| line.trim_start().starts_with("at ");
    let end = lines.iter().skip(start).position(frame).map_or(lines.len(), |at| start + at + 1);
    Gist { message: lines.get(start).map_or("", |line| line.trim()).to_owned(), range: start..end.max(start + 1) }
}

/// Lines at the head of a text among which one that says something is looked for.
const HEADING_LINES: usize = 40;

/// Whether a line is more than what a runner puts above each failure: its name, its place, a rule.
fn says_something(line: &str) -> bool {
    let line = line.trim();
    let headings = ["=== RUN", "=== PAUSE", "=== CONT", "=== NAME", "--- FAIL", "● Test suite failed to run"];
    let words = ["Failure:", "Error:", "Failure", "Error", "FAIL", "FAILED", "Failed", "Message:"];
    let rule = line.bytes().all(|byte| matches!(byte, b'=' | b'-' | b'_' | b'*' | b'~' | b' '));
    // `FooTest::testBar with data set #1` and `FooTest#test_bar [test/foo.rb:3]:` name the test.
    let named = line.split(" with data set ").next().unwrap_or(line);
    let method = |(class, name): (&str, &str)| {
        let part =
            |text: &str| !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '\\' | ':'));
        part(class) && part(name)
    };
    let is_test = named.split_once("::").is_some_and(method)
        || line
            .split_once('#')
            .is_some_and(|(class, rest)| rest.ends_with(':') && !rest.contains(": ") && !class.contains(' '));
    let place = line.ends_with("]:")
        && line.rsplit_once(" [").is_some_and(|(_, at)| place::whole(at.trim_end_matches("]:")).is_some());
    !(line.is_empty()
        || rule
        || words.contains(&line)
        || is_test
        || place
        || headings.iter().any(|head| line.starts_with(head)))
}

/// Of a chain of exceptions, the one that was raised first with the first of its frames.
fn caused(lines: &[&str], cause: &str) -> Option<Gist> {
    let start = lines.iter().rposition(|line| line.trim_end().trim_end_matches([' ', '{']).ends_with(cause))?;
    let frames = |line: &&str| line.trim_start().starts_with("at ");
    let before = lines[start + 1..].iter().position(frames).unwrap_or(0);
    let count = lines[start + 1 + before..].iter().take(CAUSE_FRAMES).take_while(|line| frames(line)).count();
    Some(Gist { message: cause.to_owned(), range: start..start + 1 + before + count })
}

/// pytest marks what is wrong with `E`, and names the place below.
fn marked(lines: &[&str]) -> Option<Gist> {
    let last = lines.iter().rposition(|line| line.starts_with("E  "))?;
    // Of a chain of exceptions the last is the one that was raised.
    let mut start = lines[..last].iter().rposition(|line| !line.starts_with('E')).map_or(0, |at| at + 1);
    if lines[start].trim_start_matches(['E', ' ']).starts_with('+') {
        // The value that explains stands apart from what it explains when a test printed in between.
        start = lines[..start].iter().rposition(|line| line.starts_with("E  ")).unwrap_or(start);
    }
    let says: Vec<&str> =
        lines[start..=last].iter().filter_map(|line| line.strip_prefix("E  ")).map(str::trim).collect();
    let first = says.first().copied().unwrap_or_default();
    let message = if first.starts_with("File \"") {
        // A syntax error names its place first.
        says.iter().rev().find(|line| exception(line).is_some()).copied().unwrap_or(first).to_owned()
    } else if first.ends_with(':') {
        says.iter().take(2).copied().collect::<Vec<_>>().join(" ")
    } else {
        first.to_owned()
    };
    // The statement stands right above, with its place above that in the short form.
    let source = |line: &str| {
        line.starts_with('>')
            || line.starts_with("    ")
            || place::leading(line).is_some_and(|(_, rest)| rest.starts_with(": in "))
    };
    let above = lines[..start].iter().rev().take(3).take_while(|line| source(line)).count();
    let behind = lines[last + 1..].iter().take(3).position(|line| !line.is_empty());
    let trailer = behind.filter(|at| place::leading(lines[last + 1 + at]).is_some()).map_or(0, |at| at + 1);
    Some(Gist { message, range: start - above..last + 1 + trailer })
}

/// The type that begins a message such as `ValueError: x` or `java.lang.Error: x`.
pub(super) fn exception(message: &str) -> Option<String> {
    let name = message.split([':', ' ']).next().unwrap_or_default();
    let last = name.rsplit('.').next().unwrap_or_default();
    let ends = ["Error", "Exception", "Warning", "Failure", "Failed", "Interrupt", "Exit"];
    let named = last.starts_with(|c: char| c.is_ascii_uppercase())
        && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '_' | '$'))
        && ends.iter().any(|end| last.ends_with(end));
    if named { Some(name.to_owned()) } else { message.starts_with("assert ").then(|| "AssertionError".to_owned()) }
}

/// Fills in what the text did not say.
pub(super) fn or_place(fault: &mut Fault, path: &str, line: Option<u32>) {
    if fault.location.is_none() && !path.is_empty() {
        fault.location = Some(Location { path: path.to_owned(), line, column: None });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_marked_line_of_pytest_is_the_message() {
        let found = fault(
            "",
            None,
            "    def test_a():\n>       assert f() == 2\nE       assert 1 == 2\nE        +  where 1 = f()\n\nt.py:3: AssertionError",
            Some(10),
        );
        assert_eq!(found.message, "assert 1 == 2");
        assert_eq!(found.class.as_deref(), Some("AssertionError"));
        assert_eq!(found.lines, Some(Lines { start: 10, end: 15 }));
        assert_eq!(found.frames[0].function.as_deref(), Some("test_a"));
    }

    #[test]
    fn a_traceback_says_what_was_raised_at_its_end() {
        let found = fault(
            "failed",
            None,
            "Traceback (most recent call last):\n  File \"a.py\", line 1, in <module>\n    f()\nValueError: bad\n",
            None,
        );
        assert_eq!(found.message, "ValueError: bad");
        assert_eq!(found.class.as_deref(), Some("ValueError"));
        assert_eq!(found.excerpt.lines().count(), 4);
    }

    #[test]
    fn of_wrapped_exceptions_the_first_one_is_the_message() {
        let text =
            "x.Wrapper: outer\n\tat a.B.c(B.java:1)\nCaused by: x.Inner: no bean\n\tat a.D.e(D.java:2)\n\t... 1 more";
        let found = fault("", None, text, Some(1));
        assert_eq!((found.message.as_str(), found.lines), ("x.Inner: no bean", Some(Lines { start: 3, end: 4 })));
        assert_eq!(found.location.unwrap().path, "a/D.java");
        assert_eq!(fault("outer", None, text, None).message, "outer", "a runner's own words stay");
    }

    #[test]
    fn what_a_runner_puts_above_each_failure_is_no_message() {
        for (text, message) in [
            ("=== RUN   TestA\n    a_test.go:3: got 1\n--- FAIL: TestA (0.00s)\n", "a_test.go:3: got 1"),
            ("Failure:\nFooTest#test_a [test/foo_test.rb:9]:\nExpected: 1\n", "Expected: 1"),
            (
                "FooTest::testA with data set #1\nFailed asserting that 1 is 2.\n\n/r/FooTest.php:3",
                "Failed asserting that 1 is 2.",
            ),
            ("==================\nWARNING: DATA RACE\n", "WARNING: DATA RACE"),
            ("std::bad_alloc: no memory", "std::bad_alloc: no memory"),
            ("Failure:", "Failure:"),
        ] {
            assert_eq!(fault("", None, text, None).message, message);
        }
    }

    #[test]
    fn a_message_that_holds_the_whole_text_is_read_over_its_head() {
        let stated = "Error:\nFooTest#test_a:\nRuntimeError: no\n    test/foo_test.rb:3:in `test_a'\n";
        assert_eq!(fault(stated, None, "", None).message, "RuntimeError: no");
    }

    #[test]
    fn nothing_at_all_still_says_something() {
        assert_eq!(fault("", None, "", None).message, "the test failed");
    }
}
