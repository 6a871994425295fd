//! Catch2 and doctest: a title between rules names the test, its faults stand below with their places.

use crate::artifact::text::cases::Cases;
use std::collections::BTreeMap;

use crate::artifact::text::Part;
use crate::artifact::text::lines::Lines;
use crate::artifact::text::section::{self, Head, number_of, out_of};
use crate::artifact::{Case, Fault, Location, Status, TestCounts, TestId, place};

/// A test is told by its first faults.
const FAULTS_LIMIT: usize = 5;
/// The text of one fault beyond this many lines is not read.
const FAULT_LIMIT: usize = 60;

/// Reads Catch2's console, compact and automake reporters.
pub(in crate::artifact::text) fn read(lines: &Lines) -> Part {
    read_titled(lines, &Runner { title: catch_title, fault: catch_fault, counts: catch_counts })
}

/// Reads doctest's console.
pub(in crate::artifact::text) fn read_doctest(lines: &Lines) -> Part {
    read_titled(lines, &Runner { title: doctest_title, fault: doctest_fault, counts: doctest_counts })
}

/// Where something failed, and the words behind the place.
type Told<'a> = (Option<Location>, &'a str);

struct Runner {
    title: fn(&Lines, usize) -> Option<(String, usize)>,
    fault: fn(&str) -> Option<Told<'_>>,
    counts: fn(&str) -> Option<TestCounts>,
}

fn read_titled(lines: &Lines, runner: &Runner) -> Part {
    let mut part = Part::default();
    let mut cases: Cases = Cases::default();
    let mut known: BTreeMap<String, usize> = BTreeMap::new();
    let (mut name, mut start, mut index) = (None, 0, 0);
    while index < lines.len() {
        let line = lines.get(index);
        if let Some(counts) = (runner.counts)(line) {
            let mut own = Part { cases: std::mem::take(&mut cases), ..Part::default() };
            // Those that are expected to fail are told as well, and counted apart.
            own.counts = counts;
            part.counts = part.counts.plus(own.counts);
            part.cases.append(&mut own.cases);
            part.claims.push((start, index + 1));
            part.recognised = true;
            (name, start) = (None, index + 1);
            known.clear();
        } else if let Some((title, next)) = (runner.title)(lines, index) {
            name = Some(title);
            index = next;
            continue;
        } else if let Some((status, name)) = automake(line) {
            let id = TestId { name: name.to_owned(), ..TestId::default() };
            let failed = || vec![section::named(lines, index, line)];
            let faults = if status == Status::Failed { failed() } else { Vec::new() };
            cases.push(Case { id, status, faults, ..Case::default() });
            part.recognised = true;
        } else if let Some((place, message)) = (runner.fault)(line) {
            // The compact reporter names no tests: the place stands for the name.
            let at = place.as_ref().map(|at| format!("{}:{}", at.path, at.line.unwrap_or_default()));
            let Some(name) = name.clone().or(at) else {
                index += 1;
                continue;
            };
            let ends = |at: usize, line: &str| {
                line.is_empty() || (runner.title)(lines, at).is_some() || (runner.fault)(line).is_some()
            };
            let limit = lines.len().min(index + FAULT_LIMIT);
            let end = lines.range(index + 1..limit).find(|(at, line)| ends(*at, line)).map_or(limit, |(at, _)| at);
            let at = *known.entry(name.clone()).or_insert_with(|| {
                let id = TestId { name: name.clone(), ..TestId::default() };
                cases.push(Case { id, status: Status::Failed, ..Case::default() });
                cases.len() - 1
            });
            if let Some(case) = cases.get_mut(at).filter(|case| case.faults.len() < FAULTS_LIMIT) {
                case.faults.push(fault(lines, index, end, (place, message)));
            }
            index = end;
            continue;
        }
        index += 1;
    }
    if part.recognised && !cases.is_empty() {
        part.counts = part.counts.plus(cases.counts());
        part.cases.append(&mut cases);
    }
    part
}

fn fault(lines: &Lines, at: usize, end: usize, (place, message): (Option<Location>, &str)) -> Fault {
    let said: Vec<&str> = lines.range(at + 1..end.min(at + 8)).map(|(_, line)| line.trim()).collect();
    let message = if message.is_empty() { said.join(" ") } else { format!("{message} {}", said.join(" ")) };
    let head = Head { message: crate::text::one_line(&message, 400), location: place, ..Head::default() };
    section::failed(lines, head, at..at + 1, end).faults.remove(0)
}

fn is_rule(line: &str, mark: u8) -> bool {
    line.len() >= 70 && line.bytes().all(|byte| byte == mark)
}

/// A rule, the test's name (sections indented below it), a rule, the place, a rule of points.
fn catch_title(lines: &Lines, index: usize) -> Option<(String, usize)> {
    if !is_rule(lines.get(index), b'-') {
        return None;
    }
    let end = lines.range(index + 1..index + 12).find(|(_, line)| is_rule(line, b'-'))?.0;
    let dotted = lines.range(end + 1..end + 4).any(|(_, line)| is_rule(line, b'.'));
    let name = lines.get(index + 1).trim();
    (dotted && !name.is_empty()).then(|| (name.to_owned(), end + 1))
}

