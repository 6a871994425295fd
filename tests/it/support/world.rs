//! A small project in memory with a proof that only looks at its text: what the loop's rules are tested on.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Duration;

use unbreak::artifact::{FaultKind, Location, Severity, Status, TestCounts, TestId};
use unbreak::change::{Edit, FileChange, resolve};
use unbreak::evidence::{Step, TestRun, Verification};
use unbreak::failure::Failure;
use unbreak::git::CommitId;
use unbreak::ids::{Fingerprint, RepoPath};
use unbreak::plan::{Check, Plan, Role};
use unbreak::policy::{Budget, CommandSpec, Decision, Network, PatchLimits, Rule, RuleSource, Ruling};
use unbreak::repair::{Checked, Code, Ground, Place, Proof, Working};
use unbreak::source::{Memory, Source};
use unbreak::verify::VerifyError;

/// The module at fault.
pub(crate) const CALC: &str = "def add(a, b):\n    return a - b\n\n\ndef sub(a, b):\n    return a - b\n";
const TEST: &str = "from calc import add\n\n\ndef test_add():\n    assert add(2, 2) == 4\n";

/// A project, its rulings and its proof.
pub(crate) struct World {
    trees: Mutex<Vec<(Memory, String)>>,
    pub(crate) proved: Mutex<u32>,
    start: CommitId,
}

impl World {
    pub(crate) fn new() -> Self {
        let files = [
            ("src/calc.py", CALC),
            ("tests/test_calc.py", TEST),
            ("Cargo.lock", "version = 4\n"),
            (".env", "TOKEN=hunter2\n"),
            (".github/workflows/ci.yml", "on: push\n"),
            ("src/token.py", "KEY = 'hunter2'\n"),
        ];
        let tree = Memory::new(files.map(|(path, text)| (RepoPath::new(path).unwrap(), text)));
        Self { trees: Mutex::new(vec![(tree, String::new())]), proved: Mutex::new(0), start: CommitId("0".to_owned()) }
    }

    /// A world in which a lower tier left this change.
    pub(crate) fn after(edit: &Edit) -> Self {
        let mut world = Self::new();
        let base = world.base();
        let changes = resolve(std::slice::from_ref(edit), &world.memory(&base)).unwrap();
        world.start = world.snapshot(&base, &changes, "a fixer").unwrap();
        world
    }

    pub(crate) fn memory(&self, commit: &CommitId) -> Memory {
        self.trees.lock().unwrap()[commit.0.parse::<usize>().unwrap()].0.clone()
    }

    pub(crate) fn text(&self, commit: &CommitId, path: &str) -> Option<String> {
        self.memory(commit).text(&RepoPath::new(path).unwrap())
    }
}

fn ruling(decision: Decision, text: &str) -> Ruling {
    Ruling { decision, rules: vec![Rule { source: RuleSource::Policy, text: text.to_owned(), line: Some(3) }] }
}

impl Ground for World {
    fn base(&self) -> CommitId {
        CommitId("0".to_owned())
    }

    fn start(&self) -> CommitId {
        self.start.clone()
    }

    fn tree(&self, commit: &CommitId) -> Result<Box<dyn Source>, VerifyError> {
        Ok(Box::new(self.memory(commit)))
    }

    fn snapshot(&self, parent: &CommitId, changes: &[FileChange], message: &str) -> Result<CommitId, VerifyError> {
        let tree = self.memory(parent);
        let mut files: BTreeMap<RepoPath, Vec<u8>> =
            tree.files().iter().map(|entry| (entry.path.clone(), tree.read(&entry.path).unwrap().to_vec())).collect();
        for change in changes {
            assert_eq!(change.before.as_ref().map(|file| &file.bytes), files.get(&change.path), "a stale edit");
            match &change.after {
                Some(file) => files.insert(change.path.clone(), file.bytes.clone()),
                None => files.remove(&change.path),
            };
        }
        let mut trees = self.trees.lock().unwrap();
        trees.push((Memory::new(files), message.to_owned()));
        Ok(CommitId((trees.len() - 1).to_string()))
    }

    fn changes(&self, candidate: &CommitId) -> Result<Vec<FileChange>, VerifyError> {
        let (before, after) = (self.memory(&self.base()), self.memory(candidate));
        let file = |tree: &Memory, path: &RepoPath| {
            tree.read(path)
                .map(|bytes| unbreak::change::File { bytes: bytes.to_vec(), mode: unbreak::change::Mode::Regular })
        };
        let paths: std::collections::BTreeSet<RepoPath> =
            before.files().iter().chain(after.files()).map(|entry| entry.path.clone()).collect();
        let all =
            paths.into_iter().map(|path| FileChange { before: file(&before, &path), after: file(&after, &path), path });
        Ok(all.filter(|change| change.before != change.after).collect())
    }

    fn patch(&self, candidate: &CommitId) -> Result<String, VerifyError> {
        let text = |file: Option<unbreak::change::File>| {
            file.map_or_else(String::new, |file| String::from_utf8(file.bytes).unwrap())
        };
        let patch = self.changes(candidate)?.into_iter().map(|change| {
            let (before, after) = (text(change.before), text(change.after));
            let diff = similar::TextDiff::from_lines(&before, &after).unified_diff().to_string();
            format!("{}\n{diff}", change.path)
        });
        Ok(patch.collect())
    }

