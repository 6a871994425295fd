//! `path:line:column` as compilers, test runners and stack traces write it.

use super::Location;

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

/// A place that is all of `text`.
pub(super) fn whole(text: &str) -> Option<Location> {
    leading(text.trim()).filter(|(_, rest)| rest.is_empty()).map(|(place, _)| place)
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

/// Whether a path ends with this extension, whatever its case.
pub(super) fn has_extension(path: &str, extension: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, end)| end.eq_ignore_ascii_case(extension))
}

/// Whether a path belongs to a language, its packages or its runner rather than to a project.
pub fn is_foreign(path: &str) -> bool {
    let path = path.replace('\\', "/");
    let inside = [
        "/node_modules/",
        "/site-packages/",
        "/dist-packages/",
        "/rustc/",
        "/.cargo/registry/",
        "/.cargo/git/",
        "/rustlib/",
        "/go/pkg/mod/",
        "/hostedtoolcache/",
        "/lib/python2",
        "/lib/python3",
        "/_pytest/",
    ];
    let front =
        ["node:", "internal/", "<", "node_modules/", "rustc/", "site-packages/", "java/", "jdk/", "sun/", "org/junit/"];
    inside.iter().any(|part| path.contains(part)) || front.iter().any(|part| path.starts_with(part))
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
    fn places_are_read_with_and_without_columns_and_drives() {
        assert_eq!(show("src/a.rs:1:2: x"), "src/a.rs Some(1) Some(2) [: x]");
        assert_eq!(show("a.py:7: AssertionError"), "a.py Some(7) None [: AssertionError]");
        assert_eq!(show(r"C:\a\b.rs:7"), r"C:\a\b.rs Some(7) None []");
        assert_eq!(show("file:///x/a.mjs:5:3"), "file:///x/a.mjs Some(5) Some(3) []");
        assert_eq!(show("no place: here"), "-");
        assert_eq!(show("a:99999999999"), "-");
    }
}
