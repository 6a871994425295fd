//! The test runners of scripting languages: Perl's prove, bats, shunit2, Vader of Vim, busted of Lua, Robot.

use std::collections::{BTreeMap, BTreeSet};

use super::Part;
use super::lines::Lines;
use super::section::{self, Head, SHAPE, Shape, number_of, out_of, place_of};
use crate::artifact::{Location, Status, TestCounts};

/// Reads `#   Failed test 'name'` with its place, and the files of prove's summary.
pub(super) fn prove(lines: &Lines) -> Part {
    let mut part = section::read(lines, &PROVE);
    if !lines.all().any(|(_, line)| is_summary(line)) {
        // Without prove around it the protocol itself is read.
        let points = || lines.all().filter_map(|(_, line)| line.trim_start().strip_prefix("not ok "));
        let told: BTreeSet<&str> =
            points().filter_map(|rest| rest.split_once(" - ")).map(|(_, name)| name.trim()).collect();
        // A point without a name is told by its place alone.
        let unnamed = points().any(|rest| !rest.contains(" - "));
        let again = |name: &str| told.contains(name) || (unnamed && name.starts_with("at "));
        part.cases.retain(|case| !again(&case.id.name));
        part.counts = part.cases.counts();
        part.recognised = !part.cases.is_empty();
    }
    let died = part.cases.iter().enumerate().filter(|(_, case)| case.status == Status::Errored);
    let mut died: BTreeMap<String, usize> = died.map(|(at, case)| (case.id.name.clone(), at)).collect();
    if died.is_empty() {
        return part;
    }
    // What a script says as it dies stands in the progress, behind its name.
    for (index, line) in lines.all() {
        let Some((path, said)) = line.trim_start().split_once(" .") else { continue };
        let said = said.trim_start_matches(['.', ' ']);
        let progress = said.is_empty() || said.starts_with(|c: char| c.is_ascii_digit());
        if progress || said.starts_with("ok") || said.starts_with("Dubious") || said.starts_with("skipped") {
            continue;
        }
        if let Some(case) = died.remove(path).and_then(|at| part.cases.get_mut(at)) {
            let mut fault = section::named(lines, index, said);
            (fault.lines, fault.excerpt) = lines.quote(index..index + 2);
            let file = Location { path: path.to_owned(), line: None, column: None };
            fault.location = place_of(said).or(Some(file));
            case.faults = vec![fault];
        }
    }
    part
}

/// Reads ` ✗ name`, and `3 tests, 1 failure`.
pub(super) fn bats(lines: &Lines) -> Part {
    section::read(lines, &BATS)
}

/// Reads `ASSERT:message` below the name of a test function, and `Ran 3 tests.`
pub(super) fn shunit(lines: &Lines) -> Part {
    section::read(lines, &SHUNIT)
}

/// Reads `(2/3) [EXECUTE] (X) message`, and `Success/Total: 2/3`.
pub(super) fn vader(lines: &Lines) -> Part {
    section::read(lines, &VADER)
}

/// Reads `Failure → spec/a.lua @ 12`, and `3 successes / 1 failure / 0 errors / 0 pending`.
pub(super) fn busted(lines: &Lines) -> Part {
    section::read(lines, &BUSTED)
}

/// Reads `Name | FAIL |` of Robot Framework, and `3 tests, 2 passed, 1 failed`.
pub(super) fn robot(lines: &Lines) -> Part {
    section::read(lines, &ROBOT)
}

/// `Files=2, Tests=9, 10 wallclock secs`: prove read the protocol itself.
pub(super) fn is_summary(line: &str) -> bool {
    line.starts_with("Files=") && line.contains(", Tests=")
}

