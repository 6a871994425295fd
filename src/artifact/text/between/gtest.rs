//! The console of `GoogleTest`.

use super::Event;
use crate::artifact::text::Part;
use crate::artifact::text::lines::Lines;
use crate::artifact::{Status, TestId};

/// Reads `[ RUN      ] Suite.Test` … `[  FAILED  ] Suite.Test (0 ms)`, and the closing list.
pub(in crate::artifact::text) fn read(lines: &Lines) -> Part {
    super::read(lines, event)
}

const MARKS: [&str; 4] = ["[ RUN      ] ", "[       OK ] ", "[  FAILED  ] ", "[  SKIPPED ] "];

fn event(lines: &Lines, index: usize) -> Option<Event> {
    let line = lines.get(index);
    // Output without a line feed may stand before the mark; ctest puts its number there.
    let marked = line.match_indices('[').find_map(|(at, _)| {
        let mark = MARKS.iter().find(|mark| line[at..].starts_with(**mark))?;
        Some((at + mark.len(), *mark))
    });
    let Some((at, word)) = marked else {
        let died = ["Segmentation fault", "terminate called", "Aborted (core dumped)", "AddressSanitizer:DEADLYSIGNAL"];
        return died.iter().any(|start| line.starts_with(start)).then_some(Event::Died);
    };
    let rest = line[at..].trim();
    let name = rest.split(", where ").next().unwrap_or(rest).split(" (").next().unwrap_or(rest).trim();
    let (class, name) = name.split_once('.')?;
    if name.contains(' ') || class.contains(' ') || name.is_empty() {
        return None;
    }
    let id = TestId { suite: String::new(), class: class.to_owned(), name: name.to_owned() };
    Some(match word.as_bytes()[2] {
        b'R' => Event::Begin(id),
        b' ' if word.contains("OK") => Event::End(id, Status::Passed),
        _ if word.contains("SKIPPED") => Event::End(id, Status::Skipped),
        _ => Event::End(id, Status::Failed),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_between_is_the_tests_own() {
        let log = "[ RUN      ] Cart.Keeps\n[       OK ] Cart.Keeps (0 ms)\n[ RUN      ] Cart.Adds/0\n/src/cart_test.cc:12: Failure\nExpected equality of these values:\n  1\n  2\n[  FAILED  ] Cart.Adds/0, where GetParam() = 3 (0 ms)\n[  PASSED  ] 1 test.\n[  FAILED  ] 1 test, listed below:\n[  FAILED  ] Cart.Adds/0, where GetParam() = 3\n\n 1 FAILED TEST\n[ RUN      ] Cart.Dies\nSegmentation fault (core dumped)\n";
        let part = read(&Lines::of(log));
        assert_eq!((part.counts.total, part.counts.failed, part.counts.errored), (3, 1, 1));
        let failed = &part.cases[1];
        assert_eq!((failed.id.class.as_str(), failed.id.name.as_str()), ("Cart", "Adds/0"));
        assert_eq!(failed.faults[0].location.as_ref().unwrap().line, Some(12));
        assert!(failed.faults[0].message.contains("Expected equality"), "{}", failed.faults[0].message);
        assert_eq!(part.cases[2].id.name, "Dies");
    }
}
