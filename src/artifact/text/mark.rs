//! The lists of marked test names that JavaScript runners print: `✓ name (5 ms)`, `✖ name`, `○ skipped`.

use crate::artifact::Status;

/// One marked line.
#[derive(Debug, PartialEq)]
pub(super) struct Mark<'a> {
    /// Blanks before the mark.
    pub(super) indent: usize,
    pub(super) status: Status,
    /// The name without mark and duration.
    pub(super) name: &'a str,
}

/// Reads a marked line.
pub(super) fn read(line: &str) -> Option<Mark<'_>> {
    let body = line.trim_start();
    let indent = line.len() - body.len();
    let mut characters = body.chars();
    let status = match characters.next()? {
        '✓' | '✔' | '√' => Status::Passed,
        '✕' | '✖' | '×' | '✗' => Status::Failed,
        '○' | '↓' | '﹣' | '✎' => Status::Skipped,
        _ => return None,
    };
    let name = characters.as_str().strip_prefix(' ')?;
    let status = if has_directive(name) { Status::Skipped } else { status };
    let name = name
        .strip_prefix("skipped ")
        .or_else(|| name.strip_prefix("todo "))
        .filter(|_| status == Status::Skipped)
        .unwrap_or(name);
    Some(Mark { indent, status, name: without_time(name) })
}

fn has_directive(name: &str) -> bool {
    name.rsplit_once(" # ").is_some_and(|(_, directive)| directive.starts_with("SKIP") || directive.starts_with("TODO"))
}

/// Cuts ` (5 ms)`, ` 5ms` and ` # SKIP` from the end.
pub(super) fn without_time(name: &str) -> &str {
    let name = name.split(" # SKIP").next().unwrap_or(name);
    let name = name.split(" # TODO").next().unwrap_or(name).trim_end();
    let is_time = |text: &str| {
        let number = text.trim_end_matches(|c: char| c.is_ascii_alphabetic()).trim();
        !number.is_empty()
            && number.len() < text.len()
            && number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
    };
    if let Some((front, time)) = name.strip_suffix(')').and_then(|name| name.rsplit_once(" ("))
        && is_time(time)
    {
        return front.trim_end();
    }
    match name.rsplit_once(' ') {
        Some((front, time)) if is_time(time) => front.trim_end(),
        _ => name,
    }
}

/// The value of a count such as `2 failed` in `2 failed, 1 passed`.
pub(super) fn counted(text: &str, word: &str) -> u64 {
    let numbers = text.split([',', '|']).filter_map(|part| {
        let (number, rest) = part.trim().split_once(' ')?;
        (rest.split([' ', '(']).next() == Some(word)).then(|| number.parse().ok()).flatten()
    });
    numbers.fold(0, u64::saturating_add)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_times_and_directives_are_told_apart_from_names() {
        assert_eq!(read("  ✔ ok one (0.9ms)"), Some(Mark { indent: 2, status: Status::Passed, name: "ok one" }));
        assert_eq!(read("× bad 5ms"), Some(Mark { indent: 0, status: Status::Failed, name: "bad" }));
        assert_eq!(read("○ skipped sk"), Some(Mark { indent: 0, status: Status::Skipped, name: "sk" }));
        assert_eq!(read("✔ td (0.07ms) # TODO"), Some(Mark { indent: 0, status: Status::Skipped, name: "td" }));
        assert_eq!(read("✓ adds 2"), Some(Mark { indent: 0, status: Status::Passed, name: "adds 2" }));
        assert_eq!(read("plain"), None);
    }

    #[test]
    fn counts_are_found_by_their_word() {
        assert_eq!(counted("2 failed, 1 skipped, 4 total", "skipped"), 1);
        assert_eq!(counted("2 failed | 1 passed (4)", "passed"), 1);
    }
}
