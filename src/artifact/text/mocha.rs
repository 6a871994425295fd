//! The `spec` reporter of mocha.

use super::Part;
use super::lines::Lines;
use super::mark;
use crate::artifact::text::cases::Cases;
use crate::artifact::{Case, Status, TestCounts, TestId, gist};

/// Reads the list, the counts and the numbered failures of each run.
pub(super) fn read(lines: &Lines) -> Part {
    let mut part = Part::default();
    let mut stated = TestCounts::default();
    let mut start = 0;
    let footers: Vec<usize> =
        lines.all().filter(|(_, line)| footer(line, "passing").is_some()).map(|(index, _)| index).collect();
    for at in footers {
        part.recognised = true;
        stated.passed = stated.passed.saturating_add(footer(lines.get(at), "passing").unwrap_or(0));
        let mut body = at + 1;
        for (index, line) in lines.range(at + 1..at + 4) {
            if let Some(number) = footer(line, "pending") {
                stated.skipped = stated.skipped.saturating_add(number);
                body = index + 1;
            } else if let Some(number) = footer(line, "failing").or_else(|| footer(line, "failed")) {
                stated.failed = stated.failed.saturating_add(number);
                body = index + 1;
            }
        }
        let mut cases = list(lines, start, at);
        let end = failures(lines, body, &mut cases);
        part.claims.push((start, end));
        part.cases.append(&mut cases);
        start = end;
    }
    if part.recognised {
        part.state(stated);
    }
    part
}

/// `  2 failing` or `  1 passing (4ms)`
fn footer(line: &str, word: &str) -> Option<u64> {
    let (number, rest) = line.strip_prefix("  ").or_else(|| line.strip_prefix(' '))?.trim_start().split_once(' ')?;
    (rest == word || rest.strip_prefix(word).is_some_and(|rest| rest.starts_with(" (")))
        .then(|| number.parse().ok())
        .flatten()
}

/// `3) name` gives the name.
fn numbered(body: &str) -> Option<&str> {
    let (number, name) = body.split_once(") ")?;
    (!number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())).then_some(name)
}

/// Passed and skipped tests; failed ones come with their section.
fn list(lines: &Lines, start: usize, end: usize) -> Cases {
    let mut cases = Cases::default();
    let mut suites: Vec<(usize, String)> = Vec::new();
    for (_, line) in lines.range(start..end) {
        let body = line.trim_start();
        let indent = line.len() - body.len();
        if body.is_empty() || indent < 2 {
            continue;
        }
        suites.retain(|(at, _)| *at < indent);
        let found = match mark::read(line) {
            Some(mark) => Some((mark.status, mark.name)),
            None => body.strip_prefix("- ").map(|name| (Status::Skipped, name)),
        };
        match found {
            Some((status, name)) => {
                let class = suites.iter().map(|(_, name)| name.as_str()).collect::<Vec<_>>().join(" > ");
                cases.push(Case {
                    id: TestId { suite: String::new(), class, name: name.to_owned() },
                    status,
                    ..Case::default()
                });
            }
            None if numbered(body).is_some() => {}
            None if suites.len() < 32 => suites.push((indent, body.to_owned())),
            None => {}
        }
    }
    cases
}

/// `  3) title`; where a terminal's line ends were printed as words, behind one of them.
fn is_head(line: &str, expected: u64) -> bool {
    let body = line.strip_prefix("nl").unwrap_or(line).strip_prefix("  ");
    body.and_then(|body| body.split_once(") ")).is_some_and(|(number, _)| number.parse() == Ok(expected))
}

/// The numbered sections; returns the index of the line behind them.
fn failures(lines: &Lines, start: usize, cases: &mut Cases) -> usize {
    let mut heads = Vec::new();
    let mut end = start;
    let mut expected = 1_u64;
    for (index, line) in lines.range(start..lines.len()) {
        if is_head(line, expected) {
            heads.push(index);
            expected += 1;
        } else if footer(line, "passing").is_some() || (heads.is_empty() && index > start + 8) {
            break;
        }
        end = index + 1;
    }
    heads.push(end);
    for pair in heads.windows(2) {
        let (head, next) = (pair[0], pair[1]);
        // The titles stand one below the other, and a colon ends the last.
        let titles_end = lines
            .range(head..(head + 20).min(next))
            .find(|(_, line)| line.trim_end().ends_with(':'))
            .map_or(head, |(at, _)| at);
        let mut titles: Vec<String> =
            lines.range(head..titles_end + 1).map(|(_, line)| line.trim().to_owned()).collect();
        if let Some(first) = titles.first_mut() {
            let bare = first.strip_prefix("nl").unwrap_or(first).trim_start();
            *first = numbered(bare).unwrap_or(bare).to_owned();
        }
        let name = titles.pop().unwrap_or_default().trim_end_matches(':').to_owned();
        let calls_end = lines
            .range(titles_end + 1..next)
            .filter(|(_, line)| line.trim_start().starts_with("at "))
            .last()
            .map_or(next, |(at, _)| at + 1);
        let body = titles_end + 1..calls_end;
        let said: Vec<&str> = lines
            .range(body.clone())
            .map(|(_, line)| line.strip_prefix("nl").unwrap_or(line).trim())
            .filter(|line| !line.is_empty())
            .take_while(|line| !line.starts_with("at ") && !line.starts_with("+ expected"))
            .take(3)
            .collect();
        let mut fault = gist::fault(&said.join(" "), None, &lines.join(body.clone()), None);
        (fault.lines, fault.excerpt) = lines.quote(head..calls_end.min(head + 14));
        let id = TestId { suite: String::new(), class: titles.join(" > "), name };
        cases.push(Case { id, status: Status::Failed, faults: vec![fault], ..Case::default() });
    }
    end
}

#[cfg(test)]
mod tests;
