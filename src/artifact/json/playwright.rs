//! Playwright's JSON reporter: suites of specs, each with one test for each project and one result for each attempt.

use serde_json::Value;

use super::field::{self, at, items, line, prose, text};
use crate::artifact::{Case, Diagnostic, FaultKind, Location, Report, Status, TestId, gist};

/// Suites are nested at most so deep.
const DEPTH: usize = 60;

/// It tells its configuration, and suites beside it.
pub(super) fn sniff(document: &Value) -> bool {
    at(document, "config").is_some_and(Value::is_object)
        && at(document, "suites").is_some_and(Value::is_array)
        && (at(document, "config.projects").is_some() || at(document, "stats.unexpected").is_some())
}

/// Reads every test, and what went wrong outside of tests.
pub(super) fn read(document: &Value, report: &mut Report) {
    report.producer = Some("playwright".to_owned());
    let mut titles = Vec::new();
    for one in items(document, "suites") {
        suite(one, &mut titles, &mut report.cases);
    }
    report.diagnostics.extend(items(document, "errors").iter().map(outside));
}

fn suite<'a>(value: &'a Value, titles: &mut Vec<&'a str>, cases: &mut Vec<Case>) {
    if titles.len() > DEPTH {
        return;
    }
    titles.push(text(value, "title"));
    for spec in items(value, "specs") {
        cases.extend(items(spec, "tests").iter().filter_map(|test| case(spec, test, titles)));
    }
    for inner in items(value, "suites") {
        suite(inner, titles, cases);
    }
    titles.pop();
}

fn case(spec: &Value, test: &Value, titles: &[&str]) -> Option<Case> {
    let results = items(test, "results");
    let last = results.last().map(|result| text(result, "status")).unwrap_or_default();
    let word = text(test, "status");
    let status = field::status(if word.is_empty() { last } else { word })?;
    let id = TestId {
        suite: text(test, "projectName").to_owned(),
        class: titles.iter().copied().filter(|title| !title.is_empty()).collect::<Vec<_>>().join(" > "),
        name: text(spec, "title").to_owned(),
    };
    let time = results.iter().filter_map(|result| field::seconds(result, "duration", 1000.0)).reduce(|a, b| a + b);
    let mut case = field::case(id, status, time);
    case.flaky = word == "flaky";
    if status != Status::Failed {
        return Some(case);
    }
    // The attempts mostly fail alike: the last one that says something tells it.
    let told = results.iter().rev().find(|result| at(result, "error").is_some() || !items(result, "errors").is_empty());
    let error = told.and_then(|result| at(result, "error").or_else(|| items(result, "errors").first()));
    let message = error.map(|error| text(error, "message")).unwrap_or_default();
    let stated = if message.is_empty() && last == "timedOut" { "the test timed out" } else { message };
    let mut fault = field::fault(stated, "", &error.map(prose).unwrap_or_default());
    let place = told.and_then(|result| at(result, "errorLocation")).or_else(|| at(error?, "location"));
    if let Some(place) = place.filter(|place| !text(place, "file").is_empty()) {
        fault.location = Some(location(place));
    }
    gist::or_place(&mut fault, text(spec, "file"), line(spec, "line"));
    case.faults.push(fault);
    Some(case)
}

fn location(place: &Value) -> Location {
    Location { path: text(place, "file").to_owned(), line: line(place, "line"), column: line(place, "column") }
}

/// A file that could not be loaded, a set-up that failed: no test.
fn outside(error: &Value) -> Diagnostic {
    let fault = field::fault(text(error, "message"), "", &prose(error));
    Diagnostic {
        kind: FaultKind::Test,
        tool: "playwright".to_owned(),
        message: fault.message,
        location: at(error, "location").map(location).or(fault.location),
        frames: fault.frames,
        excerpt: fault.excerpt,
        details: fault.details,
        ..Diagnostic::default()
    }
}

#[cfg(test)]
mod tests {
    use crate::artifact::{Status, read};

    const REPORT: &str = r#"{"config":{"projects":[{"name":"chromium"}]},"suites":[{"title":"todo.spec.ts","file":"todo.spec.ts","specs":[],
      "suites":[{"title":"New","specs":[
       {"title":"adds","file":"todo.spec.ts","line":4,"tests":[
        {"projectName":"chromium","status":"unexpected","results":[{"status":"failed","duration":1500,
          "error":{"message":"Error: expect(received).toBe(expected)","stack":"Error: expect(received).toBe(expected)\n    at /w/todo.spec.ts:9:3"},
          "errorLocation":{"file":"/w/todo.spec.ts","line":9,"column":3}}]},
        {"projectName":"firefox","status":"flaky","results":[{"status":"failed"},{"status":"passed"}]},
        {"projectName":"webkit","status":"skipped","results":[]}]}]}]}],
      "errors":[{"message":"Error: no server","location":{"file":"setup.ts","line":2,"column":1}}]}"#;

    #[test]
    fn a_test_of_each_project_counts() {
        let report = read("r.json", REPORT.as_bytes());
        assert_eq!(report.kind, "playwright-json");
        let seen: Vec<_> = report.cases.iter().map(|case| (case.id.suite.as_str(), case.status, case.flaky)).collect();
        assert_eq!(
            seen,
            [
                ("chromium", Status::Failed, false),
                ("firefox", Status::Passed, true),
                ("webkit", Status::Skipped, false)
            ]
        );
        let fault = &report.cases[0].faults[0];
        assert_eq!(fault.message, "Error: expect(received).toBe(expected)");
        assert_eq!(fault.location.as_ref().unwrap().line, Some(9));
        assert_eq!(report.cases[0].id.class, "todo.spec.ts > New");
        assert_eq!(report.diagnostics[0].message, "Error: no server");
    }
}
