//! The JSON of problem matchers, as GitHub Actions documents it.

use serde_json::Value;

use super::expression::{Compiler, Expression};
use super::relaxed;
use super::set::Matcher;
use crate::artifact::{FaultKind, Problem, Severity};
use crate::text;

/// Lines of one matcher.
const PATTERNS_LIMIT: usize = 20;
/// Foreign words are quoted up to here.
const QUOTED: usize = 100;

/// What is looked for on one line, and the groups that say something.
#[derive(Debug)]
pub(super) struct Pattern {
    pub(super) expression: Expression,
    pub(super) file: Option<usize>,
    pub(super) line: Option<usize>,
    pub(super) column: Option<usize>,
    pub(super) severity: Option<usize>,
    pub(super) code: Option<usize>,
    pub(super) message: Option<usize>,
    pub(super) from_path: Option<usize>,
    /// The last pattern of a matcher may match line after line.
    pub(super) is_loop: bool,
}

/// The entries of a file; a problem that names it where it is no list of matchers.
pub(super) fn entries(name: &str, json: &str, problems: &mut Vec<Problem>) -> Vec<Value> {
    let json = json.trim_start_matches('\u{feff}');
    let document: Value = match serde_json::from_str(json).or_else(|_| serde_json::from_str(&relaxed::plain(json))) {
        Ok(document) => document,
        Err(error) => {
            problems.push(problem(name, &format!("no problem matchers: {error}")));
            return Vec::new();
        }
    };
    match field(&document, "problemMatcher") {
        Some(Value::Array(list)) => list.clone(),
        Some(one) => vec![one.clone()],
        None => Vec::new(),
    }
}

/// A field, as GitHub's runner finds it: its case does not matter, and `null` is nothing.
pub(super) fn field<'a>(entry: &'a Value, key: &str) -> Option<&'a Value> {
    let exact = entry.get(key);
    let found = exact
        .or_else(|| entry.as_object()?.iter().find(|(name, _)| name.eq_ignore_ascii_case(key)).map(|(_, value)| value));
    found.filter(|value| !value.is_null())
}

/// The patterns of a matcher, one for each line; a single one needs no list.
pub(super) fn patterns(entry: &Value) -> &[Value] {
    match field(entry, "pattern") {
        Some(Value::Array(list)) => list,
        Some(one @ Value::Object(_)) => std::slice::from_ref(one),
        _ => &[],
    }
}

/// Whether a pattern may match line after line.
pub(super) fn is_loop(pattern: &Value) -> bool {
    match field(pattern, "loop") {
        Some(Value::Bool(is_loop)) => *is_loop,
        Some(Value::String(written)) => written.eq_ignore_ascii_case("true"),
        _ => false,
    }
}

/// What its file calls a matcher.
pub(super) fn owner(entry: &Value) -> &str {
    field(entry, "owner").and_then(Value::as_str).unwrap_or_default()
}

/// The same as it can be shown.
fn quoted_owner(entry: &Value) -> String {
    text::first_line(&text::plain(owner(entry)), QUOTED)
}

/// The problem of a matcher that is not used.
pub(super) fn unused(name: &str, entry: &Value, why: &str) -> Problem {
    problem(name, &format!("the matcher `{}` is not used: {why}", quoted(owner(entry))))
}

/// The problem of a file.
pub(super) fn problem(name: &str, message: &str) -> Problem {
    Problem { line: None, message: format!("{name}: {message}") }
}

/// Foreign words as they can be shown.
pub(super) fn quoted(words: &str) -> String {
    text::one_line(&text::plain(words), QUOTED)
}

/// One matcher, or why it cannot be used.
pub(super) fn matcher(entry: &Value, compiler: &mut Compiler) -> Result<Matcher, String> {
    let text = |key: &str| field(entry, key).and_then(Value::as_str).unwrap_or_default();
    let listed = patterns(entry);
    if listed.is_empty() {
        return Err("it has no pattern".to_owned());
    }
    if listed.len() > PATTERNS_LIMIT {
        return Err(format!("it has {} patterns; at most {PATTERNS_LIMIT} lines in a row are read", listed.len()));
    }
    let patterns = listed.iter().map(|entry| pattern(entry, compiler)).collect::<Result<Vec<_>, _>>()?;
    let severity = match text("severity").to_ascii_lowercase().as_str() {
        "warning" => Severity::Warning,
        "notice" | "info" | "note" => Severity::Note,
        _ => Severity::Error,
    };
    let kind = match text("kind") {
        "lint" => FaultKind::Lint,
        "compile" => FaultKind::Compile,
        "type" => FaultKind::Type,
        "format" => FaultKind::Format,
        "test" => FaultKind::Test,
        "dependency" => FaultKind::Dependency,
        _ => FaultKind::Unknown,
    };
    let from_path = text("fromPath").to_owned();
    let context = field(entry, "context").and_then(Value::as_bool).unwrap_or(false);
    let owner = quoted_owner(entry);
    Ok(Matcher { owner, severity, kind, from_path, file: None, context, patterns })
}

fn pattern(entry: &Value, compiler: &mut Compiler) -> Result<Pattern, String> {
    let written = field(entry, "regexp").and_then(Value::as_str).ok_or("a pattern without `regexp`")?;
    let expression = compiler.compile(written)?;
    let groups = expression.groups();
    let group = |key: &str| group(entry, key, groups);
    Ok(Pattern {
        file: group("file")?,
        line: group("line")?,
        column: group("column")?,
        severity: group("severity")?,
        code: group("code")?,
        message: group("message")?,
        from_path: group("fromPath")?,
        is_loop: is_loop(entry),
        expression,
    })
}

/// The number of a group, where one is given; there has to be one of that number.
fn group(entry: &Value, key: &str, groups: usize) -> Result<Option<usize>, String> {
    let Some(given) = field(entry, key) else { return Ok(None) };
    let number = given.as_u64().or_else(|| given.as_str()?.trim().parse().ok()).and_then(|n| usize::try_from(n).ok());
    match number.filter(|number| *number < groups) {
        Some(number) => Ok(Some(number)),
        None => Err(format!("its `{key}` is {}, which is no group of the expression", quoted(&given.to_string()))),
    }
}
