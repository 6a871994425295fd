//! Cases as they are read: all of them are counted, and as many are kept as memory allows.

use crate::artifact::{Case, Fault, Frame, Limits, Problem, Report, Status, TestCounts};

pub(super) struct Tally {
    limits: Limits,
    counts: TestCounts,
    cases: Vec<Case>,
    failing: usize,
    bytes: usize,
    /// Texts that were longer than what is kept of one.
    cut: u64,
    shortened: u64,
}

impl Default for Tally {
    fn default() -> Self {
        Self::new(Limits::default())
    }
}

impl Tally {
    /// Of no case yet.
    pub(super) fn new(limits: Limits) -> Self {
        Self { limits, counts: TestCounts::default(), cases: Vec::new(), failing: 0, bytes: 0, cut: 0, shortened: 0 }
    }

    pub(super) fn push(&mut self, mut case: Case) {
        self.counts.total += 1;
        let count = match case.status {
            Status::Passed => &mut self.counts.passed,
            Status::Failed => &mut self.counts.failed,
            Status::Errored => &mut self.counts.errored,
            Status::Skipped => &mut self.counts.skipped,
        };
        *count += 1;
        if !matches!(case.status, Status::Failed | Status::Errored) {
            if self.cases.len() - self.failing < self.limits.other_tests {
                self.cases.push(case);
            }
            return;
        }
        if self.failing == self.limits.failed_tests {
            return;
        }
        self.failing += 1;
        self.bytes = self.bytes.saturating_add(case.faults.iter().map(weight).sum());
        if self.bytes > self.limits.details {
            self.shortened += 1;
            for fault in &mut case.faults {
                (fault.details, fault.excerpt, fault.frames) = Default::default();
            }
            case.faults.truncate(1);
        }
        self.cases.push(case);
    }

    /// Whether it is of any use to say why a further case failed.
    pub(super) fn keeps_failures(&self) -> bool {
        self.failing < self.limits.failed_tests
    }

    /// Says that of some text not all was kept.
    pub(super) fn text_was_cut(&mut self) {
        self.cut += 1;
    }

    /// The case that was read last.
    pub(super) fn last(&mut self) -> Option<&mut Case> {
        self.cases.last_mut()
    }

    /// Every case that is kept.
    pub(super) fn cases(&mut self) -> &mut [Case] {
        &mut self.cases
    }

    /// Hands everything over, and says what was left out.
    pub(super) fn finish(self, report: &mut Report) {
        let failed = self.counts.failed + self.counts.errored;
        let (failing, others) = (self.failing as u64, (self.cases.len() - self.failing) as u64);
        let mut say = |count: u64, what: &str| {
            if count > 0 {
                report.problems.push(Problem { line: None, message: format!("{count} {what}") });
            }
        };
        say(failed - failing, "more failing tests are counted and not listed");
        say(self.counts.total - failed - others, "more tests that did not fail are counted and not listed");
        say(self.shortened, "failing tests are listed without their details, which are too many");
        say(self.cut, "texts are too long to be kept whole");
        report.tests = self.counts;
        report.cases = self.cases;
    }
}

fn weight(fault: &Fault) -> usize {
    let frame = |frame: &Frame| size_of::<Frame>() + frame.path.len() + frame.function.as_ref().map_or(0, String::len);
    fault.details.len() + fault.excerpt.len() + fault.frames.iter().map(frame).sum::<usize>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_are_counted_and_a_bounded_number_is_kept() {
        let limits = Limits { failed_tests: 50, other_tests: 100, details: 20_000, ..Limits::default() };
        let mut tally = Tally::new(limits);
        let details = "x".repeat(1000);
        for number in 0..110 {
            tally.push(Case::default());
            if number < 55 {
                let faults = vec![Fault { details: details.clone(), ..Fault::default() }];
                tally.push(Case { status: Status::Failed, faults, ..Case::default() });
            }
        }
        let mut report = Report::default();
        tally.finish(&mut report);
        assert_eq!((report.tests.passed, report.tests.failed), (110, 55));
        assert_eq!(report.cases.len(), 150);
        let kept: usize = report.cases.iter().flat_map(|case| &case.faults).map(|fault| fault.details.len()).sum();
        assert_eq!(kept, limits.details);
        let said: Vec<_> = report.problems.iter().map(|problem| problem.message.as_str()).collect();
        assert_eq!(
            said,
            [
                "5 more failing tests are counted and not listed",
                "10 more tests that did not fail are counted and not listed",
                "30 failing tests are listed without their details, which are too many",
            ]
        );
    }
}
