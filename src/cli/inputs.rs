//! Files that the user names, read with care: a missing file, a device and a directory are told apart.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use super::arguments::Inputs;
use super::machine::Machine;
use crate::exit;
use crate::fix::{Input, PolicyFile, Request};

/// More of one artifact is not read.
const MAX_BYTES: u64 = 256 << 20;
/// Files of a directory that are looked at.
const MAX_FILES: usize = 10_000;

/// The part of a request that says where the failure comes from.
pub(super) fn request(inputs: &Inputs) -> anyhow::Result<Request> {
    Ok(Request {
        repo: inputs.repo.clone(),
        artifacts: artifacts(&inputs.artifact)?,
        run: inputs.run.as_deref().map(words).transpose()?,
        policy: inputs.policy.as_deref().map(policy).transpose()?,
        clean: inputs.clean,
        since: inputs.since.clone(),
        ..Request::default()
    })
}

/// Artifacts by path; a directory stands for the files below it, `-` for standard input.
pub(super) fn artifacts(paths: &[PathBuf]) -> anyhow::Result<Vec<Input>> {
    let mut inputs = Vec::new();
    for path in paths {
        if path.as_os_str() == "-" {
            let mut bytes = Vec::new();
            io::stdin().lock().take(MAX_BYTES).read_to_end(&mut bytes)?;
            inputs.push(Input { name: "-".to_owned(), bytes });
        } else if path.is_dir() {
            let mut files = Vec::new();
            collect(path, &mut files)?;
            for file in files {
                inputs.push(Input { name: file.display().to_string(), bytes: read(&file)? });
            }
        } else {
            inputs.push(Input { name: path.display().to_string(), bytes: read(path)? });
        }
    }
    Ok(inputs)
}

fn collect(directory: &Path, files: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    let unreadable =
        |error: io::Error| exit::Usage::error(format!("{}: {error}", directory.display()), "is it readable?");
    let mut entries: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(directory).map_err(unreadable)? {
        entries.push(entry?.path());
    }
    entries.sort();
    for path in entries {
        // A link could lead anywhere, and a loop without end.
        let kind = fs::symlink_metadata(&path)?.file_type();
        if kind.is_dir() {
            collect(&path, files)?;
        } else if kind.is_file() && files.len() < MAX_FILES {
            files.push(path);
        }
    }
    Ok(())
}

/// One regular file.
pub(super) fn read(path: &Path) -> anyhow::Result<Vec<u8>> {
    let shown = path.display();
    let metadata =
        fs::metadata(path).map_err(|error| exit::Usage::error(format!("{shown}: {error}"), "does the path exist?"))?;
    if !metadata.is_file() {
        return Err(exit::Usage::error(
            format!("{shown} is no regular file"),
            "name a file, a directory of files, or `-`",
        ));
    }
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(|error| exit::Usage::error(format!("{shown}: {error}"), "is it readable?"))?;
    file.take(MAX_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}

pub(super) fn policy(path: &Path) -> anyhow::Result<PolicyFile> {
    Ok(PolicyFile { name: path.to_owned(), bytes: read(path)? })
}

/// `--run`, by the rules of a POSIX shell, without a shell.
fn words(command: &str) -> anyhow::Result<Vec<String>> {
    match shlex::split(command) {
        Some(words) if !words.is_empty() => Ok(words),
        Some(_) => Err(exit::Usage::error("--run is empty", "try --run \"cargo test\"")),
        None => Err(exit::Usage::error("--run has a quote that does not end", "no shell reads it, but quotes count")),
    }
}

/// The output directory: the named one, else a new one below the state directory.
pub(super) fn output(named: Option<&Path>, machine: &Machine, what: &str) -> PathBuf {
    let name = || machine.state().join(what).join(format!("{}-{}", super::machine::wall_clock(), std::process::id()));
    named.map_or_else(name, |path| machine.directory.join(path))
}

/// For commands that run nothing: an artifact has to say what failed.
pub(super) fn demand_artifact(request: &Request, command: &str) -> anyhow::Result<()> {
    if request.artifacts.is_empty() {
        let hint = format!("run the command yourself and pipe it: cargo test 2>&1 | unbreak {command} --artifact -");
        return Err(exit::Usage::error(
            format!("{command} runs nothing: it needs an artifact that says what failed"),
            hint,
        ));
    }
    Ok(())
}
