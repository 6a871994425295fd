//! Several documents, noise and damage around them.

use crate::artifact::read;

const ONE: &str = r#"{"results":{"summary":{},"tests":[{"name":"a","status":"failed","message":"bad"}]}}"#;

#[test]
fn several_reports_in_one_text_add_up() {
    let report = read("r.json", format!("> ctrf\n{ONE}\n{ONE}\n").as_bytes());
    assert_eq!((report.kind, report.tests.total, report.cases.len()), ("ctrf", 2, 2));
}

#[test]
fn unknown_json_and_deep_json_are_no_report() {
    assert_eq!(read("r.json", br#"{"a":1}"#).kind, "unknown");
    assert_eq!(read("r.json", "[".repeat(100_000).as_bytes()).kind, "unknown");
}
