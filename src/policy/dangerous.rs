//! Commands that leave marks outside the workspace: push, publish, release, deploy, delete.
//!
//! Denied whatever is allowed, as far as the words show it, behind `env`, `sudo` and `sh -c` too, and in the script
//! behind a name when it is given. What does not show is held by the walls.

mod shell;
mod table;

use shell::{commands, unwrapped};
use table::{OUTSIDE, ROWS, RUNNERS, Row};

/// Wrappers may hold wrappers; deeper ones are denied for that alone.
const DEEPEST: usize = 8;

/// What makes a command dangerous.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Danger {
    /// `push`, `publish`, `release`, `deploy`, `delete` or `obscure`.
    pub class: &'static str,
    /// The words that show it.
    pub shown: String,
}

/// Whether these words do something dangerous.
#[must_use]
pub fn danger(argv: &[String]) -> Option<Danger> {
    argv_danger(argv, 0)
}

/// Whether a shell script does something dangerous: the text behind an npm script or a make target.
#[must_use]
pub fn script_danger(script: &str) -> Option<Danger> {
    script_danger_at(script, 0)
}

fn script_danger_at(script: &str, depth: usize) -> Option<Danger> {
    commands(script).iter().find_map(|argv| argv_danger(argv, depth + 1))
}

fn argv_danger(argv: &[String], depth: usize) -> Option<Danger> {
    if depth > DEEPEST {
        return Some(Danger { class: "obscure", shown: "a command wrapped too often to be read".to_owned() });
    }
    let unwrapped = unwrapped(argv);
    if let Some(script) = &unwrapped.script
        && let Some(danger) = script_danger_at(script, depth)
    {
        return Some(danger);
    }
    if let Some(inner) = &unwrapped.inner {
        return argv_danger(inner, depth + 1);
    }
    let (program, rest) = argv.split_first()?;
    let program = program_name(program);
    ROWS.iter()
        .find(|row| row.programs.contains(&program.as_str()) && row_matches(row, rest))
        .map(|row| Danger { class: row.class, shown: shown(&program, row) })
        .or_else(|| outside(&program, rest))
        .or_else(|| target(&program, rest))
        .or_else(|| named(&program))
}

/// `/usr/bin/Git.EXE` is `git`.
fn program_name(word: &str) -> String {
    let name = word.rsplit(['/', '\\']).next().unwrap_or(word).to_ascii_lowercase();
    [".exe", ".cmd", ".bat"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(&name).to_owned()
}

fn shown(program: &str, row: &Row) -> String {
    std::iter::once(program).chain(row.words.iter().copied()).chain(row.flag).collect::<Vec<_>>().join(" ")
}

fn row_matches(row: &Row, rest: &[String]) -> bool {
    if let Some(flag) = row.flag {
        let given = |word: &String| word == flag || word.strip_prefix(flag).is_some_and(|value| value.starts_with('='));
        return rest.iter().any(given);
    }
    starts(rest, row.words)
}

/// Whether the words of a subcommand stand where subcommands stand: behind options and what may be their values.
fn starts(rest: &[String], words: &[&str]) -> bool {
    if words.is_empty() {
        return true;
    }
    for at in 0..rest.len() {
        let mut plain = rest[at..].iter().filter(|word| !is_option(word));
        if !is_option(&rest[at]) && words.iter().all(|word| plain.next().is_some_and(|given| wild(word, given))) {
            return true;
        }
        let value = at > 0 && is_option(&rest[at - 1]);
        if !is_option(&rest[at]) && !value {
            return false;
        }
    }
    false
}

/// A word of the table with a `*` at its end stands for all that begin so.
fn wild(pattern: &str, word: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(prefix) => word.to_ascii_lowercase().starts_with(prefix),
        None => word.eq_ignore_ascii_case(pattern),
    }
}

fn is_option(word: &str) -> bool {
    word.starts_with('-') || word.starts_with('+')
}

/// Deleting something that is not in the workspace.
fn outside(program: &str, rest: &[String]) -> Option<Danger> {
    let row = OUTSIDE.iter().find(|row| row.programs.contains(&program))?;
    if let Some(flag) = row.flag
        && !rest.iter().any(|word| word == flag)
    {
        return None;
    }
    let word = rest.iter().find(|word| {
        let word = word.split_once('=').filter(|_| !is_option(word)).map_or(word.as_str(), |(_, value)| value);
        word.starts_with(['/', '~', '$']) || word.split('/').any(|part| part == "..")
    })?;
    // The null device swallows what it gets.
    (word != "/dev/null").then(|| Danger { class: row.class, shown: format!("{program} … {word}") })
}

/// A script or target that says by its name what it does.
fn target(program: &str, rest: &[String]) -> Option<Danger> {
    let runner = RUNNERS.iter().find(|runner| runner.programs.contains(&program))?;
    let mut words = rest.iter().filter(|word| !is_option(word) && !word.contains('='));
    let runs =
        runner.words.is_empty() || words.clone().next().is_some_and(|word| runner.words.contains(&word.as_str()));
    let danger = words.find_map(|word| Some(Danger { class: class_of(word)?, shown: format!("{program} … {word}") }));
    danger.filter(|_| runs)
}

/// A program that says by its name what it does: `scripts/deploy.sh`.
fn named(program: &str) -> Option<Danger> {
    Some(Danger { class: class_of(program)?, shown: program.to_owned() })
}

/// What a name says. A build for release is no release, so that word counts only as the first.
fn class_of(name: &str) -> Option<&'static str> {
    let lower = name.to_ascii_lowercase();
    let mut parts = lower.split([':', '-', '_', '.', '/']);
    if parts.clone().next() == Some("release") {
        return Some("release");
    }
    parts.find_map(|part| match part {
        "publish" => Some("publish"),
        "deploy" => Some("deploy"),
        _ => None,
    })
}

#[cfg(test)]
mod tests;
