//! The action: from an event to what a later step and a reader see, with the stages played by a script that writes down
//! what it was given.

mod log;
mod process;
mod step;

use serde_json::{Value, json};
use step::{Step, collected, event, proposal, published};

#[test]
fn a_failed_run_becomes_a_pull_request_and_later_steps_find_it() {
    let told = Step::new().run().expect(0);
    assert_eq!(told.output("result"), "fixed");
    assert_eq!(told.output("pull-request-url"), "https://github.com/octo/hello/pull/4");
    assert_eq!(told.output("branch"), "unbreak/test-0a1b2c3d");
    assert_eq!(told.output("failures"), "0");
    assert_eq!((told.output("tier"), told.output("rounds")), ("zero", "2"));
    assert_eq!((told.output("tokens-in"), told.output("tokens-out"), told.output("usd")), ("111", "7", "0.0123"));
    assert_eq!(told.output("proposal"), "unbreak/77-2/proposal");
    assert!(told.summary.contains("# unbreak: fixed") && told.summary.contains("/pull/4>"), "{}", told.summary);
    assert!(told.summary.contains("## What changed"), "{}", told.summary);
    let notices = told.commands("notice");
    assert_eq!(notices.len(), 1, "{}", told.log);
    assert!(notices[0].contains("pull request 4 was opened"), "{}", notices[0]);
    assert_eq!(
        told.arguments("collect").join(" ").replace(&told.temporary, "TEMP"),
        "collect --run-id 77 --attempt 2 --out TEMP/unbreak/77-2/collected --repository octo/hello \
         --api-url https://api.github.com --server-url https://github.com --format json"
    );
    assert!(told.workspace_is_untouched());
}

#[test]
fn each_stage_gets_the_credentials_that_it_needs_and_no_others() {
    let told = Step::new()
        .input("MODEL", "openai:some-model")
        .env("OPENAI_API_KEY", "another-key")
        .env("ACTIONS_RUNTIME_TOKEN", "runtime-token")
        .env("ACTIONS_ID_TOKEN_REQUEST_TOKEN", "identity-token")
        .env("AWS_SECRET_ACCESS_KEY", "cloud-key")
        .env("LD_PRELOAD", "")
        .input("API-KEY", "model-key")
        .run()
        .expect(0);
    for (stage, token, key) in [("collect", true, false), ("repair", false, true), ("publish", true, false)] {
        let env = told.environment(stage);
        let has = |value: &str| env.values().any(|known| known.contains(value));
        assert_eq!(has("forge-token"), token, "{stage}: {env:?}");
        assert_eq!(env.get("OPENAI_API_KEY").map(String::as_str), key.then_some("model-key"), "{stage}: {env:?}");
        for other in ["runtime-token", "identity-token", "cloud-key", "another-key"] {
            assert!(!has(other), "{stage}: {other}");
        }
        let foreign = |name: &&String| {
            ["INPUT_", "ACTIONS_", "GITHUB_"].iter().any(|prefix| name.starts_with(prefix)) && *name != "GITHUB_TOKEN"
        };
        assert_eq!(env.keys().find(foreign), None, "{stage}");
        let arguments = told.arguments(stage).join(" ");
        assert!(!arguments.contains("forge-token") && !arguments.contains("model-key"), "{arguments}");
    }
    assert_eq!(told.commands("add-mask"), ["::add-mask::forge-token", "::add-mask::model-key"]);
}

#[test]
fn no_line_of_a_stage_is_a_command() {
    let hostile = "::set-output name=result::fixed\n  ::add-path::/tmp\nx ##[error]y\na\r::error::b\n::stop-commands::x\n\
                   ::endgroup::\n::add-mask::a\n\u{feff}::notice::c\n::save-state name=a::b";
    let told = Step::new().log("collect", hostile).log("repair", &hostile.replace('\n', "\r\n")).run().expect(0);
    let obeyed = told.obeyed();
    let names: Vec<&str> = obeyed.iter().map(|command| command.name.as_str()).collect();
    let group = ["group", "stop-commands", "RESUME", "endgroup"];
    assert_eq!(names, [&["add-mask"][..], &group, &group, &group, &["notice"]].concat(), "{}", told.log);
    let words: std::collections::BTreeSet<String> = told
        .obeyed()
        .into_iter()
        .filter(|command| command.name == "stop-commands")
        .map(|command| command.data)
        .collect();
    assert_eq!(words.len(), 3, "each group has a word of its own");
    assert!(told.log.contains("set-output"), "a reader still sees what the stage wrote");
}

