//! What Python's own `unittest` prints, verbose or not.

use std::collections::BTreeMap;

use super::Part;
use super::lines::Lines;
use crate::artifact::{Case, Status, TestCounts, TestId, gist};

/// Reads every run; a run ends with `Ran N tests in …` and a verdict.
pub(super) fn read(lines: &Lines) -> Part {
    let mut part = Part::default();
    let mut stated = TestCounts::default();
    let mut pending: Vec<Case> = Vec::new();
    let mut listed = BTreeMap::new();
    let mut begin = 0;
    let mut index = 0;
    while index < lines.len() {
        let line = lines.get(index);
        if let Some((status, id)) = header(lines, index) {
            // The first line of a test's documentation stands below its name.
            let rule =
                lines.range(index + 1..index + 8).find(|(_, line)| is_rule(line)).map_or(index + 1, |(at, _)| at);
            let start = rule + 1;
            let end = lines
                .range(start..start + 2000)
                .find(|(_, line)| is_rule(line))
                .map_or(lines.len().min(start + 2000), |(at, _)| at);
            let mut fault = gist::fault("", None, &lines.join(start..end), Some(lines.number(start)));
            let quoted = fault.lines.map_or(start..end, |at| {
                let offset = |number: u32| start + number.saturating_sub(lines.number(start)) as usize;
                offset(at.start)..offset(at.end) + 1
            });
            (fault.lines, fault.excerpt) = lines.quote(quoted);
            match listed.remove(&id).and_then(|at: usize| pending.get_mut(at)) {
                Some(case) => case.faults.push(fault),
                None => pending.push(Case { id, status, faults: vec![fault], ..Case::default() }),
            }
            index = end;
            continue;
        }
        if let Some(total) = ran(line) {
            stated = add(stated, verdict(lines, index, total));
            part.recognised = true;
            part.claims.push((begin, index + 1));
            part.cases.extend(pending.drain(..));
            listed.clear();
            begin = index + 1;
        } else if let Some((id, status)) = verbose(line) {
            listed.insert(id.clone(), pending.len());
            pending.push(Case { id, status, ..Case::default() });
        }
        index += 1;
    }
    if part.recognised {
        part.state(stated);
    }
    part
}

fn is_rule(line: &str) -> bool {
    line.len() >= 70 && (line.bytes().all(|byte| byte == b'=') || line.bytes().all(|byte| byte == b'-'))
}

/// `FAIL: test_a (mod.T.test_a)` between two rules.
fn header(lines: &Lines, index: usize) -> Option<(Status, TestId)> {
    let line = lines.get(index);
    let (status, rest) = match line.strip_prefix("FAIL: ") {
        Some(rest) => (Status::Failed, rest),
        None => (Status::Errored, line.strip_prefix("ERROR: ")?),
    };
    if index == 0 || !is_rule(lines.get(index - 1)) {
        return None;
    }
    Some((status, test_id(rest)))
}

/// `test_a (mod.T.test_a)` of new versions, `test_a (mod.T)` of old ones, both perhaps with a parameter behind.
fn test_id(text: &str) -> TestId {
    let (name, rest) = text.split_once(" (").unwrap_or((text, ""));
    let (class, extra) = rest.split_once(')').unwrap_or((rest, ""));
    let class = class.strip_suffix(name).and_then(|class| class.strip_suffix('.')).unwrap_or(class);
    TestId { suite: String::new(), class: class.to_owned(), name: format!("{name}{extra}") }
}

/// `test_a (mod.T.test_a) ... ok`
fn verbose(line: &str) -> Option<(TestId, Status)> {
    let (test, end) = line.rsplit_once(" ... ")?;
    let status = match end.trim_end() {
        "ok" | "unexpected success" => Status::Passed,
        "FAIL" => Status::Failed,
        "ERROR" => Status::Errored,
        end if end.starts_with("skipped") || end == "expected failure" => Status::Skipped,
        _ => return None,
    };
    test.contains(" (").then(|| (test_id(test), status))
}

/// `Ran 4 tests in 0.003s`
fn ran(line: &str) -> Option<u64> {
    let (number, rest) = line.strip_prefix("Ran ")?.split_once(' ')?;
    // `Ran 2 tests across 1 file` is Bun's.
    (rest.starts_with("test") && !rest.contains(" across ")).then(|| number.parse().ok()).flatten()
}

/// `FAILED (failures=1, errors=1, skipped=1)` or `OK` below the count.
fn verdict(lines: &Lines, index: usize, total: u64) -> TestCounts {
    let mut counts = TestCounts::default();
    let verdict = lines
        .range(index + 1..index + 4)
        .map(|(_, line)| line)
        .find(|line| line.starts_with("FAILED") || line.starts_with("OK"));
    let inside = verdict.and_then(|line| line.split_once('(')).map_or("", |(_, rest)| rest.trim_end_matches(')'));
    for pair in inside.split(", ") {
        let Some((word, number)) = pair.split_once('=') else { continue };
        let number: u64 = number.parse().unwrap_or(0);
        match word {
            "failures" => counts.failed = number,
            "errors" => counts.errored = number,
            "skipped" | "expected failures" => counts.skipped = counts.skipped.saturating_add(number),
            _ => {}
        }
    }
    let others = counts.failed.saturating_add(counts.errored).saturating_add(counts.skipped);
    counts.passed = total.saturating_sub(others);
    counts
}

fn add(a: TestCounts, b: TestCounts) -> TestCounts {
    TestCounts {
        passed: a.passed.saturating_add(b.passed),
        failed: a.failed.saturating_add(b.failed),
        errored: a.errored.saturating_add(b.errored),
        skipped: a.skipped.saturating_add(b.skipped),
        total: 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RUN: &str = "test_a (m.T.test_a) ... FAIL\ntest_b (m.T.test_b) ... ok\ntest_c (m.T.test_c) ... skipped 'x'\n\n======================================================================\nFAIL: test_a (m.T.test_a)\n----------------------------------------------------------------------\nTraceback (most recent call last):\n  File \"/x/m.py\", line 3, in test_a\n    self.assertEqual(1,2)\nAssertionError: 1 != 2\n\n----------------------------------------------------------------------\nRan 3 tests in 0.001s\n\nFAILED (failures=1, skipped=1)\n";

    #[test]
    fn a_verbose_run_is_read_once() {
        let part = read(&Lines::of(RUN));
        assert_eq!(part.counts, TestCounts { total: 3, passed: 1, failed: 1, errored: 0, skipped: 1 });
        let failed = &part.cases[0];
        assert_eq!((failed.id.class.as_str(), failed.id.name.as_str()), ("m.T", "test_a"));
        assert_eq!(failed.faults[0].message, "AssertionError: 1 != 2");
        assert_eq!(failed.faults[0].location.as_ref().unwrap().line, Some(3));
        assert_eq!(failed.faults[0].lines.unwrap(), crate::artifact::Lines { start: 8, end: 11 });
    }

    #[test]
    fn a_quiet_run_counts_what_it_does_not_name() {
        let quiet = RUN.split_once("\n\n").unwrap().1;
        assert_eq!(read(&Lines::of(quiet)).counts.total, 3);
    }
}
