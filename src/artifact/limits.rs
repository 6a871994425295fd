//! How much of what artifacts say is kept, and how much of an archive is inflated.

use super::{Problem, Report, Severity};

/// What is beyond a limit is counted or named as a problem, never dropped in silence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Failed tests of one artifact that are listed.
    pub failed_tests: usize,
    /// Tests of one artifact that did not fail and are listed.
    pub other_tests: usize,
    /// Diagnostics of one artifact that are listed.
    pub diagnostics: usize,
    /// Bytes of stacks and excerpts that failed tests of one artifact keep in all; later ones keep message and place.
    pub details: usize,
    /// Members of an archive that are looked at.
    pub members: usize,
    /// Bytes that one member may inflate to.
    pub member: u64,
    /// Bytes that all members of an archive may inflate to.
    pub archive: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self::MOST
    }
}

impl Limits {
    /// What can be lowered and not be raised: readers keep no more while they read.
    pub const MOST: Self = Self {
        failed_tests: 20_000,
        other_tests: 100_000,
        diagnostics: 50_000,
        details: 48 << 20,
        members: 2_000,
        member: 256 << 20,
        archive: 512 << 20,
    };

    /// For an artifact that is not held, which has to take less memory than it is long.
    pub(super) fn of_large(self) -> Self {
        Self {
            failed_tests: self.failed_tests.min(10_000),
            other_tests: self.other_tests.min(10_000),
            details: self.details.min(16 << 20),
            ..self
        }
    }

    /// What is left of them beside a report.
    pub(super) fn without(self, report: &Report) -> Self {
        let failed = report.cases.iter().filter(|case| case.is_failing()).count();
        let faults = report.cases.iter().flat_map(|case| &case.faults);
        let details = faults.map(|fault| fault.details.len() + fault.excerpt.len()).sum();
        Self {
            failed_tests: self.failed_tests.saturating_sub(failed),
            other_tests: self.other_tests.saturating_sub(report.cases.len() - failed),
            diagnostics: self.diagnostics.saturating_sub(report.diagnostics.len()),
            details: self.details.saturating_sub(details),
            ..self
        }
    }

    /// Leaves out what a reader kept beyond the limits; the counts stay what they are.
    pub(super) fn apply(self, report: &mut Report) {
        let (mut failed, mut others, before) = (0, 0, report.cases.len());
        report.cases.retain(|case| {
            let (count, most) =
                if case.is_failing() { (&mut failed, self.failed_tests) } else { (&mut others, self.other_tests) };
            *count += 1;
            *count <= most
        });
        let mut say = |count: usize, what: &str| {
            if count > 0 {
                report.problems.push(Problem { line: None, message: format!("{count} more {what}") });
            }
        };
        say(before - report.cases.len(), "tests are counted and not listed");
        say(report.diagnostics.len().saturating_sub(self.diagnostics), "diagnostics are counted and not listed");
        // Errors stay before warnings, in the order of the artifact.
        if report.diagnostics.len() > self.diagnostics {
            let errors = report.diagnostics.iter().filter(|found| found.severity == Severity::Error).count();
            let (mut errors_left, mut others_left) =
                (self.diagnostics.min(errors), self.diagnostics.saturating_sub(errors));
            let more = &mut report.more;
            report.diagnostics.retain(|found| {
                let left = if found.severity == Severity::Error { &mut errors_left } else { &mut others_left };
                let stays = *left > 0;
                *left = left.saturating_sub(1);
                if !stays {
                    more.add(found.severity);
                }
                stays
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::artifact::{Case, Diagnostic, Status};

    #[test]
    fn what_is_beyond_a_limit_is_counted_and_said() {
        let case = |status| Case { status, ..Case::default() };
        let found = |severity| Diagnostic { severity, ..Diagnostic::default() };
        let mut report = Report {
            cases: [Status::Passed, Status::Failed, Status::Passed, Status::Errored].map(case).to_vec(),
            diagnostics: [Severity::Warning, Severity::Error, Severity::Note, Severity::Error].map(found).to_vec(),
            ..Report::default()
        };
        Limits { failed_tests: 1, other_tests: 2, diagnostics: 3, ..Limits::default() }.apply(&mut report);
        let statuses: Vec<_> = report.cases.iter().map(|case| case.status).collect();
        assert_eq!(statuses, [Status::Passed, Status::Failed, Status::Passed]);
        let severities: Vec<_> = report.diagnostics.iter().map(|found| found.severity).collect();
        assert_eq!(severities, [Severity::Warning, Severity::Error, Severity::Error]);
        assert_eq!((report.more.notes, report.more.total()), (1, 1));
        let said: Vec<_> = report.problems.iter().map(|problem| problem.message.as_str()).collect();
        assert_eq!(said, ["1 more tests are counted and not listed", "1 more diagnostics are counted and not listed"]);
    }
}