const PROVE: Shape = Shape {
    head: |lines, index| {
        let line = lines.get(index);
        if let Some(rest) = line.trim_start().strip_prefix("#   Failed ") {
            let rest = rest.strip_prefix("(TODO) ").map_or(rest, |_| "");
            let rest = rest.strip_prefix("test")?.trim_start();
            let (name, inline) = match rest.strip_prefix('\'') {
                Some(rest) => rest.rsplit_once('\'').unwrap_or((rest, "")),
                None => (rest, rest),
            };
            let below = lines.get(index + 1);
            let location =
                place_of(inline).or_else(|| place_of(below).filter(|_| below.trim_start().starts_with("#   at ")));
            let name = if name.is_empty() { inline.trim() } else { name };
            let class = location.as_ref().map(|at| at.path.clone()).unwrap_or_default();
            let message = said(lines, index);
            return Some(Head { message, location, ..Head::new(Status::Failed, &class, name) });
        }
        // `t/a.t  (Wstat: 256 Tests: 3 Failed: 0)`: a script that died.
        let (path, rest) = line.split_once(" (Wstat: ")?;
        let died = rest.contains("Failed: 0)") && !rest.starts_with("0 ");
        let path = path.trim();
        let location = Some(Location { path: path.to_owned(), line: None, column: None });
        let reason = lines.get(index + 1).trim().to_owned();
        died.then(|| Head { location, message: reason, ..Head::new(Status::Errored, "", path) })
    },
    ends: |line| !line.trim_start().starts_with('#') && !line.starts_with("  "),
    counts: |lines, index| {
        let (_, rest) = lines.get(index).strip_prefix("Files=")?.split_once(", Tests=")?;
        let total = rest.split(',').next()?.parse().ok()?;
        // The summary lists the scripts that failed.
        let above = lines.range(index.saturating_sub(300)..index).map(|(_, line)| line);
        let failed = above.filter_map(|line| {
            let (_, rest) = line.split_once("(Wstat: ")?.1.split_once(" Failed: ")?;
            rest.trim_end().strip_suffix(')')?.parse::<u64>().ok()
        });
        Some(out_of(total, failed.fold(0, u64::saturating_add), 0, 0))
    },
    counted: false,
    ..SHAPE
};

/// `#          got: '1'` and `#     expected: '2'` below a failed test, else what stands there.
fn said(lines: &Lines, index: usize) -> String {
    let below = lines.range(index + 1..index + 8).map(|(_, line)| line.trim_start());
    let below = below
        .take_while(|line| line.starts_with('#') && !line.starts_with("#   Failed") && !line.starts_with("# Looks"));
    let told = below
        .map(|line| line.trim_start_matches(['#', ' ']))
        .filter(|line| !line.is_empty() && !line.starts_with("at "));
    told.take(3).collect::<Vec<_>>().join(", ")
}

const BATS: Shape = Shape {
    head: |lines, index| {
        let line = lines.get(index);
        let (status, name) = [(" ✗ ", Status::Failed), (" ✓ ", Status::Passed), (" - ", Status::Skipped)]
            .into_iter()
            .find_map(|(mark, status)| Some((status, line.strip_prefix(mark)?)))?;
        Some(Head::new(status, "", name.split(" (skipped").next().unwrap_or(name)))
    },
    ends: |line| !line.starts_with("   "),
    counts: |lines, index| {
        let line = lines.get(index).trim_end();
        let (total, rest) = line.split_once(" test")?;
        let told = rest.trim_start_matches('s').strip_prefix(", ")?;
        let skipped = number_of(told, &["skipped"]).unwrap_or(0);
        // Elixir's runner counts in the same words below the time that it took.
        let other = lines.range(index.saturating_sub(2)..index).any(|(_, line)| line.starts_with("Finished in "));
        (!other).then(|| Some(out_of(total.parse().ok()?, number_of(told, &["failure", "failures"])?, 0, skipped)))?
    },
    ..SHAPE
};

const SHUNIT: Shape = Shape {
    head: |lines, index| {
        let line = lines.get(index);
        let message = line.strip_prefix("ASSERT:")?.to_owned();
        let above = (index.saturating_sub(60)..index).rev().map(|at| lines.get(at).trim());
        let name = above.into_iter().find(|line| line.starts_with("test") && !line.contains(' '))?;
        Some(Head { message, ..Head::new(Status::Failed, "", name) })
    },
    ends: |_| true,
    counts: |lines, index| {
        let (total, rest) = lines.get(index).strip_prefix("Ran ")?.split_once(" test")?;
        // What fails are assertions, and several can in one test.
        matches!(rest.trim_end(), "." | "s.").then(|| Some(out_of(total.parse().ok()?, 0, 0, 0)))?
    },
    ..SHAPE
};

