//! What the parts of a script do, by the programs that they call.

/// What one part of a script does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Does {
    /// Runs tests, or something that only its authors know, which may be the tests.
    Test,
    /// Makes what the tests need.
    Build,
    /// Checks what has nothing to do with behaviour; may fail for reasons of its own, or want a network.
    Check,
}

const CHECKERS: &[&str] = &[
    "alex",
    "arethetypeswrong",
    "attw",
    "audit-ci",
    "biome",
    "bundlesize",
    "c8-check",
    "check-dts",
    "commitlint",
    "cspell",
    "dependency-check",
    "depcheck",
    "dtslint",
    "eclint",
    "editorconfig-checker",
    "eslint",
    "evalmd",
    "gts",
    "jscs",
    "jshint",
    "knip",
    "license-checker",
    "lint-staged",
    "ls-engines",
    "markdownlint",
    "markdownlint-cli2",
    "neostandard",
    "nsp",
    "oxlint",
    "prettier",
    "publint",
    "remark",
    "semistandard",
    "size-limit",
    "snazzy",
    "snyk",
    "standard",
    "stylelint",
    "ts-standard",
    "tsd",
    "tslint",
    "typos",
    "xo",
    "install-changed",
    "template-oss-check",
    "type-coverage",
    "dprint",
    "auto-changelog",
    "safe-publish-latest",
];

const BUILDERS: &[&str] = &[
    "babel",
    "browserify",
    "bunchee",
    "cpy",
    "cpx",
    "del-cli",
    "esbuild",
    "mkdirp",
    "microbundle",
    "ncc",
    "parcel",
    "rimraf",
    "rm",
    "mkdir",
    "cp",
    "rollup",
    "shx",
    "swc",
    "tsc",
    "tsdown",
    "tsup",
    "unbuild",
    "vite",
    "webpack",
    "tshy",
    "zshy",
    "duel",
    "node-gyp",
    "prebuildify",
    "napi",
];

const RUNNERS: &[&str] = &[
    "ava",
    "borp",
    "cypress",
    "jasmine",
    "jest",
    "karma",
    "lab",
    "mocha",
    "node-tap",
    "playwright",
    "qunit",
    "tap",
    "tape",
    "taper",
    "tst",
    "uvu",
    "vitest",
    "xv",
    "bare",
    "brittle",
    "zora",
    "pta",
    "poku",
    "egg-bin",
    "mochify",
    "ts-mocha",
    "electron-mocha",
    "tap-mocha-reporter",
    "testem",
    "wtr",
    "web-test-runner",
    "lb-mocha",
];

/// Programs that only call the next.
const WRAPPERS: &[&str] = &[
    "npx",
    "nyc",
    "c8",
    "istanbul",
    "cross-env",
    "cross-env-shell",
    "env",
    "exec",
    "time",
    "dotenv",
    "is-ci",
    "--",
    "yarn",
    "pnpm",
    "npm",
    "concurrently",
];

impl Does {
    /// What a part without `&&` does.
    pub(super) fn of(part: &str) -> Self {
        let words: Vec<&str> = part.split_whitespace().map(|word| word.trim_matches(['"', '\'', '(', ')'])).collect();
        if words.iter().any(|word| is_program(word, RUNNERS)) {
            return Self::Test;
        }
        if words.contains(&"audit") {
            return Self::Check;
        }
        let Some(program) = words.iter().find(|word| !is_wrapping(word)) else { return Self::Test };
        match program {
            // The whole set of a script collection: it formats and checks types before it tests.
            &"ts-scripts" if words.last() != Some(&"specs") => Self::Check,
            &"tsc" if words.contains(&"--noEmit") => Self::Check,
            &"echo" | &"true" | &":" => Self::Build,
            program if is_program(program, CHECKERS) => Self::Check,
            program if is_program(program, BUILDERS) => Self::Build,
            _ => Self::Test,
        }
    }
}

/// A part from the runner on: coverage wrappers fail on thresholds, which are no tests.
pub(super) fn unwrapped(part: &str) -> &str {
    let mut at = 0;
    for word in part.split(' ') {
        if matches!(word, "nyc" | "c8") {
            let rest = &part[at + word.len()..];
            let start = rest.split(' ').scan(0, |from, word| {
                let here = *from;
                *from += word.len() + 1;
                Some((here, word))
            });
            let runner = start.into_iter().find(|(_, word)| is_program(word, RUNNERS) || *word == "node");
            return runner.map_or(part, |(from, _)| &rest[from..]);
        }
        at += word.len() + 1;
    }
    part
}

fn is_program(word: &str, known: &[&str]) -> bool {
    let name = word.rsplit('/').next().unwrap_or(word);
    let name = name.strip_suffix(".js").unwrap_or(name);
    let bare = name.split_once('@').map_or(name, |(bare, _)| if bare.is_empty() { name } else { bare });
    // A path that is no program of a package is the project's own file.
    known.contains(&bare) && (!word.contains('/') || word.contains("node_modules/"))
}

fn is_wrapping(word: &str) -> bool {
    let assignment =
        word.split_once('=').is_some_and(|(name, _)| name.chars().all(|c| c.is_ascii_uppercase() || c == '_'));
    assignment || word.starts_with('-') || WRAPPERS.contains(&word)
}
