//! Expected values that changed in a test that stays.

use std::collections::BTreeSet;

use super::{Rule, finding, quote};
use crate::evidence::{Finding, Weight};
use crate::gate::assertion::{assertions, counted, literals};
use crate::gate::pattern::patterns;
use crate::gate::view::{Reading, Version, View};

pub(super) static RULE: Rule = Rule {
    name: "changed-expectation",
    about: "A test expects another value than before",
    why: "Blocks: together with source edits it hides which of the two was wrong, and alone it means that the test is held to be outdated, which a person decides. A value that changed the same way in the sources is shown.",
    check,
};

patterns! {
    ORDER = r"<=?|>=?|(?i)approx|close|almost|delta|places|atol|rtol|abs=|rel=";
}

fn check(view: &View<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let (gone, come) = source_literals(view);
    for ((old, before), (new, after)) in &view.pairing.kept {
        let (old, new) = (&view.files[*old], &view.files[*new]);
        let (before, after) = (&old.before.functions[*before], &new.after.functions[*after]);
        if old.before.body(before) == new.after.body(after) {
            continue;
        }
        let was = assertions(old.before.body(before), old.language);
        let is = assertions(new.after.body(after), new.language);
        let (known, now) =
            (counted(was.iter().flat_map(|a| &a.literals)), counted(is.iter().flat_map(|a| &a.literals)));
        let lost: Vec<&str> = known.iter().filter(|(l, n)| now.get(*l).unwrap_or(&0) < *n).map(|(l, _)| *l).collect();
        let lost: Vec<&str> =
            lost.into_iter().filter(|literal| !is_presence(literal) && !elsewhere(new, literal)).collect();
        let gained: Vec<&str> = now.iter().filter(|(l, n)| known.get(*l).unwrap_or(&0) < *n).map(|(l, _)| *l).collect();
        // A tolerance is the other rule's matter, and fewer or weaker assertions are too.
        let place = is.iter().find(|a| !was.iter().any(|old| old.text == a.text));
        let Some(place) =
            place.filter(|place| !(lost.is_empty() || only_bounds(&was, &lost) && ORDER.is_match(&place.text)))
        else {
            continue;
        };
        let synchronous =
            !gained.is_empty() && lost.iter().all(|l| gone.contains(*l)) && gained.iter().all(|l| come.contains(*l));
        let weight = if synchronous { Weight::Show } else { Weight::Block };
        let mixed = if view.touches_sources() && !synchronous { ", together with source edits" } else { "" };
        let message = format!(
            "the test {} no longer expects {}{}{mixed}",
            quote(&after.symbol),
            quote(&lost.join(", ")),
            if gained.is_empty() { String::new() } else { format!(" but {}", quote(&gained.join(", "))) },
        );
        let line = new.after.line_of(after.span.start) + place.line;
        findings.push(finding(&RULE, new, Some(line), message, weight));
    }
    findings
}

/// `true`, `None` and empty lists are rewritten by linters into other forms of the same check.
fn is_presence(literal: &str) -> bool {
    matches!(literal.to_ascii_lowercase().as_str(), "true" | "false" | "none" | "null" | "undefined" | "0")
}

/// A value that left an assertion for a constant or a helper on a new line of the same file.
fn elsewhere(file: &Reading<'_>, literal: &str) -> bool {
    let bare = literal.trim_matches('"');
    let named = |line: &str| line.contains('=') || line.contains("return") || line.contains('(');
    file.added().any(|line| {
        let text = file.after.lines.get(line).copied().unwrap_or_default();
        named(text)
            && !file.after.code_line(line).trim().is_empty()
            && literals(text, file.after.code_line(line)).iter().any(|l| l == literal || l.trim_matches('"') == bare)
    })
}

fn only_bounds(was: &[crate::gate::assertion::Assertion], lost: &[&str]) -> bool {
    lost.iter()
        .all(|literal| was.iter().filter(|a| a.literals.iter().any(|l| l == literal)).all(|a| ORDER.is_match(&a.text)))
}

