//! pytest's short summary and its closing line.

use crate::artifact::{Status, TestCounts};

/// `FAILED a.py::test_x - AssertionError: …`: status, node id and message.
pub(super) fn line(line: &str) -> Option<(Status, &str, &str)> {
    let (word, rest) = line.split_once(' ')?;
    let status = match word {
        "FAILED" | "SUBFAIL" | "SUBFAILED" => Status::Failed,
        "ERROR" => Status::Errored,
        "PASSED" | "XPASS" => Status::Passed,
        "XFAIL" => Status::Skipped,
        _ => return None,
    };
    // Some plugins print the duration before the node.
    let rest = match rest.strip_prefix('[').and_then(|rest| rest.split_once("s] ")) {
        Some((number, rest)) if number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') => rest,
        _ => rest,
    };
    let (node, message) = split(rest);
    let node = node.trim();
    let file = node.split("::").next().unwrap_or_default();
    let is_node =
        !node.is_empty() && !file.contains(' ') && (node.contains("::") || file.contains('.') || file.contains('/'));
    is_node.then_some((status, node, message.trim()))
}

/// Parameters can hold ` - `: the message starts after the first one outside of brackets.
pub(super) fn split(rest: &str) -> (&str, &str) {
    for (at, _) in rest.match_indices(" - ") {
        let open = rest[..at].bytes().filter(|byte| *byte == b'[').count();
        let closed = rest[..at].bytes().filter(|byte| *byte == b']').count();
        if open <= closed || at > 4096 {
            return (&rest[..at], &rest[at + 3..]);
        }
    }
    (rest, "")
}

/// `3 failed, 2 passed, 1 xfailed in 0.07s (0:00:01)`, the line that closes a session.
pub(super) fn counts(line: &str) -> Option<TestCounts> {
    let (parts, time) = line.trim().rsplit_once(" in ")?;
    if !time.starts_with(|c: char| c.is_ascii_digit()) || !time.contains('s') {
        return None;
    }
    let mut counts = TestCounts::default();
    if parts == "no tests ran" {
        return Some(counts);
    }
    for part in parts.split(", ") {
        let (number, word) = part.split_once(' ')?;
        let number: u64 = number.parse().ok()?;
        match word {
            "passed" | "xpassed" => counts.passed = counts.passed.saturating_add(number),
            "failed" => counts.failed = number,
            "error" | "errors" => counts.errored = number,
            "skipped" | "xfailed" => counts.skipped = counts.skipped.saturating_add(number),
            "deselected" | "warning" | "warnings" | "rerun" | "pytest-warnings" => {}
            _ if word.starts_with("subtests") => {}
            _ => return None,
        }
    }
    Some(counts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_closing_line_is_counted_and_look_alikes_are_not() {
        let found = counts("3 failed, 2 passed, 1 skipped, 1 xfailed, 1 xpassed, 2 errors in 0.07s").unwrap();
        assert_eq!((found.passed, found.failed, found.errored, found.skipped), (3, 3, 2, 2));
        assert!(counts("no tests ran in 0.01s").is_some());
        assert!(counts("2 passed, 1 total in 3s").is_none());
        assert!(counts("checked in 3 seconds").is_none());
    }

    #[test]
    fn a_dash_in_a_parameter_is_no_message() {
        assert_eq!(line("FAILED a.py::t[x - y] - boom"), Some((Status::Failed, "a.py::t[x - y]", "boom")));
        assert_eq!(line("ERROR a.py"), Some((Status::Errored, "a.py", "")));
        assert_eq!(line("ERROR something went wrong"), None);
    }
}
