//! What `dart test` and `flutter test` print for people: a line for each step of the count.

use super::Part;
use super::lines::Lines;
use super::section::{self, Head, SHAPE, Shape, out_of};
use crate::artifact::Status;

/// Reads `00:02 +3 ~1 -1: Cart adds items [E]` with the text below, and the last line of a run.
pub(super) fn read(lines: &Lines) -> Part {
    section::read(lines, &FLUTTER)
}

const FLUTTER: Shape = Shape {
    head: |lines, index| {
        let (_, rest) = step(lines.get(index))?;
        let test = rest.trim_end().strip_suffix(" [E]")?;
        let (class, name) = match test.split_once(".dart: ") {
            Some((file, name)) => (format!("{file}.dart"), name),
            None => (String::new(), test),
        };
        Some(Head::new(Status::Failed, &class, name))
    },
    ends: |line| step(line).is_some(),
    counts: |lines, index| {
        let (counts, rest) = step(lines.get(index))?;
        let ends = ["All tests passed!", "Some tests failed.", "All tests skipped.", "No tests ran."];
        let [passed, skipped, failed] = counts;
        let total = passed.saturating_add(skipped).saturating_add(failed);
        ends.contains(&rest.trim()).then(|| out_of(total, failed, 0, skipped))
    },
    ..SHAPE
};

/// `00:02 +3 ~1 -1: rest`: how many passed, were skipped and failed so far.
fn step(line: &str) -> Option<([u64; 3], &str)> {
    let (clock, rest) = line.split_once(' ')?;
    let is_clock = clock.len() >= 5 && clock.bytes().all(|byte| byte.is_ascii_digit() || byte == b':');
    let (counted, rest) = rest.split_once(": ").filter(|_| is_clock && clock.contains(':'))?;
    let mut counts = [0; 3];
    for word in counted.split(' ') {
        let at = match word.get(..1)? {
            "+" => 0,
            "~" => 1,
            "-" => 2,
            _ => return None,
        };
        counts[at] = word.get(1..)?.parse().ok()?;
    }
    Some((counts, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failed_tests_and_the_last_count_are_read() {
        let log = "00:01 +0: loading test/cart_test.dart\n00:02 +1: test/cart_test.dart: Cart adds items\n00:02 +1 -1: test/cart_test.dart: Cart adds items [E]\n  Expected: <2>\n    Actual: <1>\n  \n  package:matcher     expect\n  test/cart_test.dart 7:5  main.<fn>\n  \n00:03 +1 ~1 -1: Some tests failed.\n";
        let part = read(&Lines::of(log));
        assert_eq!((part.counts.total, part.counts.failed, part.counts.skipped), (3, 1, 1));
        let case = &part.cases[0];
        assert_eq!((case.id.class.as_str(), case.id.name.as_str()), ("test/cart_test.dart", "Cart adds items"));
        assert!(case.faults[0].message.contains("Expected: <2>"), "{:?}", case.faults[0].message);
    }
}
