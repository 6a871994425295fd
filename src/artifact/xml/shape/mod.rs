//! Reports that differ in nothing but the names of their elements: a case, what it is called, how it ended, why.
//! What the names are is data: one [`Shape`] for each format.

use std::collections::{HashMap, HashSet};

use super::document::{Document, Piece, Tag};
use super::draft::{Draft, append};
use super::tally::Tally;
use crate::artifact::{Case, Limits, Report, Status, TestId, gist};
use crate::text;
use case::OpenCase;
pub(super) use names::clock;

mod case;
pub(super) mod catch;
pub(super) mod dotnet;
mod names;
pub(super) mod native;
pub(super) mod portable;

/// Cases, groups or texts that stand in each other deeper than this are passed over.
const NESTED_LIMIT: usize = 64;
/// The most failures of one case that are kept.
const FAULTS_LIMIT: usize = 100;
/// The most faults outside of cases that are kept.
const OUTSIDE_LIMIT: usize = 10_000;
/// The most definitions of tests that are kept.
const DEFINITIONS_LIMIT: usize = 200_000;

/// How one format is written. An element is named with the one in which it stands, or with an empty name for any.
pub(super) struct Shape {
    /// The elements that are cases, and how one ended of which nothing else says it.
    cases: &'static [(&'static str, &'static str, Status)],
    /// The elements that hold cases and have a name.
    groups: &'static [&'static str],
    /// The elements outside of cases that are failures.
    outside: &'static [(&'static str, &'static str)],
    /// What an attribute of an element means, or its text where no attribute is named.
    rules: &'static [(&'static str, &'static str, &'static str, Field)],
    /// What words for an end mean that every other format uses otherwise or not at all; nothing: it is no case.
    words: &'static [(&'static str, Option<Status>)],
}

/// What a value means.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Field {
    /// Of a group: its name, or the class or the file of its cases.
    Suite,
    SuiteClass,
    SuiteFile,
    /// Of a case.
    Name,
    /// A name with its class before it.
    FullName,
    Class,
    /// Which of the runs of a test with several sets of data it is.
    Row,
    CaseFile,
    CaseLine,
    Status,
    /// How it ended, in a list that may follow the cases themselves.
    Summary,
    /// Whether it was to run at all.
    RunState,
    /// A truth value: a failure, or a case that did not run.
    Success,
    Executed,
    IsSkipped,
    Seconds,
    Millis,
    Micros,
    /// `00:00:01.5`
    Clock,
    Began,
    Ended,
    /// False: the element is no case after all. `Setup`: true says so.
    IsCase,
    IsSetup,
    /// Cases name an identity here that a definition elsewhere gives a class.
    Key,
    DefinedKey,
    DefinedClass,
    /// The element begins a failure.
    Fault(Status),
    /// True, or a warning: the element is no failure after all.
    Holds,
    Warns,
    /// The element says that the case was passed over.
    Skipped,
    /// Of a failure.
    Message,
    Details,
    Exception,
    File,
    Line,
    /// Where it was last seen, if no other place is known.
    LastFile,
    LastLine,
    /// `file:line`
    Place,
    /// The text belongs to nothing.
    Ignored,
}

/// Reads a report of this shape.
pub(super) fn read(shape: &'static Shape, document: &mut Document<'_>, report: &mut Report) {
    let mut reader = Reader::new(shape, std::mem::take(report), document.limits);
    while let Some(piece) = document.piece() {
        match piece {
            Piece::Open(tag) => {
                reader.open(&tag);
                reader.begins_at(document.line());
            }
            Piece::Text(text) => reader.text(&text),
            Piece::Close(_) => reader.close(document.line()),
            Piece::Other => {}
        }
    }
    *report = reader.finish();
}

struct Reader {
    shape: &'static Shape,
    report: Report,
    tally: Tally,
    depth: usize,
    groups: Vec<Group>,
    cases: Vec<OpenCase>,
    texts: Vec<OpenText>,
    definitions: HashMap<String, String>,
    defined: String,
    /// The cases that were read before the list of all, where a format has one.
    seen: Option<HashSet<TestId>>,
}

