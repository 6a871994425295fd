//! The test runners of .NET: `dotnet test`, the consoles of xUnit and `NUnit`, and Pester of `PowerShell`.

use super::Part;
use super::lines::Lines;
use super::mark;
use super::section::{self, Head, SHAPE, Shape, number_of, numbered, out_of};
use crate::artifact::{Status, TestCounts};

/// Reads `Failed Name [5 ms]`, `Name [FAIL]`, `1) Failed : Name` and each runner's count.
pub(super) fn dotnet(lines: &Lines) -> Part {
    section::read(lines, &DOTNET)
}

/// Reads Pester's marked lines, `[-] name 5ms`.
pub(super) fn pester(lines: &Lines) -> Part {
    section::read(lines, &PESTER)
}

const DOTNET: Shape = Shape {
    head: |lines, index| {
        let line = without_stamp(lines.get(index));
        let body = line.trim();
        if body.len() > 2048 {
            return None;
        }
        // xUnit: `Name(x: 1) [FAIL]`.
        if let Some(name) = body.strip_suffix(" [FAIL]") {
            return Some(test(Status::Failed, name));
        }
        if let Some(name) = body.strip_suffix(" [SKIP]").filter(|name| !name.contains(": ")) {
            return Some(test(Status::Skipped, name));
        }
        // NUnit: `1) Failed : Name`, older `1) Test Failure : Name`.
        if let Some((word, name)) = numbered(body).and_then(|body| body.split_once(" : ")) {
            let status = match word {
                "Failed" | "Test Failure" => Status::Failed,
                "Error" | "Test Error" | "Invalid" => Status::Errored,
                _ => return None,
            };
            return Some(test(status, name));
        }
        // The platform: `Failed Name [5 ms]`, `X Name [5ms]`, older `Failed   Name`.
        let (word, rest) = body.split_once(' ')?;
        let status = match word {
            "Failed" | "X" | "failed" => Status::Failed,
            "Skipped" | "!" => Status::Skipped,
            "Passed" | "V" | "√" | "✓" => Status::Passed,
            _ => return None,
        };
        let name = match rest.trim().rsplit_once(" [") {
            Some((name, time)) if time.ends_with("s]") => name,
            _ => lines.get(index + 1).trim().starts_with("Error Message:").then_some(rest.trim())?,
        };
        Some(test(status, name))
    },
    ends: |line| {
        let line = without_stamp(line).trim();
        let ends = [
            "Standard Output Messages:",
            "Passed ",
            "Test Run ",
            "Total tests",
            "=== TEST",
            "Run Settings",
            "Finished:",
            "Starting:",
        ];
        ends.iter().any(|end| line.starts_with(end))
    },
    counts: |lines, index| summary(lines, index),
    ..SHAPE
};

/// xUnit's runner puts its name and a time before its lines.
fn without_stamp(line: &str) -> &str {
    match line.trim_start().strip_prefix("[xUnit.net ").and_then(|rest| rest.split_once("] ")) {
        Some((_, rest)) => rest,
        None => line,
    }
}

/// The class and the method of a full name; arguments can hold points.
fn test(status: Status, full: &str) -> Head {
    let full = full.trim();
    let bare = full.split(['(', ' ', '<', '"']).next().unwrap_or(full);
    match bare.rsplit_once('.') {
        Some((class, _)) if !class.is_empty() => Head::new(status, class, &full[class.len() + 1..]),
        _ => Head::new(status, "", full),
    }
}

fn summary(lines: &Lines, index: usize) -> Option<TestCounts> {
    let line = lines.get(index).trim();
    let known = ["Failed!", "Passed!", "Skipped!", "Test Count: ", "Tests run: ", "Total tests: "];
    if !line.ends_with('s') && !known.iter().any(|start| line.starts_with(start)) {
        return None;
    }
    // `Failed!  - Failed: 1, Passed: 2, Skipped: 0, Total: 3, Duration: 5 ms`
    let verdict = line.split_once("! ").map(|(_, rest)| rest.trim_start()).filter(|rest| rest.starts_with("- "));
    // xUnit: `A.Tests  Total: 3, Errors: 0, Failed: 1, Skipped: 0, Time: 0.1s`
    let xunit = line.contains("  Total: ") && line.contains(", Errors: ") && line.contains(", Failed: ");
    let nunit = (line.starts_with("Test Count: ") && line.contains(", Passed: "))
        || (line.starts_with("Tests run: ") && line.contains(", Inconclusive: "));
    let old = line.starts_with("Total tests: ") && line.contains(". Passed: ");
    if verdict.is_some() || xunit || nunit || old {
        let list = line.replace(". ", ", ");
        let number = |words: &[&str]| number_of(&list, words).unwrap_or(0);
        let total = number_of(&list, &["Total", "tests", "Count", "run"])?;
        return Some(out_of(
            total,
            number(&["Failed", "Failures"]),
            number(&["Errors"]),
            number(&["Skipped", "Ignored"]),
        ));
    }
    // `Total tests: 3`, and the rest on the lines below.
    let total: u64 = line.strip_prefix("Total tests: ")?.trim().parse().ok()?;
    let below = |word: &str| {
        let mut found = lines.range(index + 1..index + 5).filter_map(|(_, line)| line.trim().strip_prefix(word));
        found.next().and_then(|rest| rest.trim_start_matches([':', ' ']).parse().ok()).unwrap_or(0)
    };
    Some(out_of(total, below("Failed"), 0, below("Skipped")))
}

