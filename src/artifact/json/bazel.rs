//! Bazel's build event protocol: documents one behind the other, of which those about test targets count.

use std::collections::BTreeMap;

use serde_json::Value;

use super::field::{self, at, text};
use crate::artifact::{Case, Report, Status, TestId};

/// An event names itself by an object with one key; the list of all events is such a document too.
pub(super) fn sniff(document: &Value) -> bool {
    match document.as_array() {
        Some(list) => list.len() > 1 && list.first().is_some_and(is_event),
        None => is_event(document),
    }
}

fn is_event(event: &Value) -> bool {
    let known = ["started", "buildMetadata", "progress", "testResult", "testSummary", "pattern", "configuration"];
    let words = known.iter().any(|key| at(event, "id").is_some_and(|id| id.get(key).is_some()));
    words && event.as_object().is_some_and(|keys| keys.len() > 1)
}

/// Reads the end of every test target; a summary knows better than the attempts.
pub(super) fn read(document: &Value, report: &mut Report) {
    report.producer = Some("bazel".to_owned());
    let events = document.as_array().map_or(std::slice::from_ref(document), Vec::as_slice);
    let mut targets: BTreeMap<&str, (Option<&str>, Vec<&Value>)> = BTreeMap::new();
    for event in events {
        if let Some(result) = at(event, "testResult") {
            let label = text(event, "id.testResult.label");
            targets.entry(label).or_default().1.push(result);
        } else if let Some(summary) = at(event, "testSummary") {
            targets.entry(text(event, "id.testSummary.label")).or_default().0 = Some(text(summary, "overallStatus"));
        }
    }
    report.cases.extend(targets.into_iter().filter_map(|(label, (overall, attempts))| case(label, overall, &attempts)));
}

fn case(label: &str, overall: Option<&str>, attempts: &[&Value]) -> Option<Case> {
    let passed = attempts.iter().any(|attempt| matches!(text(attempt, "status"), "PASSED" | "FLAKY"));
    let failed =
        attempts.iter().map(|attempt| text(attempt, "status")).find(|word| !matches!(*word, "PASSED" | "FLAKY"));
    let word = overall.filter(|word| !word.is_empty()).or(if passed { Some("PASSED") } else { failed })?;
    let status = match word {
        "PASSED" | "FLAKY" => Status::Passed,
        "NO_STATUS" => Status::Skipped,
        "FAILED" | "TIMEOUT" => Status::Failed,
        _ => Status::Errored,
    };
    let id = TestId { name: label.to_owned(), ..TestId::default() };
    let times = attempts.iter().filter_map(|attempt| field::seconds(attempt, "testAttemptDurationMillis", 1000.0));
    let mut case = field::case(id, status, times.reduce(|a, b| a + b));
    case.flaky = status == Status::Passed && (word == "FLAKY" || failed.is_some());
    if matches!(status, Status::Failed | Status::Errored) {
        let told = attempts.iter().map(|attempt| text(attempt, "statusDetails")).find(|told| !told.is_empty());
        let message = told.map_or_else(|| format!("the target ended as {word}"), str::to_owned);
        case.faults.push(field::fault(&message, "", ""));
    }
    Some(case)
}

#[cfg(test)]
mod tests {
    use crate::artifact::{Status, read};

    #[test]
    fn a_target_that_passed_again_is_flaky() {
        let events = concat!(
            "{\"id\":{\"started\":{}},\"started\":{}}\n{damaged\n",
            "{\"id\":{\"testResult\":{\"label\":\"//a:t\"}},\"testResult\":{\"status\":\"FAILED\"}}\n",
            "{\"id\":{\"testResult\":{\"label\":\"//a:t\"}},\n \"testResult\":{\"status\":\"PASSED\"}}\n",
            "{\"id\":{\"testSummary\":{\"label\":\"//b:u\"}},\"testSummary\":{\"overallStatus\":\"TIMEOUT\"}}\n",
        );
        let report = read("bep.json", events.as_bytes());
        let seen: Vec<_> = report.cases.iter().map(|case| (case.id.name.as_str(), case.status, case.flaky)).collect();
        assert_eq!(seen, [("//a:t", Status::Passed, true), ("//b:u", Status::Failed, false)]);
        assert_eq!(report.problems.len(), 1);
    }
}