#[derive(Default)]
struct Group {
    depth: usize,
    suite: String,
    class: String,
    file: String,
}

struct OpenText {
    depth: usize,
    at: u32,
    field: Field,
    text: String,
}

impl Reader {
    fn new(shape: &'static Shape, report: Report, limits: Limits) -> Self {
        Self {
            shape,
            report,
            tally: Tally::new(limits),
            depth: 0,
            groups: Vec::new(),
            cases: Vec::new(),
            texts: Vec::new(),
            definitions: HashMap::new(),
            defined: String::new(),
            seen: shape.rules.iter().any(|(.., field)| *field == Field::Summary).then(HashSet::new),
        }
    }

    fn open(&mut self, tag: &Tag<'_>) {
        self.depth += 1;
        let is = |parent: &str, name: &str| name == tag.name && (parent.is_empty() || parent == tag.parent);
        let case = self.shape.cases.iter().find(|(parent, name, _)| is(parent, name)).map(|(.., unless)| *unless);
        if let Some(unless) = case.filter(|_| self.cases.len() < NESTED_LIMIT) {
            self.cases.push(OpenCase::new(self.depth, unless));
        } else if self.shape.groups.contains(&tag.name) && self.groups.len() < NESTED_LIMIT {
            self.groups.push(Group { depth: self.depth, ..Group::default() });
        } else if self.cases.is_empty() && self.shape.outside.iter().any(|(parent, name)| is(parent, name)) {
            self.cases.push(OpenCase { outside: true, ..OpenCase::new(self.depth, Status::Errored) });
        }
        for (parent, name, attribute, field) in self.shape.rules {
            if !is(parent, name) {
                continue;
            }
            if !attribute.is_empty() {
                if let Some(value) = tag.get(attribute) {
                    self.apply(*field, value, 0);
                }
            } else if matches!(field, Field::Fault(_) | Field::Skipped) {
                self.apply(*field, String::new(), 0);
            } else if self.texts.len() < NESTED_LIMIT {
                self.texts.push(OpenText { depth: self.depth, at: 0, field: *field, text: String::new() });
            }
        }
    }

    /// The line on which the tag ends that was opened last.
    fn begins_at(&mut self, line: u32) {
        if let Some(open) = self.texts.last_mut().filter(|open| open.at == 0) {
            open.at = line;
        }
        let Some(case) = self.cases.last_mut() else { return };
        if case.at == 0 {
            case.at = line;
        }
        if let Some(draft) = case.drafts.last_mut().filter(|draft| draft.message_at == 0) {
            draft.message_at = line;
        }
    }

    fn text(&mut self, text: &str) {
        if let Some(open) = self.texts.last_mut()
            && !append(&mut open.text, text)
        {
            self.tally.text_was_cut();
        }
    }

    /// An element ends on this line.
    fn close(&mut self, line: u32) {
        while let Some(open) = self.texts.pop_if(|open| open.depth >= self.depth) {
            self.apply(open.field, open.text, open.at);
        }
        if let Some(case) = self.cases.pop_if(|case| case.depth >= self.depth) {
            self.finish_case(case, line);
        }
        self.groups.pop_if(|group| group.depth >= self.depth);
        self.depth = self.depth.saturating_sub(1);
    }

    fn apply(&mut self, field: Field, value: String, at: u32) {
        match field {
            Field::DefinedKey => self.defined = value,
            Field::DefinedClass if self.definitions.len() < DEFINITIONS_LIMIT => {
                let class = value.split(',').next().unwrap_or_default().to_owned();
                self.definitions.insert(std::mem::take(&mut self.defined), class);
            }
            Field::Suite | Field::SuiteClass | Field::SuiteFile => {
                let Some(group) = self.groups.last_mut() else { return };
                let part = match field {
                    Field::Suite => &mut group.suite,
                    Field::SuiteClass => &mut group.class,
                    _ => &mut group.file,
                };
                *part = text::one_line(&value, NAME_LIMIT);
            }
            _ => {
                if let Some(case) = self.cases.last_mut() {
                    case.apply(field, value, at, self.shape);
                }
            }
        }
    }

