//! The JSON of problem matchers, as GitHub Actions documents it.

use regex::{Regex, RegexBuilder};
use serde_json::Value;

use super::Matcher;
use crate::artifact::{FaultKind, Problem, Severity};

/// One expression may take this much memory when compiled.
const SIZE_LIMIT: usize = 4 << 20;
/// More matchers of one file are not read.
const MATCHERS_LIMIT: usize = 200;
/// Lines of one matcher.
const PATTERNS_LIMIT: usize = 20;

/// What is looked for on one line, and the groups that say something.
#[derive(Debug)]
pub(super) struct Pattern {
    pub(super) regex: Regex,
    pub(super) file: Option<usize>,
    pub(super) line: Option<usize>,
    pub(super) column: Option<usize>,
    pub(super) severity: Option<usize>,
    pub(super) code: Option<usize>,
    pub(super) message: Option<usize>,
    /// The last pattern of a matcher may match line after line.
    pub(super) is_loop: bool,
}

/// Every matcher of a file that can be read; what cannot is a problem that names file and owner.
pub(super) fn read(name: &str, json: &str, problems: &mut Vec<Problem>) -> Vec<Matcher> {
    let mut problem = |message: String| problems.push(Problem { line: None, message: format!("{name}: {message}") });
    let document: Value = match serde_json::from_str(json.trim_start_matches('\u{feff}')) {
        Ok(document) => document,
        Err(error) => {
            problem(format!("no problem matchers: {error}"));
            return Vec::new();
        }
    };
    let mut matchers = Vec::new();
    let listed = document.get("problemMatcher").map(|found| match found {
        Value::Array(list) => list.iter().collect(),
        one => vec![one],
    });
    for entry in listed.unwrap_or_default().into_iter().take(MATCHERS_LIMIT) {
        let owner = entry.get("owner").and_then(Value::as_str).unwrap_or("problem matcher");
        match matcher(owner, entry) {
            Ok(matcher) => matchers.push(matcher),
            Err(why) => problem(format!("the matcher `{owner}` is not used: {why}")),
        }
    }
    matchers
}

fn matcher(owner: &str, entry: &Value) -> Result<Matcher, String> {
    let text = |key: &str| entry.get(key).and_then(Value::as_str).unwrap_or_default();
    let listed: Vec<&Value> = match entry.get("pattern") {
        Some(Value::Array(list)) => list.iter().take(PATTERNS_LIMIT).collect(),
        Some(one @ Value::Object(_)) => vec![one],
        _ => return Err("it has no pattern".to_owned()),
    };
    let patterns = listed.into_iter().map(pattern).collect::<Result<Vec<_>, _>>()?;
    if patterns.is_empty() {
        return Err("it has no pattern".to_owned());
    }
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
    let context = entry.get("context").and_then(Value::as_bool).unwrap_or(false);
    Ok(Matcher { owner: owner.to_owned(), severity, kind, context, patterns })
}

fn pattern(entry: &Value) -> Result<Pattern, String> {
    let written = entry.get("regexp").and_then(Value::as_str).ok_or("a pattern without `regexp`")?;
    let regex = RegexBuilder::new(&translate(written))
        .size_limit(SIZE_LIMIT)
        .build()
        .map_err(|error| format!("`{written}` cannot be used: {}", reason(&error)))?;
    let groups = regex.captures_len();
    let group = |key: &str| {
        let number = entry.get(key).and_then(Value::as_u64).and_then(|number| usize::try_from(number).ok());
        number.filter(|number| *number < groups)
    };
    Ok(Pattern {
        file: group("file"),
        line: group("line"),
        column: group("column"),
        severity: group("severity"),
        code: group("code"),
        message: group("message"),
        is_loop: entry.get("loop").and_then(Value::as_bool).unwrap_or(false),
        regex,
    })
}

/// The last line of what the compiler of expressions says: the others draw the expression.
fn reason(error: &regex::Error) -> String {
    let words = error.to_string();
    words.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned()
}

/// JavaScript's classes are those of ASCII; as sets of Unicode they would cost a hundred times as much.
fn translate(written: &str) -> String {
    let mut translated = String::with_capacity(written.len() + 16);
    let mut characters = written.chars().peekable();
    let mut in_class = false;
    while let Some(c) = characters.next() {
        match c {
            '\\' => {
                let Some(escaped) = characters.next() else { break };
                let class = match escaped {
                    'd' => Some("0-9"),
                    'w' => Some("0-9A-Za-z_"),
                    's' => Some(r" \t\r\n\x0b\x0c"),
                    _ => None,
                };
                match (class, escaped) {
                    (Some(class), _) if in_class => translated.push_str(class),
                    (Some(class), _) => translated.extend(["[", class, "]"]),
                    (None, 'D') if !in_class => translated.push_str("[^0-9]"),
                    (None, 'W') if !in_class => translated.push_str("[^0-9A-Za-z_]"),
                    (None, 'S') if !in_class => translated.push_str(r"[^ \t\r\n\x0b\x0c]"),
                    (None, 'b') if !in_class => translated.push_str(r"(?-u:\b)"),
                    // JavaScript lets any character be escaped.
                    (None, '/' | '"' | '\'' | '`' | ':' | ',' | ';' | '@' | '!' | '%' | '=' | '_' | ' ') => {
                        translated.push(escaped);
                    }
                    (None, other) => {
                        translated.push('\\');
                        translated.push(other);
                    }
                }
            }
            '[' if in_class => translated.push_str(r"\["),
            '[' => {
                in_class = true;
                translated.push('[');
                if characters.peek() == Some(&'^') {
                    characters.next();
                    translated.push('^');
                }
                // A bracket that closes at once stands for itself.
                if characters.peek() == Some(&']') {
                    characters.next();
                    translated.push_str(r"\]");
                }
            }
            ']' => {
                in_class = false;
                translated.push(']');
            }
            // Set operations of the other dialect.
            '&' | '~' | '-' if in_class && characters.peek() == Some(&c) => {
                translated.push('\\');
                translated.push(c);
            }
            c => translated.push(c),
        }
    }
    translated
}
