//! What stays of a message when everything that changes from run to run is taken out.

use crate::ids::Fingerprint;

/// `text` without line numbers, temporary paths, addresses, hexadecimal ids, times, durations and UUIDs, which
/// become marks such as `<time>`; runs of blanks become one.
///
/// Plain numbers stay: `1 != 2` and `1 != 3` are two faults.
#[must_use]
pub fn normalise(text: &str) -> String {
    let mut words = Vec::new();
    for word in text.split_whitespace() {
        let (open, inner, close) = trim(word);
        words.push(format!("{open}{}{close}", inner_word(inner)));
    }
    words.join(" ")
}

/// The fingerprint of parts after [`normalise`].
#[must_use]
pub(super) fn of(parts: &[&str]) -> Fingerprint {
    let parts: Vec<String> = parts.iter().map(|part| normalise(part)).collect();
    Fingerprint::of(&parts.iter().map(String::as_str).collect::<Vec<_>>())
}

/// Punctuation around a word is none of its business.
fn trim(word: &str) -> (&str, &str, &str) {
    let punctuation =
        |c: char| matches!(c, '(' | ')' | '[' | ']' | '{' | '}' | '\'' | '"' | '`' | ',' | ';' | '<' | '>' | '=' | '!');
    let start = word.len() - word.trim_start_matches(punctuation).len();
    let rest = &word[start..];
    let inner = rest.trim_end_matches(|c| punctuation(c) || matches!(c, '.' | ':'));
    (&word[..start], inner, &rest[inner.len()..])
}

fn inner_word(word: &str) -> String {
    if word.is_empty() {
        return String::new();
    }
    // `name=value` and `name:value`: the value is what changes.
    for mark in ['=', '@'] {
        if let Some((name, value)) = word.split_once(mark)
            && let Some(shape) = volatile(value)
        {
            return format!("{name}{mark}{shape}");
        }
    }
    match volatile(word) {
        Some(shape) => shape.to_owned(),
        None if word.contains(['/', '\\']) => path(word),
        None => without_line(word).to_owned(),
    }
}

/// What a word that changes from run to run is.
fn volatile(word: &str) -> Option<&'static str> {
    if is_uuid(word) {
        Some("<uuid>")
    } else if is_hex(word) {
        Some("<hex>")
    } else if is_time(word) {
        Some("<time>")
    } else if is_duration(word) {
        Some("<duration>")
    } else {
        None
    }
}

fn is_uuid(word: &str) -> bool {
    let groups: Vec<&str> = word.split('-').collect();
    groups.len() == 5 && groups.iter().zip([8, 4, 4, 4, 12]).all(|(group, size)| group.len() == size && all_hex(group))
}

/// Addresses, and runs of hexadecimal digits too long to mean a number.
fn is_hex(word: &str) -> bool {
    match word.strip_prefix("0x").or_else(|| word.strip_prefix("0X")) {
        Some(digits) => digits.len() >= 4 && all_hex(digits),
        None => {
            word.len() >= 8
                && all_hex(word)
                && word.bytes().any(|byte| byte.is_ascii_digit())
                && word.bytes().any(|byte| byte.is_ascii_alphabetic())
        }
    }
}

fn all_hex(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// `12:34:56.789`, `2024-01-02`, `2024-01-02T03:04:05Z` and the like.
fn is_time(word: &str) -> bool {
    let shape: String = word.chars().map(|c| if c.is_ascii_digit() { 'd' } else { c }).collect();
    let date = shape.get(..10).is_some_and(|date| date == "dddd-dd-dd" || date == "dddd/dd/dd");
    let rest = if date { shape[10..].trim_start_matches(['T', '_', '-']) } else { shape.as_str() };
    let clock =
        rest.starts_with("dd:dd:dd") && rest.chars().all(|c| matches!(c, 'd' | ':' | '.' | ',' | 'Z' | '+' | '-'));
    clock || (date && rest.is_empty())
}

/// `0.03s`, `12ms`, `1.5sec`, `3m12s`.
fn is_duration(word: &str) -> bool {
    let mut rest = word;
    let mut units = 0;
    while !rest.is_empty() {
        let digits = rest.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b'.').count();
        let tail = &rest[digits..];
        let unit = tail.len() - tail.trim_start_matches(|c: char| c.is_alphabetic()).len();
        let known = ["ns", "us", "µs", "ms", "s", "sec", "secs", "seconds", "m", "min", "h"].contains(&&tail[..unit]);
        if digits == 0 || !known {
            return false;
        }
        units += 1;
        rest = &tail[unit..];
    }
    units > 0
}

