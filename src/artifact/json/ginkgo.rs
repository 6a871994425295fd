//! Ginkgo's JSON report: a list of suites with one report for each spec and each set-up node.

use serde_json::Value;

use super::field::{self, at, items, line, number, text};
use crate::artifact::{Case, Diagnostic, FaultKind, Report, Status, TestId, gist};

/// A list of suites that name themselves as Ginkgo does.
pub(super) fn sniff(document: &Value) -> bool {
    document.as_array().is_some_and(|list| list.first().is_some_and(|suite| at(suite, "SuitePath").is_some()))
}

/// Reads specs, and set-up nodes that failed.
pub(super) fn read(document: &Value, report: &mut Report) {
    report.producer = Some("ginkgo".to_owned());
    for suite in document.as_array().into_iter().flatten() {
        report.cases.extend(items(suite, "SpecReports").iter().filter_map(|spec| case(suite, spec)));
        report
            .diagnostics
            .extend(items(suite, "SpecialSuiteFailureReasons").iter().map(|reason| outside(suite, reason)));
    }
}

/// A suite that fails whatever its specs say: pending ones where none may be, a limit of time.
fn outside(suite: &Value, reason: &Value) -> Diagnostic {
    let message = format!("{}: {}", text(suite, "SuiteDescription"), reason.as_str().unwrap_or_default());
    Diagnostic { kind: FaultKind::Test, tool: "ginkgo".to_owned(), message, ..Diagnostic::default() }
}

fn case(suite: &Value, spec: &Value) -> Option<Case> {
    let status = match text(spec, "State") {
        "passed" => Status::Passed,
        "skipped" | "pending" => Status::Skipped,
        "panicked" | "interrupted" | "aborted" | "failed" | "timedout" => Status::Failed,
        _ => return None,
    };
    let node = text(spec, "LeafNodeType");
    let is_spec = matches!(node, "It" | "");
    if !is_spec && status != Status::Failed {
        return None;
    }
    let status = if is_spec { status } else { Status::Errored };
    let titles = items(spec, "ContainerHierarchyTexts").iter().filter_map(Value::as_str).collect::<Vec<_>>();
    let leaf = text(spec, "LeafNodeText");
    let id = TestId {
        suite: text(suite, "SuiteDescription").to_owned(),
        class: titles.join(" "),
        name: if leaf.is_empty() { format!("[{node}]") } else { leaf.to_owned() },
    };
    let mut case = field::case(id, status, field::seconds(spec, "RunTime", 1e9));
    case.flaky = status == Status::Passed && number(spec, "NumAttempts").is_some_and(|attempts| attempts > 1);
    if matches!(status, Status::Failed | Status::Errored) {
        let message = text(spec, "Failure.Message");
        let thrown = text(spec, "Failure.ForwardedPanic");
        let stated = if thrown.is_empty() { message.to_owned() } else { format!("{message}: {thrown}") };
        let mut fault = field::fault(&stated, "", text(spec, "Failure.Location.FullStackTrace"));
        let place = text(spec, "Failure.Location.FileName");
        if !place.is_empty() {
            fault.location = None;
            gist::or_place(&mut fault, place, line(spec, "Failure.Location.LineNumber"));
        }
        case.faults.push(fault);
    }
    Some(case)
}

#[cfg(test)]
mod tests {
    use crate::artifact::{TestCounts, read};

    #[test]
    fn specs_and_failed_nodes_are_read() {
        let report = read(
            "r.json",
            br#"[{"SuitePath":"/w/p","SuiteDescription":"P","SpecReports":[
          {"LeafNodeType":"BeforeSuite","State":"passed"},
          {"ContainerHierarchyTexts":["A","b"],"LeafNodeType":"It","LeafNodeText":"works","State":"failed","RunTime":2000000000,
           "Failure":{"Message":"Expected\n    <int>: 1\nto equal\n    <int>: 2","Location":{"FileName":"/w/p/a_test.go","LineNumber":5,"FullStackTrace":"p.f()\n\t/w/p/a_test.go:5 +0xd4"}}},
          {"LeafNodeType":"It","LeafNodeText":"flakes","State":"passed","NumAttempts":2},
          {"LeafNodeType":"AfterSuite","State":"panicked","Failure":{"Message":"Test Panicked","ForwardedPanic":"boom"}}]}]"#,
        );
        assert_eq!(report.tests, TestCounts { total: 3, passed: 1, failed: 1, errored: 1, skipped: 0 });
        assert_eq!(report.cases[0].faults[0].location.as_ref().unwrap().line, Some(5));
        assert!(report.cases[1].flaky);
        assert_eq!(report.cases[2].faults[0].message, "Test Panicked: boom");
    }
}
