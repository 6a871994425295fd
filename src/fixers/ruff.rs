//! How ruff is started: the project's own one before the machine's.

use super::Request;
use crate::ids::RepoPath;
use crate::policy::CommandSpec;
use crate::verify::Bench;

/// A ruff command over files, from the repository's root, as the failing command's conditions have it.
pub(super) fn command(bench: &Bench<'_>, request: &Request<'_>, options: &[&str], files: &[RepoPath]) -> CommandSpec {
    let mut argv = program(bench, request);
    argv.extend(options.iter().map(|option| (*option).to_owned()));
    argv.push("--".to_owned());
    argv.extend(targets(request, files));
    let cwd = if files.is_empty() { request.proof.cwd.clone() } else { None };
    CommandSpec { argv, cwd, ..request.proof.clone() }
}

/// The words that start ruff: those of the failing command where it starts it.
fn program(bench: &Bench<'_>, request: &Request<'_>) -> Vec<String> {
    let words = &request.proof.argv;
    if let Some(at) = words.iter().position(|word| word == "ruff" || word.ends_with("/ruff")) {
        return words[..=at].to_vec();
    }
    // A link may lead into an interpreter's own directory, so that it is there is enough.
    let own = bench.env_directory().join("bin/ruff");
    let program = if own.symlink_metadata().is_ok() { "{env}/bin/ruff" } else { "ruff" };
    vec![program.to_owned()]
}

/// The files that fail; without any, what the failing command looks at.
fn targets(request: &Request<'_>, files: &[RepoPath]) -> Vec<String> {
    if !files.is_empty() {
        return files.iter().map(ToString::to_string).collect();
    }
    let words = request.proof.argv.iter().skip_while(|word| !matches!(word.as_str(), "check" | "format")).skip(1);
    let named: Vec<String> = words.filter(|word| !word.starts_with('-')).cloned().collect();
    if named.is_empty() { vec![".".to_owned()] } else { named }
}