/// A path loses what differs between machines: the temporary or checkout folder, and the line behind it.
fn path(word: &str) -> String {
    let word = without_line(word).replace('\\', "/");
    for root in ["/tmp/", "/var/tmp/", "/private/var/folders/", "/var/folders/", "/Temp/", "/TEMP/", "/T/"] {
        if let Some((front, rest)) = word.split_once(root) {
            // The first folder below is made up by the run; what is below that may have a name.
            let name = rest.rsplit('/').next().unwrap_or_default();
            let front = if root.starts_with("/T") { "" } else { front };
            let named = rest.contains('/') && !is_random(name);
            return if named { format!("{front}<tmp>/{name}") } else { format!("{front}<tmp>") };
        }
    }
    let word = super::paths::without_checkout(&word);
    let parts = word.split('/').map(|part| {
        let versioned = part.strip_prefix("python3.").or_else(|| part.strip_prefix("python2.")).is_some();
        if versioned || volatile(part).is_some() || is_version(part) { "<id>" } else { part }
    });
    parts.collect::<Vec<_>>().join("/")
}

fn is_random(name: &str) -> bool {
    volatile(name).is_some() || name.starts_with("tmp") || name.starts_with('.')
}

/// `3.11.4`, the folder of one cell of a matrix.
fn is_version(part: &str) -> bool {
    part.contains('.') && part.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
}

/// Cuts `:12` and `:12:5` from the end of what looks like a file.
fn without_line(word: &str) -> &str {
    let mut front = word;
    for _ in 0..2 {
        match front.rsplit_once(':') {
            Some((before, number)) if !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) => {
                front = before;
            }
            _ => break,
        }
    }
    if front.len() < word.len() && front.rsplit('/').next().is_some_and(|name| name.contains('.')) {
        front
    } else {
        word
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_a_run_makes_up_is_taken_out() {
        let text = "open /tmp/pytest-of-root/pytest-3/out.txt at 0x7f80b2c6a950 (id=9f2c4a1b77) took 0.03s on 2024-01-02T03:04:05Z, a.rs:12:5";
        assert_eq!(normalise(text), "open <tmp>/out.txt at <hex> (id=<hex>) took <duration> on <time>, a.rs");
    }

    #[test]
    fn what_a_fault_says_stays() {
        assert_eq!(normalise("assert 1 == 2 for decade deadbeef"), "assert 1 == 2 for decade deadbeef");
        assert_ne!(normalise("left: 1, right: 2"), normalise("left: 1, right: 3"));
    }

    #[test]
    fn the_cell_of_a_matrix_does_not_matter() {
        let one = normalise("/opt/hostedtoolcache/Python/3.11.4/x64/lib/python3.11/json/a.py:5");
        let two = normalise("/opt/hostedtoolcache/Python/3.12.1/x64/lib/python3.12/json/a.py:9");
        assert_eq!(one, two);
    }

    proptest! {
        #[test]
        fn lines_addresses_times_and_ids_never_matter(
            line in 1..99_999_u32, other in 1..99_999_u32,
            address in 0x1_0000..u64::MAX, moved in 0x1_0000..u64::MAX,
            folder in "[a-z0-9]{6,12}", elsewhere in "[a-z0-9]{6,12}",
            millis in 0..100_000_u32, later in 0..100_000_u32,
            uuid in "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
        ) {
            let say = |line, address: u64, folder: &str, millis, uuid: &str| {
                normalise(&format!("src/a.py:{line}: <X at {address:#x}> /tmp/{folder}/data.json {millis}ms {uuid}"))
            };
            prop_assert_eq!(
                say(line, address, &folder, millis, &uuid),
                say(other, moved, &elsewhere, later, "00000000-0000-0000-0000-000000000000")
            );
        }

        #[test]
        fn normalising_twice_changes_nothing_and_nothing_panics(text in "\\PC{0,200}") {
            let once = normalise(&text);
            prop_assert_eq!(normalise(&once), once);
        }
    }
}
