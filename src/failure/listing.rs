//! What `parse --format json` prints.

use std::collections::HashSet;

use serde::Serialize;

use super::Failure;
use super::collect::collect_from;
use crate::artifact::{Diagnostic, Problem, Report, TestCounts};
use crate::source::Source;

/// Version 1 of the listing; within a version keys are only added.
#[derive(Debug, Clone, Serialize)]
pub struct Listing {
    /// Always 1.
    pub version: u32,
    /// The artifacts, in the order in which they were given.
    pub artifacts: Vec<ArtifactSummary>,
    /// What failed, root cause first.
    pub failures: Vec<Failure>,
}

/// One artifact.
#[derive(Debug, Clone, Serialize)]
pub struct ArtifactSummary {
    /// As the user named it.
    pub path: String,
    /// Its format, or `unknown`.
    pub kind: &'static str,
    /// The program that wrote it.
    pub producer: Option<String>,
    /// Its tests.
    pub tests: TestCounts,
    /// Its diagnostics.
    pub diagnostics: DiagnosticCounts,
    /// What could not be read.
    pub problems: Vec<Problem>,
}

/// Counts of diagnostics of every severity.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "the names say it")]
pub struct DiagnosticCounts {
    pub total: u64,
    pub errors: u64,
    pub warnings: u64,
    pub notes: u64,
    /// `path:line:column` of the first one that has a place.
    pub first: Option<String>,
}

impl Listing {
    /// Lists reports, with paths mapped onto `tree` when there is one.
    #[must_use]
    pub fn of(reports: Vec<Report>, tree: Option<&dyn Source>) -> Self {
        let artifacts = reports.iter().map(ArtifactSummary::of).collect();
        Self { version: 1, artifacts, failures: collect_from(reports, tree) }
    }
}

impl ArtifactSummary {
    fn of(report: &Report) -> Self {
        Self {
            path: report.path.clone(),
            kind: report.kind,
            producer: report.producer.clone(),
            tests: report.tests,
            diagnostics: DiagnosticCounts::of(report),
            problems: report.problems.clone(),
        }
    }
}

impl DiagnosticCounts {
    fn of(report: &Report) -> Self {
        let mut counts = Self::default();
        let mut totals = report.more;
        for diagnostic in distinct(report) {
            totals.add(diagnostic.severity);
            if let (None, Some(at)) = (&counts.first, &diagnostic.location) {
                let number = |number: Option<u32>| number.map(|number| format!(":{number}")).unwrap_or_default();
                counts.first = Some(format!("{}{}{}", at.path, number(at.line), number(at.column)));
            }
        }
        Self { total: totals.total(), errors: totals.errors, warnings: totals.warnings, notes: totals.notes, ..counts }
    }
}

/// The diagnostics without exact repetitions, which linters print for each target or pass. SARIF says itself what is
/// one result.
fn distinct(report: &Report) -> impl Iterator<Item = &Diagnostic> {
    let mut seen = HashSet::new();
    let repeats = report.kind != "sarif";
    report.diagnostics.iter().filter(move |found| {
        !repeats
            || seen.insert((&found.tool, &found.rule, found.severity, &found.message, &found.location, &found.details))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_repetitions_count_once_but_results_of_sarif_as_they_stand() {
        let found = crate::artifact::Diagnostic { message: "m".to_owned(), ..crate::artifact::Diagnostic::default() };
        let other = crate::artifact::Diagnostic { details: "more".to_owned(), ..found.clone() };
        let more = crate::artifact::DiagnosticTotals { notes: 2, ..crate::artifact::DiagnosticTotals::default() };
        let mut report = Report { diagnostics: vec![found.clone(), found, other], more, ..Report::default() };
        assert_eq!(DiagnosticCounts::of(&report).total, 4);
        report.kind = "sarif";
        let counts = DiagnosticCounts::of(&report);
        assert_eq!((counts.total, counts.errors, counts.notes), (5, 3, 2));
    }

    #[test]
    fn the_listing_has_the_documented_keys() {
        let report = crate::artifact::read("o.txt", b"error[E0308]: mismatched types\n --> src/a.rs:1:2\n  |\n");
        let listing = serde_json::to_value(Listing::of(vec![report], None)).unwrap();
        assert_eq!(listing["version"], 1);
        let keys = |value: &serde_json::Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>().join(" ");
        assert_eq!(keys(&listing["artifacts"][0]), "path kind producer tests diagnostics problems");
        assert_eq!(listing["artifacts"][0]["diagnostics"]["first"], "src/a.rs:1:2");
        assert_eq!(
            keys(&listing["failures"][0]),
            "id kind tool rule severity message test location frames artifact lines excerpt occurrences tests"
        );
    }
}
