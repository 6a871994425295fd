//! What `go test` printed for a failed test: the runner's own lines stand before the place and the message.

use crate::artifact::{Location, place};
use crate::text;

/// How far behind the place the message of an assertion library may stand.
const MESSAGE_WITHIN: usize = 40;
/// How many lines such a message may have.
const MESSAGE_LINES: usize = 4;

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Found {
    /// Lines before the first that says something.
    pub(super) skipped: usize,
    pub(super) message: String,
    pub(super) place: Location,
}

/// Reads the first complaint in the output of a test.
pub(super) fn read(output: &str) -> Option<Found> {
    let noise = |line: &str| {
        let line = line.trim();
        line.is_empty() || line.starts_with("=== ") || line.starts_with("--- ")
    };
    let skipped = output.lines().take_while(|line| noise(line)).count();
    let mut lines = output.lines().skip(skipped);
    let (place, rest) = place::leading(lines.next()?.trim())?;
    let rest = rest.strip_prefix(':').filter(|_| place::has_extension(&place.path, "go"))?.trim();
    let message = if rest.is_empty() { labelled(lines)? } else { text::first_line(rest, 400) };
    Some(Found { skipped, message, place })
}

/// `Error:  Not equal:` with the two sides below it.
fn labelled<'a>(lines: impl Iterator<Item = &'a str>) -> Option<String> {
    let mut lines = lines.take(MESSAGE_WITHIN).map(str::trim);
    let first = lines.find_map(|line| line.strip_prefix("Error:"))?;
    let ends =
        |line: &&str| !line.is_empty() && !["Test:", "Messages:", "Diff:"].iter().any(|end| line.starts_with(end));
    let more = lines.take_while(ends).take(MESSAGE_LINES - 1);
    let all: Vec<&str> = std::iter::once(first.trim()).chain(more).collect();
    Some(text::one_line(&all.join(" "), 400))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(output: &str) -> Option<String> {
        let found = read(output)?;
        Some(format!("{} {}:{} {}", found.skipped, found.place.path, found.place.line.unwrap_or(0), found.message))
    }

    #[test]
    fn the_first_complaint_is_found_behind_the_lines_of_the_runner() {
        assert_eq!(
            show("=== RUN   TestA\n=== PAUSE TestA\n    a_test.go:8: got 1, want 2\n--- FAIL: TestA").as_deref(),
            Some("2 a_test.go:8 got 1, want 2")
        );
        let testify = "    a_test.go:12: \n\tError Trace:\t/src/a_test.go:12\n\tError:      \tNot equal: \n\t            \texpected: 1\n\t            \tactual  : 2\n\tTest:       \tTestA";
        assert_eq!(show(testify).as_deref(), Some("0 a_test.go:12 Not equal: expected: 1 actual : 2"));
        assert_eq!(show("panic: x"), None);
        assert_eq!(show("a.py:3: AssertionError"), None);
    }
}
