//! The whole loop on real projects, with a scripted model server that validates every request.

mod cheats;
mod faults;
mod refusals;

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::model::{ModelServer, Step, calls};
use crate::support::program::{Program, Ran, python_bin};
use crate::support::repository::Repository;

/// A small pytest project with one wrong function. It needs no set-up: pytest comes from the search path.
const POLICY: &str = "version: 1\nsetup: []\n";
const CART: &str = "def total(prices, discount):\n    \"\"\"The sum of prices less a discount in per cent.\"\"\"\n    return sum(prices) * discount / 100\n\n\ndef count(prices):\n    return len(prices)\n";
const TESTS: &str = "from cart import count, total\n\n\ndef test_total_takes_the_discount_off():\n    assert total([50, 50], 10) == 90\n\n\ndef test_count():\n    assert count([1, 2]) == 2\n";
const PYTEST: &str = "python -m pytest -q -p no:cacheprovider";

fn project() -> Repository {
    Repository::of(&[
        (".github/unbreak.yml", POLICY),
        ("pyproject.toml", "[tool.pytest.ini_options]\npythonpath = [\".\"]\n"),
        ("cart.py", CART),
        ("tests/test_cart.py", TESTS),
    ])
}

/// One run of `fix`, with its bundle.
struct Run {
    program: Program,
    ran: Ran,
    out: PathBuf,
}

impl Run {
    fn of(repository: &Repository, more: &[&str]) -> Self {
        Self::by(Program::new(), repository, more)
    }

    fn by(program: Program, repository: &Repository, more: &[&str]) -> Self {
        let out = program.path("out");
        let mut arguments = vec!["fix", "--repo", repository.path().to_str().unwrap(), "--out", out.to_str().unwrap()];
        arguments.extend(more);
        let ran = Ran::from(program.command(&arguments).env("PATH", python_bin()).output().unwrap());
        Self { program, ran, out }
    }

    fn proposal(&self) -> Value {
        let text = std::fs::read_to_string(self.out.join("proposal.json"))
            .unwrap_or_else(|error| panic!("{error}\n{}\n{}", self.ran.stdout, self.ran.stderr));
        serde_json::from_str(&text).unwrap()
    }

    fn journal(&self) -> String {
        std::fs::read_to_string(self.out.join("journal.jsonl")).unwrap()
    }

    fn expect(self, code: i32, result: &str) -> Self {
        let proposal = self.proposal();
        assert_eq!(
            (self.ran.code, proposal["result"].as_str()),
            (code, Some(result)),
            "{}\n{}\n{proposal:#}",
            self.ran.stdout,
            self.ran.stderr
        );
        assert_eq!(proposal["exit_code"], code);
        self
    }
}

/// An edit of one file and the end of the round.
fn edit(path: &str, old: &str, new: &str) -> Step {
    calls(&[
        ("edit", json!({"path": path, "old": old, "new": new})),
        ("submit", json!({"summary": "take the discount off", "cause": "the discount itself was returned"})),
    ])
}

fn right() -> Step {
    edit("cart.py", "* discount / 100", "* (100 - discount) / 100")
}

/// The report that CI would have left.
fn junit(program: &Program) -> PathBuf {
    let report = program.path("junit.xml");
    let text = "<testsuites><testsuite name=\"pytest\" tests=\"2\" failures=\"1\">\
        <testcase classname=\"tests.test_cart\" name=\"test_total_takes_the_discount_off\">\
        <failure message=\"assert 10.0 == 90\">tests/test_cart.py:5: AssertionError</failure></testcase>\
        <testcase classname=\"tests.test_cart\" name=\"test_count\"/></testsuite></testsuites>";
    std::fs::write(&report, text).unwrap();
    report
}

/// A model server with a script, running on a runtime of its own while the program runs.
fn with_model<T>(script: Vec<Step>, work: impl FnOnce(&str) -> T) -> (T, Vec<Value>) {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let server = runtime.block_on(ModelServer::start(None, script));
    let result = work(&server.spec());
    (result, server.finish())
}

fn applies(repository: &Repository, patch: &Path) {
    repository.git(&["apply", "--check", patch.to_str().unwrap()]);
}

