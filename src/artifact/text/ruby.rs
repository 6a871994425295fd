//! The test runners of Ruby, and those that print like them (hspec of Haskell, Crystal's spec).

use super::Part;
use super::lines::Lines;
use super::section::{self, Head, SHAPE, Shape, number_of, numbered, out_of, place_of};
use crate::artifact::{Status, TestCounts};

/// Reads numbered failures and `3 examples, 1 failure`.
pub(super) fn rspec(lines: &Lines) -> Part {
    section::read(lines, &RSPEC)
}

/// Reads what minitest, test-unit and Rails print, and `3 runs, 5 assertions, 1 failures, …`.
pub(super) fn minitest(lines: &Lines) -> Part {
    section::read(lines, &MINITEST)
}

/// Reads the failing scenarios of cucumber and behat, and `3 scenarios (1 failed, 2 passed)`.
pub(super) fn cucumber(lines: &Lines) -> Part {
    section::read(lines, &CUCUMBER)
}

const RSPEC: Shape = Shape {
    head: |lines, index| {
        let line = lines.get(index);
        let name = line.starts_with("  ").then(|| numbered(line)).flatten()?;
        let pending = lines.get(index + 1).trim_start().starts_with("# ");
        // hspec puts the place above.
        let above = index.checked_sub(1).map(|above| lines.get(above).trim()).unwrap_or_default();
        let location = place_of(above).filter(|at| above.starts_with(&at.path));
        (!pending && !name.starts_with('[')).then(|| Head { location, ..Head::new(Status::Failed, "", name) })
    },
    ends: |line| {
        ["Finished in ", "Failed examples:", "Randomized with seed", "Top "].iter().any(|s| line.starts_with(s))
    },
    mode: |line| match line.trim_end() {
        "Failures:" => Some(Status::Failed),
        _ if line.starts_with("Pending:") => Some(Status::Skipped),
        _ => None,
    },
    counts: |lines, index| examples(lines.get(index)),
    ..SHAPE
};

/// `12 examples, 2 failures, 1 pending, 1 error occurred outside of examples`
fn examples(line: &str) -> Option<TestCounts> {
    let line = line.trim();
    if !line.starts_with(|c: char| c.is_ascii_digit()) || !line.contains(" failure") {
        return None;
    }
    let total = number_of(line, &["example", "examples"])?;
    let failed = number_of(line, &["failure", "failures"])?;
    let errored = number_of(line, &["error", "errors"]).unwrap_or(0);
    let skipped = number_of(line, &["pending"]).unwrap_or(0);
    Some(out_of(total.saturating_add(if line.contains(" outside") { errored } else { 0 }), failed, errored, skipped))
}

const MINITEST: Shape = Shape {
    head: |lines, index| unit(lines, index),
    ends: |line| {
        let ends = ["Finished in ", "rails test ", "bin/rails test ", "bin/test ", "rake test ", "Finished tests in "];
        ends.iter().any(|start| line.starts_with(start)) || line.starts_with("=====")
    },
    counts: |lines, index| assertions(lines.get(index)),
    ..SHAPE
};

/// `134 runs, 484 assertions, 0 failures, 2 errors, 4 skips`
fn assertions(line: &str) -> Option<TestCounts> {
    let line = line.trim();
    if !line.starts_with(|c: char| c.is_ascii_digit()) || !line.contains(" assertions, ") {
        return None;
    }
    let total = number_of(line, &["runs", "tests", "run", "test"])?;
    let failed = number_of(line, &["failure", "failures"])?;
    let errored = number_of(line, &["error", "errors"])?;
    let skipped = number_of(line, &["skips", "pendings", "omissions"]).unwrap_or(0);
    Some(out_of(total, failed, errored, skipped))
}

