//! One status for each test, whatever artifacts name it and however often it ran.

use std::collections::BTreeMap;

use super::{Case, Report, Status, TestId};

/// The end of every named test over all reports: the worst status wins, but a test that passed when it was run
/// again in the same artifact passed. A skip counts only where the test never ran.
#[must_use]
pub fn merge_cases(reports: &[Report]) -> BTreeMap<TestId, Status> {
    let mut merged: BTreeMap<TestId, Status> = BTreeMap::new();
    for report in reports {
        let mut own: BTreeMap<&TestId, (Status, bool)> = BTreeMap::new();
        for case in &report.cases {
            let ended = own.entry(&case.id).or_insert((case.status, case.flaky));
            *ended = (worst(ended.0, case.status), ended.1 || case.flaky);
        }
        for (id, (status, flaky)) in own {
            let status = if flaky { Status::Passed } else { status };
            merged.entry(id.clone()).and_modify(|known| *known = worst(*known, status)).or_insert(status);
        }
    }
    merged
}

/// The worse of two ends of the same test.
pub(super) fn worst(a: Status, b: Status) -> Status {
    let rank = |status| match status {
        Status::Skipped => 0,
        Status::Passed => 1,
        Status::Failed => 2,
        Status::Errored => 3,
    };
    if rank(b) > rank(a) { b } else { a }
}

impl Case {
    /// Whether the test's end makes a run fail.
    #[must_use]
    pub fn is_failing(&self) -> bool {
        matches!(self.status, Status::Failed | Status::Errored) && !self.flaky
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(cases: &[(&str, Status, bool)]) -> Report {
        let cases = cases.iter().map(|(name, status, flaky)| Case {
            id: TestId { name: (*name).to_owned(), ..TestId::default() },
            status: *status,
            flaky: *flaky,
            ..Case::default()
        });
        Report { cases: cases.collect(), ..Report::default() }
    }

    #[test]
    fn the_worst_end_wins_unless_a_rerun_passed() {
        let one = report(&[
            ("a", Status::Passed, false),
            ("a", Status::Failed, false),
            ("b", Status::Failed, false),
            ("b", Status::Passed, true),
            ("c", Status::Skipped, false),
        ]);
        let two = report(&[("c", Status::Passed, false)]);
        let merged = merge_cases(&[one, two]);
        let ends: Vec<_> = merged.iter().map(|(id, status)| (id.name.as_str(), *status)).collect();
        assert_eq!(ends, [("a", Status::Failed), ("b", Status::Passed), ("c", Status::Passed)]);
    }
}
