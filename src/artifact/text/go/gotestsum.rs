//! The lists, sections and counts that gotestsum prints in place of, or besides, the output of `go test`.

use crate::artifact::text::cases::Cases;
use std::collections::BTreeMap;

use crate::artifact::text::lines::Lines;
use crate::artifact::text::mark;
use crate::artifact::text::section::{self, Head};
use crate::artifact::{Case, Status, TestCounts, TestId};

/// The text of one failure beyond this many lines is not read.
const SECTION_LIMIT: usize = 100;

/// Adds what `go test` itself did not name to `cases`; returns the counts of the closing line.
pub(super) fn read(lines: &Lines, cases: &mut Cases) -> Option<TestCounts> {
    // Where a test stands, by package and name; of a run that was cut off the package is not known.
    let mut known: BTreeMap<(String, String), usize> = BTreeMap::new();
    for (at, case) in cases.iter().enumerate() {
        known.entry((case.id.class.clone(), case.id.name.clone())).or_insert(at);
    }
    let mut counts = None;
    let mut package = "";
    for (index, line) in lines.all() {
        if let Some(closing) = done(line) {
            counts = Some(closing);
            continue;
        }
        if let Some(name) = line.strip_suffix(':').filter(|name| name.contains('/') && !name.contains(' ')) {
            package = name;
            continue;
        }
        let Some((class, name, status)) = named(line).or_else(|| sentence(line, package)) else { continue };
        let key = (class.to_owned(), name.to_owned());
        if known.contains_key(&key) {
            continue;
        }
        if let Some(at) = known.remove(&(String::new(), name.to_owned())) {
            class.clone_into(&mut cases[at].id.class);
            known.insert(key, at);
            // Its own section stands below, the line of `go test` at its end.
            if line.starts_with("=== ") {
                let own = case(lines, index, cases[at].id.clone(), status);
                cases[at].faults = own.faults;
            }
            continue;
        }
        let id = TestId { suite: String::new(), class: class.to_owned(), name: name.to_owned() };
        known.insert(key, cases.len());
        cases.push(case(lines, index, id, status));
    }
    counts
}

fn case(lines: &Lines, index: usize, id: TestId, status: Status) -> Case {
    if !matches!(status, Status::Failed | Status::Errored) {
        return Case { id, status, ..Case::default() };
    }
    let limit = lines.len().min(index + SECTION_LIMIT);
    let ends = |line: &str| {
        line.is_empty()
            || line.trim_start().starts_with("--- ")
            || named(line).is_some()
            || line.starts_with("::endgroup::")
            || done(line).is_some()
    };
    let end = lines.range(index + 1..limit).find(|(_, line)| ends(line)).map_or(limit, |(at, _)| at);
    section::failed(lines, Head { id, status, ..Head::default() }, index..index + 1, end)
}

/// `FAIL pkg.TestX (0.01s)`, or `=== FAIL: pkg TestX (0.01s)` in the summary.
fn named(line: &str) -> Option<(&str, &str, Status)> {
    let line = line.strip_prefix("::group::").unwrap_or(line).trim_start();
    if let Some(rest) = line.strip_prefix("=== ") {
        let (word, rest) = rest.split_once(": ")?;
        let (package, rest) = rest.split_once(' ')?;
        let (name, _) = rest.split_once(" (")?;
        return (!name.is_empty() && !name.contains(' ')).then_some((package, name, status(word)?));
    }
    let (word, rest) = line.split_once(' ')?;
    let status = status(word)?;
    let (id, time) = rest.trim().split_once(" (")?;
    let slash = id.find('/').unwrap_or(0);
    let start = ["Test", "Example", "Fuzz", "Benchmark"]
        .iter()
        .filter_map(|start| Some(slash + id[slash..].find(&format!(".{start}"))?))
        .min()?;
    // A file of another language, `a.Test.js`, is no test of this one.
    let function = id[start + 1..].split('/').next().unwrap_or_default();
    (time.contains('s') && !id.contains(' ') && !function.contains('.')).then_some((
        &id[..start],
        &id[start + 1..],
        status,
    ))
}

/// ` ✖ Nested failure (0.00s)` below `package:`: names as sentences.
fn sentence<'a>(line: &'a str, package: &'a str) -> Option<(&'a str, &'a str, Status)> {
    let indented = line.strip_prefix(' ').is_some_and(|rest| !rest.starts_with(' '));
    if package.is_empty() || !indented || !line.ends_with("s)") || line.ends_with("ms)") {
        return None;
    }
    let skipped = line.strip_prefix(" ∅ ").map(|name| (mark::without_time(name), Status::Skipped));
    let (name, status) = skipped.or_else(|| mark::read(line).map(|mark| (mark.name, mark.status)))?;
    Some((package, name, status))
}

fn status(word: &str) -> Option<Status> {
    Some(match word {
        "PASS" => Status::Passed,
        "FAIL" => Status::Failed,
        "SKIP" => Status::Skipped,
        _ => return None,
    })
}

/// `DONE 46 tests, 4 skipped, 12 failures, 1 error in 0.004s`
fn done(line: &str) -> Option<TestCounts> {
    let rest = line.strip_prefix("DONE ")?;
    let (counts, time) = rest.rsplit_once(" in ")?;
    if !time.ends_with('s') || !counts.contains(" test") {
        return None;
    }
    let number = |words: &[&str]| section::number_of(counts, words).unwrap_or(0);
    let total = number(&["tests", "test"]);
    let (failed, errored) = (number(&["failure", "failures"]), number(&["error", "errors"]));
    Some(section::out_of(total.saturating_add(errored), failed, errored, number(&["skipped"])))
}
