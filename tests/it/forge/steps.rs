//! The runner: what a step of GitHub Actions finds, and how what it leaves is read.

use std::collections::BTreeMap;

use super::{BROKEN, lab};
use crate::support::github::RED_RUN;
use crate::support::runner::{Event, Runner, parse_outputs};

/// What the program finds; all else of the caller's is cleared.
fn environment(runner: &Runner) -> BTreeMap<String, String> {
    let command = runner.command(&[]);
    let variables = command.get_envs().map(|(name, value)| (name.to_str().unwrap(), value.unwrap().to_str().unwrap()));
    variables.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

#[tokio::test]
async fn a_step_finds_the_variables_and_files_of_its_event() {
    let github = lab().await;
    let of_run = Runner::new(&github).input("github token", "t").event(|event| event["action"] = "requested".into());
    let variables = environment(&of_run);
    assert_eq!(variables["INPUT_GITHUB_TOKEN"], "t");
    assert_eq!(variables["GITHUB_API_URL"], github.api());
    assert_eq!((&*variables["GITHUB_EVENT_NAME"], &*variables["GITHUB_RUN_ID"]), ("workflow_run", "1102"));
    assert_eq!(variables["GITHUB_SHA"], github.world().git.tip("main").unwrap());
    assert!(!variables.contains_key("USER") && !variables.contains_key("CARGO"));
    let event = std::fs::read_to_string(&variables["GITHUB_EVENT_PATH"]).unwrap();
    assert!(event.contains("\"action\":\"requested\""), "{event}");
    assert!(std::fs::read_dir(of_run.workspace()).unwrap().next().is_none());

    let in_job = Runner::on(&github, Event::Push).input("dry-run", "true").variable("GITHUB_JOB", "unit");
    let variables = environment(&in_job);
    assert_eq!((&*variables["GITHUB_EVENT_NAME"], &*variables["GITHUB_RUN_ID"]), ("push", "102"));
    assert_eq!((&*variables["INPUT_DRY-RUN"], &*variables["GITHUB_JOB"]), ("true", "unit"));
    assert_eq!(std::fs::read_to_string(in_job.workspace().join("calc.py")).unwrap(), BROKEN[0].1);
    github.finish();
}

#[tokio::test]
async fn a_step_runs_the_program_in_its_workspace() {
    let github = lab().await;
    let step = Runner::on(&github, Event::Push).run(&["gate", "--base", "HEAD", "--head", "HEAD", "--format", "json"]);
    assert_eq!(step.ran.expect(0).json()["verdict"], "pass");
    assert!(step.outputs.is_empty() && step.summary.is_empty());
    github.finish();
}

#[tokio::test]
async fn steps_run_at_once_and_share_nothing_but_the_forge() {
    let github = lab().await;
    let arguments = &["gate", "--base", "HEAD", "--head", "HEAD"];
    let [first, second] = [Event::WorkflowRun, Event::Push].map(|event| Runner::on(&github, event));
    assert_ne!(first.workspace(), second.workspace());
    let (first, second) = (first.start(arguments), second.start(arguments));
    // Nothing is checked out where another workflow's run is only told of.
    first.wait().ran.expect(2);
    second.wait().ran.expect(0);
    github.finish();
}

#[tokio::test]
async fn the_event_of_a_run_names_it() {
    let github = lab().await;
    let event = github.workflow_run_event(RED_RUN);
    assert_eq!(event["workflow_run"]["id"], RED_RUN);
    assert_eq!(event["workflow_run"]["conclusion"], "failure");
    assert_eq!(event["repository"]["full_name"], "octo/lab");
    github.finish();
}

#[test]
fn outputs_are_read_as_the_runner_reads_them() {
    let outputs = parse_outputs("result=fixed\nbody<<ghadelim_1\na=b\nEOF\n\nghadelim_1\nurl=http://x/?a<<b\n");
    assert_eq!(outputs["result"], "fixed");
    assert_eq!(outputs["body"], "a=b\nEOF\n");
    assert_eq!(outputs["url"], "http://x/?a<<b");
    for broken in ["body<<EOF\nnever", "no output at all", "body<<\n"] {
        assert!(std::panic::catch_unwind(|| parse_outputs(broken)).is_err(), "{broken}");
    }
}
