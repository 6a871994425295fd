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

/// What is shown to be copied is what is linted and tested.
#[test]
fn the_workflows_of_the_readme_are_the_files_and_fit_a_screen() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let readme = std::fs::read_to_string(root.join("README.md")).unwrap();
    for name in ["container.yml", "in-job.yml"] {
        let file = std::fs::read_to_string(root.join("docs/workflows").join(name)).unwrap();
        assert!(readme.contains(&format!("```yaml\n{file}```\n")), "README.md does not show docs/workflows/{name}");
        assert!(file.lines().count() <= 25, "docs/workflows/{name} is longer than 25 lines");
    }
}

#[test]
fn the_schema_of_the_proposal_is_current() {
    assert_current("proposal.schema.json", &pretty(&unbreak::proposal::schema()));
}

#[test]
fn the_schema_of_the_policy_is_current() {
    assert_current("policy.schema.json", &pretty(&unbreak::policy::schema()));
}
