//! The loop: edits, refusals, learning, limits, outcomes. The model is a service that checks every request.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use unbreak::change::Edit;
use unbreak::ids::RepoPath;
use unbreak::journal::{self, Entry, Journal};
use unbreak::llm::spec::Spec;
use unbreak::llm::{LlmError, Model, Recorder, Replay, Retries, Settings};
use unbreak::plan::Plan;
use unbreak::policy::Decision;
use unbreak::prompt::Steady;
use unbreak::repair::{End, Job, Outcome, repair, show_prompt};
use unbreak::usage::{Meter, Seconds, Tier};

use crate::support::model::{ModelServer, Step, calls, cut_off, hang, raw_call, status, text};
use crate::support::world::{Names, World, plan};

fn edit(path: &str, old: &str, new: &str) -> (&'static str, Value) {
    ("edit", json!({"path": path, "old": old, "new": new}))
}

fn fix() -> (&'static str, Value) {
    edit("src/calc.py", "def add(a, b):\n    return a - b", "def add(a, b):\n    return a + b")
}

fn wrong(to: &str) -> (&'static str, Value) {
    edit("src/calc.py", "def add(a, b):\n    return a - b", &format!("def add(a, b):\n    return {to}"))
}

fn submit() -> (&'static str, Value) {
    ("submit", json!({"summary": "add adds", "cause": "add subtracted"}))
}

fn decline() -> (&'static str, Value) {
    ("decline", json!({"reason": "I may not"}))
}

/// One run of the loop, with everything that came of it.
struct Run {
    outcome: Outcome,
    requests: Vec<Value>,
    entries: Vec<Entry>,
    world: World,
    meter: Meter,
}

impl Run {
    /// What the model was told last about the calls of its `nth` answer.
    fn told(&self, nth: usize) -> Vec<String> {
        let messages = self.requests[nth]["messages"].as_array().unwrap();
        let fresh = messages.iter().rev().take_while(|message| message["role"] != "assistant");
        let mut told: Vec<String> = fresh.map(|message| message["content"].as_str().unwrap().to_owned()).collect();
        told.reverse();
        told
    }

    fn prompt(&self, nth: usize) -> String {
        self.requests[nth]["messages"][1]["content"].as_str().unwrap().to_owned()
    }

    fn fixed(&self) -> bool {
        let commit = self.outcome.best.as_ref().map(|best| best.commit.clone());
        commit
            .and_then(|commit| self.world.text(&commit, "src/calc.py"))
            .is_some_and(|text| text.contains("return a + b"))
    }
}

fn open(server: &ModelServer) -> Box<dyn Model> {
    let retries = Retries { attempts: 2, base: Duration::from_millis(1), ..Retries::default() };
    let settings = Settings { retries, ..Settings::default() };
    server.spec().parse::<Spec>().unwrap().open(None, Path::new("/"), &settings).unwrap()
}

async fn run_with(servers: Vec<ModelServer>, plan: Plan, meter: Meter) -> Run {
    run_in(World::new(), servers, plan, meter).await
}

async fn run_in(world: World, servers: Vec<ModelServer>, plan: Plan, mut meter: Meter) -> Run {
    let models: Vec<Box<dyn Model>> = servers.iter().map(open).collect();
    let tiers = [Tier::Light, Tier::Strong];
    let ladder: Vec<(Tier, &dyn Model)> = tiers.into_iter().zip(models.iter().map(AsRef::as_ref)).collect();
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("journal.jsonl");
    let journal = Journal::create(&path, || 0).unwrap();
    let steady = Steady::new(["/home/me/tree".to_owned()]);
    let job = Job {
        ground: &world,
        plan: &plan,
        context: "### src/calc.py:1-2 add (called by the failing test)\n```\ndef add(a, b):\n    return a - b\nKEY = 'hunter2'\n```",
        code: Some(&Names),
        ladder: &ladder,
        max_output: 4096,
        deadline: Duration::from_mins(plan.budget.minutes).max(Duration::from_millis(200)),
        scrub: &|text| text.replace("hunter2", "***"),
        steady: &steady,
        journal: &journal,
    };
    let outcome = sendable(repair(&job, &mut meter)).await;
    let requests = servers.iter().flat_map(ModelServer::finish).collect();
    let (entries, broken) = journal::read(&std::fs::read_to_string(path).unwrap());
    assert!(broken.is_none());
    Run { outcome, requests, entries: entries.into_iter().map(|(_, entry)| entry).collect(), world, meter }
}

