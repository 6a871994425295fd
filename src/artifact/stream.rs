//! An artifact that is too large to be held: its text, piece by piece.

use std::io::{self, BufRead, Read};

use super::decode;

/// Bytes that are read at once.
const PIECE: usize = 256 << 10;

/// The text of a source of bytes, always valid UTF-8 whatever the source holds.
pub(super) struct Stream<R> {
    source: R,
    encoding: Option<Encoding>,
    /// Bytes that were read and not decoded yet: the beginning of a character.
    raw: Vec<u8>,
    text: Vec<u8>,
    /// How much of `text` was handed out.
    at: usize,
    ended: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Encoding {
    Utf8,
    Utf16 { little: bool },
}

impl<R: Read> Stream<R> {
    /// The text of `source`, by the same rules as [`decode::decode`].
    pub(super) fn new(source: R) -> Self {
        Self { source, encoding: None, raw: Vec::new(), text: Vec::new(), at: 0, ended: false }
    }

    /// Decodes the next piece; no text at the end.
    fn refill(&mut self) -> io::Result<()> {
        self.at = 0;
        self.text.clear();
        while self.text.is_empty() && !self.ended {
            let before = self.raw.len();
            let read = self.source.by_ref().take(PIECE as u64).read_to_end(&mut self.raw)?;
            self.ended = read == 0;
            debug_assert_eq!(self.raw.len(), before + read);
            if self.encoding.is_none() {
                let (encoding, mark) = encoding_of(&self.raw);
                self.raw.drain(..mark);
                self.encoding = Some(encoding);
            }
            self.decode();
        }
        Ok(())
    }

    fn decode(&mut self) {
        if let Some(Encoding::Utf16 { little }) = self.encoding {
            // A pair of units makes one character: it is not torn apart.
            let high = |unit: &[u8]| (0xd8..=0xdb).contains(&unit[usize::from(little)]);
            let mut whole = self.raw.len() / 2 * 2;
            if !self.ended && whole >= 2 && high(&self.raw[whole - 2..whole]) {
                whole -= 2;
            }
            self.text.extend(decode::utf16(&self.raw[..whole], little).bytes());
            self.raw.drain(..if self.ended { self.raw.len() } else { whole });
            return;
        }
        let whole = if self.ended { self.raw.len() } else { whole_characters(&self.raw) };
        match std::str::from_utf8(&self.raw[..whole]) {
            Ok(text) => self.text.extend(text.bytes()),
            Err(_) => self.text.extend(decode::windows_1252(&self.raw[..whole]).bytes()),
        }
        self.raw.drain(..whole);
    }
}

/// By the mark at its start or by the first tag; and how long the mark is.
fn encoding_of(head: &[u8]) -> (Encoding, usize) {
    match head {
        [0xff, 0xfe, ..] => (Encoding::Utf16 { little: true }, 2),
        [0xfe, 0xff, ..] => (Encoding::Utf16 { little: false }, 2),
        [b'<', 0, ..] => (Encoding::Utf16 { little: true }, 0),
        [0, b'<', ..] => (Encoding::Utf16 { little: false }, 0),
        [0xef, 0xbb, 0xbf, ..] => (Encoding::Utf8, 3),
        _ => (Encoding::Utf8, 0),
    }
}

/// How many bytes stand before a character that goes on behind the end.
fn whole_characters(bytes: &[u8]) -> usize {
    let tail = &bytes[bytes.len().saturating_sub(3)..];
    let lead = tail.iter().rposition(|byte| *byte >= 0xc0);
    let Some(lead) = lead else { return bytes.len() };
    let length = match tail[lead] {
        0xc0..=0xdf => 2,
        0xe0..=0xef => 3,
        _ => 4,
    };
    let rest = tail.len() - lead;
    if rest < length { bytes.len() - rest } else { bytes.len() }
}

impl<R: Read> BufRead for Stream<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.at >= self.text.len() {
            self.refill()?;
        }
        Ok(&self.text[self.at..])
    }

    fn consume(&mut self, amount: usize) {
        self.at = self.at.saturating_add(amount).min(self.text.len());
    }
}

impl<R: Read> Read for Stream<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.fill_buf()?.read(buffer)?;
        self.consume(read);
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A source that gives a few bytes at a time.
    struct Slow<'a>(&'a [u8]);

    impl Read for Slow<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let most = buffer.len().min(5);
            self.0.read(&mut buffer[..most])
        }
    }

    fn text(bytes: &[u8]) -> String {
        let mut text = String::new();
        Stream::new(Slow(bytes)).read_to_string(&mut text).unwrap();
        text
    }

    #[test]
    fn the_pieces_are_the_whole() {
        let long = "aé漢🦀\n".repeat(PIECE / 5);
        for bytes in [
            long.as_bytes().to_vec(),
            format!("\u{feff}{long}").into_bytes(),
            format!("\u{feff}{long}").encode_utf16().flat_map(u16::to_le_bytes).collect(),
            format!("\u{feff}{long}").encode_utf16().flat_map(u16::to_be_bytes).collect(),
        ] {
            assert!(text(&bytes) == long);
        }
    }

    #[test]
    fn what_is_no_text_becomes_text() {
        assert_eq!(text(b"na\xefve \xe2\x82"), "na\u{ef}ve \u{e2}\u{201a}");
        assert_eq!(text(b"\xff\xfea\0\x00\xd8"), "a\u{fffd}");
        assert_eq!(text(b""), "");
    }
}
