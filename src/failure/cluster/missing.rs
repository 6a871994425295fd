//! Messages that name what is missing: a module, a package, a header, a symbol, a fixture. Whoever needs it fails.

use std::sync::LazyLock;

use regex::{Regex, RegexSet};

use crate::failure::paths;

/// Each names what is missing; `from` is the file that asks for it.
const PATTERNS: &[&str] = &[
    // Python
    r"No module named '?(?P<name>[A-Za-z0-9_.]+)",
    r"cannot import name '?(?P<name>[A-Za-z0-9_]+)'? from (?:partially initialized module )?'?(?P<in>[A-Za-z0-9_.]+)",
    r"fixture '(?P<name>[^']+)' not found",
    // JavaScript
    r"Cannot find (?:module|package) '(?P<name>[^']+)'(?: (?:imported )?from '?(?P<from>[^' ]+))?",
    r#"Failed to resolve import "(?P<name>[^"]+)" from "(?P<from>[^"]+)""#,
    r"Can't resolve '(?P<name>[^']+)' in '(?P<folder>[^']+)'",
    // Ruby, PHP, Perl, R
    r"cannot load such file -- (?P<name>[^ ]+)",
    r"uninitialized constant (?P<name>[A-Za-z0-9_:]+)",
    r#"Class ['"](?P<name>[A-Za-z0-9_\\]+)['"] not found"#,
    r"Can't locate (?P<name>[A-Za-z0-9_/]+\.pm) in @INC",
    r"there is no package called ['‘](?P<name>[A-Za-z0-9.]+)",
    // The JVM and .NET
    r"(?:NoClassDefFoundError|ClassNotFoundException): (?:Could not initialize class )?(?P<name>[A-Za-z0-9_.$/]+)",
    r"package (?P<name>[A-Za-z0-9_.]+) does not exist",
    r"The type or namespace name '(?P<name>[^']+)' could not be found",
    r"Could not load file or assembly '(?P<name>[^,']+)",
    // C and C++
    r"(?:fatal error: |[Cc]annot open (?:include|source) file:? ['\x22]?)(?P<name>[A-Za-z0-9_./+-]+\.h(?:pp|h|xx)?)",
    r"'(?P<name>[A-Za-z0-9_./+-]+)' file not found",
    r"undefined reference to [`'](?P<name>[^']+)'",
    // Go and Rust
    r"no required module provides package (?P<name>[^ ;:]+)",
    r#"cannot find package "?(?P<name>[^ ":]+)"#,
    r"package (?P<name>[^ ]+) is not in (?:std|GOROOT)",
    r"can't find crate for `(?P<name>[^`]+)`",
    r"unresolved import `(?P<name>[^`]+)`",
    r"use of (?:undeclared crate or module|undeclared type or module|unresolved module or unlinked crate) `(?P<name>[^`]+)`",
];

/// What a machine lacks, whatever the test that needs it.
const ENVIRONMENT: &[&str] = &[
    "ECONNREFUSED",
    "ENOTFOUND",
    "EAI_AGAIN",
    "Connection refused",
    "connection refused",
    "No space left on device",
    "Too many open files",
    "Cannot connect to the Docker daemon",
    "Temporary failure in name resolution",
    "could not connect to server",
    "Cannot allocate memory",
];

/// The name of what is missing; a relative one is read from the file that asks for it, or else from `folder`.
pub(super) fn named(message: &str, folder: &str) -> Option<String> {
    static SET: LazyLock<Option<(RegexSet, Vec<Regex>)>> = LazyLock::new(|| {
        let patterns = PATTERNS.iter().map(|pattern| Regex::new(pattern)).collect::<Result<_, _>>().ok()?;
        Some((RegexSet::new(PATTERNS).ok()?, patterns))
    });
    let (set, patterns) = SET.as_ref()?;
    let groups = patterns[set.matches(message).iter().next()?].captures(message)?;
    let group = |name: &str| groups.name(name).map(|group| group.as_str());
    let name = group("name")?.trim_end_matches(['.', ',', ':']);
    if name.is_empty() {
        return None;
    }
    if let Some(module) = group("in") {
        return Some(format!("{module}.{name}"));
    }
    let asking = group("folder").map(paths::plain);
    let asking = asking.or_else(|| group("from").map(|from| parent(&paths::plain(from)).to_owned()));
    if name.starts_with('.') {
        return Some(resolved(asking.as_deref().unwrap_or(folder), name));
    }
    Some(if name.starts_with('/') { paths::plain(name) } else { name.replace(['/', '\\'], ".") })
}

/// Whether a message says that a service or a resource of the machine is missing.
pub(super) fn is_environment(message: &str) -> bool {
    ENVIRONMENT.iter().any(|word| message.contains(word))
}

fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// `../x` from `a/b` is `a/x`.
fn resolved(folder: &str, name: &str) -> String {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in name.split('/') {
        match part {
            "." | "" => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_named_in_every_language() {
        assert_eq!(RegexSet::new(PATTERNS).unwrap().len(), PATTERNS.len());
        for (message, name) in [
            ("ModuleNotFoundError: No module named 'yaml.nodes'", "yaml.nodes"),
            ("ImportError: cannot import name 'f' from 'pkg.m' (/r/pkg/m.py)", "pkg.m.f"),
            ("Cannot find module 'lodash'", "lodash"),
            ("Cannot find module '../src/x' from 'test/a.test.js'", "src/x"),
            ("Cannot find module '../../src/x' from '/home/runner/work/r/r/test/deep/a.test.js'", "src/x"),
            ("Module not found: Error: Can't resolve './x' in '/home/runner/work/r/r/src'", "src/x"),
            ("LoadError: cannot load such file -- nokogiri/x", "nokogiri.x"),
            ("java.lang.NoClassDefFoundError: org/x/Foo", "org.x.Foo"),
            ("java.lang.NoClassDefFoundError: Could not initialize class org.x.Foo", "org.x.Foo"),
            ("src/a.c:1:10: fatal error: zlib.h: No such file or directory", "zlib.h"),
            ("undefined reference to `compress'", "compress"),
            ("no required module provides package github.com/x/y; to add it:", "github.com.x.y"),
            ("unresolved import `serde::Foo`", "serde::Foo"),
            ("fixture 'db' not found", "db"),
        ] {
            assert_eq!(named(message, "test").as_deref(), Some(name), "{message}");
        }
        assert_eq!(named("assert 1 == 2", ""), None);
        assert_eq!(named("Cannot find module './y'", "lib/z").as_deref(), Some("lib/z/y"));
    }
}
