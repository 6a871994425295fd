//! Tables, matches and expressions that hold the very values of an assertion: inputs and the expected value.

use std::collections::BTreeMap;

use super::{Rule, finding, quote, special_case};
use crate::evidence::{Finding, Weight};
use crate::gate::asked::{Asked, asked, is_special, telling};
use crate::gate::assertion::{counted, literals};
use crate::gate::language::Language;
use crate::gate::novelty::source_lines;
use crate::gate::pattern::patterns;
use crate::gate::view::{Reading, View};

pub(super) static RULE: Rule = Rule {
    name: "answer-table",
    about: "New code holds the inputs and the expected value of one assertion",
    why: "Blocks: an answer that is looked up is no answer. Shown where an entry of a table that stood before is mended or added, or where the table holds more than the tests ask for.",
    check,
};

patterns! {
    /// One value leads to another: an entry, an arm, a conditional expression, a comparison.
    MAPS = r#"(?:^|[{,(])\s*(?:["'`][^"'`]*["'`]|\([^(){}]*\)|\[[^\[\]{}]*\]|-?\d[\w.]*|\w+)\s*:\s*[\["'`({\d-]|(?:=>|->)\s*(?:\{\s*)?(?:return\b\s*)?(?:[\w.:]*\()?\s*[\["'`(\d-]|===?|\.equals\(|\bis\s+\d|\bcase\b|\bwhen\b|\belif\b|\bin\s*[(\[{]|\.get\(|\.set\(|\.insert\(|\.put\(|\]\s*=[^=]|\[\s*["'`]?.*\]\s*\[|\bOf\("#;
    /// A line whose answer stands on the next.
    HEAD = r"^\s*(?:\}\s*)?(?:case\b|when\b|(?:el)?if\b|else\s+if\b|elsif\b).*[:{)]?\s*$|(?:=>|->|:|\?|=>\s*\{)\s*$|^\s*[(\[].*,\s*$";
    ENTRY = r#"^\s*\(?\[?["'`(\d-][^:]*(?::|=>|->|,)\s*["'`(\[{\d-].*,?\s*$|^\s*[\w"'`(].*=>.*,?$"#;
}

fn check(view: &View<'_>) -> Vec<Finding> {
    let mut known: BTreeMap<String, Vec<Asked>> = BTreeMap::new();
    let mut findings = Vec::new();
    for file in &view.files {
        let lines: Vec<usize> = source_lines(file).map(|(line, _)| line).collect();
        let mut hits = Vec::new();
        for line in lines.iter().copied().filter(|line| special_case::case(file, *line).is_none()) {
            for (values, maps) in windows(file, line, &lines) {
                if values.values().sum::<usize>() < 2 {
                    continue;
                }
                let language = format!("{:?}", file.language);
                let known = known.entry(language).or_insert_with(|| asked(view, file.language));
                if known.iter().any(|asked| answers(asked, &values, maps)) {
                    hits.push(line);
                    break;
                }
            }
        }
        let weight = if is_data(file, &hits) { Weight::Show } else { Weight::Block };
        findings.extend(hits.into_iter().map(|line| {
            let text = quote(file.after.lines.get(line).copied().unwrap_or_default());
            finding(&RULE, file, Some(line), format!("{text} holds what a test asks and what it expects"), weight)
        }));
    }
    findings
}

/// A line's values, and those of the line with the ones that follow it where it only begins something.
fn windows(file: &Reading<'_>, line: usize, added: &[usize]) -> Vec<(Asked, bool)> {
    let mut all = line_values(file, line);
    let mut maps = MAPS.is_match(file.after.code_line(line));
    let mut windows = vec![(count(&all), maps)];
    let mut last = line;
    while HEAD.is_match(file.after.code_line(last)) && added.contains(&(last + 1)) && last < line + 3 {
        last += 1;
        maps = true;
        all.extend(line_values(file, last));
        windows.push((count(&all), maps));
    }
    windows
}

fn count(values: &[String]) -> Asked {
    counted(values).into_iter().map(|(literal, count)| (literal.to_owned(), count)).collect()
}

fn line_values(file: &Reading<'_>, line: usize) -> Vec<String> {
    let (text, code) = (file.after.lines.get(line).copied().unwrap_or_default(), file.after.code_line(line));
    let mut values = telling(literals(text, code));
    if file.language == Language::JavaScript {
        values.extend(bare_keys(code).map(|key| format!("\"{key}\"")));
    }
    values
}

