//! What behave prints at its end: the scenarios that failed, and how many there were.

use super::Part;
use super::lines::Lines;
use super::section::{self, Head, SHAPE, Shape, number_of, place_of};
use crate::artifact::{Status, TestCounts};

/// Reads `features/a.feature:5  Adds items` below a title, and `1 scenario passed, 1 failed, 0 skipped`.
pub(super) fn read(lines: &Lines) -> Part {
    section::read(lines, &BEHAVE)
}

const BEHAVE: Shape = Shape {
    head: |lines, index| {
        let line = lines.get(index).strip_prefix("  ")?;
        let (at, name) = line.split_once("  ")?;
        let location = place_of(at).filter(|at| at.path.ends_with(".feature"))?;
        let listed = lines.range(index.saturating_sub(LISTED)..index).any(|(_, line)| is_title(line));
        let message = format!("the scenario failed: {}", name.trim());
        listed.then(|| Head { location: Some(location), message, ..Head::new(Status::Failed, "", name) })
    },
    ends: |_| true,
    counts: |lines, index| {
        let line = lines.get(index).trim();
        let (passed, rest) =
            line.split_once(" scenarios passed, ").or_else(|| line.split_once(" scenario passed, "))?;
        let count = |word: &str| number_of(rest, &[word]).unwrap_or(0);
        let counts = TestCounts {
            passed: passed.parse().ok()?,
            failed: count("failed"),
            errored: count("error"),
            skipped: count("skipped").saturating_add(count("untested")),
            total: 0,
        };
        let ends = [counts.passed, counts.failed, counts.errored, counts.skipped];
        Some(TestCounts { total: ends.into_iter().fold(0, u64::saturating_add), ..counts })
    },
    ..SHAPE
};

/// The title of a list stands at most so many lines above what it lists.
const LISTED: usize = 200;

fn is_title(line: &str) -> bool {
    matches!(line.trim(), "Failing scenarios:" | "Errored scenarios:")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failing_scenarios_are_named() {
        let log = "\nFailing scenarios:\n  features/cart.feature:5  Adds items\n\n0 features passed, 1 failed, 0 skipped\n1 scenario passed, 1 failed, 0 skipped\n3 steps passed, 1 failed, 0 skipped, 0 undefined\n";
        let part = read(&Lines::of(log));
        assert_eq!((part.counts.total, part.counts.failed, part.cases[0].id.name.as_str()), (2, 1, "Adds items"));
        assert_eq!(part.cases[0].faults[0].location.as_ref().unwrap().line, Some(5));
    }
}