#[test]
fn a_failing_pytest_project_becomes_a_verified_proposal_and_the_checkout_stays_as_it_was() {
    let repository = project();
    repository.write("notes.txt", "untracked\n");
    let state = repository.state();
    let program = Program::new();
    let report = junit(&program);
    let (run, requests) = with_model(vec![right()], |spec| {
        let report = report.to_str().unwrap();
        Run::by(program, &repository, &["--artifact", report, "--run", PYTEST, "--model", spec])
    });
    let run = run.expect(0, "fixed");
    assert_eq!(repository.state(), state);
    let proposal = run.proposal();
    assert_eq!(proposal["files"], json!(["cart.py"]));
    assert_eq!(proposal["lines"], json!({"added": 1, "removed": 1}));
    assert_eq!(proposal["reproduction"]["verdict"], "reproduced");
    assert_eq!(proposal["verification"]["after"]["counts"]["passed"], 2);
    assert_eq!(proposal["verification"]["repeats"], 3);
    assert_eq!(proposal["tier"], "light");
    assert_eq!(proposal["base_commit"], repository.git(&["rev-parse", "HEAD"]));
    assert!(proposal["walls"]["tier"].is_number());
    applies(&repository, &run.out.join("change.patch"));
    run.program.run(&["journal", "verify", run.out.join("journal.jsonl").to_str().unwrap()]).expect(0);
    run.program.run(&["journal", "verify", run.out.to_str().unwrap()]).expect(0);
    assert_eq!(requests.len(), 1, "one call suffices");
    let body = std::fs::read_to_string(run.out.join("body.md")).unwrap();
    assert!(body.contains("test\\_total\\_takes\\_the\\_discount\\_off"), "{body}");
    assert_every_claim_has_its_output(&run);
}

/// Each command of the evidence has a file with the output that its hash names.
fn assert_every_claim_has_its_output(run: &Run) {
    let kept: Vec<String> = std::fs::read_dir(run.out.join("evidence"))
        .unwrap()
        .map(|entry| unbreak::ids::Sha::of(&std::fs::read(entry.unwrap().path()).unwrap()).to_string())
        .collect();
    let proposal = run.proposal();
    let steps = proposal["verification"]["steps"].as_array().unwrap();
    let commands = steps.iter().flat_map(|step| step["commands"].as_array().unwrap());
    let commands: Vec<&Value> = commands.chain(proposal["reproduction"]["runs"].as_array().unwrap()).collect();
    assert!(commands.len() >= 4, "{commands:#?}");
    for command in commands {
        assert!(kept.iter().any(|hash| command["output_hash"] == *hash), "{command}");
    }
}

#[test]
fn the_proposal_is_what_its_published_schema_says() {
    let repository = project();
    let (run, _) = with_model(vec![right()], |spec| Run::of(&repository, &["--run", PYTEST, "--model", spec]));
    let schema = unbreak::proposal::schema();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let proposal = run.proposal();
    let errors: Vec<String> = validator.iter_errors(&proposal).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:#?}");
}

#[test]
fn without_a_model_it_says_what_tier_zero_could_not_do() {
    let repository = project();
    let run = Run::of(&repository, &["--run", PYTEST]).expect(3, "declined");
    let proposal = run.proposal();
    assert!(proposal["reason"].as_str().unwrap().contains("no fixer applies"), "{proposal:#}");
    assert!(proposal["hints"].to_string().contains("--model"), "{proposal:#}");
    assert_eq!(proposal["reproduction"]["failing"], json!(["tests.test_cart::test_total_takes_the_discount_off"]));
}

