//! Configuration files as flat sets of `key = value`, so that rules compare meaning and not layout.
//!
//! TOML, JSON, YAML and INI all become pairs of a dotted key and a scalar; an item of a list is a pair of its own.

use std::collections::BTreeSet;

use serde_json::Value;

use super::view::{Reading, Version};
use crate::ids::RepoPath;

/// Pairs of one file.
pub(super) type Settings = BTreeSet<(String, String)>;

/// What a change of a configuration file comes to.
pub(super) struct Changed {
    pub(super) added: Vec<(String, String)>,
    pub(super) removed: Vec<(String, String)>,
}

/// The settings that a file gains and loses; `None` when it is no configuration that can be read.
pub(super) fn changed(file: &Reading<'_>) -> Option<Changed> {
    let read =
        |version: &Version<'_>| if version.exists() { read(file.path, version.text) } else { Some(Settings::new()) };
    let (before, after) = (read(&file.before)?, read(&file.after)?);
    Some(Changed {
        added: after.difference(&before).cloned().collect(),
        removed: before.difference(&after).cloned().collect(),
    })
}

/// The settings of a text, by the kind that its name tells.
pub(super) fn read(path: &RepoPath, text: &str) -> Option<Settings> {
    let value = match (path.file_name(), path.extension()) {
        ("Pipfile" | "poetry.lock" | "uv.lock" | "Cargo.lock", _) | (_, Some("toml")) => {
            serde_json::to_value(toml::from_str::<toml::Value>(text).ok()?).ok()?
        }
        (".eslintrc" | ".babelrc" | ".mocharc" | ".prettierrc", _) | (_, Some("json" | "jsonc" | "json5")) => {
            serde_json::from_str(&without_comments(text)).ok()?
        }
        (_, Some("yml" | "yaml")) => serde_yaml::from_str::<Value>(text).ok()?,
        (".flake8" | ".coveragerc" | ".pylintrc" | "pylintrc", _) | (_, Some("cfg" | "ini")) => return Some(ini(text)),
        _ => return None,
    };
    let mut settings = Settings::new();
    flatten(&value, "", &mut settings);
    Some(settings)
}

/// JSON as people write it: line comments and trailing commas go.
fn without_comments(text: &str) -> String {
    let masked = super::mask::mask(text, super::language::Language::JavaScript);
    let bytes: Vec<u8> = text
        .bytes()
        .zip(masked.comments.bytes())
        .map(|(byte, comment)| if comment == b' ' || comment == b'\n' { byte } else { b' ' })
        .collect();
    let text = String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned());
    let mut clean = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        let dangling = c == ',' && text[at + 1..].trim_start().starts_with(['}', ']']);
        clean.push(if dangling { ' ' } else { c });
    }
    clean
}

fn flatten(value: &Value, key: &str, settings: &mut Settings) {
    let below = |name: &str| if key.is_empty() { name.to_owned() } else { format!("{key}.{name}") };
    match value {
        Value::Object(members) => members.iter().for_each(|(name, value)| flatten(value, &below(name), settings)),
        Value::Array(items) => {
            for item in items {
                // Named tables (`[[test]]`, lockfile packages) are told apart by their names.
                let name = item.get("name").and_then(Value::as_str).map(|name| format!("{key}[{name}]"));
                flatten(item, name.as_deref().unwrap_or(&format!("{key}[]")), settings);
            }
        }
        Value::String(text) => drop(settings.insert((key.to_owned(), text.clone()))),
        scalar => drop(settings.insert((key.to_owned(), scalar.to_string()))),
    }
}

fn ini(text: &str) -> Settings {
    let mut settings = Settings::new();
    let (mut section, mut key) = (String::new(), String::new());
    for line in text.lines() {
        let bare = line.split(" #").next().unwrap_or_default().trim();
        if bare.is_empty() || bare.starts_with(['#', ';']) {
            continue;
        }
        if let Some(name) = bare.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            name.trim().clone_into(&mut section);
        } else if line.starts_with(char::is_whitespace) && !key.is_empty() {
            items(bare, &format!("{section}.{key}"), &mut settings);
        } else if let Some((name, value)) = bare.split_once(['=', ':']) {
            name.trim().clone_into(&mut key);
            items(value.trim(), &format!("{section}.{key}"), &mut settings);
        }
    }
    settings
}

/// Comma-separated values are lists; others are one value.
fn items(value: &str, key: &str, settings: &mut Settings) {
    let parts = value.split(',').map(str::trim).filter(|part| !part.is_empty());
    settings.extend(parts.map(|part| (key.to_owned(), part.to_owned())));
}

/// The 0-based line of the new version that most likely holds a setting.
pub(super) fn line_of(version: &Version<'_>, key: &str, value: &str) -> Option<usize> {
    let name = key.trim_end_matches("[]").rsplit('.').next().unwrap_or(key);
    let has = |line: &str, what: &str| !what.is_empty() && line.contains(what);
    let lines = || version.lines.iter();
    lines()
        .position(|line| has(line, name) && has(line, value))
        .or_else(|| lines().position(|line| has(line, value)))
        .or_else(|| lines().position(|line| has(line, name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_all(path: &str, text: &str) -> Vec<String> {
        let settings = read(&RepoPath::new(path).unwrap(), text).unwrap();
        settings.into_iter().map(|(key, value)| format!("{key}={value}")).collect()
    }

    #[test]
    fn every_kind_becomes_the_same_pairs() {
        let expected = ["a.b=1", "a.c[]=x", "a.c[]=z"];
        assert_eq!(read_all("x.toml", "[a]\nb = 1\nc = ['x', 'z']\n"), expected);
        assert_eq!(read_all("x.json", "{\"a\": {\"b\": 1, // why\n \"c\": [\"x\", \"z\",],}}"), expected);
        assert_eq!(read_all("x.yml", "a:\n  b: 1\n  c: [x, z]\n"), expected);
        assert_eq!(read_all("x.cfg", "[a]\nb = 1\nc =\n    x,\n    z\n"), ["a.b=1", "a.c=x", "a.c=z"]);
    }
}
