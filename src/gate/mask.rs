//! A file's text with comments and strings told apart from code, at the same offsets.
//!
//! A rule that looks for `#[ignore]` must not see it in a comment or in a string, and a rule that looks for
//! `# noqa` must see nothing else. No grammar is needed for that, so the gate judges the same whatever grammars
//! the program was built with.

use super::language::Language;

/// Two texts of the same length and line structure as the file.
#[derive(Debug, Default, Clone)]
pub(super) struct Masked {
    /// The file with comments and the inside of strings blanked.
    pub(super) code: String,
    /// The file with everything but comments blanked.
    pub(super) comments: String,
}

enum Token {
    Code,
    Comment,
    /// A string with so many bytes of opening and closing delimiter.
    Text(usize, usize),
}

/// Splits a text.
pub(super) fn mask(text: &str, language: Language) -> Masked {
    let bytes = text.as_bytes();
    let mut code = bytes.to_vec();
    let mut comments: Vec<u8> = bytes.iter().map(|byte| if *byte == b'\n' { b'\n' } else { b' ' }).collect();
    let mut at = 0;
    while at < bytes.len() {
        let (token, end) = next(bytes, at, language);
        let end = end.clamp(at + 1, bytes.len());
        match token {
            Token::Code => {}
            Token::Comment => {
                comments[at..end].copy_from_slice(&bytes[at..end]);
                blank(&mut code[at..end]);
            }
            Token::Text(open, close) => {
                let from = (at + open).min(end);
                let to = end.saturating_sub(close).max(from);
                blank(&mut code[from..to]);
            }
        }
        at = end;
    }
    Masked { code: into_text(code), comments: into_text(comments) }
}

fn blank(bytes: &mut [u8]) {
    bytes.iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
}

/// Delimiters are ASCII, so blanking never splits a character; were it to, the loss shows as replacement marks.
fn into_text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

fn next(bytes: &[u8], at: usize, language: Language) -> (Token, usize) {
    let rest = &bytes[at..];
    match language {
        Language::Plain => (Token::Code, bytes.len()),
        Language::Python | Language::Hash => hash(bytes, at, language),
        Language::Rust if raw_string(bytes, at).is_some() => {
            let (open, close, end) = raw_string(bytes, at).unwrap_or((0, 0, at + 1));
            (Token::Text(open, close), end)
        }
        _ if rest.starts_with(b"//") => (Token::Comment, line_end(bytes, at)),
        _ if rest.starts_with(b"/*") => (Token::Comment, block_end(bytes, at, language == Language::Rust)),
        Language::Rust if rest[0] == b'"' => quoted(bytes, at, b'"', true),
        Language::Rust if rest[0] == b'\'' => character(bytes, at),
        Language::Rust => (Token::Code, at + 1),
        Language::JavaScript | Language::Go if rest[0] == b'`' => quoted(bytes, at, b'`', true),
        Language::JavaScript if rest[0] == b'/' && regex_may_start(bytes, at) => quoted(bytes, at, b'/', false),
        Language::Jvm if rest.starts_with(b"\"\"\"") => triple(bytes, at),
        _ if matches!(rest[0], b'"' | b'\'') => quoted(bytes, at, rest[0], false),
        _ => (Token::Code, at + 1),
    }
}

fn hash(bytes: &[u8], at: usize, language: Language) -> (Token, usize) {
    let rest = &bytes[at..];
    let shell_word = language == Language::Hash && at > 0 && !bytes[at - 1].is_ascii_whitespace();
    if rest[0] == b'#' && !shell_word {
        return (Token::Comment, line_end(bytes, at));
    }
    if rest.starts_with(b"\"\"\"") || rest.starts_with(b"'''") {
        return triple(bytes, at);
    }
    match rest[0] {
        quote @ (b'"' | b'\'') => quoted(bytes, at, quote, false),
        _ => (Token::Code, at + 1),
    }
}

fn line_end(bytes: &[u8], at: usize) -> usize {
    bytes[at..].iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |length| at + length)
}

fn block_end(bytes: &[u8], at: usize, nested: bool) -> usize {
    let mut depth = 0usize;
    let mut here = at;
    while here + 1 < bytes.len() {
        match &bytes[here..here + 2] {
            b"/*" if nested || here == at => {
                depth += 1;
                here += 2;
            }
            b"*/" => {
                depth = depth.saturating_sub(1);
                here += 2;
                if depth == 0 {
                    return here;
                }
            }
            _ => here += 1,
        }
    }
    bytes.len()
}