const PESTER: Shape = Shape {
    head: |lines, index| {
        let body = lines.get(index).trim_start();
        let (status, name) = match body.get(..4)? {
            "[-] " => (Status::Failed, &body[4..]),
            "[!] " | "[?] " => (Status::Skipped, &body[4..]),
            _ => return None,
        };
        let name = mark::without_time(name);
        // `5ms (4ms|1ms)` of newer versions.
        let name = name.split_once(" (").filter(|(front, _)| front.ends_with("ms")).map_or(name, |(front, _)| front);
        Some(Head::new(status, "", mark::without_time(name)))
    },
    ends: |line| {
        let body = line.trim_start();
        ["[+]", "Describing ", "Context ", "Executing ", "Tests completed", "Running "]
            .iter()
            .any(|end| body.starts_with(end))
    },
    counts: |lines, index| {
        let line = lines.get(index).trim();
        if !(line.starts_with("Tests Passed: ") || line.starts_with("Passed: ")) || !line.contains("Failed: ") {
            return None;
        }
        let list = line.replace("Tests Passed", "Passed").replace(" Failed", ",Failed").replace(" Skipped", ",Skipped");
        let list = list.replace(" Pending", ",Pending").replace(" Inconclusive", ",Inconclusive").replace(",,", ",");
        let number = |words: &[&str]| number_of(&list, words).unwrap_or(0);
        let (passed, failed) = (number(&["Passed"]), number(&["Failed"]));
        let skipped = number(&["Skipped", "Pending", "Inconclusive"]);
        Some(out_of(passed.saturating_add(failed).saturating_add(skipped), failed, 0, skipped))
    },
    ..SHAPE
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_platform_and_xunit_name_a_test_once() {
        let log = "[xUnit.net 00:00:01.23]     A.CartTests.Adds(x: 1.5) [FAIL]\n  Failed A.CartTests.Adds(x: 1.5) [5 ms]\n  Error Message:\n   Assert.Equal() Failure\nExpected: 2\nActual:   1\n  Stack Trace:\n     at A.CartTests.Adds(Double x) in /src/CartTests.cs:line 12\n\nFailed!  - Failed:     1, Passed:     2, Skipped:     1, Total:     4, Duration: 5 ms - A.dll (net8.0)\n";
        let part = dotnet(&Lines::of(log));
        assert_eq!((part.counts.total, part.counts.failed, part.counts.skipped, part.cases.len()), (4, 1, 1, 1));
        let case = &part.cases[0];
        assert_eq!((case.id.class.as_str(), case.id.name.as_str()), ("A.CartTests", "Adds(x: 1.5)"));
        assert_eq!(case.faults[0].message, "Assert.Equal() Failure, Expected: 2, Actual:   1");
        assert_eq!(case.faults[0].location.as_ref().unwrap().line, Some(12));
    }

    #[test]
    fn nunit_consoles_are_read() {
        let new = "1) Failed : A.B.Adds\n  Expected: 2\n  But was:  1\n   at A.B.Adds() in b.cs:line 3\n\nTest Count: 3, Passed: 2, Failed: 1, Warnings: 0, Inconclusive: 0, Skipped: 0\n";
        assert_eq!(dotnet(&Lines::of(new)).counts.failed, 1);
        let old = "Tests run: 3, Errors: 1, Failures: 0, Inconclusive: 0, Time: 0.05 seconds\n";
        assert_eq!(dotnet(&Lines::of(old)).counts.errored, 1);
        let old = "Total tests: 9\n     Passed: 7\n     Failed: 2\n";
        assert_eq!(dotnet(&Lines::of(old)).counts.failed, 2);
    }

    #[test]
    fn pester_marks_are_read() {
        let log = "Describing Cart\n  [+] keeps 5ms\n  [-] adds a thing 12ms\n    Expected: {2}\n    But was:  {1}\n    at line: 9 in /a/Cart.Tests.ps1\nTests completed in 100ms\nPassed: 1 Failed: 1 Skipped: 0 Pending: 0 Inconclusive: 0\n";
        let part = pester(&Lines::of(log));
        assert_eq!((part.counts.total, part.counts.failed), (2, 1));
        assert_eq!(part.cases[0].id.name, "adds a thing");
    }
}
