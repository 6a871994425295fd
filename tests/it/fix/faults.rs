//! Faults: a flaky test, a missing module, a model that is down, a budget that is used up, an interrupt.

use std::time::{Duration, Instant};

use nix::sys::signal::Signal;

use super::{PYTEST, Program, Ran, Run, TESTS, project, python_bin, with_model};
use crate::support::model::status;
use crate::support::program::ignored_signals;
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
fn a_signal_leaves_the_checkout_untouched_no_scratch_and_a_readable_journal() {
    let repository = project();
    repository.write("tests/test_cart.py", "import time\n\n\ndef test_slow():\n    time.sleep(60)\n");
    repository.commit("slow");
    let state = repository.state();
    let heeded = |signal: Signal| ignored_signals() >> (signal as i32 - 1) & 1 == 0;
    let signals = [(Signal::SIGTERM, 143), (Signal::SIGINT, 130), (Signal::SIGHUP, 129), (Signal::SIGQUIT, 131)];
    for (signal, code) in signals.into_iter().filter(|(signal, _)| heeded(*signal)) {
        let program = Program::new();
        let out = program.path("out");
        let mut child = sleeper(&program, &repository, &out);
        nix::sys::signal::kill(nix::unistd::Pid::from_raw(i32::try_from(child.id()).unwrap()), signal).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(code));
        assert_eq!(repository.state(), state);
        let ran: Ran = program.run(&["journal", "verify", out.join("journal.jsonl").to_str().unwrap()]);
        ran.expect(0);
        assert_eq!(left_below(&program), Vec::<String>::new(), "after {signal}");
    }
}

/// A run in the midst of its slow test.
fn sleeper(program: &Program, repository: &Repository, out: &std::path::Path) -> std::process::Child {
    let repo = repository.path().to_str().unwrap();
    let child = program
        .command(&["fix", "--repo", repo, "--out", out.to_str().unwrap(), "--run", PYTEST])
        .env("PATH", python_bin())
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
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
    child
}

/// The directories of runs and jobs that are still there.
fn left_below(program: &Program) -> Vec<String> {
    let entries = std::fs::read_dir(program.scratch()).into_iter().flatten().filter_map(Result::ok);
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    names.filter(|name| name.starts_with("run-") || name.starts_with("job-")).collect()
}

#[test]
fn a_killed_run_is_cleared_away_by_the_next() {
    let repository = project();
    repository.write("tests/test_cart.py", "import time\n\n\ndef test_slow():\n    time.sleep(60)\n");
    repository.commit("slow");
    let program = Program::new();
    let mut child = sleeper(&program, &repository, &program.path("out"));
    let left = left_below(&program);
    assert!(["run-", "job-"].iter().all(|kind| left.iter().any(|name| name.starts_with(kind))), "{left:?}");
    child.kill().unwrap();
    child.wait().unwrap();
    program.run(&["doctor"]).expect(0);
    assert_eq!(left_below(&program), Vec::<String>::new());
}
