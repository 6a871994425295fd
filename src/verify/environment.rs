//! What the machine lacks, told from what the project gets wrong.
//!
//! A signature is one row: how it shows, what is missing, and what would help. A module that the tree itself
//! holds is never missing from the machine: that import is the project's own fault, and a real failure.

use std::sync::LazyLock;

use regex::{Captures, Regex};

use crate::sandbox::{End, Finished};
use crate::source::Source;

/// Something that is missing, and what would help.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Missing {
    pub(super) what: String,
    pub(super) hints: Vec<String>,
}

struct Signature {
    /// Its first group is the name of what is missing, where it has one.
    pattern: &'static str,
    what: &'static str,
    hint: &'static str,
    /// Whether the name is a module that the tree may hold.
    module: bool,
}

const PIP: &str = "add to the policy: setup: {run: pip install -r requirements.txt, network: {allow: [registries]}}";
const NPM: &str = "add to the policy: setup: {run: npm ci, network: {allow: [registries]}}";
const CARGO: &str = "add to the policy: setup: {run: cargo fetch --locked, network: {allow: [registries]}}";

/// Whether a way out is to let the set-up reach registries: none where the walls can open no list of hosts.
#[must_use]
pub fn opens_registries(hint: &str) -> bool {
    [PIP, NPM, CARGO].contains(&hint)
}
const NETWORK: &str = "if the command must reach the network, name the hosts in the policy: commands: {NAME: {network: {allow: [\"host:443\"]}}}";
const TOOLCHAIN: &str = "choose one on this machine (rustup default stable), or name it in rust-toolchain.toml";
const INSTALL: &str = "install it on this machine or in the image, or let `setup` bring it";

