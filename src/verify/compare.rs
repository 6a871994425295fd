//! Two test runs, test by test.

use std::collections::BTreeMap;

use crate::artifact::{Status, TestId};
use crate::evidence::{Finding, TestRun, Weight};

/// What differs between a run before and a run after.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Comparison {
    /// Failing after, and not before: new tests that fail among them.
    pub newly_failing: Vec<TestId>,
    /// Failing after, in a suite that could not be built before: nobody knows whether they failed.
    pub unseen_failing: Vec<TestId>,
    /// Failing before and passing after.
    pub fixed: Vec<TestId>,
    /// Failing in both.
    pub still_failing: Vec<TestId>,
    /// Named before, and not after.
    pub vanished: Vec<TestId>,
    /// Named after, and not before.
    pub appeared: Vec<TestId>,
    /// Executed before, skipped after.
    pub newly_skipped: Vec<TestId>,
    /// Tests that were executed: passed, failed or errored.
    pub executed: (u64, u64),
}

/// Compares two runs of the same suite; `was_built` tells whether all of it could be run before. A name that occurs several times counts by its worst end.
#[must_use]
pub fn compare(before: &TestRun, after: &TestRun, was_built: bool) -> Comparison {
    let (was, is) = (by_name(before), by_name(after));
    let mut comparison = Comparison { executed: (executed(before), executed(after)), ..Comparison::default() };
    for (id, now) in &is {
        let then = was.get(id).copied();
        match (then.is_some_and(failing), failing(*now)) {
            (false, true) if then.is_none() && !was_built => comparison.unseen_failing.push((*id).clone()),
            (false, true) => comparison.newly_failing.push((*id).clone()),
            (true, true) => comparison.still_failing.push((*id).clone()),
            (true, false) if *now == Status::Passed => comparison.fixed.push((*id).clone()),
            _ => {}
        }
        match then {
            None => comparison.appeared.push((*id).clone()),
            Some(then) if then != Status::Skipped && *now == Status::Skipped => {
                comparison.newly_skipped.push((*id).clone());
            }
            Some(_) => {}
        }
    }
    comparison.vanished = was.keys().filter(|id| !is.contains_key(*id)).map(|id| (*id).clone()).collect();
    comparison
}

impl Comparison {
    /// Whether the run after is at least as good: nothing newly fails, nothing is lost.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.newly_failing.is_empty() && self.lost().is_none_or(|finding| finding.severity == Weight::Show)
    }

    /// What no longer runs, as a finding. Tests that only took other names are shown, since as many ran.
    #[must_use]
    pub fn lost(&self) -> Option<Finding> {
        let fewer = self.executed.1 < self.executed.0;
        let renamed = !fewer && self.newly_skipped.is_empty() && self.vanished.len() <= self.appeared.len();
        if !fewer && self.newly_skipped.is_empty() && self.vanished.is_empty() {
            return None;
        }
        let lost: Vec<String> = self.newly_skipped.iter().chain(&self.vanished).take(5).map(name).collect();
        let which = if lost.is_empty() { String::new() } else { format!(": {}", lost.join(", ")) };
        let message = format!("{} tests ran after the change, {} before{which}", self.executed.1, self.executed.0);
        let (rule, message, severity) = if renamed {
            (
                "renamed-tests",
                format!("as many tests ran, and some took other names or other places{which}"),
                Weight::Show,
            )
        } else {
            ("fewer-tests", message, Weight::Block)
        };
        Some(Finding { rule: rule.to_owned(), path: String::new(), line: None, message, severity })
    }

    /// Tests that fail and could not be run before, as a finding: a reviewer has to know of them.
    #[must_use]
    pub fn unseen(&self) -> Option<Finding> {
        let shown: Vec<String> = self.unseen_failing.iter().take(5).map(name).collect();
        if shown.is_empty() {
            return None;
        }
        Some(Finding {
            rule: "unseen-failures".to_owned(),
            path: String::new(),
            line: None,
            message: format!("tests that could not be built before fail now: {}", shown.join(", ")),
            severity: Weight::Show,
        })
    }

    /// The comparison in a sentence.
    #[must_use]
    pub fn summary(&self) -> String {
        let (was, is) = self.executed;
        let mut parts = vec![format!("{is} tests ran, {was} before")];
        for (what, tests) in [
            ("fixed", &self.fixed),
            ("newly failing", &self.newly_failing),
            ("failing that could not be built before", &self.unseen_failing),
            ("still failing", &self.still_failing),
            ("gone", &self.vanished),
            ("newly skipped", &self.newly_skipped),
        ] {
            if let Some(first) = tests.first() {
                parts.push(format!(
                    "{} {what} ({}{})",
                    tests.len(),
                    name(first),
                    if tests.len() > 1 { ", …" } else { "" }
                ));
            }
        }
        parts.join("; ")
    }
}

