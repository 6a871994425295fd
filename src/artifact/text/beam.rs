//! The test runners of Elixir and Erlang.

use super::Part;
use super::lines::Lines;
use super::section::{self, Head, SHAPE, Shape, number_of, numbered, out_of, place_of};
use crate::artifact::Status;

/// Reads `  1) test name (Module)` and `5 tests, 1 failure`.
pub(super) fn exunit(lines: &Lines) -> Part {
    section::read(lines, &EXUNIT)
}

/// Reads `module: name...*failed*` and `Failed: 1.  Skipped: 0.  Passed: 3.`
pub(super) fn eunit(lines: &Lines) -> Part {
    section::read(lines, &EUNIT)
}

/// Reads `%%% suite ==> case: FAILED`.
pub(super) fn common_test(lines: &Lines) -> Part {
    section::read(lines, &COMMON_TEST)
}

const EXUNIT: Shape = Shape {
    head: |lines, index| {
        let line = lines.get(index);
        let (name, module) = line.starts_with("  ").then(|| numbered(line)).flatten()?.trim_end().rsplit_once(" (")?;
        let module = module.strip_suffix(')')?;
        let known = ["test ", "doctest ", "property ", "feature "].iter().any(|start| name.starts_with(start));
        if !known || module.contains(' ') {
            return None;
        }
        let location = place_of(lines.get(index + 1)).filter(|_| !lines.get(index + 1).trim().contains(' '));
        Some(Head {
            lines: if location.is_some() { 2 } else { 1 },
            location,
            ..Head::new(Status::Failed, module, name)
        })
    },
    ends: |line| {
        line.starts_with("Finished in ") || line.starts_with("Randomized with seed") || line.starts_with("==> ")
    },
    counts: |lines, index| {
        let line = lines.get(index).trim();
        if !line.starts_with(|c: char| c.is_ascii_digit()) || !line.contains(" failure") {
            return None;
        }
        // Others count in the same words, but tell nothing of the time right above.
        let timed = lines.range(index.saturating_sub(2)..index).any(|(_, line)| line.starts_with("Finished in "));
        if !timed {
            return None;
        }
        let total = number_of(
            line,
            &["test", "tests", "doctest", "doctests", "property", "properties", "feature", "features"],
        )?;
        let skipped = number_of(line, &["skipped", "excluded"]).unwrap_or(0);
        Some(out_of(
            total,
            number_of(line, &["failure", "failures"])?,
            number_of(line, &["invalid"]).unwrap_or(0),
            skipped,
        ))
    },
    ..SHAPE
};

const EUNIT: Shape = Shape {
    head: |lines, index| {
        let line = lines.get(index).trim();
        let front = line.strip_suffix("*failed*")?;
        let front = front.split("...").next().unwrap_or(front).trim();
        // `module: name`, `module:12: name` or `module:12 -generator/0-`.
        let (class, name) = front.split_once(": ").or_else(|| front.split_once(' '))?;
        let class = class.split(':').next().unwrap_or(class);
        Some(Head::new(Status::Failed, class, name))
    },
    ends: |line| line.trim_end().ends_with("ok") || line.trim_start().starts_with("====") || line.trim() == "[done]",
    counts: |lines, index| {
        let line = lines.get(index).trim();
        let list = line.strip_prefix("Failed: ").map(|_| line.replace(".  ", ", "))?;
        let number = |word: &str| number_of(&list, &[word]).unwrap_or(0);
        let (failed, skipped) = (number("Failed"), number("Skipped"));
        list.contains("Passed: ")
            .then(|| out_of(number("Passed").saturating_add(failed).saturating_add(skipped), failed, 0, skipped))
    },
    ..SHAPE
};

const COMMON_TEST: Shape = Shape {
    head: |lines, index| {
        let line = lines.get(index).trim();
        let (suite, rest) = line.strip_prefix("%%% ")?.split_once(" ==> ")?;
        let (name, word) = rest.rsplit_once(": ")?;
        let status = match word {
            "FAILED" => Status::Failed,
            "OK" => Status::Passed,
            _ if word.starts_with("SKIPPED") => Status::Skipped,
            _ => return None,
        };
        Some(Head::new(status, suite, name))
    },
    ends: |line| line.is_empty(),
    counts: |lines, index| {
        let line = lines.get(index);
        let list = line.strip_prefix("Failed ").map(|_| line.replace(". ", ", ").replace("tests", ""))?;
        let number = |word: &str| {
            list.split(", ").find_map(|part| part.strip_prefix(word)?.trim().trim_end_matches('.').parse::<u64>().ok())
        };
        let (failed, passed) = (number("Failed ")?, number("Passed ")?);
        Some(out_of(failed.saturating_add(passed), failed, 0, 0))
    },
    counted: false,
    ..SHAPE
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exunit_names_tests_modules_and_places() {
        let log = ".\n\n  1) test adds things (App.CartTest)\n     test/cart_test.exs:12\n     Assertion with == failed\n     code:  assert add(1) == 2\n     left:  1\n     right: 2\n     stacktrace:\n       test/cart_test.exs:13: (test)\n\n\nFinished in 0.03 seconds (0.00s async, 0.03s sync)\n2 doctests, 5 tests, 1 failure, 1 skipped\n\nRandomized with seed 1\n";
        let part = exunit(&Lines::of(log));
        assert_eq!((part.counts.failed, part.cases.len()), (1, 1));
        let case = &part.cases[0];
        assert_eq!((case.id.class.as_str(), case.id.name.as_str()), ("App.CartTest", "test adds things"));
        let message = "Assertion with == failed, code:  assert add(1) == 2, left:  1, right: 2";
        assert_eq!(case.faults[0].message, message);
        assert_eq!(case.faults[0].location.as_ref().unwrap().line, Some(12));
    }

    #[test]
    fn erlang_runners_are_read() {
        let log = "cart_tests: adds_test...*failed*\nin function cart_tests:adds_test/0 (test/cart_tests.erl, line 7)\n**error:{badmatch,1}\n\n=======\n  Failed: 1.  Skipped: 0.  Passed: 3.\n";
        let part = eunit(&Lines::of(log));
        assert_eq!((part.counts.total, part.counts.failed, part.cases[0].id.name.as_str()), (4, 1, "adds_test"));
        let log =
            "%%% cart_SUITE ==> adds: FAILED\n%%% cart_SUITE ==> {badmatch,1}\n\nFailed 1 tests. Passed 3 tests. \n";
        assert_eq!(common_test(&Lines::of(log)).counts.passed, 3);
    }
}
