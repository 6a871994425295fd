//! Bytes that nobody trusts to text: encodings, size limits, one clean line at a time.
//!
//! Every reader sees the same text: terminal escapes and log time stamps gone, line numbers kept.

use std::borrow::Cow;

use super::Problem;
use crate::text;

/// The most bytes that are read from the start of an artifact.
const HEAD: usize = 48 << 20;
/// The most bytes that are read from the end of an artifact that is larger than both parts.
const TAIL: usize = 16 << 20;

/// An artifact as text.
#[derive(Debug)]
pub(super) struct Decoded<'a> {
    /// The text from the start on; all of it unless the artifact is over the limit.
    pub(super) head: Cow<'a, str>,
    /// What follows after a gap: the 1-based number of its first line, and the text.
    pub(super) tail: Option<(u32, Cow<'a, str>)>,
    /// What was lost on the way.
    pub(super) problems: Vec<Problem>,
}

/// Decodes UTF-8, UTF-16 (with or without a mark) and, where UTF-8 does not hold, Windows-1252.
pub(super) fn decode(bytes: &[u8]) -> Decoded<'_> {
    if bytes.len() <= HEAD + TAIL {
        let (head, problems) = decode_part(bytes);
        return Decoded { head, tail: None, problems };
    }
    let end = bytes[..HEAD].iter().rposition(|b| *b == b'\n').map_or(HEAD, |at| at + 1);
    let rest = bytes.len() - TAIL;
    let start = bytes[rest..].iter().position(|b| *b == b'\n').map_or(bytes.len(), |at| rest + at + 1);
    let (head, mut problems) = decode_part(&bytes[..end]);
    let (tail, _) = decode_part(&bytes[start..]);
    let line = text::line_feeds(&bytes[..start]).saturating_add(1);
    problems.push(Problem {
        line: None,
        message: format!(
            "the artifact has {} bytes; read were the first {end} and the last {}",
            bytes.len(),
            bytes.len() - start
        ),
    });
    Decoded { head, tail: Some((line, tail)), problems }
}

fn decode_part(bytes: &[u8]) -> (Cow<'_, str>, Vec<Problem>) {
    if let Some(text) = decode_utf16(bytes) {
        return (Cow::Owned(text), Vec::new());
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    match std::str::from_utf8(bytes) {
        Ok(text) => (Cow::Borrowed(text), Vec::new()),
        Err(error) => {
            let line = text::line_feeds(&bytes[..error.valid_up_to()]).saturating_add(1);
            let declared = declared_single_byte(bytes);
            let problem = Problem { line: Some(line), message: "bytes that are not UTF-8".to_owned() };
            (Cow::Owned(windows_1252(bytes)), if declared { Vec::new() } else { vec![problem] })
        }
    }
}

/// Whether an XML declaration names a one-byte encoding.
fn declared_single_byte(bytes: &[u8]) -> bool {
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(200)]).to_ascii_lowercase();
    ["iso-8859", "windows-125", "latin", "us-ascii"].iter().any(|name| head.contains(name))
}

/// UTF-8 where it holds, Windows-1252 for each byte that does not fit.
pub(super) fn windows_1252(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() + bytes.len() / 8);
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|byte| match byte {
            0x80..=0x9f => HIGH[usize::from(byte - 0x80)],
            byte => char::from(*byte),
        }));
    }
    text
}

const HIGH: [char; 32] = [
    '€', '\u{fffd}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{fffd}', 'Ž', '\u{fffd}', '\u{fffd}',
    '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{fffd}', 'ž', 'Ÿ',
];

fn decode_utf16(bytes: &[u8]) -> Option<String> {
    let (little, body) = match bytes {
        [0xff, 0xfe, body @ ..] => (true, body),
        [0xfe, 0xff, body @ ..] => (false, body),
        [b'<', 0, ..] => (true, bytes),
        [0, b'<', ..] => (false, bytes),
        _ => return None,
    };
    Some(utf16(body, little))
}

/// UTF-16 of either order; what is no character is replaced.
pub(super) fn utf16(bytes: &[u8], little: bool) -> String {
    let units = bytes.chunks_exact(2).map(|pair| {
        if little { u16::from_le_bytes([pair[0], pair[1]]) } else { u16::from_be_bytes([pair[0], pair[1]]) }
    });
    char::decode_utf16(units).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn utf_16_is_read_with_and_without_a_mark() {
        let bytes: Vec<u8> = "\u{feff}<a>é".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(decode(&bytes).head, "<a>é");
        assert_eq!(decode(&bytes[2..]).head, "<a>é");
    }

    #[test]
    fn bytes_outside_utf_8_are_kept_and_reported() {
        let decoded = decode(b"ok\nna\xefve");
        assert_eq!(decoded.head, "ok\nna\u{ef}ve");
        assert_eq!(decoded.problems[0].line, Some(2));
    }

    #[test]
    fn a_huge_artifact_keeps_its_start_and_its_end() {
        let mut bytes = vec![b'x'; HEAD + TAIL];
        bytes.extend(b"\nlast\n");
        let decoded = decode(&bytes);
        assert_eq!(decoded.tail, Some((2, Cow::Borrowed("last\n"))));
        assert_eq!(decoded.problems.len(), 1);
    }
}