/// A test as a person would name it.
pub(super) fn name(id: &TestId) -> String {
    if id.class.is_empty() { id.name.clone() } else { format!("{}::{}", id.class, id.name) }
}

fn by_name(run: &TestRun) -> BTreeMap<&TestId, Status> {
    let mut names = BTreeMap::new();
    for (id, status) in &run.tests {
        let worst = names.entry(id).or_insert(*status);
        *worst = worse(*worst, *status);
    }
    names
}

fn worse(a: Status, b: Status) -> Status {
    let rank = |status| match status {
        Status::Skipped => 0,
        Status::Passed => 1,
        Status::Failed => 2,
        Status::Errored => 3,
    };
    if rank(a) >= rank(b) { a } else { b }
}

fn failing(status: Status) -> bool {
    matches!(status, Status::Failed | Status::Errored)
}

/// By the runner's own counts where it gives any: some name only the failing tests.
fn executed(run: &TestRun) -> u64 {
    let counts = run.counts;
    let counted = counts.passed + counts.failed + counts.errored;
    if counted > 0 { counted } else { run.tests.iter().filter(|(_, status)| *status != Status::Skipped).count() as u64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(tests: &[(&str, Status)]) -> TestRun {
        let id = |name: &str| TestId { name: name.to_owned(), ..TestId::default() };
        TestRun { tests: tests.iter().map(|(name, status)| (id(name), *status)).collect(), ..TestRun::default() }
    }

    use Status::{Errored, Failed, Passed, Skipped};

    #[test]
    fn a_fix_that_loses_nothing_holds() {
        let comparison =
            compare(&run(&[("a", Failed), ("b", Passed)]), &run(&[("a", Passed), ("b", Passed), ("c", Passed)]), true);
        assert!(comparison.holds());
        insta::assert_snapshot!(comparison.summary(), @"3 tests ran, 2 before; 1 fixed (a)");
    }

    #[test]
    fn new_failures_and_failing_new_tests_do_not_hold() {
        let before = run(&[("a", Failed), ("b", Passed)]);
        assert!(!compare(&before, &run(&[("a", Passed), ("b", Errored)]), true).holds());
        assert!(!compare(&before, &run(&[("a", Passed), ("b", Passed), ("c", Failed)]), true).holds());
    }

    #[test]
    fn lost_and_skipped_tests_are_a_finding() {
        let before = run(&[("a", Failed), ("b", Passed)]);
        let gone = compare(&before, &run(&[("b", Passed)]), true).lost().unwrap();
        insta::assert_snapshot!(gone.message, @"1 tests ran after the change, 2 before: a");
        assert!(compare(&before, &run(&[("a", Skipped), ("b", Passed), ("c", Passed)]), true).lost().is_some());
    }

    #[test]
    fn a_renamed_test_is_not_lost() {
        let comparison = compare(&run(&[("a", Failed), ("b", Passed)]), &run(&[("a2", Passed), ("b", Passed)]), true);
        assert!(comparison.holds(), "{comparison:?}");
    }

    #[test]
    fn a_test_that_could_not_be_built_before_is_shown_and_does_not_forbid() {
        let comparison = compare(&run(&[]), &run(&[("a", Failed), ("b", Passed)]), false);
        assert!(comparison.holds(), "{comparison:?}");
        assert_eq!(comparison.unseen().unwrap().message, "tests that could not be built before fail now: a");
        let broken = compare(&run(&[("a", Passed)]), &run(&[("a", Failed)]), false);
        assert!(!broken.holds(), "it ran before, and passed");
    }

    #[test]
    fn a_name_that_occurs_twice_counts_by_its_worst_end() {
        let comparison = compare(&run(&[("a", Passed), ("a", Passed)]), &run(&[("a", Passed), ("a", Failed)]), true);
        assert_eq!(comparison.newly_failing.len(), 1);
    }

    #[test]
    fn counts_speak_where_only_failing_tests_are_named() {
        let counted = |passed| {
            let mut run = run(&[]);
            run.counts.passed = passed;
            run.counts.total = passed;
            run
        };
        assert!(!compare(&counted(5), &counted(4), true).holds());
        assert!(compare(&counted(5), &counted(5), true).holds());
    }
}
