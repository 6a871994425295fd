//! Suggestions that rustc and clippy call machine-applicable, from cargo's JSON to changed files.

use std::collections::{BTreeMap, HashSet};

use rustfix::diagnostics::Diagnostic;
use rustfix::{CodeFix, Filter, Suggestion};
use serde_json::Value;

use super::{Request, command};
use crate::change::{File, FileChange, Mode};
use crate::git::CommitId;
use crate::ids::RepoPath;
use crate::source::Source;
use crate::verify::{Bench, VerifyError};

/// How often a tool is asked again: one fault can hide the next.
const ROUNDS: usize = 5;

/// Runs a cargo command until it suggests nothing more, and applies what `wanted` selects.
pub(super) async fn apply_all(
    bench: &Bench<'_>,
    request: &Request<'_>,
    argv: Vec<String>,
    wanted: &(dyn Fn(&About<'_>) -> bool + Sync),
) -> Result<Option<CommitId>, VerifyError> {
    let command = command(request, argv);
    let mut reached: Option<CommitId> = None;
    for round in 1..=ROUNDS {
        let start = reached.as_ref().unwrap_or(request.start);
        let outcome = bench.run_at(start, &command, &format!("suggestions {round}")).await?;
        let source = bench.scratch.source(start)?;
        let found = suggestions(&String::from_utf8_lossy(&outcome.finished.stdout), wanted);
        let changes = changed_files(&found, request.proof.cwd.as_ref(), &source);
        if changes.is_empty() {
            break;
        }
        reached = Some(bench.scratch.snapshot(start, &changes, "machine-applicable suggestions")?);
    }
    Ok(reached)
}

/// What decides whether the suggestions of a message are wanted.
#[derive(Debug)]
pub(super) struct About<'a> {
    /// Whether it is an error, and no warning.
    pub(super) error: bool,
    /// The lint or code; empty when it has none.
    pub(super) code: &'a str,
    /// The file that it is about, as the tool names it.
    pub(super) file: &'a str,
}

/// The machine-applicable suggestions of cargo's JSON messages.
pub(super) fn suggestions(output: &str, wanted: &dyn Fn(&About<'_>) -> bool) -> Vec<Suggestion> {
    let every = HashSet::<String>::new();
    output
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter(|line| line["reason"] == "compiler-message" && wanted(&about(&line["message"])))
        .filter_map(|line| serde_json::from_value::<Diagnostic>(line["message"].clone()).ok())
        .filter_map(|diagnostic| rustfix::collect_suggestions(&diagnostic, &every, Filter::MachineApplicableOnly))
        .collect()
}

fn about(message: &Value) -> About<'_> {
    let spans = message["spans"].as_array().map(Vec::as_slice).unwrap_or_default();
    let primary = spans.iter().find(|span| span["is_primary"] == true);
    About {
        error: message["level"] == "error",
        code: message["code"]["code"].as_str().unwrap_or_default(),
        file: primary.and_then(|span| span["file_name"].as_str()).unwrap_or_default(),
    }
}

/// What the suggestions make of the files of the tree. One that reaches outside of it is left out whole, and so
/// is one that overlaps another that was applied; the next round may offer it again.
pub(super) fn changed_files(found: &[Suggestion], cwd: Option<&RepoPath>, source: &dyn Source) -> Vec<FileChange> {
    let mut open: BTreeMap<RepoPath, (String, CodeFix)> = BTreeMap::new();
    for suggestion in found {
        let Some(path) = only_file(suggestion).and_then(|name| locate(name, cwd, source)) else { continue };
        if !open.contains_key(&path) {
            let Some(text) = source.text(&path) else { continue };
            let fix = CodeFix::new(&text);
            open.insert(path.clone(), (text, fix));
        }
        if let Some((_, fix)) = open.get_mut(&path) {
            // The same suggestion comes once for each target that compiles the file.
            let _already_there_or_overlapping = fix.apply(suggestion);
        }
    }
    open.into_iter().filter_map(|(path, (text, fix))| changed_file(path, text, &fix, source)).collect()
}

/// A suggestion takes words away, not the line that held nothing else: a line that it empties goes with them, since a
/// formatter would complain of the blanks that are left.
fn without_emptied_lines(before: &str, after: &str) -> String {
    let difference = similar::TextDiff::from_lines(before, after);
    let mut kept = String::with_capacity(after.len());
    for operation in difference.ops() {
        let of = |tag| {
            let changes = difference.iter_changes(operation).filter(move |change| change.tag() == tag);
            changes.map(|change| change.value()).collect::<Vec<&str>>()
        };
        let equal = of(similar::ChangeTag::Equal).concat();
        let (old, new) = (of(similar::ChangeTag::Delete), of(similar::ChangeTag::Insert));
        let is_blank = |line: &&str| line.trim().is_empty();
        // Blank lines that a suggestion brings along, or that stood there, are meant.
        let emptied = !old.is_empty() && !old.iter().any(is_blank) && new.iter().all(is_blank);
        kept.push_str(&equal);
        kept.extend(new.into_iter().filter(|_| !emptied));
    }
    kept
}

fn changed_file(path: RepoPath, text: String, fix: &CodeFix, source: &dyn Source) -> Option<FileChange> {
    let fixed = fix.finish().ok().filter(|fixed| *fixed != text)?;
    let fixed = without_emptied_lines(&text, &fixed);
    let mode = if source.entry(&path).is_some_and(|entry| entry.executable) { Mode::Executable } else { Mode::Regular };
    let file = |text: String| Some(File { bytes: text.into_bytes(), mode });
    Some(FileChange { path, before: file(text), after: file(fixed) })
}

/// The one file that a suggestion edits.
fn only_file(suggestion: &Suggestion) -> Option<&str> {
    let mut names =
        suggestion.solutions.iter().flat_map(|solution| &solution.replacements).map(|r| r.snippet.file_name.as_str());
    let first = names.next()?;
    names.all(|name| name == first).then_some(first)
}

/// Paths are relative to the workspace's root, which is the command's directory or one above it.
fn locate(name: &str, cwd: Option<&RepoPath>, source: &dyn Source) -> Option<RepoPath> {
    let mut directory = cwd.cloned();
    loop {
        let joined = directory.as_ref().map_or_else(|| name.to_owned(), |directory| format!("{directory}/{name}"));
        if let Some(path) = RepoPath::new(&joined).ok().filter(|path| source.entry(path).is_some()) {
            return Some(path);
        }
        directory = directory?.parent();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Memory;

    /// What `cargo check --message-format=json` of rustc 1.95 prints for `let x = vec.leng();`, shortened.
    fn message(applicability: &str, file: &str) -> String {
        let span = |text: &str| {
            serde_json::json!({"file_name": file, "byte_start": 16, "byte_end": 20, "line_start": 1, "line_end": 1,
                "column_start": 17, "column_end": 21, "is_primary": true, "text": [{"text": "fn f(v: &[u8]) {v.le()}", "highlight_start": 17, "highlight_end": 21}],
                "label": null, "suggested_replacement": text, "suggestion_applicability": applicability, "expansion": null})
        };
        serde_json::json!({"reason": "compiler-message", "message": {
            "message": "no method named `le`", "code": {"code": "E0599", "explanation": null}, "level": "error", "rendered": null,
            "spans": [{"file_name": file, "byte_start": 16, "byte_end": 20, "line_start": 1, "line_end": 1, "column_start": 17, "column_end": 21,
                "is_primary": true, "text": [{"text": "fn f(v: &[u8]) {v.le()}", "highlight_start": 17, "highlight_end": 21}], "label": null,
                "suggested_replacement": null, "suggestion_applicability": null, "expansion": null}],
            "children": [{"message": "there is a method `len`", "code": null, "level": "help", "rendered": null, "children": [], "spans": [span("v.len")]}],
        }})
        .to_string()
    }

    fn fixed(output: &str, cwd: Option<&str>, path: &str) -> Option<String> {
        let source = Memory::new([(RepoPath::new(path).unwrap(), "fn f(v: &[u8]) {v.le()}")]);
        let cwd = cwd.map(|cwd| RepoPath::new(cwd).unwrap());
        let changes = changed_files(&suggestions(output, &|_| true), cwd.as_ref(), &source);
        changes.into_iter().next().map(|change| String::from_utf8(change.after.unwrap().bytes).unwrap())
    }

    #[test]
    fn a_machine_applicable_suggestion_is_applied_once() {
        let line = message("MachineApplicable", "src/a.rs");
        let twice = format!("not json\n{line}\n{line}\n");
        assert_eq!(fixed(&twice, None, "src/a.rs").as_deref(), Some("fn f(v: &[u8]) {v.len()}"));
    }

    #[test]
    fn a_line_that_a_suggestion_empties_goes_with_it() {
        let before = "mod tests {\n    use super::*;\n    use std::fs;\n\n    fn a() {}\n}\n";
        let after = before.replace("use std::fs;", "");
        assert_eq!(without_emptied_lines(before, &after), before.replace("    use std::fs;\n", ""));
        let several = "use a::{\n    b,\n    c,\n};\nfn d() {}\n";
        assert_eq!(without_emptied_lines(several, "\nfn d() {}\n"), "fn d() {}\n");
        for (before, after) in [("a\n\nb\n", "a\n\nc\n"), ("let x = 1;\n", "let x = \"\n\n\";\n"), ("a\n", "a\n\nb\n")]
        {
            assert_eq!(without_emptied_lines(before, after), after);
        }
        assert_eq!(without_emptied_lines("a", "b"), "b");
    }

    #[test]
    fn the_workspace_may_lie_above_the_commands_directory() {
        let line = message("MachineApplicable", "crates/a/src/a.rs");
        assert!(fixed(&line, Some("crates/a"), "crates/a/src/a.rs").is_some());
        let line = message("MachineApplicable", "src/a.rs");
        assert!(fixed(&line, Some("sub"), "sub/src/a.rs").is_some());
    }

    #[test]
    fn doubtful_suggestions_and_files_outside_are_left_alone() {
        assert_eq!(fixed(&message("MaybeIncorrect", "src/a.rs"), None, "src/a.rs"), None);
        assert_eq!(fixed(&message("MachineApplicable", "/rustc/lib.rs"), None, "src/a.rs"), None);
        assert_eq!(fixed(&message("MachineApplicable", "../a.rs"), None, "src/a.rs"), None);
    }

    #[test]
    fn only_the_wanted_diagnostics_are_taken() {
        let line = message("MachineApplicable", "src/a.rs");
        assert!(suggestions(&line, &|about| !about.error).is_empty());
    }
}
