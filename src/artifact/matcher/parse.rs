//! The JSON of problem matchers, as GitHub Actions documents it.

use regex::{Regex, RegexBuilder};
use serde_json::Value;

use super::set::Matcher;
use super::translate::translate;
use crate::artifact::{FaultKind, Problem, Severity};
use crate::text;

/// Lines of one matcher.
const PATTERNS_LIMIT: usize = 20;
/// Tables that one expression may fill while it searches.
const TABLES_LIMIT: usize = 256 << 10;
/// Foreign words are quoted up to here.
const QUOTED: usize = 100;

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
    pub(super) from_path: Option<usize>,
    /// The last pattern of a matcher may match line after line.
    pub(super) is_loop: bool,
}

/// Compiles expressions as long as they are small, each and all together.
pub(super) struct Compiler {
    /// Sizes that are tried, the smallest first: what fits into one of them counts that much.
    sizes: &'static [usize],
    /// What all that follow may take.
    left: usize,
}

impl Compiler {
    pub(super) fn new(sizes: &'static [usize], left: usize) -> Self {
        Self { sizes, left }
    }

    fn compile(&mut self, written: &str) -> Result<Regex, String> {
        let translated = translate(written);
        let mut why = String::new();
        for size in self.sizes {
            if *size > self.left {
                return Err(format!("`{}` is too much: all matchers together are too large", quoted(written)));
            }
            match RegexBuilder::new(&translated).size_limit(*size).dfa_size_limit(TABLES_LIMIT).build() {
                Ok(regex) => {
                    self.left -= size;
                    return Ok(regex);
                }
                Err(error) => why = format!("`{}` cannot be used: {}", quoted(written), reason(&error)),
            }
            if !why.ends_with(TOO_LARGE) {
                break;
            }
        }
        Err(why)
    }
}

/// The entries of a file; a problem that names it where it is no list of matchers.
pub(super) fn entries(name: &str, json: &str, problems: &mut Vec<Problem>) -> Vec<Value> {
    let document: Value = match serde_json::from_str(json.trim_start_matches('\u{feff}')) {
        Ok(document) => document,
        Err(error) => {
            problems.push(problem(name, &format!("no problem matchers: {error}")));
            return Vec::new();
        }
    };
    match document {
        Value::Object(mut document) => match document.remove("problemMatcher") {
            Some(Value::Array(list)) => list,
            Some(one) => vec![one],
            None => Vec::new(),
        },
        _ => Vec::new(),
    }
}

/// What its file calls a matcher.
pub(super) fn owner(entry: &Value) -> &str {
    entry.get("owner").and_then(Value::as_str).unwrap_or_default()
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
    let text = |key: &str| entry.get(key).and_then(Value::as_str).unwrap_or_default();
    let listed: &[Value] = match entry.get("pattern") {
        Some(Value::Array(list)) => list,
        Some(one @ Value::Object(_)) => std::slice::from_ref(one),
        _ => &[],
    };
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
    let context = entry.get("context").and_then(Value::as_bool).unwrap_or(false);
    Ok(Matcher { owner: owner(entry).to_owned(), severity, kind, from_path, file: None, context, patterns })
}

fn pattern(entry: &Value, compiler: &mut Compiler) -> Result<Pattern, String> {
    let written = entry.get("regexp").and_then(Value::as_str).ok_or("a pattern without `regexp`")?;
    let regex = compiler.compile(written)?;
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
        from_path: group("fromPath"),
        is_loop: entry.get("loop").and_then(Value::as_bool).unwrap_or(false),
        regex,
    })
}

/// How the reason of what is too large ends.
const TOO_LARGE: &str = "it is too large";

/// The last line of what the compiler of expressions says: the others draw the expression.
fn reason(error: &regex::Error) -> String {
    if let regex::Error::CompiledTooBig(_) = error {
        return TOO_LARGE.to_owned();
    }
    let words = error.to_string();
    words.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned()
}
