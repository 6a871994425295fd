//! A document as elements that open and close, whatever is wrong with it: of any size, with the names of the
//! elements that are open, and with line numbers.

use std::borrow::Cow;
use std::io::BufRead;

use quick_xml::events::{BytesEnd, BytesStart, BytesText, Event};

use super::lexer::{Lexer, Token};
use super::{BEFORE, unescape};
use crate::artifact::{Limits, Problem};
use crate::text;

/// More problems than this are one cause and help nobody.
const PROBLEMS_LIMIT: usize = 20;
/// Elements nested deeper than this are read without knowing what they stand in.
const NAMES_LIMIT: usize = 4096;
/// Nor where their names are longer than this in all.
const NAMES_BYTES: usize = 1 << 20;
/// An end tag closes at most so many elements whose own end tags are missing.
const UNCLOSED_LIMIT: usize = 64;
/// Attributes beyond this many of one element are not read.
const ATTRIBUTES_LIMIT: usize = 200;

/// An open document.
pub(super) struct Document<'a> {
    lexer: Lexer<'a>,
    names: Names,
    /// Elements open beyond those whose names are known.
    deeper: usize,
    /// Elements that the last token closes and that were not handed out yet.
    closing: usize,
    /// A problem on the line that was reached.
    noted: Option<String>,
    /// The document ended inside of a part, or at all.
    cut: bool,
    ended: bool,
    /// What could not be read.
    pub(super) problems: Vec<Problem>,
    /// How much of it is kept.
    pub(super) limits: Limits,
}

/// A part of a document. Names are without their prefixes.
pub(super) enum Piece<'t> {
    Open(Tag<'t>),
    /// Text, references resolved. Long text comes in several pieces.
    Text(Cow<'t, str>),
    Close(&'t str),
    /// Nothing that a format looks at.
    Other,
}

impl<'a> Document<'a> {
    /// Starts at the first tag of a text that stands behind so many lines of the artifact.
    pub(super) fn behind(text: &'a mut dyn BufRead, lines: u32) -> Self {
        let mut lexer = Lexer::new(text, lines.saturating_add(1));
        let mut problems = Vec::new();
        if lexer.skip_to_tag() {
            problems.push(Problem { line: Some(1), message: BEFORE.to_owned() });
        }
        Self {
            lexer,
            names: Names::default(),
            deeper: 0,
            closing: 0,
            noted: None,
            cut: false,
            ended: false,
            problems,
            limits: Limits::default(),
        }
    }

    /// The 1-based line on which the last piece ends.
    pub(super) fn line(&mut self) -> u32 {
        self.lexer.line()
    }

    /// The next piece; `None` at the end, be it the document's or a cut. What is open there is closed before.
    pub(super) fn piece(&mut self) -> Option<Piece<'_>> {
        if self.closing > 0 {
            self.closing -= 1;
            return self.names.pop().map(Piece::Close);
        }
        self.names.forget();
        if let Some(message) = self.noted.take() {
            self.problem(message);
        }
        if self.ended {
            return self.end();
        }
        match self.lexer.next() {
            Some(Token::Open(tag, empty)) => {
                let end = tag.bytes().position(|byte| byte.is_ascii_whitespace()).unwrap_or(tag.len());
                let name = local(&tag[..end]);
                if self.deeper == 0 && self.names.have_room(name) {
                    self.names.push(name);
                    self.closing = usize::from(empty);
                } else if !empty {
                    self.deeper += 1;
                }
                Some(Piece::Open(Tag { name, parent: self.names.parent(), attributes: &tag[end..] }))
            }
            Some(Token::Close(name)) => {
                let name = local(name);
                if self.deeper > 0 {
                    self.deeper -= 1;
                    return Some(Piece::Close(name));
                }
                let Some(closed) = self.names.above(name) else { return Some(Piece::Other) };
                self.closing = closed;
                self.names.pop().map(Piece::Close)
            }
            Some(Token::Text(text)) => Some(Piece::Text(unescape(text))),
            Some(Token::Literal(text)) => Some(Piece::Text(Cow::Borrowed(text))),
            Some(Token::Comment) => Some(Piece::Other),
            Some(Token::DocumentType) => {
                self.noted = Some("a document type: entities are refused, none is resolved".to_owned());
                Some(Piece::Other)
            }
            Some(Token::Cut(what)) => {
                self.noted = Some(format!("the document is cut off inside {what}"));
                self.cut = true;
                self.ended = true;
                Some(Piece::Other)
            }
            None => {
                self.ended = true;
                Some(Piece::Other)
            }
        }
    }

    /// Closes what is open at the end.
    fn end(&mut self) -> Option<Piece<'_>> {
        let open = self.names.len() + self.deeper;
        self.deeper = 0;
        self.closing = self.names.len();
        if open > 0 {
            if !self.cut {
                self.problem(format!("the document ends with {open} elements open"));
            }
            return Some(Piece::Other);
        }
        self.problems.append(&mut self.lexer.problems);
        None
    }

    fn problem(&mut self, message: String) {
        if self.problems.len() < PROBLEMS_LIMIT {
            let line = Some(self.lexer.line());
            self.problems.push(Problem { line, message });
        }
    }

    /// The same as [`Self::piece`] in another form: with the 1-based line on which the event ends.
    pub(super) fn next(&mut self) -> Option<(Event<'_>, u32)> {
        let line = self.lexer.line();
        let event = match self.piece()? {
            Piece::Open(tag) => {
                let length = tag.name.len();
                Event::Start(BytesStart::from_content(format!("{}{}", tag.name, tag.attributes), length))
            }
            Piece::Text(text) => Event::Text(BytesText::from_escaped(text)),
            Piece::Close(name) => Event::End(BytesEnd::new(name)),
            Piece::Other => Event::Comment(BytesText::from_escaped("")),
        };
        Some((event, line))
    }
}

