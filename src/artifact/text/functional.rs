//! The test runners of Haskell, OCaml, R, Julia and Emacs Lisp.

use super::Part;
use super::lines::Lines;
use super::section::{self, Head, SHAPE, Shape, number_of, out_of, place_of};
use crate::artifact::{Status, TestCounts};

/// Reads `name: FAIL` of tasty, and `1 out of 3 tests failed`.
pub(super) fn tasty(lines: &Lines) -> Part {
    section::read(lines, &TASTY)
}

/// Reads `### Failure in: 0:name` of `HUnit`, and `Cases: 3  Tried: 3  Errors: 0  Failures: 1`.
pub(super) fn hunit(lines: &Lines) -> Part {
    section::read(lines, &HUNIT)
}

/// Reads `[FAIL]  suite  0  name.` of alcotest.
pub(super) fn alcotest(lines: &Lines) -> Part {
    section::read(lines, &ALCOTEST)
}

/// Reads `── Failure (test-a.R:3:5): name ──`, and `[ FAIL 1 | WARN 0 | SKIP 0 | PASS 3 ]`.
pub(super) fn testthat(lines: &Lines) -> Part {
    section::read(lines, &TESTTHAT)
}

/// Reads `name: Test Failed at /a.jl:12`, and the table of test sets.
pub(super) fn julia(lines: &Lines) -> Part {
    section::read(lines, &JULIA)
}

/// Reads `Test name condition:` of ERT, and `Ran 34 tests, 33 results as expected, 1 unexpected`.
pub(super) fn ert(lines: &Lines) -> Part {
    section::read(lines, &ERT)
}

/// Reads buttercup's sections, and `Ran 12 specs, 1 failed, in 5.5ms.`
pub(super) fn buttercup(lines: &Lines) -> Part {
    section::read(lines, &BUTTERCUP)
}

const TASTY: Shape = Shape {
    head: |lines, index| {
        let line = lines.get(index);
        let (name, end) = line.rsplit_once(':')?;
        let end = end.trim();
        let word = end.split(" (").next().unwrap_or(end).trim();
        let status = match word {
            "FAIL" => Status::Failed,
            "OK" => Status::Passed,
            _ => return None,
        };
        let timed = end == word || end.ends_with("s)");
        (timed && line.starts_with(' ')).then(|| Head::new(status, "", name))
    },
    ends: |line| !line.is_empty() && !line.starts_with("    "),
    counts: |lines, index| {
        let line = lines.get(index).trim();
        if let Some(rest) = line.strip_prefix("All ") {
            let (total, rest) = rest.split_once(" tests passed")?;
            return rest.starts_with(" (").then(|| Some(out_of(total.parse().ok()?, 0, 0, 0)))?;
        }
        if !line.starts_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
        let (failed, rest) = line.split_once(" out of ")?;
        let total = rest.split_once(" tests failed")?.0.parse().ok()?;
        Some(out_of(total, failed.parse().ok()?, 0, 0))
    },
    ..SHAPE
};

const HUNIT: Shape = Shape {
    head: |lines, index| {
        let line = lines.get(index);
        let (status, rest) = match line.strip_prefix("### Failure in: ") {
            Some(rest) => (Status::Failed, rest),
            None => (
                Status::Errored,
                line.strip_prefix("### Error in: ").or_else(|| line.strip_prefix("### Error in:   "))?,
            ),
        };
        let name = rest.trim().trim_start_matches(|c: char| c.is_ascii_digit() || c == ':');
        Some(Head::new(status, "", if name.is_empty() { rest } else { name }))
    },
    ends: |line| line.starts_with("### ") || line.starts_with("Cases: "),
    counts: |lines, index| {
        let line = lines.get(index);
        // Progress overwrites itself; the last count is the one that stays.
        let rest = line.rsplit_once("Cases: ").map(|(_, rest)| rest).filter(|rest| rest.contains("Failures: "))?;
        let list = rest.replace("  ", ", ");
        let number = |word: &str| number_of(&list, &[word]).unwrap_or(0);
        let total: u64 = rest.split(' ').next()?.parse().ok()?;
        (number("Tried") == total).then(|| out_of(total, number("Failures"), number("Errors"), 0))
    },
    ..SHAPE
};

/// Reads `=== prop_adds from src/Cart.hs:12 ===` with `*** Failed!` below.
pub(super) fn quickcheck(lines: &Lines) -> Part {
    section::read(lines, &QUICKCHECK)
}

