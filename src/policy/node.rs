//! The policy file as a small tree in which everything knows its place.
//!
//! `serde_yaml` reads into types, and on the way loses what this file must judge: whether a word was quoted, where a
//! key that should not be there stands, that an alias was used. So the tree is built from the events of the parser
//! that `serde_yaml` itself rests on. It takes less than YAML: one document, no aliases, anchors, merge keys or tags,
//! the scalars of YAML 1.2. JSON is a part of that.

use std::collections::BTreeMap;

use granit_parser::{Event, Parser, ScalarStyle, Span};

use super::error::{Fault, Place};

/// The longest file that is read, in bytes.
pub(super) const MAX_BYTES: usize = 256 * 1024;
/// The deepest nesting that is read.
pub(super) const MAX_DEPTH: usize = 32;

/// One value of the file.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Node {
    pub(super) place: Place,
    pub(super) kind: Kind,
}

/// What a value is.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Kind {
    /// A scalar, with whether it was written plain, so that it may be a number or a boolean.
    Scalar {
        text: String,
        plain: bool,
    },
    List(Vec<Node>),
    Map(Vec<(Name, Node)>),
    /// Something that was reported already.
    Unreadable,
}

/// One key of a mapping.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Name {
    pub(super) place: Place,
    pub(super) text: String,
}

/// What a scalar means in YAML 1.2.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    Null,
    Bool(bool),
    Number,
    Text,
}

/// What could be read of a file.
pub(super) struct Tree {
    /// `None` for an empty file, and for one that cannot be read as a tree.
    pub(super) root: Option<Node>,
    /// Everything that the file must not have.
    pub(super) faults: Vec<Fault>,
}

/// Reads the tree of a file; what follows the first syntax error is not read.
pub(super) fn parse(text: &str) -> Tree {
    let options = granit_parser::options! {
        emit_comments: false,
        emit_unresolved_aliases: true,
        flow_nesting_limit: 64,
        block_nesting_limit: 64,
    };
    let mut builder = Builder::default();
    for event in Parser::new_from_str_with_options(text, options) {
        match event {
            Ok((event, span)) => builder.take(event, &span),
            Err(error) => {
                let marker = error.marker();
                let place = Place { line: number(marker.line()), column: number(marker.col() + 1), width: 1, more: 0 };
                builder.faults.push(Fault::new(place, format!("this is not valid YAML: {}", error.info())));
                break;
            }
        }
        if builder.stopped {
            break;
        }
    }
    Tree { root: builder.root, faults: builder.faults }
}

/// What a plain scalar means; a quoted one is always text.
pub(super) fn meaning(text: &str, plain: bool) -> Meaning {
    if !plain {
        return Meaning::Text;
    }
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Meaning::Null,
        "true" | "True" | "TRUE" => Meaning::Bool(true),
        "false" | "False" | "FALSE" => Meaning::Bool(false),
        text if is_number(text) => Meaning::Number,
        _ => Meaning::Text,
    }
}

fn is_number(text: &str) -> bool {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    if matches!(unsigned, ".inf" | ".Inf" | ".INF") || matches!(text, ".nan" | ".NaN" | ".NAN") {
        return true;
    }
    if let Some(digits) = text.strip_prefix("0x") {
        return !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_hexdigit());
    }
    if let Some(digits) = text.strip_prefix("0o") {
        return !digits.is_empty() && digits.bytes().all(|b| (b'0'..=b'7').contains(&b));
    }
    unsigned.starts_with(|c: char| c.is_ascii_digit() || c == '.')
        && unsigned.bytes().any(|b| b.is_ascii_digit())
        && unsigned.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'e' | b'E' | b'+' | b'-'))
        && unsigned.parse::<f64>().is_ok()
}

impl Node {
    /// What it is, for a message.
    pub(super) fn described(&self) -> &'static str {
        match &self.kind {
            Kind::List(_) => "a list",
            Kind::Map(_) => "a mapping",
            Kind::Unreadable => "something unreadable",
            Kind::Scalar { text, plain } => match meaning(text, *plain) {
                Meaning::Null => "nothing",
                Meaning::Bool(_) => "a boolean",
                Meaning::Number => "a number",
                Meaning::Text => "text",
            },
        }
    }
}

