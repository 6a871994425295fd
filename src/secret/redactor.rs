//! Finds and masks credentials in whatever is about to leave: by value in every form, and by shape.
//!
//! A value may be broken over lines (a wrapped log, a diff, a shell continuation), so the text is searched as it
//! stands and once more with its line breaks taken out.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::LazyLock;

use regex::bytes::{Regex, RegexBuilder};

use super::Secret;
use super::encodings::forms;
use super::shapes::SHAPES;

/// Shorter values are not masked: they would mask half of every text, and protect nothing.
const SHORTEST: usize = 4;
/// Values are limited so that their patterns stay small; of a longer one each piece is looked for.
const LONGEST_PIECE: usize = 128;
const MASK: &[u8] = b"***";

static SHAPE_RULES: LazyLock<Vec<Rule>> =
    LazyLock::new(|| SHAPES.iter().filter_map(|shape| rule(shape.kind, shape.pattern, false)).collect());

/// Masks credentials in everything that is written or sent.
#[derive(Clone)]
pub struct Redactor {
    rules: Vec<Rule>,
}

#[derive(Clone)]
struct Rule {
    kind: String,
    pattern: Regex,
    /// Shapes are not looked for across lines: there their ends cannot be told.
    across_lines: bool,
}

/// A place where a credential stands; it never holds the credential.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Leak {
    /// 1-based line on which it begins.
    pub line: u32,
    /// The name of the value, or the kind of shape.
    pub kind: String,
}

impl fmt::Debug for Redactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The patterns hold the values.
        f.debug_struct("Redactor")
            .field("kinds", &self.rules.iter().map(|rule| &rule.kind).collect::<Vec<_>>())
            .finish()
    }
}

impl Default for Redactor {
    fn default() -> Self {
        Self::new([])
    }
}

impl Redactor {
    /// A redactor for these values, each with the name that reports call it by, and for every known shape.
    ///
    /// Values of fewer than four bytes are not looked for.
    pub fn new<'a>(values: impl IntoIterator<Item = (&'a str, &'a Secret)>) -> Self {
        let mut rules = Vec::new();
        for (name, secret) in values {
            // Line breaks at the ends come from files and are no part of the value.
            for piece in pieces(secret.reveal().trim()) {
                rules.extend(rule(name, &forms(piece).join("|"), true));
                // A value of several lines is met on one line only once the breaks are gone.
                let joined = join(piece.as_bytes(), false).bytes;
                if joined != piece.as_bytes() {
                    let joined = String::from_utf8_lossy(&joined);
                    rules.extend(rule(name, &regex::escape(&joined), true));
                }
            }
        }
        rules.extend_from_slice(&SHAPE_RULES);
        Self { rules }
    }

    /// `text` with every credential replaced by `***`. A second pass changes nothing.
    #[must_use]
    pub fn scrub(&self, text: &str) -> String {
        String::from_utf8_lossy(&self.scrub_bytes(text.as_bytes())).into_owned()
    }

    /// Bytes with every credential replaced by `***`.
    #[must_use]
    pub fn scrub_bytes<'a>(&self, bytes: &'a [u8]) -> Cow<'a, [u8]> {
        let mut current = Cow::Borrowed(bytes);
        // Masking may bring the halves of another credential together; each round shortens or settles the text.
        for _ in 0..8 {
            let spans = merged(self.spans(&current).into_iter().map(|(span, _)| span).collect());
            if spans.iter().all(|span| current[span.clone()] == *MASK) {
                break;
            }
            current = Cow::Owned(masked(&current, &spans));
        }
        current
    }

    /// Where credentials stand, in order; empty for a text that may leave.
    #[must_use]
    pub fn find(&self, text: &str) -> Vec<Leak> {
        self.find_bytes(text.as_bytes())
    }

    /// Where credentials stand in bytes, in order.
    #[must_use]
    pub fn find_bytes(&self, bytes: &[u8]) -> Vec<Leak> {
        let mut leaks: Vec<Leak> = self
            .spans(bytes)
            .into_iter()
            .filter(|(span, _)| bytes[span.clone()] != *MASK)
            .map(|(span, kind)| Leak { line: line_of(bytes, span.start), kind: kind.to_owned() })
            .collect();
        leaks.sort();
        leaks.dedup();
        leaks
    }

    fn spans(&self, bytes: &[u8]) -> Vec<(Range<usize>, &str)> {
        let mut spans = Vec::new();
        for rule in &self.rules {
            spans.extend(matches(&rule.pattern, bytes).map(|span| (span, rule.kind.as_str())));
        }
        if !bytes.contains(&b'\n') && !bytes.contains(&b'\r') {
            return spans;
        }
        for prefixed in [false, true] {
            let text = join(bytes, prefixed);
            for rule in self.rules.iter().filter(|rule| rule.across_lines) {
                spans.extend(
                    matches(&rule.pattern, &text.bytes)
                        .map(|span| (text.origin[span.start]..text.origin[span.end - 1] + 1, rule.kind.as_str())),
                );
            }
        }
        spans
    }
}

