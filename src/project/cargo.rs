//! Cargo packages and workspaces.

use std::collections::BTreeMap;

use toml::{Table, Value};

use super::tree::{Tree, matches, relative};
use super::{Kind, Project, command, step, with};
use crate::ids::RepoPath;
use crate::policy::{CommandSpec, Setup};

const OFFLINE: (&str, &str) = ("CARGO_NET_OFFLINE", "true");

/// One project for each workspace, and for each package that is in none.
pub(super) fn detect(tree: &Tree<'_>) -> Vec<Project> {
    let mut manifests: Vec<(Option<RepoPath>, Table)> = tree
        .directories_with("Cargo.toml")
        .into_iter()
        .filter_map(|directory| Some((directory.clone(), tree.toml(directory.as_ref(), "Cargo.toml")?)))
        .collect();
    manifests.sort_by(|a, b| a.0.cmp(&b.0));
    let roots = manifests.iter().filter(|(directory, manifest)| {
        manifest.contains_key("workspace")
            || !manifests.iter().any(|(root, workspace)| is_member(root.as_ref(), workspace, directory.as_ref()))
    });
    roots.map(|(directory, manifest)| project(tree, directory.as_ref(), manifest)).collect()
}

/// Whether `directory` belongs to the workspace at `root`: listed, or below and not excluded (path dependencies
/// join by themselves).
fn is_member(root: Option<&RepoPath>, manifest: &Table, directory: Option<&RepoPath>) -> bool {
    let Some(Value::Table(workspace)) = manifest.get("workspace") else { return false };
    let Some(directory) = directory.filter(|directory| Some(*directory) != root) else { return false };
    let Some(path) = relative(root, directory) else { return false };
    let listed = |key| strings(workspace.get(key)).iter().any(|pattern| matches(pattern, path));
    let excluded = || strings(workspace.get("exclude")).iter().any(|one| below_or_equal(one, path));
    listed("members") || (!excluded() && depends_on(manifest, path))
}

fn below_or_equal(directory: &str, path: &str) -> bool {
    let directory = directory.trim_end_matches('/');
    path == directory || path.strip_prefix(directory).is_some_and(|rest| rest.starts_with('/'))
}

fn depends_on(manifest: &Table, path: &str) -> bool {
    let tables = ["dependencies", "dev-dependencies", "build-dependencies"];
    let workspace = manifest.get("workspace").and_then(Value::as_table);
    let found = tables.iter().filter_map(|name| manifest.get(*name));
    let shared = workspace.and_then(|workspace| workspace.get("dependencies"));
    let dependencies = found.chain(shared).filter_map(Value::as_table).flat_map(Table::values);
    dependencies.filter_map(|one| one.get("path")?.as_str()).any(|at| at.trim_start_matches("./") == path)
}

fn project(tree: &Tree<'_>, root: Option<&RepoPath>, manifest: &Table) -> Project {
    let workspace = manifest.get("workspace").and_then(Value::as_table);
    let scope: &[&str] = match workspace {
        // The default members are what its authors build; the others may need what is not here.
        Some(workspace) if workspace.contains_key("default-members") => &[],
        Some(_) => &["--workspace"],
        None => &[],
    };
    let cargo = |words: &[&str], more: &[&str]| -> CommandSpec {
        let words: Vec<&str> = [&["cargo"], words, scope, more].concat();
        with(command(&words, root), &[OFFLINE])
    };
    let commands = BTreeMap::from([
        ("build".to_owned(), cargo(&["build"], &[])),
        ("unit-test".to_owned(), cargo(&["test"], &["--no-fail-fast"])),
        ("static-check".to_owned(), cargo(&["check"], &["--all-targets"])),
        ("lint".to_owned(), cargo(&["clippy"], &["--all-targets"])),
        ("format".to_owned(), with(command(&["cargo", "fmt", "--all", "--check"], root), &[OFFLINE])),
    ]);
    let lockfiles = tree.present(root, &["Cargo.lock"]);
    Project {
        kind: Kind::Cargo,
        root: root.cloned(),
        commands,
        setup: setup(root, !lockfiles.is_empty()),
        lockfiles,
        notes: toolchain(tree, root).into_iter().collect(),
    }
}

fn setup(root: Option<&RepoPath>, locked: bool) -> Setup {
    let plain = command(&["cargo", "fetch"], root);
    let commands = if locked { vec![command(&["cargo", "fetch", "--locked"], root), plain] } else { vec![plain] };
    let cache = ["~/.cargo/registry", "~/.cargo/git"].map(str::to_owned).to_vec();
    Setup { steps: step(commands, false).into_iter().collect(), cache }
}

/// A pinned toolchain is not fetched here: it must be installed.
fn toolchain(tree: &Tree<'_>, root: Option<&RepoPath>) -> Option<String> {
    let mut at = root.cloned();
    loop {
        let file = tree.present(at.as_ref(), &["rust-toolchain.toml", "rust-toolchain"]).into_iter().next();
        if let Some(text) = file.and_then(|file| tree.read(&file)) {
            let channel = match text.parse::<Table>() {
                Ok(table) => table.get("toolchain")?.get("channel")?.as_str()?.to_owned(),
                // The old form is the channel's name alone.
                Err(_) => text.trim().to_owned(),
            };
            return Some(format!("the repository asks for the Rust toolchain `{channel}`"));
        }
        at = at?.parent();
    }
}

fn strings(value: Option<&Value>) -> Vec<&str> {
    value.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect()
}
