//! The findings of one document: what is kept of them is bounded, all of them are counted.

use crate::artifact::{Diagnostic, DiagnosticTotals, Problem, Report};

/// More findings than this are not kept of one document.
const FINDINGS: usize = 50_000;
/// More text than this is not kept of them.
const TEXT: usize = 48 << 20;

/// Findings in the order of the document.
#[derive(Debug, Default)]
pub(super) struct Found {
    kept: Vec<Diagnostic>,
    text: usize,
    more: DiagnosticTotals,
}

impl Found {
    pub(super) fn push(&mut self, diagnostic: Diagnostic) {
        if self.kept.len() >= FINDINGS || self.text >= TEXT {
            self.more.add(diagnostic.severity);
            return;
        }
        self.text += 500 + diagnostic.details.len() + 2 * diagnostic.message.len();
        self.kept.push(diagnostic);
    }

    pub(super) fn into_diagnostics(self) -> Vec<Diagnostic> {
        self.kept
    }

    /// Hands everything over, and says what was only counted.
    pub(super) fn report(self, report: &mut Report) {
        let more = self.more.total();
        if more > 0 {
            let message = format!("{more} more findings than the {} that are kept are only counted", self.kept.len());
            report.problems.push(Problem { line: None, message });
        }
        report.diagnostics = self.kept;
        report.more = self.more;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_kept_is_counted() {
        let mut found = Found::default();
        (0..FINDINGS + 3).for_each(|_| found.push(Diagnostic::default()));
        let mut report = Report::default();
        found.report(&mut report);
        assert_eq!((report.diagnostics.len(), report.more.errors, report.problems.len()), (FINDINGS, 3, 1));
    }
}
