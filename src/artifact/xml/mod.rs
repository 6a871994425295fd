//! XML from strangers: lenient about form, bounded in what it costs. Entities are never resolved.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::io::BufRead;

use quick_xml::events::BytesStart;

use super::decode::Decoded;
use super::{Entry, Limits, Problem, Report};
use crate::text;

mod cover;
mod ctest;
mod document;
mod draft;
mod element;
mod go;
mod junit;
mod lexer;
mod linter;
mod linters;
mod parasoft;
mod runs;
mod shape;
mod tally;
mod unnamed;
mod valgrind;

use document::Document;
use linters::Linter;

/// A format of XML: recognised by its root element, read event by event.
struct Format {
    kind: &'static str,
    /// The programs that write it, for people.
    producers: &'static str,
    /// What is read from it, for people.
    reads: &'static str,
    sniff: fn(&Root<'_>) -> bool,
    read: fn(&mut Document<'_>, &mut Report),
}

/// The first row that recognises a document reads it.
const FORMATS: &[Format] = &[Format {
    kind: "junit",
    producers: "pytest, surefire, gradle, jest-junit, gotestsum, nextest, PHPUnit, RSpec and most other test runners",
    reads: "tests, messages, stacks, durations, reruns",
    sniff: junit::sniff,
    read: junit::read,
}];

fn formats() -> impl Iterator<Item = &'static Format> {
    runs::FORMATS.iter().chain(FORMATS).chain(cover::FORMATS)
}

/// The formats, for people.
pub(super) fn entries() -> impl Iterator<Item = Entry> {
    let of =
        |format: &Format| Entry { kind: format.kind, syntax: "XML", producers: format.producers, reads: format.reads };
    formats().map(of).chain(linter::entries()).chain([unnamed::entry()])
}

/// Reads a document of a known format.
pub(super) fn read(decoded: &Decoded<'_>, limits: Limits) -> Option<Report> {
    read_stream(&decoded.head, decoded.head.as_bytes(), limits).or_else(|| {
        let at = late(&decoded.head).filter(|_| decoded.tail.is_none())?;
        let (before, text) = decoded.head.split_at(at);
        let mut report = read_from(text, text.as_bytes(), text::line_feeds(before.as_bytes()), limits)?;
        report.problems.insert(0, Problem { line: Some(1), message: BEFORE.to_owned() });
        Some(report)
    })
}

/// The same piece by piece; `head` is the beginning, by which the format is recognised. What is not recognised is not
/// read.
pub(super) fn read_stream(head: &str, text: impl BufRead, limits: Limits) -> Option<Report> {
    read_from(head, text, 0, limits)
}

fn read_from(head: &str, mut text: impl BufRead, lines_before: u32, limits: Limits) -> Option<Report> {
    let reader = Reader::of(&Root::of(head)?)?;
    let mut report = Report::default();
    let mut document = Document::behind(&mut text, lines_before);
    document.limits = limits;
    match reader {
        Reader::Format(format) => {
            report.kind = format.kind;
            (format.read)(&mut document, &mut report);
        }
        Reader::Linter(linter) => linter::read(linter, &mut document, &mut report),
        Reader::Unnamed(names) => unnamed::read(&names, &mut document, &mut report),
    }
    report.tests = report.tests.or_count(&report.cases);
    report.problems.append(&mut document.problems);
    Some(report)
}

/// What reads a document.
enum Reader {
    Format(&'static Format),
    Linter(&'static Linter),
    /// The elements of these names are findings of a tool that nobody knows.
    Unnamed(BTreeSet<String>),
}

impl Reader {
    fn of(root: &Root<'_>) -> Option<Self> {
        let format = formats().find(|format| (format.sniff)(root)).map(Self::Format);
        let linter = || linter::of(root).map(Self::Linter);
        format.or_else(linter).or_else(|| unnamed::names(root).map(Self::Unnamed))
    }
}

const BEFORE: &str = "text before the document";

/// Where a document begins behind much text that a tool printed before it, when the artifact ends with the document.
fn late(text: &str) -> Option<usize> {
    let head = &text.as_bytes()[..text.len().min(LATE_LIMIT)];
    let at = memchr::memmem::find(head, b"\n<?xml ")? + 1;
    text.trim_end().ends_with('>').then_some(at)
}

/// The beginning of a document: what a format is recognised by.
pub(super) struct Root<'a> {
    /// What precedes the first element: the declaration, the document type.
    pub(super) before: &'a str,
    /// The name of the first element, without its prefix.
    pub(super) name: &'a str,
    /// The tag of that element, from its `<` on.
    pub(super) tag: &'a str,
    /// The text from that tag on, a few KiB of it.
    pub(super) head: &'a str,
}

impl<'a> Root<'a> {
    /// Behind everything that may precede the first element.
    fn of(text: &'a str) -> Option<Self> {
        let (name, at) = root(text)?;
        let rest = &text[at..];
        let head = &rest[..rest.floor_char_boundary(HEAD)];
        let tag = &head[..head.find('>').map_or(head.len(), |end| end + 1)];
        Some(Self { before: &text[..at], name, tag, head })
    }
}

/// Attributes beyond this many of one element are not read.
const ATTRIBUTES_LIMIT: usize = 200;
/// Where a document must begin when a tool printed something before it.
const PROLOGUE_LIMIT: usize = 4096;
/// The same where the document says that it is one.
const LATE_LIMIT: usize = 256 << 10;
/// How much of a document its format is recognised by.
const HEAD: usize = 16 << 10;

/// The name of the first element, without its prefix, and where its tag begins.
fn root(text: &str) -> Option<(&str, usize)> {
    let begin = text.find('<').filter(|at| *at < PROLOGUE_LIMIT && !is_json(text))?;
    let mut rest = &text[begin..];
    // Declaration, comments and document type come before the root.
    loop {
        let skip = if rest.starts_with("<!--") {
            rest.find("-->")? + 3
        } else if rest.starts_with("<!") {
            let subset = rest.find('[').filter(|at| rest.find('>').is_none_or(|end| *at < end));
            match subset {
                Some(at) => at + rest[at..].find("]>").map(|end| end + 2)?,
                None => rest.find('>')? + 1,
            }
        } else if rest.starts_with("<?") {
            rest.find("?>")? + 2
        } else {
            break;
        };
        rest = rest.get(skip..)?;
        rest = &rest[rest.find('<')?..];
    }
    let name = rest[1..].split(|c: char| c.is_whitespace() || matches!(c, '>' | '/')).next()?;
    Some((name.rsplit(':').next().unwrap_or(name), text.len() - rest.len()))
}

/// Whether a text begins as a document of JSON: tags in it are quoted.
fn is_json(text: &str) -> bool {
    let text = text.trim_start();
    let rest = text.strip_prefix('[').map_or(text, str::trim_start);
    rest.starts_with('{') || (rest.len() < text.len() && rest.starts_with(['[', '"', ']']))
}

/// Every attribute, by its name without prefix; of duplicates the first counts for who looks one up.
fn attributes(element: &BytesStart<'_>) -> Vec<(String, String)> {
    let mut all = element.attributes();
    let read = all.with_checks(false).take(ATTRIBUTES_LIMIT).filter_map(Result::ok);
    let plain = |value: &str| text::plain(&unescape(value));
    read.map(|found| (found.key.local_name().into_inner().to_owned(), plain(&found.value))).collect()
}

/// Resolves the five predefined entities and character references; everything else stays as it is written.
pub(super) fn unescape(raw: &str) -> Cow<'_, str> {
    let Some(first) = memchr::memchr(b'&', raw.as_bytes()) else { return Cow::Borrowed(raw) };
    let mut plain = String::with_capacity(raw.len());
    plain.push_str(&raw[..first]);
    let mut rest = &raw[first..];
    while let Some(at) = memchr::memchr(b'&', rest.as_bytes()) {
        plain.push_str(&rest[..at]);
        rest = &rest[at..];
        // Names of entities are short; a longer one is an ampersand that was not escaped.
        let end = rest.bytes().take(12).position(|byte| byte == b';');
        if let Some((c, end)) = end.and_then(|end| Some((reference(&rest[1..end])?, end))) {
            plain.push(c);
            rest = &rest[end + 1..];
        } else {
            plain.push('&');
            rest = &rest[1..];
        }
    }
    plain.push_str(rest);
    Cow::Owned(plain)
}

/// The character that a reference names, without its `&` and `;`.
pub(super) fn reference(name: &str) -> Option<char> {
    match name {
        "lt" => Some('<'),
        "gt" => Some('>'),
        "amp" => Some('&'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ => {
            let digits = name.strip_prefix('#')?;
            let code = match digits.strip_prefix(['x', 'X']) {
                Some(digits) => u32::from_str_radix(digits, 16),
                None => digits.parse(),
            };
            char::from_u32(code.ok()?)
        }
    }
}

#[cfg(test)]
mod hostile;
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_predefined_entities_are_resolved() {
        assert_eq!(unescape("&lt;&#65;&#x42;&amp;&lol9; & &;"), "<AB&&lol9; & &;");
    }

    #[test]
    fn the_root_is_found_behind_everything_that_may_precede_it() {
        let text = "npm WARN\n<?xml version=\"1.0\"?>\n<!-- <a> -->\n<!DOCTYPE t [<!ENTITY a \"<b>\">]>\n<x:testsuite name=\"\"/>";
        let root = Root::of(text).unwrap();
        assert_eq!((root.name, root.tag), ("testsuite", "<x:testsuite name=\"\"/>"));
        assert!(Root::of("no tags").is_none());
        assert!(Root::of("<?xml").is_none());
    }

    #[test]
    fn a_document_that_json_quotes_is_none() {
        for text in ["{\"m\": \"<testsuite>\"}", "[\n {\"m\": \"<testsuite>\"}]", "[\"<testsuite>\"]"] {
            assert!(Root::of(text).is_none(), "{text}");
        }
        assert!(Root::of("[INFO] done\n<testsuite>").is_some());
    }
}
