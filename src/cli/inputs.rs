//! Files that the user names, read with care: a missing file, a device and a directory are told apart.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use super::arguments::Inputs;
use super::machine::Machine;
use crate::artifact::Content;
use crate::fix::{Governing, Input, PolicyFile, Request};
use crate::{exit, output};

/// More of standard input is not taken.
const MAX_SPOOLED: u64 = 4 << 30;
/// More of a file that has to be held is not read.
const MAX_BYTES: u64 = 256 << 20;
/// Files of a directory that are looked at.
const MAX_FILES: usize = 10_000;

/// The part of a request that says where the failure comes from.
pub(super) fn request(inputs: &Inputs) -> anyhow::Result<Request> {
    Ok(Request {
        repo: inputs.repo.clone(),
        artifacts: artifacts(&inputs.artifact)?,
        run: inputs.run.as_deref().map(words).transpose()?,
        policy: policy(inputs.policy.as_deref())?,
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
            let content = spooled(io::stdin().lock());
            let content = content
                .map_err(|error| exit::Usage::error(format!("standard input: {error}"), "pipe something into it"))?;
            inputs.push(Input { name: "-".to_owned(), content, baseline: None });
        } else if path.is_dir() {
            let mut files = Vec::new();
            collect(path, &mut files)?;
            for file in files {
                inputs.push(input(&file)?);
            }
        } else {
            inputs.push(input(path)?);
        }
    }
    Ok(inputs)
}

fn collect(directory: &Path, files: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    let unreadable =
        |error: io::Error| exit::Usage::error(format!("{}: {error}", directory.display()), "is it readable?");
    let mut entries: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(directory).map_err(unreadable)? {
        entries.push(entry.map_err(unreadable)?.path());
    }
    entries.sort();
    for path in entries {
        // A link could lead anywhere, and a loop without end.
        let kind = fs::symlink_metadata(&path).map_err(unreadable)?.file_type();
        if kind.is_dir() {
            collect(&path, files)?;
        } else if kind.is_file() && files.len() < MAX_FILES {
            files.push(path);
        }
    }
    Ok(())
}

/// What can be read once, in a file that nobody sees: it may be large.
fn spooled(mut source: impl io::Read) -> io::Result<Content> {
    let mut file = tempfile::tempfile()?;
    let most = MAX_SPOOLED;
    if io::copy(&mut source.by_ref().take(most + 1), &mut file)? > most {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("it has more than {most} bytes")));
    }
    Content::of(file)
}

/// One artifact, held only when it is not large.
fn input(path: &Path) -> anyhow::Result<Input> {
    let content = Content::of(open(path)?);
    let content = content
        .map_err(|error| exit::Usage::error(format!("{}: {error}", path.display()), "is it readable, and seekable?"))?;
    Ok(Input { name: path.display().to_string(), content, baseline: None })
}

/// One regular file, all of it.
pub(super) fn read(path: &Path) -> anyhow::Result<Vec<u8>> {
    let shown = path.display();
    let mut bytes = Vec::new();
    let read = open(path)?.take(MAX_BYTES).read_to_end(&mut bytes);
    read.map_err(|error| exit::Usage::error(format!("{shown}: {error}"), "is it a file of text or of bytes?"))?;
    Ok(bytes)
}

fn open(path: &Path) -> anyhow::Result<File> {
    let shown = path.display();
    let metadata =
        fs::metadata(path).map_err(|error| exit::Usage::error(format!("{shown}: {error}"), "does the path exist?"))?;
    if !metadata.is_file() {
        return Err(exit::Usage::error(
            format!("{shown} is no regular file"),
            "name a file, a directory of files, or `-`",
        ));
    }
    File::open(path).map_err(|error| exit::Usage::error(format!("{shown}: {error}"), "is it readable?"))
}

/// The policy that a flag names, else the repository's own.
pub(super) fn policy(named: Option<&Path>) -> anyhow::Result<Governing> {
    let Some(path) = named else { return Ok(Governing::Head) };
    Ok(Governing::File(PolicyFile { name: path.to_owned(), bytes: read(path)? }))
}

