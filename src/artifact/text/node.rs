//! The `spec` reporter of node's test runner.

use crate::artifact::text::cases::Cases;
use std::collections::{BTreeMap, VecDeque};

use super::Part;
use super::lines::Lines;
use super::mark::{self, Mark};
use crate::artifact::{Case, Fault, Status, TestCounts, TestId, gist, place};

/// Reads the list of tests, the counts and the section of failures.
pub(super) fn read(lines: &Lines) -> Part {
    let mut part = Part::default();
    let mut stated = TestCounts::default();
    let footers: Vec<usize> =
        lines.all().filter(|(_, line)| line.starts_with("ℹ tests ")).map(|(index, _)| index).collect();
    let mut start = 0;
    for (at, footer) in footers.iter().copied().enumerate() {
        let next = footers.get(at + 1).copied().unwrap_or(lines.len());
        let end = lines
            .range(footer + 1..next)
            .find(|(_, line)| line.starts_with("✔ ") || line.starts_with("▶ "))
            .map_or(next, |(at, _)| at);
        let mut cases = list(lines, start, footer);
        failures(lines, footer, end, &mut cases);
        for case in cases.iter_mut() {
            if case.status == Status::Failed && case.faults.is_empty() {
                case.faults.push(gist::fault("", None, "", None));
            }
        }
        add(&mut stated, lines, footer);
        part.cases.append(&mut cases);
        part.claims.push((start, end));
        part.recognised = true;
        start = end;
    }
    if part.recognised {
        part.state(stated);
    }
    part
}

fn add(stated: &mut TestCounts, lines: &Lines, footer: usize) {
    for (_, line) in lines.range(footer..footer + 9) {
        let Some((word, number)) = line.strip_prefix("ℹ ").and_then(|rest| rest.split_once(' ')) else { continue };
        let number = number.trim().parse().unwrap_or(0);
        let slot = match word {
            "pass" => &mut stated.passed,
            "fail" => &mut stated.failed,
            "cancelled" => &mut stated.errored,
            "skipped" | "todo" => &mut stated.skipped,
            _ => continue,
        };
        *slot = slot.saturating_add(number);
    }
}

fn list(lines: &Lines, start: usize, end: usize) -> Cases {
    let mut cases = Cases::default();
    let mut suites: Vec<(usize, String)> = Vec::new();
    for (index, line) in lines.range(start..end) {
        if let Some(name) = line.trim_start().strip_prefix("▶ ") {
            let indent = line.len() - line.trim_start().len();
            // Newer versions close a suite with the same mark and its duration.
            let open = suites.iter().any(|(at, known)| *at == indent && known == mark::without_time(name));
            suites.retain(|(at, _)| *at < indent);
            if !open {
                suites.push((indent, mark::without_time(name).to_owned()));
            }
            continue;
        }
        let Some(Mark { indent, status, name }) = mark::read(line) else { continue };
        let ends_suite = suites.iter().any(|(at, known)| *at == indent && known == name);
        suites.retain(|(at, _)| *at < indent);
        if ends_suite || name == "failing tests:" {
            continue;
        }
        let class = suites.iter().map(|(_, name)| name.as_str()).collect::<Vec<_>>().join(" > ");
        let id = TestId { suite: String::new(), class, name: name.to_owned() };
        let mut case = Case { id, status, ..Case::default() };
        if status == Status::Failed && place::is_file(name) {
            case.faults.extend(load_failure(lines, start, index, name));
        }
        cases.push(case);
    }
    cases
}

/// A file that could not be loaded: the reason stands above its line.
fn load_failure(lines: &Lines, start: usize, index: usize, path: &str) -> Option<Fault> {
    let from = index.saturating_sub(60).max(start);
    let from =
        lines.range(from..index).filter(|(_, line)| mark::read(line).is_some()).last().map_or(from, |(at, _)| at + 1);
    let (at, line) = lines.range(from..index).find(|(_, line)| line.contains("Error: ") || line.contains("Error ["))?;
    let mut fault = gist::fault(line, None, &lines.join(at..index), None);
    (fault.lines, fault.excerpt) = lines.quote(at..(at + 6).min(index));
    gist::or_place(&mut fault, path, None);
    Some(fault)
}

/// The section behind `failing tests:`: place, name, error and stack of each.
fn failures(lines: &Lines, footer: usize, end: usize, cases: &mut Cases) {
    let mut heads: Vec<usize> = lines
        .range(footer..end)
        .filter(|(_, line)| line.starts_with("✖ ") && !line.starts_with("✖ failing tests:"))
        .map(|(index, _)| index)
        .collect();
    heads.push(end);
    let mut failed: BTreeMap<String, VecDeque<usize>> = BTreeMap::new();
    for (index, case) in cases.iter().enumerate().filter(|(_, case)| case.status == Status::Failed) {
        failed.entry(case.id.name.clone()).or_default().push_back(index);
    }
    for pair in heads.windows(2) {
        let (head, next) = (pair[0], pair[1]);
        let Some(Mark { name, .. }) = mark::read(lines.get(head)) else { continue };
        let place_of = |line: &str| line.strip_prefix("test at ").and_then(place::whole);
        let at = head.checked_sub(1).and_then(|before| place_of(lines.get(before)));
        let stop = if place_of(lines.get(next.saturating_sub(1))).is_some() { next - 1 } else { next };
        let body: Vec<&str> =
            lines.range(head + 1..stop).map(|(_, line)| line.strip_prefix("  ").unwrap_or(line)).collect();
        let body = body.join("\n");
        let joined = body
            .lines()
            .take_while(|line| !line.trim_start().starts_with("at "))
            .map(str::trim)
            .filter(|line| !line.is_empty());
        let message = joined.take(4).collect::<Vec<_>>().join(" ");
        let mut fault = gist::fault(message.trim_matches('\''), None, body.trim_end(), None);
        let trace = lines
            .range(head..stop)
            .position(|(_, line)| line.trim_start().starts_with("at "))
            .map_or(stop, |at| head + at + 1);
        (fault.lines, fault.excerpt) = lines.quote(head..trace.min(head + 12));
        if let Some(at) = &at {
            gist::or_place(&mut fault, &at.path, at.line);
        }
        if let Some(listed) = failed.get_mut(name) {
            // What failed while loading has its reason already.
            let open = std::iter::from_fn(|| listed.pop_front()).find(|index| cases[*index].faults.is_empty());
            if let Some(index) = open {
                cases[index].faults.push(fault);
            }
        } else {
            let id = TestId { name: name.to_owned(), ..TestId::default() };
            cases.push(Case { id, status: Status::Failed, faults: vec![fault], ..Case::default() });
        }
    }
}

#[cfg(test)]
mod tests;
