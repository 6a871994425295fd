//! The test runners of the JVM but Maven's: gradle, sbt with `ScalaTest`, specs2 and `JUnit`, clojure.test.

use super::Part;
use super::lines::Lines;
use super::section::{self, Head, SHAPE, Shape, number_of, out_of, place_of};
use crate::artifact::{Case, Location, Status, TestCounts};

/// Reads `ATest > adds FAILED` with the exception below, and `40 tests completed, 1 failed`.
pub(super) fn gradle(lines: &Lines) -> Part {
    let mut part = section::read(lines, &GRADLE);
    part.cases.iter_mut().for_each(place_own);
    part
}

/// Reads what sbt's frameworks print behind `[info]` and `[error]`.
pub(super) fn sbt(lines: &Lines) -> Part {
    let mut part = section::read(lines, &SBT);
    part.cases.iter_mut().for_each(place_own);
    part
}

/// Reads `FAIL in (name) (file.clj:3)` and `Ran 3 tests containing 5 assertions.`
pub(super) fn clojure(lines: &Lines) -> Part {
    section::read(lines, &CLOJURE)
}

/// The test's own frame is where a reader looks first: assertion libraries stand above it.
pub(super) fn place_own(case: &mut Case) {
    let class = case.id.class.rsplit('.').next().unwrap_or_default().split('$').next().unwrap_or_default();
    for fault in &mut case.faults {
        let own = fault.frames.iter().rev().find(|frame| {
            let file = frame.path.rsplit('/').next().unwrap_or(&frame.path);
            !class.is_empty() && file.split('.').next() == Some(class)
        });
        if let Some(frame) = own {
            fault.location = Some(Location { path: frame.path.clone(), line: frame.line, column: None });
        }
    }
}

const GRADLE: Shape = Shape {
    head: |lines, index| {
        let line = lines.get(index).trim_end();
        let (test, word) = line.rsplit_once(' ')?;
        let status = match word {
            "FAILED" => Status::Failed,
            "PASSED" => Status::Passed,
            "SKIPPED" => Status::Skipped,
            _ => return None,
        };
        let (class, name) = test.split_once(" > ")?;
        if test.starts_with(['>', ' ', '[', '*']) || class.starts_with("Task ") || test.len() > 1024 {
            return None;
        }
        // What a suite or a task reports as a whole is no test.
        (!class.starts_with("Gradle Test")).then(|| Head::new(status, class, name)).or_else(|| {
            let (_, test) = name.split_once(" > ")?;
            let (class, name) = test.split_once(" > ")?;
            Some(Head::new(status, class, name))
        })
    },
    ends: |line| !line.is_empty() && !line.starts_with([' ', '\t']),
    counts: |lines, index| {
        let line = lines.get(index).trim();
        if !line.starts_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
        let (total, rest) = line.split_once(" tests completed").or_else(|| line.split_once(" test completed"))?;
        let (failed, skipped) = (number_of(rest, &["failed"]).unwrap_or(0), number_of(rest, &["skipped"]).unwrap_or(0));
        Some(out_of(total.parse().ok()?, failed, 0, skipped))
    },
    counted: false,
    ..SHAPE
};

const SBT: Shape = Shape {
    head: |lines, index| {
        let body = behind_label(lines.get(index))?;
        // ScalaTest: `- adds a thing *** FAILED ***`, with the reason on the lines below.
        if let Some(rest) = body.trim_start().strip_prefix("- ") {
            let (name, word) = rest.split_once(" *** ")?;
            return word.starts_with("FAILED").then(|| Head::new(Status::Failed, &suite(lines, index), name));
        }
        // The JUnit interface: `Test a.BTest.adds failed: message, took 0.1 sec`.
        if let Some((test, message)) = body.strip_prefix("Test ").and_then(|rest| rest.split_once(" failed: ")) {
            let (class, name) = test.rsplit_once('.')?;
            let message = message.rsplit_once(", took ").map_or(message, |(message, _)| message).to_owned();
            return (!test.contains(' ')).then(|| Head { message, ..Head::new(Status::Failed, class, name) });
        }
        // specs2: `x adds a thing`, an error has `!`.
        let (mark, name) = body.trim_start().split_once(' ')?;
        let status = match mark {
            "x" if lines.get(index).contains("[error]") => Status::Failed,
            "!" if lines.get(index).contains("[error]") => Status::Errored,
            _ => return None,
        };
        Some(Head::new(status, "", name))
    },
    ends: |line| {
        let Some(body) = behind_label(line) else { return true };
        ["- ", "+ ", "Run ", "Failed", "Total", "Passed"].iter().any(|start| body.trim_start().starts_with(start))
    },
    counts: |lines, index| {
        let body = behind_label(lines.get(index))?;
        let rest = ["Failed: Total ", "Error: Total ", "Passed: Total "].iter().find_map(|s| body.strip_prefix(s))?;
        let number = |word: &str| number_of(rest, &[word]).unwrap_or(0);
        let total = rest.split(',').next()?.trim().parse().ok()?;
        Some(out_of(total, number("Failed"), number("Errors"), number("Skipped").saturating_add(number("Ignored"))))
    },
    counted: false,
    ..SHAPE
};