fn unit(lines: &Lines, index: usize) -> Option<Head> {
    let line = lines.get(index).trim_start();
    if line.len() > 2048 {
        return None;
    }
    let body = numbered(line).unwrap_or(line).trim_end();
    if let Some(head) = reporter(body) {
        return Some(head);
    }
    let status = if body.starts_with("Fail") || body.starts_with("FAIL") {
        Status::Failed
    } else if body.starts_with("Error") || body.starts_with("ERROR") {
        Status::Errored
    } else {
        return None;
    };
    // The reporters of minitest: `FAIL["test_x", ATest, 0.1]`.
    if let Some((_, rest)) = body.split_once("[\"").filter(|(word, _)| matches!(word.trim(), "FAIL" | "ERROR")) {
        let (name, rest) = rest.split_once("\", ")?;
        return Some(Head::new(status, rest.split([',', ']']).next()?.trim_matches(['"', '#', '<']), name));
    }
    if matches!(body, "Failure:" | "Error:") {
        let (class, name, rest) = test_line(lines.get(index + 1).trim())?;
        let location = rest.rfind('[').and_then(|at| place_of(rest[at + 1..].trim_end_matches(':')));
        return Some(Head { lines: 2, location, ..Head::new(status, class, name) });
    }
    // test-unit: `Failure: test_x(ATest)`, perhaps with the message behind.
    let rest = body.strip_prefix("Failure: ").or_else(|| body.strip_prefix("Error: "))?;
    let (name, rest) = rest.split_once('(')?;
    let (class, rest) = rest.split_once(')')?;
    let message = rest.trim_start_matches([':', ' ']).to_owned();
    (name.starts_with("test") || name.starts_with("Test")).then(|| Head { message, ..Head::new(status, class, name) })
}

/// `FAIL ATest#test_x (0.01s)` or `test_x    FAIL (0.01s)` of minitest's other reporters.
fn reporter(body: &str) -> Option<Head> {
    let front =
        body.strip_suffix("s)")?.rsplit_once(" (").filter(|(_, time)| time.parse::<f64>().is_ok())?.0.trim_end();
    for (word, status) in [("FAIL", Status::Failed), ("ERROR", Status::Errored)] {
        if let Some(name) = front.strip_suffix(word).filter(|name| name.ends_with("  ") && name.starts_with("test")) {
            return Some(Head::new(status, "", name));
        }
        if let Some((class, name)) = front.strip_prefix(word).and_then(|rest| rest.trim_start().split_once('#')) {
            return Some(Head::new(status, class, name));
        }
    }
    None
}

/// `ATest#test_x [a_test.rb:12]:` or, of old versions, `test_x(ATest) [a_test.rb:12]:`.
fn test_line(line: &str) -> Option<(&str, &str, &str)> {
    if let Some((class, rest)) = line.split_once('#').filter(|(class, _)| !class.contains([' ', '(', '['])) {
        let end = rest.find(" [").unwrap_or_else(|| rest.trim_end_matches(':').len());
        return Some((class, &rest[..end], &rest[end..]));
    }
    let (name, rest) = line.split_once('(')?;
    let (class, rest) = rest.split_once(')')?;
    (!name.contains(' ') || name.starts_with("test")).then_some((class, name, rest))
}

const CUCUMBER: Shape = Shape {
    head: |lines, index| {
        let line = lines.get(index).trim_end();
        let found = line.strip_prefix("cucumber ").or_else(|| line.trim_start().strip_prefix("cucumber "));
        let place = match found {
            Some(rest) => {
                rest.rsplit_once(" -p ").map_or(rest, |(_, rest)| rest.split_once(' ').map_or(rest, |it| it.1))
            }
            None => line.strip_prefix("    ").filter(|rest| rest.contains(".feature:"))?,
        };
        let (at, name) = match place.split_once(" # ") {
            Some((at, name)) => (at, name),
            None => (place, place),
        };
        let location = place_of(at).filter(|at| at.path.ends_with(".feature"))?;
        let name = name.trim();
        let name =
            ["Scenario: ", "Scenario Outline: ", "Example: "].iter().find_map(|s| name.strip_prefix(s)).unwrap_or(name);
        let message = format!("the scenario failed: {name}");
        Some(Head { location: Some(location), message, ..Head::new(Status::Failed, "", name) })
    },
    ends: |_| true,
    mode: |line| match line.trim() {
        "Failing Scenarios:" | "--- Failed scenarios:" | "Failing scenarios:" => Some(Status::Failed),
        "--- Skipped scenarios:" | "--- Pending scenarios:" | "--- Undefined scenarios:" => Some(Status::Skipped),
        _ => None,
    },
    counts: |lines, index| scenarios(lines.get(index)),
    counted: true,
};