const QUICKCHECK: Shape = Shape {
    head: |lines, index| {
        let title = lines.get(index).strip_prefix("=== ")?.strip_suffix(" ===")?;
        let (name, place) = title.split_once(" from ")?;
        let below = lines.get(index + 1);
        let status = if below.starts_with("+++ OK") {
            Status::Passed
        } else if below.starts_with("*** Failed!") {
            Status::Failed
        } else {
            return None;
        };
        Some(Head { location: place_of(place), ..Head::new(status, "", name) })
    },
    ends: str::is_empty,
    counted: false,
    ..SHAPE
};

const ALCOTEST: Shape = Shape {
    head: |lines, index| {
        let line = lines.get(index).trim_start_matches([' ', '>', '│']);
        let (status, rest) = match line.strip_prefix("[FAIL]") {
            Some(rest) => (Status::Failed, rest),
            None => (Status::Passed, line.strip_prefix("[OK]")?),
        };
        let (suite, rest) = rest.trim_start().split_once("  ")?;
        let (number, name) = rest.trim_start().split_once(' ')?;
        let name = name.trim().trim_end_matches(['.', '│', ' ']);
        number.bytes().all(|byte| byte.is_ascii_digit()).then(|| Head::new(status, suite, name))
    },
    ends: |line| line.starts_with("Full test results") || line.starts_with(" ──"),
    counts: |lines, index| {
        let line = lines.get(index);
        let total = line
            .split_once("s. ")?
            .1
            .strip_suffix(" tests run.")
            .or_else(|| line.split_once("s. ")?.1.strip_suffix(" test run."))?;
        let failed = line.split_once(" failure").and_then(|(number, _)| number.trim().parse().ok()).unwrap_or(0);
        Some(out_of(total.parse().ok()?, failed, 0, 0))
    },
    ..SHAPE
};

const TESTTHAT: Shape = Shape {
    head: |lines, index| {
        let line = lines.get(index).trim_matches(['─', '-', '═', ' ']);
        let line = line.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start_matches(['.', ' ']);
        let end = line.find([' ', ':', '('])?;
        let (word, rest) = (&line[..end], line[end..].trim_start_matches([' ', ':']));
        let status = match word {
            "Failure" => Status::Failed,
            "Error" => Status::Errored,
            _ => return None,
        };
        // `(test-a.R:3:5): name`, older `name (@test-a.R#3)`.
        let rest = rest.trim();
        let (place, name) = match rest.strip_prefix('(') {
            Some(rest) => rest.split_once("): ")?,
            None => rest.rsplit_once(" (@").map(|(name, place)| (place, name))?,
        };
        let place = place.trim_matches(['\'', '‘', '’']).trim_start_matches("at ").trim_start_matches('@');
        let location = place_of(place);
        let class = place.split([':', '#']).next().unwrap_or(place).to_owned();
        Some(Head { location, ..Head::new(status, &class, name) })
    },
    ends: |line| {
        let line = line.trim();
        line.starts_with("[ FAIL")
            || line.starts_with("══")
            || line.starts_with("Error: Test failures")
            || line.starts_with("──")
    },
    counts: |lines, index| {
        let line = lines.get(index).trim();
        if let Some(rest) = line.strip_prefix("[ FAIL ") {
            // Progress shows the same; only the count before or behind the failures stays.
            let list = format!("FAIL {}", rest.trim_end_matches(']'));
            let number = |word: &str| number_of(&list, &[word]).unwrap_or(0);
            let again = lines.range(index + 1..index + 3).any(|(_, line)| line.trim().starts_with("[ FAIL "));
            let (failed, skipped) = (number("FAIL"), number("SKIP"));
            let total = failed.saturating_add(skipped).saturating_add(number("PASS"));
            return (!again).then(|| out_of(total, failed, 0, skipped));
        }
        let rest = line.strip_prefix("OK: ")?;
        let list = rest.replace(" SKIPPED", ",SKIPPED").replace(" WARNINGS", ",WARNINGS").replace(" FAILED", ",FAILED");
        let passed: u64 = list.split(',').next()?.trim().parse().ok()?;
        let number = |word: &str| number_of(&list, &[word]).unwrap_or(0);
        let total = passed.saturating_add(number("SKIPPED")).saturating_add(number("FAILED"));
        Some(out_of(total, number("FAILED"), 0, number("SKIPPED")))
    },
    counted: false,
    ..SHAPE
};

