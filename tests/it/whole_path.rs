//! From a failed run to an open pull request: the program as a runner starts it, over the fake GitHub, real git, the
//! real sandbox and a scripted model.

use serde_json::json;
use unbreak::github::{Effect, ROUTES};

use crate::support::github::{FakeGitHub, Fault, Route, Scene, TOKEN};
use crate::support::model::{ModelServer, Step as Round, calls};
use crate::support::program::python_bin;
use crate::support::runner::{Event, Runner, Step};

/// What the repository says: nothing has to be fetched for these projects.
const POLICY: (&str, &str) = (".github/unbreak.yml", "version: 1\nsetup: []\n");

/// A project whose linter complains of what it can mend itself.
fn unused_import() -> Scene {
    Scene::of(&[POLICY, ("a.py", "import os\n\n\ndef one():\n    return 1\n")])
        .command("ruff check .")
        .log("a.py:1:8: F401 [*] `os` imported but unused\nFound 1 error.\n")
}

/// A project with a wrong line that a test shows.
fn wrong_discount() -> Scene {
    Scene::of(&[
        POLICY,
        ("pyproject.toml", "[tool.pytest.ini_options]\npythonpath = [\".\"]\n"),
        ("cart.py", "def total(prices, discount):\n    return sum(prices) * discount / 100\n"),
        ("test_cart.py", "from cart import total\n\n\ndef test_total():\n    assert total([50, 50], 10) == 90\n"),
    ])
    .log("=== short test summary info ===\nFAILED test_cart.py::test_total - assert 10.0 == 90\n=== 1 failed in 0.01s ===\n")
}

fn action(runner: Runner) -> Step {
    runner.input("github-token", TOKEN).variable("PATH", &python_bin()).run(&["action"])
}

/// The one open pull request of ours, whatever its branch is called.
fn only_pull(github: &FakeGitHub) -> (u64, String, String) {
    let world = github.world();
    let open: Vec<_> = world.pulls.iter().filter(|pull| pull.head.starts_with("unbreak/")).collect();
    assert_eq!(open.len(), 1, "{:?}", open.iter().map(|pull| &pull.head).collect::<Vec<_>>());
    (open[0].number, open[0].head.clone(), open[0].body.clone())
}