const VADER: Shape = Shape {
    head: |lines, index| {
        let body = lines.get(index).trim_start().strip_prefix('(')?;
        let (number, rest) = body.split_once(") [")?;
        let (kind, rest) = rest.split_once("] ")?;
        let message = rest.strip_prefix("(X) ").filter(|_| matches!(kind.trim(), "EXECUTE" | "EXPECT" | "THEN"))?;
        // The test's own line has the same number and no cross.
        let own = format!("({number}) [");
        let above = (index.saturating_sub(40)..index).rev().map(|at| lines.get(at).trim_start());
        let mut named = above.filter_map(|line| line.strip_prefix(&own)?.split_once("] ")).map(|(_, name)| name);
        let name = named.find(|name| !name.starts_with("(X) ")).unwrap_or(message);
        Some(Head { message: message.to_owned(), ..Head::new(Status::Failed, "", name) })
    },
    ends: |line| !line.trim_start().starts_with('>'),
    counts: |lines, index| {
        let line = lines.get(index);
        let (passed, rest) = line.strip_prefix("Success/Total: ")?.split_once('/')?;
        let total: u64 = rest.split(' ').next()?.parse().ok()?;
        let passed: u64 = passed.parse().ok()?;
        rest.contains("assertions").then(|| out_of(total, total.saturating_sub(passed), 0, 0))
    },
    ..SHAPE
};

const BUSTED: Shape = Shape {
    head: |lines, index| {
        let line = lines.get(index);
        if !line.starts_with("Failure") && !line.starts_with("Error") {
            return None;
        }
        let (word, place) = line.split_once(" → ").or_else(|| line.split_once(" -> "))?;
        let status = match word {
            "Failure" => Status::Failed,
            "Error" => Status::Errored,
            _ => return None,
        };
        let (path, number) = place.split_once(" @ ")?;
        let location = Some(Location { path: path.to_owned(), line: number.trim().parse().ok(), column: None });
        Some(Head { lines: 2, location, ..Head::new(status, "", lines.get(index + 1)) })
    },
    ends: |line| line.starts_with("Pending → "),
    counts: |lines, index| {
        let line = lines.get(index);
        let list = line.split(" : ").next().filter(|_| line.contains(" success"))?.replace(" / ", ", ");
        let number = |words: &[&str]| number_of(&list, words);
        let (passed, failed) = (number(&["successes", "success"])?, number(&["failures", "failure"])?);
        let (errored, skipped) = (number(&["errors", "error"]).unwrap_or(0), number(&["pending"]).unwrap_or(0));
        let total = [passed, failed, errored, skipped].into_iter().fold(0, u64::saturating_add);
        Some(out_of(total, failed, errored, skipped))
    },
    counted: false,
    ..SHAPE
};