fn behind_label(line: &str) -> Option<&str> {
    line.strip_prefix("[info] ").or_else(|| line.strip_prefix("[error] "))
}

/// The suite that `ScalaTest` named last: `[info] CartSpec:`.
fn suite(lines: &Lines, index: usize) -> String {
    let above = (index.saturating_sub(200)..index).rev().filter_map(|at| lines.get(at).strip_prefix("[info] "));
    let mut names = above.filter_map(|body| body.trim_end().strip_suffix(':'));
    names.find(|name| !name.is_empty() && !name.contains(' ')).unwrap_or_default().to_owned()
}

const CLOJURE: Shape = Shape {
    head: |lines, index| {
        let line = lines.get(index);
        if let Some(head) = other_clojure(line) {
            return Some(head);
        }
        let (status, rest) = match line.strip_prefix("FAIL in ") {
            Some(rest) => (Status::Failed, rest),
            None => (Status::Errored, line.strip_prefix("ERROR in ")?),
        };
        let (name, place) = match rest.strip_prefix('(') {
            Some(rest) => rest.split_once(')')?,
            // kaocha: `FAIL in a.b-test/adds (b_test.clj:3)`.
            None => rest.split_once(' ')?,
        };
        let (class, name) = match name.rsplit_once('/') {
            Some((class, name)) => (class.to_owned(), name),
            None => (namespace(lines, index), name),
        };
        Some(Head { location: place_of(place), message: said(lines, index), ..Head::new(status, &class, name) })
    },
    ends: |line| {
        line.is_empty() || line.starts_with("lein test ") || line.starts_with("Ran ") || line.starts_with("Testing ")
    },
    counts: |lines, index| {
        let line = lines.get(index);
        if let Some(rest) = line.strip_prefix("FAILURE: ").filter(|rest| rest.contains(" check")) {
            let failed: u64 = rest.split(' ').next()?.parse().ok()?;
            let passed =
                rest.split_once("(But ").and_then(|(_, rest)| rest.split(' ').next()?.parse().ok()).unwrap_or(0);
            return Some(out_of(failed.saturating_add(passed), failed, 0, 0));
        }
        let (total, rest) = line.strip_prefix("Ran ")?.split_once(" tests containing ")?;
        let total: u64 = total.parse().ok()?;
        let verdict = lines.get(index + 1);
        let failed = number_of(verdict, &["failures"]).unwrap_or(0);
        let errored = number_of(verdict, &["errors"]).unwrap_or(0);
        // Assertions fail, and several can in one test.
        let bad = failed.saturating_add(errored).min(total);
        rest.contains("assertion").then(|| TestCounts {
            total,
            passed: total.saturating_sub(bad),
            ..TestCounts::default()
        })
    },
    counted: false,
    ..SHAPE
};

/// `failure in (a_test.clj:12) : ns` of expectations, `FAIL "adds" at (a_test.clj:12)` of midje.
fn other_clojure(line: &str) -> Option<Head> {
    let found = line.strip_prefix("failure in (").map(|rest| (Status::Failed, rest));
    if let Some((status, rest)) = found.or_else(|| line.strip_prefix("error in (").map(|rest| (Status::Errored, rest)))
    {
        let (place, class) = rest.split_once(") : ")?;
        return Some(Head { location: place_of(place), ..Head::new(status, class, place) });
    }
    let rest = line.strip_prefix("FAIL ").filter(|rest| rest.starts_with('"') || rest.starts_with("at ("))?;
    let (name, place) = rest.rsplit_once("at (")?;
    let location = place_of(place)?;
    let name = name.trim().trim_matches('"');
    let name = if name.is_empty() { place.trim_end_matches(')') } else { name };
    Some(Head { location: Some(location), ..Head::new(Status::Failed, "", name) })
}

