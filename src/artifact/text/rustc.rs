//! What rustc, clippy, cargo and rustfmt print for people.

use super::Part;
use super::lines::Lines;
use crate::artifact::{Diagnostic, FaultKind, Frame, Location, Severity, place};

/// A block of one diagnostic is not longer than this.
const BLOCK_LIMIT: usize = 400;

/// Reads diagnostics and the hunks of `rustfmt --check`.
pub(super) fn read(lines: &Lines) -> Part {
    let cargo = lines.all().any(|(_, line)| is_cargo(line));
    let mut part = Part { recognised: cargo, ..Part::default() };
    let mut rules = Rules::default();
    let mut index = 0;
    while index < lines.len() {
        let line = lines.get(index);
        // Some systems indent what follows; the place below it tells that it is no quotation.
        let indented = line.starts_with(' ') && lines.get(index + 1).trim_start().starts_with("--> ");
        if let Some((header, end)) = header(if indented { line.trim_start() } else { line })
            .and_then(|found| block(lines, index, &found, cargo).map(|end| (found, end)))
        {
            part.diagnostics.push(diagnostic(lines, index, end, &header, &mut rules));
            index = end;
        } else if let Some(at) = format_hunk(line) {
            let end = hunk_end(lines, index + 1);
            part.diagnostics.push(format(lines, index, end, at));
            index = end;
        } else {
            if let Some(short) = short(lines, index) {
                part.diagnostics.push(short);
            }
            index += 1;
        }
    }
    part.recognised |= !part.diagnostics.is_empty();
    part
}

/// Lines that cargo prints about its work.
fn is_cargo(line: &str) -> bool {
    let words =
        ["Compiling ", "Checking ", "Finished ", "Documenting ", "Updating ", "Running unittests", "Blocking waiting"];
    let status = line.trim_start();
    (line.len() - status.len() >= 3 && words.iter().any(|word| status.starts_with(word)))
        || line.starts_with("error: could not compile ")
        || line.starts_with("error: aborting due to ")
}

struct Header<'a> {
    severity: Severity,
    code: Option<&'a str>,
    message: &'a str,
}

fn header(line: &str) -> Option<Header<'_>> {
    let (severity, rest) = if let Some(rest) = line.strip_prefix("error") {
        (Severity::Error, rest)
    } else {
        (Severity::Warning, line.strip_prefix("warning")?)
    };
    let (code, rest) = match rest.strip_prefix('[') {
        Some(rest) => {
            let (code, rest) = rest.split_once(']')?;
            (Some(code), rest)
        }
        None => (None, rest),
    };
    let message = rest.strip_prefix(": ")?.trim();
    let header = Header { severity, code, message };
    (!message.is_empty() && !is_summary(message)).then_some(header)
}

/// Lines in the shape of a diagnostic that only count or repeat others.
pub(super) fn is_summary(message: &str) -> bool {
    let starts = [
        "aborting due to",
        "could not compile",
        "test failed, to rerun",
        "doctest failed, to rerun",
        "bench failed, to rerun",
        "build failed",
        "process didn't exit successfully",
        "failed to compile",
        "For more information about",
        "Some errors have detailed",
    ];
    let counted = message.split_once(' ').is_some_and(|(number, rest)| {
        number.bytes().all(|byte| byte.is_ascii_digit())
            && ["warning", "error", "target", "job"].iter().any(|word| rest.starts_with(word))
    });
    counted
        || starts.iter().any(|start| message.starts_with(start))
        || (message.starts_with('`') && message.contains(") generated "))
}

