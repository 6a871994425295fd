//! The test runners of C and C++ that name a test above or beside its text: Catch2, doctest, Boost, ctest, Qt, automake.

use super::Part;
use super::lines::Lines;
use super::section::{self, Head, SHAPE, Shape, number_of, out_of, place_of};
use crate::artifact::{Status, TestCounts};

mod catch2;

pub(super) use catch2::{read as catch2, read_doctest as doctest};

/// Reads `a.cpp(12): error: in "suite/case": check x == y has failed`.
pub(super) fn boost(lines: &Lines) -> Part {
    section::read(lines, &BOOST)
}

/// Reads ctest's list of failed tests, and `50% tests passed, 1 tests failed out of 2`.
pub(super) fn ctest(lines: &Lines) -> Part {
    section::read(lines, &CTEST)
}

/// Reads `FAIL!  : Class::test() message` of Qt.
pub(super) fn qt(lines: &Lines) -> Part {
    section::read(lines, &QT)
}

/// Reads `FAIL: name` above automake's summary, and of lit and `DejaGnu`.
pub(super) fn automake(lines: &Lines) -> Part {
    section::read(lines, &AUTOMAKE)
}

const BOOST: Shape = Shape {
    head: |lines, index| {
        let line = lines.get(index);
        let (place, rest) = line.split_once("rror: in \"").or_else(|| line.split_once("rror in \""))?;
        let (test, message) = rest.split_once('"')?;
        let (class, name) = test.rsplit_once('/').unwrap_or(("", test));
        let message = message.trim_start_matches([':', ' ']).to_owned();
        Some(Head { message, location: place_of(place), ..Head::new(Status::Failed, class, name) })
    },
    ends: |line| !line.starts_with([' ', '\t']),
    counts: |lines, index| {
        let line = lines.get(index);
        let failed = line.starts_with("*** ") && line.contains(" detected") && line.contains("test module");
        let fine = line.starts_with("*** No errors detected");
        (failed || fine).then(TestCounts::default)
    },
    counted: false,
    ..SHAPE
};

const CTEST: Shape = Shape {
    head: |lines, index| {
        let line = lines.get(index);
        // `  3 - name (Failed)` in the closing list.
        let body = line.trim_start();
        let digits = body.bytes().take_while(u8::is_ascii_digit).count();
        if let Some(rest) = body.get(digits..).and_then(|rest| rest.strip_prefix(" - ")).filter(|_| digits > 0) {
            let (name, how) = rest.trim_end().rsplit_once(" (")?;
            let how = how.split(')').next()?;
            let known = [
                "Failed",
                "Timeout",
                "SEGFAULT",
                "Not Run",
                "Child aborted",
                "Subprocess",
                "ILLEGAL",
                "NUMERICAL",
                "OTHER_FAULT",
                "Exit code",
                "BAD_COMMAND",
            ];
            let status = match how {
                "Failed" => Status::Failed,
                "Disabled" | "Skipped" => Status::Skipped,
                how if known.iter().any(|word| how.starts_with(word)) => Status::Errored,
                _ => return None,
            };
            return Some(Head { message: format!("ctest: {how}"), ..Head::new(status, "", name) });
        }
        // `1/3 Test #1: name ....***Failed    0.01 sec`, with the output below where it is shown.
        if !line.contains('#') {
            return None;
        }
        let (_, rest) = line.split_once(" Test ")?;
        let (_, rest) = rest.trim_start().strip_prefix('#')?.split_once(": ")?;
        let (name, how) = rest.split_once("***")?;
        let name = name.trim_end().trim_end_matches('.');
        let status = match how.split(' ').next()? {
            "Failed" => Status::Failed,
            "Skipped" | "Not" => return None,
            _ => Status::Errored,
        };
        Some(Head::new(status, "", name))
    },
    ends: |line| {
        let rest = line.trim_start();
        rest.starts_with("Start ") || rest.contains(" Test ") && rest.contains('#') || line.contains("% tests passed")
    },
    counts: |lines, index| {
        let (_, rest) = lines.get(index).split_once('%').and_then(|(_, rest)| rest.split_once(" tests passed, "))?;
        let (failed, rest) = rest.split_once(" tests failed out of ")?;
        let total = rest.trim().split(' ').next()?.parse().ok()?;
        Some(out_of(total, failed.parse().ok()?, 0, 0))
    },
    ..SHAPE
};

/// Reads `1/2 suite / name  FAIL  0.01s` of meson, and its table of counts.
pub(super) fn meson(lines: &Lines) -> Part {
    section::read(lines, &MESON)
}

