//! What may be read, written, run and reached: the policy file, checked, and the decisions that follow from it.
//!
//! Enforced by the system, never by the words of a prompt. The way of a file: `node` (a tree with places) → `check`
//! (held against the table in `keys`) → `decode` ([`Policy`], which the program may rely on) → `decide`.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::artifact::Limits;
use crate::ids::{RepoPath, Sha};

mod built_in;
mod check;
mod commands;
mod dangerous;
mod decide;
mod decode;
mod error;
mod explain;
mod fold;
mod hosts;
mod keys;
mod later;
mod node;
mod paths;
mod schema;
mod shape;
mod show;
mod value;

pub use commands::CommandRule;
pub use dangerous::{Danger, danger, script_danger};
pub use decide::Tracked;
pub use error::PolicyError;
pub use explain::{Explanation, Question, explain};
pub use hosts::{HostRule, Network};
pub use paths::PathRule;
pub use schema::schema;
pub use show::show;

/// Where a policy stands when nobody says otherwise; the first that exists counts.
pub const FILES: &[&str] = &[".github/unbreak.yml", ".github/unbreak.yaml", ".github/unbreak.json"];

/// The walls that `sandbox.require` may demand, by the names that the sandbox gives them.
pub const WALLS: &[&str] = &["filesystem", "network", "processes", "uid", "syscalls", "memory"];

/// A decision, from the mildest to the strictest: the strictest rule that matches wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Decision {
    /// It may happen.
    Allow,
    /// It may happen once a person agreed.
    Ask,
    /// It may not happen.
    Deny,
}

/// A decision with the rules that made it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ruling {
    /// What follows.
    pub decision: Decision,
    /// The rules that matched, the strictest first; the default when none did.
    pub rules: Vec<Rule>,
}

/// One rule that matched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rule {
    /// Who wrote it.
    pub source: RuleSource,
    /// The rule as written.
    pub text: String,
    /// The line of the policy file that holds it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
}

/// Who wrote a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "the names say it")]
pub enum RuleSource {
    BuiltIn,
    Policy,
    Default,
}

/// Everything that a repository lets the bot do.
///
/// Made by [`Policy::read`] or [`Policy::default_for`]. Without a key its default holds.
#[derive(Debug, Clone, PartialEq)]
pub struct Policy {
    /// Where it came from.
    pub origin: Origin,
    /// `stage`, default `pull-request`. Input can lower it ([`Policy::lower_stage`]), never raise it.
    pub stage: Stage,
    /// `allowed_write_paths`; `None` (default): every tracked file, and new files beside tracked ones.
    pub allowed_write_paths: Option<Vec<PathRule>>,
    /// `denied_paths`, over the built-in ones; default none.
    pub denied_paths: Vec<PathRule>,
    /// `allowed_commands`; `None` (default): every command of `commands`.
    pub allowed_commands: Option<Vec<CommandRule>>,
    /// `commands`; default none, which [`Policy::adopt`] fills with the detected ones.
    pub commands: BTreeMap<String, CommandSpec>,
    /// `setup`; `None` (default): the detected one. An empty one is written `setup: []`.
    pub setup: Option<Setup>,
    /// `projects`; default none.
    pub projects: Vec<Project>,
    /// `network`, default `deny`.
    pub network: Network,
    /// `approvals`.
    pub approvals: Approvals,
    /// `models`.
    pub models: Models,
    /// `budget`.
    pub budget: Budget,
    /// `limits`.
    pub limits: PatchLimits,
    /// `artifacts`.
    pub artifacts: Limits,
    /// `deliver`, default `pull-request`.
    pub deliver: Deliver,
    /// `verify`.
    pub verify: Verify,
    /// `sandbox.require`, of [`WALLS`]; default none over the built-in floor.
    pub required_walls: Vec<String>,
    /// `pull_request`.
    pub pull_request: PullRequest,
    /// The line of each top-level key, for rulings.
    lines: BTreeMap<String, u32>,
    /// Whether `commands` was given, so that detected ones are added only where `allowed_commands` names them.
    own_commands: bool,
}

/// How far the bot may go; each stage contains the one before.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Stage {
    /// Runs no repository code; explains only.
    ReadOnly,
    /// Runs, and writes a bundle.
    Patch,
    /// Opens pull requests.
    #[default]
    PullRequest,
    /// Sweeps and fleets.
    Batch,
}

/// A named command: the only kind of command that runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommandSpec {
    /// Its words; no shell reads them.
    pub argv: Vec<String>,
    /// The directory that it runs in; `None` is the root of the repository.
    pub cwd: Option<RepoPath>,
    /// Variables set for it, over the allow-listed ones.
    pub env: BTreeMap<String, String>,
    /// How long it may run; default ten minutes.
    pub timeout: Duration,
    /// What it may reach; default the policy's `network`.
    pub network: Network,
}

