//! `XCTest` and Swift Testing, as xcodebuild and `swift test` print them, raw or through xcpretty.

use super::Event;
use crate::artifact::text::Part;
use crate::artifact::text::lines::Lines;
use crate::artifact::text::section::{self, Head, SHAPE, Shape, number_of, out_of};
use crate::artifact::{Location, Status, TestId, place};

/// Reads `Test Case '-[Class method]' failed` with the errors before, and the marked lines of Swift Testing.
pub(in crate::artifact::text) fn read(lines: &Lines) -> Part {
    super::read(lines, |lines, index| {
        let line = lines.get(index);
        case(line).or_else(|| error(line)).or_else(|| swift(line))
    })
}

/// Reads what xcpretty makes of it: `✗ method, message`, and `Executed 3 tests, with 1 failure`.
pub(in crate::artifact::text) fn read_pretty(lines: &Lines) -> Part {
    section::read(lines, &PRETTY)
}

/// `Test Case '…' started.`, `Test case '…' failed on 'iPhone' (0.2 seconds)`
fn case(line: &str) -> Option<Event> {
    let (front, rest) = line.split_once('\'')?;
    if !front.ends_with("Test Case ") && !front.ends_with("Test case ") {
        return None;
    }
    let (name, rest) = rest.split_once('\'')?;
    let id = test_id(name);
    Some(match rest.split_whitespace().next()?.trim_end_matches('.') {
        "started" => Event::Begin(id),
        "passed" => Event::End(id, Status::Passed),
        "failed" => Event::End(id, Status::Failed),
        "skipped" => Event::End(id, Status::Skipped),
        _ => return None,
    })
}

/// `-[Module.Class method]`, `Class.method` or `Class.method()`
fn test_id(name: &str) -> TestId {
    let bracketed =
        name.strip_prefix("-[").and_then(|name| name.strip_suffix(']')).and_then(|name| name.split_once(' '));
    let (class, name) = bracketed.or_else(|| name.rsplit_once('.')).unwrap_or(("", name));
    TestId { suite: String::new(), class: class.to_owned(), name: name.to_owned() }
}

/// `/a/CartTests.swift:13: error: -[Module.CartTests testAdds] : XCTAssertEqual failed: …`
fn error(line: &str) -> Option<Event> {
    if !line.starts_with(['/', '<']) {
        return None;
    }
    let (front, rest) = line.split_once(": error: ")?;
    let (name, message) = rest.split_once(" : ")?;
    let known = name.starts_with("-[") || (name.contains('.') && !name.contains(' '));
    known.then(|| Event::Note(test_id(name), message.to_owned(), place::whole(front)))
}

/// `✘ Test adds() recorded an issue at A.swift:17:9: Expectation failed: …`; the mark is a symbol of any font.
fn swift(line: &str) -> Option<Event> {
    if !line.trim_start().starts_with(|c: char| !c.is_ascii()) {
        return None;
    }
    let at = line.find("Test ").filter(|at| *at > 0 && *at < 24)?;
    if line[..at].contains(|c: char| c.is_ascii_alphanumeric()) {
        return None;
    }
    let rest = &line[at + 5..];
    if rest.starts_with("run with ") || rest.starts_with("case ") || rest.starts_with("run started") {
        return None;
    }
    let (name, told) = [" recorded an issue", " failed after ", " passed after ", " started.", " skipped"]
        .iter()
        .filter_map(|word| rest.find(word).map(|at| (at, *word)))
        .min()
        .map(|(at, word)| (&rest[..at], (word, &rest[at + word.len()..])))?;
    let id = TestId { name: name.trim_matches('"').to_owned(), ..TestId::default() };
    Some(match told.0 {
        " started." => Event::Begin(id),
        " passed after " => Event::End(id, Status::Passed),
        " failed after " => Event::End(id, Status::Failed),
        " skipped" => Event::End(id, Status::Skipped),
        _ => {
            let (_, at) = told.1.split_once("at ")?;
            let (at, message) = place::leading(at)?;
            Event::Note(id, message.trim_start_matches([':', ' ']).to_owned(), Some(at))
        }
    })
}