#[test]
fn foreign_words_of_a_proposal_are_words_wherever_they_are_told() {
    let hostile = "EOF\nresult<<EOF\n::set-output name=result::x%0A::error::y\n<img src=x> @admin forge-token";
    let mut found = proposal("declined");
    found["reason"] = json!(hostile);
    found["hints"] = json!([hostile]);
    found["findings"] =
        json!([{"rule": "r::x,line=9", "path": "a,b:c.py", "line": 3, "message": hostile, "severity": "show"}]);
    let told = Step::new().answer("repair", 3, &found).run().expect(0);
    assert_eq!(told.output("result"), "declined");
    assert_eq!(told.outputs.len(), 10, "{:?}", told.outputs);
    assert!(!told.summary.contains("<img") && !told.summary.contains("\n::"), "{}", told.summary);
    for text in [&told.summary, &told.raw_outputs] {
        assert!(!text.contains("forge-token"));
    }
    assert!(
        !told.log.lines().any(|line| line.contains("forge-token") && !line.starts_with("::add-mask::")),
        "{}",
        told.log
    );
    let warnings = told.commands("warning");
    assert_eq!(warnings.len(), 2, "{}", told.log);
    assert!(
        warnings[1].starts_with("::warning file=a%2Cb%3Ac.py,line=3,title=unbreak%3A r%3A%3Ax%2Cline=9::"),
        "{}",
        warnings[1]
    );
    assert!(!told.ran("publish"));
}

#[test]
fn what_is_not_acted_on_is_said_and_starts_nothing() {
    let own = |event: &mut Value| event["workflow_run"]["head_branch"] = json!("unbreak/test-0a1b2c3d");
    let green = |event: &mut Value| event["workflow_run"]["conclusion"] = json!("success");
    let told = [
        (Step::new().event("pull_request_target", &json!({})), "refused", "never acted on"),
        (Step::new().event("issue_comment", &json!({})), "refused", "not acted on yet"),
        (Step::new().event("workflow_run", &event(own)), "refused", "does not repair its own repairs"),
        (Step::new().event("workflow_run", &event(green)), "skipped", "run ended with"),
        (Step::new().input("BRANCH", "release/**, develop"), "skipped", "none that the input"),
    ];
    for (step, result, reason) in told {
        let told = step.run().expect(0);
        assert_eq!(told.output("result"), result);
        assert!(told.summary.contains(reason), "{}", told.summary);
        assert!(told.commands("notice")[0].contains(reason), "{}", told.log);
        assert!(told.summary.contains("**Published:** nothing."));
        assert_eq!(told.output("proposal"), "");
        assert!(["collect", "repair", "publish"].iter().all(|stage| !told.ran(stage)));
    }
}

#[test]
fn code_of_another_repository_is_diagnosed_without_a_key_and_nothing_is_published() {
    let fork = |event: &mut Value| event["workflow_run"]["head_repository"]["full_name"] = json!("mallory/hello");
    let told = Step::new()
        .event("workflow_run", &event(fork))
        .input("MODEL", "openai:some-model")
        .input("API-KEY", "model-key")
        .env("ANTHROPIC_API_KEY", "model-key of the job")
        .run()
        .expect(0);
    let arguments = told.arguments("repair").join(" ");
    assert!(arguments.contains("--stage read-only") && !arguments.contains("--model"), "{arguments}");
    assert!(!told.environment("repair").values().any(|value| value.contains("model-key")));
    assert!(!told.ran("publish"));
    assert_eq!(told.output("result"), "refused");
    assert!(told.summary.contains("mallory/hello"), "{}", told.summary);
}

#[test]
fn limits_and_wishes_reach_the_stage_that_keeps_them() {
    let told = Step::new()
        .input("BUDGET-USD", "0.25")
        .input("LABELS", "bot, needs review")
        .input("DRAFT", "true")
        .input("ARTIFACTS", "reports/*.xml\nnot/there.xml")
        .file("reports/r.xml", "<testsuite/>")
        .run()
        .expect(0);
    let repair = told.arguments("repair").join(" ");
    assert!(repair.contains("--budget-usd 0.25"), "{repair}");
    assert!(repair.contains("/unbreak/77-2/artifacts"), "{repair}");
    assert_eq!(told.kept("artifacts/reports/r.xml"), "<testsuite/>");
    assert!(told.summary.contains("not/there.xml"), "{}", told.summary);
    let publish = told.arguments("publish");
    for word in ["--draft", "--label=bot", "--label=needs review"] {
        assert!(publish.iter().any(|argument| argument == word), "{publish:?}");
    }
    assert!(!publish.iter().any(|argument| argument == "--dry-run"));
    let told = Step::new().input("STAGE", "patch").run().expect(0);
    assert!(told.arguments("repair").join(" ").contains("--stage patch") && !told.ran("publish"));
    assert!(told.summary.contains("stops before that"), "{}", told.summary);
}

#[test]
fn a_rehearsal_publishes_nothing_and_says_what_it_would() {
    let mut rehearsed = published("dry_run", "a pull request would be opened");
    rehearsed["pull_request"] = json!(null);
    let told = Step::new().input("MODE", "dry-run").answer("publish", 0, &rehearsed).run().expect(0);
    assert!(told.arguments("publish").iter().any(|argument| argument == "--dry-run"));
    assert_eq!((told.output("result"), told.output("pull-request-url")), ("fixed", ""));
    assert!(
        told.summary.contains("a pull request would be opened") && told.summary.contains("**Published:** nothing.")
    );
}

