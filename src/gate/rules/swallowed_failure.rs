//! Failures that are caught and dropped, so that a check says yes whatever happens.

use super::{Rule, finding, quote};
use crate::evidence::{Finding, Weight};
use crate::gate::language::Language;
use crate::gate::pattern::{Pattern, patterns};
use crate::gate::view::{Reading, Tally, Version, View};

pub(super) static RULE: Rule = Rule {
    name: "swallowed-failure",
    about: "A failure is caught and dropped, or an exit code is forced to success",
    why: "Blocks in tests and in commands: the check can no longer fail. In sources it is shown: to catch may be the fix.",
    check,
};

patterns! {
    EXIT = r"\b(?:os\._exit|sys\.exit|process\.exit|std::process::exit|process::exit|exit|quit|os\.Exit|System\.exit)\s*\(\s*0?\s*\)";
    RUST = r"\bcatch_unwind\b|\bpanic::set_hook\b";
    PYTHON = r"\bpytest_(?:runtest_makereport|runtest_protocol|runtest_call|collection_modifyitems|sessionfinish|pyfunc_call|report_teststatus|exception_interact|ignore_collect|deselected)\b|\bexcept\s+(?:\(?[\w., ]*\b)?AssertionError\b|\bcontextlib\.suppress\s*\(|\.outcome\s*=|\bexitstatus\s*=|^\s*except\s*:|^\s*except\s+(?:Base)?Exception\b";
    JAVASCRIPT = r"\bcatch\s*(?:\([^)]*\))?\s*\{|\.catch\s*\(\s*\(?\w*\)?\s*=>\s*(?:\{\s*\}|undefined|null)|\bprocess\.exitCode\s*=|\bprocess\.on\s*\(\s*[\x22\x27]";
    BRACES = r"\bcatch\s*\([^)]*\)\s*\{|\brecover\s*\(\s*\)";
    COMMAND = r"\|\|\s*(?:true|:|exit\s+0|echo\b)|;\s*(?:true|exit\s+0)\s*(?:[\x22\x27]|$)|^\s*set\s+\+e\b|\bcontinue-on-error\s*:\s*true|--passWithNoTests|--pass-with-no-tests|--exit-zero\b|--no-error-on-unmatched-pattern|--suppress-tests-failed-exit-code";
    EQUALITY = r"def\s+__eq__\s*\([^)]*\)[^:]*:\s*return\s+True|fn\s+eq\s*\([^)]*\)\s*->\s*bool\s*\{\s*true\s*\}|def\s+__bool__\s*\([^)]*\)[^:]*:\s*return\s+True";
    SILENT = r"\bcatch\s*(?:\([^)]*\))?\s*\{\s*\}";
}

fn check(view: &View<'_>) -> Vec<Finding> {
    let (before, after) = (tally(view, false), tally(view, true));
    let fresh = |file: usize, line: usize| view.files[file].added().any(|added| added == line);
    let mut findings = Vec::new();
    for (key, at, line) in after.beyond(&before, &fresh) {
        let file = &view.files[at];
        let (weight, text) = match key.split_once(' ') {
            Some(("show", text)) => (Weight::Show, text),
            Some((_, text)) => (Weight::Block, text),
            None => continue,
        };
        // A new test takes nothing away by what it catches; only an exit would take the others with it.
        let weight = if in_new_test(view, at, line) && !EXIT.is_match(text) { Weight::Show } else { weight };
        findings.push(finding(
            &RULE,
            file,
            Some(line),
            format!("failures may be swallowed by {}", quote(text)),
            weight,
        ));
    }
    findings
}

fn in_new_test(view: &View<'_>, at: usize, line: usize) -> bool {
    let version = &view.files[at].after;
    let test = version.test_at(line);
    let which = version.functions.iter().position(|function| Some(function) == test);
    which.is_some_and(|which| view.pairing.new.contains(&(at, which)))
}

/// Suspicious places of one version of each file, keyed by weight and text.
fn tally(view: &View<'_>, after: bool) -> Tally {
    let mut tally = Tally::default();
    for (at, file) in view.files.iter().enumerate() {
        let version = file.version(after);
        for line in file.own_lines(after) {
            let code = version.code_line(line);
            let in_test = file.test_path || version.test_at(line).is_some();
            let found = test_pattern(file.language).and_then(|pattern| pattern.find(code));
            if let Some(found) = found.filter(|_| in_test).or_else(|| EXIT.find(code).filter(|_| in_test)) {
                tally.note(format!("block {}", found.as_str().trim()), at, line);
            }
        }
        if is_command_file(file) {
            for line in file.own_lines(after) {
                let text = version.lines.get(line).copied().unwrap_or_default();
                if let Some(found) = COMMAND.find(text) {
                    tally.note(format!("block {}", found.as_str().trim()), at, line);
                }
            }
        }
        for (pattern, weight) in [(&EQUALITY, "block"), (&SILENT, "show")] {
            for found in
                pattern.find_iter(&version.masked.code).filter(|_| !file.test_path && file.language != Language::Hash)
            {
                let text = found.as_str().split_whitespace().collect::<Vec<_>>().join(" ");
                let skip = found.as_str().len() - found.as_str().trim_start().len();
                tally.note(format!("{weight} {text}"), at, version.line_of(found.start() + skip));
            }
        }
        lines_of_except_pass(file, version, at, &mut tally);
    }
    tally
}