const JULIA: Shape = Shape {
    head: |lines, index| {
        let line = lines.get(index);
        let (name, status, place) =
            [(": Test Failed at ", Status::Failed), (": Error During Test at ", Status::Errored)]
                .into_iter()
                .find_map(|(mark, status)| line.split_once(mark).map(|(name, place)| (name, status, place)))?;
        Some(Head { location: place_of(place), message: expression(lines, index), ..Head::new(status, "", name) })
    },
    ends: |line| line.starts_with("Test Summary:") || line.starts_with("ERROR: "),
    counts: |lines, index| {
        let header = lines.get(index).strip_prefix("Test Summary:")?.split_once('|')?.1;
        let row = lines.get(index + 1).split_once('|')?.1;
        let numbers: Vec<u64> = row.split_whitespace().map_while(|number| number.parse().ok()).collect();
        let words: Vec<&str> = header.split_whitespace().collect();
        // Empty cells are not printed; with all of them there, each has its number.
        let number = |word: &str| {
            let at = words.iter().position(|known| *known == word);
            at.filter(|_| numbers.len() >= words.len().saturating_sub(1))
                .and_then(|at| numbers.get(at).copied())
                .unwrap_or(0)
        };
        Some(out_of(number("Total"), number("Fail"), number("Error"), number("Broken")))
    },
    counted: false,
    ..SHAPE
};

/// `Expression:` and `Evaluated:` below a failed test.
fn expression(lines: &Lines, index: usize) -> String {
    let below = lines.range(index + 1..index + 5).map(|(_, line)| line.trim());
    let told = below.filter(|line| {
        ["Expression:", "Evaluated:", "Test threw exception"].iter().any(|start| line.starts_with(start))
    });
    told.collect::<Vec<_>>().join(", ")
}

const ERT: Shape = Shape {
    head: |lines, index| {
        let line = lines.get(index);
        if let Some(name) = line.strip_prefix("Test ").and_then(|rest| rest.strip_suffix(" condition:")) {
            return Some(Head::new(Status::Failed, "", name));
        }
        let rest = line.strip_prefix("   ")?;
        let (status, rest) = match rest.strip_prefix("FAILED") {
            Some(rest) => (Status::Failed, rest),
            None => (Status::Passed, rest.strip_prefix("passed")?),
        };
        let name = rest.trim_start().trim_start_matches(|c: char| c.is_ascii_digit() || c == '/').trim();
        let name = name.split(" (").next().unwrap_or(name);
        (!name.is_empty() && !name.contains(' ')).then(|| Head::new(status, "", name))
    },
    ends: |line| {
        line.starts_with("   passed") || line.starts_with("   FAILED") || line.starts_with("Test ") || line.is_empty()
    },
    counts: |lines, index| {
        let (total, rest) = lines.get(index).strip_prefix("Ran ")?.split_once(" tests, ")?;
        let skipped = number_of(rest, &["skipped"]).unwrap_or(0);
        let expected: u64 = rest.split_once(" results as expected")?.0.parse().ok()?;
        let total: u64 = total.parse().ok()?;
        Some(out_of(total, total.saturating_sub(expected).saturating_sub(skipped), 0, skipped))
    },
    ..SHAPE
};

