//! From what artifacts say to the few faults that a person should read, root cause first.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use super::Failure;
use super::cluster::{self, Seen};
use super::paths::Paths;
use super::wording;
use crate::artifact::{
    Case, Diagnostic, Fault, FaultKind, Frame, Location, Report, Severity, Status, TestId, root_cause,
};
use crate::source::Source;

/// Every fault of the reports, each once, in the order in which a person should read them.
///
/// Failed tests and errors count. Warnings count only where nothing failed and the artifact has no tests: then they
/// are a linter's result. With a `tree` paths become the repository's and frames know whether they are in it.
#[must_use]
pub fn collect(reports: &[Report], tree: Option<&dyn Source>) -> Vec<Failure> {
    collect_from(reports.iter().map(failing).collect(), tree)
}

/// The same without a copy of what they say.
pub(super) fn collect_from(reports: Vec<Report>, tree: Option<&dyn Source>) -> Vec<Failure> {
    let kinds: Vec<_> = reports.iter().map(|report| report.kind).collect();
    let mut failures = cluster::cluster(without_echoes(each_from(reports, tree), &kinds));
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
    failures.iter_mut().for_each(wording::settle);
    failures
}

/// The forge's annotations repeat what a log or a report says better: of two at one line the other one stays.
fn without_echoes(failures: Vec<Failure>, kinds: &[&str]) -> Vec<Failure> {
    let place = |failure: &Failure| failure.location.as_ref().and_then(|at| Some((at.path.clone(), at.line?)));
    let is_annotation = |failure: &Failure| kinds[failure.artifact] == "annotations";
    let told: BTreeSet<_> = failures.iter().filter(|failure| !is_annotation(failure)).filter_map(place).collect();
    let echo = |failure: &Failure| is_annotation(failure) && place(failure).is_some_and(|at| told.contains(&at));
    failures.into_iter().filter(|failure| !echo(failure)).collect()
}

/// The same before faults of one cause are made one: each failing test and each diagnostic, in the order of the
/// artifacts.
#[must_use]
pub fn each(reports: &[Report], tree: Option<&dyn Source>) -> Vec<Failure> {
    each_from(reports.iter().map(failing).collect(), tree)
}

/// A report without the tests that did not fail.
fn failing(report: &Report) -> Report {
    Report {
        cases: report.cases.iter().filter(|case| case.is_failing()).cloned().collect(),
        diagnostics: report.diagnostics.clone(),
        passages: report.passages.clone(),
        kind: report.kind,
        producer: report.producer.clone(),
        tests: report.tests,
        ..Report::default()
    }
}

fn each_from(reports: Vec<Report>, tree: Option<&dyn Source>) -> Vec<Failure> {
    let paths = Paths::new(tree);
    let (mut failures, mut warnings, mut passages) = (Vec::new(), Vec::new(), Vec::new());
    for (artifact, report) in reports.into_iter().enumerate() {
        for case in report.cases.into_iter().filter(Case::is_failing) {
            let Case { id, status, mut faults, .. } = case;
            if faults.is_empty() {
                faults.push(Fault { message: "the test failed".to_owned(), ..Fault::default() });
            }
            failures.extend(faults.into_iter().map(|fault| Failure {
                artifact,
                tool: report.producer.clone(),
                ..of_case(id.clone(), status, fault, &paths)
            }));
        }
        for diagnostic in report.diagnostics {
            match diagnostic.severity {
                Severity::Error => failures.push(Failure { artifact, ..of_diagnostic(diagnostic, &paths) }),
                // A linter's result, unless something fails.
                Severity::Warning if report.tests.total == 0 => warnings.push((artifact, diagnostic)),
                _ => {}
            }
        }
        passages.extend(report.passages.into_iter().map(|passage| (artifact, passage)));
    }
    let more = if failures.is_empty() { warnings } else { Vec::new() };
    failures.extend(
        more.into_iter().chain(passages).map(|(artifact, found)| Failure { artifact, ..of_diagnostic(found, &paths) }),
    );
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

fn of_case(test: TestId, status: Status, fault: Fault, paths: &Paths) -> Failure {
    let kind = kind_of(&test, status, &fault);
    let frames = map_frames(fault.frames, paths);
    let location = fault.location.as_ref().map(|at| map_location(at, paths));
    let root = root_cause(&fault.details);
    let seen = Seen {
        kind,
        class: fault.class.as_deref().unwrap_or_default(),
        message: &fault.message,
        cause: root.as_deref(),
        location: location.as_ref(),
        frames: &frames,
    };
    Failure {
        id: seen.of_test(&test),
        kind,
        tool: None,
        rule: fault.class,
        severity: Severity::Error,
        message: fault.message,
        test: Some(test.clone()),
        location,
        frames,
        artifact: 0,
        lines: fault.lines,
        excerpt: fault.excerpt,
        occurrences: 1,
        tests: vec![test],
        weight: fault.weight,
    }
}

fn of_diagnostic(diagnostic: Diagnostic, paths: &Paths) -> Failure {
    let location = diagnostic.location.as_ref().map(|at| map_location(at, paths));
    let frames = map_frames(diagnostic.frames, paths);
    let seen = Seen {
        kind: diagnostic.kind,
        class: diagnostic.rule.as_deref().unwrap_or_default(),
        message: &diagnostic.message,
        cause: None,
        location: location.as_ref(),
        frames: &frames,
    };
    Failure {
        id: seen.of_diagnostic(&diagnostic.tool),
        kind: diagnostic.kind,
        tool: Some(diagnostic.tool),
        rule: diagnostic.rule,
        severity: diagnostic.severity,
        message: diagnostic.message,
        test: None,
        frames,
        location,
        artifact: 0,
        lines: diagnostic.lines,
        excerpt: diagnostic.excerpt,
        occurrences: 1,
        tests: Vec::new(),
        weight: diagnostic.weight,
    }
}

/// A test can fail because it could not be loaded, died or hung.
fn kind_of(test: &TestId, status: Status, fault: &Fault) -> FaultKind {
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
    if status == Status::Errored && (test.class.is_empty() || test.name == test.suite) {
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

fn map_frames(mut frames: Vec<Frame>, paths: &Paths) -> Vec<Frame> {
    for frame in &mut frames {
        let mapped = paths.map(&frame.path);
        (frame.path, frame.in_project) = (mapped.path, mapped.in_project);
    }
    frames
}

#[cfg(test)]
mod tests;