/// The end of the block that starts at `start`, or nothing when it is not rustc's or cargo's.
fn block(lines: &Lines, start: usize, header: &Header<'_>, cargo: bool) -> Option<usize> {
    let mut end = start + 1;
    let mut located = false;
    while end < lines.len() && end - start < BLOCK_LIMIT {
        let line = lines.get(end);
        if line.trim().is_empty() {
            // What cargo was doing and why it failed comes after a blank line.
            if !(end + 1 < lines.len() && lines.get(end + 1).starts_with("Caused by:")) {
                break;
            }
        } else if is_outside(line) {
            break;
        }
        located |= arrow(line).is_some();
        end += 1;
    }
    let own = ["Cargo.toml", "Cargo.lock", "clippy.toml", "rustup", "toolchain", "linking with", "crate"];
    (located
        || header.code.is_some()
        || (cargo && end - start <= 40)
        || own.iter().any(|word| header.message.contains(word)))
    .then_some(end)
}

/// Whether a line begins something else than a part of the diagnostic above it.
fn is_outside(line: &str) -> bool {
    if line.starts_with([' ', '\t', '|', '=']) || line.starts_with(|c: char| c.is_ascii_digit()) {
        return is_cargo(line);
    }
    let parts = ["note:", "note[", "help:", "LL", "...", "For more", "Caused by:", "and ", "-->"];
    !parts.iter().any(|part| line.starts_with(part))
        && (header(line).is_some()
            || line.starts_with("error:")
            || line.starts_with("warning:")
            || line.starts_with("test ")
            || line.starts_with("Diff in "))
}

/// `  --> src/a.rs:1:2` and `  ::: src/b.rs:3:4`.
fn arrow(line: &str) -> Option<(bool, Location)> {
    let line = line.trim_start();
    let (primary, rest) = match line.strip_prefix("--> ") {
        Some(rest) => (true, rest),
        None => (false, line.strip_prefix("::: ")?),
    };
    place::whole(rest).map(|at| (primary, at))
}

/// Lint names are printed once a lint; later diagnostics of the same one are recognised by their message.
#[derive(Default)]
struct Rules(std::collections::BTreeMap<String, String>);

impl Rules {
    fn of(&mut self, message: &str, found: Option<String>) -> Option<String> {
        let shape: String = message.split('`').step_by(2).collect();
        match found {
            Some(rule) => {
                self.0.entry(shape).or_insert_with(|| rule.clone());
                Some(rule)
            }
            None => self.0.get(&shape).cloned(),
        }
    }
}

fn diagnostic(lines: &Lines, start: usize, end: usize, header: &Header<'_>, rules: &mut Rules) -> Diagnostic {
    let mut location = None;
    let mut frames = Vec::new();
    let mut lint = None;
    for (_, line) in lines.range(start..end) {
        if let Some((primary, at)) = arrow(line) {
            if primary && location.is_none() {
                location = Some(at);
            } else if frames.len() < 20 {
                frames.push(Frame { path: at.path, line: at.line, function: None, in_project: None });
            }
        }
        lint = lint.or_else(|| lint_name(line));
    }
    let code = header.code.map(str::to_owned);
    let rule = code.or_else(|| rules.of(header.message, lint));
    let (excerpt_lines, excerpt) = lines.quote(start..end);
    let is_lint = rule.as_deref().is_some_and(|rule| !is_error_code(rule));
    let clippy = rule.as_deref().is_some_and(|rule| rule.starts_with("clippy::"));
    let tool = if clippy {
        "clippy"
    } else if location.is_none() && header.code.is_none() {
        "cargo"
    } else {
        "rustc"
    };
    Diagnostic {
        kind: kind(header.message, header.severity, is_lint, location.is_some()),
        tool: tool.to_owned(),
        rule,
        severity: header.severity,
        message: crate::text::first_line(header.message, 400),
        location,
        frames,
        details: crate::text::cut_middle(&lines.join(start..end), 16 << 10),
        lines: excerpt_lines,
        excerpt,
        ..Diagnostic::default()
    }
}

/// `E0308` and the like are no lints.
pub(super) fn is_error_code(rule: &str) -> bool {
    rule.strip_prefix('E').is_some_and(|digits| digits.len() == 4 && digits.bytes().all(|byte| byte.is_ascii_digit()))
}

