//! `JUnit` XML in all its dialects. Counts come from the cases, never from the attributes.

use quick_xml::events::{BytesStart, Event};

use super::xml::{self, Document};
use super::{Case, Diagnostic, Fault, FaultKind, Input, Report, Severity, Status, TestId, gist};

/// Suites nested deeper than this are counted, not named.
const DEPTH_LIMIT: usize = 64;
/// Text of one element beyond this is not kept.
const TEXT_LIMIT: usize = 1 << 20;

/// Whether the document is a `JUnit` report.
pub(super) fn sniff(input: &Input<'_>) -> bool {
    xml::root(input.text()).is_some_and(|(name, _)| matches!(name, "testsuites" | "testsuite" | "testcase"))
}

/// Reads every case that can be read.
pub(super) fn read(input: &Input<'_>) -> Report {
    let mut document = Document::new(input.text());
    let mut reader = Reader::default();
    while let Some(event) = document.next() {
        match event {
            Event::Start(element) => {
                let line = document.line();
                reader.open(&element, line);
            }
            Event::Empty(element) => {
                let line = document.line();
                reader.open(&element, line);
                reader.close(element.local_name().into_inner());
            }
            Event::End(element) => reader.close(element.local_name().into_inner()),
            Event::Text(text) => reader.text(&text),
            Event::CData(text) => reader.text(&text),
            Event::GeneralRef(name) => match xml::reference(&name) {
                Some(c) => reader.text(c.encode_utf8(&mut [0; 4])),
                None => reader.text(&format!("&{};", &*name)),
            },
            _ => {}
        }
    }
    reader.finish_case();
    let mut report = reader.report;
    report.problems = document.problems;
    report
}

#[derive(Default)]
struct Reader {
    report: Report,
    suites: Vec<String>,
    /// Suites open beyond the limit.
    deeper: usize,
    case: Option<OpenCase>,
    /// The element whose text is being collected.
    element: Option<OpenElement>,
}

#[derive(Default)]
struct OpenCase {
    case: Case,
    file: String,
    line: Option<u32>,
    output: String,
}

#[derive(Default)]
struct OpenElement {
    tag: String,
    message: String,
    class: String,
    file: String,
    line: Option<u32>,
    text: String,
    /// The artifact's line at which the text begins.
    first: u32,
    /// Elements open inside, which the text skips when they are output of their own.
    inner: usize,
    muted: usize,
}

impl Reader {
    fn open(&mut self, element: &BytesStart<'_>, line: u32) {
        let name = element.local_name().into_inner();
        if let Some(open) = &mut self.element {
            open.inner += 1;
            open.muted += usize::from(open.muted > 0 || matches!(name, "system-out" | "system-err"));
            return;
        }
        match name {
            "testsuites" => self.producer(element),
            "testsuite" => {
                self.finish_case();
                self.producer(element);
                if self.suites.len() < DEPTH_LIMIT {
                    self.suites.push(xml::attribute(element, "name").unwrap_or_default());
                } else {
                    self.deeper += 1;
                }
            }
            "testcase" => {
                self.finish_case();
                self.case = Some(self.begin_case(element));
            }
            "failure" | "error" | "skipped" | "system-out" | "system-err" | "rerunFailure" | "rerunError"
            | "flakyFailure" | "flakyError" => {
                let attribute = |name| xml::attribute(element, name).unwrap_or_default();
                self.element = Some(OpenElement {
                    tag: name.to_owned(),
                    message: attribute("message"),
                    class: attribute("type"),
                    file: attribute("file"),
                    line: attribute("line").parse().ok(),
                    first: line,
                    ..OpenElement::default()
                });
            }
            _ => {}
        }
    }

    fn begin_case(&self, element: &BytesStart<'_>) -> OpenCase {
        let attribute = |name| xml::attribute(element, name);
        let id = TestId {
            suite: self.suites.last().cloned().unwrap_or_default(),
            class: attribute("classname").or_else(|| attribute("class")).unwrap_or_default(),
            name: attribute("name").unwrap_or_default(),
        };
        let seconds = attribute("time").as_deref().and_then(seconds);
        OpenCase {
            case: Case { id, seconds, ..Case::default() },
            file: attribute("file").unwrap_or_default(),
            line: attribute("line").and_then(|line| line.parse().ok()),
            output: String::new(),
        }
    }

    fn text(&mut self, text: &str) {
        let Some(open) = &mut self.element else { return };
        if open.muted == 0 && open.text.len() < TEXT_LIMIT {
            open.text.push_str(&text[..text.floor_char_boundary(TEXT_LIMIT)]);
        }
    }

