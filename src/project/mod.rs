//! What kinds of project a tree holds, how each is set up, built, tested and checked.
//!
//! Derived from manifests alone, so that a repository without a policy file can be worked on as it is. In the
//! words of commands `{env}` stands for a directory private to the project and outside the tree, and `{tree}` for
//! the work tree; whoever runs them puts the absolute paths in.

mod cargo;
mod npm;
mod python;
mod registries;
mod tree;

use std::collections::BTreeMap;
use std::time::Duration;

use crate::artifact::FaultKind;
use crate::failure::Failure;
use crate::ids::RepoPath;
use crate::policy::{CommandSpec, HostRule, Network, Setup, SetupStep};
use crate::source::Source;
use tree::Tree;

/// What a project is built and tested with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the names are the tools' own")]
pub enum Kind {
    Cargo,
    Python,
    Npm,
}

/// One project of a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Project {
    /// What it is.
    pub kind: Kind,
    /// Its directory; `None` is the root of the repository.
    pub root: Option<RepoPath>,
    /// Its commands by name: `build`, `unit-test`, `static-check`, `lint`, `format`, as far as there are any.
    pub commands: BTreeMap<String, CommandSpec>,
    /// How its dependencies come in.
    pub setup: Setup,
    /// The lockfiles that pin them.
    pub lockfiles: Vec<RepoPath>,
    /// What a reader should know: pinned toolchains, requirements that were left out.
    pub notes: Vec<String>,
}

/// One kind of project: adding one is a file and a row.
struct Row {
    kind: Kind,
    detect: fn(&Tree<'_>) -> Vec<Project>,
    /// Names of tools whose findings belong to this kind.
    tools: &'static [&'static str],
}

const KINDS: &[Row] = &[
    Row {
        kind: Kind::Cargo,
        detect: cargo::detect,
        tools: &["cargo", "rustc", "clippy", "rustfmt", "libtest", "nextest", "rustdoc"],
    },
    Row {
        kind: Kind::Python,
        detect: python::detect,
        tools: &["pytest", "unittest", "python", "ruff", "mypy", "flake8", "black", "pyright", "pylint", "pip"],
    },
    Row {
        kind: Kind::Npm,
        detect: npm::detect,
        tools: &[
            "npm", "node", "jest", "mocha", "vitest", "ava", "tap", "tape", "eslint", "tsc", "prettier", "xo", "yarn",
            "pnpm",
        ],
    },
];

/// How long a detected command may run.
const TIMEOUT: Duration = Duration::from_mins(10);

/// Every project of a tree, those nearer the root first.
#[must_use]
pub fn detect(source: &dyn Source) -> Vec<Project> {
    let tree = Tree::new(source);
    let mut projects: Vec<Project> = KINDS.iter().flat_map(|row| (row.detect)(&tree)).collect();
    projects.sort_by(|a, b| (depth(a), &a.root, a.kind).cmp(&(depth(b), &b.root, b.kind)));
    projects
}

/// Every command of these projects by name. The first project that has a name keeps it; the same name of another
/// gets its directory or its kind behind it.
#[must_use]
pub fn named_commands(projects: &[Project]) -> BTreeMap<String, CommandSpec> {
    let mut commands = BTreeMap::new();
    for project in projects {
        let kind = || format!("{:?}", project.kind).to_lowercase();
        let place = project.root.as_ref().map_or_else(kind, ToString::to_string);
        for (name, command) in &project.commands {
            let name = if commands.contains_key(name) { format!("{name}@{place}") } else { name.clone() };
            commands.entry(name).or_insert_with(|| command.clone());
        }
    }
    commands
}

/// The project that a file belongs to: the nearest, and among those in one directory the one whose language it is in.
#[must_use]
pub fn for_path<'a>(projects: &'a [Project], path: &RepoPath) -> Option<&'a Project> {
    nearest(projects.iter(), path)
}

/// The project and the name of the command that shows these failures; the first failure that decides wins.
#[must_use]
pub fn command_for<'a>(projects: &'a [Project], failures: &[Failure]) -> Option<(&'a Project, &'static str)> {
    failures.iter().find_map(|failure| {
        let project = project_of(projects, failure)?;
        names(failure.kind).iter().find(|name| project.commands.contains_key(**name)).map(|name| (project, *name))
    })
}

