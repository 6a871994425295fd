//! Tests of `prompt`, by behaviour.

use std::collections::BTreeMap;
use std::time::Duration;

use super::*;
use crate::artifact::{FaultKind, Location, Severity, Status, TestCounts, TestId};
use crate::evidence::{Step, TestRun};
use crate::ids::Fingerprint;
use crate::plan::Check;
use crate::policy::{Budget, CommandSpec, Network, PatchLimits};

fn plan() -> Plan {
    let command = CommandSpec {
        argv: vec!["pytest".into(), "-q".into()],
        cwd: None,
        env: BTreeMap::new(),
        timeout: Duration::from_mins(1),
        network: Network::Deny,
    };
    let failure = Failure {
        id: Fingerprint::of(&["x"]),
        kind: FaultKind::Test,
        tool: Some("pytest".into()),
        rule: None,
        severity: Severity::Error,
        message: "assert 3 == 4".into(),
        test: Some(TestId { suite: String::new(), class: "tests.test_a".into(), name: "test_add".into() }),
        location: Some(Location { path: "tests/test_a.py".into(), line: Some(4), column: None }),
        frames: Vec::new(),
        artifact: 0,
        lines: None,
        excerpt: "    def test_add():\n>       assert add(2, 2) == 4\nE       assert 3 == 4".into(),
        occurrences: 1,
        tests: Vec::new(),
        weight: 0,
    };
    Plan {
        failures: vec![failure],
        proof: Check { name: "unit-test".into(), command, role: Role::Suite },
        checks: Vec::new(),
        steps: Vec::new(),
        limits: PatchLimits::default(),
        budget: Budget::default(),
    }
}

#[test]
fn the_first_prompt_reads_well() {
    let plan = plan();
    let task = Task { plan: &plan, context: "### src/a.py:1-2\n```\ndef add(a, b):\n```" };
    insta::assert_snapshot!(user(&task, &Progress::default(), &Steady::default()), @r"
    ## Failure
    ```
    test at tests/test_a.py:4 in test tests.test_a test_add
        def test_add():
    >       assert add(2, 2) == 4
    E       assert 3 == 4
    ```

    Proof: check `unit-test` must pass. Limits: 10 files, 400 changed lines.

    ## Context
    ### src/a.py:1-2
    ```
    def add(a, b):
    ```
    ");
}

#[test]
fn a_later_prompt_keeps_its_beginning_and_tells_what_was_learned() {
    let plan = plan();
    let task = Task { plan: &plan, context: "" };
    let first = user(&task, &Progress::default(), &Steady::default());
    let id = |name: &str| TestId { name: name.into(), ..TestId::default() };
    let run = |tests: Vec<(TestId, Status)>| TestRun {
        command: "c1".into(),
        counts: TestCounts::default(),
        tests,
        failures: Vec::new(),
    };
    let verification = Verification {
        steps: vec![Step {
            name: "suite".into(),
            passed: false,
            summary: "2 failed in 0.31s".into(),
            commands: Vec::new(),
        }],
        before: Some(run(vec![(id("a"), Status::Failed), (id("b"), Status::Passed)])),
        after: Some(run(vec![(id("a"), Status::Failed), (id("b"), Status::Failed)])),
        repeats: 0,
        not_run: Vec::new(),
    };
    let findings = [Finding {
        rule: "new-suppression".into(),
        path: "a.py".into(),
        line: Some(3),
        message: "# noqa".into(),
        severity: Weight::Block,
    }];
    let refuted = ["off by one in add: suite failed".to_owned()];
    let progress = Progress {
        diff: "+x\n",
        last: Some(Last { verification: &verification, findings: &findings, failures: &plan.failures }),
        refuted: &refuted,
        stuck: true,
    };
    let later = user(&task, &progress, &Steady::default());
    insta::assert_snapshot!(later.strip_prefix(&first).unwrap(), @r"

    ## Candidate so far (already applied; edit on top of it)
    ```diff
    +x
    ```

    ## Last attempt
    ```
    suite: FAILED, 2 failed in 0s
    still fails: a
    newly fails: b
    forbidden (new-suppression) a.py:3: # noqa
    ```
    ```
    test at tests/test_a.py:4 in test tests.test_a test_add
        def test_add():
    >       assert add(2, 2) == 4
    E       assert 3 == 4
    ```

    ## Tried and refuted
    ```
    - off by one in add: suite failed
    ```

    Two attempts failed in the same way, so the cause is elsewhere. The candidate was dropped. Before you edit, read code that you have not read, name a different cause, and fix that.
    ");
}
