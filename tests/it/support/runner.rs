//! The program as a runner of GitHub Actions starts it: its variables, its files, and nothing else of the caller's.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use super::github::{FakeGitHub, RED_RUN};
use super::program::{Program, Ran};

/// What started the workflow that the program is a step of.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Event {
    /// Another workflow's run is over: a run of its own on the default branch, with an empty workspace.
    WorkflowRun,
    /// A push: the last step of the job that failed, with the failed commit checked out.
    Push,
}

/// One step to be.
pub(crate) struct Runner {
    program: Program,
    variables: BTreeMap<String, String>,
    event: Value,
}

/// How a step ended.
pub(crate) struct Step {
    pub(crate) ran: Ran,
    pub(crate) outputs: BTreeMap<String, String>,
    pub(crate) summary: String,
}

/// A step that runs.
pub(crate) struct Running {
    child: Child,
    runner: Runner,
}

impl Runner {
    /// A step of a workflow that waits for the failed run of the scene.
    pub(crate) fn new(github: &FakeGitHub) -> Self {
        Self::on(github, Event::WorkflowRun)
    }

    /// A step for an event about the failed run of the scene.
    pub(crate) fn on(github: &FakeGitHub, event: Event) -> Self {
        let program = Program::new();
        for directory in ["workspace", "temp", "files"] {
            std::fs::create_dir(program.path(directory)).unwrap();
        }
        let mut runner = Self { program, variables: BTreeMap::new(), event: Value::Null };
        runner.set_places(github);
        runner.set_event(github, event);
        runner
    }

    fn set_places(&mut self, github: &FakeGitHub) {
        let path = |name: &str| self.program.path(name).to_str().unwrap().to_owned();
        let repository = github.world().repository.clone();
        let variables = [
            ("CI", "true".to_owned()),
            ("GITHUB_ACTIONS", "true".to_owned()),
            ("GITHUB_ACTION", "__unbreak".to_owned()),
            ("GITHUB_ACTOR", "octo".to_owned()),
            ("GITHUB_TRIGGERING_ACTOR", "octo".to_owned()),
            ("GITHUB_API_URL", github.api()),
            ("GITHUB_GRAPHQL_URL", github.graphql()),
            ("GITHUB_SERVER_URL", github.url()),
            ("GITHUB_REPOSITORY_OWNER", repository.split('/').next().unwrap().to_owned()),
            ("GITHUB_REPOSITORY", repository),
            ("GITHUB_WORKSPACE", path("workspace")),
            ("GITHUB_EVENT_PATH", path("files/event.json")),
            ("GITHUB_OUTPUT", path("files/output")),
            ("GITHUB_STEP_SUMMARY", path("files/summary")),
            ("GITHUB_ENV", path("files/env")),
            ("GITHUB_PATH", path("files/path")),
            ("GITHUB_STATE", path("files/state")),
            ("GITHUB_RETENTION_DAYS", "90".to_owned()),
            ("RUNNER_TEMP", path("temp")),
            ("RUNNER_OS", "Linux".to_owned()),
            ("RUNNER_ARCH", "X64".to_owned()),
            ("RUNNER_NAME", "GitHub Actions 1".to_owned()),
        ];
        self.variables.extend(variables.map(|(name, value)| (name.to_owned(), value)));
    }

    fn set_event(&mut self, github: &FakeGitHub, event: Event) {
        let (run, attempt, failed, branch, tip) = {
            let world = github.world();
            let red = world.runs.iter().find(|run| run.id == RED_RUN).unwrap();
            let tip = world.git.tip(&world.default_branch).unwrap();
            (red.id, red.attempt, red.clone(), world.default_branch.clone(), tip)
        };
        let of_run = |run: u64, name: &str, job: &str| [run.to_string(), name.to_owned(), job.to_owned()];
        let (name, [run, workflow, job], sha, branch) = match event {
            Event::WorkflowRun => ("workflow_run", of_run(run + 1000, "unbreak", "unbreak"), tip, branch),
            Event::Push => ("push", of_run(run, "CI", "test"), failed.head_sha.clone(), failed.head_branch.clone()),
        };
        self.event = match event {
            Event::WorkflowRun => github.workflow_run_event(failed.id),
            Event::Push => json!({
                "ref": format!("refs/heads/{branch}"), "after": sha,
                "repository": {"full_name": github.world().repository},
                "sender": {"login": failed.actor},
            }),
        };
        if event == Event::Push {
            self.check_out(github, &sha);
        }
        let file = if event == Event::Push { "ci.yml" } else { "unbreak.yml" };
        let reference = format!("refs/heads/{branch}");
        let workflow_ref = format!("{}/.github/workflows/{file}@{reference}", self.variables["GITHUB_REPOSITORY"]);
        let variables = [
            ("GITHUB_EVENT_NAME", name.to_owned()),
            ("GITHUB_RUN_ID", run),
            ("GITHUB_RUN_NUMBER", failed.number.to_string()),
            ("GITHUB_RUN_ATTEMPT", if event == Event::Push { attempt.to_string() } else { "1".to_owned() }),
            ("GITHUB_WORKFLOW", workflow),
            ("GITHUB_WORKFLOW_REF", workflow_ref),
            ("GITHUB_JOB", job),
            ("GITHUB_SHA", sha),
            ("GITHUB_REF", reference),
            ("GITHUB_REF_NAME", branch),
            ("GITHUB_REF_TYPE", "branch".to_owned()),
        ];
        self.variables.extend(variables.map(|(name, value)| (name.to_owned(), value)));
    }

