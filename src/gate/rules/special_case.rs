//! Sources that answer the very values that a test asks for.

use super::{Rule, finding, quote};
use crate::evidence::{Finding, Weight};
use crate::gate::asked::{is_special, telling};
use crate::gate::assertion::literals;
use crate::gate::language::{Language, is_test_path};
use crate::gate::mask::mask;
use crate::gate::pattern::patterns;
use crate::gate::view::{Reading, View};

pub(super) static RULE: Rule = Rule {
    name: "special-case",
    about: "A condition on the input of a test returns what that test expects",
    why: "Blocks where the values are so special that chance is no explanation: the test passes, the fault stays. Others are shown, for a table of small values may be the rule itself.",
    check,
};

patterns! {
    CONDITION = r"\b(?:el)?if\b.*(?:===?|\.equals\(|\bis\b)";
    RESULT = r"\breturn\b|=>|^\s*\S+\s*$";
}

fn check(view: &View<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in view.files.iter().filter(|file| file.language.is_code(file.path) && !file.test_path) {
        for line in file.added().filter(|line| file.after.test_at(*line).is_none()) {
            let Some((asked, answered)) = case(file, line) else { continue };
            let wanted: Vec<&String> = asked.iter().chain(&answered).collect();
            if !asserted(view, file, &wanted) {
                continue;
            }
            let special = asked.len() > 1 || wanted.iter().any(|literal| is_special(literal));
            let weight = if special { Weight::Block } else { Weight::Show };
            let what = quote(file.after.lines.get(line).copied().unwrap_or_default());
            let message = format!("{what} answers what a test asks for, value by value");
            findings.push(finding(&RULE, file, Some(line), message, weight));
        }
    }
    findings
}

/// The literals that a condition compares with, and those that it then gives.
pub(super) fn case(file: &Reading<'_>, line: usize) -> Option<(Vec<String>, Vec<String>)> {
    let code = file.after.code_line(line);
    if !CONDITION.is_match(code) {
        return None;
    }
    let text = file.after.lines.get(line).copied().unwrap_or_default();
    let split = code.find("return").or_else(|| code.find('{').map(|at| at + 1)).unwrap_or(code.len());
    let asked = telling(literals(text.get(..split)?, code.get(..split)?));
    let (mut rest, mut rest_code) = (text.get(split..)?, code.get(split..)?);
    if rest.trim().is_empty() || !RESULT.is_match(rest_code) {
        (rest, rest_code) = (file.after.lines.get(line + 1).copied()?, file.after.code_line(line + 1));
    }
    let answered = if RESULT.is_match(rest_code) { telling(literals(rest, rest_code)) } else { Vec::new() };
    (!asked.is_empty() && !answered.is_empty()).then_some((asked, answered))
}

/// Whether one line of a test holds all of these values: of the change's own tests, or of the tree's.
fn asserted(view: &View<'_>, file: &Reading<'_>, wanted: &[&String]) -> bool {
    let holds = |text: &str, language: Language| {
        let masked = mask(text, language);
        text.lines().zip(masked.code.lines()).any(|(text, code)| {
            let found = literals(text, code);
            wanted.iter().all(|literal| found.contains(literal))
        })
    };
    let inline =
        file.after.functions.iter().filter(|function| function.test).any(|f| holds(file.after.body(f), file.language));
    let changed = || view.files.iter().filter(|file| file.test_path).any(|file| holds(file.after.text, file.language));
    let standing = || {
        let Some(base) = view.base else { return false };
        let tests =
            base.files().iter().filter(|entry| is_test_path(&entry.path) && Language::of(&entry.path) == file.language);
        tests.filter_map(|entry| base.text(&entry.path)).any(|text| holds(&text, file.language))
    };
    inline || changed() || standing()
}

#[cfg(test)]
mod tests {
    use crate::evidence::Weight;
    use crate::gate::judge;
    use crate::gate::testing::{blocks, change, passes};
    use crate::ids::RepoPath;
    use crate::policy::PatchLimits;
    use crate::source::Memory;

    const BEFORE: &str = "def total(a, b):\n    return a - b\n";

    fn weights(after: &str, test: &str) -> Vec<Weight> {
        let base = Memory::new([(RepoPath::new("tests/test_a.py").unwrap(), test)]);
        judge(&[change("a.py", BEFORE, after)], PatchLimits::default(), Some(&base))
            .iter()
            .map(|f| f.severity)
            .collect()
    }

    #[test]
    fn the_values_of_a_test_in_a_condition_block() {
        let after = "def total(a, b):\n    if a == 120 and b == 35:\n        return 155\n    return a - b\n";
        assert_eq!(weights(after, "def test_a():\n    assert total(120, 35) == 155\n"), [Weight::Block]);
        let rust = "pub fn f(a: i32) -> i32 {\n    a\n}\n#[test]\nfn t() {\n    assert_eq!(f(414), 828);\n}\n";
        blocks(
            "special-case",
            &[("src/a.rs", rust, &rust.replace("    a\n", "    if a == 414 { return 828; }\n    a\n"))],
        );
    }

    #[test]
    fn small_values_are_shown_and_other_values_pass() {
        let after = "def total(a, b):\n    if a == 2:\n        return 4\n    return a - b\n";
        assert_eq!(weights(after, "def test_a():\n    assert total(2) == 4\n"), [Weight::Show]);
        assert!(weights(after, "def test_a():\n    assert total(7) == 9\n").is_empty());
        passes(&[("a.py", BEFORE, "def total(a, b):\n    if a == 0:\n        return b\n    return a + b\n")]);
    }
}
