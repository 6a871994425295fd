//! What pytest prints, in its verbose, usual and quiet forms, with and without xdist.

mod progress;
mod summary;

use crate::artifact::text::cases::Cases;
use std::collections::{BTreeMap, BTreeSet};

use super::Part;
use super::lines::Lines;
use crate::artifact::{
    Case, Diagnostic, Fault, FaultKind, Problem, Severity, Status, TestCounts, TestId, gist, place,
    trace::crash::python,
};
use crate::text;

/// Text of one failure beyond this many lines is not read.
const SECTION_LIMIT: usize = 3000;

/// More pairs of tests and sections than this are not compared.
const ADOPT_LIMIT: usize = 1_000_000;

/// Reads sessions one after the other.
pub(super) fn read(lines: &Lines) -> Part {
    let mut part = Part::default();
    let mut stated = TestCounts::default();
    let mut session = Session::default();
    for (index, line) in lines.all() {
        if section_title(line) == Some("test session starts") {
            session.finish(lines, index, &mut part, &mut stated);
            session = Session { start: index, seen: true, ..Session::default() };
            continue;
        }
        if let Some(counts) = summary::counts(bare(line)) {
            // Other runners count in similar words: alone the line proves nothing, but for its `=` signs.
            if session.seen || line.starts_with('=') || !session.order.is_empty() {
                session.seen = true;
                session.stated = Some(counts);
                session.finish(lines, index + 1, &mut part, &mut stated);
                session = Session { start: index + 1, ..Session::default() };
                continue;
            }
        }
        session.line(lines, index, line, &mut part);
    }
    session.finish(lines, lines.len(), &mut part, &mut stated);
    part.state(stated);
    part
}

/// `=== title ===` gives the title.
fn section_title(line: &str) -> Option<&str> {
    let title = line.strip_prefix('=')?.trim_start_matches('=').strip_prefix(' ')?;
    Some(title.strip_suffix('=')?.trim_end_matches('=').strip_suffix(' ')?.trim())
}

