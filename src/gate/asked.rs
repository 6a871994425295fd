//! What the tests ask for: for each assertion its inputs and the expected value, as literals.

use std::collections::BTreeMap;

use super::assertion::{assertions, counted, literals};
use super::cases::functions;
use super::language::{Language, is_test_path};
use super::mask::mask;
use super::pattern::patterns;
use super::view::View;

patterns! {
    WORD = r"[A-Za-z_]\w*";
    ASSIGNED = r"^\s*(?:(?:let|const|var|val|final)\s+)?(?:mut\s+)?([A-Za-z_]\w*)\s*(?::[^=]+)?:?=[^=]";
    ROW = r"^\s*[\[({].*[\])}]\s*,?\s*\]?\)?\s*$|^\s*#\[(?:case|test_case)|^\s*\{.*\},?\s*$";
}

/// The literals of one check, each as often as it occurs.
pub(super) type Asked = BTreeMap<String, usize>;

/// Every check of the tests in one language: of those that the change holds, and of the tree that it applies to.
pub(super) fn asked(view: &View<'_>, language: Language) -> Vec<Asked> {
    let mut found = Vec::new();
    for file in view.files.iter().filter(|file| file.language == language) {
        for text in [file.before.text, file.after.text] {
            read(text, language, &mut found);
        }
    }
    let changed = |path| view.files.iter().any(|file| file.path == path);
    if let Some(base) = view.base {
        for entry in base.files() {
            if is_test_path(&entry.path) && Language::of(&entry.path) == language && !changed(&entry.path) {
                base.text(&entry.path).iter().for_each(|text| read(text, language, &mut found));
            }
        }
    }
    found.sort();
    found.dedup();
    found
}

fn read(text: &str, language: Language, found: &mut Vec<Asked>) {
    let masked = mask(text, language);
    for test in functions(text, &masked, language).iter().filter(|function| function.test) {
        let (Some(body), Some(code)) = (text.get(test.span.clone()), masked.code.get(test.span.clone())) else {
            continue;
        };
        let lines: Vec<(&str, &str)> = body.lines().zip(code.lines()).collect();
        for assertion in assertions(body, language) {
            let mut all = assertion.literals.clone();
            for name in WORD.find_iter(&assertion.text) {
                let assigned = lines.iter().take(assertion.line).rev().find(|(_, code)| {
                    ASSIGNED
                        .captures(code)
                        .is_some_and(|found| found.get(1).is_some_and(|it| it.as_str() == name.as_str()))
                });
                all.extend(assigned.iter().flat_map(|(text, code)| literals(text, code)));
            }
            keep(all, found);
            keep(assertion.literals, found);
        }
        // The rows of a table are checks of their own.
        for (text, code) in lines.iter().filter(|(_, code)| ROW.is_match(code)) {
            keep(literals(text, code), found);
        }
    }
}

/// A check with an input and an expected value; values that say nothing of where they come from are left out.
fn keep(all: Vec<String>, found: &mut Vec<Asked>) {
    let all = telling(all);
    if all.len() > 1 {
        found.push(counted(&all).into_iter().map(|(literal, count)| (literal.to_owned(), count)).collect());
    }
}

/// The values that tell one test from another.
pub(super) fn telling(literals: Vec<String>) -> Vec<String> {
    let empty = |literal: &String| {
        matches!(literal.to_ascii_lowercase().as_str(), "0" | "true" | "false" | "none" | "null" | "undefined")
    };
    literals.into_iter().filter(|literal| !empty(literal)).collect()
}

/// Whether chance does not explain that a source names this value.
pub(super) fn is_special(literal: &str) -> bool {
    if literal.starts_with('"') { literal.len() > 6 } else { literal.len() > 2 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Vec<String> {
        let mut found = Vec::new();
        read(text, Language::Python, &mut found);
        found.sort();
        found.dedup();
        found.iter().map(|asked| asked.keys().cloned().collect::<Vec<_>>().join(" ")).collect()
    }

    #[test]
    fn inputs_and_the_expected_value_stand_together() {
        assert_eq!(all("def test_a():\n    assert add(1, 2) == 3\n"), ["1 2 3"]);
        assert_eq!(all("def test_a():\n    total = add(1, 2)\n    assert total == 3\n"), ["1 2 3"]);
        assert_eq!(all("def test_a():\n    assert ready()\n"), Vec::<String>::new());
    }

    #[test]
    fn rows_of_a_table_are_checks() {
        let text = "@pytest.mark.parametrize('a,b', [\n    (1, 'x'),\n    (2, 'y'),\n])\ndef test_a(a, b):\n    assert f(a) == b\n";
        let found = all(text);
        assert!(found.contains(&"\"x\" 1".to_owned()) && found.contains(&"\"y\" 2".to_owned()), "{found:?}");
    }
}