    fn close(&mut self, name: &str) {
        if let Some(open) = &mut self.element {
            if open.inner > 0 {
                open.inner -= 1;
                open.muted = open.muted.saturating_sub(1);
                return;
            }
            if open.tag == name || matches!(name, "testcase" | "testsuite" | "testsuites") {
                self.finish_element();
            }
            if matches!(name, "failure" | "error" | "skipped") {
                return;
            }
        }
        match name {
            "testcase" => self.finish_case(),
            "testsuite" => {
                self.finish_case();
                if self.deeper > 0 {
                    self.deeper -= 1;
                } else {
                    self.suites.pop();
                }
            }
            _ => {}
        }
    }

    fn finish_element(&mut self) {
        let Some(open) = self.element.take() else { return };
        let Some(case) = &mut self.case else {
            self.outside(&open);
            return;
        };
        let status = &mut case.case.status;
        match open.tag.as_str() {
            "failure" => *status = worse(*status, Status::Failed),
            "error" => *status = worse(*status, Status::Errored),
            "skipped" => {
                *status = worse(*status, Status::Skipped);
                return;
            }
            "flakyFailure" | "flakyError" => {
                case.case.flaky = true;
                return;
            }
            "system-out" | "system-err" => {
                case.output.push_str(&open.text);
                return;
            }
            // A rerun that failed as well tells nothing that the first failure does not.
            _ => return,
        }
        case.case.faults.push(fault(open));
    }

    /// A fault of a whole suite: a fixture or a file that could not be loaded.
    fn outside(&mut self, open: &OpenElement) {
        if !matches!(open.tag.as_str(), "failure" | "error") || (open.text.trim().is_empty() && open.message.is_empty())
        {
            return;
        }
        let suite = self.suites.last().cloned().unwrap_or_default();
        let fault = gist::fault(&open.message, None, &open.text, Some(open.first));
        self.report.diagnostics.push(Diagnostic {
            kind: FaultKind::Test,
            tool: self.report.producer.clone().unwrap_or_else(|| "junit".to_owned()),
            rule: fault.class,
            severity: Severity::Error,
            message: if suite.is_empty() { fault.message } else { format!("{suite}: {}", fault.message) },
            location: fault.location,
            frames: fault.frames,
            details: fault.details,
            lines: fault.lines,
            excerpt: fault.excerpt,
        });
    }

    fn finish_case(&mut self) {
        self.finish_element();
        let Some(mut open) = self.case.take() else { return };
        for fault in &mut open.case.faults {
            // Some runners put the trace into the output and leave the failure empty.
            if fault.frames.is_empty() && !open.output.is_empty() {
                let found = gist::fault("", None, &open.output, None);
                fault.frames = found.frames;
                fault.location = fault.location.take().or(found.location);
                if fault.details.trim().is_empty() {
                    fault.details = found.details;
                }
            }
            gist::or_place(fault, &open.file, open.line);
        }
        open.case.flaky &= open.case.status == Status::Passed;
        self.report.cases.push(open.case);
    }

    fn producer(&mut self, element: &BytesStart<'_>) {
        if self.report.producer.is_some() {
            return;
        }
        let name = xml::attribute(element, "name").unwrap_or_default();
        let schema = xml::attribute(element, "noNamespaceSchemaLocation").unwrap_or_default();
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

fn fault(open: OpenElement) -> Fault {
    let leading = open.text.len() - open.text.trim_start_matches(['\r', '\n']).len();
    let skipped = crate::text::line_feeds(&open.text.as_bytes()[..leading]);
    let first = open.first.saturating_add(skipped);
    let class = Some(open.class).filter(|class| !class.is_empty());
    let body = open.text.trim_start_matches(['\r', '\n']).trim_end();
    let body = if body.is_empty() { open.message.as_str() } else { body };
    let mut fault = gist::fault(&open.message, class, body, Some(first));
    gist::or_place(&mut fault, &open.file, open.line);
    fault
}

/// Error over failure over skipped, whatever the order in the file.
fn worse(a: Status, b: Status) -> Status {
    let rank = |status| match status {
        Status::Passed => 0,
        Status::Skipped => 1,
        Status::Failed => 2,
        Status::Errored => 3,
    };
    if rank(b) > rank(a) { b } else { a }
}

/// A duration as locales write it: `0.5`, `1,234.5`, `0,5`.
fn seconds(text: &str) -> Option<f64> {
    let text = text.trim();
    let text = if text.contains('.') { text.replace(',', "") } else { text.replacen(',', ".", 1) };
    text.parse().ok().filter(|seconds: &f64| seconds.is_finite() && *seconds >= 0.0)
}

#[cfg(test)]
mod tests;