/// The commands that could show a fault of this kind, best first.
fn names(kind: FaultKind) -> &'static [&'static str] {
    match kind {
        FaultKind::Lint => &["lint", "static-check"],
        FaultKind::Format => &["format", "lint"],
        // Test code must compile too, which `build` alone need not show.
        FaultKind::Type | FaultKind::Compile => &["static-check", "build", "unit-test"],
        _ => &["unit-test"],
    }
}

fn project_of<'a>(projects: &'a [Project], failure: &Failure) -> Option<&'a Project> {
    let tool = failure.tool.as_deref().unwrap_or_default();
    let row = KINDS.iter().find(|row| row.tools.iter().any(|known| tool.starts_with(known)));
    let fitting = || projects.iter().filter(|project| row.is_none_or(|row| row.kind == project.kind));
    let location = failure.location.iter().map(|location| location.path.as_str());
    let frames = failure.frames.iter().rev().map(|frame| frame.path.as_str());
    let mut paths = location.chain(frames).filter_map(|path| RepoPath::new(path).ok());
    paths.find_map(|path| nearest(fitting(), &path)).or_else(|| fitting().next())
}

fn nearest<'a>(projects: impl Iterator<Item = &'a Project>, path: &RepoPath) -> Option<&'a Project> {
    let holding = projects.filter(|project| holds(project, path));
    holding.max_by_key(|project| (depth(project), project.kind.speaks(path), std::cmp::Reverse(project.kind)))
}

fn holds(project: &Project, path: &RepoPath) -> bool {
    let Some(root) = &project.root else { return true };
    path == root || path.as_str().strip_prefix(root.as_str()).is_some_and(|rest| rest.starts_with('/'))
}

fn depth(project: &Project) -> usize {
    project.root.as_ref().map_or(0, |root| root.as_str().split('/').count())
}

impl Project {
    /// How its dependencies come in, with what a command that begins with `program` needs over them.
    #[must_use]
    pub fn setup_for(&self, program: &str) -> Setup {
        let mut setup = self.setup.clone();
        if self.kind == Kind::Python {
            setup.steps.extend(python::launcher(program, self.root.as_ref()));
        }
        setup
    }
}

impl Kind {
    /// Whether a file is in a language of this kind.
    fn speaks(self, path: &RepoPath) -> bool {
        let extension = path.extension().unwrap_or_default();
        match self {
            Self::Cargo => extension == "rs",
            Self::Python => matches!(extension, "py" | "pyi" | "pyx"),
            Self::Npm => matches!(extension, "js" | "mjs" | "cjs" | "jsx" | "ts" | "mts" | "cts" | "tsx"),
        }
    }
}

/// A command of repository code, in a project's directory.
fn command<T: AsRef<str>>(words: &[T], cwd: Option<&RepoPath>) -> CommandSpec {
    CommandSpec {
        argv: words.iter().map(|word| word.as_ref().to_owned()).collect(),
        cwd: cwd.cloned(),
        env: BTreeMap::new(),
        timeout: TIMEOUT,
        network: Network::Deny,
    }
}

/// The same, with variables.
fn with(mut command: CommandSpec, variables: &[(&str, &str)]) -> CommandSpec {
    command.env.extend(variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
    command
}

/// A step of a set-up: the first command, then what to try instead.
fn step(commands: impl IntoIterator<Item = CommandSpec>, optional: bool) -> Option<SetupStep> {
    let online = |mut command: CommandSpec| {
        command.network = Network::Allow(vec![HostRule::Registries]);
        command
    };
    let mut commands = commands.into_iter().map(online);
    let command = commands.next()?;
    let mut otherwise: Vec<CommandSpec> = Vec::new();
    for other in commands {
        if other != command && !otherwise.contains(&other) {
            otherwise.push(other);
        }
    }
    Some(SetupStep { command, otherwise, optional })
}

#[cfg(test)]
mod tests;