/// The pattern of a rule. A value whose pattern cannot be built would be a value that leaks, so there is none:
/// pieces are short, and their pattern is built from escaped text.
fn rule(kind: &str, pattern: &str, across_lines: bool) -> Option<Rule> {
    let pattern = RegexBuilder::new(pattern).unicode(false).size_limit(1 << 26).build().ok()?;
    Some(Rule { kind: kind.to_owned(), pattern, across_lines })
}

/// A value in pieces that a pattern can hold, cut between characters.
fn pieces(value: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = value;
    while rest.len() >= SHORTEST {
        // A tail too short to be looked for alone stays with the piece before it.
        let at =
            if rest.len() < LONGEST_PIECE + SHORTEST { rest.len() } else { rest.floor_char_boundary(LONGEST_PIECE) };
        pieces.push(&rest[..at]);
        rest = &rest[at..];
    }
    pieces
}

/// Every match, overlapping ones too, as the span to mask. Empty spans are none.
fn matches<'a>(pattern: &'a Regex, bytes: &'a [u8]) -> impl Iterator<Item = Range<usize>> + 'a {
    let group = pattern.capture_names().any(|name| name == Some("secret"));
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let whole = pattern.find_at(bytes, at)?;
            at = whole.start() + 1;
            let span = if group {
                pattern.captures_at(bytes, whole.start())?.name("secret").map_or(whole.range(), |found| found.range())
            } else {
                whole.range()
            };
            // Beyond the first bytes a match that starts inside another adds nothing but time.
            at = at.max(span.start + 1);
            if !span.is_empty() {
                return Some(span);
            }
        }
    })
}

/// Bytes without line breaks, each with the place that it came from.
struct Joined {
    bytes: Vec<u8>,
    origin: Vec<usize>,
}

/// Takes out line breaks with the indentation after them and a continuation before them; `prefixed` also takes out
/// one mark of a diff or a quote at the start of a line.
fn join(bytes: &[u8], prefixed: bool) -> Joined {
    let mut joined = Joined { bytes: Vec::with_capacity(bytes.len()), origin: Vec::with_capacity(bytes.len()) };
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        if byte != b'\n' && byte != b'\r' {
            joined.bytes.push(byte);
            joined.origin.push(at);
            at += 1;
            continue;
        }
        while joined.bytes.last().is_some_and(|last| matches!(last, b' ' | b'\t' | b'\\')) {
            joined.bytes.pop();
            joined.origin.pop();
        }
        while bytes.get(at).is_some_and(|byte| matches!(byte, b'\n' | b'\r')) {
            at += 1;
        }
        if prefixed && bytes.get(at).is_some_and(|byte| matches!(byte, b'+' | b'-' | b'>' | b'|')) {
            at += 1;
        }
        while bytes.get(at).is_some_and(|byte| matches!(byte, b' ' | b'\t')) {
            at += 1;
        }
    }
    joined
}

fn merged(mut spans: Vec<Range<usize>>) -> Vec<Range<usize>> {
    spans.sort_by_key(|span| (span.start, span.end));
    let mut merged: Vec<Range<usize>> = Vec::new();
    for span in spans {
        match merged.last_mut() {
            Some(last) if span.start < last.end => last.end = last.end.max(span.end),
            _ => merged.push(span),
        }
    }
    merged
}

/// Line breaks inside a masked span stay, so that line numbers still mean something.
fn masked(bytes: &[u8], spans: &[Range<usize>]) -> Vec<u8> {
    let mut masked = Vec::with_capacity(bytes.len());
    let mut at = 0;
    for span in spans {
        masked.extend_from_slice(&bytes[at..span.start]);
        masked.extend_from_slice(MASK);
        masked.extend(bytes[span.clone()].iter().filter(|byte| **byte == b'\n'));
        at = span.end;
    }
    masked.extend_from_slice(&bytes[at..]);
    masked
}

fn line_of(bytes: &[u8], at: usize) -> u32 {
    u32::try_from(bytes[..at].split(|byte| *byte == b'\n').count()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests;
