//! `${{ … }}` with the values that a file and a job's name give: matrix, variables, the workspace. Everything else
//! (secrets, inputs, outputs of other steps, what looks at files) is unknown here, and stays so.

use std::collections::BTreeMap;

use serde_json::Value;

use super::functions;
use super::matrix::Cell;
use super::read::scalar;

/// Parentheses and negations that are followed.
const MAX_DEPTH: u32 = 32;

/// The values that are known.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scope<'a> {
    pub(super) cell: &'a Cell,
    pub(super) env: &'a BTreeMap<String, String>,
    /// The way from the directory of the step to the root of the repository, when it is asked for.
    pub(super) workspace: Option<&'a str>,
    /// `Linux`, `Windows` or `macOS`, when the runner's labels say so.
    pub(super) system: Option<&'static str>,
}

/// A part of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
    /// Known.
    Text(String),
    /// An expression without a known value, as it is written.
    Unknown(String),
}

/// The parts of a text.
pub(super) fn pieces(text: &str, scope: &Scope<'_>) -> Vec<Piece> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find("${{") {
        let Some(end) = end_of(&rest[start + 3..]) else { break };
        let inner = &rest[start + 3..start + 3 + end];
        if start > 0 {
            found.push(Piece::Text(rest[..start].to_owned()));
        }
        found.push(match evaluate(inner, scope) {
            Some(value) => Piece::Text(value),
            None => Piece::Unknown(crate::text::one_line(inner.trim(), 120)),
        });
        rest = &rest[start + 3 + end + 2..];
    }
    if !rest.is_empty() {
        found.push(Piece::Text(rest.to_owned()));
    }
    found
}

/// The text with every expression replaced.
///
/// # Errors
/// The expressions that are unknown.
pub(super) fn fill(text: &str, scope: &Scope<'_>) -> Result<String, Vec<String>> {
    let (mut filled, mut unknown) = (String::new(), Vec::new());
    for piece in pieces(text, scope) {
        match piece {
            Piece::Text(text) => filled.push_str(&text),
            Piece::Unknown(expression) => unknown.push(expression),
        }
    }
    if unknown.is_empty() { Ok(filled) } else { Err(unknown) }
}

/// Where the expression ends; braces inside a string do not end it.
fn end_of(text: &str) -> Option<usize> {
    let mut quoted = false;
    let bytes = text.as_bytes();
    (0..bytes.len()).find(|at| {
        quoted ^= bytes[*at] == b'\'';
        !quoted && bytes[*at..].starts_with(b"}}")
    })
}

fn evaluate(text: &str, scope: &Scope<'_>) -> Option<String> {
    let mut reader = Reader { rest: text, scope, depth: 0 };
    let value = reader.either()?;
    if !reader.rest.trim().is_empty() {
        return None;
    }
    match value {
        Worth::Unknown => None,
        Worth::Known(Value::Null) => Some(String::new()),
        Worth::Known(value) => scalar(&value),
    }
}

/// What an expression comes to.
enum Worth {
    Known(Value),
    Unknown,
}

/// Reads an expression; `None` is a form that is not read here.
struct Reader<'a> {
    rest: &'a str,
    scope: &'a Scope<'a>,
    depth: u32,
}

impl<'a> Reader<'a> {
    fn either(&mut self) -> Option<Worth> {
        let mut left = self.both()?;
        while self.takes("||") {
            let right = self.both()?;
            left = match left {
                Worth::Known(value) if !is_true(&value) => right,
                other => other,
            };
        }
        Some(left)
    }

    fn both(&mut self) -> Option<Worth> {
        let mut left = self.compared()?;
        while self.takes("&&") {
            let right = self.compared()?;
            left = match left {
                Worth::Known(value) if is_true(&value) => right,
                other => other,
            };
        }
        Some(left)
    }

    fn compared(&mut self) -> Option<Worth> {
        let left = self.single()?;
        let equal = if self.takes("==") {
            true
        } else if self.takes("!=") {
            false
        } else {
            return Some(left);
        };
        let right = self.single()?;
        let (Worth::Known(left), Worth::Known(right)) = (left, right) else { return Some(Worth::Unknown) };
        Some(same(&left, &right).map_or(Worth::Unknown, |same| Worth::Known(Value::Bool(same == equal))))
    }

