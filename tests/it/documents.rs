//! Documents that are generated: they say what the program says. `UPDATE_DOCS=1 cargo test documents` writes them anew.

use std::path::Path;

fn assert_current(name: &str, text: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs").join(name);
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&file, text).unwrap();
    }
    let kept = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(kept == text, "docs/{name} is out of date: UPDATE_DOCS=1 cargo test documents");
}

fn pretty(value: &serde_json::Value) -> String {
    serde_json::to_string_pretty(value).unwrap() + "\n"
}

#[test]
fn the_schema_of_the_proposal_is_current() {
    assert_current("proposal.schema.json", &pretty(&unbreak::proposal::schema()));
}

#[test]
fn the_schema_of_the_policy_is_current() {
    assert_current("policy.schema.json", &pretty(&unbreak::policy::schema()));
}