const PRETTY: Shape = Shape {
    head: |lines, index| {
        let line = lines.get(index).trim_start();
        let marks = [("✗ ", Status::Failed), ("✖ ", Status::Failed), ("[x] ", Status::Failed)];
        let fine = [("✓ ", Status::Passed), ("✔ ", Status::Passed)];
        let (body, status) =
            marks.into_iter().chain(fine).find_map(|(mark, status)| Some((line.strip_prefix(mark)?, status)))?;
        let (name, message) = match body.split_once(", ") {
            Some(told) if status == Status::Failed => told,
            _ => (body.split_once(" (").filter(|(_, time)| time.contains(" seconds)"))?.0, ""),
        };
        let identifier = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '(' | ')'));
        let location = if status == Status::Failed && identifier { below(lines, name) } else { None };
        let head = Head::new(status, &class(lines, index), name);
        identifier.then(|| Head { message: message.to_owned(), location, ..head })
    },
    ends: |_| true,
    counts: |lines, index| {
        let rest = lines.get(index).trim_start().strip_prefix("Executed ")?;
        let failed = number_of(&rest.replace(", with ", ", "), &["failures", "failure"])?;
        let total = rest.split(' ').next()?.parse().ok()?;
        // Where each suite counts, the cases themselves tell more.
        let suites = lines.range(index.saturating_sub(2)..index + 3).any(|(_, line)| line.starts_with("Test Suite "));
        (!suites).then(|| out_of(total, failed, 0, 0))
    },
    counted: false,
    ..SHAPE
};

/// The list's title: the class stands alone on its line, or in the line that starts its suite.
fn class(lines: &Lines, index: usize) -> String {
    let above = (index.saturating_sub(300)..index).rev().map(|at| lines.get(at).trim());
    let mut titles = above.filter_map(|line| {
        if let Some(rest) = line.strip_prefix("Test Suite '") {
            return rest.split('\'').next();
        }
        let alone = !line.is_empty() && line.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.'));
        alone.then_some(line)
    });
    titles.next().unwrap_or_default().to_owned()
}

/// The place that the closing list gives below `name, message`.
fn below(lines: &Lines, name: &str) -> Option<Location> {
    let tail = lines.len().saturating_sub(500);
    let named = |line: &str| line.trim_start().strip_prefix(name).is_some_and(|rest| rest.starts_with(", "));
    let at = lines.range(tail..lines.len()).find(|(_, line)| named(line))?.0;
    section::place_of(lines.get(at + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn xctest_of_both_systems_is_read() {
        let log = "Test Case '-[AppTests.CartTests testAdds]' started.\n/a/CartTests.swift:13: error: -[AppTests.CartTests testAdds] : XCTAssertEqual failed: (\"1\") is not equal to (\"2\")\nTest Case '-[AppTests.CartTests testAdds]' failed (0.119 seconds).\nTest Case 'CartTests.testKeeps' passed (0.001 seconds)\nTest case 'BTests.testX()' failed on 'Clone 1 of iPhone' (0.2 seconds)\n";
        let part = read(&Lines::of(log));
        assert_eq!((part.counts.total, part.counts.failed), (3, 2));
        let case = &part.cases[0];
        assert_eq!((case.id.class.as_str(), case.id.name.as_str()), ("AppTests.CartTests", "testAdds"));
        assert_eq!(case.faults[0].message, "XCTAssertEqual failed: (\"1\") is not equal to (\"2\")");
        assert_eq!(case.faults[0].location.as_ref().unwrap().line, Some(13));
    }

    #[test]
    fn swift_testing_is_read_whatever_its_marks() {
        let log = "◇ Test adds() started.\n✘ Test adds() recorded an issue at A.swift:17:9: Expectation failed: true == false\n✘ Test adds() failed after 0.001 seconds with 1 issue.\n✔ Test \"keeps a thing\" passed after 0.001 seconds.\n✘ Test run with 2 tests failed after 0.001 seconds with 1 issue.\n";
        let part = read(&Lines::of(log));
        assert_eq!((part.counts.total, part.counts.failed), (2, 1));
        assert_eq!(part.cases[0].faults[0].message, "Expectation failed: true == false");
        assert_eq!(part.cases[1].id.name, "keeps a thing");
    }

    #[test]
    fn xcpretty_is_read() {
        let log = "CartTests\n    ✓ testKeeps (0.001 seconds)\n    ✗ testAdds, 1 is not 2\n\n\nCartTests\n  testAdds, 1 is not 2\n  /a/CartTests.m:34\n\n\n\t Executed 2 tests, with 1 failure (0 unexpected) in 0.1 (0.2) seconds\n";
        let part = read_pretty(&Lines::of(log));
        assert_eq!((part.counts.total, part.counts.failed), (2, 1));
        assert_eq!(
            (part.cases[1].id.class.as_str(), part.cases[1].faults[0].message.as_str()),
            ("CartTests", "1 is not 2")
        );
        assert_eq!(part.cases[1].faults[0].location.as_ref().unwrap().line, Some(34));
    }
}
