//! Node projects: `package.json`, its package manager, its scripts and its workspaces.

mod manager;
mod scripts;
mod words;

use std::collections::BTreeMap;

use serde_json::Value;

use super::tree::{Tree, matches, relative};
use super::{Kind, Project, command, with};
use crate::ids::RepoPath;
use crate::policy::CommandSpec;
use scripts::Scripts;

/// Test runners neither watch nor write snapshots where this is set.
const CI: (&str, &str) = ("CI", "true");
const QUIET: (&str, &str) = ("npm_config_update_notifier", "false");

/// Scripts that go by these names do this.
const NAMED: &[(&str, &[&str])] = &[
    ("build", &["build", "compile"]),
    ("lint", &["lint", "eslint", "lint:js", "lint:check"]),
    ("static-check", &["typecheck", "type-check", "check-types", "tsc", "check:types", "lint:types"]),
    ("format", &["format:check", "check:format", "prettier:check", "format-check", "lint:prettier"]),
];

/// A runner that is called where no script calls one.
const RUNNERS: &[(&str, &[&str])] = &[
    ("vitest", &["vitest", "run"]),
    ("jest", &["jest"]),
    ("mocha", &["mocha"]),
    ("ava", &["ava"]),
    ("tap", &["tap"]),
    ("tape", &["tape", "test/**/*.js"]),
    ("jasmine", &["jasmine"]),
    ("uvu", &["uvu"]),
];

/// The project at the root or those nearest to it, and the members of their workspaces.
pub(super) fn detect(tree: &Tree<'_>) -> Vec<Project> {
    let mut manifests: Vec<(Option<RepoPath>, Value)> = tree
        .directories_with("package.json")
        .into_iter()
        .filter_map(|directory| {
            let text = tree.text(directory.as_ref(), "package.json")?;
            let manifest = serde_json::from_str(text.trim_start_matches('\u{feff}')).ok()?;
            Some((directory, manifest))
        })
        .collect();
    manifests.sort_by(|a, b| a.0.cmp(&b.0));
    let mut projects: Vec<Project> = Vec::new();
    let mut roots: Vec<(Option<RepoPath>, Vec<String>)> = Vec::new();
    for (directory, manifest) in &manifests {
        let above = roots.iter().find(|(root, _)| {
            directory.as_ref() != root.as_ref()
                && directory.as_ref().is_some_and(|it| relative(root.as_ref(), it).is_some())
        });
        match above {
            None => {
                roots.push((directory.clone(), members(tree, directory.as_ref(), manifest)));
                projects.push(project(tree, directory.as_ref(), directory.as_ref(), manifest));
            }
            // What a root does not list is a sample, a benchmark, a document: not its tests.
            Some((root, patterns)) if listed(root.as_ref(), patterns, directory.as_ref()) => {
                let member = project(tree, directory.as_ref(), root.as_ref(), manifest);
                projects.extend((!member.commands.is_empty()).then_some(member));
            }
            Some(_) => {}
        }
    }
    projects
}

fn listed(root: Option<&RepoPath>, patterns: &[String], directory: Option<&RepoPath>) -> bool {
    let Some(path) = directory.and_then(|directory| relative(root, directory)) else { return false };
    let (out, of): (Vec<&str>, Vec<&str>) = patterns.iter().map(String::as_str).partition(|one| one.starts_with('!'));
    of.iter().any(|one| matches(one, path)) && !out.iter().any(|one| matches(one.trim_start_matches('!'), path))
}

/// The patterns of workspace members.
fn members(tree: &Tree<'_>, root: Option<&RepoPath>, manifest: &Value) -> Vec<String> {
    let workspaces = match &manifest["workspaces"] {
        Value::Object(object) => object.get("packages"),
        other => Some(other),
    };
    let listed = workspaces.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    let mut patterns: Vec<String> = listed.map(|pattern| pattern.trim_start_matches("./").to_owned()).collect();
    let pnpm = tree.text(root, "pnpm-workspace.yaml").unwrap_or_default();
    if let Ok(Value::Object(file)) = serde_yaml::from_str::<Value>(&pnpm) {
        let packages = file.get("packages").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
        patterns.extend(packages.map(|pattern| pattern.trim_start_matches("./").to_owned()));
    }
    patterns
}

/// The project in `directory`, whose dependencies are installed at `root`.
fn project(tree: &Tree<'_>, directory: Option<&RepoPath>, root: Option<&RepoPath>, manifest: &Value) -> Project {
    let scripts = Scripts::new(manifest);
    let mut notes = Vec::new();
    let mut commands = BTreeMap::new();
    for (name, candidates) in NAMED {
        if let Some(script) = candidates.iter().find(|script| scripts.get(script).is_some()) {
            commands.insert((*name).to_owned(), npm(&["npm", "run", script], directory));
        }
    }
    let test = scripts.test().or_else(|| runner(tree, directory, manifest));
    match test {
        Some(words) => {
            if words.first().map(String::as_str) != Some("npm") || words.get(1).map(String::as_str) != Some("test") {
                let words = words.join(" ");
                notes.push(format!("`{words}` runs the tests without what else `npm test` does"));
            }
            commands.insert("unit-test".to_owned(), npm(&words, directory));
        }
        None => notes.push("no test command was found in package.json".to_owned()),
    }
    let (setup, lockfiles) = manager::setup(tree, root);
    Project { kind: Kind::Npm, root: directory.cloned(), commands, setup, lockfiles, notes }
}

/// A test runner among the dependencies, or Node's own where there are test files for it.
fn runner(tree: &Tree<'_>, directory: Option<&RepoPath>, manifest: &Value) -> Option<Vec<String>> {
    let depends = |name: &str| ["devDependencies", "dependencies"].iter().any(|key| manifest[*key].get(name).is_some());
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    if let Some((_, call)) = RUNNERS.iter().find(|(name, _)| depends(name)) {
        return Some(words(&[&["npx", "--no-install"], *call].concat()));
    }
    let is_test = |path: &str| {
        let stem = path.rsplit_once('.').filter(|(_, ending)| matches!(*ending, "js" | "mjs" | "cjs"));
        stem.is_some_and(|(stem, _)| {
            stem.ends_with("-test") || stem.starts_with("test/") || stem.rsplit('.').next() == Some("test")
        })
    };
    // A workspace's root has the tests of its members below it, which they run themselves.
    let has_members = !members(tree, directory, manifest).is_empty();
    (!has_members && tree.under(directory).any(|(_, path)| is_test(path))).then(|| words(&["node", "--test"]))
}

fn npm<T: AsRef<str>>(words: &[T], directory: Option<&RepoPath>) -> CommandSpec {
    with(command(words, directory), &[CI, QUIET])
}