const MESON: Shape = Shape {
    head: |lines, index| {
        let (number, rest) = lines.get(index).trim_start().split_once(' ')?;
        let (of, total) = number.split_once('/')?;
        let number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let (name, rest) = rest.trim_start().split_once("  ").filter(|_| number(of) && number(total))?;
        let status = match rest.trim_start().split("  ").next()?.trim() {
            "OK" | "EXPECTEDFAIL" => Status::Passed,
            "FAIL" | "UNEXPECTEDPASS" => Status::Failed,
            "ERROR" | "TIMEOUT" | "INTERRUPT" => Status::Errored,
            "SKIP" => Status::Skipped,
            _ => return None,
        };
        let (class, name) = name.rsplit_once(" / ").unwrap_or(("", name));
        let message = rest.rsplit_once("s   ").map_or("", |(_, why)| why.trim());
        Some(Head { message: message.to_owned(), ..Head::new(status, class, name) })
    },
    ends: |line| !line.is_empty(),
    counts: |lines, index| {
        let number = |word: &str| {
            let table = lines.range(index..index + 8).map(|(_, line)| line.trim());
            let mut rows = table.take_while(|line| line.contains(": "));
            rows.find_map(|line| line.strip_prefix(word)?.trim().parse::<u64>().ok()).unwrap_or(0)
        };
        let table = lines.get(index).starts_with("Ok: ") && lines.get(index + 1).contains("Fail: ");
        let passed = number("Ok:").saturating_add(number("Expected Fail:"));
        let (failed, skipped) = (number("Fail:").saturating_add(number("Unexpected Pass:")), number("Skipped:"));
        let errored = number("Timeout:");
        let total = passed.saturating_add(failed).saturating_add(errored).saturating_add(skipped);
        table.then(|| out_of(total, failed, errored, skipped))
    },
    ..SHAPE
};

/// Reads `a.c:12:test_adds:FAIL: Expected 2 Was 1` of Unity, and `2 Tests 1 Failures 0 Ignored`.
pub(super) fn unity(lines: &Lines) -> Part {
    section::read(lines, &UNITY)
}

const UNITY: Shape = Shape {
    head: |lines, index| {
        let mut parts = lines.get(index).splitn(5, ':');
        let (path, line, name, word) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
        let status = match word.trim() {
            "FAIL" => Status::Failed,
            "PASS" => Status::Passed,
            "IGNORE" => Status::Skipped,
            _ => return None,
        };
        let location = place_of(&format!("{path}:{line}"));
        let message = parts.next().unwrap_or_default().trim().to_owned();
        location.is_some().then(|| Head { message, location, ..Head::new(status, path, name) })
    },
    ends: |line| !line.is_empty(),
    counts: |lines, index| {
        let (total, rest) = lines.get(index).split_once(" Tests ")?;
        let (failed, rest) = rest.split_once(" Failures ")?;
        let skipped = rest.split_once(" Ignored")?.0.parse().ok()?;
        Some(out_of(total.parse().ok()?, failed.parse().ok()?, 0, skipped))
    },
    ..SHAPE
};

const QT: Shape = Shape {
    head: |lines, index| {
        let line = lines.get(index);
        let (word, rest) = line.split_once(": ")?;
        let status = match word.trim_end() {
            "FAIL!" | "XPASS" => Status::Failed,
            "PASS" => Status::Passed,
            "SKIP" | "XFAIL" => Status::Skipped,
            _ => return None,
        };
        let (class, rest) = rest.split_once("::")?;
        let end = rest.find(')')? + 1;
        let message = rest[end..].trim().to_owned();
        (!class.contains(' ')).then(|| Head { message, ..Head::new(status, class, &rest[..end]) })
    },
    ends: |line| !line.starts_with(' '),
    counts: |lines, index| {
        let rest = lines.get(index).strip_prefix("Totals: ")?;
        let number = |words: &[&str]| number_of(rest, words).unwrap_or(0);
        let (passed, failed, skipped) = (number(&["passed"]), number(&["failed"]), number(&["skipped"]));
        Some(out_of(passed.saturating_add(failed).saturating_add(skipped), failed, 0, skipped))
    },
    ..SHAPE
};