/// Without the prefix of its namespace.
fn local(name: &str) -> &str {
    match memchr::memrchr(b':', name.as_bytes()) {
        Some(at) => &name[at + 1..],
        None => name,
    }
}

/// The names of elements that are open, one behind the other.
#[derive(Default)]
struct Names {
    text: String,
    starts: Vec<usize>,
    /// How much of the text is of open elements; behind it stands the one that was closed last.
    end: usize,
}

impl Names {
    fn len(&self) -> usize {
        self.starts.len()
    }

    fn have_room(&self, name: &str) -> bool {
        self.starts.len() < NAMES_LIMIT && self.end + name.len() <= NAMES_BYTES
    }

    fn push(&mut self, name: &str) {
        self.starts.push(self.end);
        self.text.push_str(name);
        self.end = self.text.len();
    }

    fn pop(&mut self) -> Option<&str> {
        self.text.truncate(self.end);
        self.end = self.starts.pop()?;
        self.text.get(self.end..)
    }

    /// After the name that was popped was used.
    fn forget(&mut self) {
        self.text.truncate(self.end);
    }

    /// The name of the last element but one.
    fn parent(&self) -> &str {
        let Some(index) = self.starts.len().checked_sub(2) else { return "" };
        let end = self.starts.get(index + 1).copied().unwrap_or(self.end);
        self.text.get(self.starts[index]..end).unwrap_or_default()
    }

    /// How many elements are open inside of the innermost one with this name.
    fn above(&self, name: &str) -> Option<usize> {
        let mut end = self.end;
        self.starts.iter().rev().take(UNCLOSED_LIMIT).position(|start| {
            let found = self.text.get(*start..end) == Some(name);
            end = *start;
            found
        })
    }
}

/// An element's tag.
#[derive(Clone, Copy)]
pub(super) struct Tag<'t> {
    /// Without its prefix.
    pub(super) name: &'t str,
    /// The name of the element in which it stands; empty for the first one and where it is not known.
    pub(super) parent: &'t str,
    attributes: &'t str,
}

impl<'t> Tag<'t> {
    /// The value of an attribute, unescaped and clean; of duplicates the first counts.
    pub(super) fn get(&self, name: &str) -> Option<String> {
        self.attributes().find(|attribute| attribute.name == name).map(|attribute| attribute.value())
    }

    /// Every attribute.
    pub(super) fn attributes(&self) -> impl Iterator<Item = Attribute<'t>> + use<'t> {
        Attributes { rest: self.attributes }.take(ATTRIBUTES_LIMIT)
    }

