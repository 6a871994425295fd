//! pytest's progress: one line a test, or one character.

use super::summary;
use crate::artifact::{Status, TestCounts, place};

/// What a line of progress says.
#[derive(Debug, PartialEq)]
pub(super) enum Line {
    /// A test ended.
    Ended(String, Status),
    /// A test failed and will be run again.
    Again(String),
    /// A test began; its end comes on a later line.
    Begun(String),
    /// One character a test.
    Dots(TestCounts),
}

/// Reads one line; `pending` is the test that began on an earlier one.
pub(super) fn line(line: &str, pending: Option<&str>) -> Option<Line> {
    let text = without_percent(without_worker(line)).trim_end();
    if let Some((word, rest)) = text.split_once(' ')
        && let node = summary::split(rest).0.trim()
        && let Some(found) = ended(word, node)
        && is_node(node)
    {
        return Some(found);
    }
    if text.contains("::") {
        for (at, _) in text.match_indices(' ') {
            let word = text[at + 1..].split(' ').next().unwrap_or_default();
            if let Some(found) = ended(word, text[..at].trim_end()).filter(|_| is_node(&text[..at])) {
                return Some(found);
            }
        }
        // What the test prints may stand right behind its name.
        let name = text.split('[').next().unwrap_or(text);
        let text = name.split_once(' ').map_or(text, |(node, _)| node);
        return is_node(text).then(|| Line::Begun(text.to_owned()));
    }
    if let Some(found) = pending.and_then(|node| ended(text.split(' ').next()?, node)) {
        return Some(found);
    }
    dots(text).map(Line::Dots)
}

/// The line of a test that ended with this word.
fn ended(word: &str, node: &str) -> Option<Line> {
    let status = match word {
        "RERUN" => return Some(Line::Again(node.to_owned())),
        "PASSED" | "XPASS" => Status::Passed,
        "FAILED" => Status::Failed,
        "ERROR" => Status::Errored,
        "SKIPPED" | "XFAIL" => Status::Skipped,
        _ => return None,
    };
    Some(Line::Ended(node.to_owned(), status))
}

fn is_node(text: &str) -> bool {
    let Some((path, name)) = text.split_once("::") else { return false };
    let file = [".py", ".rst", ".txt", ".md", ".yml", ".yaml", ".ipynb"].iter().any(|end| path.ends_with(end));
    file && !name.is_empty() && !path.contains(' ') && text.len() < 4096
}

/// `[gw0] [ 11%] ` of xdist.
fn without_worker(line: &str) -> &str {
    let Some(rest) = line.strip_prefix("[gw") else { return line };
    let rest = rest.split_once("] ").map_or(rest, |(_, rest)| rest);
    match rest.strip_prefix('[') {
        Some(percent) => percent.split_once("%] ").map_or(rest, |(_, rest)| rest),
        None => rest,
    }
}

/// ` [ 50%]` at the end.
fn without_percent(line: &str) -> &str {
    match line.trim_end().strip_suffix("%]").and_then(|front| front.rsplit_once('[')) {
        Some((front, number)) if number.trim().bytes().all(|byte| byte.is_ascii_digit()) => front,
        _ => line,
    }
}

/// `tests/test_a.py .F.s` or `.F.s`
fn dots(text: &str) -> Option<TestCounts> {
    let marks = match text.split_once(' ') {
        Some((path, marks)) if place::has_extension(path, "py") => marks.trim(),
        Some(_) => return None,
        None => text,
    };
    if marks.is_empty() || marks.len() > 4096 {
        return None;
    }
    let mut counts = TestCounts::default();
    for mark in marks.chars() {
        match mark {
            '.' | 'X' => counts.passed += 1,
            'F' => counts.failed += 1,
            'E' => counts.errored += 1,
            's' | 'x' => counts.skipped += 1,
            'R' => {}
            _ => return None,
        }
    }
    Some(counts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_stands_before_or_behind_its_test() {
        let passed = Some(Line::Ended("a.py::t".to_owned(), Status::Passed));
        assert_eq!(line("a.py::t PASSED      [ 11%]", None), passed);
        assert_eq!(line("[gw0] [ 11%] PASSED a.py::t ", None), passed);
        assert_eq!(line("PASSED [ 11%]", Some("a.py::t")), passed);
        assert_eq!(
            line("a.py::t SKIPPED (no)  [ 55%]", None),
            Some(Line::Ended("a.py::t".to_owned(), Status::Skipped))
        );
        assert_eq!(line("a.py::t ", None), Some(Line::Begun("a.py::t".to_owned())));
    }

    #[test]
    fn characters_are_counted_and_words_are_not() {
        assert!(
            matches!(line("tests/test_a.py .FF.FsxXE   [100%]", None), Some(Line::Dots(counts)) if counts.failed == 3)
        );
        assert_eq!(line("....ok", None), None);
        assert_eq!(line("Fine day", None), None);
    }
}
