//! Holds the tree of the file against the table of keys, and reports everything that does not fit.

use std::collections::BTreeMap;

use super::commands::CommandRule;
use super::error::{Fault, Place, SHAPES};
use super::later::refusal;
use super::node::{Kind, Name, Node};
use super::paths::PathRule;
use super::shape::{Key, Leaf, Shape};
use super::value::{Value, leaf};
use crate::ids::RepoPath;
use crate::text::nearest;

/// The keys of a mapping with their places.
type Entries = BTreeMap<String, (Place, Value)>;

/// Checks a whole file. The value lacks what had a fault.
pub(super) fn check(root: &Node, keys: &'static [Key]) -> (Entries, Vec<Fault>) {
    let mut checker = Checker { faults: Vec::new() };
    let entries = match &root.kind {
        Kind::Map(entries) => checker.record(entries, keys, root.place, ""),
        Kind::Unreadable => BTreeMap::new(),
        _ => {
            checker.faults.push(Fault::new(root.place, format!("a policy is a mapping, found {}", root.described())));
            BTreeMap::new()
        }
    };
    (entries, checker.faults)
}

struct Checker {
    faults: Vec<Fault>,
}

impl Checker {
    /// `at` is where a missing key is reported: at the key that names the record.
    fn record(&mut self, entries: &[(Name, Node)], keys: &'static [Key], at: Place, path: &str) -> Entries {
        let mut values = BTreeMap::new();
        for (name, node) in entries {
            let Some(key) = keys.iter().find(|key| key.name == name.text) else {
                // A merge key was reported when the tree was read.
                if name.text == "<<" {
                    continue;
                }
                self.unknown(name, node, keys, path);
                continue;
            };
            let below = if path.is_empty() { key.name.to_owned() } else { format!("{path}.{}", key.name) };
            if let Some(value) = self.value(node, &key.shape, name.place, &below) {
                values.insert(name.text.clone(), (name.place, value));
            }
        }
        for key in keys.iter().filter(|key| key.required && !entries.iter().any(|(name, _)| name.text == key.name)) {
            self.faults.push(Fault::new(at, format!("the key `{}` is missing here", key.name)));
        }
        values
    }

    fn unknown(&mut self, name: &Name, node: &Node, keys: &[Key], path: &str) {
        let near = nearest(&name.text, keys.iter().map(|key| key.name));
        let shown = crate::text::cut_middle(&name.text, 60);
        let place = if path.is_empty() { String::new() } else { format!(" in `{path}`") };
        self.faults.push(Fault::new(name.place, format!("unknown key `{shown}`{place}")).near(near));
        self.secrets(node);
    }

    fn value(&mut self, node: &Node, shape: &'static Shape, at: Place, path: &str) -> Option<Value> {
        if let Some(reason) = refusal(path, node) {
            self.faults.push(Fault::new(at, format!("`{path}` is not enforced by this version: {reason}")));
        }
        if path.starts_with("secrets") && self.pasted(node, shape) {
            return None;
        }
        match (shape, &node.kind) {
            (_, Kind::Unreadable) => None,
            (Shape::Leaf(kind), Kind::Scalar { text, plain }) => self.leaf(node.place, *kind, text, *plain),
            (Shape::Word(words), Kind::Scalar { text, .. }) => self.word(node, words, text),
            (Shape::List(item) | Shape::OneOrMany(item), Kind::List(nodes)) => {
                let values: Vec<Option<Value>> =
                    nodes.iter().map(|node| self.value(node, item, node.place, path)).collect();
                Some(Value::List(values.into_iter().flatten().collect()))
            }
            (Shape::OneOrMany(item), _) => self.value(node, item, at, path).map(|value| Value::List(vec![value])),
            (Shape::Map(item), Kind::Map(entries)) => Some(Value::Map(self.map(entries, item, path))),
            (Shape::Record(keys), Kind::Map(entries)) => Some(Value::Map(self.record(entries, keys, at, path))),
            (Shape::Either(shapes), _) => match shapes.iter().find(|shape| fits(shape, &node.kind)) {
                Some(shape) => self.value(node, shape, at, path),
                None => self.wrong(node, shape),
            },
            (Shape::PathRule { .. } | Shape::CommandRule, Kind::Scalar { .. } | Kind::Map(_)) => self.rule(node, shape),
            (Shape::Words, Kind::Scalar { text, plain }) => self.leaf(node.place, Leaf::CommandLine, text, *plain),
            (Shape::Words, Kind::List(nodes)) => Some(self.words(node, nodes)),
            (Shape::Any, _) => {
                self.secrets(node);
                Some(Value::List(Vec::new()))
            }
            _ => self.wrong(node, shape),
        }
    }

