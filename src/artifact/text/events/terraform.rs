//! `terraform test -json` and `tofu test -json`: a line for each run of each file.

use crate::artifact::text::cases::Cases;
use std::collections::HashMap;

use serde_json::Value;

use super::{each, part};
use crate::artifact::json::field::{self, text};
use crate::artifact::text::Part;
use crate::artifact::text::lines::Lines;
use crate::artifact::{Case, Fault, Status, TestId, gist};

/// Reads every run that ended; its diagnostics stand on lines of their own, before or behind.
pub(in crate::artifact::text) fn read(lines: &Lines) -> Part {
    let mut cases: Cases = Cases::default();
    let mut faults: HashMap<TestId, Vec<Fault>> = HashMap::new();
    let claims = each(lines, |index, event: Value| match text(&event, "type") {
        "test_run" => {
            let progress = text(&event, "test_run.progress");
            let status = field::status(text(&event, "test_run.status"));
            let ended = matches!(progress, "complete" | "");
            if let Some(status) = status.filter(|_| ended) {
                let id = id(text(&event, "test_run.path"), text(&event, "test_run.run"));
                cases.push(Case { id, status, ..Case::default() });
            }
        }
        "diagnostic" if text(&event, "diagnostic.severity") == "error" => {
            let said = text(&event, "diagnostic.detail");
            let message =
                format!("{}: {}", text(&event, "diagnostic.summary"), said.lines().next().unwrap_or_default());
            let mut fault = super::fault(lines, index, &message, &format!("{message}\n{said}"));
            let line = field::line(&event, "diagnostic.range.start.line");
            gist::or_place(&mut fault, text(&event, "diagnostic.range.filename"), line);
            faults.entry(id(text(&event, "@testfile"), text(&event, "@testrun"))).or_default().push(fault);
        }
        _ => {}
    });
    for case in cases.iter_mut().filter(|case| matches!(case.status, Status::Failed | Status::Errored)) {
        case.faults = faults.remove(&case.id).unwrap_or_default();
    }
    part(cases, claims)
}

fn id(file: &str, run: &str) -> TestId {
    TestId { suite: String::new(), class: file.to_owned(), name: run.to_owned() }
}