fn told(step: &Step) -> String {
    format!("{:?}\n{}\n{}\n{}", step.outputs, step.summary, step.ran.stdout, step.ran.stderr)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failed_run_becomes_a_pull_request_that_proves_its_fix() {
    let github = unused_import().start().await;
    let main = github.world().git.tip("main").unwrap();
    let step = action(Runner::new(&github));
    assert_eq!((step.ran.code, step.outputs["result"].as_str()), (0, "fixed"), "{}", told(&step));
    let (number, head, body) = only_pull(&github);
    {
        let world = github.world();
        let tip = world.git.tip(&head).unwrap();
        assert_eq!(world.git.parents(&tip), std::slice::from_ref(&main), "one commit over the failed one");
        assert_eq!(world.git.read(&tip, "a.py").unwrap(), "\n\ndef one():\n    return 1\n");
        let message = world.git.message(&tip);
        for trailer in ["Unbreak-Run: ", "Unbreak-Fingerprint: ", "Unbreak-Tier: zero", "Unbreak-Version: "] {
            assert!(message.contains(trailer), "{message}");
        }
        assert_eq!(world.git.tip("main").unwrap(), main, "the base is never pushed to");
        assert!(world.calls() <= 40, "{} calls", world.calls());
    }
    for word in ["## What broke", "## Evidence", "ruff check", "zero tokens", "<!-- unbreak:state "] {
        assert!(body.contains(word), "{word}: {body}");
    }
    assert!(step.outputs["pull-request-url"].ends_with(&format!("/pull/{number}")), "{}", told(&step));
    assert_eq!((step.outputs["branch"].as_str(), step.outputs["tier"].as_str()), (head.as_str(), "zero"));
    assert!(step.summary.contains("## Evidence"), "{}", step.summary);
    github.finish();
}

#[tokio::test(flavor = "multi_thread")]
async fn code_of_a_fork_is_not_run_even_where_the_event_does_not_tell() {
    let github = unused_import().start().await;
    github.world().runs[1].head_repository = "mallory/lab".to_owned();
    let own = github.world().repository.clone();
    let runner = Runner::new(&github).event(|event| event["workflow_run"]["head_repository"]["full_name"] = json!(own));
    let step = action(runner);
    assert_eq!(step.outputs["result"], "policy_blocked", "{}", told(&step));
    assert!(github.world().pulls.is_empty());
    github.finish();
}

#[tokio::test(flavor = "multi_thread")]
async fn the_last_step_of_the_failing_job_repairs_it_and_leaves_the_workspace_alone() {
    let github = unused_import().start().await;
    github.world().runs[1].conclusion = None;
    let runner = Runner::on(&github, Event::Push);
    let file = runner.workspace().join("a.py");
    std::fs::write(&file, "left by an earlier step\n").unwrap();
    let running = runner.input("github-token", TOKEN).variable("PATH", &python_bin()).start(&["action"]);
    let step = running.wait_and(|| assert_eq!(std::fs::read_to_string(&file).unwrap(), "left by an earlier step\n"));
    assert_eq!(step.outputs["result"], "fixed", "{}", told(&step));
    only_pull(&github);
    github.finish();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_was_named_mends_what_no_tool_can() {
    let github = wrong_discount().start().await;
    let edit = calls(&[
        ("edit", json!({"path": "cart.py", "old": "* discount / 100", "new": "* (100 - discount) / 100"})),
        ("submit", json!({"summary": "take the discount off", "cause": "the discount itself was returned"})),
    ]);
    let (step, requests) = with_model(vec![edit], |spec| action(Runner::new(&github).input("model", spec))).await;
    assert_eq!(step.outputs["result"], "fixed", "{}", told(&step));
    assert_eq!((requests, step.outputs["rounds"].as_str()), (1, "1"));
    let (_, head, body) = only_pull(&github);
    assert!(body.contains("the discount itself was returned"), "{body}");
    let world = github.world();
    let message = world.git.message(&world.git.tip(&head).unwrap());
    assert!(message.contains("Unbreak-Model: openai:"), "{message}");
    drop(world);
    github.finish();
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_model_what_no_tool_can_mend_is_said_and_nothing_is_opened() {
    let github = wrong_discount().start().await;
    let step = action(Runner::new(&github).input("fail-on", "declined"));
    assert_eq!((step.ran.code, step.outputs["result"].as_str()), (3, "declined"), "{}", told(&step));
    assert!(github.world().pulls.is_empty());
    assert!(step.summary.contains("`model`") || step.summary.contains("model"), "{}", step.summary);
    github.finish();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_run_updates_the_same_pull_request() {
    let github = unused_import().start().await;
    action(Runner::new(&github));
    let (number, head, first) = only_pull(&github);
    let tip = github.world().git.tip(&head).unwrap();
    // The failing job is run again: another attempt at the same commit.
    {
        let mut world = github.world();
        world.runs[1].attempt = 2;
        world.jobs[1].attempt = 2;
    }
    let step = action(Runner::new(&github).event(|event| event["workflow_run"]["run_attempt"] = json!(2)));
    assert_eq!(step.outputs["result"], "fixed", "{}", told(&step));
    let (again, same, second) = only_pull(&github);
    assert_eq!((again, &same), (number, &head));
    assert_eq!(github.world().git.tip(&head).unwrap(), tip, "the same fix is the same commit");
    assert_ne!(first, second, "the body tells of the attempt");
    github.finish();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_branch_that_moved_meanwhile_gets_no_pull_request() {
    let github = unused_import().start().await;
    github.world().faults.before(Route::Pulls, 1, |world| {
        world.push("main", &[("b.py", "x = 1\n")], "Meanwhile");
    });
    let step = action(Runner::new(&github));
    assert_eq!(step.outputs["result"], "stale", "{}", told(&step));
    assert_nothing_is_left(&github, &step);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_push_and_a_refused_pull_request_lose_nothing() {
    for (route, fault) in [
        (Route::GitPush, Fault::Hook("protected branch hook declined")),
        (
            Route::CreatePull,
            Fault::Refuse {
                status: 403,
                message: "GitHub Actions is not permitted to create or approve pull requests.",
                retry_after: None,
            },
        ),
    ] {
        let github = unused_import().start().await;
        github.world().faults.next_times(route, 1, fault);
        let step = action(Runner::new(&github));
        assert_ne!(step.outputs["result"], "fixed", "{}", told(&step));
        assert_nothing_is_left(&github, &step);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_is_lost_after_the_pull_request_was_opened_opens_no_second_one() {
    let github = unused_import().start().await;
    {
        let mut world = github.world();
        world.lag = 2;
        world.faults.next(Route::CreatePull, Fault::Lose);
    }
    let step = action(Runner::new(&github));
    assert_eq!(step.outputs["result"], "fixed", "{}", told(&step));
    only_pull(&github);
    github.finish();
}

#[tokio::test(flavor = "multi_thread")]
async fn two_runs_at_once_end_with_one_pull_request() {
    let github = unused_import().start().await;
    let start = || Runner::new(&github).input("github-token", TOKEN).variable("PATH", &python_bin()).start(&["action"]);
    let (one, two) = (start(), start());
    let steps = [one.wait(), two.wait()];
    for step in &steps {
        assert_eq!(step.outputs["result"], "fixed", "{}", told(step));
    }
    let (_, head, _) = only_pull(&github);
    let world = github.world();
    let tip = world.git.tip(&head).unwrap();
    assert_eq!(world.git.parents(&tip), [world.git.tip("main").unwrap()]);
    drop(world);
    github.finish();
}

#[test]
fn no_route_merges_approves_or_deletes_what_is_not_ours() {
    let forbidden = ["merge", "review", "approv", "auto", "dispatch", "rerun", "/actions/runs/{run}/cancel"];
    for route in ROUTES {
        let path = route.path.to_lowercase();
        let document = route.document().unwrap_or_default().to_lowercase();
        for word in forbidden {
            assert!(!path.contains(word) && !document.contains(word), "{}: {path}", route.name);
        }
        if format!("{:?}", route.method).eq_ignore_ascii_case("delete") {
            assert_eq!(route.effect, Effect::DeleteOwnBranch, "{}", route.name);
            assert!(path.ends_with("/git/refs/heads/{branch}"), "{path}");
        }
    }
}

/// The bundle is named, nothing is open, and no branch of ours is left.
fn assert_nothing_is_left(github: &FakeGitHub, step: &Step) {
    assert!(github.world().pulls.is_empty());
    let ours: Vec<_> = github.world().git.heads().into_keys().filter(|name| name.starts_with("unbreak/")).collect();
    assert_eq!(ours, [""; 0], "{}", told(step));
    let proposal = &step.outputs["proposal"];
    assert!(!proposal.is_empty() && step.summary.contains(proposal.as_str()), "{}", told(step));
}

/// A model with a script; how many requests it got.
async fn with_model<T>(script: Vec<Round>, work: impl FnOnce(&str) -> T) -> (T, usize) {
    let server = ModelServer::start(None, script).await;
    let result = tokio::task::block_in_place(|| work(&server.spec()));
    (result, server.finish().len())
}