const SIGNATURES: &[Signature] = &[
    Signature {
        pattern: r"(?:ModuleNotFoundError: |ImportError: )?No module named '?([\w.]+)'?",
        what: "the Python module `{}`",
        hint: PIP,
        module: true,
    },
    Signature {
        pattern: r"unrecognized arguments: [^\n]*(--cov|-n|--asyncio-mode|--timeout|--benchmark|--mypy|--reruns|--xdist)",
        what: "the pytest plugin for `{}`",
        hint: PIP,
        module: false,
    },
    Signature {
        pattern: r"fixture '(mocker|benchmark|httpx_mock|requests_mock|aiohttp_client|freezer|faker|respx_mock|event_loop|snapshot|qtbot|httpserver|testdir|live_server|django_db_setup|db|client)' not found",
        what: "the pytest plugin that brings the fixture `{}`",
        hint: PIP,
        module: false,
    },
    Signature {
        pattern: r"async def functions are not natively supported",
        what: "a pytest plugin for asynchronous tests",
        hint: PIP,
        module: false,
    },
    Signature {
        pattern: r"Unknown config option: (asyncio_mode)",
        what: "the pytest plugin for `{}`",
        hint: PIP,
        module: false,
    },
    Signature {
        pattern: r"(?:requires-python|requires a different Python|Python requirement)[^\n]*?([><=!~]=?\s*3[\d., <>=!~]*)",
        what: "a Python that is {}",
        hint: INSTALL,
        module: false,
    },
    Signature {
        pattern: r"Cannot find (?:module|package) '((?:@[\w.-]+/)?[\w-][\w.-]*)",
        what: "the npm package `{}`",
        hint: NPM,
        module: true,
    },
    Signature {
        pattern: r"(?:sh: (?:\d+: |line \d+: )?)([\w./-]+): (?:command )?not found|(?mi)^[\w./ -]+: (?:line \d+: |\d+: )?([\w./-]+): command not found\r?$|(?m)^zsh: command not found: ([\w./-]+)|(?m)^(?:\S*/)?env: ['‘]?([\w.-]+)['’]?: No such file or directory",
        what: "the program `{}`",
        hint: NPM,
        module: false,
    },
    Signature {
        pattern: r"(?:npm (?:ERR!|error) )(?:network|code E(?:NOTFOUND|CONNREFUSED|AI_AGAIN|NOTCACHED|TARGET))",
        what: "the npm registry",
        hint: NPM,
        module: false,
    },
    Signature {
        pattern: r"error: no matching package named `([^`]+)` found",
        what: "the crate `{}`",
        hint: CARGO,
        module: false,
    },
    Signature {
        pattern: r"failed to (?:download|get|load source for dependency) `([^`]+)`",
        what: "the crate `{}`",
        hint: CARGO,
        module: false,
    },
    Signature {
        pattern: r"attempting to make an HTTP request, but --offline was specified|Unable to update registry `([^`]+)`",
        what: "the crate registry",
        hint: CARGO,
        module: false,
    },
    Signature {
        pattern: r"error: no such command: `([^`]+)`",
        what: "the cargo subcommand `{}`",
        hint: INSTALL,
        module: false,
    },
    Signature {
        pattern: r"rustup could not choose a version of|no default toolchain (?:is )?(?:configured|set)",
        what: "a default Rust toolchain",
        hint: TOOLCHAIN,
        module: false,
    },
    Signature {
        pattern: r"toolchain '([^']+)' is not installed",
        what: "the Rust toolchain `{}`",
        hint: INSTALL,
        module: false,
    },
    Signature {
        pattern: r"'(cargo-\w+|rustfmt|clippy-driver)(?:\.exe)?' is not installed for the toolchain",
        what: "the component `{}`",
        hint: INSTALL,
        module: false,
    },
    Signature { pattern: r"linker `([^`]+)` not found", what: "the linker `{}`", hint: INSTALL, module: false },
    Signature {
        pattern: r"[Tt]he system library `([^`]+)` required by crate|Package '?([\w.+-]+)'?,? (?:required by|was not found)|Could not find directory of (OpenSSL) installation",
        what: "the system library `{}`",
        hint: INSTALL,
        module: false,
    },
    Signature {
        pattern: r"requires rustc ([\d.]+) or newer|requires rustc ([\d.]+)",
        what: "rustc {}",
        hint: INSTALL,
        module: false,
    },
    Signature {
        pattern: r"dial tcp: lookup ([\w.-]+)|module lookup disabled by (GOPROXY=off)",
        what: "the host `{}`",
        hint: NETWORK,
        module: false,
    },
    Signature {
        pattern: r"Could not resolve host:? ([\w.-]+)|getaddrinfo (?:ENOTFOUND|EAI_AGAIN) ([\w.-]+)|Failed to resolve '([\w.-]+)'",
        what: "the host `{}`",
        hint: NETWORK,
        module: false,
    },
    Signature {
        pattern: r"Temporary failure in name resolution|Name or service not known|Network is unreachable|failed to lookup address information",
        what: "the network",
        hint: NETWORK,
        module: false,
    },
    Signature {
        pattern: r"(?:Could not find a version that satisfies the requirement|No matching distribution found for) ([\w.-]+)",
        what: "the Python package `{}`",
        hint: PIP,
        module: false,
    },
    Signature {
        pattern: r"Could not resolve dependencies for project ([\w.:-]+)",
        what: "the dependencies of `{}`",
        hint: NETWORK,
        module: false,
    },
    Signature {
        pattern: r"(?:could not connect to server|Connection refused)[^\n]*(?:5432|3306|6379|27017|9200|5672)",
        what: "a database or another service",
        hint: "services are not started here; run the tests that need none, by a command of their own in the policy",
        module: false,
    },
    Signature {
        pattern: r"No binary for (\w+) browser|Could not find (Chrome|Chromium|Firefox)\b|Executable doesn't exist at \S*?(chrom\w*|firefox|webkit)",
        what: "the browser `{}`",
        hint: INSTALL,
        module: false,
    },
    Signature {
        pattern: r"Cannot connect to the Docker daemon",
        what: "Docker",
        hint: "services are not started here; run the tests that need none, by a command of their own in the policy",
        module: false,
    },
    Signature {
        pattern: r"No space left on device",
        what: "room on the disk",
        hint: "free some, or move the scratch directory",
        module: false,
    },
];

static TABLE: LazyLock<Vec<(Regex, &'static Signature)>> =
    LazyLock::new(|| SIGNATURES.iter().filter_map(|row| Some((Regex::new(row.pattern).ok()?, row))).collect());

static REFUSED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)permission ?denied|PermissionError|read-only file system|not permitted|\b(?:EACCES|EROFS|EPERM)\b")
        .ok()
});

