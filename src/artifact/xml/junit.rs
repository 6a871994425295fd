//! `JUnit` XML in all its dialects. Counts come from the cases, never from the attributes.

use super::Root;
use super::document::{Document, Piece, Tag};
use super::draft::{Draft, append, seconds, worse};
use super::tally::Tally;
use crate::artifact::{Case, Report, Status, TestId, gist, place};

/// Suites nested deeper than this are counted, not named.
const DEPTH_LIMIT: usize = 64;
/// The most failures of one case that are kept.
const FAULTS_LIMIT: usize = 100;
/// The most faults of whole suites that are kept.
const OUTSIDE_LIMIT: usize = 10_000;
/// Of a case's output this much is searched for a stack that its failure does not have.
const OUTPUT_LIMIT: usize = 256 << 10;

/// Whether the document is a `JUnit` report.
pub(super) fn sniff(root: &Root<'_>) -> bool {
    // Eclipse has a root of its own.
    matches!(root.name, "testsuites" | "testsuite" | "testcase" | "testrun")
}

/// Reads every case that can be read.
pub(super) fn read(document: &mut Document<'_>, report: &mut Report) {
    let tally = Tally::new(document.limits);
    let mut reader = Reader { report: std::mem::take(report), tally, ..Reader::default() };
    while let Some(piece) = document.piece() {
        match piece {
            Piece::Open(tag) => {
                if reader.open(&tag) {
                    reader.begins_at(document.line());
                }
            }
            Piece::Text(text) => {
                reader.text(&text);
                if let Some(open) = &mut reader.element {
                    open.draft.ends_at = document.line();
                }
            }
            Piece::Close(name) => {
                let closed = Closed::of(name);
                if let Some(open) = &mut reader.element {
                    open.draft.ends_at = document.line();
                }
                reader.close(closed);
            }
            Piece::Other => {}
        }
    }
    reader.finish_case();
    reader.tally.finish(&mut reader.report);
    *report = reader.report;
}

#[derive(Default)]
struct Reader {
    report: Report,
    tally: Tally,
    suites: Vec<Suite>,
    /// Suites open beyond the limit.
    deeper: usize,
    case: Option<OpenCase>,
    /// What the open case printed.
    output: String,
    /// The element whose text is being collected.
    element: Option<OpenElement>,
}

#[derive(Default)]
struct Suite {
    name: String,
    file: String,
}

#[derive(Default)]
struct OpenCase {
    case: Case,
    file: String,
    line: Option<u32>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Failure(Status),
    Skipped,
    /// A failure of a run that was not the last one.
    Flaky,
    /// A further run that failed as well tells nothing that the first failure does not.
    Rerun,
    Output,
}

impl Role {
    fn of(name: &str) -> Option<Self> {
        Some(match name {
            "failure" => Self::Failure(Status::Failed),
            "error" => Self::Failure(Status::Errored),
            "skipped" => Self::Skipped,
            "flakyFailure" | "flakyError" => Self::Flaky,
            "rerunFailure" | "rerunError" => Self::Rerun,
            "system-out" | "system-err" => Self::Output,
            _ => return None,
        })
    }
}

#[derive(Clone, Copy)]
enum Closed {
    Case,
    Suite,
    Other,
}

impl Closed {
    fn of(name: &str) -> Self {
        match name {
            "testcase" => Self::Case,
            "testsuite" => Self::Suite,
            _ => Self::Other,
        }
    }
}

struct OpenElement {
    role: Role,
    draft: Draft,
    /// How many lines the tag goes on behind the beginning of the message.
    message_lines: u32,
    /// Elements open inside, and how many of them are output of their own, which the text skips.
    inner: usize,
    muted: usize,
}

impl Reader {
    /// Whether an element begins whose place in the artifact matters.
    fn open(&mut self, tag: &Tag<'_>) -> bool {
        let case_or_suite = matches!(tag.name, "testcase" | "testsuite" | "testsuites");
        if let Some(open) = &mut self.element {
            // The end tag of a failure can be missing, but output may quote a report.
            if !case_or_suite || open.role == Role::Output {
                open.inner += 1;
                open.muted += usize::from(open.muted > 0 || matches!(tag.name, "system-out" | "system-err"));
                return false;
            }
        }
        if case_or_suite {
            self.finish_case();
        }
        match tag.name {
            "testsuites" => self.producer(tag),
            "testsuite" => {
                self.producer(tag);
                if self.suites.len() < DEPTH_LIMIT {
                    let attribute = |name| tag.get(name).unwrap_or_default();
                    self.suites.push(Suite { name: attribute("name"), file: attribute("file") });
                } else {
                    self.deeper += 1;
                }
            }
            "testcase" => self.begin_case(tag),
            name => {
                self.element = Role::of(name).map(|role| OpenElement::new(role, tag));
                return self.element.is_some();
            }
        }
        false
    }

    fn begin_case(&mut self, tag: &Tag<'_>) {
        let mut open = OpenCase::default();
        let TestId { suite, class, name } = &mut open.case.id;
        for attribute in tag.attributes() {
            match attribute.name {
                "name" if name.is_empty() => *name = attribute.value(),
                "classname" => *class = attribute.value(),
                "class" if class.is_empty() => *class = attribute.value(),
                "time" => open.case.seconds = seconds(attribute.raw),
                "file" | "filepath" if open.file.is_empty() => open.file = attribute.value(),
                "line" | "lineno" => open.line = attribute.raw.parse().ok(),
                _ => {}
            }
        }
        if let Some(last) = self.suites.last() {
            suite.clone_from(&last.name);
            if open.file.is_empty() {
                open.file.clone_from(&last.file);
            }
        }
        self.case = Some(open);
        self.output.clear();
    }

