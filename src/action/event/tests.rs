//! Decisions, from payloads of the shape that the forge sends.

use super::*;
use serde_json::{Value, json};

fn ended(change: impl FnOnce(&mut Value)) -> Payload {
    let mut event = json!({
        "action": "completed",
        "workflow": {"id": 7, "name": "CI", "path": ".github/workflows/ci.yml", "state": "active"},
        "workflow_run": {
            "id": 30_433_642, "name": "CI", "run_number": 562, "run_attempt": 2, "event": "push",
            "status": "completed", "conclusion": "failure", "head_branch": "main",
            "head_sha": "acb5820ced9479c074f688cc328bf03f341a511d",
            "head_repository": {"id": 1, "full_name": "octo/hello", "fork": false},
            "repository": {"id": 1, "full_name": "Octo/Hello"},
            "pull_requests": []
        },
        "repository": {"id": 1, "full_name": "Octo/Hello", "default_branch": "main"},
        "sender": {"login": "octocat", "type": "User"}
    });
    change(&mut event);
    Payload::read(event.to_string().as_bytes()).unwrap()
}

fn env(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

fn of_run(change: impl FnOnce(&mut Value)) -> Decision {
    decide(&env(&[("GITHUB_EVENT_NAME", "workflow_run")]), &ended(change)).unwrap()
}

fn in_job(event: &str, more: &[(&str, &str)], payload: &Value) -> Decision {
    let mut env = env(&[
        ("GITHUB_EVENT_NAME", event),
        ("GITHUB_RUN_ID", "99"),
        ("GITHUB_RUN_ATTEMPT", "3"),
        ("GITHUB_REF_NAME", "main"),
        ("GITHUB_REF_TYPE", "branch"),
    ]);
    env.extend(more.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
    decide(&env, &Payload::read(payload.to_string().as_bytes()).unwrap()).unwrap()
}

fn pull(head: &Value) -> Value {
    json!({
        "action": "synchronize", "number": 4, "repository": {"full_name": "octo/hello"},
        "pull_request": {"number": 4, "head": {"ref": "topic", "repo": head}, "base": {"ref": "main"}}
    })
}

#[test]
fn a_failed_run_is_acted_on_with_its_attempt_and_branch() {
    let target = Target { run: 30_433_642, attempt: 2, branch: Some("main".to_owned()), diagnose_only: None };
    for conclusion in ["failure", "timed_out", "startup_failure"] {
        let decision = of_run(|event| event["workflow_run"]["conclusion"] = json!(conclusion));
        assert_eq!(decision, Decision::Act(target.clone()));
    }
}

#[test]
fn a_run_that_did_not_fail_is_nothing_to_do_and_the_reason_says_so() {
    for conclusion in [json!("success"), json!("cancelled"), json!("skipped"), json!(null), json!(["failure"])] {
        let decision = of_run(|event| event["workflow_run"]["conclusion"] = conclusion.clone());
        let Decision::Nothing(reason) = decision else { panic!("{conclusion}: {decision:?}") };
        assert!(reason.contains(conclusion.as_str().unwrap_or("nothing")), "{reason}");
    }
    for action in ["requested", "in_progress"] {
        assert!(matches!(of_run(|event| event["action"] = json!(action)), Decision::Nothing(_)));
    }
}

#[test]
fn a_head_that_is_not_this_repositorys_own_is_diagnosed_only() {
    for head in [json!({"full_name": "mallory/hello"}), json!(null), json!({"full_name": "a b"}), json!("octo/hello")] {
        let decision = of_run(|event| event["workflow_run"]["head_repository"] = head.clone());
        let Decision::Act(target) = decision else { panic!("{decision:?}") };
        assert!(target.diagnose_only.is_some_and(|why| why.contains("diagnosed")), "{head}");
        let Decision::Act(target) = in_job("pull_request", &[("GITHUB_HEAD_REF", "topic")], &pull(&head)) else {
            panic!("{head}")
        };
        assert!(target.diagnose_only.is_some(), "{head}");
    }
}

#[test]
fn own_branches_and_merge_queues_are_refused_in_both_forms() {
    for branch in ["unbreak/test-0a1b2c3d", "gh-readonly-queue/main/pr-4-acb5820"] {
        assert!(matches!(of_run(|event| event["workflow_run"]["head_branch"] = json!(branch)), Decision::Refused(_)));
        assert!(matches!(in_job("push", &[("GITHUB_REF_NAME", branch)], &json!({})), Decision::Refused(_)));
        let head = pull(&json!({"full_name": "octo/hello"}));
        assert!(matches!(in_job("pull_request", &[("GITHUB_HEAD_REF", branch)], &head), Decision::Refused(_)));
    }
}

#[test]
fn the_privileged_event_is_refused_as_itself_and_as_the_cause_of_a_run() {
    assert!(matches!(in_job("pull_request_target", &[], &json!({})), Decision::Refused(_)));
    assert!(matches!(
        of_run(|event| event["workflow_run"]["event"] = json!("pull_request_target")),
        Decision::Refused(_)
    ));
}

#[test]
fn a_last_step_looks_after_its_own_run() {
    for event in ["push", "schedule", "workflow_dispatch", "repository_dispatch"] {
        let Decision::Act(target) = in_job(event, &[], &json!({})) else { panic!("{event}") };
        assert_eq!((target.run, target.attempt, target.branch.as_deref()), (99, 3, Some("main")));
        assert_eq!(target.diagnose_only, None);
    }
    let own = pull(&json!({"full_name": "Octo/hello"}));
    let Decision::Act(target) = in_job("pull_request", &[("GITHUB_HEAD_REF", "topic")], &own) else { panic!() };
    assert_eq!((target.branch.as_deref(), target.diagnose_only), (Some("topic"), None));
}

#[test]
fn what_a_later_version_does_is_named_and_what_builds_nothing_is_nothing() {
    let Decision::Refused(reason) = in_job("issue_comment", &[], &json!({})) else { panic!() };
    assert!(reason.contains("commands in comments"), "{reason}");
    assert!(matches!(in_job("watch", &[], &json!({})), Decision::Nothing(_)));
    assert!(matches!(in_job("push", &[("GITHUB_REF_TYPE", "tag")], &json!({})), Decision::Refused(_)));
}

#[test]
fn an_event_without_a_run_and_a_machine_that_is_no_runner_are_said() {
    assert!(matches!(of_run(|event| event["workflow_run"]["id"] = json!("30")), Decision::Refused(_)));
    assert_eq!(decide(&env(&[]), &Payload::default()).unwrap_err(), "GITHUB_EVENT_NAME is not set");
    let no_run = env(&[("GITHUB_EVENT_NAME", "push"), ("GITHUB_RUN_ID", "x")]);
    assert_eq!(decide(&no_run, &Payload::default()).unwrap_err(), "GITHUB_RUN_ID is `x`, which is no number");
    assert!(Payload::read(b"[]").is_err() && Payload::read(b"\x00").is_err());
}

#[test]
fn foreign_words_stay_words_in_a_reason() {
    let Decision::Nothing(reason) = of_run(|event| {
        event["workflow_run"]["conclusion"] = json!("x`\n::set-output name=a::b\u{1b}[2J");
    }) else {
        panic!()
    };
    assert_eq!(reason.lines().count(), 1);
    assert!(!reason.contains('\u{1b}') && reason.contains("`x' ::set-output name=a::b`"), "{reason}");
}
