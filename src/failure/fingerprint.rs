//! What stays of a message when everything that changes from run to run is taken out.

use crate::ids::Fingerprint;

/// `text` without line numbers, temporary paths, addresses, ports, process and hexadecimal ids, times, durations,
/// versions of toolchains and UUIDs, which become marks such as `<time>`; runs of blanks become one.
///
/// Plain numbers stay: `1 != 2` and `1 != 3` are two faults.
#[must_use]
pub fn normalise(text: &str) -> String {
    let mut words = Vec::new();
    let mut before = "";
    let mut rest = text.split_whitespace().peekable();
    while let Some(word) = rest.next() {
        let (open, inner, close) = trim(word);
        let shape = match beside(before, inner, rest.peek().copied().unwrap_or_default()) {
            // `==12==` stands before each line of some tools.
            _ if open.ends_with("==") && close.starts_with("==") && is_number(inner) => "<pid>".to_owned(),
            Some(shape) => shape.to_owned(),
            None => inner_word(inner),
        };
        words.push(format!("{open}{shape}{close}"));
        before = word;
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

/// What a plain number is by the words around it.
fn beside(before: &str, word: &str, behind: &str) -> Option<&'static str> {
    if !is_number(word.replace('.', "").as_str()) {
        return None;
    }
    let before = before.trim_matches(['(', '[', ':', '=', '#']).to_ascii_lowercase();
    let behind = behind.trim_end_matches(['.', ',', ')', ';']);
    if ["pid", "process", "tid", "ppid"].contains(&before.as_str()) {
        Some("<pid>")
    } else if before == "port" {
        Some("<port>")
    } else if ["ms", "milliseconds", "seconds", "secs", "sec", "s", "minutes", "µs"].contains(&behind) {
        Some("<duration>")
    } else {
        None
    }
}

fn is_number(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())
}

/// `127.0.0.1:43211` and `localhost:8080`: the port is often made up by the run.
fn without_port(word: &str) -> Option<String> {
    let (host, port) = word.rsplit_once(':')?;
    let address = host.split('.').count() == 4 && host.split('.').all(is_number);
    let local = address || matches!(host, "localhost" | "[::1]" | "[::]" | "::1" | "0.0.0.0");
    (local && is_number(port) && (2..=5).contains(&port.len())).then(|| format!("{host}:<port>"))
}

/// `python3.11`, `go1.21.3`, `jdk-17.0.2`, `node-v18.1.0-linux-x64`, `py310`: a cell of a matrix.
fn is_toolchain(word: &str) -> bool {
    let names = [
        "python", "pypy", "cpython", "py", "cp", "ruby", "node", "go", "jdk", "java", "php", "rustc", "rust", "gcc",
        "clang", "dotnet",
    ];
    let end = word.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(word.len());
    let (name, version) = word.split_at(end);
    let version = version.trim_start_matches(['-', '_', '@']);
    let version = version.strip_prefix('v').unwrap_or(version);
    let numbers = version.split(['-', '_', '+']).next().unwrap_or_default();
    names.contains(&name.to_ascii_lowercase().as_str())
        && numbers.starts_with(|c: char| c.is_ascii_digit())
        && numbers.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
}

/// `demo-0a1b2c3d4e5f` and `chunk.9f2c4a1b.js`: the hash of a build in a name.
fn without_hash(word: &str) -> Option<String> {
    let mut found = false;
    let mut named = String::with_capacity(word.len());
    for part in word.split_inclusive(['-', '_', '.']) {
        let name = part.trim_end_matches(['-', '_', '.']);
        if is_hex(name) && !name.starts_with("0x") {
            found = true;
            named.push_str("<hex>");
            named.push_str(&part[name.len()..]);
        } else {
            named.push_str(part);
        }
    }
    found.then_some(named)
}

/// `Foo@1b2c3`: where an object lies.
fn is_identity(value: &str) -> bool {
    (5..=16).contains(&value.len()) && all_hex(value) && value.bytes().any(|byte| byte.is_ascii_digit())
}

fn inner_word(word: &str) -> String {
    if word.is_empty() {
        return String::new();
    }
    // `name=value` and `name:value`: the value is what changes.
    for mark in ['=', '@'] {
        if let Some((name, value)) = word.split_once(mark)
            && let Some(shape) = volatile(value).or_else(|| {
                let process = mark == '=' && matches!(name, "pid" | "tid" | "port") && is_number(value);
                let object = mark == '@' && is_identity(value);
                if process { Some("<pid>") } else { object.then_some("<hex>") }
            })
        {
            return format!("{name}{mark}{shape}");
        }
    }
    match volatile(word) {
        Some(shape) => shape.to_owned(),
        None if word.contains(['/', '\\']) => path(word),
        None if is_toolchain(word) => "<version>".to_owned(),
        None => without_port(word)
            .or_else(|| without_hash(without_line(word)))
            .unwrap_or_else(|| without_line(word).to_owned()),
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
            let name = without_hash(name).unwrap_or_else(|| name.to_owned());
            return if named { format!("{front}<tmp>/{name}") } else { format!("{front}<tmp>") };
        }
    }
    let word = super::paths::without_checkout(&word);
    let parts = word.split('/').map(|part| {
        if is_toolchain(part) || volatile(part).is_some() || is_version(part) {
            return "<id>".to_owned();
        }
        without_port(part).or_else(|| without_hash(part)).unwrap_or_else(|| part.to_owned())
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

    #[test]
    fn ports_processes_builds_and_toolchains_do_not_matter() {
        for (one, two) in [
            ("connect ECONNREFUSED 127.0.0.1:43211", "connect ECONNREFUSED 127.0.0.1:51000"),
            ("GET http://localhost:8081/x failed", "GET http://localhost:9099/x failed"),
            ("worker (pid 4711) died", "worker (pid 815) died"),
            ("WARNING: race (pid=12)", "WARNING: race (pid=13)"),
            ("==12== Invalid read", "==999== Invalid read"),
            ("listen on port 4001 failed", "listen on port 4002 failed"),
            ("timed out after 5003 ms", "timed out after 5100 ms"),
            ("org.x.Foo@6d06d69c is closed", "org.x.Foo@1b2c3d is closed"),
            ("target/debug/deps/demo-0a1b2c3d4e5f6071 failed", "target/debug/deps/demo-9f8e7d6c5b4a3921 failed"),
            ("static/chunk.9f2c4a1b.js is gone", "static/chunk.0a1b2c3d.js is gone"),
            ("/opt/go1.21.3/src/a.go:3", "/opt/go1.22.0/src/a.go:9"),
            ("build with python3.11 fails", "build with python3.12 fails"),
        ] {
            assert_eq!(normalise(one), normalise(two));
        }
        for (one, two) in [
            ("expected 8080 but was 8081", "expected 8080 but was 8082"),
            ("ratio 3:10", "ratio 3:20"),
            ("a-b-c", "a-b-d"),
            ("golang 1 of 2", "golang 2 of 2"),
        ] {
            assert_ne!(normalise(one), normalise(two));
        }
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
