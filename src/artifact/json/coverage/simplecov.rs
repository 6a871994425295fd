//! `.resultset.json` of `SimpleCov`: of each run and file one count a line, none for lines that cannot run.

use serde_json::Value;

use super::{object, ran};
use crate::artifact::Report;
use crate::artifact::coverage::Coverage;

/// Runs with a time.
pub(super) fn sniff(document: &Value) -> bool {
    let first = document.as_object().and_then(|runs| runs.values().next());
    first.is_some_and(|run| run.get("coverage").is_some_and(Value::is_object) && counts(run).next().is_some())
}

/// Reads the counts of all runs.
pub(super) fn read(document: &Value, report: &mut Report) {
    report.producer = Some("simplecov".to_owned());
    let mut coverage = Coverage::default();
    for (path, counts) in object(Some(document)).flat_map(|(_, run)| counts(run)) {
        coverage.file(path);
        for (count, number) in counts.iter().zip(1..).filter(|(count, _)| count.is_number()) {
            coverage.line(number, ran(Some(count)));
        }
    }
    coverage.finish(&mut report.coverage, &mut report.problems);
}

/// The files of a run; old versions write their counts without a name.
fn counts(run: &Value) -> impl Iterator<Item = (&String, &Vec<Value>)> {
    object(run.get("coverage")).filter_map(|(path, file)| Some((path, file.get("lines").unwrap_or(file).as_array()?)))
}
