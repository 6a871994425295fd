//! What a model may not do: each attempt is refused, the refusal is in the journal, and the outcome says so.

use serde_json::json;

use super::{CART, PYTEST, Run, TESTS, calls, edit, project, with_model};
use crate::support::model::Step;
use crate::support::repository::Repository;

const TEST: &str = "def test_total_takes_the_discount_off():\n    assert total([50, 50], 10) == 90\n";

/// A policy that lets only `cart.py` and the tests be written.
fn narrow() -> Repository {
    Repository::of(&[
        (".github/unbreak.yml", "version: 1\nsetup: []\nallowed_write_paths: [cart.py, tests/]\nbudget: {rounds: 1}\n"),
        ("pyproject.toml", "[tool.pytest.ini_options]\npythonpath = [\".\"]\n"),
        ("cart.py", CART),
        ("other.py", "x = 1\n"),
        (".github/workflows/ci.yml", "on: push\n"),
        ("tests/test_cart.py", TESTS),
    ])
}

fn run(repository: &Repository, script: Vec<Step>) -> Run {
    with_model(script, |spec| Run::of(repository, &["--run", PYTEST, "--model", spec])).0
}

/// Nothing was fixed, the gate's rule is in the findings, and the checkout is untouched.
fn assert_gate_blocks(step: Step, rule: &str) {
    let repository = narrow();
    let state = repository.state();
    let run = run(&repository, vec![step]);
    let proposal = run.proposal();
    assert_eq!(proposal["result"], "verification_failed", "{proposal:#}");
    assert!(proposal["findings"].to_string().contains(rule), "{:#}", proposal["findings"]);
    assert!(run.journal().contains(rule), "the journal does not name {rule}");
    assert_eq!(repository.state(), state);
}

#[test]
fn a_deleted_test_is_no_fix() {
    assert_gate_blocks(edit("tests/test_cart.py", TEST, ""), "deleted-test");
}

#[test]
fn a_skipped_test_is_no_fix() {
    let skipped = format!("import pytest\n\n\n@pytest.mark.skip\n{TEST}");
    assert_gate_blocks(edit("tests/test_cart.py", TEST, &skipped), "skipped-test");
}

/// The answer to `tool` is a refusal, which stands in the journal with the rules that made it.
fn assert_refused(repository: &Repository, first: Step, shown: &str) -> Run {
    let decline = calls(&[("decline", json!({"reason": "it is not allowed"}))]);
    let (run, requests) =
        with_model(vec![first, decline], |spec| Run::of(repository, &["--run", PYTEST, "--model", spec]));
    let answer = requests[1]["messages"].to_string();
    assert!(answer.contains("refused") && answer.contains(shown), "{answer}");
    assert!(run.journal().contains(shown), "the journal does not name {shown}");
    let proposal = run.proposal();
    assert_ne!(proposal["result"], "fixed");
    assert!(proposal["hints"].to_string().contains(shown), "{:#}", proposal["hints"]);
    run
}

#[test]
fn a_workflow_is_not_written() {
    let step = calls(&[("edit", json!({"path": ".github/workflows/ci.yml", "old": "on: push", "new": "on: []"}))]);
    assert_refused(&narrow(), step, ".github/workflows");
}

#[test]
fn a_file_outside_the_allowed_paths_is_not_written() {
    let step = calls(&[("edit", json!({"path": "other.py", "old": "x = 1", "new": "x = 2"}))]);
    assert_refused(&narrow(), step, "other.py");
}

#[test]
fn a_path_that_climbs_is_not_read() {
    let step = calls(&[("read_file", json!({"path": "../../etc/passwd"}))]);
    let run = assert_refused(&narrow(), step, "../../etc/passwd");
    assert!(!run.journal().contains("root:x:0"));
}

#[test]
fn an_unknown_check_is_not_run() {
    let step = calls(&[("run_check", json!({"name": "rm -rf /"}))]);
    assert_refused(&narrow(), step, "rm -rf /");
}

#[test]
fn a_command_that_the_policy_forbids_is_not_run() {
    let repository = project();
    let run = Run::of(&repository, &["--run", "git push origin main"]).expect(4, "policy_blocked");
    assert!(run.journal().contains("\"decision\":\"deny\""), "{}", run.journal());
    assert!(!run.journal().contains("\"action\":\"command\""), "not even to reproduce: {}", run.journal());
}

#[test]
fn a_detected_command_that_the_policy_does_not_allow_is_not_run() {
    let repository = narrow();
    repository.write(".github/unbreak.yml", "version: 1\nsetup: []\nallowed_commands: [build]\n");
    repository.commit("only build");
    let log = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(log.path(), "FAILED tests/test_cart.py::test_total - assert 1 == 2\n").unwrap();
    let run = Run::of(&repository, &["--artifact", log.path().to_str().unwrap()]).expect(4, "policy_blocked");
    assert!(!run.journal().contains("\"action\":\"command\""), "{}", run.journal());
}

#[test]
fn a_patch_over_the_limits_is_no_fix() {
    let repository = narrow();
    repository.write(
        ".github/unbreak.yml",
        "version: 1\nsetup: []\nallowed_write_paths: [cart.py]\nbudget: {rounds: 1}\nlimits: {files: 1, lines: 1}\n",
    );
    repository.commit("limits");
    let fix = edit("cart.py", "* discount / 100", "* (100 - discount) / 100");
    assert_refused(&repository, fix, "limits.lines: 1");
}

#[test]
fn a_protected_file_needs_a_person() {
    let repository = narrow();
    repository.write(
        ".github/unbreak.yml",
        "version: 1\nsetup: []\nbudget: {rounds: 1}\napprovals: {protected_paths: [cart.py]}\n",
    );
    repository.commit("protect");
    let run = run(&repository, vec![edit("cart.py", "* discount / 100", "* (100 - discount) / 100")]);
    run.expect(4, "needs_approval");
}

#[test]
fn stage_read_only_runs_nothing() {
    let repository = project();
    repository.write(".github/unbreak.yml", "stage: read-only\n");
    repository.commit("read only");
    let run = Run::of(&repository, &["--run", PYTEST]).expect(4, "policy_blocked");
    assert!(!run.journal().contains("\"action\":\"command\""), "{}", run.journal());
}

#[test]
fn an_expectation_changed_to_fit_the_code_is_a_question_for_a_person() {
    let repository = narrow();
    let run = run(&repository, vec![edit("tests/test_cart.py", "== 90", "== 10")]);
    run.expect(3, "test_outdated");
}

#[test]
fn a_suite_that_the_policy_demands_has_to_run() {
    let files = |policy| Repository::of(&[(".github/unbreak.yml", policy), ("a.py", "import os\n")]);
    let plain = "version: 1\nsetup: []\n";
    let run = Run::of(&files(plain), &["--run", "ruff check ."]).expect(0, "fixed");
    assert!(run.proposal()["findings"].to_string().contains("no-suite"));
    let strict = format!("{plain}verify: whole-suite\n");
    Run::of(&files(&strict), &["--run", "ruff check ."]).expect(3, "verification_failed");
}