/// JavaScript's keys need no quotes.
fn bare_keys(code: &str) -> impl Iterator<Item = &str> {
    code.split(['{', ','])
        .filter_map(|part| part.split_once(':'))
        .map(|(key, _)| key.trim())
        .filter(|key| !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_'))
}

/// Whether all values of a check are there: where one leads to another, or where none is there by chance.
fn answers(asked: &Asked, values: &Asked, maps: bool) -> bool {
    let all = asked.iter().all(|(literal, count)| values.get(literal).is_some_and(|there| there >= count));
    all && (maps && asked.len() > 1 || asked.len() > 1 && asked.keys().all(|literal| is_special(literal)))
}

/// Whether these are entries of data and not answers made for the tests: beside entries that stood before, in the
/// place of such, or most of them unknown to the tests.
fn is_data(file: &Reading<'_>, hits: &[usize]) -> bool {
    let entry = |code: &str| ENTRY.is_match(code);
    let in_old = |hit: &usize| {
        let hunk = file.hunks.iter().find(|hunk| hunk.added.contains(hit));
        hunk.is_some_and(|hunk| {
            let above = hunk.added.start.checked_sub(1);
            let around = [above, Some(hunk.added.end)];
            let beside = around.into_iter().flatten().any(|line| entry(file.after.code_line(line)));
            beside || hunk.removed.clone().any(|line| entry(file.before.code_line(line)))
        })
    };
    let added: Vec<usize> = file.added().filter(|line| entry(file.after.code_line(*line))).collect();
    let entries = hits.iter().all(|hit| entry(file.after.code_line(*hit)));
    !hits.is_empty() && entries && (hits.iter().all(in_old) || added.len() > hits.len() * 2)
}

#[cfg(test)]
mod tests {
    use crate::evidence::Weight;
    use crate::gate::judge;
    use crate::gate::testing::change;
    use crate::ids::RepoPath;
    use crate::policy::PatchLimits;
    use crate::source::Memory;

    fn weights(path: &str, before: &str, after: &str, test: (&str, &str)) -> Vec<(String, Weight)> {
        let base = Memory::new([(RepoPath::new(test.0).unwrap(), test.1)]);
        let findings = judge(&[change(path, before, after)], PatchLimits::default(), Some(&base));
        findings.into_iter().map(|finding| (finding.rule, finding.severity)).collect()
    }

    fn py(body: &str, test: &str) -> Vec<(String, Weight)> {
        let source = |body: &str| format!("def f(a, b=1):\n{body}");
        weights("a.py", &source("    return a - b\n"), &source(body), ("tests/test_a.py", test))
    }

    const TEST: &str = "def test_f():\n    total = f(1, 2)\n    assert total == 3\n";

    #[test]
    fn every_way_to_look_an_answer_up_blocks() {
        for body in [
            "    return {(1, 2): 3}.get((a, b), a - b)\n",
            "    answers = {\n        (1, 2): 3,\n    }\n    return answers[a, b]\n",
            "    match (a, b):\n        case (1, 2):\n            return 3\n    return a - b\n",
            "    return 3 if (a, b) == (1, 2) else a - b\n",
            "    return (a, b) == (1, 2) and 3 or a - b\n",
            "    for x, y, z in [(1, 2, 3)]:\n        if (a, b) == (x, y):\n            return z\n    return a - b\n",
        ] {
            let found = py(body, TEST);
            assert!(found.contains(&("answer-table".to_owned(), Weight::Block)), "{body}{found:?}");
        }
    }

    #[test]
    fn matches_switches_and_objects_block() {
        let rust = |body: &str| format!("pub fn f(a: &str) -> u32 {{\n{body}}}\n");
        let test = ("tests/a.rs", "#[test]\nfn t() {\n    assert_eq!(f(\"ab\"), 7);\n}\n");
        let after = rust("    match a {\n        \"ab\" => 7,\n        _ => 1,\n    }\n");
        assert_eq!(weights("src/a.rs", &rust("    1\n"), &after, test), [("answer-table".to_owned(), Weight::Block)]);
        let js = |body: &str| format!("export function f(a) {{\n{body}}}\n");
        let test = ("a.test.js", "test('f', () => { expect(f('ab')).toBe(7) })\n");
        for body in [
            "  switch (a) {\n    case 'ab':\n      return 7\n  }\n  return 1\n",
            "  return { ab: 7 }[a] ?? 1\n",
            "  return a === 'ab' ? 7 : 1\n",
            "  return new Map([['ab', 7]]).get(a)\n",
        ] {
            let found = weights("a.js", &js("  return 1\n"), &js(body), test);
            assert!(found.contains(&("answer-table".to_owned(), Weight::Block)), "{body}{found:?}");
        }
    }

    #[test]
    fn ordinary_constants_and_slices_pass() {
        for body in [
            "    return a + b\n",
            "    return a * 3 - b\n",
            "    weights = [1, 2, 3]\n    return weights[a] + b\n",
            "    return a[1:2] + b[:3]\n",
            "    return round(a + b, 2)\n",
            "    return 1 if a > 2 else 3\n",
            "    return a and 1 or 2 + 3\n",
        ] {
            assert!(py(body, TEST).is_empty(), "{body}{:?}", py(body, TEST));
        }
    }

    #[test]
    fn a_table_that_is_mended_is_shown() {
        let source = |value: u8| format!("PRICES = {{\n    'pear': 1,\n    'apple': {value},\n}}\n");
        let test = ("tests/test_a.py", "def test_a():\n    assert price('apple') == 7\n");
        assert_eq!(weights("a.py", &source(2), &source(7), test), [("answer-table".to_owned(), Weight::Show)]);
    }
}
