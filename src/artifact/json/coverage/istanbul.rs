//! `coverage-final.json` of Istanbul: statements with their places, and how often each ran.

use serde_json::Value;

use super::{line, object, ran};
use crate::artifact::Report;
use crate::artifact::coverage::Coverage;

/// Files with statements.
pub(super) fn sniff(document: &Value) -> bool {
    let first = document.as_object().and_then(|files| files.values().next());
    first.is_some_and(|file| file.get("statementMap").is_some_and(Value::is_object))
}

/// A line ran when a statement ran that begins there.
pub(super) fn read(document: &Value, report: &mut Report) {
    report.producer = Some("istanbul".to_owned());
    let mut coverage = Coverage::default();
    for (key, file) in object(Some(document)) {
        coverage.file(file.get("path").and_then(Value::as_str).unwrap_or(key));
        for (statement, place) in object(file.get("statementMap")) {
            let count = file.get("s").and_then(|counts| counts.get(statement));
            // The counts follow the places: where they are cut off, nothing is known.
            if count.is_some() {
                coverage.line(line(place.pointer("/start/line")), ran(count));
            }
        }
    }
    coverage.finish(&mut report.coverage, &mut report.problems);
}
