//! `cargo test -- --format json` and nextest's form of it.

use crate::artifact::text::cases::Cases;
use serde::Deserialize;

use super::{each, fault, part};
use crate::artifact::text::Part;
use crate::artifact::text::lines::Lines;
use crate::artifact::{Case, Status, TestCounts, TestId};

#[derive(Deserialize)]
struct Event {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default, rename = "event")]
    end: String,
    #[serde(default)]
    name: String,
    #[serde(default)]
    stdout: String,
    #[serde(default)]
    stderr: String,
    #[serde(default)]
    message: String,
    #[serde(default)]
    passed: u64,
    #[serde(default)]
    failed: u64,
    #[serde(default)]
    ignored: u64,
    #[serde(default)]
    measured: u64,
    /// A number, or a text with its unit in old versions.
    exec_time: Option<serde_json::Value>,
}

/// Reads every test that ended.
pub(in crate::artifact::text) fn read(lines: &Lines) -> Part {
    let mut cases = Cases::default();
    let (mut suites, mut stated) = (0_u32, TestCounts::default());
    let claims = each(lines, |index, event: Event| {
        if event.kind == "suite" {
            suites += 1;
            stated.passed = stated.passed.saturating_add(event.passed.saturating_add(event.measured));
            stated.failed = stated.failed.saturating_add(event.failed);
            stated.skipped = stated.skipped.saturating_add(event.ignored);
        }
        let status = match (event.kind.as_str(), event.end.as_str()) {
            ("test", "ok") | ("bench", _) => Status::Passed,
            ("test", "failed") => Status::Failed,
            ("test", "ignored") => Status::Skipped,
            // A test that takes long says so, and ends later.
            _ => return,
        };
        // nextest puts the binary before the name: `demo::demo$math::tests::adds`.
        let (class, name) = event.name.split_once('$').unwrap_or(("", &event.name));
        let id = TestId { suite: String::new(), class: class.to_owned(), name: name.to_owned() };
        let mut case = Case { id, status, seconds: event.exec_time.as_ref().and_then(seconds), ..Case::default() };
        if status == Status::Failed {
            let output = format!("{}\n{}", event.stdout, event.stderr);
            case.faults.push(fault(lines, index, &event.message, output.trim()));
        }
        cases.push(case);
    });
    let mut part = part(cases, claims);
    // What tests print tears lines of others apart: the suites count what was lost.
    part.state(stated);
    part.recognised |= suites > 0;
    part
}

fn seconds(value: &serde_json::Value) -> Option<f64> {
    value.as_f64().or_else(|| value.as_str()?.trim_end_matches('s').parse().ok())
}
