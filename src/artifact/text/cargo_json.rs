//! The lines of `cargo --message-format=json` and of `rustc --error-format=json`, also between other output.

use std::collections::BTreeSet;

use cargo_metadata::diagnostic::{Applicability, Diagnostic as Message, DiagnosticLevel, DiagnosticSpan};
use serde::Deserialize;

use super::Part;
use super::lines::Lines;
use super::rustc;
use crate::artifact::{Diagnostic, FaultKind, Fix, Frame, Location, Problem, Severity};
use crate::ids::Fingerprint;
use crate::text;

/// What tells a line of cargo from a line of rustc and from anything else.
#[derive(Deserialize)]
struct Envelope {
    reason: Option<String>,
    message: Option<serde::de::IgnoredAny>,
    level: Option<String>,
    success: Option<bool>,
}

#[derive(Deserialize)]
struct Wrapped {
    message: Message,
}

/// A message that somebody laid out over several lines is no longer than this.
const WHOLE_LIMIT: usize = 4 << 20;

/// Reads every message; cargo repeats one for each target that it compiles, which counts once.
pub(super) fn read(lines: &Lines) -> Part {
    let mut part = Part::default();
    let mut seen = BTreeSet::new();
    for (index, line) in lines.all() {
        if !line.starts_with('{') || !line.ends_with('}') {
            continue;
        }
        let Ok(envelope) = serde_json::from_str::<Envelope>(line) else { continue };
        let parsed = match envelope.reason.as_deref() {
            Some("compiler-message") => serde_json::from_str::<Wrapped>(line).map(|wrapped| wrapped.message),
            Some("compiler-artifact" | "build-script-executed" | "build-finished") => {
                part.recognised = true;
                if envelope.success == Some(false) && part.diagnostics.is_empty() {
                    part.problems.push(Problem {
                        line: Some(lines.number(index)),
                        message: "cargo says that the build failed and no message says why".to_owned(),
                    });
                }
                continue;
            }
            None if envelope.message.is_some() && envelope.level.is_some() => serde_json::from_str::<Message>(line),
            _ => continue,
        };
        match parsed {
            Ok(message) => {
                part.recognised = true;
                part.diagnostics.extend(diagnostic(lines, index, &message).filter(|found| seen.insert(key(found))));
            }
            // Other programs log objects with a level and a message: no problem of ours.
            Err(_) if envelope.reason.is_none() => {}
            Err(error) => {
                part.recognised = true;
                part.problems.push(Problem {
                    line: Some(lines.number(index)),
                    message: format!("a compiler message that cannot be read: {error}"),
                });
            }
        }
    }
    if !part.recognised {
        part.diagnostics.extend(whole(lines).and_then(|message| diagnostic(lines, 0, &message)));
        part.recognised = !part.diagnostics.is_empty();
    }
    part
}

/// One message laid out over the lines of the whole text.
fn whole(lines: &Lines) -> Option<Message> {
    if lines.get(0) != "{" || lines.text().len() > WHOLE_LIMIT {
        return None;
    }
    serde_json::from_str(&lines.join(0..lines.len())).ok()
}

fn key(diagnostic: &Diagnostic) -> Fingerprint {
    let place = diagnostic.location.as_ref().map(|at| format!("{}:{:?}:{:?}", at.path, at.line, at.column));
    Fingerprint::of(&[&diagnostic.message, &diagnostic.details, place.as_deref().unwrap_or_default()])
}

fn diagnostic(lines: &Lines, index: usize, message: &Message) -> Option<Diagnostic> {
    let severity = match message.level {
        DiagnosticLevel::Error | DiagnosticLevel::Ice => Severity::Error,
        DiagnosticLevel::Warning => Severity::Warning,
        DiagnosticLevel::FailureNote => return None,
        _ => Severity::Note,
    };
    if message.spans.is_empty() && message.code.is_none() && rustc::is_summary(&message.message) {
        return None;
    }
    let rule = message.code.as_ref().map(|code| code.code.clone());
    let lint = rule.as_deref().is_some_and(|rule| !rustc::is_error_code(rule));
    let clippy = rule.as_deref().is_some_and(|rule| rule.starts_with("clippy::"));
    let primary = message.spans.iter().find(|span| span.is_primary).or_else(|| message.spans.first());
    let at = primary.map(|span| location(outermost(span)));
    let others = message.spans.iter().filter(|span| !span.is_primary);
    let children = message.children.iter().flat_map(|child| &child.spans);
    let frames = others.chain(children).take(20).map(|span| frame(location(span))).collect();
    let rendered = text::plain(message.rendered.as_deref().unwrap_or(&message.message));
    let number = lines.number(index);
    let fixes = fixes(message);
    let kind = if message.level == DiagnosticLevel::Ice {
        FaultKind::Crash
    } else {
        rustc::kind(&message.message, severity, lint, at.is_some())
    };
    Some(Diagnostic {
        kind,
        tool: if clippy { "clippy" } else { "rustc" }.to_owned(),
        rule,
        severity,
        message: text::first_line(&text::plain(&message.message), 400),
        location: at,
        frames,
        excerpt: rendered.trim_end().lines().take(15).collect::<Vec<_>>().join("\n"),
        details: text::cut_middle(&rendered, 16 << 10),
        lines: Some(crate::artifact::Lines { start: number, end: number }),
        fixes,
        ..Diagnostic::default()
    })
}

/// A span inside a macro of the standard library is shown where the macro is used.
fn outermost(span: &DiagnosticSpan) -> &DiagnosticSpan {
    let mut span = span;
    while let Some(expansion) = &span.expansion {
        if !span.file_name.starts_with('<') && !crate::artifact::place::is_foreign(&span.file_name) {
            break;
        }
        span = &expansion.span;
    }
    span
}

/// The edits of the first suggestion that the compiler itself vouches for: applied together.
fn fixes(message: &Message) -> Vec<Fix> {
    let vouched = |span: &&DiagnosticSpan| {
        matches!(span.suggestion_applicability, Some(Applicability::MachineApplicable))
            && span.suggested_replacement.is_some()
    };
    let suggestions = std::iter::once(&message.spans).chain(message.children.iter().map(|child| &child.spans));
    let Some(spans) = suggestions.into_iter().find(|spans| spans.iter().any(|span| vouched(&span))) else {
        return Vec::new();
    };
    spans.iter().filter(vouched).filter_map(fix).collect()
}

fn fix(span: &DiagnosticSpan) -> Option<Fix> {
    let position = |line: usize, column: usize| Some((u32::try_from(line).ok()?, u32::try_from(column).ok()?));
    let fix = Fix {
        path: span.file_name.clone(),
        start: position(span.line_start, span.column_start)?,
        end: position(span.line_end, span.column_end)?,
        replacement: span.suggested_replacement.clone()?,
    };
    Some(fix).filter(|fix| fix.start <= fix.end)
}

fn location(span: &DiagnosticSpan) -> Location {
    Location {
        path: span.file_name.clone(),
        line: u32::try_from(span.line_start).ok(),
        column: u32::try_from(span.column_start).ok(),
    }
}

fn frame(at: Location) -> Frame {
    Frame { path: at.path, line: at.line, function: None, in_project: None }
}

#[cfg(test)]
mod tests;