/// How dependencies come in: before any edit, without secrets, with the registries reachable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Setup {
    /// The steps, in order.
    pub steps: Vec<SetupStep>,
    /// Directories that are kept between runs with the same lockfiles; `~` is the private home.
    pub cache: Vec<String>,
}

/// One step of a set-up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SetupStep {
    /// What to run.
    pub command: CommandSpec,
    /// What to try instead, in order, when it fails or its program is missing; the first success ends the step.
    pub otherwise: Vec<CommandSpec>,
    /// Whether the set-up goes on, with a note, when all of them fail.
    pub optional: bool,
}

/// One project of a monorepo.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Project {
    /// Its directory; `None` is the root.
    pub path: Option<RepoPath>,
    /// Its set-up; `None`: the policy's.
    pub setup: Option<Setup>,
    /// Its commands, over the policy's of the same names.
    pub commands: BTreeMap<String, CommandSpec>,
    /// Who is asked to review.
    pub owners: Vec<String>,
}

/// What needs a person.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Approvals {
    /// Paths over the built-in ones; default none.
    pub protected_paths: Vec<PathRule>,
    /// The permission that an approver needs.
    pub who: Permission,
}

/// A permission on a repository.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "the names are the forge's own")]
pub enum Permission {
    #[default]
    Write,
    Maintain,
    Admin,
}

/// Which models may be asked, and what they may see.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Models {
    /// The model that is asked first; `None` (default): none is asked.
    pub light: Option<ModelSpec>,
    /// The model that is asked when the light one did not do.
    pub strong: Option<ModelSpec>,
    /// What a model may be shown; `None` (default): everything that is not denied.
    pub may_see: Option<Vec<PathRule>>,
}

/// One model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelSpec {
    /// Whose interface it speaks.
    pub provider: String,
    /// What the provider calls it.
    pub name: String,
    /// Where it is, without a slash at the end; `None`: the provider's own address.
    pub base_url: Option<String>,
    /// Most tokens of one answer; `None`: the provider's limit.
    pub max_output: Option<u64>,
    /// `low`, `medium` or `high`; `None`: the provider's default.
    pub effort: Option<String>,
}

/// Caps on a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Budget {
    /// Money for models, in US dollars; default 1.00.
    pub usd: f64,
    /// Tokens, in and out; default 300 000.
    pub tokens: u64,
    /// Model rounds; default 5.
    pub rounds: u32,
    /// Wall time; default 20.
    pub minutes: u64,
    /// Pull requests opened a day; default 5.
    pub prs_per_day: u32,
}

impl Default for Budget {
    fn default() -> Self {
        Self { usd: 1.0, tokens: 300_000, rounds: 5, minutes: 20, prs_per_day: 5 }
    }
}

/// Caps on a patch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PatchLimits {
    /// Files touched; default 10.
    pub files: u32,
    /// Lines added plus lines removed; default 400.
    pub lines: u32,
}

impl Default for PatchLimits {
    fn default() -> Self {
        Self { files: 10, lines: 400 }
    }
}

/// What a fix arrives as.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "the names say it")]
pub enum Deliver {
    #[default]
    PullRequest,
    Suggestions,
    Bundle,
}

/// What proves a fix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verify {
    /// The least evidence that it must have; default the whole suite.
    pub level: Evidence,
    /// How often the failing checks must pass; default 3.
    pub repeats: u32,
}

impl Default for Verify {
    fn default() -> Self {
        Self { level: Evidence::WholeSuite, repeats: 3 }
    }
}

/// Levels of evidence, from the weakest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "the names say it")]
pub enum Evidence {
    FailingTests,
    AffectedTests,
    WholeSuite,
    Ci,
}

/// How pull requests look.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PullRequest {
    /// Opened as a draft; default no.
    pub draft: bool,
    /// Labels that it gets; default none.
    pub labels: Vec<String>,
    /// Who is asked to review; default nobody.
    pub reviewers: Vec<String>,
    /// Its title; `None`: a built-in one.
    pub title: Option<String>,
}

/// Where a policy came from.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Origin {
    /// The file; `None` for the built-in defaults.
    #[schemars(with = "Option<String>")]
    pub path: Option<RepoPath>,
    /// The commit that it was read at.
    pub commit: Option<String>,
    /// The hash of its bytes.
    pub hash: Option<Sha>,
}

#[cfg(test)]
mod tests;
