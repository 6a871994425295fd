//! Retries around tests.

use super::{Rule, finding, quote};
use crate::evidence::{Finding, Weight};
use crate::gate::pattern::patterns;
use crate::gate::view::{Tally, View};

pub(super) static RULE: Rule = Rule {
    name: "added-retries",
    about: "Tests are retried until they pass",
    why: "Blocks: a retried test hides the failure that it should show.",
    check,
};

patterns! {
    RETRY = r"@pytest\.mark\.flaky|@flaky\b|@(?:retry|tenacity\.retry|backoff\.\w+)\b|--reruns\b|\breruns\s*[=:]\s*[1-9]|\bjest\.retryTimes\s*\(|\bthis\.retries\s*\(|\bretries\s*[:=]\s*[1-9]|\bretry\s*:\s*[1-9]|@RetryingTest|@RepeatedIfExceptionsTest|\[Retry\b|rspec-retry|--flaky\w*|--retries\b|\bflaky_test\s*=|#\[(?:flaky_test|retry)\b|retry_count\s*[=:]\s*[1-9]";
}

fn check(view: &View<'_>) -> Vec<Finding> {
    let tally = |after: bool| {
        let mut tally = Tally::default();
        for (at, file) in view.files.iter().enumerate() {
            let version = file.version(after);
            for line in file.own_lines(after) {
                let code = version.code_line(line);
                let relevant =
                    file.test_path || version.test_at(line).is_some() || is_configuration(file.path.as_str());
                // Options stand in strings of configuration files.
                let searched = if is_configuration(file.path.as_str()) {
                    version.lines.get(line).copied().unwrap_or(code)
                } else {
                    code
                };
                if let Some(found) = RETRY.find(searched).filter(|_| relevant) {
                    tally.note(found.as_str().to_owned(), at, line);
                }
            }
        }
        tally
    };
    let fresh = |file: usize, line: usize| view.files[file].added().any(|added| added == line);
    let found = tally(true).beyond(&tally(false), &fresh).into_iter();
    found
        .map(|(text, at, line)| {
            finding(&RULE, &view.files[at], Some(line), format!("tests are retried: {}", quote(&text)), Weight::Block)
        })
        .collect()
}

fn is_configuration(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    ["pyproject.toml", "setup.cfg", "tox.ini", "pytest.ini", "nextest.toml", "package.json", "Makefile", "justfile"]
        .contains(&name)
        || [".config.js", ".config.ts", ".config.mjs", ".config.cjs"].iter().any(|end| name.ends_with(end))
        || name.starts_with(".mocharc")
}

#[cfg(test)]
mod tests {
    use crate::gate::testing::{blocks, passes};

    #[test]
    fn retries_block() {
        let py = "def test_a():\n    assert f() == 1\n";
        blocks("added-retries", &[("tests/test_a.py", py, &format!("@pytest.mark.flaky(reruns=3)\n{py}"))]);
        blocks(
            "added-retries",
            &[(".config/nextest.toml", "[profile.default]\nretries = 0\n", "[profile.default]\nretries = 3\n")],
        );
        blocks(
            "added-retries",
            &[("playwright.config.ts", "export default { retries: 0 }\n", "export default { retries: 2 }\n")],
        );
        blocks(
            "added-retries",
            &[("setup.cfg", "[tool:pytest]\naddopts = -q\n", "[tool:pytest]\naddopts = -q --reruns 3\n")],
        );
    }

    #[test]
    fn retries_of_a_client_in_the_sources_pass() {
        passes(&[("client.py", "def get():\n    return f()\n", "@retry\ndef get():\n    return f()\n")]);
    }
}
