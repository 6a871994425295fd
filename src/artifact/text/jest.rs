//! What jest and vitest print: files that passed or failed, marked names, a section for each failure.

use crate::artifact::text::cases::Cases;
use std::collections::BTreeSet;

use super::Part;
use super::lines::Lines;
use super::mark::{self, Mark};
use crate::artifact::{Case, Fault, Status, TestCounts, TestId, gist, place};

/// Text of one failure beyond this many lines is not read.
const SECTION_LIMIT: usize = 500;

/// What jest tells in sections that are no test's.
const TOLD: [&str; 5] = [
    "Console",
    "Cannot log after tests are done",
    "Deprecation Warning",
    "Validation Warning",
    "Multiple configurations",
];

/// Which of the two printed a line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Runner {
    Jest,
    Vitest,
}

/// Reads jest's runs, each up to its `Tests:` line.
pub(super) fn read(lines: &Lines) -> Part {
    read_runs(lines, Runner::Jest)
}

/// Reads vitest's runs, each up to its `Tests` line.
pub(super) fn read_vitest(lines: &Lines) -> Part {
    read_runs(lines, Runner::Vitest)
}

fn read_runs(lines: &Lines, runner: Runner) -> Part {
    let mut part = Part::default();
    let mut stated = TestCounts::default();
    let mut start = 0;
    let footers: Vec<usize> =
        lines.all().filter(|(_, line)| footer(line, runner).is_some()).map(|(index, _)| index).collect();
    for at in footers {
        let Some(counts) = footer(lines.get(at), runner) else { continue };
        let mut cases = run(lines, start, at, runner);
        // Long runs repeat their failures at the end.
        let mut seen = BTreeSet::new();
        cases.retain(|case| !case.is_failing() || seen.insert((case.id.clone(), case.status)));
        // A file that could not be loaded has no tests: no runner counts it, but it is an error.
        let errored = cases.iter().filter(|case| case.status == Status::Errored).count() as u64;
        stated.passed = stated.passed.saturating_add(mark::counted(counts, "passed"));
        stated.failed = stated.failed.saturating_add(mark::counted(counts, "failed"));
        stated.skipped = ["skipped", "todo", "pending"]
            .iter()
            .fold(stated.skipped, |sum, word| sum.saturating_add(mark::counted(counts, word)));
        stated.errored = stated.errored.saturating_add(errored);
        part.cases.append(&mut cases);
        part.claims.push((start, at + 1));
        part.recognised = true;
        start = at + 1;
    }
    if part.recognised {
        part.state(stated);
    }
    if runner == Runner::Jest {
        unfinished(lines, start, &mut part);
    }
    part
}

/// A run that was cut off, or whose counts nobody prints: its files and what they list tell enough.
fn unfinished(lines: &Lines, start: usize, part: &mut Part) {
    let told = |at: usize| {
        let below = lines.range(at + 1..at + 4).find(|(_, line)| !line.trim().is_empty());
        below.is_some_and(|(_, line)| line.starts_with("  ● ") || mark::read(line).is_some())
    };
    let mut files = lines.range(start..lines.len()).filter(|(_, line)| jest_file(line).is_some());
    let Some((first, _)) = files.find(|(at, _)| told(*at)) else { return };
    let mut cases = run(lines, first, lines.len(), Runner::Jest);
    let mut seen = BTreeSet::new();
    cases.retain(|case| !case.is_failing() || seen.insert((case.id.clone(), case.status)));
    part.recognised |= !cases.is_empty();
    part.counts = part.counts.plus(cases.counts());
    part.cases.append(&mut cases);
    part.claims.push((first, lines.len()));
}

/// `Tests:  2 failed, 4 total` of jest, `Tests  2 failed | 1 passed (4)` of vitest.
fn footer(line: &str, runner: Runner) -> Option<&str> {
    let rest = line.trim_start().strip_prefix("Tests")?.trim_end();
    let counts = match runner {
        Runner::Jest => rest.strip_prefix(':').filter(|rest| rest.ends_with(" total")),
        Runner::Vitest => rest.strip_prefix("  ").filter(|rest| {
            rest.ends_with(')') && [" passed", " failed", " skipped", " todo"].iter().any(|word| rest.contains(word))
        }),
    };
    counts.map(str::trim)
}

fn run(lines: &Lines, start: usize, end: usize, runner: Runner) -> Cases {
    let mut cases = Cases::default();
    let mut file = String::new();
    let mut describes: Vec<(usize, String)> = Vec::new();
    let mut index = start;
    while index < end {
        let line = lines.get(index);
        if runner == Runner::Vitest
            && let Some(head) = vitest_head(line)
        {
            let stop = section_end(lines, index + 1, end, |line| vitest_head(line).is_some() || line.starts_with("⎯⎯"));
            failure(lines, index, stop, head, &mut cases);
            index = stop;
            continue;
        }
        if let Some(path) = jest_file(line) {
            path.clone_into(&mut file);
            describes.clear();
        } else if let Some(title) = line.strip_prefix("  ● ") {
            let stop = section_end(lines, index + 1, end, |line| line.starts_with("  ● ") || jest_file(line).is_some());
            if !TOLD.iter().any(|start| title.starts_with(start))
                && (!title.contains("skipped") || title.contains(" › "))
            {
                failure(
                    lines,
                    index,
                    stop,
                    Head { file: file.clone(), titles: title.split(" › ").map(str::to_owned).collect() },
                    &mut cases,
                );
            }
            index = stop;
            continue;
        } else if let Some(mark) = mark::read(line) {
            listed(&mark, &file, &mut describes, &mut cases);
        } else if line.starts_with("  ") && !file.is_empty() && !line.trim().is_empty() {
            let indent = line.len() - line.trim_start().len();
            describes.retain(|(at, _)| *at < indent);
            if describes.len() < 32 {
                describes.push((indent, line.trim().to_owned()));
            }
        }
        index += 1;
    }
    cases
}

