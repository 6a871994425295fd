//! The scripts of a `package.json`: what `npm test` comes to, and how to run the tests of it alone.
//!
//! `npm test` often runs linters, size limits or an audit first. They fail for reasons of their own (an old
//! linter, no network), and the tests behind them are then never run.

use std::collections::BTreeSet;

use serde_json::Value;

use super::words::{Does, unwrapped};

/// Scripts that tend to be the tests alone.
const ALONE: &[&str] = &[
    "tests-only",
    "test:unit",
    "test-unit",
    "unit",
    "unit-test",
    "unit-tests",
    "test:only",
    "test-only",
    "specs",
    "test:node",
    "test-node",
    "test:mocha",
    "test:jest",
    "jest",
    "mocha",
    "ava",
    "tape",
    "vitest",
    "tap",
    "test:ci",
    "test-ci",
    "ci:test",
    "test:js",
    "test:run",
    "test:all",
    "test:main",
    "tests",
];

const DEPTH: usize = 6;

/// The scripts of one manifest.
pub(super) struct Scripts<'a> {
    scripts: Option<&'a serde_json::Map<String, Value>>,
}

/// One part of a script, spelled out.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Part {
    text: String,
    does: Does,
}

impl<'a> Scripts<'a> {
    pub(super) fn new(manifest: &'a Value) -> Self {
        Self { scripts: manifest["scripts"].as_object() }
    }

    pub(super) fn get(&self, name: &str) -> Option<&'a str> {
        self.scripts?.get(name)?.as_str()
    }

    /// The words that run the tests, and nothing that fails without them failing.
    pub(super) fn test(&self) -> Option<Vec<String>> {
        let words = |words: &[&str]| Some(words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>());
        let whole = self.whole("test");
        let tests = whole.iter().any(|part| part.does == Does::Test);
        if tests && whole.iter().all(|part| part.does != Does::Check) {
            return words(&["npm", "test"]);
        }
        if let Some(alone) = ALONE.iter().find(|name| self.is_tests_alone(name)) {
            return words(&["npm", "run", "--ignore-scripts", alone]);
        }
        if !tests {
            return None;
        }
        let parts = |name| self.parts(name, DEPTH, &mut BTreeSet::new());
        let plain = |part: &Part| part.does == Does::Test && unwrapped(&part.text) == part.text;
        if parts("pretest").iter().all(|part| part.does == Does::Check) && parts("test").iter().all(plain) {
            // The checks are hooks, which npm leaves out on demand.
            return words(&["npm", "test", "--ignore-scripts"]);
        }
        // What is built after the last test is built to see whether it builds.
        let last = whole.iter().rposition(|part| part.does == Does::Test).map_or(0, |at| at + 1);
        let needed = whole[..last].iter().filter(|part| part.does != Does::Check);
        let rest: Vec<&str> = needed.map(|part| unwrapped(&part.text)).collect();
        words(&["npm", "exec", "--no", "-c", &rest.join(" && ")])
    }

    fn is_tests_alone(&self, name: &str) -> bool {
        let parts = self.parts(name, DEPTH, &mut BTreeSet::new());
        let hooked = ["pre", "post"]
            .iter()
            .any(|hook| self.get(&format!("{hook}{name}")).is_some_and(|script| Does::of(script) == Does::Build));
        !hooked && parts.iter().any(|part| part.does == Does::Test) && parts.iter().all(|part| part.does != Does::Check)
    }

    /// A script with what npm runs before and after it.
    fn whole(&self, name: &str) -> Vec<Part> {
        let names = [format!("pre{name}"), name.to_owned(), format!("post{name}")];
        names.iter().flat_map(|name| self.parts(name, DEPTH, &mut BTreeSet::new())).collect()
    }

    /// The parts of a script, the scripts that it calls spelled out.
    fn parts(&self, name: &str, depth: usize, seen: &mut BTreeSet<String>) -> Vec<Part> {
        let Some(script) = self.get(name).filter(|script| !is_placeholder(script)) else { return vec![] };
        if depth == 0 || !seen.insert(name.to_owned()) {
            return vec![];
        }
        let mut parts = Vec::new();
        for text in split(script) {
            let called = self.called(text);
            if called.is_empty() {
                parts.push(Part { text: text.to_owned(), does: Does::of(text) });
            }
            for name in called {
                for name in [format!("pre{name}"), name.clone(), format!("post{name}")] {
                    parts.extend(self.parts(&name, depth - 1, &mut seen.clone()));
                }
            }
        }
        parts
    }

    /// The scripts that a part calls by name, without words of its own for them.
    fn called(&self, part: &str) -> Vec<String> {
        let words: Vec<&str> = part.split_whitespace().filter(|word| !matches!(*word, "--silent" | "-s")).collect();
        let names: Vec<&str> = match words.as_slice() {
            ["npm" | "pnpm" | "yarn", "run" | "run-script", name] | ["yarn" | "pnpm", name] => vec![name],
            ["npm", name @ ("test" | "t")] => vec![if *name == "t" { "test" } else { name }],
            ["npm-run-all" | "run-s" | "run-p" | "npm-run-all2", rest @ ..] => {
                rest.iter().copied().filter(|word| !word.starts_with('-')).collect()
            }
            _ => vec![],
        };
        names.iter().flat_map(|name| self.named(name.trim_matches(['"', '\'']))).collect()
    }

    /// Scripts of a name, or of a pattern that ends in `*`.
    fn named(&self, name: &str) -> Vec<String> {
        let Some(prefix) = name.trim_end_matches('*').strip_suffix(':').filter(|_| name.ends_with('*')) else {
            return self.get(name).map(|_| name.to_owned()).into_iter().collect();
        };
        let names = self.scripts.into_iter().flat_map(serde_json::Map::keys);
        names.filter(|name| name.strip_prefix(prefix).is_some_and(|rest| rest.starts_with(':'))).cloned().collect()
    }
}

/// What `npm init` writes for lack of tests.
fn is_placeholder(script: &str) -> bool {
    script.contains("no test specified") || script.trim() == "exit 0"
}

/// The parts of a script between `&&` and `;` outside of quotes.
fn split(script: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut quote = None;
    let mut from = 0;
    let bytes = script.as_bytes();
    for (at, byte) in bytes.iter().enumerate() {
        match (quote, byte) {
            (None, b'\'' | b'"') => quote = Some(*byte),
            (Some(open), byte) if open == *byte => quote = None,
            (None, b'&') if bytes.get(at + 1) == Some(&b'&') => {
                parts.push(&script[from..at]);
                from = at + 2;
            }
            (None, b';') => {
                parts.push(&script[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    parts.push(script.get(from..).unwrap_or_default());
    parts.into_iter().map(str::trim).filter(|part| !part.is_empty()).collect()
}
