//! Unreal Engine's automation report: a list of tests, each with what it logged.

use serde_json::Value;

use super::field::{self, at, items, line, text};
use crate::artifact::{Case, Report, Status, TestId, gist};

/// A report names its devices, and the whole path of each test.
pub(super) fn sniff(document: &Value) -> bool {
    let tests = items(document, "tests");
    at(document, "succeeded").is_some() && tests.first().is_some_and(|test| at(test, "fullTestPath").is_some())
}

/// Reads every test; what it logged as an error is why it failed.
pub(super) fn read(document: &Value, report: &mut Report) {
    report.producer = Some("unreal".to_owned());
    report.cases.extend(items(document, "tests").iter().filter_map(case));
}

fn case(test: &Value) -> Option<Case> {
    let status = field::status(text(test, "state"))?;
    let path = text(test, "fullTestPath");
    let (class, name) = path.rsplit_once('.').unwrap_or(("", path));
    let id = TestId { suite: String::new(), class: class.to_owned(), name: name.to_owned() };
    let mut case = field::case(id, status, field::seconds(test, "duration", 1.0));
    let errors = items(test, "entries").iter().filter(|entry| text(entry, "event.type") == "Error");
    if status == Status::Failed {
        case.faults.extend(errors.map(|entry| {
            let mut fault = field::fault(text(entry, "event.message"), "", "");
            gist::or_place(&mut fault, text(entry, "filename"), line(entry, "lineNumber"));
            fault
        }));
    }
    Some(case)
}

#[cfg(test)]
mod tests {
    use crate::artifact::{TestCounts, read};

    #[test]
    fn errors_that_a_test_logged_are_its_faults() {
        let report = read(
            "index.json",
            br#"{"devices":[],"succeeded":1,"failed":1,"tests":[
            {"testDisplayName":"Adds","fullTestPath":"Game.Cart.Adds","state":"Fail","entries":[
              {"event":{"type":"Info","message":"start"}},
              {"event":{"type":"Error","message":"Expected 2"},"filename":"C:/p/Cart.cpp","lineNumber":7}]},
            {"testDisplayName":"Keeps","fullTestPath":"Game.Cart.Keeps","state":"Success","entries":[]},
            {"testDisplayName":"Later","fullTestPath":"Game.Cart.Later","state":"NotRun","entries":[]}]}"#,
        );
        assert_eq!(report.tests, TestCounts { total: 3, passed: 1, failed: 1, errored: 0, skipped: 1 });
        let case = &report.cases[0];
        assert_eq!((case.id.class.as_str(), case.id.name.as_str()), ("Game.Cart", "Adds"));
        assert_eq!((case.faults.len(), case.faults[0].message.as_str()), (1, "Expected 2"));
        assert_eq!(case.faults[0].location.as_ref().unwrap().line, Some(7));
    }
}