    fn wrong(&mut self, node: &Node, shape: &Shape) -> Option<Value> {
        self.faults.push(Fault::new(node.place, format!("expects {}, found {}", shape.described(), node.described())));
        self.secrets(node);
        None
    }

    fn leaf(&mut self, place: Place, kind: Leaf, text: &str, plain: bool) -> Option<Value> {
        if self.secret(place, text) {
            return None;
        }
        match leaf(kind, text, plain) {
            Ok(value) => Some(value),
            Err(message) => {
                self.faults.push(Fault::new(place, message));
                None
            }
        }
    }

    fn words(&mut self, node: &Node, nodes: &[Node]) -> Value {
        let words: Vec<String> = nodes
            .iter()
            .filter_map(|node| match self.value(node, &Shape::Leaf(Leaf::Plain), node.place, "")? {
                Value::Text(word) => Some(word),
                _ => None,
            })
            .collect();
        if nodes.is_empty() || words.first().is_some_and(String::is_empty) {
            self.faults.push(Fault::new(node.place, "the command is empty"));
        }
        Value::Words(words)
    }

    fn word(&mut self, node: &Node, words: &[&'static str], text: &str) -> Option<Value> {
        if words.contains(&text) {
            return Some(Value::Text(text.to_owned()));
        }
        if !self.secret(node.place, text) {
            let message =
                format!("expects {}, found `{}`", super::shape::one_of(words), crate::text::cut_middle(text, 60));
            self.faults.push(Fault::new(node.place, message).near(nearest(text, words.iter().copied())));
        }
        None
    }

    fn map(&mut self, entries: &[(Name, Node)], item: &'static Shape, path: &str) -> Entries {
        let mut values = BTreeMap::new();
        for (name, node) in entries {
            if let Some(message) = bad_name(&name.text, path) {
                self.faults.push(Fault::new(name.place, message));
            }
            self.secret(name.place, &name.text);
            if let (true, Kind::Scalar { text, .. }) = (is_secret_name(&name.text), &node.kind)
                && looks_random(text)
            {
                let name = &name.text;
                let message = format!("the value of `{name}` looks like a secret; a secret never stands in this file");
                self.faults.push(Fault::hidden(node.place, message));
                continue;
            }
            if let Some(value) = self.value(node, item, name.place, &format!("{path}.*")) {
                values.insert(name.text.clone(), (name.place, value));
            }
        }
        values
    }

    /// A value where the name of a secret, or where it goes, is expected.
    fn pasted(&mut self, node: &Node, shape: &Shape) -> bool {
        let Kind::Scalar { text, .. } = &node.kind else { return false };
        let pasted = match shape {
            Shape::Record(_) => true,
            Shape::Either(_) => text != "proxy_inject" && nearest(text, ["proxy_inject"]).is_none(),
            _ => false,
        };
        if pasted {
            let message = "expects `proxy_inject`, or for each name a mapping with `host`; \
                           the value of a secret never stands in this file: take it out and replace it where it is used";
            self.faults.push(Fault::hidden(node.place, message));
        }
        pasted
    }

    /// Reports a credential by its shape, without showing it.
    fn secret(&mut self, place: Place, text: &str) -> bool {
        let Some(leak) = SHAPES.find(text).into_iter().next() else { return false };
        let message = format!("this looks like a secret ({}); a secret never stands in this file", leak.kind);
        self.faults.push(Fault::hidden(place, message));
        true
    }

    fn secrets(&mut self, node: &Node) {
        match &node.kind {
            Kind::Scalar { text, .. } => {
                self.secret(node.place, text);
            }
            Kind::List(nodes) => nodes.iter().for_each(|node| self.secrets(node)),
            Kind::Map(entries) => entries.iter().for_each(|(_, node)| self.secrets(node)),
            Kind::Unreadable => {}
        }
    }

    /// A pattern, or a mapping of it with examples that are tried at once.
    fn rule(&mut self, node: &Node, shape: &'static Shape) -> Option<Value> {
        const TEXTS: Shape = Shape::List(&Shape::Leaf(Leaf::Text));
        const fn key(name: &'static str, shape: Shape) -> Key {
            Key { name, shape, required: false, default: "", doc: "" }
        }
        const KEYS: &[Key] = &[
            key("path", Shape::Leaf(Leaf::Text)),
            key("pattern", Shape::Leaf(Leaf::Text)),
            key("match", TEXTS),
            key("not_match", TEXTS),
        ];
        let entries = match &node.kind {
            Kind::Scalar { text, plain } => {
                let Value::Text(text) = self.leaf(node.place, Leaf::Text, text, *plain)? else { return None };
                return self.pattern(node.place, &text, shape, [Vec::new(), Vec::new()]);
            }
            Kind::Map(entries) => entries,
            Kind::List(_) | Kind::Unreadable => return None,
        };
        let values = self.record(entries, KEYS, node.place, "a rule");
        let patterns: Vec<&str> = ["path", "pattern"].iter().filter_map(|key| text(values.get(*key))).collect();
        let [pattern] = patterns[..] else {
            self.faults.push(Fault::new(node.place, "a rule has either `path` or `pattern`"));
            return None;
        };
        let place = ["path", "pattern"]
            .iter()
            .find_map(|key| entries.iter().find(|(name, _)| name.text == *key).map(|(_, node)| node.place));
        let examples = ["match", "not_match"].map(|key| texts(entries, key));
        self.pattern(place.unwrap_or(node.place), pattern, shape, examples)
    }

    fn pattern(
        &mut self,
        place: Place,
        text: &str,
        shape: &Shape,
        examples: [Vec<(Place, String)>; 2],
    ) -> Option<Value> {
        let Shape::PathRule { may_exclude } = shape else {
            return match CommandRule::new(text, Some(place.line), examples) {
                Ok(rule) => Some(Value::Command(rule)),
                Err(message) => {
                    self.faults.push(Fault::new(place, message));
                    None
                }
            };
        };
        let rule = match PathRule::new(text, Some(place.line), *may_exclude) {
            Ok(rule) => rule,
            Err(message) => {
                self.faults.push(Fault::new(place, message));
                return None;
            }
        };
        for (wanted, (place, example)) in [true, false]
            .into_iter()
            .zip(examples)
            .flat_map(|(wanted, examples)| examples.into_iter().map(move |e| (wanted, e)))
        {
            let matches = RepoPath::new(&example).map(|path| rule.matches(&path));
            match matches {
                Ok(matches) if matches == wanted => {}
                Ok(_) => self.faults.push(Fault::new(place, format!("`{text}` {} `{example}`", verb(!wanted)))),
                Err(error) => self.faults.push(Fault::new(place, error.to_string())),
            }
        }
        Some(Value::Path(rule))
    }
}

/// How a message says that an example is matched or not.
pub(super) fn verb(matches: bool) -> &'static str {
    if matches { "matches" } else { "does not match" }
}

