//! Markup from a source of any size: tags, text and where they stand. Forgives what a program can write by mistake,
//! holds one tag at a time, and copies only what lies across the border of two pieces of the source.

use std::io::BufRead;

use crate::artifact::Problem;
use crate::text;

/// A tag longer than this is cut: the rest of its attributes is not read.
const TAG_LIMIT: usize = 8 << 20;
/// No reference (`&#x10ffff;`) is longer.
const REFERENCE: usize = 12;

/// A part of a document, as it is written.
pub(super) enum Token<'t> {
    /// What stands in a tag, and whether the element ends with it.
    Open(&'t str, bool),
    /// The name of an element that ends.
    Close(&'t str),
    /// Text with references in it.
    Text(&'t str),
    /// Text as it stands. A long one comes in several pieces.
    Literal(&'t str),
    /// A document type, of which nothing is read.
    DocumentType,
    /// A comment or an instruction.
    Comment,
    /// The text ended inside of this.
    Cut(&'static str),
}

pub(super) struct Lexer<'a> {
    source: &'a mut dyn BufRead,
    /// The length of the source's current piece, how much of it was read, and how much of it `line` has counted.
    size: usize,
    at: usize,
    counted: usize,
    line: u32,
    /// In literal text: how many `]` at its end were not handed out yet.
    literal: Option<usize>,
    held: Vec<u8>,
    /// What is wrong with the source itself.
    pub(super) problems: Vec<Problem>,
}

impl<'a> Lexer<'a> {
    /// `line` is the number of the first line.
    pub(super) fn new(source: &'a mut dyn BufRead, line: u32) -> Self {
        Self { source, size: 0, at: 0, counted: 0, line, literal: None, held: Vec::new(), problems: Vec::new() }
    }

    /// The 1-based line on which the last token ends.
    pub(super) fn line(&mut self) -> u32 {
        let passed = self.counted..self.at;
        self.counted = self.at;
        let feeds = text::line_feeds(self.piece(passed.start, passed.end));
        self.line = self.line.saturating_add(feeds);
        self.line
    }

    /// Moves on to the first tag; whether anything but blanks stood before it.
    pub(super) fn skip_to_tag(&mut self) -> bool {
        let mut seen = false;
        loop {
            let rest = self.rest();
            let at = memchr::memchr(b'<', rest);
            let before = at.unwrap_or(rest.len());
            seen |= rest[..before].iter().any(|byte| !byte.is_ascii_whitespace());
            let ended = rest.is_empty();
            self.at += before;
            if ended || at.is_some() {
                return seen;
            }
        }
    }

    /// The next part; `None` at the end.
    pub(super) fn next(&mut self) -> Option<Token<'_>> {
        if let Some(owed) = self.literal {
            return Some(self.literal(owed));
        }
        let rest = self.rest();
        // Nearly every tag lies in one piece.
        let (skipped, length, closes) = match rest {
            [] => return None,
            [b'<', b'/', name @ ..] => (2, memchr::memchr(b'>', name), true),
            [b'<', first, ..] if begins_name(*first) => (1, tag_end(&rest[1..], &mut None), false),
            [b'<', ..] => (0, None, false),
            _ => return Some(self.text()),
        };
        let Some(length) = length else { return Some(self.markup()) };
        let start = self.at + skipped;
        self.at = start + length + 1;
        let inside = readable(self.piece(start, start + length));
        Some(if closes { Token::Close(inside.trim()) } else { open(inside) })
    }

    /// What is left of the current piece, or the next one; nothing at the end.
    fn rest(&mut self) -> &[u8] {
        if self.at >= self.size {
            self.refill();
        }
        self.piece(self.at, self.size)
    }

    fn piece(&mut self, start: usize, end: usize) -> &[u8] {
        self.source.fill_buf().ok().and_then(|piece| piece.get(start..end)).unwrap_or_default()
    }

    fn refill(&mut self) {
        self.line();
        self.source.consume(self.size);
        (self.size, self.at, self.counted) = (0, 0, 0);
        match self.source.fill_buf() {
            Ok(piece) => {
                self.size = piece.len();
                let illegal = |byte: &u8| *byte < 0x20 && !matches!(byte, b'\t' | b'\n' | b'\r');
                // Without a way out of the loop it is compiled to a few instructions for many bytes.
                let any = piece.iter().fold(false, |any, byte| any | illegal(byte));
                let known = self.problems.iter().any(|problem| problem.message == ILLEGAL);
                if let Some(at) = piece.iter().position(illegal).filter(|_| any && !known) {
                    let line = self.line.saturating_add(text::line_feeds(&piece[..at]));
                    self.problems.push(Problem { line: Some(line), message: ILLEGAL.to_owned() });
                }
            }
            Err(error) if self.problems.len() < 2 => {
                let message = format!("the rest cannot be read: {error}");
                self.problems.push(Problem { line: Some(self.line), message });
            }
            Err(_) => {}
        }
    }

    fn text(&mut self) -> Token<'_> {
        let start = self.at;
        let rest = self.rest();
        let length = memchr::memchr(b'<', rest).unwrap_or_else(|| before_reference(rest));
        if length > 0 {
            self.at += length;
            return Token::Text(readable(self.piece(start, start + length)));
        }
        // A reference may go on in the next piece.
        self.held.clear();
        self.hold_rest(REFERENCE);
        let more = self.rest();
        let ends = |byte: &u8| matches!(byte, b';' | b'<' | b'&');
        let length = more.iter().take(REFERENCE).position(ends).unwrap_or(0);
        let length = length + usize::from(more.get(length) == Some(&b';'));
        self.hold(length);
        Token::Text(readable(&self.held))
    }

    fn markup(&mut self) -> Token<'_> {
        self.at += 1;
        match self.rest().first() {
            Some(b'/') => {
                self.at += 1;
                match self.find(&mut |bytes| memchr::memchr(b'>', bytes)) {
                    Some(name) => Token::Close(name.trim()),
                    None => Token::Cut("an end tag"),
                }
            }
            Some(b'?') => self.skipped(b'?', 1, "an instruction"),
            Some(b'!') => {
                self.at += 1;
                self.declaration()
            }
            Some(first) if begins_name(*first) => {
                let mut quote = None;
                self.find(&mut |bytes| tag_end(bytes, &mut quote)).map_or(Token::Cut("a tag"), open)
            }
            // An angle that was not escaped.
            _ => Token::Literal("<"),
        }
    }

    fn declaration(&mut self) -> Token<'_> {
        if self.rest().first() == Some(&b'-') {
            return self.skipped(b'-', 2, "a comment");
        }
        for expected in b"[CDATA[" {
            if self.rest().first() != Some(expected) {
                return self.document_type();
            }
            self.at += 1;
        }
        self.literal = Some(0);
        Token::Literal("")
    }

    fn document_type(&mut self) -> Token<'_> {
        let (mut subset, mut closed) = (false, false);
        let found = self.skip(&mut |bytes| {
            for (at, byte) in bytes.iter().enumerate() {
                match byte {
                    b'[' => subset = true,
                    b']' => closed = true,
                    b'>' if !subset || closed => return Some(at),
                    byte if byte.is_ascii_whitespace() => {}
                    _ => closed = false,
                }
            }
            None
        });
        if found { Token::DocumentType } else { Token::Cut("a document type") }
    }

    /// A part that ends with `count` marks and an angle.
    fn skipped(&mut self, mark: u8, count: usize, what: &'static str) -> Token<'_> {
        let mut before = 0;
        let found = self.skip(&mut |bytes| terminator(bytes, mark, count, &mut before));
        if found { Token::Comment } else { Token::Cut(what) }
    }

    /// The next piece of literal text, at the beginning of which `owed` brackets stand that were not handed out.
    fn literal(&mut self, owed: usize) -> Token<'_> {
        self.rest();
        let start = self.at;
        let rest = self.rest();
        if rest.is_empty() {
            self.literal = None;
            return Token::Cut("a section of literal text");
        }
        if owed > 0 {
            let more = rest.iter().take_while(|byte| **byte == b']').count();
            let brackets = owed + more;
            match rest.get(more) {
                None => {
                    self.literal = Some(brackets.min(2));
                    self.at += more;
                    return Token::Literal(readable(self.piece(start, start + brackets - brackets.min(2))));
                }
                Some(b'>') if brackets >= 2 => {
                    self.literal = None;
                    self.at += more + 1;
                    return Token::Literal(readable(self.piece(start, start + brackets - 2)));
                }
                Some(_) => {
                    self.literal = Some(0);
                    return Token::Literal(&"]]"[..owed.min(2)]);
                }
            }
        }
        let mut before = 0;
        let end = terminator(rest, b']', 2, &mut before);
        let (taken, length) = match end {
            Some(at) => (at + 1, at.saturating_sub(2)),
            None => (rest.len(), rest.len() - before.min(rest.len())),
        };
        self.at += taken;
        self.literal = if end.is_some() { None } else { Some(before) };
        Token::Literal(readable(self.piece(start, start + length)))
    }

    /// What stands before the place that `end` finds; nothing when the text ends first.
    fn find(&mut self, end: &mut dyn FnMut(&[u8]) -> Option<usize>) -> Option<&str> {
        self.held.clear();
        self.rest();
        let start = self.at;
        let rest = self.rest();
        if let Some(length) = end(rest) {
            self.at += length + 1;
            return Some(readable(self.piece(start, start + length)));
        }
        loop {
            self.hold_rest(TAG_LIMIT - self.held.len().min(TAG_LIMIT));
            let rest = self.rest();
            if rest.is_empty() {
                return None;
            }
            if let Some(length) = end(rest) {
                self.hold(length);
                self.at += 1;
                return Some(readable(&self.held));
            }
        }
    }

    fn skip(&mut self, end: &mut dyn FnMut(&[u8]) -> Option<usize>) -> bool {
        loop {
            let rest = self.rest();
            if rest.is_empty() {
                return false;
            }
            match end(rest) {
                Some(length) => {
                    self.at += length + 1;
                    return true;
                }
                None => self.at = self.size,
            }
        }
    }

    /// Keeps all of the current piece that was not read, at most `limit` bytes of it.
    fn hold_rest(&mut self, limit: usize) {
        let (start, end) = (self.at, self.size);
        let rest = self.source.fill_buf().ok().and_then(|piece| piece.get(start..end)).unwrap_or_default();
        self.held.extend_from_slice(&rest[..rest.len().min(limit)]);
        self.at = self.size;
    }

    fn hold(&mut self, length: usize) {
        let start = self.at;
        let left = TAG_LIMIT - self.held.len().min(TAG_LIMIT);
        let piece = self.source.fill_buf().ok().and_then(|piece| piece.get(start..start + length)).unwrap_or_default();
        self.held.extend_from_slice(&piece[..piece.len().min(left)]);
        self.at += length;
    }
}

