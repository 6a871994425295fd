//! The lines of `cargo --message-format=json` and of `rustc --error-format=json`, also between other output.

use std::collections::BTreeSet;

use cargo_metadata::diagnostic::{Diagnostic as Message, DiagnosticLevel, DiagnosticSpan};
use serde::Deserialize;

use super::lines::Lines;
use super::text::Part;
use super::{Diagnostic, FaultKind, Frame, Location, Problem, Severity, rustc};
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
                part.diagnostics.extend(diagnostic(lines, index, message).filter(|found| seen.insert(key(found))));
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
    part
}

fn key(diagnostic: &Diagnostic) -> Fingerprint {
    let place = diagnostic.location.as_ref().map(|at| format!("{}:{:?}:{:?}", at.path, at.line, at.column));
    Fingerprint::of(&[&diagnostic.message, &diagnostic.details, place.as_deref().unwrap_or_default()])
}

fn diagnostic(lines: &Lines, index: usize, message: Message) -> Option<Diagnostic> {
    let severity = match message.level {
        DiagnosticLevel::Error | DiagnosticLevel::Ice => Severity::Error,
        DiagnosticLevel::Warning => Severity::Warning,
        DiagnosticLevel::FailureNote => return None,
        _ => Severity::Note,
    };
    if message.spans.is_empty() && message.code.is_none() && rustc::is_summary(&message.message) {
        return None;
    }
    let rule = message.code.map(|code| code.code);
    let lint = rule.as_deref().is_some_and(|rule| !rustc::is_error_code(rule));
    let clippy = rule.as_deref().is_some_and(|rule| rule.starts_with("clippy::"));
    let primary = message.spans.iter().find(|span| span.is_primary).or_else(|| message.spans.first());
    let at = primary.map(|span| location(outermost(span)));
    let others = message.spans.iter().filter(|span| !span.is_primary);
    let children = message.children.iter().flat_map(|child| &child.spans);
    let frames = others.chain(children).take(20).map(|span| frame(location(span))).collect();
    let rendered = text::plain(message.rendered.as_deref().unwrap_or(&message.message));
    let number = lines.number(index);
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
        lines: Some(super::Lines { start: number, end: number }),
    })
}

/// A span inside a macro of the standard library is shown where the macro is used.
fn outermost(span: &DiagnosticSpan) -> &DiagnosticSpan {
    let mut span = span;
    while let Some(expansion) = &span.expansion {
        if !span.file_name.starts_with('<') && !super::place::is_foreign(&span.file_name) {
            break;
        }
        span = &expansion.span;
    }
    span
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