/// The namespace that was named last: `lein test a.b-test` or `Testing a.b-test`.
fn namespace(lines: &Lines, index: usize) -> String {
    let above = (index.saturating_sub(300)..index).rev().map(|at| lines.get(at));
    let mut named = above.filter_map(|line| line.strip_prefix("lein test ").or_else(|| line.strip_prefix("Testing ")));
    let found = named.find(|name| !name.starts_with(':') && !name.trim().contains(' ')).unwrap_or_default();
    found.trim().to_owned()
}

/// `expected:` and `actual:` below a head.
fn said(lines: &Lines, index: usize) -> String {
    let sides = lines.range(index + 1..index + 12).map(|(_, line)| line.trim()).take_while(|line| !line.is_empty());
    let told: Vec<&str> = sides.filter(|line| line.starts_with("expected:") || line.starts_with("actual:")).collect();
    told.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gradle_names_its_tests_and_no_tasks() {
        let log = "CartTest > adds() FAILED\n    java.lang.AssertionError: 1 != 2\n        at org.x.Y.z(Y.java:3)\n        at a.CartTest.adds(CartTest.java:9)\n\nCartTest > keeps() PASSED\n\n40 tests completed, 1 failed\n\n> Task :lib:test FAILED\n";
        let part = gradle(&Lines::of(log));
        assert_eq!((part.counts.total, part.counts.failed, part.cases.len()), (40, 1, 2));
        assert_eq!(part.cases[0].id.name, "adds()");
        assert_eq!(part.cases[0].faults[0].location.as_ref().unwrap().path, "a/CartTest.java");
        assert_eq!(part.cases[0].faults[0].message, "java.lang.AssertionError: 1 != 2");
    }

    #[test]
    fn sbt_frameworks_are_read() {
        let log = "[info] CartSpec:\n[info] - adds *** FAILED ***\n[info]   1 did not equal 2 (CartSpec.scala:12)\n[info] - keeps\n[error] Test a.BTest.subtracts failed: expected 1, took 0.1 sec\n[error] Failed: Total 9, Failed 2, Errors 0, Passed 7\n";
        let part = sbt(&Lines::of(log));
        assert_eq!((part.counts.total, part.counts.failed), (9, 2));
        assert_eq!((part.cases[0].id.class.as_str(), part.cases[0].id.name.as_str()), ("CartSpec", "adds"));
        assert_eq!(part.cases[0].faults[0].location.as_ref().unwrap().line, Some(12));
        assert_eq!(part.cases[1].faults[0].message, "expected 1");
    }

    #[test]
    fn clojure_tells_both_sides() {
        let log = "lein test a.b-test\n\nFAIL in (adds-things) (b_test.clj:12)\nadding\nexpected: (= 1 2)\n  actual: (not (= 1 2))\n\nRan 5 tests containing 9 assertions.\n1 failures, 0 errors.\nTests failed.\n";
        let part = clojure(&Lines::of(log));
        assert_eq!((part.counts.total, part.counts.failed, part.counts.passed), (5, 1, 4));
        assert_eq!((part.cases[0].id.class.as_str(), part.cases[0].id.name.as_str()), ("a.b-test", "adds-things"));
        assert_eq!(part.cases[0].faults[0].message, "expected: (= 1 2), actual: (not (= 1 2))");
        let log = "failure in (core_test.clj:12) : a.core-test\n(expect\n  1\n  2)\n\nRan 2 tests containing 2 assertions in 5 msecs\n1 failures, 0 errors.\n";
        assert_eq!(clojure(&Lines::of(log)).cases[0].id.class, "a.core-test");
        let log = "FAIL \"adds\" at (core_test.clj:3)\n    Expected: 2\n      Actual: 1\nFAILURE: 1 check failed.  (But 3 succeeded.)\n";
        let part = clojure(&Lines::of(log));
        assert_eq!((part.counts.total, part.cases[0].id.name.as_str()), (4, "adds"));
    }
}