const BUTTERCUP: Shape = Shape {
    head: |lines, index| {
        let ruled = lines.get(index).len() > 30 && lines.get(index).bytes().all(|byte| byte == b'=');
        if !ruled {
            return None;
        }
        let name = lines.get(index + 1).trim();
        let failed = lines
            .range(index + 2..index + 40)
            .any(|(_, line)| line.starts_with("FAILED: ") || line.starts_with("error: "));
        let message = lines
            .range(index + 2..index + 40)
            .find_map(|(_, line)| line.strip_prefix("FAILED: ").or_else(|| line.strip_prefix("error: ")));
        (failed && !name.is_empty()).then(|| Head {
            lines: 2,
            message: message.unwrap_or_default().to_owned(),
            ..Head::new(Status::Failed, "", name)
        })
    },
    ends: |_| false,
    counts: |lines, index| {
        let (total, rest) = lines.get(index).strip_prefix("Ran ")?.split_once(" specs, ")?;
        let total = total.split(' ').next()?.parse().ok()?;
        let counts: TestCounts = out_of(total, number_of(rest, &["failed"])?, 0, 0);
        Some(counts)
    },
    ..SHAPE
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn haskell_and_ocaml_are_read() {
        let log = "Cart\n  keeps:  OK (0.01s)\n  adds:   FAIL\n    test/Cart.hs:12:\n    expected: 2\n     but got: 1\n\n1 out of 2 tests failed (0.02s)\n";
        let part = tasty(&Lines::of(log));
        assert_eq!((part.counts.total, part.counts.failed, part.cases[1].id.name.as_str()), (2, 1, "adds"));
        assert_eq!(part.cases[1].faults[0].location.as_ref().unwrap().line, Some(12));
        let log = "=== prop_keeps from src/Cart.hs:3 ===\n+++ OK, passed 100 tests.\n\n=== prop_adds from src/Cart.hs:12 ===\n*** Failed! Falsifiable (after 1 test):\n0\n\n";
        let part = quickcheck(&Lines::of(log));
        assert_eq!((part.counts.total, part.counts.failed, part.cases[1].id.name.as_str()), (2, 1, "prop_adds"));
        let log = "### Failure in: 0:adds\ntest/Cart.hs:12\nexpected: 2\n but got: 1\nCases: 3  Tried: 3  Errors: 0  Failures: 1\n";
        let part = hunit(&Lines::of(log));
        assert_eq!((part.counts.total, part.cases[0].id.name.as_str()), (3, "adds"));
        let log = "  [OK]          cart          0   keeps.\n> [FAIL]        cart          1   adds.\n\n1 failure! in 0.001s. 2 tests run.\n";
        let part = alcotest(&Lines::of(log));
        assert_eq!(
            (part.counts.total, part.cases[1].id.class.as_str(), part.cases[1].id.name.as_str()),
            (2, "cart", "adds")
        );
    }

    #[test]
    fn testthat_of_both_ages_is_read() {
        let log = "── Failure (test-cart.R:3:5): adds things ──────\nadd(1) not equal to 2.\n1/1 mismatches\n\n[ FAIL 1 | WARN 0 | SKIP 1 | PASS 3 ]\nError: Test failures\n";
        let part = testthat(&Lines::of(log));
        assert_eq!((part.counts.total, part.counts.failed, part.counts.skipped), (5, 1, 1));
        assert_eq!((part.cases[0].id.class.as_str(), part.cases[0].id.name.as_str()), ("test-cart.R", "adds things"));
        assert_eq!(part.cases[0].faults[0].message, "add(1) not equal to 2.");
        assert_eq!(
            testthat(&Lines::of(&log.replace("test-cart.R:3:5", "'test-cart.R:3:5'"))).cases[0].id.class,
            "test-cart.R"
        );
        let log = "  ── 1. Failure: adds things (@test-cart.R#3)  ─────\n  add(1) not equal to 2.\n  \n  OK: 3 SKIPPED: 0 WARNINGS: 0 FAILED: 1\n";
        let again = format!("{log}  1. Failure: adds things (@test-cart.R#3) \n");
        assert_eq!(testthat(&Lines::of(&again)).counts.failed, 1);
        let part = testthat(&Lines::of(log));
        assert_eq!((part.counts.total, part.cases[0].faults[0].location.as_ref().unwrap().line), (4, Some(3)));
    }

    #[test]
    fn julia_and_emacs_are_read() {
        let log = "adds: Test Failed at /r/test/runtests.jl:12\n  Expression: add(1) == 2\n   Evaluated: 1 == 2\n\nTest Summary: | Pass  Fail  Total\nadds          |    2     1      3\n";
        let part = julia(&Lines::of(log));
        assert_eq!((part.counts.total, part.counts.failed), (3, 1));
        assert_eq!(part.cases[0].faults[0].message, "Expression: add(1) == 2, Evaluated: 1 == 2");
        let log = "Test cart-adds condition:\n    (ert-test-failed\n     ((should (= 1 2))))\n   FAILED  1/2  cart-adds\n   passed  2/2  cart-keeps\n\nRan 2 tests, 1 results as expected, 1 unexpected (2020-01-01)\n\n1 unexpected results:\n   FAILED  cart-adds\n";
        let part = ert(&Lines::of(log));
        assert_eq!((part.counts.total, part.counts.failed, part.cases[0].id.name.as_str()), (2, 1, "cart-adds"));
        let rule = "=".repeat(40);
        let log = format!(
            "{rule}\ncart adds things\n\nTraceback (most recent call last):\n  f()\nFAILED: Expected `1' to be `2'\n\nRan 3 specs, 1 failed, in 5.5ms.\n"
        );
        let part = buttercup(&Lines::of(&log));
        assert_eq!((part.counts.total, part.cases[0].id.name.as_str()), (3, "cart adds things"));
    }
}