/// `a.cpp:12: FAILED:`
fn catch_fault(line: &str) -> Option<(Option<Location>, &str)> {
    let (front, rest) = line.split_once(": FAILED:").or_else(|| line.split_once(": failed: "))?;
    Some((place::whole(front).or_else(|| section::place_of(front)), rest.trim()))
}

/// `test cases:  419 |  327 passed |  71 failed | 7 skipped | 14 failed as expected`
fn catch_counts(line: &str) -> Option<TestCounts> {
    if let Some((_, rest)) = line.strip_prefix("All tests passed (").and_then(|rest| rest.split_once(" in ")) {
        return Some(out_of(number_of(rest, &["test"])?, 0, 0, 0));
    }
    table(line.strip_prefix("test cases:")?)
}

fn table(rest: &str) -> Option<TestCounts> {
    let mut parts = rest.split('|').map(str::trim);
    let total = parts.next()?.parse().ok()?;
    let (mut failed, mut skipped) = (0, 0);
    for part in parts {
        let Some((number, word)) = part.split_once(' ') else { continue };
        let number = number.parse().unwrap_or(0);
        match word {
            "failed" => failed = number,
            "skipped" => skipped = number,
            _ => {}
        }
    }
    Some(out_of(total, failed, 0, skipped))
}

/// `:test-result: FAIL name`
fn automake(line: &str) -> Option<(Status, &str)> {
    let (word, name) = line.strip_prefix(":test-result: ")?.split_once(' ')?;
    let status = match word {
        "PASS" => Status::Passed,
        "FAIL" | "XPASS" => Status::Failed,
        "SKIP" | "XFAIL" => Status::Skipped,
        _ => return None,
    };
    Some((status, name))
}

/// A rule, the place, `TEST CASE:  name`.
fn doctest_title(lines: &Lines, index: usize) -> Option<(String, usize)> {
    if !is_rule(lines.get(index), b'=') {
        return None;
    }
    let (at, line) = lines.range(index + 1..index + 5).find(|(_, line)| line.trim_start().starts_with("TEST CASE:"))?;
    let name = line.trim_start().strip_prefix("TEST CASE:")?.trim();
    Some((name.to_owned(), at + 1))
}

/// `a.cpp(12): ERROR: CHECK( a == b ) is NOT correct!`
fn doctest_fault(line: &str) -> Option<(Option<Location>, &str)> {
    let (front, rest) = line.split_once(": ERROR: ").or_else(|| line.split_once(": FATAL ERROR: "))?;
    let place = section::place_of(front).or_else(|| place::whole(front));
    place.is_some().then_some((place, rest.trim()))
}

/// `[doctest] test cases:  3 |  2 passed | 1 failed | 0 skipped`
fn doctest_counts(line: &str) -> Option<TestCounts> {
    let rest = line.strip_prefix("[doctest] test cases:")?;
    let total = table(rest)?;
    // Those that were filtered out are no part of the total.
    let total_run = rest.split('|').next()?.trim().parse().ok()?;
    Some(out_of(total_run, total.failed, 0, 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn catch2_gives_every_fault_to_its_test() {
        let (rule, dots) = ("-".repeat(79), ".".repeat(79));
        let log = format!(
            "{rule}\nadds things\n  twice\n{rule}\ncart.cpp:10\n{dots}\n\ncart.cpp:12: FAILED:\n  CHECK( add(1) == 2 )\nwith expansion:\n  1 == 2\n\ncart.cpp:13: FAILED:\n  CHECK( false )\n\n{}\ntest cases: 3 | 2 passed | 1 failed\nassertions: 9 | 7 passed | 2 failed\n",
            "=".repeat(79)
        );
        let part = read(&Lines::of(&log));
        assert_eq!((part.counts.total, part.counts.failed, part.cases.len()), (3, 1, 1));
        let case = &part.cases[0];
        assert_eq!((case.id.name.as_str(), case.faults.len()), ("adds things", 2));
        assert_eq!(case.faults[0].message, "CHECK( add(1) == 2 ) with expansion: 1 == 2");
        assert_eq!(case.faults[0].location.as_ref().unwrap().line, Some(12));
    }

    #[test]
    fn doctest_is_read() {
        let rule = "=".repeat(79);
        let log = format!(
            "{rule}\ncart.cpp(10):\nTEST CASE:  adds\n\ncart.cpp(12): ERROR: CHECK( a == b ) is NOT correct!\n  values: CHECK( 1 == 2 )\n\n{rule}\n[doctest] test cases:  3 |  2 passed | 1 failed | 4 skipped\n"
        );
        let part = read_doctest(&Lines::of(&log));
        assert_eq!((part.counts.total, part.counts.failed, part.cases[0].id.name.as_str()), (3, 1, "adds"));
    }

    #[test]
    fn the_automake_reporter_is_read() {
        assert_eq!(read(&Lines::of(":test-result: PASS a\n:test-result: FAIL b c\n")).counts.failed, 1);
    }
}
