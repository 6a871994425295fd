//! Tools that test what is no program: services, policies, machines, data; and runners of rarer languages.

use super::rows::PLAIN;
use super::{Shape, stated};
use crate::artifact::Status;
use crate::artifact::json::field::{self, at, number, text};

/// The tools.
pub(super) const SHAPES: &[Shape] = &[
    Shape {
        kind: "newman-json",
        producer: "newman",
        signs: &["run.executions", "collection"],
        lists: &["run.executions", "assertions"],
        test: &["assertion"],
        titles: &["item.name"],
        name: &["assertion"],
        status: |test| {
            let skipped = at(test, "skipped").and_then(serde_json::Value::as_bool) == Some(true);
            Some(match (skipped, at(test, "error")) {
                (true, _) => Status::Skipped,
                (false, Some(_)) => Status::Failed,
                (false, None) => Status::Passed,
            })
        },
        ..PLAIN
    },
    Shape {
        kind: "k6-summary",
        producer: "k6",
        signs: &["root_group.checks", "metrics"],
        lists: &["root_group", "checks", "groups"],
        test: &["name", "passes", "fails"],
        status: |test| Some(if number(test, "fails")? > 0 { Status::Failed } else { Status::Passed }),
        ..PLAIN
    },
    Shape {
        kind: "catch2-json",
        producer: "catch2",
        signs: &["test-run.test-cases"],
        lists: &["test-run.test-cases"],
        test: &["test-info"],
        name: &["test-info.name"],
        status: |test| {
            let of = |word: &str| number(test, &format!("totals.assertions.{word}")).unwrap_or(0);
            let skipped = of("skipped") > 0 || number(test, "totals.test-cases.skipped").unwrap_or(0) > 0;
            Some(match (of("failed") > 0, skipped) {
                (true, _) => Status::Failed,
                (false, true) => Status::Skipped,
                (false, false) => Status::Passed,
            })
        },
        file: &["test-info.source-location.filename"],
        line: &["test-info.source-location.line"],
        ..PLAIN
    },
    Shape { signs: &["[].returncode", "[].result", "[].starttime"], ..MESON },
    Shape { signs: &["returncode", "result", "starttime"], ..MESON },
    Shape { signs: &["[].event", "[].tests", "[].suite"], ..PHPUNIT },
    Shape { signs: &["event", "tests", "suite"], ..PHPUNIT },
    Shape { signs: &["[].event", "[].labels", "[].status"], ..ELM },
    Shape { signs: &["event", "testCount"], ..ELM },
    Shape {
        kind: "opa-test",
        producer: "opa",
        signs: &["[].package", "[].name", "[].duration", "[].location.row"],
        test: &["package", "name", "location"],
        suite: &["package"],
        status: |test| {
            let is = |key: &str| at(test, key).and_then(serde_json::Value::as_bool) == Some(true);
            Some(match (is("fail"), at(test, "error"), is("skip")) {
                (_, Some(_), _) => Status::Errored,
                (true, ..) => Status::Failed,
                (_, _, true) => Status::Skipped,
                _ => Status::Passed,
            })
        },
        file: &["location.file"],
        line: &["location.row"],
        time: ("duration", 1e9),
        ..PLAIN
    },
    Shape {
        kind: "dbt-results",
        producer: "dbt",
        signs: &["metadata.dbt_schema_version", "results[].unique_id"],
        lists: &["results"],
        test: &["unique_id", "status"],
        name: &["unique_id"],
        trace: &["message"],
        time: ("execution_time", 1.0),
        ..PLAIN
    },
    Shape {
        kind: "inspec-json",
        producer: "inspec",
        signs: &["profiles[].controls", "statistics"],
        lists: &["profiles", "controls", "results"],
        test: &["status", "code_desc"],
        titles: &["id"],
        name: &["code_desc"],
        trace: &["message", "exception"],
        time: ("run_time", 1.0),
        ..PLAIN
    },
    Shape {
        kind: "goss-json",
        producer: "goss",
        signs: &["results[].resource-id", "summary.failed-count"],
        lists: &["results"],
        test: &["resource-id", "successful"],
        name: &["summary-line", "resource-id"],
        suite: &["resource-type"],
        status: |test| {
            let passed = at(test, "successful").and_then(serde_json::Value::as_bool) == Some(true);
            let skipped = at(test, "skipped").and_then(serde_json::Value::as_bool) == Some(true);
            Some(match (skipped, passed) {
                (true, _) => Status::Skipped,
                (false, true) => Status::Passed,
                (false, false) => Status::Failed,
            })
        },
        message: &["summary-line"],
        time: ("duration", 1e9),
        counts: |report| stated(report, ["summary.test-count", "summary.failed-count", "summary.skipped-count"]),
        ..PLAIN
    },
];

/// Meson's log has a document a line.
const MESON: Shape = Shape {
    kind: "meson-json",
    producer: "meson",
    test: &["name", "result"],
    status: |test| field::status(text(test, "result")),
    message: &["stderr", "stdout"],
    trace: &["stderr", "stdout"],
    time: ("duration", 1.0),
    ..PLAIN
};

/// `PHPUnit` wrote a document for each event.
const PHPUNIT: Shape = Shape {
    kind: "phpunit-json",
    producer: "phpunit",
    test: &["test", "status", "suite"],
    name: &["test"],
    suite: &["suite"],
    trace: &["message"],
    file: &["trace[].file"],
    time: ("time", 1.0),
    ..PLAIN
};

/// So does elm-test.
const ELM: Shape = Shape {
    kind: "elm-test-json",
    producer: "elm-test",
    test: &["labels", "status"],
    name: &["labels"],
    message: &["failures[].message", "failures[].reason.data"],
    trace: &["failures"],
    ..PLAIN
};
