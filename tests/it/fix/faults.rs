//! Faults: a flaky test, a missing module, a model that is down, a budget that is used up, an interrupt.

use std::time::{Duration, Instant};

use super::{PYTEST, Program, Ran, Run, TESTS, project, python_bin, with_model};
use crate::support::model::status;
use crate::support::repository::Repository;

#[test]
fn a_test_that_fails_and_passes_is_flaky_and_nothing_is_edited() {
    let repository = project();
    let flaky = "import pathlib\n\n\ndef test_flaky():\n    mark = pathlib.Path('mark')\n    if not mark.exists():\n        mark.write_text('')\n        raise AssertionError('first time')\n";
    repository.write("tests/test_cart.py", flaky);
    repository.commit("flaky");
    let run = Run::of(&repository, &["--run", PYTEST]).expect(3, "flaky");
    assert_eq!(std::fs::read_to_string(run.out.join("change.patch")).unwrap(), "");
}

#[test]
fn a_missing_module_is_the_environment_and_says_what_helps() {
    let repository = project();
    repository.write("tests/test_cart.py", &format!("import surely_not_installed\n{TESTS}"));
    repository.commit("missing");
    let run = Run::of(&repository, &["--run", PYTEST]).expect(3, "environment");
    let proposal = run.proposal();
    assert!(proposal["reason"].as_str().unwrap().contains("surely_not_installed"), "{proposal:#}");
    assert!(proposal["hints"].to_string().contains("setup"), "{proposal:#}");
}

#[test]
fn a_missing_program_is_the_environment() {
    let run = Run::of(&project(), &["--run", "surely-not-installed --version"]).expect(3, "environment");
    assert!(run.proposal()["reason"].as_str().unwrap().contains("surely-not-installed"));
}

#[test]
fn a_model_that_refuses_is_told_and_the_bundle_is_whole() {
    let (run, _) =
        with_model(vec![status(401, "bad key")], |spec| Run::of(&project(), &["--run", PYTEST, "--model", spec]));
    let run = run.expect(7, "service_failed");
    for file in ["proposal.json", "change.patch", "body.md", "journal.jsonl"] {
        assert!(run.out.join(file).exists(), "{file}");
    }
}

#[test]
fn a_model_that_is_down_is_told() {
    // The port of a listener that is gone.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let spec = format!("openai:tiny@http://127.0.0.1:{port}/v1");
    Run::of(&project(), &["--run", PYTEST, "--model", &spec]).expect(7, "service_failed");
}

#[test]
fn a_call_that_could_go_over_the_budget_is_not_made() {
    let repository = project();
    repository.write(".github/unbreak.yml", "version: 1\nsetup: []\nbudget: {tokens: 100}\n");
    repository.commit("a small budget");
    let (run, requests) = with_model(vec![], |spec| Run::of(&repository, &["--run", PYTEST, "--model", spec]));
    run.expect(5, "budget_exhausted");
    assert!(requests.is_empty());
}

#[test]
fn artifacts_of_a_failure_that_does_not_show_are_not_reproduced() {
    let repository = project();
    let program = Program::new();
    let report = program.path("r.xml");
    let text = "<testsuite><testcase classname=\"tests.test_cart\" name=\"test_count\"><failure message=\"x\"/></testcase></testsuite>";
    std::fs::write(&report, text).unwrap();
    Run::of(&repository, &["--artifact", report.to_str().unwrap(), "--run", PYTEST]).expect(3, "not_reproduced");
}

#[test]
fn an_interrupt_leaves_the_checkout_untouched_no_scratch_and_a_readable_journal() {
    let repository = project();
    repository.write("tests/test_cart.py", "import time\n\n\ndef test_slow():\n    time.sleep(60)\n");
    repository.commit("slow");
    let state = repository.state();
    let program = Program::new();
    let out = program.path("out");
    let repo = repository.path().to_str().unwrap();
    let mut child = program
        .command(&["fix", "--repo", repo, "--out", out.to_str().unwrap(), "--run", PYTEST])
        .env("PATH", python_bin())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let journal = out.join("journal.jsonl");
    let begin = Instant::now();
    while !std::fs::read_to_string(&journal).unwrap_or_default().contains("checkout-index")
        && begin.elapsed() < Duration::from_secs(5)
    {
        std::thread::sleep(Duration::from_millis(50));
    }
    std::thread::sleep(Duration::from_secs(2));
    nix::sys::signal::kill(
        nix::unistd::Pid::from_raw(i32::try_from(child.id()).unwrap()),
        nix::sys::signal::Signal::SIGINT,
    )
    .unwrap();
    let code = child.wait().unwrap().code();
    assert_eq!(code, Some(130));
    assert_eq!(repository.state(), state);
    let ran: Ran = program.run(&["journal", "verify", journal.to_str().unwrap()]);
    ran.expect(0);
    let scratch = program.scratch();
    let left: Vec<_> = std::fs::read_dir(&scratch).into_iter().flatten().filter_map(Result::ok).collect();
    let runs = left.iter().filter(|entry| entry.path().join("tree").exists()).count();
    assert_eq!(runs, 0, "{left:?}");
}

#[test]
fn a_killed_run_is_cleared_away_by_the_next() {
    let repository = Repository::of(&[("a.txt", "a\n")]);
    let program = Program::new();
    let repo = repository.path().to_str().unwrap();
    let mut child = program.command(&["fix", "--repo", repo, "--run", "sleep 60"]).spawn().unwrap();
    let begin = Instant::now();
    let runs = || {
        let entries = std::fs::read_dir(program.scratch()).into_iter().flatten().filter_map(Result::ok);
        entries.filter(|entry| entry.path().join("tree").exists()).count()
    };
    while runs() == 0 && begin.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(runs(), 1);
    child.kill().unwrap();
    child.wait().unwrap();
    program.run(&["fix", "--repo", repo, "--run", "true"]).expect(0);
    assert_eq!(runs(), 0);
}