const AUTOMAKE: Shape = Shape {
    head: |lines, index| {
        let (word, name) = lines.get(index).split_once(": ")?;
        let status = match word {
            "FAIL" | "XPASS" => Status::Failed,
            "ERROR" | "TIMEOUT" | "UNRESOLVED" => Status::Errored,
            "PASS" => Status::Passed,
            "SKIP" | "XFAIL" | "UNSUPPORTED" => Status::Skipped,
            _ => return None,
        };
        // lit counts behind the name: `FAIL: Suite :: a/b.ll (3 of 10)`.
        let name = match name.trim_end().rsplit_once(" (") {
            Some((front, rest)) if rest.contains(" of ") => front,
            _ => name.trim_end(),
        };
        let (class, name) = name.split_once(" :: ").unwrap_or(("", name));
        Some(Head { message: format!("{word}: {name}"), ..Head::new(status, class, name) })
    },
    ends: |_| true,
    counts: |lines, index| {
        let line = lines.get(index).trim_start();
        if let Some(total) = line.strip_prefix("# TOTAL:") {
            let below = |word: &str| {
                let mut found =
                    lines.range(index + 1..index + 8).filter_map(|(_, line)| line.trim_start().strip_prefix(word));
                found.next().and_then(|rest| rest.trim().parse::<u64>().ok()).unwrap_or(0)
            };
            let failed = below("# FAIL:").saturating_add(below("# XPASS:"));
            let skipped = below("# SKIP:").saturating_add(below("# XFAIL:"));
            return Some(out_of(total.trim().parse().ok()?, failed, below("# ERROR:"), skipped));
        }
        let dejagnu = line.starts_with("# of expected passes");
        let lit = line.starts_with("Testing Time: ");
        (dejagnu || lit).then(TestCounts::default)
    },
    ..SHAPE
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boost_names_suite_and_case() {
        let log = "Running 3 test cases...\na/cart_test.cpp(12): error: in \"cart/adds\": check add(1) == 2 has failed [1 != 2]\ncart.cpp(20): fatal error: in \"dies\": memory access violation\n\n*** 2 failures are detected in the test module \"Cart\"\n";
        let part = boost(&Lines::of(log));
        assert_eq!((part.counts.failed, part.cases.len()), (2, 2));
        assert_eq!((part.cases[0].id.class.as_str(), part.cases[0].id.name.as_str()), ("cart", "adds"));
        assert_eq!(part.cases[0].faults[0].message, "check add(1) == 2 has failed [1 != 2]");
        assert_eq!(part.cases[0].faults[0].location.as_ref().unwrap().line, Some(12));
    }

    #[test]
    fn ctest_qt_and_automake_are_read() {
        let log = "1/2 Test #1: cart_test ........***Failed    0.01 sec\nexpected 2\n\n2/2 Test #2: other ....   Passed    0.01 sec\n\n50% tests passed, 1 tests failed out of 2\n\nThe following tests FAILED:\n\t  1 - cart_test (Failed)\n";
        let part = ctest(&Lines::of(log));
        assert_eq!((part.counts.total, part.counts.failed, part.cases[0].id.name.as_str()), (2, 1, "cart_test"));
        assert_eq!(part.cases[0].faults[0].message, "expected 2");
        let dotted = log.replace("cart_test", "cart.a b");
        let part = ctest(&Lines::of(&dotted));
        assert_eq!((part.cases.len(), part.cases[0].id.name.as_str()), (1, "cart.a b"));
        let log = "PASS   : Cart::keeps()\nFAIL!  : Cart::adds() Compared values are not the same\n   Actual   (x): 1\n   Loc: [cart.cpp(12)]\nTotals: 1 passed, 1 failed, 0 skipped, 0 blacklisted, 3ms\n";
        let part = qt(&Lines::of(log));
        assert_eq!((part.counts.total, part.cases[1].id.name.as_str()), (2, "adds()"));
        assert_eq!(part.cases[1].faults[0].location.as_ref().unwrap().line, Some(12));
        let log = "PASS: a\nFAIL: b\n====\n# TOTAL: 2\n# PASS:  1\n# SKIP:  0\n# XFAIL: 0\n# FAIL:  1\n# XPASS: 0\n# ERROR: 0\n";
        assert_eq!((automake(&Lines::of(log)).counts.failed, automake(&Lines::of("FAIL: b\n")).recognised), (1, false));
    }

    #[test]
    fn meson_and_unity_are_read() {
        let log = "1/2 demo:unit / cart        FAIL            0.01s   exit status 1\n2/2 demo:unit / basket      OK              0.01s\n\nSummary of Failures:\n\n1/2 demo:unit / cart        FAIL            0.01s   exit status 1\n\nOk:                 1   \nFail:               1   \n";
        let part = meson(&Lines::of(log));
        assert_eq!((part.counts.total, part.counts.failed, part.cases.len()), (2, 1, 2));
        assert_eq!((part.cases[0].id.class.as_str(), part.cases[0].id.name.as_str()), ("demo:unit", "cart"));
        assert_eq!(part.cases[0].faults[0].message, "exit status 1");
        let log = "test/test_cart.c:12:test_adds:FAIL: Expected 2 Was 1\ntest/test_cart.c:20:test_keeps:PASS\n\n-----------------------\n2 Tests 1 Failures 0 Ignored \nFAIL\n";
        let part = unity(&Lines::of(log));
        assert_eq!((part.counts.total, part.counts.failed), (2, 1));
        assert_eq!(
            (part.cases[0].id.name.as_str(), part.cases[0].faults[0].message.as_str()),
            ("test_adds", "Expected 2 Was 1")
        );
    }
}
