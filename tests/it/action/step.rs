//! A step of a job: the runner's variables and files, and a program that plays the stages and writes down what it got.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use tempfile::TempDir;
use unbreak::action::{self, Setting};

use super::log::{Obeyed, obeyed};

/// Plays a stage: writes down its environment and arguments, logs and prints what a file says.
const STAGE: &str = r#"#!/bin/sh
here=$(dirname "$0")
cat /proc/$$/environ > "$here/$1.env"
printf '%s\n' "$@" > "$here/$1.args"
[ -f "$here/$1.log" ] && cat "$here/$1.log" >&2
[ -f "$here/$1.dies" ] && kill -9 $$
cat "$here/$1.json"
exit "$(cat "$here/$1.code")"
"#;

/// Names the directory of a step to the process that runs it.
const PLACE: &str = "UNBREAK_TEST_STEP";

pub(super) struct Step {
    place: TempDir,
    env: BTreeMap<String, String>,
}

/// What a step left.
pub(super) struct Told {
    pub(super) log: String,
    pub(super) summary: String,
    pub(super) outputs: BTreeMap<String, String>,
    pub(super) raw_outputs: String,
    pub(super) temporary: String,
    code: u8,
    place: TempDir,
}

/// `workflow_run` of a run that failed.
pub(super) fn event(change: impl FnOnce(&mut Value)) -> Value {
    let mut event = json!({
        "action": "completed",
        "repository": {"full_name": "octo/hello"},
        "workflow_run": {
            "id": 77, "run_attempt": 2, "event": "push", "conclusion": "failure", "head_branch": "main",
            "head_repository": {"full_name": "octo/hello"}
        }
    });
    change(&mut event);
    event
}

/// What `collect` prints.
pub(super) fn collected(failed: &[&str]) -> Value {
    json!({
        "version": 1, "repository": "octo/hello", "run_id": 77, "attempt": 2, "commit": "a".repeat(40),
        "branch": "main", "fork": false, "failed_jobs": failed, "artifacts": 0, "last_green": null, "policy": null,
        "left_out": []
    })
}

/// What `repair` prints.
pub(super) fn proposal(result: &str) -> Value {
    json!({
        "version": 1, "result": result, "reason": "a reason", "exit_code": 0, "fingerprint": null,
        "base_commit": "a".repeat(40), "uncommitted": false, "left_out": [],
        "policy": {"path": null, "commit": null, "hash": null}, "failure": null, "tier": "zero",
        "files": ["src/a.py"], "lines": {"added": 1, "removed": 1}, "reproduction": null, "verification": null,
        "findings": [], "walls": null,
        "usage": {
            "calls": 2, "input": 100, "cached_read": 10, "cache_write": 1, "output": 7, "reasoning": 0, "usd": 0.0123,
            "seconds": {"model": 0.0, "commands": 0.0, "own": 0.0}
        },
        "sent": [], "journal_head": "b".repeat(64), "attempts": [], "hints": [], "cause": null
    })
}

/// What `publish` prints.
pub(super) fn published(outcome: &str, reason: &str) -> Value {
    json!({
        "version": 1, "outcome": outcome, "reason": reason, "branch": "unbreak/test-0a1b2c3d", "commit": null,
        "pull_request": {"number": 4, "url": "https://github.com/octo/hello/pull/4"}, "hints": [], "notes": [],
        "bundle": null, "api_calls": 7
    })
}

impl Step {
    pub(super) fn new() -> Self {
        let place = tempfile::tempdir().unwrap();
        for directory in ["temp", "workspace", "state", "stages"] {
            fs::create_dir(place.path().join(directory)).unwrap();
        }
        let program = place.path().join("stages/program");
        fs::write(&program, STAGE).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        let path = |name: &str| place.path().join(name).display().to_string();
        let env = [
            ("PATH", "/usr/local/bin:/usr/bin:/bin".to_owned()),
            ("HOME", path("state")),
            ("GITHUB_ACTIONS", "true".to_owned()),
            ("GITHUB_REPOSITORY", "octo/hello".to_owned()),
            ("GITHUB_RUN_ID", "78".to_owned()),
            ("GITHUB_RUN_ATTEMPT", "1".to_owned()),
            ("GITHUB_REF_NAME", "main".to_owned()),
            ("GITHUB_WORKSPACE", path("workspace")),
            ("GITHUB_EVENT_PATH", path("event.json")),
            ("GITHUB_OUTPUT", path("output")),
            ("GITHUB_STEP_SUMMARY", path("summary")),
            ("RUNNER_TEMP", path("temp")),
            ("INPUT_GITHUB-TOKEN", "forge-token".to_owned()),
        ];
        let env = env.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        Self { place, env }
            .event("workflow_run", &event(|_| {}))
            .answer("collect", 0, &collected(&["test"]))
            .answer("repair", 0, &proposal("fixed"))
            .answer("publish", 0, &published("opened", "pull request 4 was opened"))
    }

    pub(super) fn env(mut self, name: &str, value: &str) -> Self {
        self.env.insert(name.to_owned(), value.to_owned());
        self
    }

    pub(super) fn without(mut self, name: &str) -> Self {
        self.env.remove(name);
        self
    }

    pub(super) fn input(self, name: &str, value: &str) -> Self {
        self.env(&format!("INPUT_{name}"), value)
    }

    pub(super) fn event(self, name: &str, payload: &Value) -> Self {
        self.file_of_runner("event.json", &payload.to_string()).env("GITHUB_EVENT_NAME", name)
    }

