//! What a report says about one failure, while it is read.

use super::go;
use crate::artifact::{Diagnostic, Fault, FaultKind, Location, Severity, Status, gist, place};
use crate::text;

/// Text of one element beyond this is not kept.
const TEXT_LIMIT: usize = 1 << 20;
/// Details of one fault are cut in the middle beyond this.
const DETAILS_LIMIT: usize = 64 << 10;
/// How many lines may stand before the one that names the place.
const PLACE_WITHIN: usize = 3;
/// Behind how many lines of a message what was expected may stand.
const COMPARED_WITHIN: usize = 6;
/// How many lines belong to one that ends with a colon.
const ANNOUNCED: usize = 2;

#[derive(Debug, Default)]
pub(super) struct Draft {
    /// How the test ended because of it.
    pub(super) status: Status,
    /// It turned out that nothing failed.
    pub(super) void: bool,
    pub(super) message: String,
    /// The exception's type.
    pub(super) class: String,
    pub(super) details: String,
    pub(super) file: String,
    pub(super) line: Option<u32>,
    /// The artifact's lines on which message and details begin; 0 where there are none.
    pub(super) message_at: u32,
    pub(super) details_at: u32,
    /// The line on which its element ends: what is written as a reference to a line feed is none. 0: not known.
    pub(super) ends_at: u32,
}

impl Draft {
    pub(super) fn fault(self) -> Fault {
        let from_details = !self.details.trim().is_empty();
        let (body, at) = if from_details {
            (self.details.as_str(), self.details_at)
        } else {
            (self.message.as_str(), self.message_at)
        };
        let start = body.trim_start_matches(['\r', '\n']);
        let skipped = text::line_feeds(&body.as_bytes()[..body.len() - start.len()]);
        let found = go::read(start);
        let noise: usize =
            found.as_ref().map_or(0, |found| start.split_inclusive('\n').take(found.skipped).map(str::len).sum());
        let skipped = skipped + text::line_feeds(&start.as_bytes()[..noise]);
        let first = (at > 0).then(|| at.saturating_add(skipped));
        let class = Some(self.class).filter(|class| !class.is_empty());
        let stated = match &found {
            Some(found) if says_nothing(&self.message) => found.message.as_str(),
            // What a program says when it dies says more than its runner.
            _ if self.details.contains(" panicked at ") => "",
            _ => &in_one_line(&self.message),
        };
        let mut fault = gist::fault(stated, class, start[noise..].trim_end(), first);
        if noise > 0 {
            fault.details = text::cut_middle(&text::plain(start.trim_end()), DETAILS_LIMIT);
        }
        if fault.location.is_none() && (self.file.is_empty() || self.line.is_none()) {
            let named = || named_place(&self.message).or_else(|| named_place(&self.details));
            fault.location = found.map(|found| found.place).or_else(named);
        }
        if let Some(lines) = fault.lines.as_mut().filter(|_| self.ends_at > 0) {
            lines.end = lines.end.min(self.ends_at);
            lines.start = lines.start.min(lines.end);
        }
        gist::or_place(&mut fault, &self.file, self.line);
        fault
    }

    /// Where a report gives the message apart from the stack that follows it: as one text.
    pub(super) fn joined(mut self) -> Self {
        let message = self.message.trim();
        if !message.is_empty() && !self.details.contains(message) {
            let details = std::mem::take(&mut self.details);
            self.details = format!("{}\n{details}", self.message);
            self.details_at = self.message_at;
        }
        // Old versions of xUnit.net escape line ends like a program.
        self.message = in_one_line(&self.message.replace("\\r\\n", "\n"));
        self
    }

