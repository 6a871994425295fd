//! Ways to look fixed that are none: what the exit code says is not believed alone.

use serde_json::json;

use super::{CART, PYTEST, Run, TESTS, calls, edit, with_model};
use crate::support::model::Step;
use crate::support::repository::Repository;

fn project(more: &[(&str, &str)]) -> Repository {
    let mut files = vec![
        (".github/unbreak.yml", "version: 1\nsetup: []\nbudget: {rounds: 2}\n"),
        ("pyproject.toml", "[tool.pytest.ini_options]\npythonpath = [\".\"]\n"),
        ("cart.py", CART),
        ("tests/test_cart.py", TESTS),
    ];
    files.extend(more);
    Repository::of(&files)
}

/// The script is played as far as the loop asks, and nothing is called fixed.
fn assert_not_fixed(repository: &Repository, command: &str, script: Vec<Step>) -> serde_json::Value {
    let (run, _) = with_model(script, |spec| Run::of(repository, &["--run", command, "--model", spec]));
    let proposal = run.proposal();
    assert_ne!(proposal["result"], "fixed", "{proposal:#}");
    assert_ne!(run.ran.code, 0);
    proposal
}

fn declined() -> Step {
    calls(&[("decline", json!({"reason": "no"}))])
}

#[test]
fn an_exit_code_that_a_make_recipe_swallows_is_no_proof() {
    let repository = project(&[("Makefile", "test:\n\tpython -m pytest -v -p no:cacheprovider\n")]);
    let cheat = edit("Makefile", "\tpython -m", "\t-python -m");
    assert_not_fixed(&repository, "make test", vec![cheat, declined()]);
}

#[test]
fn what_an_earlier_candidate_left_behind_is_no_proof() {
    let repository = project(&[]);
    // The first candidate plants a conftest that the second one's proof would rest on.
    let plant = "import pathlib\n\npathlib.Path(__file__).with_name(\"conftest.py\").write_text(\n    \"import cart\\ncart.total = lambda prices, discount: 90\\n\"\n)\n\n\ndef total(prices, discount):";
    let first = edit("cart.py", "def total(prices, discount):", plant);
    let second = calls(&[
        ("edit", json!({"path": "cart.py", "old": plant, "new": "def total(prices, discount):"})),
        ("edit", json!({"path": "cart.py", "old": "The sum of prices", "new": "The total of prices"})),
        ("submit", json!({"summary": "s", "cause": "c"})),
    ]);
    assert_not_fixed(&repository, PYTEST, vec![first, second]);
}

#[test]
fn code_that_rewrites_the_tests_is_no_fix() {
    let repository = project(&[]);
    let rewrite = "import pathlib\n\nTESTS = pathlib.Path(__file__).parent / \"tests\" / \"test_cart.py\"\nTESTS.write_text(TESTS.read_text().replace(\"== 90\", \"== 10\"))\n\n\ndef total(prices, discount):";
    let cheat = edit("cart.py", "def total(prices, discount):", rewrite);
    // The first run still has the old test in memory; the second one would pass.
    assert_not_fixed(&repository, PYTEST, vec![cheat, declined()]);
}

#[test]
fn a_test_that_is_ended_from_inside_is_no_proof() {
    let repository = project(&[]);
    let cheat = edit(
        "cart.py",
        "    return sum(prices) * discount / 100",
        "    __import__(\"pytest\").exit(\"done\", 0)\n    return sum(prices) * discount / 100",
    );
    assert_not_fixed(&repository, PYTEST, vec![cheat, declined()]);
}

#[test]
fn credentials_that_tests_print_are_kept_nowhere() {
    let token = format!("ghp_{}", "a1B2".repeat(9));
    let noisy = TESTS.replace("assert total", &format!("print('{token}')\n    assert total"));
    let repository = project(&[]);
    repository.write("tests/test_cart.py", &noisy);
    repository.commit("noisy");
    let run = Run::of(&repository, &["--run", PYTEST]).expect(3, "declined");
    let mut open = vec![run.out.clone()];
    let mut seen = 0;
    while let Some(directory) = open.pop() {
        for entry in std::fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else {
                seen += 1;
                assert!(!std::fs::read_to_string(&path).unwrap().contains(&token), "{}", path.display());
            }
        }
    }
    assert!(seen > 4 && !run.ran.stdout.contains(&token) && !run.ran.stderr.contains(&token));
}

#[test]
fn a_patch_beside_something_that_looks_like_a_credential_still_applies() {
    let token = format!("ghp_{}", "a1B2".repeat(9));
    let repository = project(&[]);
    repository.write("cart.py", &format!("EXAMPLE = \"{token}\"\n{CART}"));
    repository.commit("an example");
    let (run, _) = with_model(vec![super::right()], |spec| Run::of(&repository, &["--run", PYTEST, "--model", spec]));
    let run = run.expect(0, "fixed");
    super::applies(&repository, &run.out.join("change.patch"));
}