/// A repair can run on any thread of the runtime.
fn sendable<T: Send>(future: T) -> T {
    future
}

async fn run(script: Vec<Step>) -> Run {
    let server = ModelServer::start(None, script).await;
    run_with(vec![server], plan(), Meter::new(1.0, 300_000)).await
}

#[tokio::test]
async fn an_edit_and_a_submit_in_one_answer_take_one_call() {
    let run = run(vec![calls(&[fix(), submit()])]).await;
    assert!(matches!(run.outcome.end, End::Verified), "{:?}", run.outcome.end);
    let best = run.outcome.best.as_ref().unwrap();
    assert_eq!((best.summary.as_str(), best.cause.as_str(), best.tier), ("add adds", "add subtracted", Tier::Light));
    assert!(run.fixed());
    assert_eq!(run.requests.len(), 1);
    let bill = run.meter.bill(Seconds::default());
    assert_eq!((bill.calls, bill.input, bill.cached_read, bill.output), (1, 60, 40, 20));
}

#[tokio::test]
async fn the_first_prompt_of_a_small_fault_is_within_two_thousand_tokens() {
    let run = run(vec![calls(&[fix(), submit()])]).await;
    let request = &run.requests[0];
    let count = |text: &str| bpe_openai::o200k_base().count(text);
    let system = count(request["messages"][0]["content"].as_str().unwrap());
    let tools = count(&request["tools"].to_string());
    let user = count(&run.prompt(0));
    assert!(system + tools <= 800, "system {system}, tools {tools}");
    // The context here has about 40 tokens; a usual one has about 1 000.
    assert!(system + tools + user + 960 <= 2_000, "system {system}, tools {tools}, user {user}");
}

#[tokio::test]
async fn an_edit_followed_by_words_counts_as_a_submit() {
    let run = run(vec![calls(&[fix()]), text("add must add")]).await;
    assert!(matches!(run.outcome.end, End::Verified));
    assert_eq!(run.outcome.best.unwrap().summary, "add must add");
}

/// Each of these is refused: answered with the rule, recorded with its ruling, and counted.
#[tokio::test]
async fn what_is_not_allowed_is_refused_recorded_and_counted() {
    let cases = [
        (edit(".github/workflows/ci.yml", "on: push", "on: []"), ".github/workflows/"),
        (("create_file", json!({"path": ".github/workflows/x.yml", "content": "on: push"})), ".github/workflows/"),
        (("create_file", json!({"path": "setup.py", "content": "x"})), "allowed_write_paths"),
        (edit("../outside.py", "a", "b"), "paths stay inside the repository"),
        (("read_file", json!({"path": "../../etc/passwd"})), "paths stay inside the repository"),
        (("read_file", json!({"path": "/etc/passwd"})), "paths stay inside the repository"),
        (("read_file", json!({"path": ".env"})), ".env*"),
        (("grep", json!({"pattern": "x", "path": "..\\x"})), "paths stay inside the repository"),
        (("run_check", json!({"name": "publish"})), "only the named checks: unit-test, static-check"),
        (("run_check", json!({"name": "deploy"})), "allowed_commands"),
        (("shell", json!({"command": "id"})), "only the offered tools"),
        (("outline", json!({"path": ".env"})), ".env*"),
    ];
    for (call, rule) in cases {
        let run = run(vec![calls(std::slice::from_ref(&call)), calls(&[decline()])]).await;
        let told = run.told(1).join("\n");
        assert!(told.starts_with("refused: ") && told.contains(rule), "{call:?}: {told}");
        let [refusal] = run.outcome.refusals.as_slice() else { panic!("{call:?}: {:?}", run.outcome.refusals) };
        assert_eq!(refusal.ruling.decision, Decision::Deny);
        let recorded = run.entries.iter().find(|entry| entry.action == "decision" && entry.outcome == "refused");
        let ruling = recorded.and_then(|entry| entry.ruling.as_ref());
        assert_eq!(ruling, Some(&refusal.ruling), "{call:?}");
        let writes = matches!(call.0, "edit" | "create_file");
        assert_eq!(matches!(run.outcome.end, End::PolicyBlocked), writes, "{call:?}: {:?}", run.outcome.end);
        assert_eq!(*run.world.proved.lock().unwrap(), 0);
    }
}

