//! What `llvm-cov export` writes: places at which a count begins to hold.

use serde_json::Value;

use super::{line, list, ran};
use crate::artifact::Report;
use crate::artifact::coverage::Coverage;

pub(super) fn sniff(document: &Value) -> bool {
    document.get("type").and_then(Value::as_str) == Some("llvm.coverage.json.export")
        || document.pointer("/data/0/files/0/segments").is_some()
}

/// A line ran when any part of it did.
pub(super) fn read(document: &Value, report: &mut Report) {
    report.producer = Some("llvm-cov".to_owned());
    let mut coverage = Coverage::default();
    for file in list(document.get("data")).flat_map(|data| list(data.get("files"))) {
        coverage.file(file.get("filename").and_then(Value::as_str).unwrap_or_default());
        let segments: Vec<&Value> = list(file.get("segments")).collect();
        for pair in segments.windows(2) {
            let [segment, next] = pair else { continue };
            let flag = |index: usize| segment.get(index).and_then(Value::as_bool).unwrap_or(false);
            let (has_count, is_gap) = (flag(3), flag(5));
            if has_count && !is_gap {
                // What begins at the first column leaves nothing of its line to what comes before.
                let own = u32::from(line(next.get(1)) <= 1);
                coverage.lines(line(segment.get(0)), line(next.get(0)).saturating_sub(own), ran(segment.get(2)));
            }
        }
    }
    coverage.finish(&mut report.coverage, &mut report.problems);
}
