//! Cucumber's JSON as its many implementations write it: features of scenarios of steps, hooks around them, and
//! backgrounds that stand apart from the scenario for which they run.

use serde_json::Value;

use super::field::{self, at, items, line, prose, text};
use crate::artifact::{Case, Report, Status, TestId, gist, place};

/// A list of features.
pub(super) fn sniff(document: &Value) -> bool {
    let feature = |feature: &Value| {
        at(feature, "elements").is_some_and(Value::is_array)
            && (at(feature, "uri").is_some() || at(feature, "keyword").is_some() || at(feature, "location").is_some())
    };
    document.as_array().is_some_and(|list| list.iter().take(8).any(feature))
}

/// Reads every scenario; a background belongs to the scenario behind it.
pub(super) fn read(document: &Value, report: &mut Report) {
    report.producer = Some("cucumber".to_owned());
    for feature in document.as_array().into_iter().flatten() {
        let mut background = None;
        for element in items(feature, "elements") {
            let kind = text(element, "type");
            let keyword = text(element, "keyword");
            if kind == "background" || (kind.is_empty() && keyword == "Background") {
                background = Some(element);
            } else {
                report.cases.push(case(feature, background.take(), element));
            }
        }
    }
}

fn case(feature: &Value, background: Option<&Value>, scenario: &Value) -> Case {
    let ran: Vec<&Value> = background.into_iter().chain([scenario]).flat_map(steps).collect();
    let words = ran.iter().map(|step| text(step, "result.status"));
    let mut status = words.map(end).fold(Status::Passed, worse);
    if ran.iter().all(|step| at(step, "result").is_none()) {
        status = field::status(text(scenario, "status")).unwrap_or(Status::Skipped);
    }
    let uri = text(feature, "uri");
    let uri =
        if uri.is_empty() { text(feature, "location").rsplit_once(':').map_or("", |(path, _)| path) } else { uri };
    let id = TestId {
        suite: uri.to_owned(),
        class: text(feature, "name").to_owned(),
        name: text(scenario, "name").to_owned(),
    };
    let time = ran.iter().filter_map(|step| field::seconds(step, "result.duration", 1e9)).reduce(|a, b| a + b);
    let mut case = field::case(id, status, time);
    if status == Status::Failed {
        for step in ran.iter().filter(|step| end(text(step, "result.status")) == Status::Failed) {
            let said = at(step, "result.error_message").map(prose).unwrap_or_default();
            let what = format!("{}{}", text(step, "keyword"), text(step, "name"));
            let stated = said.trim().lines().next().unwrap_or_default();
            let stated =
                if stated.is_empty() { format!("the step `{}` failed", what.trim()) } else { stated.to_owned() };
            let mut fault = field::fault(&stated, "", &said);
            if let Some(at) = place::whole(text(step, "match.location")).filter(|_| fault.location.is_none()) {
                fault.location = Some(at);
            }
            gist::or_place(&mut fault, uri, line(step, "line").or_else(|| line(scenario, "line")));
            case.faults.push(fault);
        }
    }
    case
}

/// The steps of an element with the hooks around it and around each step.
fn steps(element: &Value) -> impl Iterator<Item = &Value> {
    let around = |value: &'static str| items(element, value).iter();
    let inner = items(element, "steps")
        .iter()
        .flat_map(|step| items(step, "before").iter().chain([step]).chain(items(step, "after").iter()));
    around("before").chain(inner).chain(around("after"))
}

/// Steps without an implementation are work to do: they fail no run that is not strict.
fn end(word: &str) -> Status {
    match field::status(word) {
        Some(Status::Errored) => Status::Failed,
        Some(status) => status,
        None => Status::Passed,
    }
}

fn worse(a: Status, b: Status) -> Status {
    if a == Status::Failed || b == Status::Failed {
        Status::Failed
    } else if a == Status::Skipped || b == Status::Skipped {
        Status::Skipped
    } else {
        Status::Passed
    }
}

#[cfg(test)]
mod tests {
    use crate::artifact::{Status, read};

    const FEATURES: &str = r#"[{"uri":"f/a.feature","keyword":"Feature","name":"A","elements":[
      {"type":"background","keyword":"Background","name":"","steps":[{"keyword":"Given ","name":"x","line":3,"result":{"status":"failed","error_message":"boom (RuntimeError)\n./s.rb:7:in `/^x$/'","duration":1000000}}]},
      {"type":"scenario","keyword":"Scenario","name":"one","line":5,"steps":[{"keyword":"When ","name":"y","result":{"status":"skipped"}}]},
      {"type":"scenario","keyword":"Scenario","name":"two","steps":[{"keyword":"When ","name":"y","result":{"status":"passed"}}],"after":[{"match":{"location":"s.rb:9"},"result":{"status":"failed","error_message":"late"}}]},
      {"type":"scenario","keyword":"Scenario","name":"three","steps":[{"keyword":"When ","name":"z","result":{"status":"undefined"}}]},
      {"type":"scenario","keyword":"Scenario","name":"four","steps":[{"keyword":"When ","name":"z","result":{"status":"passed"}}]}]}]"#;

    #[test]
    fn backgrounds_and_hooks_decide_too() {
        let report = read("c.json", FEATURES.as_bytes());
        let seen: Vec<_> = report.cases.iter().map(|case| (case.id.name.as_str(), case.status)).collect();
        assert_eq!(
            seen,
            [("one", Status::Failed), ("two", Status::Failed), ("three", Status::Skipped), ("four", Status::Passed)]
        );
        assert_eq!(report.cases[0].faults[0].message, "boom (RuntimeError)");
        assert_eq!(report.cases[1].faults[0].location.as_ref().unwrap().line, Some(9));
    }
}