    /// The line on which the tag of the element ends that was opened last.
    fn begins_at(&mut self, line: u32) {
        if let Some(open) = &mut self.element {
            (open.draft.details_at, open.draft.ends_at) = (line, line);
            open.draft.message_at = line.saturating_sub(open.message_lines);
        }
    }

    fn text(&mut self, text: &str) {
        let Some(open) = &mut self.element else { return };
        match open.role {
            _ if open.muted > 0 => {}
            Role::Failure(_) => {
                if !append(&mut open.draft.details, text) {
                    self.tally.text_was_cut();
                }
            }
            Role::Output => {
                let room = OUTPUT_LIMIT.saturating_sub(self.output.len());
                self.output.push_str(&text[..text.floor_char_boundary(room)]);
            }
            Role::Skipped | Role::Flaky | Role::Rerun => {}
        }
    }

    fn close(&mut self, closed: Closed) {
        if let Some(open) = &mut self.element {
            if open.inner == 0 {
                self.finish_element();
                return;
            }
            open.inner -= 1;
            open.muted = open.muted.saturating_sub(1);
            return;
        }
        match closed {
            Closed::Case => self.finish_case(),
            Closed::Suite => {
                self.finish_case();
                if self.deeper > 0 {
                    self.deeper -= 1;
                } else {
                    self.suites.pop();
                }
            }
            Closed::Other => {}
        }
    }

    fn finish_element(&mut self) {
        let Some(OpenElement { role, draft, .. }) = self.element.take() else { return };
        let Some(open) = &mut self.case else {
            self.outside(role, draft);
            return;
        };
        let status = &mut open.case.status;
        match role {
            Role::Failure(how) => {
                *status = worse(*status, how);
                if open.case.faults.len() < FAULTS_LIMIT && self.tally.keeps_failures() {
                    open.case.faults.push(draft.fault());
                }
            }
            Role::Skipped => *status = worse(*status, Status::Skipped),
            Role::Flaky => open.case.flaky = true,
            Role::Rerun | Role::Output => {}
        }
    }

    /// A fault of a whole suite: a fixture or a file that could not be loaded.
    fn outside(&mut self, role: Role, draft: Draft) {
        if matches!(role, Role::Failure(_)) && !draft.is_empty() && self.report.diagnostics.len() < OUTSIDE_LIMIT {
            let suite = self.suites.last().map(|suite| suite.name.as_str()).unwrap_or_default();
            let tool = self.report.producer.as_deref().unwrap_or("junit");
            self.report.diagnostics.push(draft.diagnostic(tool, suite));
        }
    }

    fn finish_case(&mut self) {
        self.finish_element();
        let Some(mut open) = self.case.take() else { return };
        for fault in &mut open.case.faults {
            // Some runners put the trace into the output and leave the failure empty.
            if fault.frames.is_empty() && !self.output.trim().is_empty() {
                let found = gist::fault("", None, &self.output, None);
                fault.frames = found.frames;
                fault.location = fault.location.take().or(found.location);
                if fault.details.trim().is_empty() {
                    fault.details = found.details;
                }
            }
            gist::or_place(fault, &open.file, open.line);
            let suite = &open.case.id.suite;
            // Linters have a suite for each file.
            if suite.contains(['/', '\\']) && place::is_file(suite) {
                gist::or_place(fault, suite, linted_line(&fault.details));
            }
        }
        open.case.flaky &= open.case.status == Status::Passed;
        self.tally.push(open.case);
    }

    fn producer(&mut self, tag: &Tag<'_>) {
        if self.report.producer.is_some() {
            return;
        }
        let name = tag.get("name").unwrap_or_default();
        let schema = tag.get("noNamespaceSchemaLocation").unwrap_or_default();
        let known = [
            ("pytest", "pytest"),
            ("nextest", "nextest"),
            ("jest", "jest"),
            ("vitest", "vitest"),
            ("Mocha", "mocha"),
            ("surefire", "surefire"),
            ("rspec", "rspec"),
        ];
        let found = known.iter().find(|(mark, _)| name.starts_with(mark) || schema.contains(mark));
        self.report.producer = found.map(|(_, producer)| (*producer).to_owned());
    }
}

impl OpenElement {
    fn new(role: Role, tag: &Tag<'_>) -> Self {
        let mut open = Self { role, draft: Draft::default(), message_lines: 0, inner: 0, muted: 0 };
        if !matches!(role, Role::Failure(_)) {
            return open;
        }
        for attribute in tag.attributes() {
            match attribute.name {
                "message" if open.draft.message.is_empty() => {
                    open.draft.message = attribute.value();
                    open.message_lines = tag.lines_behind(&attribute);
                }
                "type" => open.draft.class = attribute.value(),
                "file" => open.draft.file = attribute.value(),
                "line" => open.draft.line = attribute.raw.parse().ok(),
                _ => {}
            }
        }
        open
    }
}

/// `line 3, col 1, Error - …`
fn linted_line(details: &str) -> Option<u32> {
    let rest = details.trim_start().strip_prefix("line ")?;
    rest.split(',').next()?.trim().parse().ok()
}

#[cfg(test)]
mod tests;
