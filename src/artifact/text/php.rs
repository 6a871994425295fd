//! The test runners of PHP.

use super::Part;
use super::lines::Lines;
use super::section::{self, Head, SHAPE, Shape, number_of, numbered, out_of};
use crate::artifact::{Status, TestCounts};

/// Reads numbered failures under their titles, and `Tests: 3, Assertions: 5, Failures: 1.`
pub(super) fn phpunit(lines: &Lines) -> Part {
    section::read(lines, &PHPUNIT)
}

/// Reads Pest's sections and counts.
pub(super) fn pest(lines: &Lines) -> Part {
    section::read(lines, &PEST)
}

/// Reads phpspec's list of broken examples, and `5 examples (4 passed, 1 failed)`.
pub(super) fn phpspec(lines: &Lines) -> Part {
    section::read(lines, &PHPSPEC)
}

/// Reads what PHP's own `run-tests.php` prints.
pub(super) fn phpt(lines: &Lines) -> Part {
    section::read(lines, &PHPT)
}

const PHPUNIT: Shape = Shape {
    head: |lines, index| {
        let line = lines.get(index);
        let name = line.starts_with(|c: char| c.is_ascii_digit()).then(|| numbered(line)).flatten()?;
        // Codeception: `1) ATest: Adds a thing` with the test on the next line.
        let (class, method) = match name.split_once("::") {
            Some((class, method)) => (class, method),
            None => lines.get(index + 1).trim().strip_prefix("Test ").and_then(|test| test.split_once(".php:"))?,
        };
        let class = class.rsplit(['/', ' ']).next().unwrap_or(class);
        Some(Head::new(Status::Failed, class, method))
    },
    ends: |line| line == "--" || line == "FAILURES!" || line == "ERRORS!" || line.starts_with("Time: "),
    mode: |line| {
        let rest = line.strip_prefix("There was ").or_else(|| line.strip_prefix("There were "))?;
        let (number, what) = rest.split_once(' ')?;
        number.parse::<u64>().ok()?;
        Some(match what.trim_end_matches(':').trim_end_matches('s') {
            "failure" => Status::Failed,
            "error" => Status::Errored,
            _ => Status::Skipped,
        })
    },
    counts: |lines, index| tests(lines.get(index).trim()),
    ..SHAPE
};

/// `Tests: 78, Assertions: 197, Errors: 1, Failures: 2, Skipped: 1.` or `OK (3 tests, 3 assertions)`.
fn tests(line: &str) -> Option<TestCounts> {
    if let Some(rest) = line.strip_prefix("OK (").filter(|rest| rest.contains(" assertion")) {
        return Some(out_of(number_of(rest, &["tests", "test"])?, 0, 0, 0));
    }
    if !line.starts_with("Tests: ") || !line.contains(", Assertions: ") {
        return None;
    }
    let number = |words: &[&str]| number_of(line, words).unwrap_or(0);
    Some(out_of(number(&["Tests"]), number(&["Failures"]), number(&["Errors"]), number(&["Skipped", "Incomplete"])))
}

const PEST: Shape = Shape {
    head: |lines, index| {
        let line = lines.get(index).trim();
        let rest = line.strip_prefix("FAILED  ").or_else(|| line.strip_prefix("• "))?;
        let (class, name) = rest.split_once(" > ").or_else(|| rest.split_once(" → "))?;
        let name = name.rsplit_once("  ").map_or(name, |(name, _)| name);
        class.contains('\\').then(|| Head::new(Status::Failed, class, name))
    },
    ends: |line| line.trim_start().starts_with("Tests: "),
    counts: |lines, index| {
        let rest = lines.get(index).trim_start().strip_prefix("Tests: ")?;
        let number = |words: &[&str]| number_of(rest, words).unwrap_or(0);
        let passed = number(&["passed"]);
        let (failed, skipped) = (number(&["failed"]), number(&["skipped", "incomplete", "todos", "todo"]));
        let total = passed.saturating_add(failed).saturating_add(skipped);
        (rest.contains(" assertion") && total > 0).then(|| out_of(total, failed, 0, skipped))
    },
    ..SHAPE
};

