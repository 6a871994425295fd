//! Configuration of test runners that leaves tests out.

use super::{Rule, finding, quote};
use crate::evidence::{Finding, Weight};
use crate::gate::pattern::patterns;
use crate::gate::settings::{changed, line_of};
use crate::gate::view::{Reading, View};

pub(super) static RULE: Rule = Rule {
    name: "test-config",
    about: "A test runner is told to run fewer tests, or none",
    why: "Blocks: tests that are not selected cannot fail.",
    check,
};

patterns! {
    /// Keys that choose tests: any other value may leave some out.
    CHOOSES = r"(?i)(?:pytest[\w.]*|^tool:pytest)\.(?:addopts|testpaths|norecursedirs|python_files|python_classes|python_functions|collect_ignore\w*|markers|xfail_strict|required_plugins|usefixtures)|(?:^|\.)(?:jest\.)?(?:testPathIgnorePatterns|testMatch|testRegex|roots|testRunner|testNamePattern|modulePathIgnorePatterns|testPathPattern|bail|passWithNoTests)(?:\[\]|$)|default-filter|(?:^|\.)autotests$|(?:^lib|^test\[[^\]]*\]|^bin\[[^\]]*\])\.(?:test|doctest|harness|required-features)|scripts\.(?:pre|post)?test(?::\w+)?$|(?:^|\.)(?:mocha|ava|tap|vitest|nyc)\.(?:spec|ignore|grep|fgrep|exclude|files)|^workspace\.(?:exclude|members)\[\]|^testenv[^.]*\.commands";
    /// Words of options that leave tests out.
    DESELECTS = r"(?:^|\s)(?:-k|-m|--ignore(?:-glob)?|--deselect|--skip|-x|--maxfail|--exitfirst|--lf|--collect-only|--co|-p\s+no:|--testPathIgnorePatterns|--no-run|--exclude|-run|-short|--filter|--passWithNoTests|--dry-run|--lib|--bins|--doc)\b|-p\s+no:|^\s*(?:true|:|echo\b.*|exit 0)\s*$";
    /// Python's own option, which chooses a program and no tests.
    MODULE = r"\b(?:python[\d.]*|py|run)\s+-m\s+";
    HARMLESS = r"^(?:-q|-qq|-v|-vv|-ra|-rA|--tb=\w+|--strict\w*|--durations=\d+|--color=\w+|\s)+$";
    SCRIPTS = r"(?i)(?:^|/)(?:jest|vitest|vite|karma|playwright|cypress|mocha|wdio)\.(?:config|conf|setup)\.\w+$|(?:^|/)\.mocharc[\w.]*$|(?:^|/)(?:noxfile|conftest)\.py$|(?:^|/)(?:Makefile|makefile|GNUmakefile|justfile|Justfile)$|\.mk$|(?:^|/)(?:pytest\.ini|\.?nextest\.toml)$|(?:^|/)(?:scripts?|ci|bin)/[\w.-]*test[\w.-]*$|\.sh$";
    LINE = r"(?i)collect_ignore|testPathIgnorePatterns|\bexclude\s*[:=]|testNamePattern|\bgrep\s*:|--deselect|--ignore\b|--testPathIgnorePatterns|passWithNoTests|default-filter|pytest[^|\n]*\s(?:-k|-m|--maxfail|-x)\b|cargo\s+(?:nextest\s+run|test)[^|\n]*--(?:\s.*--skip|exclude|no-run)|--skip\b|go\s+test[^|\n]*-(?:run|skip|short)\b|\bpytest_(?:collection_modifyitems|ignore_collect|collect_file|deselected|pycollect_makeitem)\b";
    FILES = r"(?i)(?:^|/)(?:pyproject\.toml|setup\.cfg|tox\.ini|pytest\.ini|\.pytest\.ini|Cargo\.toml|package\.json|jest\.config\.json|\.mocharc\.(?:json|ya?ml)|nextest\.toml)$";
}

fn check(view: &View<'_>) -> Vec<Finding> {
    view.files
        .iter()
        .flat_map(|file| {
            let mut findings = by_settings(view, file);
            if SCRIPTS.is_match(file.path.as_str()) && findings.is_empty() {
                findings = by_lines(file);
            }
            findings
        })
        .collect()
}

fn by_settings(view: &View<'_>, file: &Reading<'_>) -> Vec<Finding> {
    if !FILES.is_match(file.path.as_str()) || file.hunks.is_empty() {
        return Vec::new();
    }
    let Some(changes) = changed(file) else { return Vec::new() };
    let relevant = |key: &str| CHOOSES.is_match(key) || (is_pytest_ini(file) && key.starts_with("pytest."));
    let mut findings = Vec::new();
    for (key, value) in changes.added.iter().filter(|(key, _)| relevant(key)) {
        let was = changes.removed.iter().find(|(other, _)| other == key).map(|(_, value)| value.as_str());
        if leaves_out(key, was, value) {
            let line = line_of(&file.after, key, value);
            findings.push(finding(
                &RULE,
                file,
                line,
                format!("`{}` is now {}", key.trim_end_matches("[]"), quote(value)),
                Weight::Block,
            ));
        }
    }
    for (key, value) in changes.removed.iter().filter(|(key, _)| narrows_when_removed(key)) {
        let replaced = changes.added.iter().any(|(other, _)| other == key) && !key.ends_with("[]");
        let gone_member = key == "workspace.members[]"
            && view.files.iter().any(|f| f.change.after.is_none() && f.path.as_str().starts_with(value));
        if !replaced && !gone_member {
            findings.push(finding(
                &RULE,
                file,
                None,
                format!("`{}` loses {}", key.trim_end_matches("[]"), quote(value)),
                Weight::Block,
            ));
        }
    }
    findings
}

