//! Frameworks on top of `go test` that name their own tests: Ginkgo and gocheck.

use crate::artifact::text::Part;
use crate::artifact::text::lines::Lines;
use crate::artifact::text::section::{self, Head, SHAPE, Shape, number_of, out_of, place_of};
use crate::artifact::{Status, TestCounts};

/// Reads `[Fail] Cart [It] adds` of Ginkgo's summary, and `FAIL! -- 2 Passed | 1 Failed | 0 Pending | 0 Skipped`.
pub(in crate::artifact::text) fn ginkgo(lines: &Lines) -> Part {
    section::read(lines, &GINKGO)
}

/// Reads `FAIL: a_test.go:12: Suite.TestA`, and `OOPS: 2 passed, 1 FAILED`.
pub(in crate::artifact::text) fn gocheck(lines: &Lines) -> Part {
    section::read(lines, &GOCHECK)
}

const GINKGO: Shape = Shape {
    head: |lines, index| {
        let line = lines.get(index).trim_start();
        let (status, name) = ["[Fail] ", "[FAIL] ", "[Panic!] ", "[PANICKED!] ", "[TIMEDOUT] "]
            .iter()
            .zip([Status::Failed, Status::Failed, Status::Errored, Status::Errored, Status::Errored])
            .find_map(|(mark, status)| Some((status, line.strip_prefix(mark)?)))?;
        let location = place_of(lines.get(index + 1))?;
        let (class, name) = match name.split_once(" [It] ") {
            Some((class, name)) => (class, name),
            None => ("", name),
        };
        let message = said(lines, index, name);
        Some(Head { lines: 2, message, location: Some(location), ..Head::new(status, class, name) })
    },
    ends: |_| true,
    counts: |lines, index| {
        let line = lines.get(index);
        let (_, list) =
            line.split_once("! -- ").filter(|_| line.starts_with("FAIL!") || line.starts_with("SUCCESS!"))?;
        let number = |word: &str| number_of(list, &[word]).unwrap_or(0);
        let (passed, failed) = (number("Passed"), number("Failed"));
        let skipped = number("Pending").saturating_add(number("Skipped"));
        Some(out_of(passed.saturating_add(failed).saturating_add(skipped), failed, 0, skipped))
    },
    counted: true,
    ..SHAPE
};

/// What the test's own section above the summary says: the line below `[FAILED]`, or below the place.
fn said(lines: &Lines, index: usize, name: &str) -> String {
    let name = name.trim();
    let above = index.saturating_sub(400)..index;
    let head = lines.range(above).filter(|(_, line)| line.contains(name)).map(|(at, _)| at).last();
    let Some(head) = head else { return String::new() };
    let told = lines.range(head + 1..(head + 12).min(index)).map(|(_, line)| line.trim());
    let mut told = told.filter(|line| !line.is_empty() && place_of(line).is_none());
    told.next().map(|line| line.trim_start_matches("[FAILED] ").to_owned()).unwrap_or_default()
}

const GOCHECK: Shape = Shape {
    head: |lines, index| {
        let line = lines.get(index);
        let (status, rest) = match line.strip_prefix("FAIL: ") {
            Some(rest) => (Status::Failed, rest),
            None => (Status::Errored, line.strip_prefix("PANIC: ")?),
        };
        let (place, test) = rest.split_once(": ")?;
        let (class, name) = test.split_once('.')?;
        let location = place_of(place)?;
        Some(Head { location: Some(location), ..Head::new(status, class, name) })
    },
    ends: |line| line.starts_with("-----") || line.starts_with("START: ") || line.starts_with("PASS: "),
    counts: |lines, index| {
        let line = lines.get(index);
        let list =
            line.strip_prefix("OOPS: ").or_else(|| line.strip_prefix("OK: ").filter(|_| line.ends_with(" passed")))?;
        let number = |word: &str| number_of(list, &[word]).unwrap_or(0);
        let (passed, failed, errored) = (number("passed"), number("FAILED"), number("PANICKED"));
        let counts: TestCounts = out_of(passed.saturating_add(failed).saturating_add(errored), failed, errored, 0);
        Some(counts)
    },
    ..SHAPE
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ginkgo_names_specs_of_its_summary() {
        let log = "• [FAILED] [0.001 seconds]\nCart [It] adds\n/r/cart_test.go:12\n\n  [FAILED] Expected 1 to equal 2\n\nSummarizing 1 Failure:\n  [FAIL] Cart [It] adds\n  /r/cart_test.go:14\n\nRan 3 of 3 Specs in 0.001 seconds\nFAIL! -- 2 Passed | 1 Failed | 0 Pending | 0 Skipped\n";
        let part = ginkgo(&Lines::of(log));
        assert_eq!((part.counts.total, part.counts.failed), (3, 1));
        let case = &part.cases[0];
        assert_eq!((case.id.class.as_str(), case.id.name.as_str()), ("Cart", "adds"));
        assert_eq!(case.faults[0].message, "Expected 1 to equal 2");
    }

    #[test]
    fn gocheck_is_read() {
        let log = "----------------------------------------------------------------------\nFAIL: cart_test.go:12: CartSuite.TestAdds\n\ncart_test.go:14:\n    c.Assert(1, Equals, 2)\n... obtained int = 1\n... expected int = 2\n\nOOPS: 2 passed, 1 FAILED\n--- FAIL: Test (0.00s)\n";
        let part = gocheck(&Lines::of(log));
        assert_eq!(
            (part.counts.total, part.cases[0].id.class.as_str(), part.cases[0].id.name.as_str()),
            (3, "CartSuite", "TestAdds")
        );
        assert_eq!(part.cases[0].faults[0].location.as_ref().unwrap().line, Some(12));
    }
}