/// A collection whose end has not come yet.
enum Open {
    List(Place, Vec<Node>),
    /// Its entries, the key that waits for its value, and the line of each key that was met.
    Map {
        place: Place,
        entries: Vec<(Name, Node)>,
        key: Option<Name>,
        seen: BTreeMap<String, u32>,
    },
}

#[derive(Default)]
struct Builder {
    open: Vec<Open>,
    root: Option<Node>,
    documents: usize,
    faults: Vec<Fault>,
    stopped: bool,
}

impl Builder {
    fn take(&mut self, event: Event<'_>, span: &Span) {
        let place = place(span);
        match event {
            Event::DocumentStart(_, version) => self.start_document(place, version.is_some()),
            Event::Alias(_) | Event::UnresolvedAlias(_) => {
                self.faults.push(Fault::new(place, "aliases are not read here; write the value out"));
                self.put(place, Kind::Unreadable);
            }
            Event::Scalar(text, style, anchor, tag) => {
                self.plain_only(place, anchor, tag.is_some());
                self.put(place, Kind::Scalar { text: text.into_owned(), plain: style == ScalarStyle::Plain });
            }
            Event::SequenceStart(_, anchor, tag) => {
                self.plain_only(place, anchor, tag.is_some());
                self.start(Open::List(place, Vec::new()), place);
            }
            Event::MappingStart(_, anchor, tag) => {
                self.plain_only(place, anchor, tag.is_some());
                let (entries, seen) = (Vec::new(), BTreeMap::new());
                self.start(Open::Map { place, entries, key: None, seen }, place);
            }
            Event::SequenceEnd | Event::MappingEnd => match self.open.pop() {
                Some(Open::List(place, items)) => self.put(place, Kind::List(items)),
                Some(Open::Map { place, entries, .. }) => self.put(place, Kind::Map(entries)),
                None => {}
            },
            _ => {}
        }
    }

    fn start_document(&mut self, place: Place, versioned: bool) {
        self.documents += 1;
        if versioned {
            self.faults.push(Fault::new(place, "a YAML version directive is not read here; the file is YAML 1.2"));
        }
        if self.documents > 1 {
            self.faults.push(Fault::new(place, "a second document starts here; a policy is one document"));
            self.stopped = true;
        }
    }

    fn plain_only(&mut self, place: Place, anchor: usize, tagged: bool) {
        if anchor > 0 {
            self.faults.push(Fault::new(place, "anchors are not read here; write the value out where it is used"));
        }
        if tagged {
            self.faults.push(Fault::new(place, "tags (`!name`) are not read here"));
        }
    }

    fn start(&mut self, open: Open, place: Place) {
        if let Some(Open::Map { key: key @ None, .. }) = self.open.last_mut() {
            self.faults.push(Fault::new(place, "a key must be a word"));
            // Whatever it holds is read as the value of a key without a name, so that the rest is still understood.
            *key = Some(Name { place, text: String::new() });
            self.stopped = true;
        }
        if self.open.len() >= MAX_DEPTH {
            self.faults.push(Fault::new(place, format!("more than {MAX_DEPTH} levels of nesting")));
            self.stopped = true;
        }
        self.open.push(open);
    }

    fn put(&mut self, place: Place, kind: Kind) {
        match self.open.last_mut() {
            None => self.root = Some(Node { place, kind }),
            Some(Open::List(_, items)) => items.push(Node { place, kind }),
            Some(Open::Map { entries, key, .. }) if key.is_some() => {
                entries.extend(key.take().map(|name| (name, Node { place, kind })));
            }
            Some(Open::Map { key, seen, .. }) => {
                let text = match kind {
                    Kind::Scalar { text, .. } => text,
                    _ => String::new(),
                };
                if text == "<<" {
                    self.faults.push(Fault::new(place, "merge keys are not read here; write the keys out"));
                } else if let Some(first) = seen.get(&text) {
                    let message = format!("duplicate key `{text}`; it first stands on line {first}");
                    self.faults.push(Fault::new(place, message));
                }
                seen.entry(text.clone()).or_insert(place.line);
                *key = Some(Name { place, text });
            }
        }
    }
}

fn place(span: &Span) -> Place {
    let more = span.end.line().saturating_sub(span.start.line());
    let width = if more == 0 { span.end.col().saturating_sub(span.start.col()) } else { 1 };
    Place {
        line: number(span.start.line()),
        column: number(span.start.col() + 1),
        width: number(width),
        more: number(more),
    }
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
