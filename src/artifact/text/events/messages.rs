//! Cucumber's messages: a line for each step of each attempt of each scenario.

use crate::artifact::text::cases::Cases;
use std::collections::HashMap;

use serde_json::Value;

use super::{each, part};
use crate::artifact::json::field::{self, text};
use crate::artifact::text::Part;
use crate::artifact::text::lines::Lines;
use crate::artifact::{Case, Status, TestId};

#[derive(Default)]
struct Reader {
    /// Scenarios by their numbers, and those of the cases made of them.
    pickles: HashMap<String, TestId>,
    tests: HashMap<String, TestId>,
    /// The attempts that run.
    open: HashMap<String, Case>,
    cases: Cases,
}

/// Reads every scenario that ended and is not run again.
pub(in crate::artifact::text) fn read(lines: &Lines) -> Part {
    let mut reader = Reader::default();
    let claims = each(lines, |index, event: Value| reader.event(lines, index, &event));
    part(reader.cases, claims)
}

impl Reader {
    fn event(&mut self, lines: &Lines, index: usize, event: &Value) {
        if let Some(pickle) = event.get("pickle") {
            let id = TestId {
                suite: text(pickle, "uri").to_owned(),
                class: String::new(),
                name: text(pickle, "name").to_owned(),
            };
            self.pickles.insert(text(pickle, "id").to_owned(), id);
        } else if let Some(test) = event.get("testCase") {
            if let Some(id) = self.pickles.get(text(test, "pickleId")) {
                self.tests.insert(text(test, "id").to_owned(), id.clone());
            }
        } else if let Some(started) = event.get("testCaseStarted") {
            let id = self.tests.get(text(started, "testCaseId")).cloned().unwrap_or_default();
            let flaky = field::number(started, "attempt").is_some_and(|attempt| attempt > 0);
            self.open.insert(text(started, "id").to_owned(), Case { id, flaky, ..Case::default() });
        } else if let Some(step) = event.get("testStepFinished") {
            self.step(lines, index, step);
        } else if let Some(finished) = event.get("testCaseFinished") {
            let case = self.open.remove(text(finished, "testCaseStartedId"));
            let again = finished.get("willBeRetried").and_then(Value::as_bool) == Some(true);
            self.cases.extend(
                case.filter(|_| !again).map(|case| Case { flaky: case.flaky && case.status == Status::Passed, ..case }),
            );
        }
    }

    fn step(&mut self, lines: &Lines, index: usize, step: &Value) {
        let Some(case) = self.open.get_mut(text(step, "testCaseStartedId")) else { return };
        match text(step, "testStepResult.status") {
            "FAILED" | "AMBIGUOUS" => {
                case.status = Status::Failed;
                let said = text(step, "testStepResult.message");
                case.faults.push(super::fault(lines, index, said.lines().next().unwrap_or_default(), said));
            }
            "SKIPPED" | "PENDING" | "UNDEFINED" if case.status == Status::Passed => case.status = Status::Skipped,
            _ => {}
        }
    }
}