/// `FAIL je/a.test.js (5.1 s)`: flush left or one blank before, the path alone.
fn jest_file(line: &str) -> Option<&str> {
    let line = line.strip_prefix(' ').unwrap_or(line);
    let rest = line.strip_prefix("FAIL ").or_else(|| line.strip_prefix("PASS "))?.trim();
    let path = rest.split(" (").next().unwrap_or(rest);
    let path = path.rsplit(' ').next().unwrap_or(path);
    place::is_file(path).then_some(path)
}

struct Head {
    file: String,
    titles: Vec<String>,
}

/// ` FAIL  vi/a.test.js > suite > bad` or ` FAIL  vi/b.test.js [ vi/b.test.js ]`
fn vitest_head(line: &str) -> Option<Head> {
    let rest = line.strip_prefix(" FAIL  ")?;
    let rest = rest.split(" [ ").next().unwrap_or(rest);
    let mut titles = rest.split(" > ").map(|title| title.trim().to_owned());
    let file = titles.next()?;
    // A workspace's project stands before the path: `|web| a.test.ts`.
    let file = file.rsplit("| ").next().unwrap_or(&file).to_owned();
    Some(Head { file, titles: titles.collect() })
}

fn section_end(lines: &Lines, start: usize, end: usize, is_next: impl Fn(&str) -> bool) -> usize {
    let limit = end.min(start + SECTION_LIMIT);
    lines.range(start..limit).find(|(_, line)| is_next(line)).map_or(limit, |(at, _)| at)
}

fn listed(mark: &Mark<'_>, file: &str, describes: &mut Vec<(usize, String)>, cases: &mut Cases) {
    let mut parts = mark.name.split(" > ").map(str::trim);
    let first = parts.next().unwrap_or_default();
    let vitest = place::is_file(first.split(" (").next().unwrap_or(first))
        && first.contains(".test.") | first.contains(".spec.") | first.contains('/');
    let (suite, mut titles): (&str, Vec<String>) = if vitest {
        (first, parts.map(str::to_owned).collect())
    } else {
        describes.retain(|(at, _)| *at < mark.indent);
        (file, describes.iter().map(|(_, name)| name.clone()).chain([mark.name.to_owned()]).collect())
    };
    // The list without names of files cannot be told apart from a file's own line; sections name its failures.
    let Some(name) = titles.pop().filter(|_| !suite.is_empty()) else { return };
    if mark.status == Status::Failed {
        return;
    }
    let id = TestId { suite: suite.to_owned(), class: titles.join(" > "), name };
    cases.push(Case { id, status: mark.status, ..Case::default() });
}

fn failure(lines: &Lines, head: usize, end: usize, found: Head, cases: &mut Cases) {
    let Head { file, mut titles } = found;
    let whole = titles.first().is_none_or(|title| title == "Test suite failed to run");
    let (status, name) = if whole {
        (Status::Errored, if file.is_empty() { "Test suite failed to run".to_owned() } else { file.clone() })
    } else {
        (Status::Failed, titles.pop().unwrap_or_default())
    };
    let class = if whole { String::new() } else { titles.join(" > ") };
    let id = TestId { suite: file.clone(), class, name: name.trim().to_owned() };
    let mut fault = read_fault(lines, head, end);
    gist::or_place(&mut fault, &file, None);
    cases.push(Case { id, status, faults: vec![fault], ..Case::default() });
}

fn read_fault(lines: &Lines, head: usize, end: usize) -> Fault {
    let is_code = |line: &str| {
        let line = line.trim_start().trim_start_matches(['>', ' ']);
        line.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start().starts_with('|')
    };
    let is_call = |line: &str| line.trim_start().starts_with("at ") || line.trim_start().starts_with("❯ ");
    let said: Vec<&str> = lines
        .range(head + 1..end)
        .map(|(_, line)| line)
        .take_while(|line| !is_code(line) && !is_call(line))
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .take(5)
        .collect();
    let sides: Vec<&str> = said
        .iter()
        .skip(1)
        .copied()
        .filter(|line| line.starts_with("Expected") || line.starts_with("Received"))
        .collect();
    let message = [said.first().copied().unwrap_or_default()].into_iter().chain(sides).collect::<Vec<_>>().join(", ");
    let mut fault = gist::fault(&message, None, &lines.join(head + 1..end), None);
    let quoted = lines.range(head + 1..end).find(|(_, line)| is_code(line) || is_call(line)).map_or(end, |(at, _)| at);
    (fault.lines, fault.excerpt) = lines.quote(head..quoted.min(head + 12));
    fault
}

#[cfg(test)]
mod tests;
