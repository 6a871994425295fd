//! The forms that a value takes on its way out: as it is, base64, hexadecimal, URL-encoded, JSON-escaped.

use std::fmt::Write as _;

use crate::ids::hex;

const STANDARD: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const URL_SAFE: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// Shorter values are not looked for in other forms: too much else reads like them.
const SHORTEST_ENCODED: usize = 6;

/// The forms of `value`, as regular expressions; those that say most come first.
pub(super) fn forms(value: &str) -> Vec<String> {
    let mut plain = vec![value.to_owned()];
    let mut patterns = Vec::new();
    if value.len() >= SHORTEST_ENCODED {
        plain.extend(json_forms(value));
        patterns.extend(hex_forms(value));
        patterns.extend([url_form(value)]);
        for alphabet in [STANDARD, URL_SAFE] {
            // The last character may hold bits of what follows, so it is any one; then comes the padding.
            patterns
                .extend((0..3).map(|shift| {
                    format!("{}[A-Za-z0-9+/_-]?={{0,2}}", regex::escape(&base64(value, shift, alphabet)))
                }));
        }
    }
    patterns.extend(plain.iter().map(|text| regex::escape(text)));
    patterns.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
    patterns.dedup();
    patterns
}

/// What a JSON writer makes of it: with and without escaped slashes, with characters beyond ASCII as `\u`.
fn json_forms(value: &str) -> [String; 3] {
    let quoted = serde_json::Value::from(value).to_string();
    let inner = quoted.trim_start_matches('"').strip_suffix('"').unwrap_or(&quoted).to_owned();
    let ascii = inner.chars().fold(String::new(), |mut text, c| {
        if c.is_ascii() {
            text.push(c);
        } else {
            for unit in c.encode_utf16(&mut [0; 2]) {
                // Writing to a String cannot fail.
                let _ = write!(text, "\\u{unit:04x}");
            }
        }
        text
    });
    [inner.replace('/', "\\/"), ascii, inner]
}

/// Hexadecimal in either case, bytes apart by `:` or a blank or `\x` or not at all.
fn hex_forms(value: &str) -> [String; 1] {
    let digits: Vec<String> = value.bytes().map(|byte| hex(&[byte])).collect();
    [format!("(?i:{})", digits.join(r"(?:\\x|[: ])?"))]
}

/// Each byte as it is, or as `%XX`; a blank also as `+`. It also matches the raw form of URL-safe values.
fn url_form(value: &str) -> String {
    value.bytes().fold(String::new(), |mut pattern, byte| {
        let digits = hex(&[byte]);
        // Bytes beyond ASCII are always encoded in a URL.
        let raw =
            if byte.is_ascii() { format!("{}|", regex::escape(&char::from(byte).to_string())) } else { String::new() };
        let blank = if byte == b' ' { r"\+|" } else { "" };
        let _ = write!(pattern, "(?:{raw}{blank}%(?i:{digits}))");
        pattern
    })
}

/// The characters that are the same wherever the value stands, `shift` bytes after a multiple of three.
fn base64(value: &str, shift: usize, alphabet: &[u8; 64]) -> String {
    let mut bytes = vec![0; shift];
    bytes.extend_from_slice(value.as_bytes());
    let whole = bytes.len() * 8 / 6;
    let first = (shift * 8).div_ceil(6);
    (first..whole)
        .map(|at| {
            let bit = at * 6;
            let high = u16::from(bytes[bit / 8]) << 8;
            let pair = high | bytes.get(bit / 8 + 1).copied().map_or(0, u16::from);
            let index = (pair >> (10 - bit % 8)) & 63;
            char::from(alphabet[usize::from(index)])
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_what_everybody_else_writes() {
        // `printf hunter2secret | base64`, then with one and with two bytes before it.
        assert_eq!(base64("hunter2secret", 0, STANDARD), "aHVudGVyMnNlY3JldA"[..17].to_owned());
        assert!("eGh1bnRlcjJzZWNyZXQ=".contains(&base64("hunter2secret", 1, STANDARD)));
        assert!("eHhodW50ZXIyc2VjcmV0".contains(&base64("hunter2secret", 2, STANDARD)));
    }

    #[test]
    fn short_values_are_looked_for_as_they_are_only() {
        assert_eq!(forms("abcd"), ["abcd"]);
    }
}