    /// What a stage prints, and how it ends.
    pub(super) fn answer(self, stage: &str, code: u8, document: &Value) -> Self {
        let this = self.file_of_runner(&format!("stages/{stage}.json"), &document.to_string());
        this.file_of_runner(&format!("stages/{stage}.code"), &code.to_string())
    }

    /// What a stage writes to its log.
    pub(super) fn log(self, stage: &str, text: &str) -> Self {
        self.file_of_runner(&format!("stages/{stage}.log"), text)
    }

    /// A stage that is killed before it prints anything.
    pub(super) fn dies(self, stage: &str) -> Self {
        self.file_of_runner(&format!("stages/{stage}.dies"), "")
    }

    /// A file of the workspace.
    pub(super) fn file(self, name: &str, text: &str) -> Self {
        self.file_of_runner(&format!("workspace/{name}"), text)
    }

    /// The proposal that an earlier job left, whole.
    pub(super) fn handed(self, directory: &str, proposal: &Value) -> Self {
        let directory = format!("temp/unbreak/{directory}");
        let this = self.file_of_runner(&format!("{directory}/proposal.json"), &proposal.to_string());
        unbreak::handover::seal(&this.place.path().join(directory), unbreak::handover::Kind::Proposal).unwrap();
        this
    }

    pub(super) fn file_of_runner(self, name: &str, text: &str) -> Self {
        let path = self.place.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }

    /// Runs the step in a process of its own, whose standard output is the log.
    pub(super) fn run(self) -> Told {
        let path = |name: &str| self.place.path().join(name);
        fs::write(path("env.json"), serde_json::to_string(&self.env).unwrap()).unwrap();
        let ran = Command::new(std::env::current_exe().unwrap())
            .args(["action::step::the_step_itself", "--exact", "--ignored", "--nocapture"])
            .env_clear()
            .env(PLACE, self.place.path())
            .output()
            .unwrap();
        let log = String::from_utf8_lossy(&ran.stdout).into_owned();
        assert!(ran.status.success(), "{log}\n{}", String::from_utf8_lossy(&ran.stderr));
        let read = |name: &str| fs::read_to_string(path(name)).unwrap_or_default();
        let raw_outputs = read("output");
        Told {
            log,
            summary: read("summary"),
            outputs: outputs(&raw_outputs),
            raw_outputs,
            temporary: path("temp").display().to_string(),
            code: read("code").parse().unwrap(),
            place: self.place,
        }
    }
}

#[test]
#[ignore = "the body of a process that the other tests start"]
fn the_step_itself() {
    let place = PathBuf::from(std::env::var_os(PLACE).unwrap());
    let env: BTreeMap<String, String> =
        serde_json::from_str(&fs::read_to_string(place.join("env.json")).unwrap()).unwrap();
    let (program, state) = (place.join("stages/program"), place.join("state"));
    let setting = Setting { env: &env, program: &program, state: &state, with: &[] };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    // The harness has begun a line of its own.
    println!();
    let code = runtime.block_on(action::run(&setting)).unwrap_or_else(|error| unbreak::exit::of_error(&error));
    fs::write(place.join("code"), code.to_string()).unwrap();
}

impl Told {
    /// Fails the test, with all that was told, unless the step ended so.
    pub(super) fn expect(self, code: u8) -> Self {
        assert_eq!(self.code, code, "{}\n{}", self.log, self.summary);
        self
    }

    pub(super) fn output(&self, name: &str) -> &str {
        self.outputs.get(name).unwrap_or_else(|| panic!("no output `{name}`: {}", self.raw_outputs))
    }

    pub(super) fn obeyed(&self) -> Vec<Obeyed> {
        obeyed(&self.log)
    }

    /// The lines of one command that the runner obeys.
    pub(super) fn commands(&self, name: &str) -> Vec<String> {
        self.obeyed().into_iter().filter(|command| command.name == name).map(|command| command.line).collect()
    }

    pub(super) fn ran(&self, stage: &str) -> bool {
        self.stage(stage, "args").exists()
    }

    pub(super) fn arguments(&self, stage: &str) -> Vec<String> {
        fs::read_to_string(self.stage(stage, "args")).unwrap().lines().map(str::to_owned).collect()
    }

    /// The environment that a stage began with.
    pub(super) fn environment(&self, stage: &str) -> BTreeMap<String, String> {
        let raw = fs::read_to_string(self.stage(stage, "env")).unwrap();
        let pairs = raw.split('\0').filter_map(|pair| pair.split_once('='));
        pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
    }

    /// A file below the step's own directory.
    pub(super) fn kept(&self, name: &str) -> String {
        fs::read_to_string(Path::new(&self.temporary).join("unbreak/77-2").join(name)).unwrap()
    }

    pub(super) fn workspace_is_untouched(&self) -> bool {
        fs::read_dir(self.place.path().join("workspace")).unwrap().next().is_none()
    }

    fn stage(&self, stage: &str, what: &str) -> PathBuf {
        self.place.path().join(format!("stages/{stage}.{what}"))
    }
}

/// The outputs as the runner reads them; the last of a name counts.
fn outputs(text: &str) -> BTreeMap<String, String> {
    let (mut found, mut lines) = (BTreeMap::new(), text.split('\n'));
    while let Some(line) = lines.next() {
        let Some((name, word)) = line.split_once("<<") else { continue };
        let value: Vec<&str> = lines.by_ref().take_while(|line| *line != word).collect();
        found.insert(name.to_owned(), value.join("\n"));
    }
    found
}
