//! Lines of cargo and of rustc, between others.

use crate::artifact::{FaultKind, Severity, read};

const MESSAGE: &str = r#"{"reason":"compiler-message","package_id":"path+file:///x#demo@0.1.0","manifest_path":"/x/Cargo.toml","target":{"kind":["lib"],"crate_types":["lib"],"name":"demo","src_path":"/x/src/lib.rs","edition":"2021","doc":true,"doctest":true,"test":true},"message":DIAGNOSTIC}"#;
const DIAGNOSTIC: &str = r#"{"$message_type":"diagnostic","message":"unneeded `return` statement","code":{"code":"clippy::needless_return","explanation":null},"level":"warning","spans":[{"file_name":"src/lib.rs","byte_start":0,"byte_end":1,"line_start":3,"line_end":3,"column_start":5,"column_end":9,"is_primary":true,"text":[],"label":null,"suggested_replacement":null,"suggestion_applicability":null,"expansion":null}],"children":[],"rendered":"warning: unneeded `return` statement\n --> src/lib.rs:3:5\n"}"#;

#[test]
fn the_same_message_for_two_targets_counts_once_and_other_lines_are_read_too() {
    let line = MESSAGE.replace("DIAGNOSTIC", DIAGNOSTIC);
    let text = format!(
        "{line}\nrunning 1 test\ntest a ... ok\n{line}\n\ntest result: ok. 1 passed; 0 failed; 0 ignored\n{{\"reason\":\"build-finished\",\"success\":true}}\n"
    );
    let report = read("log", text.as_bytes());
    assert_eq!((report.kind, report.tests.passed, report.diagnostics.len()), ("cargo-test", 1, 1));
    let found = &report.diagnostics[0];
    assert_eq!((found.tool.as_str(), found.kind, found.severity), ("clippy", FaultKind::Lint, Severity::Warning));
    assert_eq!(found.location.as_ref().unwrap().column, Some(5));
    assert!(report.problems.is_empty());
}

#[test]
fn a_bare_line_of_rustc_is_read() {
    let report = read(
        "log",
        DIAGNOSTIC.replace("clippy::needless_return", "E0308").replace("\"warning\"", "\"error\"").as_bytes(),
    );
    assert_eq!((report.kind, report.diagnostics[0].kind), ("cargo-json", FaultKind::Compile));
}

#[test]
fn a_message_that_is_damaged_is_a_problem_and_foreign_objects_are_none() {
    let text = "{\"reason\":\"compiler-message\",\"message\":{}}\n{\"level\":\"info\",\"message\":\"hello\"}\n{}\n";
    let report = read("log", text.as_bytes());
    assert!(report.diagnostics.is_empty());
    assert_eq!(report.problems.iter().filter(|problem| problem.line == Some(1)).count(), 1);
    assert_eq!(report.problems.iter().filter(|problem| problem.line == Some(2)).count(), 0);
}

#[test]
fn a_message_over_several_lines_is_read_with_its_edits() {
    let mut message: serde_json::Value = serde_json::from_str(DIAGNOSTIC).unwrap();
    let mut span = message["spans"][0].clone();
    span["suggested_replacement"] = "".into();
    span["suggestion_applicability"] = "MachineApplicable".into();
    let child = serde_json::json!({"message": "remove `return`", "code": null, "level": "help", "spans": [span], "children": [], "rendered": null});
    message["children"] = serde_json::json!([child]);
    let report = read("log", serde_json::to_string_pretty(&message).unwrap().as_bytes());
    assert_eq!((report.kind, report.diagnostics.len()), ("cargo-json", 1));
    let fix = &report.diagnostics[0].fixes[0];
    assert_eq!((fix.path.as_str(), fix.start, fix.end, fix.replacement.as_str()), ("src/lib.rs", (3, 5), (3, 9), ""));
}
