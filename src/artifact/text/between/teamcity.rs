//! The messages that runners print for `TeamCity`: `##teamcity[testFailed name='…' message='…' details='…']`.

use super::Event;
use crate::artifact::text::Part;
use crate::artifact::text::lines::Lines;
use crate::artifact::text::section;
use crate::artifact::{Status, TestId};

/// Suites nested deeper than this keep no names.
const DEPTH_LIMIT: usize = 32;

/// Reads tests with the suites around them.
pub(in crate::artifact::text) fn read(lines: &Lines) -> Part {
    let mut tests = super::Tests::default();
    let mut suites: Vec<String> = Vec::new();
    let mut bad: Option<(TestId, Status)> = None;
    for (index, line) in lines.all() {
        let Some((word, rest)) = message(line) else { continue };
        let name = value(rest, "name").unwrap_or_default();
        let id = TestId { suite: String::new(), class: suites.join(" > "), name: name.clone() };
        let start = tests.span.as_ref().map_or(index, |span| span.start);
        tests.span = Some(start..index + 1);
        match word {
            "testSuiteStarted" if suites.len() < DEPTH_LIMIT => suites.push(name),
            "testSuiteFinished" => {
                suites.pop();
            }
            "testStarted" => {
                bad = None;
                tests.take(lines, index, Event::Begin(id));
            }
            "testFailed" | "testIgnored" => {
                let status = if word == "testFailed" { Status::Failed } else { Status::Skipped };
                let (said, details) =
                    (value(rest, "message").unwrap_or_default(), value(rest, "details").unwrap_or_default());
                let text = format!("{said}\n{details}");
                let place = text.lines().find_map(section::place_of);
                let said = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default().to_owned();
                tests.take(lines, index, Event::Note(id.clone(), said, place));
                bad = Some((id, status));
            }
            "testFinished" => {
                let status =
                    bad.take().filter(|(failed, _)| *failed == id).map_or(Status::Passed, |(_, status)| status);
                tests.take(lines, index, Event::End(id, status));
            }
            _ => {}
        }
    }
    if let Some((id, status)) = bad {
        tests.take(lines, lines.len().saturating_sub(1), Event::End(id, status));
    }
    let mut part = tests.part;
    part.recognised = !part.cases.is_empty();
    part.counts = part.cases.counts();
    part.claims.extend(tests.span.map(|span| (span.start, span.end)));
    part
}

fn message(line: &str) -> Option<(&str, &str)> {
    let (_, rest) = line.split_once("##teamcity[")?;
    rest.split_once(' ')
}

/// The value of an attribute, `|n`, `|'`, `|]` and their kin read.
fn value(text: &str, key: &str) -> Option<String> {
    let mut found = text.match_indices(key).filter(|(at, _)| text[..*at].is_empty() || text[..*at].ends_with(' '));
    let rest = found.find_map(|(at, _)| text[at + key.len()..].strip_prefix('='))?;
    let quote = rest.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    let mut value = String::new();
    let mut characters = rest[1..].chars();
    while let Some(c) = characters.next() {
        match c {
            '|' => match characters.next()? {
                'n' => value.push('\n'),
                'r' => {}
                other => value.push(other),
            },
            c if c == quote => return Some(value),
            c => value.push(c),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_name_tests_with_their_suites() {
        let log = "##teamcity[testSuiteStarted name='cart']\n##teamcity[testStarted name='adds |'a|'']\nnoise\n##teamcity[testFailed name='adds |'a|'' message='1 is not 2' details='a.c:12|nfailed']\n##teamcity[testFinished name='adds |'a|'' duration='3']\n##teamcity[testStarted name='keeps']\n##teamcity[testFinished name='keeps' duration=\"3\"]\n##teamcity[testSuiteFinished name='cart']\n";
        let part = read(&Lines::of(log));
        assert_eq!((part.counts.total, part.counts.failed), (2, 1));
        let case = &part.cases[0];
        assert_eq!((case.id.class.as_str(), case.id.name.as_str()), ("cart", "adds 'a'"));
        assert_eq!(case.faults[0].message, "1 is not 2");
        assert_eq!(case.faults[0].location.as_ref().unwrap().line, Some(12));
    }
}
