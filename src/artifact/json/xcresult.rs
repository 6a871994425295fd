//! What `xcresulttool get test-results tests` prints: a tree of plans, bundles, suites and test cases.

use serde_json::Value;

use super::field::{self, at, items, text};
use crate::artifact::{Case, Report, Status, TestId, place};

/// Nodes are nested at most so deep.
const DEPTH: usize = 60;

/// A tree of nodes that tell their type.
pub(super) fn sniff(document: &Value) -> bool {
    items(document, "testNodes").first().is_some_and(|node| at(node, "nodeType").is_some())
}

/// Reads every test case.
pub(super) fn read(document: &Value, report: &mut Report) {
    report.producer = Some("xcodebuild".to_owned());
    walk(items(document, "testNodes"), &mut Vec::new(), &mut report.cases);
}

fn walk<'a>(nodes: &'a [Value], suites: &mut Vec<(&'a str, &'a str)>, cases: &mut Vec<Case>) {
    if suites.len() > DEPTH {
        return;
    }
    for node in nodes {
        let kind = text(node, "nodeType");
        if kind == "Test Case" {
            cases.extend(case(node, suites));
        } else {
            suites.push((kind, text(node, "name")));
            walk(items(node, "children"), suites, cases);
            suites.pop();
        }
    }
}

fn case(node: &Value, suites: &[(&str, &str)]) -> Option<Case> {
    let status = field::status(text(node, "result"))?;
    let named = |wanted: fn(&str) -> bool| {
        let names = suites.iter().filter(|(kind, _)| wanted(kind)).map(|(_, name)| *name);
        names.collect::<Vec<_>>().join("/")
    };
    let id = TestId {
        suite: named(|kind| kind.contains("bundle")),
        class: named(|kind| kind == "Test Suite"),
        name: text(node, "name").to_owned(),
    };
    let mut case = field::case(id, status, field::seconds(node, "duration", 1.0));
    if status == Status::Failed {
        let mut told = Vec::new();
        messages(node, DEPTH, &mut told);
        case.faults.extend(told.into_iter().map(fault));
    }
    Some(case)
}

/// What a test and its repetitions and arguments say.
fn messages<'a>(node: &'a Value, depth: usize, told: &mut Vec<&'a str>) {
    for child in items(node, "children").iter().filter(|_| depth > 0) {
        if text(child, "nodeType") == "Failure Message" {
            told.push(text(child, "name"));
        } else {
            messages(child, depth - 1, told);
        }
    }
}

/// `CartTests.swift:12: XCTAssertEqual failed: …`
fn fault(said: &str) -> crate::artifact::Fault {
    let (location, message) = match place::leading(said) {
        Some((at, rest)) => (Some(at), rest.trim_start_matches([':', ' '])),
        None => (None, said),
    };
    let mut fault = field::fault(message, "", message);
    fault.location = location.or(fault.location);
    fault
}

#[cfg(test)]
mod tests {
    use crate::artifact::{TestCounts, read};

    #[test]
    fn cases_stand_below_plans_bundles_and_suites() {
        let report = read(
            "tests.json",
            br#"{"devices":[],"testNodes":[{"nodeType":"Test Plan","name":"P","result":"Failed","children":[
            {"nodeType":"Unit test bundle","name":"CartTests","children":[{"nodeType":"Test Suite","name":"Cart","children":[
             {"nodeType":"Test Case","name":"testAdds()","result":"Failed","duration":"0.5s","children":[
               {"nodeType":"Failure Message","name":"Cart.swift:12: XCTAssertEqual failed: (1) is not equal to (2)"}]},
             {"nodeType":"Test Case","name":"testKeeps()","result":"Passed"},
             {"nodeType":"Test Case","name":"testLater()","result":"Skipped"}]}]}]}]}"#,
        );
        assert_eq!(report.tests, TestCounts { total: 3, passed: 1, failed: 1, errored: 0, skipped: 1 });
        let case = &report.cases[0];
        assert_eq!((case.id.suite.as_str(), case.id.class.as_str(), case.seconds), ("CartTests", "Cart", Some(0.5)));
        assert_eq!(case.faults[0].message, "XCTAssertEqual failed: (1) is not equal to (2)");
        assert_eq!(case.faults[0].location.as_ref().unwrap().line, Some(12));
    }
}