/// `except …:` and `pass` on the next line, which a pattern over one line does not see.
fn lines_of_except_pass(file: &Reading<'_>, version: &Version<'_>, at: usize, tally: &mut Tally) {
    if file.language != Language::Python || file.test_path {
        return;
    }
    let lines: Vec<&str> = version.masked.code.lines().map(str::trim).collect();
    for (line, pair) in lines.windows(2).enumerate() {
        if pair[0].starts_with("except") && pair[0].ends_with(':') && matches!(pair[1], "pass" | "..." | "continue") {
            tally.note(format!("show {} {}", pair[0], pair[1]), at, line);
        }
    }
}

fn test_pattern(language: Language) -> Option<&'static Pattern> {
    Some(match language {
        Language::Rust => &RUST,
        Language::Python => &PYTHON,
        Language::JavaScript => &JAVASCRIPT,
        Language::Go | Language::Jvm | Language::Braces => &BRACES,
        _ => return None,
    })
}

/// Files whose lines are commands of a build or a check.
fn is_command_file(file: &Reading<'_>) -> bool {
    let name = file.path.file_name();
    matches!(
        name,
        "Makefile"
            | "makefile"
            | "GNUmakefile"
            | "justfile"
            | "Justfile"
            | "package.json"
            | "tox.ini"
            | "noxfile.py"
            | "Taskfile.yml"
            | "pyproject.toml"
            | "Rakefile"
            | "composer.json"
    ) || matches!(file.path.extension(), Some("sh" | "bash" | "mk"))
}

#[cfg(test)]
mod tests {
    use crate::gate::testing::{blocks, passes, shown};

    #[test]
    fn a_test_that_catches_its_own_assertion_blocks() {
        let before = "def test_a():\n    assert f() == 1\n";
        let after = "def test_a():\n    try:\n        assert f() == 1\n    except AssertionError:\n        pass\n";
        blocks("swallowed-failure", &[("tests/test_a.py", before, after)]);
        let rust = "#[test]\nfn a() { assert_eq!(f(), 1); }\n";
        blocks(
            "swallowed-failure",
            &[(
                "src/a.rs",
                rust,
                "#[test]\nfn a() { let _ = std::panic::catch_unwind(|| { assert_eq!(f(), 1); }); }\n",
            )],
        );
    }

    #[test]
    fn hooks_that_rewrite_outcomes_and_forced_exits_block() {
        blocks(
            "swallowed-failure",
            &[(
                "tests/conftest.py",
                "import os\n",
                "import os\n\n@pytest.hookimpl(hookwrapper=True)\ndef pytest_runtest_makereport(item, call):\n    outcome = yield\n",
            )],
        );
        blocks("swallowed-failure", &[("tests/test_a.py", "import os\n", "import os\nos._exit(0)\n")]);
        blocks("swallowed-failure", &[("Makefile", "test:\n\tpytest\n", "test:\n\tpytest || true\n")]);
        blocks(
            "swallowed-failure",
            &[(
                "package.json",
                "{\"scripts\": {\"test\": \"jest\"}}\n",
                "{\"scripts\": {\"test\": \"jest || exit 0\"}}\n",
            )],
        );
    }

    #[test]
    fn an_equality_that_is_always_true_blocks() {
        let before = "class A:\n    def __eq__(self, other):\n        return self.x == other.x\n";
        blocks(
            "swallowed-failure",
            &[("a.py", before, "class A:\n    def __eq__(self, other):\n        return True\n")],
        );
    }

    #[test]
    fn a_silent_handler_in_a_source_is_shown() {
        let after = "def f():\n    try:\n        g()\n    except OSError:\n        pass\n";
        assert_eq!(shown(&[("a.py", "def f():\n    g()\n", after)]), ["swallowed-failure"]);
    }

    #[test]
    fn a_handler_that_acts_and_an_exit_of_a_program_pass() {
        passes(&[(
            "a.py",
            "def f():\n    g()\n",
            "def f():\n    try:\n        g()\n    except OSError as error:\n        raise Failure from error\n",
        )]);
        passes(&[("src/main.rs", "fn main() {}\n", "fn main() { std::process::exit(0) }\n")]);
        passes(&[("Makefile", "test:\n\tpytest\n", "test:\n\tpytest -q\n")]);
    }
}
