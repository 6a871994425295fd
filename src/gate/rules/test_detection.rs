//! Sources that ask whether they are being tested.

use super::{Rule, finding, quote};
use crate::evidence::{Finding, Weight};
use crate::gate::language::Language;
use crate::gate::pattern::patterns;
use crate::gate::view::{Tally, View};

pub(super) static RULE: Rule = Rule {
    name: "test-detection",
    about: "Source code behaves differently while it is tested",
    why: "Blocks: what is proved under test then says nothing about what ships.",
    check,
};

patterns! {
    DETECTS = r#"\bcfg!\(\s*(?:not\(\s*)?(?:test|debug_assertions)\b|#\[cfg\(\s*(?:not\(\s*)?debug_assertions\b|if\s+(?:not\s+)?__debug__\b|thread::current\(\)\.name\(|#\[cfg\(\s*not\(\s*test\s*\)|#\[cfg_attr\(\s*test\b|PYTEST_CURRENT_TEST|PYTEST_VERSION|["']pytest["']\s+(?:not\s+)?in\s+sys\.modules|["']unittest["']\s+(?:not\s+)?in\s+sys\.modules|pytest.*in\s+sys\.argv|sys\.argv\[0\].*(?:pytest|test)|NODE_ENV\b.{0,12}["']test["']|JEST_WORKER_ID|\bVITEST\b|import\.meta\.vitest|NODE_TEST_CONTEXT|\btesting\.Testing\s*\(|\bflag\.Lookup\(\s*"test\.|os\.Args\[0\].*\.test|NEXTEST(?:_\w+)?["']|CARGO_TARGET_TMPDIR|\binspect\.(?:stack|currentframe)\b.*test|RUST_TEST_\w+|typeof\s+(?:jest|describe|it)\b|global(?:This)?\.(?:jest|describe|it)\b"#;
    CI = r#"\b(?:env|environ|getenv|Getenv|var)\b.{0,8}["'](?:CI|GITHUB_ACTIONS|GITLAB_CI|TRAVIS)["']|process\.env\.(?:CI|GITHUB_ACTIONS)\b"#;
}

fn check(view: &View<'_>) -> Vec<Finding> {
    let (before, after) = (tally(view, false), tally(view, true));
    let fresh = |file: usize, line: usize| view.files[file].added().any(|added| added == line);
    let found = after.beyond(&before, &fresh).into_iter();
    found
        .map(|(text, at, line)| {
            let (weight, text) =
                text.strip_prefix("ci ").map_or((Weight::Block, text.as_str()), |text| (Weight::Show, text));
            finding(
                &RULE,
                &view.files[at],
                Some(line),
                format!("the source asks whether it is tested: {}", quote(text)),
                weight,
            )
        })
        .collect()
}

fn tally(view: &View<'_>, after: bool) -> Tally {
    let mut tally = Tally::default();
    for (at, file) in view.files.iter().enumerate() {
        if file.test_path || file.language == Language::Plain || !file.language.is_code(file.path) {
            continue;
        }
        let version = file.version(after);
        for line in file.own_lines(after) {
            // The words stand in strings at times, so the text is searched, but comments are not.
            let text = version.without_comment(line);
            if version.test_at(line).is_some() {
                continue;
            }
            if let Some(found) = DETECTS.find(text).filter(|found| !found.is_empty()) {
                tally.note(found.as_str().to_owned(), at, line);
            } else if let Some(found) = CI.find(text) {
                tally.note(format!("ci {}", found.as_str()), at, line);
            }
        }
    }
    tally
}

#[cfg(test)]
mod tests {
    use crate::gate::testing::{blocks, passes, shown};

    #[test]
    fn each_way_to_ask_blocks() {
        for (path, line) in [
            ("src/a.rs", "fn f() -> u8 { if cfg!(test) { 3 } else { g() } }\n"),
            ("src/a.rs", "#[cfg(not(test))]\nfn f() {}\n"),
            ("a.py", "if 'pytest' in sys.modules:\n    x = 3\n"),
            ("a.py", "if os.environ.get(\"PYTEST_CURRENT_TEST\"):\n    x = 3\n"),
            ("a.js", "if (process.env.NODE_ENV === 'test') { x = 3 }\n"),
            ("a.go", "if testing.Testing() {\n}\n"),
            ("src/a.rs", "fn f() -> u8 { if cfg!(debug_assertions) { 3 } else { g() } }\n"),
            ("src/a.rs", "fn f() -> u8 { if std::thread::current().name() == Some(\"a\") { 3 } else { g() } }\n"),
        ] {
            blocks("test-detection", &[(path, "\n", line)]);
        }
    }

    #[test]
    fn test_modules_comments_and_known_uses_pass() {
        passes(&[(
            "src/a.rs",
            "fn f() {}\n",
            "fn f() {}\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn a() { assert_eq!(super::f(), ()); }\n}\n",
        )]);
        passes(&[("src/a.rs", "fn f() {}\n", "// no cfg!(test) here\nfn f() {}\n")]);
        passes(&[(
            "a.js",
            "if (process.env.NODE_ENV === 'test') { x = 3 }\n",
            "if (process.env.NODE_ENV === 'test') { x = 4 }\n",
        )]);
    }

    #[test]
    fn asking_for_ci_is_shown() {
        assert_eq!(shown(&[("a.py", "x = 1\n", "x = os.environ.get('CI')\n")]), ["test-detection"]);
    }
}