const PHPSPEC: Shape = Shape {
    head: |lines, index| {
        let line = lines.get(index).trim_start();
        let (number, rest) = line.split_once(|c: char| c.is_whitespace())?;
        let (mark, name) = rest.trim_start().split_once(' ')?;
        let status = match mark {
            "✘" | "✗" => Status::Failed,
            "!" => Status::Errored,
            _ => return None,
        };
        number.bytes().all(|byte| byte.is_ascii_digit()).then(|| Head::new(status, "", name))
    },
    ends: |line| line.ends_with(" specs") || line.starts_with("----  "),
    counts: |lines, index| {
        let line = lines.get(index).trim();
        let (number, rest) = line.split_once(' ')?;
        if !rest.starts_with("example") || !rest.contains(" (") {
            return None;
        }
        let count = |words: &[&str]| number_of(rest, words).unwrap_or(0);
        let skipped = count(&["pending", "skipped"]);
        Some(out_of(number.parse().ok()?, count(&["failed"]), count(&["broken"]), skipped))
    },
    ..SHAPE
};

const PHPT: Shape = Shape {
    head: |lines, index| {
        let line = lines.get(index).trim_end();
        // The summary lists them again, without a word before.
        let name = line.strip_prefix("FAIL ")?.strip_suffix(']')?;
        let (name, path) = name.rsplit_once(" [")?;
        crate::artifact::place::has_extension(path, "phpt").then(|| {
            let location = Some(crate::artifact::Location { path: path.to_owned(), line: None, column: None });
            Head { location, message: name.to_owned(), ..Head::new(Status::Failed, path, name) }
        })
    },
    ends: |_| true,
    counts: |lines, index| {
        let line = lines.get(index);
        let failed: u64 = number_behind(line.strip_prefix("Tests failed    :")?)?;
        let near = |word: &str| {
            let range = index.saturating_sub(5)..index + 4;
            lines.range(range).find_map(|(_, line)| number_behind(line.strip_prefix(word)?)).unwrap_or(0)
        };
        let (passed, skipped) = (near("Tests passed    :"), near("Tests skipped   :"));
        Some(out_of(passed.saturating_add(failed).saturating_add(skipped), failed, 0, skipped))
    },
    counted: false,
    ..SHAPE
};

fn number_behind(text: &str) -> Option<u64> {
    text.trim_start().split(' ').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phpunit_runs_add_up_and_only_failures_are_named() {
        let log = "OK (3 tests, 6 assertions)\nThere was 1 error:\n\n1) App\\ATest::testDies\nException: boom\n\n/app/tests/ATest.php:31\n\n--\n\nThere were 2 failures:\n\n1) App\\ATest::testAdds with data set #0 (1, 2)\nFailed asserting that 1 matches expected 2.\n\n/app/tests/ATest.php:12\n\n2) App\\ATest::testAdds with data set #1 (1, 3)\nFailed asserting that false is true.\n\n/app/tests/ATest.php:12\n\n--\n\nThere was 1 skipped test:\n\n1) App\\ATest::testLater\nnot here\n\nERRORS!\nTests: 7, Assertions: 9, Errors: 1, Failures: 2, Skipped: 1.\n";
        let part = phpunit(&Lines::of(log));
        let counts = part.counts;
        assert_eq!((counts.total, counts.failed, counts.errored, counts.skipped), (10, 2, 1, 1));
        let names: Vec<&str> = part.cases.iter().map(|case| case.id.name.as_str()).collect();
        assert_eq!(names, ["testDies", "testAdds with data set #0 (1, 2)", "testAdds with data set #1 (1, 3)"]);
        assert_eq!(part.cases[0].status, Status::Errored);
        assert_eq!(part.cases[1].faults[0].location.as_ref().unwrap().line, Some(12));
        assert_eq!(part.cases[1].faults[0].message, "Failed asserting that 1 matches expected 2.");
    }

    #[test]
    fn the_other_runners_are_read() {
        let part = pest(&Lines::of(
            "   FAILED  Tests\\Unit\\CartTest > it adds      \n  Failed asserting that 1 is 2.\n\n  at tests/Unit/CartTest.php:4\n\n  Tests:    1 failed, 2 passed (3 assertions)\n",
        ));
        assert_eq!((part.cases[0].id.name.as_str(), part.counts.total), ("it adds", 3));
        let part = phpspec(&Lines::of(
            "  10  ✘ adds a thing\n      expected 1, but got 2.\n\n2 specs\n5 examples (4 passed, 1 failed)\n",
        ));
        assert_eq!((part.cases[0].id.name.as_str(), part.counts.passed), ("adds a thing", 4));
        let part = phpt(&Lines::of(
            "PASS x [a.phpt]\nFAIL Bug 1 [ext/b.phpt] \nTests failed    :    1 ( 50%)\nTests passed    :    1 ( 50%)\n",
        ));
        assert_eq!((part.cases[0].id.class.as_str(), part.counts.passed), ("ext/b.phpt", 1));
    }
}
