//! Scalars of the file, parsed: what is wrong with one is said here, where it stands is known to the checker.

use std::collections::BTreeMap;
use std::time::Duration;

use super::commands::CommandRule;
use super::error::Place;
use super::hosts::HostRule;
use super::node::{Meaning, meaning};
use super::paths::PathRule;
use super::shape::Leaf;
use crate::ids::RepoPath;

/// A value of the file that was checked against the table of keys.
#[derive(Debug, Clone)]
pub(super) enum Value {
    Text(String),
    Flag(bool),
    Whole(u64),
    Money(f64),
    Duration(Duration),
    Words(Vec<String>),
    Directory(Option<RepoPath>),
    Host(HostRule),
    Path(PathRule),
    Command(CommandRule),
    List(Vec<Value>),
    /// The keys of a record or a mapping, each with the place of its key.
    Map(BTreeMap<String, (Place, Value)>),
}

/// Larger counts and amounts are typing errors.
const MOST: u64 = 1_000_000_000_000;
/// The longest that anything may run.
const LONGEST: Duration = Duration::from_hours(24);

/// Reads a scalar.
///
/// # Errors
/// What is wrong with it, in a sentence that does not repeat more than the scalar itself.
pub(super) fn leaf(leaf: Leaf, text: &str, plain: bool) -> Result<Value, String> {
    let meaning = meaning(text, plain);
    let wrong = || format!("expects {}, found {}", leaf.described(), described(meaning));
    match leaf {
        _ if text.contains('\0') => Err("the text holds a NUL character".to_owned()),
        Leaf::Plain if meaning != Meaning::Null => Ok(Value::Text(text.to_owned())),
        Leaf::Flag => match meaning {
            Meaning::Bool(flag) => Ok(Value::Flag(flag)),
            _ => Err(format!("{}; YAML 1.2 has no other booleans than `true` and `false`", wrong())),
        },
        Leaf::OnlyFalse(why) => match meaning {
            Meaning::Bool(false) => Ok(Value::Flag(false)),
            Meaning::Bool(true) => Err(why.to_owned()),
            _ => Err(wrong()),
        },
        Leaf::One if plain && text == "1" => Ok(Value::Whole(1)),
        Leaf::One if meaning == Meaning::Number => {
            Err(format!("version {text} is not known; this program reads version 1"))
        }
        Leaf::Whole { least, most } if meaning == Meaning::Number => whole(text, least, most),
        Leaf::Count if meaning == Meaning::Number || meaning == Meaning::Text => count(text).ok_or_else(wrong),
        Leaf::Money if meaning == Meaning::Number => money(text),
        Leaf::Duration if meaning == Meaning::Text => duration(text),
        Leaf::Duration if meaning == Meaning::Number => Err(format!("`{text}` has no unit; write 30s, 10m or 2h")),
        _ if meaning != Meaning::Text => Err(wrong()),
        Leaf::Text if text.trim().is_empty() => Err("the text is empty".to_owned()),
        Leaf::Text => Ok(Value::Text(text.to_owned())),
        Leaf::CommandLine => words(text).map(Value::Words),
        Leaf::Directory => directory(text),
        Leaf::CacheDirectory => cache(text),
        Leaf::Host => HostRule::new(text).map(Value::Host),
        Leaf::Url => url(text),
        _ => Err(wrong()),
    }
}

fn described(meaning: Meaning) -> &'static str {
    match meaning {
        Meaning::Null => "nothing",
        Meaning::Bool(_) => "a boolean",
        Meaning::Number => "a number",
        Meaning::Text => "text",
    }
}

fn digits(text: &str) -> Option<u64> {
    (!text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())).then(|| text.parse().ok()).flatten()
}

fn whole(text: &str, least: u64, most: u64) -> Result<Value, String> {
    match digits(text) {
        Some(number) if (least..=most).contains(&number) => Ok(Value::Whole(number)),
        _ => Err(format!("`{text}` is no whole number from {least} to {most}")),
    }
}

fn count(text: &str) -> Option<Value> {
    let (number, unit) = match text.as_bytes().last()? {
        b'k' => (&text[..text.len() - 1], 1_000),
        b'm' => (&text[..text.len() - 1], 1_000_000),
        _ => (text, 1),
    };
    let count = digits(number)?.checked_mul(unit)?;
    (count <= MOST).then_some(Value::Whole(count))
}

fn money(text: &str) -> Result<Value, String> {
    let plain = text.bytes().all(|b| b.is_ascii_digit() || b == b'.') && text.starts_with(|c: char| c.is_ascii_digit());
    match text.parse::<f64>() {
        // An amount of thousands is a typing error long before it is a wish.
        Ok(amount) if plain && amount <= 10_000.0 => Ok(Value::Money(amount)),
        Ok(amount) if amount < 0.0 => Err(format!("`{text}` is negative")),
        _ => Err(format!("`{text}` is no plain amount from 0 to 10000")),
    }
}

fn duration(text: &str) -> Result<Value, String> {
    let unit = match text.as_bytes().last() {
        Some(b's') => 1,
        Some(b'm') => 60,
        Some(b'h') => 3600,
        _ => 0,
    };
    let number = if unit == 0 { None } else { digits(&text[..text.len() - 1]) };
    match number.and_then(|number| number.checked_mul(unit)).map(Duration::from_secs) {
        Some(duration) if !duration.is_zero() && duration <= LONGEST => Ok(Value::Duration(duration)),
        Some(_) => Err(format!("`{text}` is not from 1s to 24h")),
        None => Err(format!("`{text}` is no duration; write 30s, 10m or 2h")),
    }
}

/// The words of a command line by POSIX rules; no shell will read them.
///
/// # Errors
/// An open quote, no word at all, or an operator that only a shell understands.
pub(super) fn words(text: &str) -> Result<Vec<String>, String> {
    let words = shlex::split(text).ok_or("a quote or a backslash at the end is left open")?;
    if words.first().is_none_or(String::is_empty) {
        return Err("the command is empty".to_owned());
    }
    let operator = |word: &&String| matches!(word.as_str(), "&&" | "||" | "|" | ";" | "&" | ">" | ">>" | "<" | "2>&1");
    match words.iter().find(operator) {
        Some(word) => Err(format!("no shell reads a command, so `{word}` would be a word of it; write `sh -c '…'`")),
        None => Ok(words),
    }
}

fn directory(text: &str) -> Result<Value, String> {
    if matches!(text, "." | "./") {
        return Ok(Value::Directory(None));
    }
    RepoPath::new(text).map(|path| Value::Directory(Some(path))).map_err(|error| error.to_string())
}

fn cache(text: &str) -> Result<Value, String> {
    let below = text.strip_prefix("~/").unwrap_or(text);
    let path = RepoPath::new(below).map_err(|error| error.to_string())?;
    if path.as_str().starts_with('~') {
        return Err(format!("`{text}` is no directory below the private home; write `~/…`"));
    }
    let home = if text.starts_with("~/") { "~/" } else { "" };
    Ok(Value::Text(format!("{home}{path}")))
}

fn url(text: &str) -> Result<Value, String> {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let Some(rest) = rest else { return Err("a web address begins with https:// or http://".to_owned()) };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if authority.contains('@') {
        return Err("the address holds credentials; a secret never stands in this file".to_owned());
    }
    if authority.is_empty() || text.chars().any(|c| c.is_whitespace() || c.is_control()) {
        return Err("this is no web address".to_owned());
    }
    Ok(Value::Text(text.trim_end_matches('/').to_owned()))
}