    /// A fault that no test had: of a fixture, a file that could not be loaded or a whole run.
    pub(super) fn diagnostic(self, tool: &str, suite: &str) -> Diagnostic {
        let fault = self.fault();
        Diagnostic {
            kind: FaultKind::Test,
            tool: tool.to_owned(),
            rule: fault.class,
            severity: Severity::Error,
            message: if suite.is_empty() { fault.message } else { format!("{suite}: {}", fault.message) },
            location: fault.location,
            frames: fault.frames,
            details: fault.details,
            lines: fault.lines,
            excerpt: fault.excerpt,
            ..Diagnostic::default()
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.message.trim().is_empty() && self.details.trim().is_empty()
    }
}

/// Whether a message is what the runner says of every failure.
fn says_nothing(message: &str) -> bool {
    let message = message.trim();
    matches!(message, "" | "Failed" | "failed") || message.starts_with("=== RUN")
}

/// A message whose first lines say what was expected and what was found, as one line.
fn in_one_line(message: &str) -> String {
    if message.contains(" panicked at ") || !message.trim().contains('\n') {
        return message.to_owned();
    }
    let lines = message.lines().map(str::trim).filter(|line| !line.is_empty());
    // Some runners put the place before it.
    let mut lines = lines.skip_while(|line| place::whole(line).is_some());
    let first = lines.next().unwrap_or_default().trim_end_matches(',');
    let mut line = text::first_line(first, 300);
    for (index, more) in lines.take(COMPARED_WITHIN).take_while(|line| !line.starts_with("at ")).enumerate() {
        let label = more.split_once(':').map_or("", |(label, _)| label.trim().trim_start_matches('-').trim_start());
        let announced = index < ANNOUNCED && first.ends_with(':');
        let compared = ["Expected", "But was", "but", "Actual", "Not found", "In value", "Which is"];
        if announced || compared.iter().any(|word| label.starts_with(word)) {
            line.push(' ');
            line.push_str(&text::one_line(more, 200));
        }
    }
    line
}

/// Appends as much as is kept of one text; false when that is no longer all of it, once for each text.
pub(super) fn append(text: &mut String, more: &str) -> bool {
    let room = TEXT_LIMIT.saturating_sub(text.len());
    if more.len() <= room || text.len() > TEXT_LIMIT {
        text.push_str(if text.len() > TEXT_LIMIT { "" } else { more });
        return true;
    }
    text.push_str(&more[..more.floor_char_boundary(room)]);
    text.push_str("\n[… cut …]");
    false
}

/// A place at the beginning of one of the first lines: `a.c:3: x`, `a.c(3): x`.
fn named_place(text: &str) -> Option<Location> {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty()).take(PLACE_WITHIN);
    lines.filter(|line| line.len() < 4096).find_map(|line| {
        let found = place::leading(line).map(|(at, _)| at).or_else(|| in_brackets(line));
        found.filter(|at| place::is_file(&at.path) && !at.path.contains(' '))
    })
}

fn in_brackets(line: &str) -> Option<Location> {
    let (path, rest) = line.split_once('(')?;
    let (number, rest) = rest.split_once(')')?;
    let number = number.split(',').next().unwrap_or(number).parse().ok()?;
    let place = Location { path: path.trim().to_owned(), line: Some(number), column: None };
    rest.trim_start().starts_with(':').then_some(place)
}

/// Error over failure over skipped, whatever the order in the file.
pub(super) fn worse(a: Status, b: Status) -> Status {
    let rank = |status| match status {
        Status::Passed => 0,
        Status::Skipped => 1,
        Status::Failed => 2,
        Status::Errored => 3,
    };
    if rank(b) > rank(a) { b } else { a }
}

/// A duration as locales write it: `0.5`, `1,234.5`, `0,5`.
pub(super) fn seconds(text: &str) -> Option<f64> {
    let text = text.trim();
    let found = match (text.contains(','), text.contains('.')) {
        (false, _) => text.parse().ok(),
        (true, true) => text.replace(',', "").parse().ok(),
        (true, false) => text.replacen(',', ".", 1).parse().ok(),
    };
    found.filter(|seconds: &f64| seconds.is_finite() && *seconds >= 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_says_what_was_expected_and_what_was_found() {
        assert_eq!(
            in_one_line("a.cc:3\nValue of: f()\n  Actual: false\nExpected: true"),
            "Value of: f() Actual: false Expected: true"
        );
        assert_eq!(
            in_one_line("Expected equality of these values:\n  1\n  2\nmore"),
            "Expected equality of these values: 1 2"
        );
        assert_eq!(
            in_one_line("Test method x threw exception: \nE: y\n   at z"),
            "Test method x threw exception: E: y"
        );
        assert_eq!(in_one_line("one\ntwo"), "one");
    }

    #[test]
    fn a_place_before_the_message_is_the_place() {
        let of = |text: &str| named_place(text).map(|at| format!("{}:{}", at.path, at.line.unwrap_or(0)));
        assert_eq!(of("a/b_test.cc:12\nValue of: x").as_deref(), Some("a/b_test.cc:12"));
        assert_eq!(of(r"C:\a\b.cpp(14) : false").as_deref(), Some(r"C:\a\b.cpp:14"));
        assert_eq!(of("\nFailed\nsrc/x.go:3:1: y").as_deref(), Some("src/x.go:3"));
        assert_eq!(of("at 10:30 f(3): x"), None);
    }
}