    fn finish_case(&mut self, mut open: OpenCase, line: u32) {
        let Some(status) = open.status() else { return };
        let failing = matches!(status, Status::Failed | Status::Errored);
        let mut drafts = std::mem::take(&mut open.drafts);
        drafts.retain(|draft| !draft.void);
        for draft in &mut drafts {
            draft.ends_at = line;
        }
        let id = self.name(&mut open);
        if let Some(seen) = &mut self.seen {
            if open.summary && seen.contains(&id) {
                return;
            }
            if !open.summary && seen.len() < DEFINITIONS_LIMIT {
                seen.insert(id.clone());
            }
        }
        if open.outside || open.setup {
            let tool = self.report.producer.as_deref().unwrap_or(self.report.kind);
            let found = drafts.into_iter().find(|draft| !draft.is_empty() && !draft.message.starts_with(IMPLIED));
            if let Some(draft) = found.filter(|_| failing && self.report.diagnostics.len() < OUTSIDE_LIMIT) {
                let whose = if id.name.is_empty() { id.suite } else { id.name };
                self.report.diagnostics.push(draft.joined().diagnostic(tool, &whose));
            }
            return;
        }
        let mut case = Case { id, status, seconds: open.seconds, ..Case::default() };
        if failing && self.tally.keeps_failures() {
            let own = Draft { message_at: open.at, ..Draft::default() };
            let drafts = if drafts.is_empty() { vec![own] } else { drafts };
            let file = Some(open.file).filter(|file| !file.is_empty());
            let file =
                file.or_else(|| self.groups.iter().rev().map(|group| group.file.clone()).find(|it| !it.is_empty()));
            case.faults = drafts.into_iter().map(|draft| draft.joined().fault()).collect();
            for fault in &mut case.faults {
                gist::or_place(fault, file.as_deref().unwrap_or_default(), open.line);
            }
        }
        if self.shape.cases.iter().any(|(_, name, _)| *name == REPEATED) && failing {
            // One record for each failed assertion: those of a test follow each other.
            if let Some(last) = self.tally.last().filter(|last| last.id == case.id && !last.faults.is_empty()) {
                last.faults.append(&mut case.faults);
                last.faults.truncate(FAULTS_LIMIT);
                return;
            }
        }
        self.tally.push(case);
    }

    /// As its runner names it.
    fn name(&self, open: &mut OpenCase) -> TestId {
        let mut id = std::mem::take(&mut open.id);
        let mut suites = self.groups.iter().rev().map(|group| &group.suite).filter(|suite| !suite.is_empty());
        if id.name.is_empty() && open.full.is_empty() && !open.outside {
            id.name = suites.next().cloned().unwrap_or_default();
        }
        if id.suite.is_empty() {
            id.suite = suites.next().cloned().unwrap_or_default();
        }
        if id.class.is_empty() {
            let class = self.groups.iter().rev().map(|group| &group.class).find(|class| !class.is_empty());
            id.class = class.cloned().unwrap_or_default();
        }
        names::complete(&mut id, &open.full, &open.row);
        id
    }

    fn finish(mut self) -> Report {
        if !self.definitions.is_empty() {
            for case in self.tally.cases() {
                let key = std::mem::take(&mut case.id.suite);
                if let Some(class) = self.definitions.get(&key) {
                    case.id.class.clone_from(class);
                    names::complete(&mut case.id, "", "");
                }
            }
        }
        self.tally.finish(&mut self.report);
        self.report
    }
}

/// A name is not longer.
const NAME_LIMIT: usize = 2000;
/// A suite that says this says nothing that its tests do not.
const IMPLIED: &str = "One or more child tests had ";
/// Records of this element repeat a test for each of its failures.
const REPEATED: &str = "CUNIT_RUN_TEST_FAILURE";

#[cfg(test)]
mod tests;