#[test]
fn each_stage_can_be_a_job_of_its_own() {
    let collect = Step::new().input("MODE", "collect").run().expect(0);
    assert_eq!((collect.output("result"), collect.output("proposal")), ("collected", "unbreak/77-2/collected"));
    assert!(!collect.ran("repair") && !collect.ran("publish"));
    let repair = Step::new().input("MODE", "repair").without("INPUT_GITHUB-TOKEN").run().expect(0);
    assert_eq!((repair.output("result"), repair.output("proposal")), ("fixed", "unbreak/77-2/proposal"));
    assert!(!repair.ran("collect") && !repair.ran("publish"));
    let nothing = Step::new().input("MODE", "publish").run().expect(2);
    assert!(nothing.commands("error")[0].contains("77-2/proposal"), "{}", nothing.log);
    let handed = Step::new().input("MODE", "publish").handed("77-2/proposal", &proposal("fixed"));
    let publish = handed.run().expect(0);
    assert_eq!(publish.output("pull-request-url"), "https://github.com/octo/hello/pull/4");
    assert!(!publish.ran("collect") && !publish.ran("repair"));
}

#[test]
fn a_stage_that_fails_is_an_outcome_with_its_reason_and_the_proposal_is_kept() {
    let error = |message: &str| json!({"version": 1, "error": {"message": message, "hints": ["wait a little"]}});
    let told = Step::new().answer("collect", 7, &error("GitHub gave no answer")).run().expect(0);
    assert_eq!(told.output("result"), "service_failed");
    assert!(told.commands("error")[0].contains("GitHub gave no answer"), "{}", told.log);
    assert!(told.summary.contains("wait a little") && !told.ran("repair"), "{}", told.summary);
    let told = Step::new().answer("publish", 3, &published("stale", "the branch has moved")).run().expect(0);
    assert_eq!((told.output("result"), told.output("proposal")), ("stale", "unbreak/77-2/proposal"));
    assert!(told.summary.contains("The branch has moved"), "{}", told.summary);
    let told = Step::new().answer("repair", 2, &error("the policy has a fault")).run().expect(2);
    assert_eq!(told.output("result"), "error");
    let told = Step::new().answer("repair", 101, &json!("no value at all")).run().expect(0);
    assert_eq!(told.output("result"), "error");
    assert!(told.summary.contains("ended with code 101"), "{}", told.summary);
}

#[test]
fn a_later_step_finds_the_proposal_even_when_publishing_is_cut_off() {
    let told = Step::new().dies("publish").run().expect(0);
    assert_eq!((told.output("result"), told.output("proposal")), ("error", "unbreak/77-2/proposal"));
    let first = told.raw_outputs.find("proposal<<").unwrap();
    assert!(first < told.raw_outputs.find("result<<").unwrap(), "it is written before anything can cut it off");
}

#[test]
fn the_step_fails_with_the_results_that_were_asked_for() {
    let flaky = || Step::new().answer("repair", 3, &proposal("flaky"));
    flaky().run().expect(0);
    flaky().input("FAIL-ON", "unfixed").run().expect(3);
    flaky().input("FAIL-ON", "error, declined").run().expect(0);
    Step::new().input("FAIL-ON", "unfixed").run().expect(0);
    Step::new().event("pull_request_target", &json!({})).input("FAIL-ON", "unfixed").run().expect(3);
    let told = Step::new().input("FAIL-ON", "unfixd").run().expect(2);
    assert!(told.commands("error")[0].contains("did you mean `unfixed`?"), "{}", told.log);
}

#[test]
fn nothing_failed_so_far_is_told_apart_from_nothing_to_mend() {
    let none = collected(&[]);
    let step = |event: &str| {
        Step::new().event(event, &json!({"repository": {"full_name": "octo/hello"}})).answer("collect", 0, &none)
    };
    let told = step("push").run().expect(0);
    assert_eq!(told.output("result"), "skipped");
    assert!(told.summary.contains("if: failure"), "{}", told.summary);
    let told = Step::new().answer("collect", 0, &none).run().expect(0);
    assert_eq!(told.output("result"), "declined");
    assert!(!told.ran("repair"));
}

#[test]
fn a_policy_that_has_to_be_in_force_and_is_not_stops_the_step() {
    let told = Step::new().input("POLICY", ".github/unbreak.yml").run().expect(2);
    assert!(told.summary.contains("does not have .github/unbreak.yml in force"), "{}", told.summary);
    assert!(!told.ran("repair"));
}

#[test]
fn a_summary_that_an_earlier_part_of_the_step_filled_is_not_made_too_large() {
    let told = Step::new().file_of_runner("summary", &"x".repeat((1 << 20) - 50)).run().expect(0);
    assert!(told.summary.len() <= 1 << 20);
}