/// `--run`, by the rules of a POSIX shell, without a shell.
fn words(command: &str) -> anyhow::Result<Vec<String>> {
    if let Some(found) = shell_only(command) {
        return Err(exit::Usage {
            message: format!("no shell reads --run, and `{found}` means something to a shell only"),
            hints: vec![
                "put the line into a script of the repository and run that: --run \"sh ci.sh\"".to_owned(),
                "another directory or a variable is set in the policy: commands: {NAME: {run: …, cwd: …, env: {…}}}"
                    .to_owned(),
                "quote it where it is meant as it stands: '&&'".to_owned(),
            ],
        }
        .into());
    }
    match shlex::split(command) {
        Some(words) if !words.is_empty() => Ok(words),
        Some(_) => Err(exit::Usage::error("--run is empty", "try --run \"cargo test\"")),
        None => Err(exit::Usage::error("--run has a quote that does not end", "no shell reads it, but quotes count")),
    }
}

/// The first word that only a shell would obey: an operator, a substitution, a built-in command, an assignment.
fn shell_only(command: &str) -> Option<&str> {
    const BUILT_IN: [&str; 10] = ["cd", "export", "source", ".", "set", "exec", "eval", "ulimit", "umask", "alias"];
    let raw = raw_words(command);
    let plain = raw.iter().copied().filter(|word| !word.contains(['\'', '"', '\\']));
    let operator = |word: &str| {
        let bare = word.trim_start_matches(|c: char| c.is_ascii_digit());
        word.starts_with(['|', '&', ';'])
            || bare.starts_with(['>', '<'])
            || word.ends_with(';')
            || word.ends_with("&&")
            || word.starts_with("$(")
            || word.starts_with('`')
    };
    let assigns = |word: &str| {
        word.split_once('=').is_some_and(|(name, _)| {
            let letters = |c: char| c.is_ascii_alphanumeric() || c == '_';
            name.chars().all(letters) && name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        })
    };
    let first = raw.first().copied().filter(|word| BUILT_IN.contains(word) || assigns(word));
    first.or_else(|| plain.clone().find(|word| operator(word)))
}

/// The words as they are written, quotes and all.
fn raw_words(command: &str) -> Vec<&str> {
    let (mut words, mut begin, mut quote, mut escaped) = (Vec::new(), None, None, false);
    for (at, c) in command.char_indices() {
        let between = quote.is_none() && !escaped && c.is_whitespace();
        match (between, begin) {
            (true, Some(from)) => {
                words.push(&command[from..at]);
                begin = None;
            }
            (false, None) => begin = Some(at),
            _ => {}
        }
        if escaped {
            escaped = false;
        } else if c == '\\' && quote != Some('\'') {
            escaped = true;
        } else if quote == Some(c) {
            quote = None;
        } else if quote.is_none() && matches!(c, '\'' | '"') {
            quote = Some(c);
        }
    }
    words.extend(begin.map(|from| &command[from..]));
    words
}

/// The output directory: the named one, else a new one below the state directory.
pub(super) fn output(named: Option<&Path>, machine: &Machine, what: &str) -> anyhow::Result<PathBuf> {
    if let Some(named) = named {
        return Ok(machine.directory.join(named));
    }
    let name = format!("{}-{}", super::machine::wall_clock(), std::process::id());
    Ok(machine.state()?.join(what).join(name))
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
    if request.run.is_some() {
        output::remark(&format!("{command} runs nothing: --run is not used, the artifacts alone speak"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_only_a_shell_would_obey_is_found_and_what_is_quoted_is_not() {
        for (command, found) in [
            ("cd x && pytest", "cd"),
            ("pytest && ruff check", "&&"),
            ("pytest | tee log", "|"),
            ("pytest 2>&1", "2>&1"),
            ("pytest >log", ">log"),
            ("CI=1 pytest", "CI=1"),
            ("cargo build; cargo test", "build;"),
            ("pytest $(cat list)", "$(cat"),
        ] {
            assert_eq!(shell_only(command), Some(found), "{command}");
            assert!(words(command).is_err());
        }
        for command in [
            "pytest -k 'a && b' \"x | y\"",
            "sh -c 'cd x && pytest'",
            "pytest tests/test_a.py::test_b[x|y] -p no:cacheprovider",
            "cargo test a\\ b --config=x",
            "go test -run=^TestA$ ./...",
            "pip install requests>=2",
        ] {
            assert_eq!(shell_only(command), None, "{command}");
        }
    }
}
