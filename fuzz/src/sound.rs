//! What holds of everything that was read, whatever it was read from.

use unbreak::artifact::{Diagnostic, Fault, Frame, Lines, Location, Report, open};
use unbreak::failure::{Failure, Listing, to_junit, to_sarif};
use unbreak::source::Source;
use unbreak::text;

/// A line that a person quotes is no longer; neither is a name.
const LONGEST: usize = 70 << 10;
/// More problems of one artifact nobody reads.
const MOST_PROBLEMS: usize = 100;
/// A stack is cut somewhere.
const MOST_FRAMES: usize = 2_000;
/// What is quoted of a failure.
const MOST_QUOTED: usize = 60;

/// Checks what was read from `bytes`, and what is made of it; returns the listing as JSON.
pub(super) fn check(reports: &[Report], bytes: &[u8], tree: Option<&dyn Source>) -> String {
    // Members of archives have lines of their own.
    let packed = reports.len() != 1 || reports[0].path.contains('!');
    let line_feeds = bytes.split(|byte| *byte == b'\n').count() - 1;
    let last = if packed { u32::MAX } else { u32::try_from(line_feeds).unwrap() + 1 };
    for report in reports {
        check_report(report, last);
    }
    let listing = Listing::of(reports.to_vec(), tree);
    for failure in &listing.failures {
        check_failure(failure, last, reports.len());
    }
    let json = serde_json::to_string(&listing).unwrap();
    let again: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(again["failures"].as_array().unwrap().len(), listing.failures.len());
    check_ways_out(reports, &listing);
    json
}

fn check_report(report: &Report, last: u32) {
    let tests = report.tests;
    let sum = [tests.passed, tests.failed, tests.errored, tests.skipped].into_iter().fold(0, u64::saturating_add);
    assert_eq!(tests.total, sum, "{tests:?}");
    assert!(!report.kind.is_empty());
    assert!(report.problems.len() <= MOST_PROBLEMS, "{} problems", report.problems.len());
    for problem in &report.problems {
        assert!(problem.line.is_none_or(|line| (1..=last).contains(&line)), "{problem:?} of {last} lines");
        short("a problem", &problem.message);
    }
    for case in &report.cases {
        for name in [&case.id.suite, &case.id.class, &case.id.name] {
            short("a test's name", name);
        }
        assert!(case.seconds.is_none_or(f64::is_finite), "{:?}", case.seconds);
        case.faults.iter().for_each(|fault| check_fault(fault, last));
    }
    report.diagnostics.iter().chain(&report.passages).for_each(|found| check_diagnostic(found, last));
    for file in &report.coverage {
        short("a covered file", &file.path);
        assert!(file.hit.is_sorted() && file.missed.is_sorted(), "{file:?}");
    }
}

fn check_fault(fault: &Fault, last: u32) {
    short("a message", &fault.message);
    short("an exception", fault.class.as_deref().unwrap_or_default());
    short("details", &fault.details);
    check_place(fault.location.as_ref(), &fault.frames);
    check_quote(fault.lines, &fault.excerpt, last);
}

fn check_diagnostic(found: &Diagnostic, last: u32) {
    short("a tool", &found.tool);
    short("a rule", found.rule.as_deref().unwrap_or_default());
    short("a message", &found.message);
    short("details", &found.details);
    check_place(found.location.as_ref(), &found.frames);
    check_quote(found.lines, &found.excerpt, last);
    for fix in &found.fixes {
        short("a path", &fix.path);
        assert!(fix.start <= fix.end, "{fix:?}");
    }
}

fn check_failure(failure: &Failure, last: u32, artifacts: usize) {
    assert!(failure.artifact < artifacts && failure.occurrences > 0, "{failure:?}");
    assert!(!failure.message.trim().is_empty(), "{failure:?}");
    assert!(!failure.message.contains('\n'), "{failure:?}");
    assert!(failure.location.as_ref().is_none_or(|at| !at.path.contains('\n')), "{failure:?}");
    check_place(failure.location.as_ref(), &failure.frames);
    check_quote(failure.lines, &failure.excerpt, last);
}

fn check_place(location: Option<&Location>, frames: &[Frame]) {
    assert!(frames.len() <= MOST_FRAMES, "{} frames", frames.len());
    for path in location.iter().map(|at| &at.path).chain(frames.iter().map(|frame| &frame.path)) {
        short("a path", path);
    }
}

fn check_quote(lines: Option<Lines>, excerpt: &str, last: u32) {
    short("an excerpt", excerpt);
    if let Some(Lines { start, end }) = lines {
        assert!(1 <= start && start <= end && end <= last, "{start} to {end} of {last} lines");
        // Between its lines may stand blank ones that are not quoted.
        assert!(excerpt.lines().count() <= MOST_QUOTED, "{excerpt}");
    }
}

/// Foreign text that is kept is bounded and shows what it is.
fn short(what: &str, kept: &str) {
    assert!(kept.len() <= LONGEST, "{what} has {} bytes", kept.len());
    assert!(text::plain(kept) == kept, "{what} deceives its reader: {kept:?}");
}

/// What other tools are given says the same.
fn check_ways_out(reports: &[Report], listing: &Listing) {
    let junit = to_junit(reports, &listing.failures).unwrap();
    let again = open("again.xml", junit.as_bytes()).remove(0);
    assert_eq!(again.kind, "junit", "{junit}");
    let written = reports.iter().map(|report| report.cases.len()).sum::<usize>()
        + listing.failures.iter().filter(|failure| failure.test.is_none()).count();
    assert_eq!(again.cases.len(), written, "{junit}");
    let sarif = to_sarif(&listing.failures).to_string();
    let again = open("again.sarif", sarif.as_bytes()).remove(0);
    assert_eq!((again.kind, again.diagnostics.len()), ("sarif", listing.failures.len()), "{sarif}");
}