    fn single(&mut self) -> Option<Worth> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        let value = if self.takes("(") {
            let value = self.either()?;
            self.takes(")").then_some(value)?
        } else if !self.rest.trim_start().starts_with("!=") && self.takes("!") {
            match self.single()? {
                Worth::Known(value) => Worth::Known(Value::Bool(!is_true(&value))),
                Worth::Unknown => Worth::Unknown,
            }
        } else {
            self.literal().or_else(|| self.property())?
        };
        self.depth -= 1;
        Some(value)
    }

    fn literal(&mut self) -> Option<Worth> {
        let text = self.rest.trim_start();
        if let Some(quoted) = text.strip_prefix('\'') {
            let mut value = String::new();
            let mut characters = quoted.char_indices().peekable();
            while let Some((at, c)) = characters.next() {
                if c != '\'' {
                    value.push(c);
                } else if characters.next_if(|(_, c)| *c == '\'').is_some() {
                    value.push('\'');
                } else {
                    self.rest = &quoted[at + 1..];
                    return Some(Worth::Known(Value::String(value)));
                }
            }
            return None;
        }
        let end =
            text.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+'))).unwrap_or(text.len());
        let value = match &text[..end] {
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            "null" => Value::Null,
            word if word.starts_with(|c: char| c.is_ascii_digit() || c == '-') => {
                serde_json::from_str(word).ok().filter(Value::is_number)?
            }
            _ => return None,
        };
        self.rest = &text[end..];
        Some(Worth::Known(value))
    }

    /// `a.b['c']`, or a call of a function.
    fn property(&mut self) -> Option<Worth> {
        let mut path = vec![self.name()?.to_ascii_lowercase()];
        loop {
            if self.rest.starts_with('.') {
                self.rest = &self.rest[1..];
                path.push(self.name()?.to_owned());
            } else if self.rest.starts_with('[') {
                self.rest = &self.rest[1..];
                let Some(Worth::Known(Value::String(key))) = self.literal() else { return None };
                path.push(key);
                if !self.takes("]") {
                    return None;
                }
            } else if self.takes("(") {
                return self.called(&path);
            } else {
                return Some(self.look_up(&path).map_or(Worth::Unknown, Worth::Known));
            }
        }
    }

    fn called(&mut self, path: &[String]) -> Option<Worth> {
        let mut arguments = Vec::new();
        while !self.takes(")") {
            if !arguments.is_empty() && !self.takes(",") {
                return None;
            }
            arguments.push(self.either()?);
        }
        let [name] = path else { return None };
        let known = |argument| if let Worth::Known(value) = argument { Some(value) } else { None };
        let values: Option<Vec<Value>> = arguments.into_iter().map(known).collect();
        let value = values.and_then(|values| functions::call(name, &values));
        Some(value.map_or(Worth::Unknown, Worth::Known))
    }

    fn look_up(&self, path: &[String]) -> Option<Value> {
        let path: Vec<&str> = path.iter().map(String::as_str).collect();
        match path.as_slice() {
            ["matrix", key, inner @ ..] => match self.scope.cell.values.get(*key) {
                Some(value) => {
                    Some(inner.iter().fold(value, |value, key| value.get(key).unwrap_or(&Value::Null)).clone())
                }
                None => self.scope.cell.complete.then_some(Value::Null),
            },
            ["env", name] if self.scope.env.contains_key(*name) => {
                self.scope.env.get(*name).map(|value| Value::String(value.clone()))
            }
            ["github", "workspace"] | ["env", "GITHUB_WORKSPACE"] => {
                self.scope.workspace.map(|way| Value::String(way.to_owned()))
            }
            ["runner", "os"] => self.scope.system.map(|name| Value::String(name.to_owned())),
            _ => None,
        }
    }

    fn name(&mut self) -> Option<&'a str> {
        let text = self.rest.trim_start();
        let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))).unwrap_or(text.len());
        self.rest = &text[end..];
        (end > 0).then(|| &text[..end])
    }

    fn takes(&mut self, sign: &str) -> bool {
        match self.rest.trim_start().strip_prefix(sign) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }
}

fn is_true(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(flag) => *flag,
        Value::Number(number) => number.as_f64().is_some_and(|number| number != 0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(_) | Value::Object(_) => true,
    }
}

/// Texts are compared without regard to case; values of two kinds are converted by the forge, not here.
fn same(left: &Value, right: &Value) -> Option<bool> {
    match (left, right) {
        (Value::String(left), Value::String(right)) => Some(left.eq_ignore_ascii_case(right)),
        (Value::Bool(left), Value::Bool(right)) => Some(left == right),
        (Value::Number(left), Value::Number(right)) => Some(left.as_f64() == right.as_f64()),
        (Value::Null, Value::Null) => Some(true),
        _ => None,
    }
}