/// A string up to its closing quote; one that may not span lines ends at the line's end at the latest.
fn quoted(bytes: &[u8], at: usize, quote: u8, lines: bool) -> (Token, usize) {
    let mut here = at + 1;
    while here < bytes.len() {
        match bytes[here] {
            b'\\' => here += 1,
            b'\n' if !lines => return (Token::Text(1, 0), here),
            byte if byte == quote => return (Token::Text(1, 1), here + 1),
            _ => {}
        }
        here += 1;
    }
    (Token::Text(1, 0), bytes.len())
}

fn triple(bytes: &[u8], at: usize) -> (Token, usize) {
    let quotes = &bytes[at..at + 3];
    let mut here = at + 3;
    while here + 3 <= bytes.len() {
        if bytes[here] == b'\\' {
            here += 2;
        } else if &bytes[here..here + 3] == quotes {
            return (Token::Text(3, 3), here + 3);
        } else {
            here += 1;
        }
    }
    (Token::Text(3, 0), bytes.len())
}

/// `r"…"`, `r#"…"#`, `br"…"`, `cr"…"`: lengths of both delimiters, and the end.
fn raw_string(bytes: &[u8], at: usize) -> Option<(usize, usize, usize)> {
    let before = at.checked_sub(1).map(|before| bytes[before]);
    if before.is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
        return None;
    }
    let rest = &bytes[at..];
    let prefix = if matches!(rest[0], b'b' | b'c') && rest.get(1) == Some(&b'r') { 2 } else { 1 };
    if rest.get(prefix - 1) != Some(&b'r') {
        return None;
    }
    let hashes = rest[prefix..].iter().take_while(|byte| **byte == b'#').count();
    let open = prefix + hashes + 1;
    if rest.get(open - 1) != Some(&b'"') {
        return None;
    }
    let mut close = vec![b'"'];
    close.resize(hashes + 1, b'#');
    let found = rest[open..].windows(close.len()).position(|window| window == close);
    Some((open, close.len(), found.map_or(bytes.len(), |length| at + open + length + close.len())))
}

/// A character literal; a lifetime is code.
fn character(bytes: &[u8], at: usize) -> (Token, usize) {
    let rest = &bytes[at + 1..];
    if rest.first() == Some(&b'\\') {
        return quoted(bytes, at, b'\'', false);
    }
    let width = rest.iter().skip(1).take_while(|byte| (**byte & 0xC0) == 0x80).count() + 1;
    if rest.get(width) == Some(&b'\'') { (Token::Text(1, 1), at + width + 2) } else { (Token::Code, at + 1) }
}

fn regex_may_start(bytes: &[u8], at: usize) -> bool {
    let before = bytes[..at].iter().rev().find(|byte| !matches!(byte, b' ' | b'\t'));
    before.is_none_or(|byte| b"(,=:[!&|?{};\n".contains(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(text: &str, language: Language) -> String {
        let masked = mask(text, language);
        assert_eq!(masked.code.len(), text.len());
        assert_eq!(masked.comments.len(), text.len());
        masked.code
    }

    #[test]
    fn rust_keeps_lifetimes_and_blanks_strings_and_nested_comments() {
        let text = "fn f<'a>(x: &'a str) { let c = '\"'; let s = r#\"a \"b\" //\"#; /* x /* y */ z */ g(\"//\"); }";
        assert_eq!(
            code(text, Language::Rust),
            "fn f<'a>(x: &'a str) { let c = ' '; let s = r#\"        \"#;                   g(\"  \"); }"
        );
    }

    #[test]
    fn python_tells_docstrings_from_comments() {
        let masked = mask("'''a # b'''\nx = \"#\" # noqa\n", Language::Python);
        assert_eq!(masked.code, "'''     '''\nx = \" \"       \n");
        assert_eq!(masked.comments.trim(), "# noqa");
    }

    #[test]
    fn javascript_survives_quotes_in_regular_expressions() {
        let masked = mask("const q = /['\"]/; it.skip('a', f) // it.only\n", Language::JavaScript);
        assert!(masked.code.contains("it.skip(' ', f)"), "{}", masked.code);
        assert!(!masked.code.contains("it.only"));
    }

    proptest::proptest! {
        #[test]
        fn any_text_keeps_its_lines(text in "\\PC{0,60}", which in 0usize..8) {
            let languages = [Language::Rust, Language::Python, Language::JavaScript, Language::Go, Language::Jvm,
                Language::Braces, Language::Hash, Language::Plain];
            let masked = mask(&text, languages[which]);
            proptest::prop_assert_eq!(masked.code.lines().count(), masked.comments.lines().count());
        }
    }
}