/// A line without the `=` signs around it.
fn bare(line: &str) -> &str {
    section_title(line).unwrap_or(line)
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Section {
    #[default]
    Progress,
    Failures,
    Summary,
    Other,
}

#[derive(Default)]
struct Session {
    start: usize,
    seen: bool,
    /// The folder that node ids are relative to, with a slash.
    root: Option<String>,
    section: Section,
    stated: Option<TestCounts>,
    /// Results by node id, in the order in which they came.
    order: Vec<(String, Status)>,
    known: BTreeSet<(String, Status)>,
    /// What the summary says about a failed node.
    told: BTreeMap<String, (String, usize)>,
    rerun: BTreeSet<String>,
    pending: Option<String>,
    dots: TestCounts,
    /// Parts of the failure sections: title, first line, line after the last.
    traces: Vec<(String, usize, usize)>,
}

impl Session {
    fn line(&mut self, lines: &Lines, index: usize, line: &str, part: &mut Part) {
        if let Some(title) = section_title(line) {
            self.close_trace(index);
            self.section = match title {
                "FAILURES" | "ERRORS" => Section::Failures,
                "short test summary info" => Section::Summary,
                _ => Section::Other,
            };
            self.seen |= matches!(title, "FAILURES" | "ERRORS" | "short test summary info" | "warnings summary");
            return;
        }
        match self.section {
            Section::Failures => {
                if let Some(title) = trace_title(line) {
                    self.close_trace(index);
                    self.traces.push((title.to_owned(), index + 1, 0));
                }
            }
            Section::Summary => {
                if let Some((status, node, message)) = summary::line(line) {
                    self.add(node, status);
                    self.told.insert(node.to_owned(), (message.to_owned(), index));
                }
            }
            Section::Progress | Section::Other => self.progress(lines, index, line, part),
        }
    }

    fn progress(&mut self, lines: &Lines, index: usize, line: &str, part: &mut Part) {
        if let Some(root) = line.strip_prefix("rootdir: ").filter(|_| self.seen) {
            let root = root.split(',').next().unwrap_or(root).trim();
            self.root = Some(format!("{}/", root.trim_end_matches('/')));
            return;
        }
        if let Some(path) = line.strip_prefix("ImportError while loading conftest '") {
            self.seen = true;
            part.diagnostics.push(conftest(lines, index, path.trim_end_matches(['\'', '.'])));
            return;
        }
        if let Some(message) = line.strip_prefix("ERROR: ").filter(|message| {
            self.seen || message.starts_with("usage: pytest") || message.starts_with("file or directory not found")
        }) {
            self.seen = true;
            let (quoted, excerpt) = lines.quote(index..index + 3);
            part.diagnostics.push(Diagnostic {
                kind: FaultKind::Infrastructure,
                tool: "pytest".to_owned(),
                message: text::first_line(message, 400),
                lines: quoted,
                excerpt,
                ..Diagnostic::default()
            });
            return;
        }
        match progress::line(line, self.pending.as_deref()) {
            Some(progress::Line::Again(node)) => {
                self.rerun.insert(node);
            }
            Some(progress::Line::Ended(node, status)) => {
                self.pending = None;
                self.add(&node, status);
            }
            Some(progress::Line::Begun(node)) => self.pending = Some(node),
            Some(progress::Line::Dots(counts)) if self.seen || line.ends_with("%]") => {
                self.dots.passed += counts.passed;
                self.dots.failed += counts.failed;
                self.dots.errored += counts.errored;
                self.dots.skipped += counts.skipped;
            }
            _ => {}
        }
    }

    fn add(&mut self, node: &str, status: Status) {
        if self.known.insert((node.to_owned(), status)) {
            self.order.push((node.to_owned(), status));
        }
    }

    fn close_trace(&mut self, index: usize) {
        if let Some((_, start, end)) = self.traces.last_mut().filter(|(_, _, end)| *end == 0) {
            *end = index.min(*start + SECTION_LIMIT);
        }
    }

    fn finish(&mut self, lines: &Lines, end: usize, part: &mut Part, stated: &mut TestCounts) {
        self.close_trace(end);
        if !self.seen && self.order.is_empty() {
            return;
        }
        part.recognised = true;
        part.claims.push((self.start, end));
        let counts = self.stated.unwrap_or_else(|| {
            if self.dots != TestCounts::default() || !self.order.is_empty() {
                part.problems.push(Problem {
                    line: Some(lines.number(end.saturating_sub(1).min(lines.len().saturating_sub(1)))),
                    message: "pytest's closing line is missing; counts are of the tests that were seen".to_owned(),
                });
            }
            self.dots
        });
        stated.passed += counts.passed;
        stated.failed += counts.failed;
        stated.errored += counts.errored;
        stated.skipped += counts.skipped;
        part.cases.append(&mut self.cases(lines));
    }

    fn cases(&mut self, lines: &Lines) -> Cases {
        let mut traces = Traces::new();
        for (title, start, end) in self.traces.drain(..).rev() {
            traces.entry(trace_key(&title)).or_default().push((start, end));
        }
        let mut cases = Cases::default();
        for (node, status) in &self.order {
            let mut case = Case { id: TestId::of_node(node), status: *status, ..Case::default() };
            case.flaky = *status == Status::Passed && self.rerun.contains(node);
            if matches!(status, Status::Failed | Status::Errored) {
                let key = (node_key(node), *status == Status::Errored);
                let trace = traces.get_mut(&key).and_then(Vec::pop);
                if traces.get(&key).is_some_and(Vec::is_empty) {
                    traces.remove(&key);
                }
                let told = self.told.get(node).map(|(message, at)| (message.as_str(), *at));
                case.faults.push(fault(lines, trace, told, node));
            }
            cases.push(case);
        }
        self.adopt(lines, &mut traces, &mut cases);
        self.unnamed(lines, traces, &mut cases);
        cases
    }

    /// Plugins title their sections in their own words: a title that ends with the name is the test's.
    fn adopt(&self, lines: &Lines, traces: &mut Traces, cases: &mut [Case]) {
        if self.order.len().saturating_mul(traces.len()) > ADOPT_LIMIT {
            return;
        }
        for (case, (node, status)) in cases.iter_mut().zip(&self.order) {
            let bare = case.faults.first().is_some_and(|fault| fault.frames.is_empty() && fault.details.len() < 400);
            if !bare || traces.is_empty() {
                continue;
            }
            let error = *status == Status::Errored;
            let key =
                traces.keys().find(|(title, of_error)| *of_error == error && title.ends_with(&case.id.name)).cloned();
            if let Some(key) = key
                && let Some(trace) = traces.remove(&key).and_then(|mut spans| spans.pop())
            {
                let told = self.told.get(node).map(|(message, at)| (message.as_str(), *at));
                case.faults = vec![fault(lines, Some(trace), told, node)];
            }
        }
    }

    /// Without a summary the sections are all there is.
    fn unnamed(&mut self, lines: &Lines, traces: Traces, cases: &mut Cases) {
        let rest: BTreeMap<usize, (usize, String, bool)> = traces
            .into_iter()
            .flat_map(|((key, error), spans)| {
                spans.into_iter().map(move |(start, end)| (start, (end, key.clone(), error)))
            })
            .collect();
        for (start, (end, key, error)) in rest {
            let mut found = fault(lines, Some((start, end)), None, "");
            let path =
                found.frames.iter().find(|frame| !place::is_foreign(&frame.path)).map(|frame| frame.path.clone());
            let path = path.unwrap_or_default();
            let path = self.root.as_deref().and_then(|root| path.strip_prefix(root)).unwrap_or(&path);
            let file = key.contains('/') || place::has_extension(&key, "py");
            let node = if file { key } else { format!("{path}::{}", key.replace('.', "::")) };
            if found.lines.is_none() {
                (found.lines, found.excerpt) = lines.quote(start.saturating_sub(1)..start);
            }
            let status = if error { Status::Errored } else { Status::Failed };
            if self.known.insert((node.clone(), status)) {
                cases.push(Case { id: TestId::of_node(&node), status, faults: vec![found], ..Case::default() });
            }
        }
    }
}

/// Sections of failures by what a node id has in common with them, and whether it is an error's; the last first.
type Traces = BTreeMap<(String, bool), Vec<(usize, usize)>>;

/// `____ title ____`, but not the `_ _ _` between the calls of a trace.
fn trace_title(line: &str) -> Option<&str> {
    let title = line.strip_prefix('_')?.trim_start_matches('_').strip_prefix(' ')?;
    let title = title.strip_suffix('_')?.trim_end_matches('_').strip_suffix(' ')?;
    (!title.is_empty() && !title.starts_with("_ ")).then_some(title)
}

/// What a section's title and a node id have in common, and whether the section is an error's.
fn trace_key(title: &str) -> (String, bool) {
    if let Some(path) = title.strip_prefix("ERROR collecting ") {
        return (path.to_owned(), true);
    }
    let error = ["ERROR at setup of ", "ERROR at teardown of "].iter().find_map(|start| title.strip_prefix(start));
    (error.unwrap_or(title).to_owned(), error.is_some())
}

fn node_key(node: &str) -> String {
    match node.split_once("::") {
        Some((_, rest)) => {
            // A parameter can hold `::` itself.
            let (name, parameter) = rest.split_at(rest.find('[').unwrap_or(rest.len()));
            format!("{}{parameter}", name.replace("::", "."))
        }
        None => node.to_owned(),
    }
}

fn fault(lines: &Lines, trace: Option<(usize, usize)>, told: Option<(&str, usize)>, node: &str) -> Fault {
    let file = node.split("::").next().unwrap_or_default();
    let Some((start, end)) = trace else {
        let (message, at) = told.unwrap_or_default();
        let mut fault = gist::fault(message, None, message, None);
        if told.is_some() {
            (fault.lines, fault.excerpt) = lines.quote(at..at + 1);
        }
        gist::or_place(&mut fault, file, None);
        return fault;
    };
    let captured = |line: &str| line.starts_with("---") && line.contains(" Captured ");
    let raised = lines.range(start..end).find(|(_, line)| captured(line)).map_or(end, |(at, _)| at);
    let body = lines.join(start..raised);
    // Line numbers of the fault count from the first line of the text: nothing may be trimmed before it.
    let mut fault = gist::fault("", None, &body, Some(lines.number(start)));
    if fault.message == gist::NOTHING_SAID
        && let Some((message, _)) = told.filter(|(message, _)| !message.is_empty())
    {
        message.clone_into(&mut fault.message);
    }
    if let Some(span) = fault.lines {
        let first = start + (span.start.saturating_sub(lines.number(start))) as usize;
        let last = start + (span.end.saturating_sub(lines.number(start))) as usize;
        (fault.lines, fault.excerpt) = lines.quote(first..last + 1);
    }
    if raised < end {
        fault.details = text::cut_middle(&lines.join(start..end), 64 << 10);
    }
    gist::or_place(&mut fault, file, None);
    fault
}

/// A `conftest.py` that cannot be imported: no test runs at all.
fn conftest(lines: &Lines, index: usize, path: &str) -> Diagnostic {
    let end = lines
        .range(index + 1..index + 60)
        .find(|(_, line)| line.is_empty())
        .map_or(lines.len().min(index + 60), |(at, _)| at);
    let fault = gist::fault("", None, &lines.join(index..end), None);
    let class = fault.class.unwrap_or_default();
    let (quoted, excerpt) = lines.quote(end.saturating_sub(6).max(index)..end);
    Diagnostic {
        kind: python::kind(&class),
        tool: "pytest".to_owned(),
        rule: Some(class).filter(|class| !class.is_empty()),
        severity: Severity::Error,
        message: fault.message,
        location: fault
            .location
            .or_else(|| Some(crate::artifact::Location { path: path.to_owned(), line: None, column: None })),
        frames: fault.frames,
        details: fault.details,
        lines: quoted,
        excerpt,
        ..Diagnostic::default()
    }
}

#[cfg(test)]
mod tests;
