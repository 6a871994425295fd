//! Parasoft C++test: tests in one part of the report, why they failed in another, which may come first.

use std::collections::HashMap;

use super::Root;
use super::document::{Document, Piece, Tag};
use super::tally::Tally;
use crate::artifact::{
    Case, Diagnostic, Fault, FaultKind, Frame, Lines, Location, Report, Status, TestCounts, TestId, gist,
};
use crate::text;

/// The most violations that are kept.
const VIOLATIONS_LIMIT: usize = 20_000;
/// The most frames of one stack that are kept.
const FRAMES_LIMIT: usize = 100;

pub(super) fn sniff(root: &Root<'_>) -> bool {
    root.name == "ResultsSession"
}

pub(super) fn read(document: &mut Document<'_>, report: &mut Report) {
    let mut reader = Reader { tally: Tally::new(document.limits), ..Reader::default() };
    report.producer = Some("cpptest".to_owned());
    while let Some(piece) = document.piece() {
        match piece {
            Piece::Open(tag) => {
                reader.open(&tag);
                let line = document.line();
                if let Some((_, fault)) = reader.open.as_mut().filter(|(_, fault)| fault.lines.is_none()) {
                    fault.lines = Some(Lines { start: line, end: line });
                }
                if let Some(problem) = reader.problems.last_mut().filter(|problem| problem.lines.is_none()) {
                    problem.lines = Some(Lines { start: line, end: line });
                }
            }
            Piece::Close("ExecViol") => reader.close(),
            _ => {}
        }
    }
    for case in reader.tally.cases().iter_mut().filter(|case| case.status == Status::Failed) {
        let name = format!("{}::{}", case.id.class, case.id.name);
        case.faults = reader.faults.remove(&name).unwrap_or_default();
        if case.faults.is_empty() {
            case.faults.push(gist::fault("", None, "", None));
        }
    }
    reader.tally.finish(report);
    if report.tests.total == 0 {
        report.tests = reader.summary;
    }
    report.diagnostics = reader.problems;
}

#[derive(Default)]
struct Reader {
    tally: Tally,
    open: Option<(String, Fault)>,
    /// By the tests' full names.
    faults: HashMap<String, Vec<Fault>>,
    kept: usize,
    /// What the report states where it does not list its tests.
    summary: TestCounts,
    /// Why tests could not be run.
    problems: Vec<Diagnostic>,
}

impl Reader {
    fn open(&mut self, tag: &Tag<'_>) {
        match (tag.name, tag.parent) {
            ("Test", "TestSuite") => {
                let full = tag.get("name").unwrap_or_default();
                let (class, name) = full.rsplit_once("::").unwrap_or(("", &full));
                let failed = tag.get("fail").is_some_and(|count| count != "0");
                let status = if failed { Status::Failed } else { Status::Passed };
                let time = tag.get("time").unwrap_or_default();
                let id = TestId { suite: String::new(), class: class.to_owned(), name: name.to_owned() };
                let seconds = super::shape::clock(&time);
                self.tally.push(Case { id, status, seconds, ..Case::default() });
            }
            ("ExecViol", _) => {
                let attribute = |name| tag.get(name).unwrap_or_default();
                let path = attribute("locFile");
                let line = tag.get("locStartln").or_else(|| tag.get("ln")).and_then(|line| line.parse().ok());
                let location = (!path.is_empty()).then_some(Location { path, line, column: None });
                self.open = Some((attribute("testName"), Fault { location, ..Fault::default() }));
            }
            ("ThrPart", _) => {
                if let Some((_, fault)) = self.open.as_mut().filter(|(_, fault)| fault.message.is_empty()) {
                    fault.class = tag.get("clName");
                    fault.message = text::first_line(&tag.get("detMsg").unwrap_or_default(), 400);
                    fault.excerpt.clone_from(&fault.message);
                }
            }
            ("Trace", _) => {
                if let Some((_, fault)) = self.open.as_mut().filter(|(_, fault)| fault.frames.len() < FRAMES_LIMIT) {
                    let function = tag.get("metName").filter(|name| !name.is_empty());
                    let line = tag.get("ln").and_then(|line| line.parse().ok());
                    let path = tag.get("fileName").unwrap_or_default();
                    fault.frames.push(Frame { path, line, function, in_project: None });
                }
            }
            ("Project", "Projects") => {
                let count = |name| tag.get(name).and_then(|count| count.parse().ok()).unwrap_or(0_u64);
                let (failed, passed) = (count("fail"), count("pass"));
                let add = |to: &mut u64, more: u64| *to = to.saturating_add(more);
                add(&mut self.summary.failed, failed);
                add(&mut self.summary.passed, passed);
                self.summary.total = self.summary.failed.saturating_add(self.summary.passed);
            }
            ("Error", "ErrorList") if self.problems.len() < VIOLATIONS_LIMIT => {
                let details = tag.get("val").unwrap_or_default();
                let message = text::first_line(&details, 400);
                let excerpt = message.clone();
                let (kind, tool) = (FaultKind::Test, "cpptest".to_owned());
                self.problems.push(Diagnostic { kind, tool, message, details, excerpt, ..Diagnostic::default() });
            }
            _ => {}
        }
    }

    fn close(&mut self) {
        let Some((name, mut fault)) = self.open.take() else { return };
        // An outcome that nobody verified is a task for its author and no failure.
        if fault.class.as_deref() == Some("Outcome") || self.kept == VIOLATIONS_LIMIT {
            return;
        }
        self.kept += 1;
        fault.frames.reverse();
        fault.details.clone_from(&fault.message);
        self.faults.entry(name).or_default().push(fault);
    }
}

#[cfg(test)]
mod tests {
    use crate::artifact::read;

    #[test]
    fn violations_belong_to_the_tests_that_they_name() {
        let text = "<ResultsSession toolName='C++test'><ExecutedTestsDetails><Total><Project><TestSuite name='s'>
<Test fail='0' name='S::a' pass='1' time='0:00:01.500'/><Test fail='1' name='S::b' pass='0'/></TestSuite></Project></Total></ExecutedTestsDetails>
<Exec><ExecViols><ExecViol testName='S::b' locFile='/p/t.cpp' locStartln='57'><Thr><ThrPart clName='Assertion failed' detMsg='Assertion failed: 0==1'>
<Trace fileName='/p/t.cpp' ln='57'/><Trace fileName='/p/main.cpp' ln='9' metName='main'/></ThrPart></Thr></ExecViol>
<ExecViol testName='S::b'><Thr><ThrPart clName='Outcome' detMsg='Outcome: x=1'/></Thr></ExecViol></ExecViols></Exec></ResultsSession>";
        let report = read("r.xml", text.as_bytes());
        assert_eq!((report.tests.total, report.tests.failed, report.cases[0].seconds), (2, 1, Some(1.5)));
        let faults = &report.cases[1].faults;
        assert_eq!((faults.len(), faults[0].message.as_str()), (1, "Assertion failed: 0==1"));
        assert_eq!(faults[0].location.as_ref().unwrap().line, Some(57));
        assert_eq!(faults[0].frames[0].function.as_deref(), Some("main"));
        assert_eq!(faults[0].lines.unwrap().start, 3);
    }
}
