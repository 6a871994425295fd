//! From what artifacts say to the few faults that a person should read, root cause first.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use super::Failure;
use super::cluster::{self, Seen};
use super::paths::Paths;
use crate::artifact::{Case, Diagnostic, Fault, FaultKind, Frame, Location, Report, Severity, Status, root_cause};
use crate::source::Source;

/// Every fault of the reports, each once, in the order in which a person should read them.
///
/// Failed tests and errors count. Warnings count only where nothing failed and the artifact has no tests: then they
/// are a linter's result. With a `tree` paths become the repository's and frames know whether they are in it.
#[must_use]
pub fn collect(reports: &[Report], tree: Option<&dyn Source>) -> Vec<Failure> {
    let mut failures = cluster::cluster(without_echoes(each(reports, tree), reports));
    failures.sort_by_key(|failure| {
        // What was not weighed is no log: it comes first. In a log the first of equals explains the others.
        let weighed = failure.weight > 0;
        let line = failure.lines.filter(|_| weighed).map_or(0, |lines| lines.start);
        (
            Reverse(if weighed { failure.weight } else { u32::MAX }),
            line,
            rank(failure.kind),
            failure.severity,
            failure.artifact,
        )
    });
    failures
}

/// The forge's annotations repeat what a log or a report says better: of two at one line the other one stays.
fn without_echoes(failures: Vec<Failure>, reports: &[Report]) -> Vec<Failure> {
    let place = |failure: &Failure| failure.location.as_ref().and_then(|at| Some((at.path.clone(), at.line?)));
    let is_annotation = |failure: &Failure| reports[failure.artifact].kind == "annotations";
    let told: BTreeSet<_> = failures.iter().filter(|failure| !is_annotation(failure)).filter_map(place).collect();
    let echo = |failure: &Failure| is_annotation(failure) && place(failure).is_some_and(|at| told.contains(&at));
    failures.into_iter().filter(|failure| !echo(failure)).collect()
}

/// The same before faults of one cause are made one: each failing test and each diagnostic, in the order of the
/// artifacts.
#[must_use]
pub fn each(reports: &[Report], tree: Option<&dyn Source>) -> Vec<Failure> {
    let paths = Paths::new(tree);
    let mut failures = Vec::new();
    for (artifact, report) in reports.iter().enumerate() {
        let found = |failure| Failure { artifact, ..failure };
        for case in report.cases.iter().filter(|case| case.is_failing()) {
            let silent = [Fault { message: "the test failed".to_owned(), ..Fault::default() }];
            let faults = if case.faults.is_empty() { &silent[..] } else { &case.faults };
            failures.extend(faults.iter().map(|fault| found(of_case(case, fault, report, &paths))));
        }
        let errors = report.diagnostics.iter().filter(|found| found.severity == Severity::Error);
        failures.extend(errors.map(|diagnostic| found(of_diagnostic(diagnostic, &paths))));
    }
    if failures.is_empty() {
        for (artifact, report) in reports.iter().enumerate().filter(|(_, report)| report.tests.total == 0) {
            let warnings = report.diagnostics.iter().filter(|found| found.severity == Severity::Warning);
            let found = |diagnostic| Failure { artifact, ..of_diagnostic(diagnostic, &paths) };
            failures.extend(warnings.map(found));
        }
    }
    for (artifact, report) in reports.iter().enumerate() {
        let found = |passage| Failure { artifact, ..of_diagnostic(passage, &paths) };
        failures.extend(report.passages.iter().map(found));
    }
    failures
}

/// What stops everything comes before what fails because of it.
fn rank(kind: FaultKind) -> u8 {
    match kind {
        FaultKind::Infrastructure => 0,
        FaultKind::Dependency => 1,
        FaultKind::Compile => 2,
        FaultKind::Type => 3,
        FaultKind::Crash => 4,
        FaultKind::Test => 5,
        FaultKind::Timeout => 6,
        FaultKind::Lint => 7,
        FaultKind::Format => 8,
        FaultKind::Unknown => 9,
    }
}

fn of_case(case: &Case, fault: &Fault, report: &Report, paths: &Paths) -> Failure {
    let frames = map_frames(&fault.frames, paths);
    let location = fault.location.as_ref().map(|at| map_location(at, paths));
    let kind = kind_of(case, fault);
    let class = fault.class.as_deref().unwrap_or_default();
    let root = root_cause(&fault.details);
    let seen = Seen {
        kind,
        class,
        message: &fault.message,
        cause: root.as_deref(),
        location: location.as_ref(),
        frames: &frames,
    };
    let id = seen.of_test(&case.id);
    Failure {
        id,
        kind,
        tool: report.producer.clone(),
        rule: fault.class.clone(),
        severity: Severity::Error,
        message: fault.message.clone(),
        test: Some(case.id.clone()),
        location,
        frames,
        artifact: 0,
        lines: fault.lines,
        excerpt: fault.excerpt.clone(),
        occurrences: 1,
        weight: fault.weight,
    }
}

fn of_diagnostic(diagnostic: &Diagnostic, paths: &Paths) -> Failure {
    let location = diagnostic.location.as_ref().map(|at| map_location(at, paths));
    let frames = map_frames(&diagnostic.frames, paths);
    let seen = Seen {
        kind: diagnostic.kind,
        class: diagnostic.rule.as_deref().unwrap_or_default(),
        message: &diagnostic.message,
        cause: None,
        location: location.as_ref(),
        frames: &frames,
    };
    let id = seen.of_diagnostic(&diagnostic.tool);
    Failure {
        id,
        kind: diagnostic.kind,
        tool: Some(diagnostic.tool.clone()),
        rule: diagnostic.rule.clone(),
        severity: diagnostic.severity,
        message: diagnostic.message.clone(),
        test: None,
        frames,
        location,
        artifact: 0,
        lines: diagnostic.lines,
        excerpt: diagnostic.excerpt.clone(),
        occurrences: 1,
        weight: diagnostic.weight,
    }
}

/// A test can fail because it could not be loaded, died or hung.
fn kind_of(case: &Case, fault: &Fault) -> FaultKind {
    let class = fault.class.as_deref().unwrap_or_default();
    let class = class.rsplit('.').next().unwrap_or(class);
    let message = fault.message.to_ascii_lowercase();
    if class == "crash" || message.contains("(signal: ") || message.contains("segmentation fault") {
        return FaultKind::Crash;
    }
    if matches!(class, "Timeout" | "TimeoutError" | "TimeoutException" | "TestTimedOutException")
        || message.contains("timed out")
        || message.contains("exceeded timeout")
    {
        return FaultKind::Timeout;
    }
    // Only what fails before a test runs says something about the code as a whole.
    if case.status == Status::Errored && (case.id.class.is_empty() || case.id.name == case.id.suite) {
        if matches!(class, "SyntaxError" | "IndentationError" | "TabError") {
            return FaultKind::Compile;
        }
        if class == "ModuleNotFoundError"
            || message.contains("cannot find module")
            || message.contains("cannot find package")
        {
            return FaultKind::Dependency;
        }
    }
    FaultKind::Test
}

fn map_location(at: &Location, paths: &Paths) -> Location {
    Location { path: paths.map(&at.path).path, line: at.line, column: at.column }
}

fn map_frames(frames: &[Frame], paths: &Paths) -> Vec<Frame> {
    frames
        .iter()
        .map(|frame| {
            let mapped = paths.map(&frame.path);
            Frame { path: mapped.path, in_project: mapped.in_project, ..frame.clone() }
        })
        .collect()
}

#[cfg(test)]
mod tests;
