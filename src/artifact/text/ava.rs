//! What ava prints: marked titles, then a section for each failure, then counts.

use crate::artifact::text::cases::Cases;
use std::ops::Range;

use super::Part;
use super::lines::Lines;
use super::mark;
use crate::artifact::{Case, Status, TestCounts, TestId, gist};

/// The line that parts the list, the sections and the counts.
const RULE: &str = "─";
/// Text of one failure beyond this many lines is not read.
const SECTION_LIMIT: usize = 300;

/// Reads each run, up to the counts that end it.
pub(super) fn read(lines: &Lines) -> Part {
    let mut part = Part::default();
    let mut stated = TestCounts::default();
    let mut start = 0;
    let heads: Vec<usize> = lines.all().filter(|(_, line)| is_first_count(line)).map(|(index, _)| index).collect();
    for at in heads.into_iter().filter(|at| follows_rule(lines, *at)) {
        let mut end = at;
        for (index, line) in lines.range(at..lines.len().min(at + 8)) {
            let Some((number, what)) = count(line) else { break };
            match what {
                "passed" => stated.passed = stated.passed.saturating_add(number),
                "failed" => stated.failed = stated.failed.saturating_add(number),
                "skipped" | "todo" => stated.skipped = stated.skipped.saturating_add(number),
                _ => {}
            }
            end = index + 1;
        }
        part.recognised = true;
        part.cases.append(&mut run(lines, start, at));
        part.claims.push((start, end));
        start = end;
    }
    if part.recognised {
        part.state(stated);
    }
    part
}

/// The counts stand below a rule, or below one and a blank line.
fn follows_rule(lines: &Lines, at: usize) -> bool {
    lines.range(at.saturating_sub(3)..at).any(|(_, line)| line.trim() == RULE)
}

/// Passed tests are only counted first where none failed.
fn is_first_count(line: &str) -> bool {
    count(line).is_some_and(|(_, what)| matches!(what, "passed" | "failed"))
}

/// `  2 tests failed`, `  1 uncaught exception`
fn count(line: &str) -> Option<(u64, &str)> {
    let (number, what) = line.strip_prefix("  ")?.split_once(' ')?;
    let what = what.strip_prefix("tests ").or_else(|| what.strip_prefix("test ")).unwrap_or(what);
    Some((number.parse().ok()?, what.split(' ').next()?))
}

fn run(lines: &Lines, start: usize, end: usize) -> Cases {
    let rule = lines.range(start..end).find(|(_, line)| line.trim() == RULE).map_or(end, |(at, _)| at);
    let mut cases = Cases::default();
    let mut titles = Vec::new();
    for (_, line) in lines.range(start..rule) {
        let body = line.trim();
        let failed = body.strip_prefix("✘ [fail]: ").or_else(|| body.strip_prefix("✖ "));
        if let Some(title) = failed {
            titles.push(without_message(lines, rule..end, title).to_owned());
        } else if let Some(title) = body.strip_prefix("- [skip] ").or_else(|| body.strip_prefix("- [todo] ")) {
            cases.push(Case { id: named(title), status: Status::Skipped, ..Case::default() });
        } else if let Some(mark) = mark::read(line).filter(|mark| mark.status == Status::Passed) {
            cases.push(Case { id: named(mark.name), status: Status::Passed, ..Case::default() });
        }
    }
    cases.extend(titles.iter().map(|title| failure(lines, (rule, end), title, &titles)));
    cases
}

/// The title of a failed test alone: older versions put the message behind it, and no mark between the two.
fn without_message<'a>(lines: &Lines, sections: Range<usize>, title: &'a str) -> &'a str {
    let heads = lines.range(sections).filter_map(|(_, line)| line.strip_prefix("  "));
    let longest = heads.filter(|head| !head.is_empty() && title.starts_with(head)).map(str::len).max();
    longest.and_then(|length| title.get(..length)).unwrap_or_else(|| mark::without_time(title))
}

/// `file › title` where there are several files.
fn named(title: &str) -> TestId {
    let mut parts: Vec<&str> = title.split(" › ").collect();
    let name = parts.pop().unwrap_or_default().to_owned();
    TestId { suite: String::new(), class: parts.join(" > "), name }
}

