//! Definitions that take the place of assertions, of the runner's parts or of what comparisons are made of.

use super::{Rule, finding, quote};
use crate::evidence::{Finding, Weight};
use crate::gate::language::Language;
use crate::gate::novelty::is_new;
use crate::gate::pattern::{Pattern, patterns};
use crate::gate::view::View;

pub(super) static RULE: Rule = Rule {
    name: "shadowed-assertion",
    about: "An assertion, or a part of the test runner, is redefined",
    why: "Blocks: the tests read as before, and check what the new definition lets them.",
    check,
};

patterns! {
    PYTHON = r"\b(?:\w+\.)*TestCase\.\w+\s*=[^=]|^\s*(?:unittest|_?pytest)(?:\.\w+)+\s*=[^=]|\bsetattr\(\s*(?:unittest|_?pytest|builtins|__builtins__)\b|\b(?:builtins|__builtins__)(?:\.\w+|\[[^\]]*\])\s*=[^=]|^\s*AssertionError\s*=[^=]|^\s*class\s+AssertionError\b|^\s*def\s+assert(?:Equal|NotEqual|True|False|Is|IsNot|IsNone|In|Raises|AlmostEqual|ListEqual|DictEqual|CountEqual|Greater|Less)\s*\(|\bsys\.excepthook\s*=[^=]|\bsys\.modules\[[^\]]*\]\s*=[^=]|\bAssertionError\.\w+\s*=";
    JAVASCRIPT = r"\b(?:globalThis|global|window)\.(?:expect|assert|test|it|describe|jest|vi)\s*=[^=]|^\s*(?:(?:const|let|var)\s+)?(?:expect|assert|test|it|describe)\s*=[^=>]|^\s*(?:export\s+)?function\s+(?:expect|assert|test|it|describe)\s*\(|\bassert\.\w+\s*=[^=]|\bexpect\.\w+\s*=[^=]|\bObject\.is\s*=[^=]|\bexpect\.extend\(\s*\{\s*(?:async\s+)?to(?:Be|Equal|StrictEqual|Throw|Match|Contain|HaveLength)\b";
    RUST = r"\bmacro_rules!\s*(?:(?:debug_)?assert(?:_eq|_ne|_matches)?|panic|matches|unreachable)\b|\bas\s+(?:debug_)?assert(?:_eq|_ne)?\s*[;,}]";
    /// Names of one's own in a source too: a test may call what ships.
    RUST_SOURCE = r"\bmacro_rules!\s*assert\w*";
    GO = r"^func\s+(?:panic|recover)\s*\(";
}

fn check(view: &View<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in &view.files {
        let Some(pattern) = pattern(file.language) else { continue };
        for line in file.added() {
            let code = file.after.code_line(line);
            let own = |code: &str| RUST_SOURCE.is_match(code) && file.language == Language::Rust;
            let found = pattern.find(code).map(|found| found.as_str().trim());
            let found = found.or_else(|| (!file.is_test_line(line) && own(code)).then(|| code.trim()));
            if let Some(found) = found.filter(|found| is_new(view, file, found)) {
                let message = format!("{} redefines what tests rely on", quote(found));
                findings.push(finding(&RULE, file, Some(line), message, Weight::Block));
            }
        }
    }
    findings
}

fn pattern(language: Language) -> Option<&'static Pattern> {
    Some(match language {
        Language::Python => &PYTHON,
        Language::JavaScript => &JAVASCRIPT,
        Language::Rust => &RUST,
        Language::Go => &GO,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use crate::gate::testing::{blocked, blocks, passes};

    #[test]
    fn each_redefinition_blocks() {
        for (path, line) in [
            ("src/lib.rs", "macro_rules! assert_eq { ($($t:tt)*) => {}; }\n"),
            ("tests/a.rs", "macro_rules! assert_eq { ($($t:tt)*) => {}; }\n"),
            ("src/lib.rs", "macro_rules! assert_total { ($($t:tt)*) => {}; }\n"),
            ("tests/a.rs", "use crate::nothing as assert_eq;\n"),
            ("app.py", "TestCase.assertEqual = lambda *a: None\n"),
            ("tests/conftest.py", "unittest.TestCase.assertEqual = lambda *a: None\n"),
            ("tests/test_a.py", "    def assertEqual(self, a, b):\n        pass\n"),
            ("app.py", "builtins.AssertionError = Quiet\n"),
            ("app.py", "setattr(pytest, 'fail', print)\n"),
            ("a.test.js", "global.expect = () => any\n"),
            ("a.test.js", "const expect = () => any\n"),
            ("src/a.js", "assert.equal = () => {}\n"),
            ("a.test.js", "expect.extend({ toBe() { return { pass: true } } })\n"),
        ] {
            blocks("shadowed-assertion", &[(path, "\n", line)]);
        }
    }

    #[test]
    fn checks_of_ones_own_pass() {
        passes(&[("tests/a.rs", "fn a() {}\n", "macro_rules! assert_total { ($a:expr) => {}; }\nfn a() {}\n")]);
        passes(&[("tests/test_a.py", "x = 1\n", "def assert_total(a):\n    assert a == 3\n")]);
        assert!(
            blocked(&[("a.test.js", "f()\n", "expect.extend({ toBeWithin(a) { return { pass: a < 3 } } })\n")])
                .is_empty()
        );
    }
}
