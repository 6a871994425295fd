//! `dart test --reporter json` and `flutter test --machine`.

use crate::artifact::text::cases::Cases;
use std::collections::BTreeMap;

use serde_json::Value;

use super::{each, part};
use crate::artifact::json::field;
use crate::artifact::text::Part;
use crate::artifact::text::lines::Lines;
use crate::artifact::{Case, Fault, Status, TestId, gist};

struct Test {
    name: String,
    suite: u64,
    file: String,
    line: Option<u32>,
    faults: Vec<Fault>,
    began: u64,
}

/// Reads every test that ended; loading a file is none.
pub(in crate::artifact::text) fn read(lines: &Lines) -> Part {
    let mut suites: BTreeMap<u64, String> = BTreeMap::new();
    let mut tests: BTreeMap<u64, Test> = BTreeMap::new();
    let mut cases = Cases::default();
    let claims = each(lines, |index, event: Value| match field::text(&event, "type") {
        "suite" => {
            let id = field::number(&event, "suite.id").unwrap_or_default();
            suites.insert(id, field::text(&event, "suite.path").to_owned());
        }
        "testStart" => {
            let test = Test {
                name: field::text(&event, "test.name").to_owned(),
                suite: field::number(&event, "test.suiteID").unwrap_or_default(),
                file: field::text(&event, "test.url").to_owned(),
                line: field::line(&event, "test.line"),
                faults: Vec::new(),
                began: field::number(&event, "time").unwrap_or_default(),
            };
            tests.insert(field::number(&event, "test.id").unwrap_or_default(), test);
        }
        "error" => {
            let Some(test) = field::number(&event, "testID").and_then(|id| tests.get_mut(&id)) else { return };
            let (message, stack) = (field::text(&event, "error"), field::text(&event, "stackTrace"));
            let mut fault = super::fault(lines, index, message, &format!("{message}\n{stack}"));
            gist::or_place(&mut fault, test.file.trim_start_matches("file://"), test.line);
            test.faults.push(fault);
        }
        "testDone" => {
            let Some(test) = field::number(&event, "testID").and_then(|id| tests.remove(&id)) else { return };
            let is = |key: &str| event.get(key).and_then(Value::as_bool).unwrap_or(false);
            let status = match field::text(&event, "result") {
                "failure" => Status::Failed,
                "error" => Status::Errored,
                _ if is("skipped") => Status::Skipped,
                _ => Status::Passed,
            };
            // Loading a file is hidden, unless it fails.
            if is("hidden") {
                return;
            }
            let took = field::number(&event, "time").unwrap_or_default().saturating_sub(test.began);
            cases.push(Case {
                id: TestId {
                    suite: suites.get(&test.suite).cloned().unwrap_or_default(),
                    class: String::new(),
                    name: test.name,
                },
                status,
                seconds: u32::try_from(took).ok().map(|milliseconds| f64::from(milliseconds) / 1000.0),
                faults: test.faults,
                ..Case::default()
            });
        }
        _ => {}
    });
    part(cases, claims)
}
