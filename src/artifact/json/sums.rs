//! What an action that publishes test results writes about them: sums, and an annotation for each failed test.

use serde_json::Value;

use super::field::{self, at, items, line, number, text};
use crate::artifact::{Case, Report, Status, TestCounts, TestId, gist};

/// Sums of tests by their ends.
pub(super) fn sniff(document: &Value) -> bool {
    at(document, "stats.tests_succ").is_some() && at(document, "stats.tests_fail").is_some()
}

/// Reads the sums, and names what failed.
pub(super) fn read(document: &Value, report: &mut Report) {
    report.producer = Some("publish-unit-test-result-action".to_owned());
    let count = |key: &str| number(document, &format!("stats.{key}")).unwrap_or(0);
    let (passed, failed, errored) = (count("tests_succ"), count("tests_fail"), count("tests_error"));
    let skipped = count("tests_skip");
    let total = [passed, failed, errored, skipped].into_iter().fold(0, u64::saturating_add);
    report.tests = TestCounts { total, passed, failed, errored, skipped };
    report.cases.extend(items(document, "annotations").iter().filter_map(case));
}

/// `test_adds (tests.CartTest) failed`, `All 2 runs with error: test_adds`.
fn case(annotation: &Value) -> Option<Case> {
    let title = text(annotation, "title");
    let ends = [(" failed", Status::Failed), (" with error", Status::Errored)];
    let (name, status) = ends.into_iter().find_map(|(word, status)| {
        let several = title.split_once(&format!(" runs{word}: ")).map(|(_, name)| name);
        Some((several.or_else(|| title.strip_suffix(word))?, status))
    })?;
    let (name, class) = match name.strip_suffix(')').and_then(|name| name.rsplit_once(" (")) {
        Some((name, class)) => (name, class),
        None => (name, ""),
    };
    let id = TestId { suite: String::new(), class: class.to_owned(), name: name.to_owned() };
    let mut case = field::case(id, status, None);
    let details = text(annotation, "raw_details");
    let mut fault = field::fault(details.lines().next().unwrap_or_default(), "", details);
    gist::or_place(&mut fault, text(annotation, "path"), line(annotation, "start_line"));
    case.faults.push(fault);
    Some(case)
}

#[cfg(test)]
mod tests {
    use crate::artifact::{Status, TestCounts, read};

    #[test]
    fn failed_tests_are_named_by_their_annotations() {
        let report = read(
            "results.json",
            br#"{"title":"1 errors","stats":{"files":1,"tests":4,"tests_succ":1,"tests_skip":1,"tests_fail":1,"tests_error":1},
            "annotations":[
             {"path":"test/a.js","start_line":7,"annotation_level":"warning","title":"adds (a.Cart) failed","raw_details":"bad\nE: bad"},
             {"path":"test/b.js","start_line":0,"annotation_level":"failure","title":"loads with error","raw_details":"no"},
             {"path":".github","annotation_level":"notice","title":"4 tests found","raw_details":"adds"}]}"#,
        );
        assert_eq!(report.tests, TestCounts { total: 4, passed: 1, failed: 1, errored: 1, skipped: 1 });
        let seen: Vec<_> = report.cases.iter().map(|case| (case.id.name.as_str(), case.status)).collect();
        assert_eq!(seen, [("adds", Status::Failed), ("loads", Status::Errored)]);
        assert_eq!(report.cases[0].id.class, "a.Cart");
        assert_eq!(report.cases[0].faults[0].location.as_ref().unwrap().line, Some(7));
    }
}