/// A failure with its section: the title, the place, the code, the difference.
fn failure(lines: &Lines, (rule, end): (usize, usize), title: &str, titles: &[String]) -> Case {
    let case = Case { id: named(title), status: Status::Failed, ..Case::default() };
    let is_head = |line: &str, title: &str| line.strip_prefix("  ").is_some_and(|rest| rest == title);
    let head = lines.range(rule..end).find(|(_, line)| is_head(line, title)).map(|(at, _)| at);
    let Some(head) = head else {
        return Case { faults: vec![gist::fault("", None, "", None)], ..case };
    };
    let next = lines
        .range(head + 1..end.min(head + SECTION_LIMIT))
        .find(|(_, line)| line.trim() == RULE || titles.iter().any(|other| is_head(line, other)))
        .map_or(end.min(head + SECTION_LIMIT), |(at, _)| at);
    let said = lines.range(head + 1..next).map(|(_, line)| line.trim()).filter(|line| !line.is_empty());
    let mut said = said.skip_while(|line| place(line).is_some() || is_code(line));
    let mut fault = gist::fault(said.next().unwrap_or_default(), None, &lines.join(head + 1..next), None);
    (fault.lines, fault.excerpt) = lines.quote(head..next.min(head + 12));
    let at = lines.range(head + 1..next).find_map(|(_, line)| place(line.trim()));
    if let Some((path, line)) = at {
        gist::or_place(&mut fault, path, Some(line));
    }
    Case { faults: vec![fault], ..case }
}

/// `test.js:341`
fn place(line: &str) -> Option<(&str, u32)> {
    let (path, number) = line.rsplit_once(':')?;
    let fits = !path.contains(char::is_whitespace) && crate::artifact::place::is_file(path);
    fits.then(|| number.parse().ok()).flatten().map(|number| (path, number))
}

/// `340:   await x;`
fn is_code(line: &str) -> bool {
    line.split_once(':').is_some_and(|(number, _)| !number.is_empty() && number.bytes().all(|it| it.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::artifact;

    const RUN: &str = "
> xo && ava && tsd

  - [skip] later
  ✔ map accepts › an iterable
  ✘ [fail]: change concurrency to smaller value
  ✔ concurrency: 4 (2.2s)
  ✘ [fail]: counts
  ─

  change concurrency to smaller value

  test.js:341

   340:   await Promise.all(promises);
   341:   t.deepEqual(log, [1, 2]);
   342: });

  Difference (- actual, + expected):

  - 3
  + 2

  › file://test.js:341:4


  counts

  test.js:165

   165:   t.is(limit.activeCount, 0);

  Difference (- actual, + expected):

  - -1
  + 0

  ─

  2 tests failed
  1 test skipped
";

    #[test]
    fn failures_come_with_their_sections() {
        let report = artifact::read("log", RUN.as_bytes());
        assert_eq!((report.kind, report.tests.failed, report.tests.passed, report.tests.skipped), ("ava", 2, 2, 1));
        let failed: Vec<&Case> = report.cases.iter().filter(|case| case.status == Status::Failed).collect();
        assert_eq!(failed[0].id.name, "change concurrency to smaller value");
        let fault = &failed[1].faults[0];
        assert_eq!(fault.message, "Difference (- actual, + expected):");
        let location = fault.location.as_ref().unwrap();
        assert_eq!((location.path.as_str(), location.line), ("test.js", Some(165)));
        assert!(!fault.details.contains("smaller"), "{}", fault.details);
    }

    #[test]
    fn the_older_form_has_no_words_at_its_marks() {
        let run = "  ✔ main\n  ✖ counter Error thrown in test:\n  ─\n\n  counter\n\n  Difference:\n\n  - 1\n  + 2\n\n  › file://test.js:157:4\n\n  ─\n\n  1 test failed\n";
        let report = artifact::read("log", run.as_bytes());
        assert_eq!((report.kind, report.tests.failed, report.tests.passed), ("ava", 1, 1));
        assert_eq!(report.cases.iter().find(|case| case.is_failing()).unwrap().id.name, "counter");
    }

    #[test]
    fn a_passing_run_counts_and_other_words_are_none() {
        let report = artifact::read("log", "  ✔ a\n  ✔ b (1.2s)\n  ─\n\n  2 tests passed\n".as_bytes());
        assert_eq!((report.kind, report.tests.passed), ("ava", 2));
        assert_ne!(artifact::read("log", "  2 tests failed\n".as_bytes()).kind, "ava");
    }
}
