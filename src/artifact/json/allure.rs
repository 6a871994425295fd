//! Allure's results: one file for each test, and containers of what ran around tests.

use serde_json::Value;

use super::field::{self, at, items, text};
use crate::artifact::{Case, Report, Status, TestId};

/// A result names itself and when it ran; a container its children.
pub(super) fn sniff(document: &Value) -> bool {
    let result = at(document, "uuid").is_some() && at(document, "status").is_some() && at(document, "name").is_some();
    let listed = |list: &Vec<Value>| list.first().is_some_and(sniff_one);
    result && sniff_one(document) || is_container(document) || document.as_array().is_some_and(listed)
}

fn sniff_one(document: &Value) -> bool {
    let times =
        at(document, "start").is_some() || at(document, "stop").is_some() || at(document, "historyId").is_some();
    at(document, "uuid").is_some() && at(document, "status").is_some() && times
}

fn is_container(document: &Value) -> bool {
    at(document, "uuid").is_some() && at(document, "children").is_some_and(Value::is_array)
}

/// Reads one result, or all of a list.
pub(super) fn read(document: &Value, report: &mut Report) {
    report.producer = Some("allure".to_owned());
    match document.as_array() {
        Some(list) => report.cases.extend(list.iter().filter_map(case)),
        None => report.cases.extend(case(document)),
    }
}

fn case(result: &Value) -> Option<Case> {
    let status = field::status(text(result, "status")).filter(|_| !is_container(result))?;
    let label = |name: &str| {
        let found = items(result, "labels").iter().find(|label| text(label, "name") == name);
        found.map(|label| text(label, "value").to_owned()).unwrap_or_default()
    };
    let mut class = label("testClass");
    if class.is_empty() {
        class = label("class");
    }
    let id = TestId { suite: label("suite"), class, name: text(result, "name").to_owned() };
    let time = field::seconds(result, "stop", 1000.0).zip(field::seconds(result, "start", 1000.0));
    let mut case = field::case(id, status, time.map(|(stop, start)| (stop - start).max(0.0)));
    let flag = |path: &str| at(result, path).and_then(Value::as_bool) == Some(true);
    case.flaky = status == Status::Passed && (flag("statusDetails.flaky") || flag("flaky"));
    if matches!(status, Status::Failed | Status::Errored) {
        case.faults.push(field::fault(text(result, "statusDetails.message"), "", text(result, "statusDetails.trace")));
    }
    Some(case)
}

#[cfg(test)]
mod tests {
    use crate::artifact::{Status, read};

    #[test]
    fn a_broken_result_is_an_error() {
        let report = read(
            "r.json",
            br#"{"uuid":"1","name":"saves","status":"broken","start":1000,"stop":3500,
          "statusDetails":{"message":"java.lang.IllegalStateException: closed","trace":"java.lang.IllegalStateException: closed\n\tat a.B.c(B.java:7)"},
          "labels":[{"name":"suite","value":"S"},{"name":"testClass","value":"a.BTest"}]}"#,
        );
        let case = &report.cases[0];
        assert_eq!((case.status, case.seconds, case.id.class.as_str()), (Status::Errored, Some(2.5), "a.BTest"));
        assert_eq!(case.faults[0].message, "java.lang.IllegalStateException: closed");
    }

    #[test]
    fn a_container_has_no_tests() {
        let report = read("c.json", br#"{"uuid":"1","children":["2"],"befores":[]}"#);
        assert_eq!((report.kind, report.tests.total), ("allure", 0));
    }
}
