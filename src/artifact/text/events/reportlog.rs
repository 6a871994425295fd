//! pytest-reportlog: a line for the set-up, the call and the tear-down of each test.

use crate::artifact::text::cases::Cases;
use std::collections::HashMap;

use serde_json::Value;

use super::{each, part};
use crate::artifact::json::field;
use crate::artifact::text::Part;
use crate::artifact::text::lines::Lines;
use crate::artifact::{Case, Fault, Location, Status, TestId};

/// Reads every test, its worst phase first.
pub(in crate::artifact::text) fn read(lines: &Lines) -> Part {
    let mut cases: Cases = Cases::default();
    let mut known: HashMap<String, usize> = HashMap::new();
    let claims = each(lines, |index, event: Value| {
        let kind = field::text(&event, "$report_type");
        let collects = kind == "CollectReport" && field::text(&event, "outcome") == "failed";
        if kind != "TestReport" && !collects {
            return;
        }
        let node = field::text(&event, "nodeid");
        let at = *known.entry(node.to_owned()).or_insert_with(|| {
            cases.push(Case { id: TestId::of_node(node), ..Case::default() });
            cases.len() - 1
        });
        let case = &mut cases[at];
        let took = event.get("duration").and_then(Value::as_f64).unwrap_or_default();
        case.seconds = Some(case.seconds.unwrap_or_default() + took);
        let call = field::text(&event, "when") == "call";
        let status = match field::text(&event, "outcome") {
            "failed" if call => Status::Failed,
            "failed" => Status::Errored,
            "skipped" => Status::Skipped,
            // What follows tells how it ended.
            "rerun" => {
                case.flaky = true;
                return;
            }
            _ => return,
        };
        case.status = status;
        case.flaky = false;
        if status != Status::Skipped {
            case.faults.push(fault(lines, index, &event));
        }
    });
    part(cases, claims)
}

fn fault(lines: &Lines, index: usize, event: &Value) -> Fault {
    let details = match event.get("longrepr") {
        Some(Value::String(text)) => text.clone(),
        Some(tree) => {
            let entries = field::items(tree, "reprtraceback.reprentries");
            let told = entries.iter().flat_map(|entry| field::items(entry, "data.lines")).filter_map(Value::as_str);
            told.collect::<Vec<_>>().join("\n")
        }
        None => String::new(),
    };
    let mut fault = super::fault(lines, index, field::text(event, "longrepr.reprcrash.message"), &details);
    let path = field::text(event, "longrepr.reprcrash.path");
    if !path.is_empty() {
        let line = field::line(event, "longrepr.reprcrash.lineno");
        fault.location = Some(Location { path: path.to_owned(), line, column: None });
    }
    fault
}
