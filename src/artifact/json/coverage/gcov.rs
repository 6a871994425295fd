//! What `gcov --json-format` writes for each object file.

use serde_json::Value;

use super::{line, list, ran};
use crate::artifact::Report;
use crate::artifact::coverage::Coverage;

/// Files, and the compiler that counted.
pub(super) fn sniff(document: &Value) -> bool {
    document.get("gcc_version").is_some() && document.get("files").is_some_and(Value::is_array)
}

/// Reads the lines of every file, headers included.
pub(super) fn read(document: &Value, report: &mut Report) {
    report.producer = Some("gcov".to_owned());
    let mut coverage = Coverage::default();
    for file in list(document.get("files")) {
        coverage.file(file.get("file").and_then(Value::as_str).unwrap_or_default());
        for entry in list(file.get("lines")) {
            coverage.line(line(entry.get("line_number")), ran(entry.get("count")));
        }
    }
    coverage.finish(&mut report.coverage, &mut report.problems);
}