const ILLEGAL: &str = "control characters that XML forbids";

fn begins_name(first: u8) -> bool {
    first.is_ascii_alphabetic() || matches!(first, b'_' | b':' | 0x80..)
}

fn open(tag: &str) -> Token<'_> {
    match tag.strip_suffix('/') {
        Some(tag) => Token::Open(tag, true),
        None => Token::Open(tag, false),
    }
}

/// Where a tag ends: an angle inside of quotes does not end it.
fn tag_end(bytes: &[u8], quote: &mut Option<u8>) -> Option<usize> {
    let mut from = 0;
    loop {
        if let Some(open) = *quote {
            from += memchr::memchr(open, &bytes[from..])? + 1;
            *quote = None;
        }
        let at = from + memchr::memchr3(b'"', b'\'', b'>', &bytes[from..])?;
        if bytes[at] == b'>' {
            return Some(at);
        }
        *quote = Some(bytes[at]);
        from = at + 1;
    }
}

/// Where the angle stands that ends a part, behind `count` marks; `before` is how many marks stood at the end of the
/// piece before, and then at the end of this one.
fn terminator(bytes: &[u8], mark: u8, count: usize, before: &mut usize) -> Option<usize> {
    let marks = |end: usize| {
        let inside = bytes[..end].iter().rev().take(count).take_while(|byte| **byte == mark).count();
        if inside == end { (inside + *before).min(count) } else { inside }
    };
    let found = memchr::memchr_iter(b'>', bytes).find(|at| marks(*at) == count);
    let last = marks(bytes.len());
    *before = last;
    found
}

/// How much of a text stands before a reference that is cut off at its end.
fn before_reference(bytes: &[u8]) -> usize {
    let tail = bytes.len().saturating_sub(REFERENCE);
    match memchr::memrchr(b'&', &bytes[tail..]) {
        Some(at) if !bytes[tail + at..].contains(&b';') => tail + at,
        _ => bytes.len(),
    }
}

/// The source holds nothing but text; where it does not, what can be read.
fn readable(bytes: &[u8]) -> &str {
    match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests;