const ROBOT: Shape = Shape {
    head: |lines, index| {
        let line = lines.get(index).trim_end();
        let (name, status) =
            [("| FAIL |", Status::Failed), ("| PASS |", Status::Passed), ("| SKIP |", Status::Skipped)]
                .into_iter()
                .find_map(|(end, status)| Some((line.strip_suffix(end)?, status)))?;
        // A suite ends with its counts below.
        let suite =
            lines.range(index + 1..index + 4).any(|(_, line)| line.contains(" passed, ")) && status != Status::Failed;
        let counted = lines.get(index + 1).contains(" passed, ") || lines.get(index + 2).contains(" passed, ");
        let name = name.split(" :: ").next().unwrap_or(name);
        (!suite && !counted && !name.trim().is_empty()).then(|| Head::new(status, "", name))
    },
    ends: |line| line.starts_with("---") || line.starts_with("==="),
    counts: |lines, index| {
        let line = lines.get(index);
        let output = lines.range(index + 1..index + 3).any(|(_, line)| line.starts_with("Output:"));
        let rule = lines.get(index + 1).starts_with("===") && lines.get(index + 2).starts_with("Output:");
        let (total, rest) = line.split_once(" test").filter(|_| output || rule)?;
        let (passed, failed) = (number_of(rest, &["passed"])?, number_of(rest, &["failed"])?);
        let counts: TestCounts =
            out_of(total.trim().parse().ok()?, failed, 0, number_of(rest, &["skipped"]).unwrap_or(0));
        (passed <= counts.total).then_some(counts)
    },
    ..SHAPE
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prove_names_tests_and_scripts_that_died() {
        let log = "t/cart.t .. 1/3 \n#   Failed test 'adds things'\n#   at t/cart.t line 7.\n#          got: '1'\n#     expected: '2'\n# Looks like you failed 1 test of 3.\nt/cart.t .. Dubious, test returned 1 (wstat 256, 0x100)\nFailed 1/3 subtests \n\nTest Summary Report\n-------------------\nt/cart.t (Wstat: 256 Tests: 3 Failed: 1)\n  Failed test:  2\nt/https.t      (Wstat: 2816 Tests: 0 Failed: 0)\n  Non-zero exit status: 11\nFiles=2, Tests=3, 10 wallclock secs\nResult: FAIL\nFailed 2/2 test programs. 1/3 subtests failed.\n";
        let part = prove(&Lines::of(log));
        assert_eq!((part.counts.failed, part.counts.errored, part.cases.len()), (1, 1, 2));
        let case = &part.cases[0];
        assert_eq!((part.counts.total, case.id.class.as_str(), case.id.name.as_str()), (4, "t/cart.t", "adds things"));
        let raw = "1..1\nnot ok 1 - adds things\n#   Failed test 'adds things'\n#   at t/cart.t line 7.\n";
        assert!(!prove(&Lines::of(raw)).recognised);
        assert_eq!(case.faults[0].message, "got: '1', expected: '2'");
        assert_eq!(case.faults[0].location.as_ref().unwrap().line, Some(7));
        assert_eq!(part.cases[1].faults[0].message, "Non-zero exit status: 11");
        let told = format!("t/https.t ........ Connection error at t/https.t line 17.\n# Looks like it\n{log}");
        let fault = &prove(&Lines::of(&told)).cases[1].faults[0];
        assert_eq!((fault.message.as_str(), fault.lines.unwrap().start), ("Connection error at t/https.t line 17.", 1));
    }

    #[test]
    fn shells_are_read() {
        let log = " ✓ keeps\n ✗ adds things\n   (in test file cart.bats, line 3)\n     `[ 1 -eq 2 ]' failed\n\n2 tests, 1 failure\n";
        let part = bats(&Lines::of(log));
        assert_eq!((part.counts.total, part.cases[1].id.name.as_str()), (2, "adds things"));
        assert_eq!(part.cases[1].faults[0].location.as_ref().unwrap().line, Some(3));
        let log = "testAdds\nASSERT:expected:<2> but was:<1>\ntestKeeps\n\nRan 2 tests.\n\nFAILED (failures=1)\n";
        let part = shunit(&Lines::of(log));
        assert_eq!((part.cases[0].id.name.as_str(), part.counts.failed), ("testAdds", 1));
    }

    #[test]
    fn vim_lua_and_robot_are_read() {
        let log = "    (1/2) [EXECUTE] keeps\n    (2/2) [EXECUTE] adds\n    (2/2) [EXECUTE] (X) 1 should be equal to 2\n      > function x\nSuccess/Total: 1/2 (assertions: 2/3)\n";
        let part = vader(&Lines::of(log));
        assert_eq!((part.counts.failed, part.cases[0].id.name.as_str()), (1, "adds"));
        let log = "3 successes / 1 failure / 0 errors / 0 pending : 0.1 seconds\n\nFailure → spec/cart_spec.lua @ 12\ncart adds things\nspec/cart_spec.lua:13: Expected objects to be equal.\n";
        let part = busted(&Lines::of(log));
        assert_eq!((part.counts.total, part.counts.failed, part.cases[0].id.name.as_str()), (4, 1, "cart adds things"));
        let log = "Adds Things                              | FAIL |\n1 != 2\n-----\nKeeps      | PASS |\n-----\nSuite      | FAIL |\n2 tests, 1 passed, 1 failed\n=====\nOutput: /x.xml\n";
        let part = robot(&Lines::of(log));
        assert_eq!((part.counts.total, part.counts.failed, part.cases[0].id.name.as_str()), (2, 1, "Adds Things"));
    }
}