fn text(entry: Option<&(Place, Value)>) -> Option<&str> {
    match entry {
        Some((_, Value::Text(text))) => Some(text),
        _ => None,
    }
}

fn texts(entries: &[(Name, Node)], key: &str) -> Vec<(Place, String)> {
    let Some((_, Node { kind: Kind::List(nodes), .. })) = entries.iter().find(|(name, _)| name.text == key) else {
        return Vec::new();
    };
    nodes
        .iter()
        .filter_map(|node| match &node.kind {
            Kind::Scalar { text, .. } => Some((node.place, text.clone())),
            _ => None,
        })
        .collect()
}

fn fits(shape: &Shape, kind: &Kind) -> bool {
    match (shape, kind) {
        (Shape::Leaf(_) | Shape::Word(_), Kind::Scalar { .. })
        | (Shape::List(_), Kind::List(_))
        | (Shape::Map(_) | Shape::Record(_), Kind::Map(_)) => true,
        (Shape::Either(shapes), kind) => shapes.iter().any(|shape| fits(shape, kind)),
        _ => false,
    }
}

fn bad_name(name: &str, path: &str) -> Option<String> {
    let plain = |extra: &[u8]| {
        !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || extra.contains(&b))
    };
    if path.ends_with("env") {
        let fine = plain(&[]) && !name.starts_with(|c: char| c.is_ascii_digit());
        return (!fine).then(|| format!("`{name}` is no name of a variable"));
    }
    (!plain(b"-.:/")).then(|| format!("`{name}` is no name; letters, digits and `-_.:/` make one"))
}

fn is_secret_name(name: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    ["TOKEN", "SECRET", "PASSWORD", "PASSWD", "API_KEY", "APIKEY", "PRIVATE_KEY", "ACCESS_KEY", "CREDENTIAL"]
        .iter()
        .any(|word| upper.contains(word))
}

/// Long, without blanks, of letters and digits: not what somebody writes by hand for a test.
fn looks_random(text: &str) -> bool {
    text.len() >= 20
        && !text.contains(char::is_whitespace)
        && text.bytes().any(|b| b.is_ascii_digit())
        && text.bytes().any(|b| b.is_ascii_alphabetic())
}