    /// How many lines the tag goes on behind the beginning of an attribute's value.
    pub(super) fn lines_behind(&self, attribute: &Attribute<'_>) -> u32 {
        let after = attribute.raw.as_ptr().addr().saturating_sub(self.attributes.as_ptr().addr());
        text::line_feeds(self.attributes.as_bytes().get(after..).unwrap_or_default())
    }
}

/// An attribute of a tag.
#[derive(Clone, Copy)]
pub(super) struct Attribute<'t> {
    /// Without its prefix.
    pub(super) name: &'t str,
    /// As it is written.
    pub(super) raw: &'t str,
}

impl Attribute<'_> {
    /// Unescaped and clean.
    pub(super) fn value(&self) -> String {
        match unescape(self.raw) {
            Cow::Borrowed(value) if value.bytes().all(|byte| (0x20..0x7f).contains(&byte)) => value.to_owned(),
            value => text::plain(&value),
        }
    }
}

struct Attributes<'t> {
    rest: &'t str,
}

impl<'t> Iterator for Attributes<'t> {
    type Item = Attribute<'t>;

    fn next(&mut self) -> Option<Attribute<'t>> {
        let rest = self.rest.trim_ascii_start();
        let equals = memchr::memchr(b'=', rest.as_bytes())?;
        // Words without a value may stand before the name.
        let name = rest[..equals].trim_ascii_end();
        let name = name.rsplit(|c: char| c.is_ascii_whitespace()).next().unwrap_or(name);
        let value = rest[equals + 1..].trim_ascii_start();
        let quote = value.bytes().next().filter(|first| matches!(first, b'"' | b'\''));
        let raw = if let Some(quote) = quote {
            let inside = &value[1..];
            let end = memchr::memchr(quote, inside.as_bytes()).unwrap_or(inside.len());
            self.rest = inside.get(end + 1..).unwrap_or_default();
            &inside[..end]
        } else {
            let end = value.bytes().position(|byte| byte.is_ascii_whitespace()).unwrap_or(value.len());
            self.rest = &value[end..];
            &value[..end]
        };
        Some(Attribute { name: local(name), raw })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(mut text: &[u8]) -> String {
        let mut document = Document::behind(&mut text, 0);
        let mut shown = String::new();
        loop {
            let part = match document.piece() {
                None => break,
                Some(Piece::Open(tag)) => {
                    let attributes = tag.attributes().map(|found| format!(" {}={}", found.name, found.value()));
                    format!("<{}({}){}", tag.name, tag.parent, attributes.collect::<String>())
                }
                Some(Piece::Text(text)) => text.into_owned(),
                Some(Piece::Close(name)) => format!(">{name}"),
                Some(Piece::Other) => continue,
            };
            shown.push_str(&part);
        }
        let problems: Vec<_> = document.problems.iter().map(|problem| problem.message.as_str()).collect();
        format!("{shown} {}", problems.join("; ")).trim().to_owned()
    }

    #[test]
    fn every_element_is_closed_and_knows_what_it_stands_in() {
        assert_eq!(show(b"<x:a><b c='1'/>t</x:a>"), "<a()<b(a) c=1>bt>a");
        // Missing end tags are made up, others are passed over.
        assert_eq!(show(b"<a><b><c></a></d>"), "<a()<b(a)<c(b)>c>b>a");
        assert_eq!(show(b"<a><b>t"), "<a()<b(a)t>b>a the document ends with 2 elements open");
        assert_eq!(show(b"<a>t<b c='"), "<a()t>a the document is cut off inside a tag");
    }

    #[test]
    fn attributes_are_read_in_any_form() {
        let text = b"<a  x:b = '&lt;&#10;\x1b[1mc' d e=f g=\"'\" =h/>";
        assert_eq!(show(text), "<a() b=<\nc e=f g=' =h>a control characters that XML forbids");
    }

    #[test]
    fn depth_costs_nothing() {
        let deep = format!("{}<b/>{}", "<a>".repeat(100_000), "</a>".repeat(100_000));
        let mut text = deep.as_bytes();
        let mut document = Document::behind(&mut text, 0);
        let (mut opened, mut closed) = (0, 0);
        while let Some(piece) = document.piece() {
            opened += usize::from(matches!(piece, Piece::Open(_)));
            closed += usize::from(matches!(piece, Piece::Close("a")));
        }
        assert_eq!((opened, closed, document.problems.len()), (100_001, 100_000, 0));
    }
}