    fn may_write(&self, path: &RepoPath, _new: bool) -> Ruling {
        match path.as_str() {
            path if path.starts_with(".github/workflows/") => ruling(Decision::Deny, ".github/workflows/"),
            "Cargo.lock" => ruling(Decision::Ask, "Cargo.lock"),
            path if path.starts_with("src/") || path.starts_with("tests/") => ruling(Decision::Allow, "src/"),
            _ => ruling(Decision::Deny, "allowed_write_paths"),
        }
    }

    fn may_read(&self, path: &RepoPath) -> Ruling {
        let decision = if path.as_str() == ".env" { Decision::Deny } else { Decision::Allow };
        ruling(decision, ".env*")
    }

    fn may_run(&self, name: &str) -> Ruling {
        ruling(if name == "deploy" { Decision::Deny } else { Decision::Allow }, "allowed_commands")
    }

    fn prove<'a>(&'a self, candidate: &'a CommitId) -> Working<'a, Proof> {
        *self.proved.lock().unwrap() += 1;
        let text = self.text(candidate, "src/calc.py").unwrap_or_default();
        let verification = verification(&text);
        let held = verification.steps.iter().all(|step| step.passed);
        let failures = if held { Vec::new() } else { vec![failure()] };
        Box::pin(std::future::ready(Ok(Proof { verification, findings: Vec::new(), failures })))
    }

    fn check<'a>(&'a self, check: &'a Check, candidate: &'a CommitId) -> Working<'a, Checked> {
        let passed = self.text(candidate, "src/calc.py").unwrap_or_default().contains("return a + b");
        let output = format!("/home/me/tree/src/calc.py: {} in 0.0{}s", check.name, candidate.0);
        let end = if passed { "exit code 0" } else { "exit code 1" }.to_owned();
        let failures = if passed { Vec::new() } else { vec![failure()] };
        Box::pin(std::future::ready(Ok(Checked { passed, end, failures, output })))
    }
}

/// Passes when `add` adds; what fails otherwise depends on the text after `return` in `add`.
fn verification(text: &str) -> Verification {
    let returned = text.lines().nth(1).unwrap_or_default().trim().to_owned();
    let passed = returned == "return a + b";
    let builds = text.contains("def add");
    let step = |name: &str, passed, summary: &str| Step {
        name: name.to_owned(),
        passed,
        summary: summary.to_owned(),
        commands: Vec::new(),
    };
    let mut steps = vec![step("build", builds, "it parses")];
    if builds {
        steps.push(step("failing-tests", passed, if passed { "1 passed" } else { "1 failed in 0.02s" }));
    }
    let status = if passed { Status::Passed } else { Status::Failed };
    let id = TestId { name: "test_add".into(), ..TestId::default() };
    let after = TestRun {
        command: "c2".into(),
        counts: TestCounts::default(),
        tests: vec![(id, status)],
        failures: if passed { Vec::new() } else { vec![returned] },
    };
    Verification { steps, before: None, after: builds.then_some(after), repeats: 0, not_run: Vec::new() }
}

/// What is known of the code: definitions by their first word.
pub(crate) struct Names;

fn places(tree: &dyn Source, wanted: impl Fn(&str) -> bool) -> Vec<Place> {
    let mut places = Vec::new();
    for entry in tree.files() {
        for (line, text) in (1..).zip(tree.text(&entry.path).unwrap_or_default().lines()) {
            if wanted(text) {
                places.push(Place { path: entry.path.clone(), lines: (line, line), text: text.to_owned() });
            }
        }
    }
    places
}

impl Code for Names {
    fn outline(&self, path: &RepoPath, tree: &dyn Source) -> Vec<Place> {
        let all = places(tree, |line| line.starts_with("def "));
        all.into_iter().filter(|place| place.path == *path).collect()
    }

    fn find_symbol(&self, name: &str, tree: &dyn Source) -> Vec<Place> {
        places(tree, |line| line.starts_with(&format!("def {name}(")))
    }

    fn references(&self, name: &str, tree: &dyn Source) -> Vec<Place> {
        places(tree, |line| line.contains(name) && !line.starts_with("def "))
    }

    fn history(&self, path: &RepoPath) -> Vec<String> {
        vec![format!("1a2b3c4 touch {path}")]
    }
}

/// The failure that the project has.
pub(crate) fn failure() -> Failure {
    Failure {
        id: Fingerprint::of(&["test_add"]),
        kind: FaultKind::Test,
        tool: Some("pytest".into()),
        rule: None,
        severity: Severity::Error,
        message: "assert 0 == 4".into(),
        test: Some(TestId { suite: String::new(), class: "tests.test_calc".into(), name: "test_add".into() }),
        location: Some(Location { path: "tests/test_calc.py".into(), line: Some(5), column: None }),
        frames: Vec::new(),
        artifact: 0,
        lines: None,
        excerpt:
            "    def test_add():\n>       assert add(2, 2) == 4\nE       assert 0 == 4\nE        +  where 0 = add(2, 2)"
                .into(),
        occurrences: 1,
        tests: Vec::new(),
        weight: 0,
    }
}

/// The plan for it.
pub(crate) fn plan() -> Plan {
    let check = |name: &str, role| Check {
        name: name.to_owned(),
        command: CommandSpec {
            argv: vec!["pytest".into()],
            cwd: None,
            env: BTreeMap::new(),
            timeout: Duration::from_mins(1),
            network: Network::Deny,
        },
        role,
    };
    Plan {
        failures: vec![failure()],
        proof: check("unit-test", Role::Suite),
        checks: vec![check("static-check", Role::Static), check("deploy", Role::Build)],
        steps: Vec::new(),
        limits: PatchLimits { files: 2, lines: 20 },
        budget: Budget::default(),
    }
}
