//! What was run and what it showed: reproduction, test runs, verification, findings.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::artifact::{Status, TestCounts, TestId};
use crate::ids::Sha;

/// One command that ran in the sandbox; every claim in the evidence names one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct CommandRun {
    /// `c1`, `c2`, … in the order of the run.
    pub id: String,
    /// What it was run for.
    pub purpose: String,
    /// Its words.
    pub argv: Vec<String>,
    /// The directory, relative to the repository.
    pub cwd: String,
    /// `None` when a signal or a limit ended it.
    pub exit_code: Option<i32>,
    /// What ended it otherwise: `timeout`, `memory`, `signal 11`.
    pub ended_by: Option<String>,
    /// How long it ran.
    pub seconds: f64,
    /// The hash of its whole captured output, stored below `evidence/`.
    pub output_hash: Sha,
}

/// What running the failing command before any change showed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Reproduction {
    /// The verdict.
    pub verdict: Verdict,
    /// Why, in a sentence; for `environment` what is missing.
    pub reason: String,
    /// What would help: a policy line, a set-up.
    pub hints: Vec<String>,
    /// The runs.
    pub runs: Vec<CommandRun>,
    /// The failing set, test by test or by fingerprint.
    pub failing: Vec<String>,
}

/// Is the failure real?
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The same failure, from the same command at the same commit.
    Reproduced,
    /// It failed and passed without a change.
    Flaky,
    /// It passed each time.
    NotReproduced,
    /// The machine lacks something that the command needs.
    Environment,
}

/// The result of one command, test by test.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct TestRun {
    /// The command that showed it.
    pub command: String,
    /// The counts.
    pub counts: TestCounts,
    /// Each test with its end, sorted.
    pub tests: Vec<(TestId, Status)>,
    /// Fingerprints of the failures, sorted.
    pub failures: Vec<String>,
}

/// How one step of the verification ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Step {
    /// `reproduce`, `build`, `static`, `failing-tests`, `suite`, `repeats`, `gate`, `minimise`.
    pub name: String,
    /// Whether it held.
    pub passed: bool,
    /// What it showed, in a sentence.
    pub summary: String,
    /// The commands that it rests on.
    pub commands: Vec<CommandRun>,
}

/// What proves a candidate, or what speaks against it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Verification {
    /// The steps, in the order they ran; the first that fails is the last.
    pub steps: Vec<Step>,
    /// The suite before the change.
    pub before: Option<TestRun>,
    /// The suite after it.
    pub after: Option<TestRun>,
    /// How often the failing checks were repeated after the change, all green.
    pub repeats: u32,
    /// What was not run, and why.
    pub not_run: Vec<String>,
}

/// Something about a change that a reviewer must know, or that forbids it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Finding {
    /// The gate's rule: `deleted-test`, `new-suppression`, …
    pub rule: String,
    /// The file.
    pub path: String,
    /// 1-based line, in the new version when it has one.
    pub line: Option<u32>,
    /// What the rule saw.
    pub message: String,
    /// Whether it forbids the change or must be shown.
    pub severity: Weight,
}

/// What a finding does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Weight {
    /// Shown at the top of the pull request.
    Show,
    /// Forbids it.
    Block,
}

/// Which walls stand, as `doctor` and every proposal say.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Walls {
    /// 1: namespaces, Landlock, seccomp. 2: Landlock, seccomp, own uid.
    pub tier: u8,
    /// Each wall with what it is made of: `filesystem`, `network`, `processes`, `uid`, `syscalls`, `memory`.
    pub walls: BTreeMap<String, String>,
    /// What does not stand, and why.
    pub missing: Vec<String>,
}
