//! `path:line:column` as compilers, test runners and stack traces write it.

mod foreign;

use super::Location;

pub use foreign::{is_foreign, is_installed};

/// Reads a place at the start of `text`; returns it and what follows.
///
/// The path runs to the first colon that a number follows; a drive letter's colon is part of it.
pub(super) fn leading(text: &str) -> Option<(Location, &str)> {
    let drive = match text.as_bytes() {
        [letter, b':', b'/' | b'\\', ..] if letter.is_ascii_alphabetic() => 2,
        _ => 0,
    };
    let scheme = if text.starts_with("file:///") { 5 } else { drive };
    let mut from = scheme;
    loop {
        let colon = from + text.get(from..)?.find(':')?;
        if let Some((line, rest)) = number(&text[colon + 1..]) {
            let path = text[..colon].trim();
            if path.is_empty() || path.len() > 1024 {
                return None;
            }
            let (column, rest) = match rest.strip_prefix(':').and_then(number) {
                Some((column, rest)) => (Some(column), rest),
                None => (None, rest),
            };
            return Some((Location { path: path.to_owned(), line: Some(line), column }, rest));
        }
        from = colon + 1;
    }
}

/// A place that is all of `text`: its numbers are the last ones, so that the port of an address is none of them.
pub(super) fn whole(text: &str) -> Option<Location> {
    let text = text.trim();
    let (front, last) = ending(text)?;
    let (path, line, column) = match ending(front) {
        Some((path, line)) => (path, line, Some(last)),
        None => (front, last, None),
    };
    let path = path.trim();
    (!path.is_empty() && path.len() <= 1024).then(|| Location { path: path.to_owned(), line: Some(line), column })
}

/// `x:12` gives `x` and 12.
fn ending(text: &str) -> Option<(&str, u32)> {
    let (front, digits) = text.rsplit_once(':')?;
    let number = digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok()).flatten()?;
    Some((front, number))
}

/// Whether a path looks like a file of code: it has an extension and no characters that paths hardly have.
pub(super) fn is_file(path: &str) -> bool {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let odd = |c: char| c.is_control() || matches!(c, '<' | '>' | '"' | '|' | '*' | '`');
    name.rsplit_once('.').is_some_and(|(stem, extension)| {
        !stem.is_empty()
            && (1..=8).contains(&extension.len())
            && extension.bytes().all(|byte| byte.is_ascii_alphanumeric())
            && extension.bytes().any(|byte| byte.is_ascii_alphabetic())
    }) && !path.contains(odd)
}

/// The first place that stands alone in one of the first lines: at its begin, or behind `at`, `in` or a bracket.
pub(super) fn mentioned(text: &str) -> Option<Location> {
    text.lines().take(MENTION_LINES).filter(|line| line.len() < 1024).find_map(|line| {
        let line = line.trim();
        let begin = leading(line)
            .or_else(|| bracketed(line))
            .filter(|(at, rest)| (rest.is_empty() || rest.starts_with([':', ' ', ',', ')'])) && is_source(&at.path));
        let behind = || {
            let end = line.trim_end_matches([')', '.']);
            let start = [" at ", " in ", "("].iter().filter_map(|word| Some(end.rfind(word)? + word.len())).max()?;
            whole(&end[start..]).filter(|at| is_source(&at.path))
        };
        begin.map(|(at, _)| at).or_else(behind).filter(|at| !is_foreign(&at.path))
    })
}

/// Lines of a text in which a place is looked for.
const MENTION_LINES: usize = 60;

/// `a.c(12)` and `a.c (line 12)`
fn bracketed(text: &str) -> Option<(Location, &str)> {
    let (path, rest) = text.split_once('(')?;
    let (line, rest) = number(rest.strip_prefix("line ").unwrap_or(rest))?;
    let path = path.trim_end();
    let at = Location { path: path.to_owned(), line: Some(line), column: None };
    (!path.is_empty()).then_some((at, rest.strip_prefix(')')?))
}

/// Whether a path names a file that people write; a host with its port does not.
fn is_source(path: &str) -> bool {
    let known = [
        "c", "cc", "cpp", "cxx", "h", "hpp", "hxx", "m", "mm", "swift", "java", "kt", "kts", "scala", "groovy", "clj",
        "js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx", "vue", "svelte", "py", "pyx", "rb", "php", "phpt", "cs",
        "fs", "vb", "go", "rs", "ex", "exs", "erl", "hs", "ml", "lua", "pl", "pm", "t", "jl", "r", "dart", "sh",
        "bash", "bats", "ps1", "yml", "yaml", "json", "toml", "xml", "html", "css", "scss", "sql", "tf", "feature",
        "robot", "pas", "f90", "zig", "nim", "cr", "cu", "elm", "d",
    ];
    let rooted = path.starts_with('/') || path.as_bytes().get(1) == Some(&b':');
    is_file(path) && known.iter().any(|end| has_extension(path, end)) && (rooted || !path.contains(' '))
}

/// Whether a path ends with this extension, whatever its case.
pub(super) fn has_extension(path: &str, extension: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, end)| end.eq_ignore_ascii_case(extension))
}

fn number(text: &str) -> Option<(u32, &str)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let value = text.get(..digits)?.parse().ok()?;
    Some((value, &text[digits..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(text: &str) -> String {
        leading(text).map_or("-".to_owned(), |(place, rest)| {
            format!("{} {:?} {:?} [{rest}]", place.path, place.line, place.column)
        })
    }

    #[test]
    fn a_place_that_is_mentioned_stands_alone() {
        let at =
            |text: &str| mentioned(text).map_or("-".to_owned(), |at| format!("{}:{}", at.path, at.line.unwrap_or(0)));
        assert_eq!(at("Value of: x\n/r/a_test.cc:12\nFailure"), "/r/a_test.cc:12");
        assert_eq!(at("utpp.cpp(14) : false"), "utpp.cpp:14");
        assert_eq!(at("C:\\Documents and Settings\\a\\Data.pas:9: x"), "C:\\Documents and Settings\\a\\Data.pas:9");
        assert_eq!(at("Field is not final in (Integers.java:3)"), "Integers.java:3");
        assert_eq!(at("should be Long at app/template.yaml:142:9"), "app/template.yaml:142");
        assert_eq!(at("modem.pas (line 51): text"), "modem.pas:51");
        for text in
            ["connect to example.com:8080", "http://127.0.0.1:33960/foo", "it compares a.js:1 with b.js:2", "(x: 3)"]
        {
            assert_eq!(at(text), "-", "{text}");
        }
    }

    #[test]
    fn places_are_read_with_and_without_columns_and_drives() {
        assert_eq!(show("src/a.rs:1:2: x"), "src/a.rs Some(1) Some(2) [: x]");
        assert_eq!(show("a.py:7: AssertionError"), "a.py Some(7) None [: AssertionError]");
        assert_eq!(show(r"C:\a\b.rs:7"), r"C:\a\b.rs Some(7) None []");
        assert_eq!(show("file:///x/a.mjs:5:3"), "file:///x/a.mjs Some(5) Some(3) []");
        assert_eq!(show("no place: here"), "-");
        assert_eq!(show("a:99999999999"), "-");
    }
}
