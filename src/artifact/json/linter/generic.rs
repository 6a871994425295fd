//! Findings of a tool that no row of the table knows: objects that have a message, a line and a path.

use serde_json::{Map, Value};

use super::found::Found;
use super::keys::loosely;
use super::{details, excerpt, local, severity};
use crate::artifact::{Diagnostic, FaultKind, Location, Severity, place};
use crate::text;

/// Findings stand no deeper than this.
const DEPTH: usize = 6;

const MESSAGE: [&str; 5] = ["message", "msg", "text", "reason", "failure"];
/// These say what is wrong only beside a rule or a severity.
const ABOUT: [&str; 2] = ["description", "title"];
/// Where a test says how it ended, and how: what is in it is no finding of a linter.
const ENDED: [&str; 5] = ["status", "state", "outcome", "result", "action"];
const ENDS: [&str; 14] = [
    "passed",
    "failed",
    "skipped",
    "pending",
    "pass",
    "fail",
    "skip",
    "timedout",
    "interrupted",
    "expected",
    "unexpected",
    "flaky",
    "success",
    "broken",
];
const PATH: [&str; 6] = ["path", "file", "filename", "filepath", "sourcefile", "source"];
const LINE: [&str; 8] = ["line", "lineNumber", "lineNo", "lineNum", "startLine", "beginLine", "lineStart", "row"];
const COLUMN: [&str; 7] = ["column", "col", "startColumn", "columnNumber", "columnStart", "character", "beginColumn"];
const RULE: [&str; 9] = ["ruleId", "rule", "code", "checkId", "check", "checkName", "symbol", "linter", "id"];
const SEVERITY: [&str; 4] = ["severity", "level", "type", "priority"];
/// Objects that hold the place of a finding.
const PLACE: [&str; 9] =
    ["location", "pos", "position", "range", "start", "span", "primaryLocation", "textRange", "lines"];

/// Whether it holds a finding.
pub(super) fn sniff(document: &Value) -> bool {
    let mut any = false;
    visit(document, "", 0, &mut |_| {
        any = true;
        false
    });
    any
}

/// Every finding.
pub(super) fn read(document: &Value) -> Found {
    let mut found = Found::default();
    visit(document, "", 0, &mut |diagnostic| {
        found.push(diagnostic);
        true
    });
    found
}

/// Walks until `found` has enough; `path` is the file that an enclosing object names.
fn visit(value: &Value, path: &str, depth: usize, found: &mut dyn FnMut(Diagnostic) -> bool) -> bool {
    if depth > DEPTH {
        return true;
    }
    match value {
        Value::Array(list) => list.iter().all(|item| visit(item, path, depth + 1, found)),
        Value::Object(map) => {
            if ended(value) {
                return true;
            }
            let own = file(value).unwrap_or_default();
            let path = if own.is_empty() { path } else { &own };
            if let Some(diagnostic) = finding(value, path) {
                return found(diagnostic);
            }
            within(map, path, depth, found)
        }
        _ => true,
    }
}

fn within(map: &Map<String, Value>, path: &str, depth: usize, found: &mut dyn FnMut(Diagnostic) -> bool) -> bool {
    map.iter().filter(|(_, value)| value.is_array() || value.is_object()).all(|(key, value)| {
        let path = if place::is_file(key) { key } else { path };
        visit(value, path, depth + 1, found)
    })
}

fn finding(object: &Value, path: &str) -> Option<Diagnostic> {
    let judged = first(object, &RULE).is_some() && first(object, &SEVERITY[..2]).is_some();
    let about = || first(object, &ABOUT).filter(|_| judged);
    let said = first(object, &MESSAGE).filter(|said| said.is_string()).or_else(about)?.as_str()?;
    if said.trim().is_empty() {
        return None;
    }
    let place = held(object);
    let own = place.iter().find_map(|value| file(value));
    let path = own.unwrap_or_else(|| path.to_owned());
    let line = number(object, &LINE).or_else(|| place.iter().find_map(|value| number(value, &LINE)))?;
    let column = number(object, &COLUMN).or_else(|| place.iter().find_map(|value| number(value, &COLUMN)));
    if path.is_empty() {
        return None;
    }
    let rule = first(object, &RULE).and_then(|rule| match rule {
        Value::String(text) => Some(text::first_line(&text::plain(text), 200)),
        Value::Number(number) => Some(number.to_string()),
        other => loosely(other, "id").and_then(Value::as_str).map(|text| text::first_line(&text::plain(text), 200)),
    });
    let severity = first(object, &SEVERITY).and_then(Value::as_str).and_then(severity::word);
    let location = Location { path: text::plain(&local(&path)), line: Some(line), column };
    let message = text::first_line(&text::plain(said), 400);
    Some(Diagnostic {
        kind: FaultKind::Lint,
        tool: "linter".to_owned(),
        severity: severity.unwrap_or(Severity::Warning),
        excerpt: excerpt(Some(&location), rule.as_deref(), &message),
        details: details(&text::plain(said), object),
        rule,
        message,
        location: Some(location),
        ..Diagnostic::default()
    })
}

/// Whether it is a test that ended.
fn ended(object: &Value) -> bool {
    let how = ENDED.iter().filter_map(|key| loosely(object, key)).filter_map(Value::as_str);
    how.into_iter().any(|how| ENDS.iter().any(|end| how.eq_ignore_ascii_case(end)))
}

/// The objects, two deep, that say where a finding is.
fn held(object: &Value) -> Vec<&Value> {
    let mut held: Vec<&Value> =
        PLACE.iter().filter_map(|key| loosely(object, key)).filter(|value| value.is_object()).collect();
    let deeper: Vec<&Value> = held
        .iter()
        .flat_map(|value| PLACE.iter().filter_map(|key| loosely(value, key)))
        .filter(|value| value.is_object())
        .collect();
    held.extend(deeper);
    held
}

fn first<'v>(object: &'v Value, keys: &[&str]) -> Option<&'v Value> {
    keys.iter().find_map(|key| loosely(object, key)).filter(|value| !value.is_null())
}

/// A path that looks like one: a file with an extension or a folder before it.
fn file(object: &Value) -> Option<String> {
    let path = first(object, &PATH)?.as_str()?.trim();
    let path = local(path);
    let likely = path.len() <= 1024 && !path.contains(['\n', '<', '>']) && !path.contains("://");
    (likely && (place::is_file(&path) || path.contains('/'))).then_some(path)
}

fn number(object: &Value, keys: &[&str]) -> Option<u32> {
    let value = first(object, keys)?;
    let number = value.as_u64().or_else(|| value.as_str()?.parse().ok())?;
    u32::try_from(number).ok().filter(|number| *number > 0)
}
