//! Comments and attributes that silence a linter, a compiler, a type checker or coverage.

use super::{Rule, finding, quote};
use crate::evidence::{Finding, Weight};
use crate::gate::language::Language;
use crate::gate::pattern::patterns;
use crate::gate::view::{Reading, Tally, Version, View};

pub(super) static RULE: Rule = Rule {
    name: "new-suppression",
    about: "A diagnostic is silenced instead of mended",
    why: "Blocks: the fault stays, only its message goes. Suppressions that move, narrow or go are no finding; a cast to `any` is shown.",
    check,
};

patterns! {
    /// Attributes of code, with their arguments.
    RUST = r"#!?\[\s*(?:cfg_attr\([^,\]]*,\s*)?(?:allow|expect|warn)\s*\(([^)\]]*)\)|#!?\[\s*(rustfmt::skip|rustfmt_skip)";
    JVM = r"@(?:file:)?Suppress(?:Warnings|Lint|FBWarnings)?\s*(?:\(([^)]*)\))?|#pragma\s+warning\s+(disable[^\n]*)";
    BRACES = r"#\s*pragma\s+(?:GCC|clang|warning|diag_suppress)[^\n]*(?:ignored|disable|diag_suppress|push)([^\n]*)|\b(?:__attribute__\(\(unused\)\)|\[\[maybe_unused\]\])";
    ANY = r"\bas\s+(?:any|unknown\s+as)\b|:\s*any\b";
    /// Words in comments, each with what follows them.
    COMMENT = r"(?i)(?:#|//|/\*)\s*(?:(noqa|ruff:\s*noqa|flake8:\s*noqa|type:\s*ignore|mypy:\s*(?:ignore-errors|disable-error-code|allow-[\w-]+)|pyright:\s*(?:ignore|basic)|pyre-(?:ignore|fixme)[\w-]*|ty:\s*ignore|pylint:\s*(?:disable|skip-file)[\w-]*|nosec|nosemgrep|fmt:\s*(?:off|skip)|yapf:\s*disable|isort:\s*skip\w*|pragma:\s*no\s*cover|eslint-disable[\w-]*|eslint\s|@ts-(?:ignore|expect-error|nocheck)|tslint:disable[\w-]*|biome-ignore[\w-]*|deno-lint-ignore[\w-]*|oxlint-disable[\w-]*|prettier-ignore|istanbul\s+ignore|[cv]8\s+ignore|stylelint-disable[\w-]*|jshint\s+ignore|nolint|#nosec|lint:ignore|rubocop:\s*(?:disable|todo)|shellcheck\s+disable|swiftlint:disable[\w:]*|phpcs:(?:ignore|disable)|@phpstan-ignore[\w-]*|@psalm-suppress|NOLINT\w*|cppcheck-suppress\w*|NOPMD|NOSONAR|checkstyle:off|noinspection|ktlint-disable|coverity\[|LCOV_EXCL\w*|cargo-deny|zizmor:\s*ignore|yamllint\s+disable|hadolint\s+ignore|bandit:))([^\n]*)";
    SPLIT = r"[,\s()\[\]=;]+";
}

fn check(view: &View<'_>) -> Vec<Finding> {
    let (before, after) = (tally(view, false), tally(view, true));
    let fresh = |file: usize, line: usize| view.files[file].added().any(|added| added == line);
    let (mut narrowed, mut findings) = (blanket(&before, &after), Vec::new());
    for (key, at, line) in after.beyond(&before, &fresh) {
        let family = key.split('\u{1f}').next().unwrap_or_default();
        // A blanket suppression that became one for a single rule is stricter than before.
        if let Some(left) = narrowed.iter_mut().find(|(name, left)| name == family && *left > 0) {
            left.1 -= 1;
            continue;
        }
        let weight = if family == "any" { Weight::Show } else { Weight::Block };
        let text = key.replace('\u{1f}', " ");
        findings.push(finding(
            &RULE,
            &view.files[at],
            Some(line),
            format!("a diagnostic is silenced: {}", quote(&text)),
            weight,
        ));
    }
    findings
}

/// Blanket suppressions that went, by family.
fn blanket(before: &Tally, after: &Tally) -> Vec<(String, usize)> {
    let mut counts: Vec<(String, usize)> = Vec::new();
    for (key, ..) in before.beyond(after, &|_, _| true) {
        if let Some(family) = key.strip_suffix("\u{1f}*") {
            match counts.iter_mut().find(|(name, _)| name == family) {
                Some((_, count)) => *count += 1,
                None => counts.push((family.to_owned(), 1)),
            }
        }
    }
    counts
}

fn tally(view: &View<'_>, after: bool) -> Tally {
    let mut tally = Tally::default();
    for (at, file) in view.files.iter().enumerate().filter(|(_, file)| file.language != Language::Plain) {
        let version = file.version(after);
        attributes(file, version, at, &mut tally);
        for line in file.own_lines(after) {
            let comment = version.comment_line(line);
            let Some(found) = COMMENT.captures(comment) else { continue };
            let word = found.get(1).map_or("", |word| word.as_str()).to_ascii_lowercase();
            let word = word.split_whitespace().collect::<String>();
            for rule in rules_named(found.get(2).map_or("", |rest| rest.as_str())) {
                tally.note(format!("{word}\u{1f}{rule}"), at, line);
            }
        }
    }
    tally
}