#[tokio::test]
async fn a_protected_path_is_edited_and_waits_for_a_person() {
    let lock = edit("Cargo.lock", "version = 4", "version = 3");
    let run = run(vec![calls(&[fix(), lock, submit()])]).await;
    assert!(matches!(run.outcome.end, End::NeedsApproval), "{:?}", run.outcome.end);
    assert_eq!(run.outcome.approvals.iter().map(|ask| ask.subject.as_str()).collect::<Vec<_>>(), ["Cargo.lock"]);
    assert!(run.entries.iter().any(|entry| entry.outcome == "allowed once a person agrees"));
    assert!(run.fixed());
}

#[tokio::test]
async fn a_patch_beyond_the_limits_is_refused_until_it_is_small() {
    let many = "# more
"
    .repeat(30);
    let large = ("create_file", json!({"path": "src/notes.py", "content": many}));
    let run = run(vec![calls(&[large, submit()]), calls(&[decline()])]).await;
    assert!(run.told(1)[1].contains("limits.lines: 20 (30 changed)"), "{:?}", run.told(1));
    assert!(matches!(run.outcome.end, End::PolicyBlocked), "{:?}", run.outcome.end);
}

#[tokio::test]
async fn a_submit_beside_an_edit_that_does_not_fit_does_not_stand() {
    let miss = edit("src/calc.py", "def add(a, b):\n    return a * b", "x");
    let run = run(vec![calls(&[submit(), miss, fix()]), calls(&[submit()])]).await;
    insta::assert_snapshot!(run.told(1).join("\n"), @r"
    not submitted: an edit of this answer was not taken; send that one again, corrected, then submit
    error: src/calc.py: `old` parts from the file at line 2: expected `    return a * b`, found `    return a - b`
    staged
    ");
    assert!(matches!(run.outcome.end, End::Verified));
    assert_eq!(*run.world.proved.lock().unwrap(), 1);
}

#[tokio::test]
async fn arguments_that_cannot_be_read_are_said_to_be_so() {
    let run = run(vec![
        raw_call("edit", "{\"path\": \"src/calc.py\", \"old\""),
        cut_off(raw_call("edit", "{\"path\": \"src/ca")),
        raw_call("read_file", "[1]"),
        raw_call("read_file", "{\"path\": \"src/calc.py\", \"lines\": 3}"),
        calls(&[fix(), submit()]),
    ])
    .await;
    insta::assert_snapshot!((1..5).map(|nth| run.told(nth).join(" / ")).collect::<Vec<_>>().join("\n"), @r"
    error: the arguments of edit cannot be read: they are no JSON: EOF while parsing an object at line 1 column 29
    error: the arguments of edit cannot be read: they were cut off by the output limit; send a shorter call / Your answer was cut off after 4096 tokens. Send shorter edits, one at a time.
    error: the arguments of read_file cannot be read: they are no JSON object
    error: the arguments do not fit: unknown field `lines`, expected one of `path`, `start`, `end`
    ");
    assert!(matches!(run.outcome.end, End::Verified));
}

#[tokio::test]
async fn reading_shows_the_round_as_edited_and_secrets_stay_here() {
    let run = run(vec![
        calls(&[
            fix(),
            ("read_file", json!({"path": "src/calc.py", "start": 1, "end": 2})),
            ("grep", json!({"pattern": "KEY|def"})),
            ("read_file", json!({"path": "src/token.py"})),
            ("read_file", json!({"path": "src"})),
            ("run_check", json!({"name": "unit-test"})),
        ]),
        calls(&[submit()]),
    ])
    .await;
    insta::assert_snapshot!(run.told(1).join("\n"), @r"
    staged
    src/calc.py lines 1-2 of 6
    ```
    def add(a, b):
        return a + b
    ```

    ```
    src/calc.py:1: def add(a, b):
    src/calc.py:5: def sub(a, b):
    src/token.py:1: KEY = '***'
    tests/test_calc.py:4: def test_add():
    ```

    src/token.py lines 1-1 of 1
    ```
    KEY = '***'
    ```

    ```
    calc.py
    token.py
    ```

    passed: exit code 0
    ");
    assert!(!serde_json::to_string(&run.requests).unwrap().contains("hunter2"));
    assert!(run.outcome.sent.iter().any(|sent| sent.path.as_str() == "src/calc.py" && sent.lines == (1, 2)));
}

#[tokio::test]
async fn a_failed_attempt_is_learned_from_and_its_candidate_goes_on() {
    let second = edit("src/calc.py", "return a * b", "return a + b");
    let run = run(vec![calls(&[wrong("a * b"), submit()]), calls(&[second, submit()])]).await;
    assert!(matches!(run.outcome.end, End::Verified), "{:?}", run.outcome.end);
    assert_eq!((run.outcome.rounds, run.requests.len()), (2, 2));
    let prompt = run.prompt(1);
    assert!(prompt.starts_with(&run.prompt(0)), "the prefix must stay the same");
    let fresh: Vec<&str> = prompt.strip_prefix(&run.prompt(0)).unwrap().lines().map(str::trim_end).collect();
    insta::assert_snapshot!(fresh.join("\n"), @r"

    ## Candidate so far (already applied; edit on top of it)
    ```diff
    src/calc.py
    @@ -1,5 +1,5 @@
     def add(a, b):
    -    return a - b
    +    return a * b


     def sub(a, b):
    ```

    ## Last attempt
    ```
    build: ok, it parses
    failing-tests: FAILED, 1 failed in 0s
    fails: test_add
    ```
    ```
    test at tests/test_calc.py:5 in test tests.test_calc test_add
        def test_add():
    >       assert add(2, 2) == 4
    E       assert 0 == 4
    E        +  where 0 = add(2, 2)
    ```

    ## Tried and refuted
    ```
    - add subtracted => failing-tests failed: 1 failed in 0s
    ```
    ");
}

#[tokio::test]
async fn the_same_failure_twice_changes_the_strategy_once_and_then_ends() {
    let other = edit("src/calc.py", "def sub(a, b):", "def sub(a, b):  # minus");
    let run =
        run(vec![calls(&[wrong("a * b"), submit()]), calls(&[other, submit()]), calls(&[wrong("a * b"), submit()])])
            .await;
    let End::NotVerified { reason } = &run.outcome.end else { panic!("{:?}", run.outcome.end) };
    assert!(reason.contains("change of strategy"), "{reason}");
    assert_eq!(run.outcome.rounds, 3);
    assert!(run.prompt(2).contains("the cause is elsewhere") && !run.prompt(1).contains("the cause is elsewhere"));
    assert!(!run.prompt(2).contains("Candidate so far"), "the candidate was dropped");
    assert_eq!(run.outcome.refuted.len(), 3);
    assert!(run.outcome.best.is_some(), "the best state so far is kept");
}

#[tokio::test]
async fn the_strong_model_takes_over_when_the_light_one_is_stuck() {
    let other = edit("src/calc.py", "def sub(a, b):", "def sub(a, b):  # minus");
    let light = vec![calls(&[wrong("a * b"), submit()]), calls(&[other, submit()])];
    let strong = vec![calls(&[wrong("a * b"), submit()]), calls(&[edit("src/calc.py", "a * b", "a + b"), submit()])];
    let servers = vec![ModelServer::start(None, light).await, ModelServer::start(None, strong).await];
    let run = run_with(servers, plan(), Meter::new(1.0, 300_000)).await;
    assert!(matches!(run.outcome.end, End::Verified), "{:?}", run.outcome.end);
    assert_eq!((run.outcome.rounds, run.outcome.best.as_ref().map(|best| best.tier)), (4, Some(Tier::Strong)));
}

#[tokio::test]
async fn the_code_is_asked_about_through_its_index() {
    let questions = [
        ("outline", json!({"path": "src/calc.py"})),
        ("find_symbol", json!({"name": "add"})),
        ("references", json!({"name": "add"})),
        ("history", json!({"path": "src/calc.py"})),
        ("references", json!({"name": "TOKEN"})),
    ];
    let run = run(vec![calls(&questions), calls(&[decline()])]).await;
    insta::assert_snapshot!(run.told(1).join("\n"), @r"
    ```
    src/calc.py:1: def add(a, b):
    src/calc.py:5: def sub(a, b):
    ```

    ```
    src/calc.py:1: def add(a, b):
    ```

    ```
    tests/test_calc.py:1: from calc import add
    tests/test_calc.py:5:     assert add(2, 2) == 4
    ```

    ```
    1a2b3c4 touch src/calc.py
    ```

    nothing found
    ");
}

#[tokio::test]
async fn a_worse_candidate_is_not_built_upon() {
    let broken = edit("src/calc.py", "def add(a, b):\n    return a * b", "");
    let run = run(vec![
        calls(&[wrong("a * b"), submit()]),
        calls(&[broken, submit()]),
        calls(&[edit("src/calc.py", "return a * b", "return a + b"), submit()]),
    ])
    .await;
    assert!(matches!(run.outcome.end, End::Verified), "{:?}", run.outcome.end);
}

#[tokio::test]
async fn rounds_are_bounded_and_answers_without_edits_are_rounds_too() {
    let mut plan = plan();
    plan.budget.rounds = 1;
    let server = ModelServer::start(None, vec![text("hm"), text("hm"), text("hm")]).await;
    let run = run_with(vec![server], plan, Meter::new(1.0, 300_000)).await;
    assert!(matches!(&run.outcome.end, End::NotVerified { reason } if reason == "no candidate held in 1 rounds"));
    assert!(run.told(1)[0].contains("Answer with tool calls"));
}

#[tokio::test]
async fn a_round_has_twelve_questions() {
    let mut plan = plan();
    plan.budget.rounds = 1;
    let look = || calls(&[("grep", json!({"pattern": "add"}))]);
    let server = ModelServer::start(None, (0..12).map(|_| look()).collect()).await;
    let run = run_with(vec![server], plan, Meter::new(1.0, 300_000)).await;
    assert!(run.told(10).join("").contains("Two answers are left"), "{:?}", run.told(10));
    assert!(matches!(run.outcome.end, End::NotVerified { .. }));
}

#[tokio::test]
async fn a_call_that_could_go_over_the_budget_is_not_made() {
    let server = ModelServer::start(None, Vec::new()).await;
    let run = run_with(vec![server], plan(), Meter::new(1.0, 4_500)).await;
    let End::BudgetExhausted { reason } = &run.outcome.end else { panic!("{:?}", run.outcome.end) };
    assert!(reason.ends_with("and 4500 tokens is left of the budget"), "{reason}");
    assert!(run.requests.is_empty());
    assert!(run.entries.iter().any(|entry| entry.action == "decision" && entry.outcome == *reason));
}

#[tokio::test]
async fn a_model_that_is_down_ends_with_the_best_state_so_far() {
    let run = run(vec![calls(&[wrong("a * b"), submit()]), status(500, "x"), status(500, "x")]).await;
    assert!(matches!(run.outcome.end, End::ModelFailed(LlmError::Unavailable { .. })), "{:?}", run.outcome.end);
    assert!(run.outcome.best.is_some());
}

#[tokio::test]
async fn the_strong_model_takes_over_when_the_light_one_is_down_or_declines() {
    for light in [vec![status(404, "no such model")], vec![calls(&[decline()])]] {
        let servers = vec![
            ModelServer::start(None, light).await,
            ModelServer::start(None, vec![calls(&[fix(), submit()])]).await,
        ];
        let run = run_with(servers, plan(), Meter::new(1.0, 300_000)).await;
        assert!(matches!(run.outcome.end, End::Verified), "{:?}", run.outcome.end);
        assert_eq!(run.outcome.best.unwrap().tier, Tier::Strong);
    }
}

#[tokio::test]
async fn an_unreadable_answer_is_asked_for_again_and_billed_each_time() {
    let run = run(vec![status(200, "<html>"), status(200, "{}"), calls(&[fix(), submit()])]).await;
    assert!(matches!(run.outcome.end, End::Verified));
    assert_eq!(run.meter.bill(Seconds::default()).calls, 3);
    assert!(run.meter.is_estimated());
    let garbage: Vec<Step> = (0..3).map(|_| status(200, "<html>")).collect();
    let server = ModelServer::start(None, garbage).await;
    let run = run_with(vec![server], plan(), Meter::new(1.0, 300_000)).await;
    assert!(matches!(run.outcome.end, End::ModelFailed(LlmError::Garbled { .. })), "{:?}", run.outcome.end);
}

#[tokio::test]
async fn a_model_without_tools_repairs_in_plain_text() {
    let answer = "The sign is wrong.\n=== call edit\n--- path\nsrc/calc.py\n--- old\ndef add(a, b):\n    return a - b\n\
                  --- new\ndef add(a, b):\n    return a + b\n=== end\n=== call submit\n--- summary\nadd adds\n--- cause\nsign\n=== end";
    let read = "=== call read_file\n--- path\nsrc/calc.py\n--- start\n1\n=== end";
    let server = ModelServer::start(None, vec![text(read), text(answer)]).await.without_tools();
    let run = run_with(vec![server], plan(), Meter::new(1.0, 300_000)).await;
    assert!(matches!(run.outcome.end, End::Verified), "{:?}", run.outcome.end);
    assert!(run.fixed());
}

#[tokio::test]
async fn the_prompt_can_be_shown_without_asking() {
    let server = ModelServer::start(None, Vec::new()).await;
    let model = open(&server);
    let (world, plan, steady, journal) = (World::new(), plan(), Steady::default(), Journal::unkept(|| 0));
    let job = Job {
        ground: &world,
        plan: &plan,
        context: "",
        code: None,
        ladder: &[(Tier::Light, model.as_ref())],
        max_output: 4096,
        deadline: Duration::from_mins(1),
        scrub: &str::to_owned,
        steady: &steady,
        journal: &journal,
    };
    let text = show_prompt(&job).unwrap();
    assert!(text.starts_with("--- system\nYou repair software") && text.contains("--- user\n## Failure"));
    assert!(text.contains("edit: Replace") && !text.contains("outline"), "{text}");
    assert!(server.finish().is_empty());
}

/// The whole of a repair is the same from a recording: every request of it is found again, without a network.
#[tokio::test]
async fn a_recorded_repair_replays_to_the_same_end() {
    let directory = tempfile::tempdir().unwrap();
    let script = vec![
        calls(&[("run_check", json!({"name": "unit-test"})), ("read_file", json!({"path": "src/calc.py"}))]),
        calls(&[wrong("a * b"), submit()]),
        calls(&[edit("src/calc.py", "a * b", "a + b"), submit()]),
    ];
    let server = ModelServer::start(None, script).await;
    let recorder = Recorder::new(open(&server), directory.path(), Box::new(str::to_owned)).unwrap();
    let first = run_on(&recorder).await;
    assert_eq!(server.finish().len(), 3);
    let second = run_on(&Replay::open(directory.path()).unwrap()).await;
    for outcome in [&first, &second] {
        assert!(matches!(outcome.end, End::Verified), "{:?}", outcome.end);
    }
    assert_eq!((first.rounds, first.refuted), (second.rounds, second.refuted));
}

async fn run_on(model: &dyn Model) -> Outcome {
    let (world, plan, steady, journal) = (World::new(), plan(), Steady::default(), Journal::unkept(|| 0));
    let job = Job {
        ground: &world,
        plan: &plan,
        context: "",
        code: None,
        ladder: &[(Tier::Light, model)],
        max_output: 4096,
        deadline: Duration::from_mins(1),
        scrub: &str::to_owned,
        steady: &steady,
        journal: &journal,
    };
    repair(&job, &mut Meter::new(1.0, 300_000)).await
}

#[tokio::test]
async fn a_new_file_is_staged_seen_and_kept() {
    let run = run(vec![
        calls(&[
            fix(),
            ("create_file", json!({"path": "src/extra.py", "content": "def extra():\n    pass"})),
            ("grep", json!({"pattern": "def extra"})),
            ("create_file", json!({"path": "src/calc.py", "content": "x"})),
        ]),
        calls(&[submit()]),
    ])
    .await;
    insta::assert_snapshot!(run.told(1).join("\n"), @r"
    staged
    staged
    ```
    src/extra.py:1: def extra():
    ```

    error: src/calc.py: the path exists already; use edit
    ");
    assert!(matches!(run.outcome.end, End::Verified), "{:?}", run.outcome.end);
    let commit = &run.outcome.best.as_ref().unwrap().commit;
    assert_eq!(run.world.text(commit, "src/extra.py").unwrap(), "def extra():\n    pass\n");
}

#[tokio::test]
async fn the_time_ends_a_call_that_is_under_way_and_the_bill_has_it() {
    let mut plan = plan();
    plan.budget.minutes = 0;
    let server = ModelServer::start(None, vec![hang(Duration::from_mins(10))]).await;
    let run = run_with(vec![server], plan, Meter::new(1.0, 300_000)).await;
    let End::BudgetExhausted { reason } = &run.outcome.end else { panic!("{:?}", run.outcome.end) };
    assert_eq!(reason, "the 0 s that the budget allows are over");
    assert!(run.meter.is_estimated() && run.meter.bill(Seconds::default()).input > 0);
}

#[tokio::test]
async fn what_a_lower_tier_left_is_shown_and_ruled_on_too() {
    let left = |path: &str, old: &str| Edit::Replace {
        path: RepoPath::new(path).unwrap(),
        old: old.to_owned(),
        new: "# by a fixer\n".to_owned(),
    };
    for (edit, blocked) in
        [(left(".github/workflows/ci.yml", "on: push\n"), true), (left("src/token.py", "KEY = 'hunter2'\n"), false)]
    {
        let server = ModelServer::start(None, vec![calls(&[fix(), submit()])]).await;
        let run = run_in(World::after(&edit), vec![server], plan(), Meter::new(1.0, 300_000)).await;
        assert!(run.prompt(0).contains("+# by a fixer"), "{}", run.prompt(0));
        assert_eq!(matches!(run.outcome.end, End::PolicyBlocked), blocked, "{:?}", run.outcome.end);
        assert_eq!(run.outcome.refusals.len(), usize::from(blocked));
        assert_eq!(*run.world.proved.lock().unwrap(), u32::from(!blocked));
    }
}

#[tokio::test]
async fn edits_are_not_made_when_the_last_one_was_never_mended() {
    let mut plan = plan();
    plan.budget.rounds = 1;
    let look = || calls(&[("grep", json!({"pattern": "add"}))]);
    let miss = || calls(&[edit("src/calc.py", "nowhere", "x")]);
    let script = std::iter::once(calls(&[fix()])).chain((0..10).map(|_| look())).chain([miss()]).collect();
    let run = run_with(vec![ModelServer::start(None, script).await], plan, Meter::new(1.0, 300_000)).await;
    assert!(matches!(run.outcome.end, End::NotVerified { .. }), "{:?}", run.outcome.end);
    assert_eq!(*run.world.proved.lock().unwrap(), 0);
}