/// Literals that only the old, and only the new, lines of the sources hold.
fn source_literals(view: &View<'_>) -> (BTreeSet<String>, BTreeSet<String>) {
    let mut sets = (BTreeSet::new(), BTreeSet::new());
    for file in view.files.iter().filter(|file| !file.test_path && file.language.is_code(file.path)) {
        let all = |version: &Version<'_>, lines: Vec<usize>| -> BTreeSet<String> {
            let lines = lines.into_iter().filter(|line| version.test_at(*line).is_none());
            lines
                .flat_map(|line| {
                    literals(version.lines.get(line).copied().unwrap_or_default(), version.code_line(line))
                })
                .collect()
        };
        let (old, new) = (all(&file.before, file.removed().collect()), all(&file.after, file.added().collect()));
        sets.0.extend(old.difference(&new).cloned());
        sets.1.extend(new.difference(&old).cloned());
    }
    sets
}

#[cfg(test)]
mod tests {
    use crate::gate::testing::{blocks, change, judged, passes, shown};

    const TEST: &str = "def test_a():\n    assert add(1, 2) == 3\n";

    #[test]
    fn another_expected_value_blocks_alone_and_with_sources() {
        let changed = TEST.replace("== 3", "== 4");
        blocks("changed-expectation", &[("tests/test_a.py", TEST, &changed)]);
        let mixed = judged(&[
            ("a.py", "def add(a, b):\n    return a\n", "def add(a, b):\n    return a * b\n"),
            ("tests/test_a.py", TEST, &changed),
        ]);
        assert!(mixed[0].message.ends_with("together with source edits"), "{mixed:?}");
        blocks("changed-expectation", &[("tests/test_a.py", TEST, &TEST.replace("== 3", "== add(1, 2) + 0"))]);
    }

    #[test]
    fn expected_variables_and_tables_count() {
        let before = "def test_a():\n    expected = [1, 2]\n    assert f() == expected\n";
        blocks("changed-expectation", &[("tests/test_a.py", before, &before.replace("[1, 2]", "[1, 5]"))]);
        let table = "@pytest.mark.parametrize('a,b', [(1, 2), (3, 4)])\ndef test_a(a, b):\n    assert f(a) == b\n";
        blocks("changed-expectation", &[("tests/test_a.py", table, &table.replace(", (3, 4)", ""))]);
    }

    #[test]
    fn messages_names_and_constants_pass() {
        let before = "def test_a():\n    assert add(1, 2) == 3, 'shold be three'\n";
        passes(&[("tests/test_a.py", before, &before.replace("shold", "should"))]);
        passes(&[("tests/test_a.py", TEST, "THREE = 3\n\ndef test_a():\n    assert add(1, 2) == THREE\n")]);
        passes(&[("tests/test_a.py", TEST, "def test_a():\n    assert plus(1, 2) == 3\n    assert plus(2, 2) == 4\n")]);
    }

    #[test]
    fn a_value_that_changed_on_both_sides_is_shown() {
        let source = "def name():\n    return 'Teh name'\n";
        let test = "def test_a():\n    assert name() == 'Teh name'\n";
        assert_eq!(
            shown(&[
                ("a.py", source, &source.replace("Teh", "The")),
                ("tests/test_a.py", test, &test.replace("Teh", "The"))
            ]),
            ["changed-expectation"]
        );
    }

    #[test]
    fn alone_it_means_that_the_test_may_be_outdated() {
        let changes = [change("tests/test_a.py", TEST, &TEST.replace("== 3", "== 4"))];
        let findings = crate::gate::judge(&changes, crate::policy::PatchLimits::default(), None);
        assert!(crate::gate::is_test_outdated(&changes, &findings));
        let skip = [change("tests/test_a.py", TEST, &format!("@pytest.mark.skip\n{TEST}"))];
        let findings = crate::gate::judge(&skip, crate::policy::PatchLimits::default(), None);
        assert!(!crate::gate::is_test_outdated(&skip, &findings));
    }
}