fn attributes(file: &Reading<'_>, version: &Version<'_>, at: usize, tally: &mut Tally) {
    let (pattern, family) = match file.language {
        Language::Rust => (&RUST, "allow"),
        Language::Jvm => (&JVM, "suppress"),
        Language::Braces => (&BRACES, "pragma"),
        Language::JavaScript => (&ANY, "any"),
        _ => return,
    };
    for found in pattern.captures_iter(&version.masked.code) {
        let Some(whole) = found.get(0) else { continue };
        if file.language == Language::Rust && whole.as_str().contains("warn") {
            continue;
        }
        let line = version.line_of(whole.start());
        // Names stand in strings in some languages, so the text itself is read.
        let arguments = found.get(1).or_else(|| found.get(2));
        let arguments = arguments.and_then(|found| version.text.get(found.range())).unwrap_or_default();
        let arguments = arguments.split("reason").next().unwrap_or_default();
        for rule in rules_named(arguments) {
            tally.note(format!("{family}\u{1f}{rule}"), at, line);
        }
    }
}

/// The rules that a suppression names; `*` when it names none.
fn rules_named(text: &str) -> Vec<String> {
    let text = text.split("--").next().unwrap_or_default();
    let words: Vec<String> = SPLIT
        .split(text)
        .map(|word| word.trim_matches(['"', '\'', '*', '/', '{', '}', ':']))
        .filter(|word| word.len() > 1 && word.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '@'))
        .take(8)
        .map(str::to_owned)
        .collect();
    if words.is_empty() { vec!["*".to_owned()] } else { words }
}

#[cfg(test)]
mod tests {
    use crate::gate::testing::{blocks, judged, passes, shown};

    #[test]
    fn every_way_to_silence_blocks() {
        for (path, line) in [
            ("src/a.rs", "#[allow(dead_code)]\nfn f() {}\n"),
            ("src/a.rs", "#![allow(clippy::all)]\n"),
            ("src/a.rs", "#[expect(dead_code, reason = \"x\")]\nfn f() {}\n"),
            ("src/a.rs", "#[cfg_attr(feature = \"x\", allow(unused))]\nfn f() {}\n"),
            ("a.py", "import os  # noqa: F401\n"),
            ("a.py", "x: int = 'a'  # type: ignore[assignment]\n"),
            ("a.py", "# pylint: disable=unused-import\n"),
            ("a.py", "def f():  # pragma: no cover\n    pass\n"),
            ("a.ts", "// @ts-ignore\nf()\n"),
            ("a.ts", "// @ts-expect-error later\nf()\n"),
            ("a.js", "/* eslint-disable no-undef */\n"),
            ("a.js", "f() // eslint-disable-line\n"),
            ("a.go", "f() //nolint:errcheck\n"),
            ("a.cpp", "int x = f(); // NOLINT\n"),
            ("A.java", "@SuppressWarnings(\"unchecked\")\nclass A {}\n"),
            ("a.cs", "#pragma warning disable CS0168\n"),
        ] {
            blocks("new-suppression", &[(path, "\n", line)]);
        }
    }

    #[test]
    fn the_line_is_that_of_the_suppression() {
        let found = judged(&[("a.py", "import os\nimport sys\n", "import os\nimport sys  # noqa\n")]);
        assert_eq!((found.len(), found[0].line), (1, Some(2)));
    }

    #[test]
    fn removing_moving_and_narrowing_pass() {
        passes(&[("src/a.rs", "#[allow(dead_code)]\nfn f() {}\n", "fn f() {}\n")]);
        passes(&[(
            "src/a.rs",
            "#[allow(dead_code)]\nfn f() {}\n",
            "#[expect(dead_code, reason = \"x\")]\nfn f() {}\n",
        )]);
        passes(&[("a.py", "import os  # noqa\n", "import os  # noqa: F401\n")]);
        passes(&[("a.py", "import os  # noqa: F401\n", "\n"), ("b.py", "\n", "import os  # noqa: F401\n")]);
    }

    #[test]
    fn another_rule_in_a_list_blocks() {
        blocks(
            "new-suppression",
            &[("src/a.rs", "#[allow(dead_code)]\nfn f() {}\n", "#[allow(dead_code, unused)]\nfn f() {}\n")],
        );
        blocks("new-suppression", &[("a.py", "import os  # noqa: F401\n", "import os  # noqa\n")]);
    }

    #[test]
    fn words_in_strings_and_documents_pass_and_casts_are_shown() {
        passes(&[("src/a.rs", "fn f() {}\n", "/// Say `#[allow(dead_code)]`.\nfn f() { g(\"#[allow(x)]\") }\n")]);
        passes(&[("README.md", "a\n", "Use `# noqa`.\n")]);
        assert_eq!(shown(&[("a.ts", "f(x)\n", "f(x as any)\n")]), ["new-suppression"]);
    }
}
