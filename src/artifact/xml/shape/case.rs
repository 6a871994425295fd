//! A case that is being read: what its elements said so far.

use super::{FAULTS_LIMIT, Field, NAME_LIMIT, Shape, names};
use crate::artifact::xml::draft::{Draft, append, seconds, worse};
use crate::artifact::{Status, TestId, place};
use crate::text;

pub(super) struct OpenCase {
    pub(super) depth: usize,
    /// The artifact's line on which it begins.
    pub(super) at: u32,
    /// It is a failure outside of cases.
    pub(super) outside: bool,
    pub(super) setup: bool,
    pub(super) summary: bool,
    pub(super) id: TestId,
    pub(super) full: String,
    pub(super) row: String,
    pub(super) file: String,
    pub(super) line: Option<u32>,
    pub(super) seconds: Option<f64>,
    pub(super) began: Option<f64>,
    pub(super) unless: Status,
    /// What it says itself, if it is a case at all.
    pub(super) said: Said,
    pub(super) drafts: Vec<Draft>,
}

/// What a case says itself about how it ended.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Said {
    Nothing,
    /// It is none.
    NoCase,
    Ended(Status),
}

impl Said {
    /// What was said before stands.
    fn unless(&mut self, status: Status) {
        if *self == Self::Nothing {
            *self = Self::Ended(status);
        }
    }
}

impl OpenCase {
    pub(super) fn new(depth: usize, unless: Status) -> Self {
        Self {
            depth,
            at: 0,
            outside: false,
            setup: false,
            summary: false,
            id: TestId::default(),
            full: String::new(),
            row: String::new(),
            file: String::new(),
            line: None,
            seconds: None,
            began: None,
            unless,
            said: Said::Nothing,
            drafts: Vec::new(),
        }
    }

    pub(super) fn status(&self) -> Option<Status> {
        match self.said {
            Said::NoCase => None,
            Said::Ended(status) => Some(status),
            Said::Nothing => Some(
                self.drafts
                    .iter()
                    .filter(|draft| !draft.void)
                    .fold(self.unless, |status, draft| worse(status, draft.status)),
            ),
        }
    }

    fn draft(&mut self) -> &mut Draft {
        if self.drafts.is_empty() {
            // No end is named and yet a message is given.
            let status = if self.unless == Status::Passed { Status::Errored } else { self.unless };
            self.drafts.push(Draft { status, ..Draft::default() });
        }
        let last = self.drafts.len() - 1;
        &mut self.drafts[last]
    }

    pub(super) fn apply(&mut self, field: Field, value: String, at: u32, shape: &Shape) {
        match field {
            Field::Name => self.id.name = text::one_line(&value, NAME_LIMIT),
            Field::FullName => self.full = text::one_line(&value, NAME_LIMIT),
            Field::Class => self.id.class = text::one_line(&value, NAME_LIMIT),
            Field::Row => self.row = text::one_line(&value, NAME_LIMIT),
            Field::Key => self.id.suite = value,
            Field::CaseFile => value.trim().clone_into(&mut self.file),
            Field::CaseLine => self.line = value.trim().parse().ok(),
            Field::Seconds => self.seconds = seconds(&value),
            Field::Millis => self.seconds = seconds(&value).map(|millis| millis / 1e3),
            Field::Micros => self.seconds = seconds(&value).map(|micros| micros / 1e6),
            Field::Clock => self.seconds = names::clock(&value),
            Field::Began => self.began = names::clock(&value),
            Field::Ended => {
                let both = self.began.zip(names::clock(&value));
                self.seconds = self.seconds.or(both.map(|(began, ended)| (ended - began).rem_euclid(86400.0)));
            }
            Field::Status => self.say(&value, shape),
            Field::Summary => {
                self.summary = true;
                self.say(&value, shape);
            }
            Field::RunState if self.said == Said::Nothing => self.say(&value, shape),
            Field::Success => self.said.unless(if is_false(&value) { Status::Failed } else { Status::Passed }),
            Field::Executed if is_false(&value) => self.said.unless(Status::Skipped),
            Field::IsSkipped if !is_false(&value) => self.said = Said::Ended(Status::Skipped),
            Field::IsCase if is_false(&value) => self.said = Said::NoCase,
            Field::IsSetup => self.setup |= !is_false(&value),
            Field::Skipped => self.said = Said::Ended(Status::Skipped),
            _ => self.fail(field, value, at),
        }
    }

    /// How it ended, in the words of its runner. What follows does not undo that it is no case.
    fn say(&mut self, value: &str, shape: &Shape) {
        let word = value.trim().to_ascii_lowercase();
        let own = shape.words.iter().find(|(own, _)| *own == word).map(|(_, status)| *status);
        let found = own.or_else(|| names::status(&word).map(Some));
        let known = matches!(self.said, Said::NoCase | Said::Ended(Status::Skipped));
        if let Some(found) = found.filter(|_| !known) {
            self.said = found.map_or(Said::NoCase, Said::Ended);
        }
    }

    fn fail(&mut self, field: Field, value: String, at: u32) {
        match field {
            Field::Fault(status) => {
                self.drafts.pop_if(|draft| draft.void);
                if self.drafts.len() < FAULTS_LIMIT {
                    self.drafts.push(Draft { status, ..Draft::default() });
                }
            }
            Field::Holds if !is_false(&value) => self.draft().void = true,
            Field::Message => {
                let draft = self.draft();
                if draft.message.trim().is_empty() {
                    (draft.message, draft.message_at) = (value, at);
                } else {
                    append(&mut draft.details, &value);
                }
            }
            Field::Details => {
                let draft = self.draft();
                if draft.details.is_empty() {
                    draft.details_at = at;
                } else {
                    draft.details.push('\n');
                }
                append(&mut draft.details, &value);
            }
            Field::Exception => value.trim().clone_into(&mut self.draft().class),
            Field::Warns if value.eq_ignore_ascii_case("warning") => self.draft().void = true,
            Field::File if value != "unknown location" => value.trim().clone_into(&mut self.draft().file),
            Field::LastFile if self.draft().file.is_empty() => value.trim().clone_into(&mut self.draft().file),
            Field::LastLine if self.draft().line.is_none() => self.draft().line = value.trim().parse().ok(),
            Field::Line => self.draft().line = value.trim().parse().ok().filter(|line| *line > 0),
            Field::Place => {
                if let Some(at) = place::whole(&value) {
                    let draft = self.draft();
                    (draft.file, draft.line) = (at.path, at.line);
                }
            }
            _ => {}
        }
    }
}

fn is_false(value: &str) -> bool {
    matches!(value.trim().to_ascii_lowercase().as_str(), "false" | "no" | "0" | "f")
}