/// What a text says is missing; `None` when it names nothing, or only what the tree itself holds.
pub(super) fn missing_in(text: &str, source: &dyn Source) -> Option<Missing> {
    TABLE.iter().find_map(|(pattern, row)| pattern.captures_iter(text).find_map(|found| lacking(row, &found, source)))
}

fn lacking(row: &Signature, found: &Captures<'_>, source: &dyn Source) -> Option<Missing> {
    let name = found.iter().skip(1).flatten().next().map_or("", |name| name.as_str().trim());
    if row.module && (name.is_empty() || in_tree(name, source)) {
        return None;
    }
    let what = row.what.replace("{}", name).replace(" ``", "");
    Some(Missing { what, hints: vec![row.hint.to_owned()] })
}

/// Whether the tree holds a module of this name: as a file, or as a directory with files.
fn in_tree(module: &str, source: &dyn Source) -> bool {
    let top = module.split('.').next().unwrap_or(module);
    let ends = ["py", "pyi", "pyx", "js", "ts", "mjs", "cjs", "tsx", "jsx"];
    source.files().iter().any(|entry| {
        let path = entry.path.as_str();
        let mut parts = path.split('/').rev();
        let file = parts.next().unwrap_or_default();
        let named = file.split_once('.').is_some_and(|(stem, end)| stem == top && ends.contains(&end));
        // `tests/requests/…` is no package `requests`; a directory counts where source directories lie.
        let directory = path.split('/').position(|part| part == top).is_some_and(|depth| {
            depth == 0 && path.contains('/')
                || depth == 1 && matches!(path.split('/').next(), Some("src" | "lib" | "python" | "packages"))
        });
        named || directory
    })
}

/// What a whole command lacked, when nothing that it showed is a fault of the project.
pub(super) fn missing_for(finished: &Finished, source: &dyn Source) -> Option<Missing> {
    let output = output_of(finished);
    let by_end = match finished.end {
        End::Memory => Some(("memory: the command used more than it may", "raise the memory that commands may use")),
        End::Disk => Some(("disk: the command wrote more than it may", "raise the room that commands may use")),
        End::Processes => {
            Some(("processes: the command started more than it may", "raise the number that commands may start"))
        }
        End::Timeout => {
            Some(("time: the command was stopped at its limit", "raise `timeout` of the command in the policy"))
        }
        End::Code(_) | End::Signal(_) => None,
    };
    if let Some((what, hint)) = by_end {
        return Some(Missing { what: what.to_owned(), hints: vec![hint.to_owned()] });
    }
    missing_in(&output, source).or_else(|| {
        // A program that caught a refusal, and went on to fail for a reason of its own, lacks nothing.
        let ended = ends_refused(&finished.stderr) || ends_refused(&finished.stdout);
        let denied = || finished.denied.iter().filter(|denied| ended || !denied.is_permission());
        let first = denied().next()?;
        let mut hints: Vec<String> = Vec::new();
        for hint in denied().map(|denied| &denied.allow_with) {
            if !hints.contains(hint) {
                hints.push(hint.clone());
            }
        }
        Some(Missing { what: format!("access that the walls refuse: {}", first.wanted), hints })
    })
}

/// Whether the last thing that was said is that a permission was refused; what stands behind an error in a trace does
/// not count.
fn ends_refused(output: &[u8]) -> bool {
    let text = String::from_utf8_lossy(output);
    let aside =
        |line: &&str| line.starts_with([' ', '\t', '}']) || line.starts_with("note:") || line.starts_with("Node.js");
    let last = text.lines().rev().filter(|line| !line.trim().is_empty()).find(|line| !aside(line));
    last.is_some_and(|line| REFUSED.as_ref().is_some_and(|pattern| pattern.is_match(line)))
}

fn output_of(finished: &Finished) -> String {
    format!("{}\n{}", String::from_utf8_lossy(&finished.stdout), String::from_utf8_lossy(&finished.stderr))
}