    /// As `actions/checkout` leaves it: one commit, no history, a remote that needs a token.
    fn check_out(&self, github: &FakeGitHub, commit: &str) {
        let bare = github.world().git.path();
        let from = format!("file://{}", bare.display());
        let url = github.clone_url();
        let steps: [&[&str]; 4] = [
            &["init", "--quiet", "--initial-branch=main"],
            &["-c", "uploadpack.allowAnySHA1InWant=true", "fetch", "--quiet", "--depth=1", &from, commit],
            &["checkout", "--quiet", "-B", "main", "FETCH_HEAD"],
            &["remote", "add", "origin", &url],
        ];
        for arguments in steps {
            let output = Command::new("git")
                .args(arguments)
                .current_dir(self.workspace())
                .env("GIT_CONFIG_GLOBAL", "/dev/null")
                .output()
                .unwrap();
            assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        }
    }

    /// An input of the action, under the name that the runner gives it: upper case, blanks to underscores, hyphens kept.
    pub(crate) fn input(self, name: &str, value: &str) -> Self {
        let name = format!("INPUT_{}", name.replace(' ', "_").to_uppercase());
        self.variable(&name, value)
    }

    /// A variable of the step, in place of the runner's own where it has one.
    pub(crate) fn variable(mut self, name: &str, value: &str) -> Self {
        self.variables.insert(name.to_owned(), value.to_owned());
        self
    }

    /// Changes the event before it is written.
    pub(crate) fn event(mut self, change: impl FnOnce(&mut Value)) -> Self {
        change(&mut self.event);
        self
    }

    /// `GITHUB_WORKSPACE`.
    pub(crate) fn workspace(&self) -> PathBuf {
        self.program.path("workspace")
    }

    /// Runs the program to its end.
    pub(crate) fn run(self, arguments: &[&str]) -> Step {
        self.start(arguments).wait()
    }

    /// The program, not started yet; the step's files are there.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        std::fs::write(self.program.path("files/event.json"), self.event.to_string()).unwrap();
        for name in ["output", "summary", "env", "path", "state"] {
            std::fs::write(self.program.path("files").join(name), "").unwrap();
        }
        let mut command = self.program.command(arguments);
        command.envs(&self.variables).current_dir(self.workspace());
        command
    }

    /// Starts the program.
    pub(crate) fn start(self, arguments: &[&str]) -> Running {
        let mut command = self.command(arguments);
        let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        Running { child, runner: self }
    }
}

impl Running {
    /// Waits for the end. Outputs are read as the runner reads them, which is what a wrong delimiter breaks.
    pub(crate) fn wait(self) -> Step {
        self.wait_and(|| ())
    }

    /// Waits for the end, and looks before the workspace is gone.
    pub(crate) fn wait_and(self, look: impl FnOnce()) -> Step {
        let ran = Ran::from(self.child.wait_with_output().unwrap());
        look();
        let read = |name: &str| std::fs::read_to_string(self.runner.program.path("files").join(name)).unwrap();
        Step { ran, outputs: parse_outputs(&read("output")), summary: read("summary") }
    }
}

/// `NAME=VALUE` lines and `NAME<<DELIMITER` blocks; anything else fails the step, and so the test.
pub(crate) fn parse_outputs(text: &str) -> BTreeMap<String, String> {
    let mut outputs = BTreeMap::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let (equals, heredoc) = (line.find('='), line.find("<<"));
        match (equals, heredoc) {
            (equals, Some(at)) if equals.is_none_or(|equals| at < equals) => {
                let (name, delimiter) = (&line[..at], &line[at + 2..]);
                assert!(!delimiter.is_empty(), "no delimiter: {line}");
                let mut value = Vec::new();
                loop {
                    match lines.next() {
                        Some(end) if end == delimiter => break,
                        Some(line) => value.push(line),
                        None => panic!("`{delimiter}` never came: {text}"),
                    }
                }
                outputs.insert(name.to_owned(), value.join("\n"));
            }
            (Some(at), _) => drop(outputs.insert(line[..at].to_owned(), line[at + 1..].to_owned())),
            _ if line.is_empty() => {}
            _ => panic!("no output: {line}"),
        }
    }
    outputs
}
