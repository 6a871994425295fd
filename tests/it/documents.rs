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

/// The table of formats between its marks in a document that is otherwise written by hand.
#[test]
fn the_table_of_formats_is_current() {
    let rows = unbreak::artifact::catalogue().into_iter().fold(String::new(), |rows, entry| {
        rows + &format!("| `{}` | {} | {} | {} |\n", entry.kind, entry.syntax, entry.producers, entry.reads)
    });
    let table = format!("| kind | syntax | written by | what is read |\n|---|---|---|---|\n{rows}");
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/artifacts.md");
    let document = std::fs::read_to_string(file).unwrap();
    let (before, rest) = document.split_once("<!-- formats -->\n").unwrap();
    let (_, after) = rest.split_once("<!-- end of formats -->\n").unwrap();
    assert_current("artifacts.md", &format!("{before}<!-- formats -->\n{table}<!-- end of formats -->\n{after}"));
}
