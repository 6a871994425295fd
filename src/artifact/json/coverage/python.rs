//! The JSON report of coverage.py: which lines of which file ran.

use serde_json::Value;

use crate::artifact::Report;
use crate::artifact::coverage::Coverage;

/// Files with their executed lines.
pub(super) fn sniff(document: &Value) -> bool {
    let files = document.get("files").and_then(Value::as_object);
    document.get("meta").is_some_and(Value::is_object)
        && files.is_some_and(|files| {
            let measured = files.values().next().is_some_and(|file| file.get("executed_lines").is_some());
            measured || (files.is_empty() && document.pointer("/totals/covered_lines").is_some())
        })
}

/// Reads the lines of every file.
pub(super) fn read(document: &Value, report: &mut Report) {
    report.producer = Some("coverage.py".to_owned());
    let mut coverage = Coverage::default();
    for (path, file) in document.get("files").and_then(Value::as_object).into_iter().flatten() {
        coverage.file(path);
        for (key, ran) in [("executed_lines", true), ("missing_lines", false)] {
            let numbers = file.get(key).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_u64);
            numbers.filter_map(|line| u32::try_from(line).ok()).for_each(|line| coverage.line(line, ran));
        }
    }
    coverage.finish(&mut report.coverage, &mut report.problems);
}

#[cfg(test)]
mod tests {
    use crate::artifact::{CoveredFile, read};

    const REPORT: &str = r#"{"meta":{"format":3,"version":"7.6.1","branch_coverage":false},"files":{
      "src/a.py":{"executed_lines":[1,3,2],"summary":{"covered_lines":3},"missing_lines":[7,0,-1],"excluded_lines":[9]},
      "src\\b.py":{"executed_lines":[],"missing_lines":[1]}},"totals":{"covered_lines":3}}"#;

    #[test]
    fn lines_that_ran_and_lines_that_did_not_are_read() {
        let report = read("coverage.json", REPORT.as_bytes());
        assert_eq!((report.kind, report.producer.as_deref()), ("coverage-py", Some("coverage.py")));
        let files = [
            CoveredFile { path: "src/a.py".to_owned(), hit: vec![1, 2, 3], missed: vec![7] },
            CoveredFile { path: r"src\b.py".to_owned(), hit: vec![], missed: vec![1] },
        ];
        assert_eq!(report.coverage, files);
    }

    #[test]
    fn a_report_that_breaks_off_is_read_so_far() {
        for end in 0..REPORT.len() {
            drop(read("coverage.json", &REPORT.as_bytes()[..end]));
        }
        let report = read("coverage.json", &REPORT.as_bytes()[..REPORT.find("src\\").unwrap()]);
        assert_eq!((report.coverage.len(), report.problems.len()), (1, 1));
    }
}