fn is_pytest_ini(file: &Reading<'_>) -> bool {
    file.path.file_name().ends_with("pytest.ini")
}

fn leaves_out(key: &str, was: Option<&str>, value: &str) -> bool {
    let name = key.trim_end_matches("[]").rsplit('.').next().unwrap_or(key);
    match name {
        "addopts" | "commands" => new_words(was.unwrap_or_default(), value),
        name if name.starts_with("test") && key.contains("scripts.") => {
            was.is_some_and(|was| was != value && (new_words(was, value) || !shares_runner(was, value)))
        }
        "pretest" | "posttest" => new_words(was.unwrap_or_default(), value),
        "autotests" | "test" | "doctest" | "harness" | "xfail_strict" => value == "false",
        "members" | "markers" | "usefixtures" | "required_plugins" | "testpaths" | "roots" => {
            was.is_some() && name != "members" && name != "markers"
        }
        _ => true,
    }
}

/// Whether options that leave tests out came in.
fn new_words(was: &str, is: &str) -> bool {
    let count = |text: &str| DESELECTS.find_iter(&MODULE.replace_all(text, "")).count();
    !HARMLESS.is_match(is) && count(is) > count(was)
}

/// Whether a script still starts the program that it started before.
fn shares_runner(was: &str, is: &str) -> bool {
    let first =
        |text: &str| text.split_whitespace().find(|word| !word.contains('=') && *word != "npx").map(str::to_owned);
    first(was).is_some_and(|runner| is.split_whitespace().any(|word| word == runner))
}

fn narrows_when_removed(key: &str) -> bool {
    [
        "testpaths",
        "testpaths[]",
        "workspace.members[]",
        "roots[]",
        "testMatch[]",
        "python_files",
        "python_files[]",
        "python_functions",
        "python_classes",
    ]
    .iter()
    .any(|end| key == *end || key.ends_with(&format!(".{end}")))
        || (key.starts_with("test[") && (key.ends_with("].name") || key.ends_with("].path")))
}

fn by_lines(file: &Reading<'_>) -> Vec<Finding> {
    let known: Vec<&str> = file
        .removed()
        .filter_map(|line| file.before.lines.get(line))
        .filter_map(|line| LINE.find(line))
        .map(|m| m.as_str())
        .collect();
    file.added()
        .filter_map(|line| {
            let text = file.after.lines.get(line)?;
            let comment = file.after.comment_line(line).trim();
            let text = if comment.is_empty() { *text } else { text.split(comment).next().unwrap_or_default() };
            let found = LINE.find(text).filter(|found| !known.contains(&found.as_str()))?;
            Some(finding(
                &RULE,
                file,
                Some(line),
                format!("tests may be left out by {}", quote(found.as_str())),
                Weight::Block,
            ))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use crate::gate::testing::{blocked, blocks, passes};

    #[test]
    fn options_that_leave_tests_out_block() {
        let toml = |options: &str| format!("[tool.pytest.ini_options]\naddopts = \"{options}\"\n");
        blocks("test-config", &[("pyproject.toml", &toml("-q"), &toml("-q -k 'not slow'"))]);
        blocks("test-config", &[("pyproject.toml", &toml("-q"), &toml("-q --deselect tests/test_a.py::test_x"))]);
        blocks(
            "test-config",
            &[("pytest.ini", "[pytest]\naddopts = -q\n", "[pytest]\naddopts = -q --ignore=tests/test_a.py\n")],
        );
        blocks("test-config", &[("tests/conftest.py", "import os\n", "import os\ncollect_ignore = ['test_a.py']\n")]);
        blocks(
            "test-config",
            &[("package.json", "{\"jest\": {}}\n", "{\"jest\": {\"testPathIgnorePatterns\": [\"a.test.js\"]}}\n")],
        );
        blocks(
            "test-config",
            &[("package.json", "{\"scripts\": {\"test\": \"jest\"}}\n", "{\"scripts\": {\"test\": \"echo ok\"}}\n")],
        );
        blocks(
            "test-config",
            &[("jest.config.js", "module.exports = {}\n", "module.exports = { testPathIgnorePatterns: ['a'] }\n")],
        );
    }

    #[test]
    fn cargo_targets_and_nextest_filters_block() {
        blocks(
            "test-config",
            &[("Cargo.toml", "[package]\nname = \"a\"\n", "[package]\nname = \"a\"\n[lib]\ntest = false\n")],
        );
        blocks(
            "test-config",
            &[("Cargo.toml", "[package]\nname = \"a\"\n", "[package]\nname = \"a\"\nautotests = false\n")],
        );
        blocks(
            "test-config",
            &[(
                ".config/nextest.toml",
                "[profile.default]\nfail-fast = true\n",
                "[profile.default]\nfail-fast = true\ndefault-filter = \"not test(a)\"\n",
            )],
        );
        blocks("test-config", &[("Makefile", "test:\n\tcargo test\n", "test:\n\tcargo test -- --skip a\n")]);
    }

    #[test]
    fn options_that_leave_nothing_out_pass() {
        let toml = |options: &str| format!("[tool.pytest.ini_options]\naddopts = \"{options}\"\n");
        passes(&[("pyproject.toml", &toml("-q"), &toml("-q --tb=short"))]);
        passes(&[(
            "package.json",
            "{\"scripts\": {\"test\": \"jest\"}}\n",
            "{\"scripts\": {\"test\": \"jest --verbose\"}}\n",
        )]);
        assert!(
            blocked(&[("Cargo.toml", "[workspace]\nmembers = [\"a\"]\n", "[workspace]\nmembers = [\"a\", \"b\"]\n")])
                .is_empty()
        );
    }
}