/// `3 scenarios (1 failed, 2 passed)`
fn scenarios(line: &str) -> Option<TestCounts> {
    let (number, rest) = line.trim().split_once(' ')?;
    if !rest.starts_with("scenario") {
        return None;
    }
    let number: u64 = number.parse().ok()?;
    let failed = number_of(rest, &["failed"]).unwrap_or(0);
    let passed = number_of(rest, &["passed"]).unwrap_or(0);
    Some(out_of(number, failed, 0, number.saturating_sub(failed.saturating_add(passed))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::artifact::Lines as Span;

    const SPEC: &str = "F.*\n\nPending: (Failures listed here are expected)\n\n  1) Cart waits\n     # Not yet implemented\n     # ./spec/cart_spec.rb:20\n\nFailures:\n\n  1) Cart adds items\n     Failure/Error: expect(cart.size).to eq(2)\n\n       expected: 2\n            got: 1\n\n       (compared using ==)\n     # ./spec/cart_spec.rb:12:in `block (2 levels) in <top (required)>'\n\nFinished in 0.05 seconds (files took 0.5 seconds to load)\n3 examples, 1 failure, 1 pending\n\nFailed examples:\n\nrspec ./spec/cart_spec.rb:10 # Cart adds items\n";

    #[test]
    fn rspec_names_what_failed_and_what_was_expected() {
        let part = rspec(&Lines::of(SPEC));
        assert_eq!((part.counts.total, part.counts.failed, part.counts.skipped), (3, 1, 1));
        let case = &part.cases[0];
        assert_eq!((part.cases.len(), case.id.name.as_str()), (1, "Cart adds items"));
        assert_eq!(case.faults[0].message, "expected: 2, got: 1");
        assert_eq!(case.faults[0].location.as_ref().unwrap().line, Some(12));
        assert_eq!(case.faults[0].lines, Some(Span { start: 11, end: 18 }));
    }

    #[test]
    fn minitest_and_its_relatives_are_read() {
        let log = "# Running:\n\n.F\n\nFailure:\nCartTest#test_adds [test/cart_test.rb:9]:\nExpected: 2\n  Actual: 1\n\n\nbin/rails test test/cart_test.rb:7\n\nE\n\nError:\nCartTest#test_dies:\nRuntimeError: boom\n    test/cart_test.rb:14:in `test_dies'\n\nFinished in 0.1s, 20 runs/s.\n3 runs, 4 assertions, 1 failures, 1 errors, 0 skips\n";
        let part = minitest(&Lines::of(log));
        let names: Vec<_> = part.cases.iter().map(|case| (case.id.class.as_str(), case.id.name.as_str())).collect();
        assert_eq!(names, [("CartTest", "test_adds"), ("CartTest", "test_dies")]);
        assert_eq!((part.counts.total, part.counts.failed, part.counts.errored), (3, 1, 1));
        assert_eq!(part.cases[0].faults[0].message, "Expected: 2, Actual: 1");
        assert_eq!(part.cases[1].faults[0].class.as_deref(), Some("RuntimeError"));
        let old =
            "  1) Failure:\ntest_a(ATest) [a_test.rb:3]:\nno\n\n1 tests, 1 assertions, 1 failures, 0 errors, 0 skips\n";
        assert_eq!(minitest(&Lines::of(old)).cases[0].id.name, "test_a");
        let unit = "===\nFailure: test_b(BTest): <1> expected but was <2>\nb.rb:3\n=======\n1 tests, 1 assertions, 1 failures, 0 errors, 0 pendings\n";
        assert_eq!(minitest(&Lines::of(unit)).cases[0].faults[0].message, "<1> expected but was <2>");
    }

    #[test]
    fn scenarios_of_cucumber_and_behat_are_named() {
        let log = "Failing Scenarios:\ncucumber features/a.feature:3 # Scenario: buys a thing\n\n2 scenarios (1 failed, 1 passed)\n";
        let part = cucumber(&Lines::of(log));
        assert_eq!((part.cases[0].id.name.as_str(), part.counts.total), ("buys a thing", 2));
        let behat = "--- Failed scenarios:\n\n    features/b.feature:7\n\n1 scenario (1 failed)\n3 steps (2 passed, 1 failed)\n";
        assert_eq!(cucumber(&Lines::of(behat)).cases[0].faults[0].location.as_ref().unwrap().line, Some(7));
    }
}