#[test]
fn a_tiny_fix_costs_one_call_and_a_small_prompt() {
    let repository = project();
    let (run, requests) = with_model(vec![right()], |spec| Run::of(&repository, &["--run", PYTEST, "--model", spec]));
    run.expect(0, "fixed");
    let tokens = bpe_openai::o200k_base();
    let messages: usize = requests[0]["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|message| tokens.count(message["content"].as_str().unwrap_or_default()))
        .sum();
    let tools = tokens.count(&requests[0]["tools"].to_string());
    assert!(messages + tools <= 2_000, "{messages} tokens of messages and {tools} of tools");
}

#[test]
fn a_second_round_learns_from_the_first() {
    let repository = project();
    let wrong = edit("cart.py", "* discount / 100", "- discount * 2");
    let right = edit("cart.py", "- discount * 2", "* (100 - discount) / 100");
    let (run, requests) =
        with_model(vec![wrong, right], |spec| Run::of(&repository, &["--run", PYTEST, "--model", spec]));
    run.expect(0, "fixed");
    let second = requests[1]["messages"].to_string();
    assert!(second.contains("- discount * 2"), "the second prompt shows the candidate: {second}");
}

#[test]
fn a_lint_failure_is_fixed_by_ruff_without_a_token() {
    let repository = Repository::of(&[
        (".github/unbreak.yml", POLICY),
        ("ruff.toml", "line-length = 100\n"),
        ("a.py", "import os\nimport sys\n\n\ndef f():\n    return sys.argv\n"),
    ]);
    let run = Run::of(&repository, &["--run", "ruff check ."]).expect(0, "fixed");
    let proposal = run.proposal();
    assert_eq!((proposal["tier"].as_str(), proposal["usage"]["calls"].as_u64()), (Some("zero"), Some(0)));
    let patch = std::fs::read_to_string(run.out.join("change.patch")).unwrap();
    assert!(patch.contains("-import os\n") && !patch.contains("-import sys\n"), "{patch}");
}

#[test]
fn a_fix_is_taken_into_the_checkout_only_when_asked_for() {
    let repository = project();
    let (run, _) =
        with_model(vec![right()], |spec| Run::of(&repository, &["--run", PYTEST, "--model", spec, "--apply"]));
    run.expect(0, "fixed");
    assert!(repository.read("cart.py").contains("(100 - discount)"));
    assert_eq!(repository.git(&["status", "--porcelain"]), " M cart.py");
}

#[test]
fn uncommitted_changes_are_part_of_what_is_repaired_unless_clean() {
    let repository = project();
    repository.write("cart.py", &CART.replace("* discount / 100", "* (100 - discount) / 100"));
    Run::of(&repository, &["--run", PYTEST]).expect(0, "no_change_needed");
    Run::of(&repository, &["--run", PYTEST, "--clean"]).expect(3, "declined");
}

#[test]
fn recorded_answers_replay_and_an_unknown_request_fails_loudly() {
    let repository = project();
    let program = Program::new();
    let recording = program.path("recording");
    let recording = recording.to_str().unwrap();
    let (first, _) = with_model(vec![right()], |spec| {
        Run::of(&repository, &["--run", PYTEST, "--model", spec, "--record", recording])
    });
    let first = first.expect(0, "fixed");
    let replay = format!("replay:{recording}");
    let second = Run::of(&repository, &["--run", PYTEST, "--model", &replay]).expect(0, "fixed");
    let patch = |run: &Run| std::fs::read_to_string(run.out.join("change.patch")).unwrap();
    assert_eq!(patch(&first), patch(&second));
    repository.write("cart.py", &CART.replace("less a discount", "minus a discount"));
    let third = Run::of(&repository, &["--run", PYTEST, "--model", &replay]).expect(7, "service_failed");
    assert!(third.proposal()["reason"].as_str().unwrap().contains("no recorded answer"));
}

#[test]
fn the_prompt_can_be_seen_before_any_cost() {
    let repository = project();
    let (run, requests) =
        with_model(vec![], |spec| Run::of(&repository, &["--run", PYTEST, "--model", spec, "--show-prompt"]));
    assert!(requests.is_empty());
    assert_eq!(run.ran.code, 0);
    assert!(run.ran.stdout.contains("def total(prices, discount)"), "{}", run.ran.stdout);
    let (run, _) = with_model(vec![], |spec| {
        Run::of(&repository, &["--run", PYTEST, "--model", spec, "--show-prompt", "--format", "json"])
    });
    assert_eq!(run.ran.code, 0);
    assert!(run.ran.json()["prompt"].as_str().unwrap().contains("def total(prices, discount)"));
}

#[test]
fn a_fix_for_a_file_that_differs_in_the_checkout_is_stale_and_nothing_is_written() {
    let repository = project();
    // HEAD alone is repaired, and the checkout holds something else.
    repository.write("cart.py", "edited = True\n");
    let (run, _) = with_model(vec![right()], |spec| {
        Run::of(&repository, &["--run", PYTEST, "--model", spec, "--apply", "--clean"])
    });
    run.expect(3, "stale");
    assert_eq!(repository.read("cart.py"), "edited = True\n");
}