/// What kind of fault a message of rustc or cargo is.
pub(super) fn kind(message: &str, severity: Severity, lint: bool, located: bool) -> FaultKind {
    let dependency = [
        "failed to select a version",
        "no matching package",
        "failed to get `",
        "failed to download",
        "failed to load source",
        "failed to resolve",
        "failed to fetch",
        "unable to update",
        "failed to run custom build command",
        "the lock file",
        "cannot update the lock file",
    ];
    let machine = ["No space left", "toolchain", "failed to create directory", "Permission denied", "rustup could not"];
    if !located && dependency.iter().any(|start| message.contains(start)) {
        FaultKind::Dependency
    } else if !located && machine.iter().any(|word| message.contains(word)) {
        FaultKind::Infrastructure
    } else if lint || severity != Severity::Error {
        FaultKind::Lint
    } else {
        FaultKind::Compile
    }
}

/// The lint in `#[deny(clippy::x)]`, `-D unused-imports` and the link that clippy prints.
fn lint_name(line: &str) -> Option<String> {
    let line = line.trim_start();
    let note = line.strip_prefix("= ").unwrap_or(line);
    let from = |marker: &str, ends: &[char]| {
        let rest = note.split_once(marker)?.1;
        let name = rest.split(ends).next()?;
        let fine = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | ':'));
        (fine && name != "warnings" && name != "clippy::all").then(|| name.replace('-', "_"))
    };
    if !note.starts_with("note: ") && !note.starts_with("help: ") {
        return None;
    }
    if let Some(name) = from("rust-clippy/", &['\u{0}'])
        .or_else(|| from("index.html#", &[' ']))
        .filter(|_| note.contains("rust-clippy"))
    {
        return Some(format!("clippy::{name}"));
    }
    ["`#[warn(", "`#[deny(", "`#[forbid("]
        .iter()
        .find_map(|marker| from(marker, &[')']))
        .or_else(|| ["`-D ", "`-W ", "`-F "].iter().find_map(|marker| from(marker, &['`', ' '])))
}

/// `src/a.rs:3:5: warning: unused import`, the short form.
fn short(lines: &Lines, index: usize) -> Option<Diagnostic> {
    let line = lines.get(index);
    let (at, rest) =
        place::leading(line).filter(|(at, _)| place::has_extension(&at.path, "rs") && at.column.is_some())?;
    let found = header(rest.strip_prefix(": ")?)?;
    let mut made = diagnostic(lines, index, index + 1, &found, &mut Rules::default());
    made.location = Some(at);
    "rustc".clone_into(&mut made.tool);
    made.kind = kind(found.message, found.severity, false, true);
    Some(made)
}

/// `Diff in /r/src/a.rs:12:` or `Diff in /r/src/a.rs at line 12:`
fn format_hunk(line: &str) -> Option<Location> {
    let rest = line.strip_prefix("Diff in ")?.trim_end().trim_end_matches(':');
    if let Some((path, number)) = rest.rsplit_once(" at line ") {
        return Some(Location { path: path.to_owned(), line: number.parse().ok(), column: None });
    }
    place::whole(rest)
}

fn hunk_end(lines: &Lines, start: usize) -> usize {
    let belongs = |line: &str| line.is_empty() || line.starts_with([' ', '+', '-']);
    let end = lines.range(start..start + BLOCK_LIMIT).find(|(_, line)| !belongs(line)).map(|(index, _)| index);
    end.unwrap_or_else(|| lines.len().min(start + BLOCK_LIMIT))
}

fn format(lines: &Lines, start: usize, end: usize, at: Location) -> Diagnostic {
    let (quoted, excerpt) = lines.quote(start..end);
    Diagnostic {
        kind: FaultKind::Format,
        tool: "rustfmt".to_owned(),
        message: "the file is not formatted as rustfmt would".to_owned(),
        location: Some(at),
        details: crate::text::cut_middle(&lines.join(start..end), 16 << 10),
        lines: quoted,
        excerpt,
        ..Diagnostic::default()
    }
}

#[cfg(test)]
mod tests;
