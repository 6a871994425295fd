//! Runners that tell when a test begins and when it ends: what stands between is its own.
//!
//! `GoogleTest`, `XCTest`, Swift Testing and the messages for `TeamCity` print like this.

mod apple;
mod gtest;
mod teamcity;

pub(super) use apple::{read as xctest, read_pretty as xcpretty};
pub(super) use gtest::read as gtest;
pub(super) use teamcity::read as teamcity;

use std::collections::BTreeMap;
use std::ops::Range;

use super::Part;
use super::lines::Lines;
use super::section::{self, Head};
use crate::artifact::{Case, Location, Status, TestId};

/// The text of one failure beyond this many lines is not read.
const SECTION_LIMIT: usize = 300;
/// A test is told by its first faults.
const NOTES_LIMIT: usize = 5;

/// What a line says.
enum Event {
    Begin(TestId),
    End(TestId, Status),
    /// Something that went wrong in a test, with the message and the place.
    Note(TestId, String, Option<Location>),
    /// The process died while a test ran.
    Died,
}

#[derive(Default)]
struct Tests {
    part: Part,
    open: BTreeMap<TestId, usize>,
    last: Option<TestId>,
    notes: BTreeMap<TestId, Vec<(usize, String, Option<Location>)>>,
    ended: BTreeMap<(TestId, Status), usize>,
    span: Option<Range<usize>>,
}

fn read(lines: &Lines, event: fn(&Lines, usize) -> Option<Event>) -> Part {
    let mut tests = Tests::default();
    for index in 0..lines.len() {
        let Some(event) = event(lines, index) else { continue };
        let start = tests.span.as_ref().map_or(index, |span| span.start);
        tests.span = Some(start..index + 1);
        tests.take(lines, index, event);
    }
    let mut part = tests.part;
    part.recognised = !part.cases.is_empty();
    part.counts = part.cases.counts();
    part.claims.extend(tests.span.map(|span| (span.start, span.end)));
    part
}

impl Tests {
    fn take(&mut self, lines: &Lines, index: usize, event: Event) {
        match event {
            Event::Begin(id) => {
                self.last = Some(id.clone());
                self.open.insert(id, index);
            }
            Event::Note(id, message, place) => {
                let notes = self.notes.entry(id).or_default();
                if notes.len() < NOTES_LIMIT {
                    notes.push((index, message, place));
                }
            }
            Event::Died => {
                let id = self.last.take().filter(|id| self.open.contains_key(id));
                if let Some(id) = id {
                    self.end(lines, index, id, Status::Errored);
                }
            }
            Event::End(id, status) => self.end(lines, index, id, status),
        }
    }

    fn end(&mut self, lines: &Lines, index: usize, id: TestId, status: Status) {
        let begun = self.open.remove(&id);
        let notes = self.notes.remove(&id).unwrap_or_default();
        // A summary names the test again.
        if begun.is_none() && notes.is_empty() && self.ended.contains_key(&(id.clone(), status)) {
            return;
        }
        self.ended.insert((id.clone(), status), self.part.cases.len());
        if !matches!(status, Status::Failed | Status::Errored) {
            self.part.cases.push(Case { id, status, ..Case::default() });
            return;
        }
        let head = Head { id, status, ..Head::default() };
        let mut case = match begun {
            Some(start) if index > start + 1 => {
                let first = start + 1;
                section::failed(lines, head, first..first, (index + 1).min(first + SECTION_LIMIT))
            }
            _ => section::failed(lines, head, index..index + 1, index + 1),
        };
        if !notes.is_empty() {
            case.faults = notes.into_iter().map(|(at, message, place)| fault(lines, at, &message, place)).collect();
        }
        self.part.cases.push(case);
    }
}

/// One fault that a line of its own tells.
fn fault(lines: &Lines, at: usize, message: &str, place: Option<Location>) -> crate::artifact::Fault {
    let mut fault = section::named(lines, at, message);
    fault.location = place.or(fault.location);
    fault
}