/// A program that is not there at all.
pub(super) fn program(name: &str) -> Missing {
    Missing { what: format!("the program `{name}`"), hints: vec![INSTALL.to_owned()] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::RepoPath;
    use crate::source::Memory;

    fn what(text: &str, files: &[&str]) -> Option<String> {
        let source = Memory::new(files.iter().map(|path| (RepoPath::new(path).unwrap(), "")));
        missing_in(text, &source).map(|missing| missing.what)
    }

    #[test]
    fn every_signature_is_a_pattern() {
        assert_eq!(TABLE.len(), SIGNATURES.len());
    }

    #[test]
    fn a_foreign_module_is_missing_and_an_own_one_is_a_fault() {
        let text = "E   ModuleNotFoundError: No module named 'requests'\n";
        assert_eq!(
            what(text, &["src/app.py", "tests/requests/test_a.py"]).as_deref(),
            Some("the Python module `requests`")
        );
        assert_eq!(what("No module named 'app.missing'", &["app/__init__.py"]), None);
        assert_eq!(what("No module named 'helpers'", &["tests/helpers.py"]), None);
        assert_eq!(what("Cannot find module './missing'", &[]), None);
        assert_eq!(what("Cannot find module '@scope/x'", &[]).as_deref(), Some("the npm package `@scope/x`"));
    }

    #[test]
    fn what_tools_say_of_registries_and_programs_is_known() {
        for (text, expected) in [
            ("/usr/bin/python3: No module named pytest", "the Python module `pytest`"),
            ("sh: 1: jest: not found", "the program `jest`"),
            ("./ci: line 3: poetry: command not found", "the program `poetry`"),
            ("make: tox: Command not found", "the program `tox`"),
            ("/usr/bin/env: ‘node’: No such file or directory", "the program `node`"),
            (
                "error: rustup could not choose a version of cargo to run, because one wasn't specified explicitly, and no default is configured.",
                "a default Rust toolchain",
            ),
            ("error: no default toolchain configured", "a default Rust toolchain"),
            ("error: toolchain 'nightly-2024-01-01' is not installed", "the Rust toolchain `nightly-2024-01-01`"),
            ("error: no matching package named `serde` found", "the crate `serde`"),
            ("error: no such command: `nextest`", "the cargo subcommand `nextest`"),
            ("error: linker `cc` not found", "the linker `cc`"),
            ("getaddrinfo ENOTFOUND example.org", "the host `example.org`"),
            ("[launcher]: No binary for ChromeHeadless browser on your platform.", "the browser `ChromeHeadless`"),
            ("fixture 'mocker' not found", "the pytest plugin that brings the fixture `mocker`"),
        ] {
            assert_eq!(what(text, &[]).as_deref(), Some(expected));
        }
    }

    fn refused(stderr: &str) -> Option<Missing> {
        let denied = |wanted: &str| crate::sandbox::Denied {
            wanted: wanted.to_owned(),
            allow_with: "none: commands write below the workspace".to_owned(),
        };
        let finished = Finished {
            end: End::Code(1),
            stdout: Vec::new(),
            stderr: stderr.as_bytes().to_vec(),
            truncated: false,
            elapsed: std::time::Duration::ZERO,
            denied: vec![denied("to use /etc/x"), denied("to use /etc/y")],
        };
        missing_for(&finished, &Memory::new([(RepoPath::new("a.py").unwrap(), "")]))
    }

    #[test]
    fn a_refusal_that_was_caught_is_not_why_a_command_failed() {
        assert_eq!(
            refused("warning: PermissionError: [Errno 13] Permission denied: '/etc/x'\n3 checks failed\n"),
            None
        );
    }

    #[test]
    fn a_refusal_that_ended_a_command_is_told_with_each_hint_once() {
        let python = "Traceback (most recent call last):\n  File \"a.py\", line 1, in f\nPermissionError: [Errno 13] Permission denied: '/etc/x'\n";
        let node = "Error: EACCES: permission denied, open '/etc/x'\n    at open (fs.js:1)\n  errno: -13\n}\n\nNode.js v22.1.0\n";
        for text in [python, node] {
            assert_eq!(refused(text).map(|missing| missing.hints.len()), Some(1), "{text}");
        }
    }

    #[test]
    fn an_ordinary_failure_lacks_nothing() {
        assert_eq!(
            what(
                "E  assert 1 == 2\nImportError: cannot import name 'x' from 'app'\nerror[E0308]: mismatched types",
                &["app.py"]
            ),
            None
        );
    }
}
