//! Tests that check less than before: fewer assertions, weaker ones, ones that cannot fail, wider tolerances.

use super::{Rule, finding, quote};
use crate::evidence::{Finding, Weight};
use crate::gate::assertion::{Assertion, assertions};
use crate::gate::pattern::patterns;
use crate::gate::view::{Hunk, Reading, View};

pub(super) static RULE: Rule = Rule {
    name: "weakened-test",
    about: "A test checks less than before",
    why: "Blocks: a loosened assertion turns a failure green without a fix. Assertions that moved into a function that the test now calls are shown.",
    check,
};

patterns! {
    CALL = r"\b([A-Za-z_]\w*)\s*(?:::<[^>]*>)?\(";
    TOLERANCE = r"(?i)\b(?:abs|rel|atol|rtol|tol|delta|epsilon|eps|tolerance|max_relative|abs_tol|rel_tol)\w*\b\s*(?::\s*\w+\s*)?[=:]\s*(\d[\d_.]*(?:e[+-]?\d+)?)|(?:<=?|within\()\s*(\d[\d_.]*(?:e[+-]?\d+)?)";
    PLACES = r"(?i)\b(?:places|decimal|significant|toBeCloseTo\([^,]+,)\s*=?\s*(\d+)";
    NEGATED = r"#\[should_panic|@(?:unittest\.)?expectedFailure|\.fails?\b";
}

fn check(view: &View<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for ((old, before), (new, after)) in &view.pairing.kept {
        let (old, new) = (&view.files[*old], &view.files[*new]);
        let (before, after) = (&old.before.functions[*before], &new.after.functions[*after]);
        let checks =
            |assertions: Vec<Assertion>| assertions.into_iter().filter(|a| !a.expected_only).collect::<Vec<_>>();
        let was = checks(assertions(old.before.body(before), old.language));
        let is = checks(assertions(new.after.body(after), new.language));
        let start = new.after.line_of(after.span.start);
        let symbol = quote(&after.symbol);
        let negated = |code: &str| NEGATED.is_match(code);
        if negated(new.after.code(after)) && !negated(old.before.code(before)) {
            let message = format!("the test {symbol} is now expected to fail");
            findings.push(finding(&RULE, new, Some(start), message, Weight::Block));
        } else if let Some((line, message)) = compare(&was, &is) {
            let helped = calls_checking_function(view, old.before.code(before), new.after.code(after));
            let weight = if helped { Weight::Show } else { Weight::Block };
            findings.push(finding(&RULE, new, Some(start + line), format!("the test {symbol} {message}"), weight));
        }
    }
    for file in view.files.iter().filter(|file| file.before.exists() && file.after.exists()) {
        file.hunks.iter().for_each(|hunk| findings.extend(wider(file, hunk)));
    }
    findings
}

/// What was lost between two lists of assertions, and at which line of the new body.
fn compare(was: &[Assertion], is: &[Assertion]) -> Option<(usize, String)> {
    let ranked = |list: &[Assertion]| {
        let mut strengths: Vec<u8> = list.iter().map(|assertion| assertion.strength).collect();
        strengths.sort_unstable_by(|a, b| b.cmp(a));
        strengths
    };
    let (before, after) = (ranked(was), ranked(is));
    let fails = |list: &[u8]| list.iter().filter(|strength| **strength > 0).count();
    let fresh = |assertion: &&Assertion| !was.iter().any(|old| old.text == assertion.text);
    if let Some(constant) = is.iter().filter(fresh).find(|a| a.strength == 0)
        && fails(&after) <= fails(&before)
    {
        return Some((constant.line, format!("has an assertion that cannot fail: {}", quote(&constant.text))));
    }
    if fails(&after) < fails(&before) {
        let lost = was.iter().find(|old| !is.iter().any(|new| new.text == old.text));
        let what = lost.map_or(String::new(), |lost| format!("; lost: {}", quote(&lost.text)));
        return Some((0, format!("has {} assertions, {} before{what}", fails(&after), fails(&before))));
    }
    let loosened = before.iter().zip(&after).any(|(was, is)| is < was);
    let weakest = is.iter().filter(fresh).min_by_key(|assertion| assertion.strength)?;
    loosened.then(|| (weakest.line, format!("has a weaker assertion: {}", quote(&weakest.text))))
}

/// Whether the test now calls a function, changed here, that checks: the assertions may have moved there.
fn calls_checking_function(view: &View<'_>, before: &str, after: &str) -> bool {
    let known: Vec<&str> =
        CALL.captures_iter(before).filter_map(|call| call.get(1)).map(|name| name.as_str()).collect();
    CALL.captures_iter(after).filter_map(|call| call.get(1)).map(|name| name.as_str()).any(|name| {
        !known.contains(&name)
            && view.files.iter().any(|file| {
                let mut functions = file.after.functions.iter().filter(|f| !f.test && f.name == name);
                functions.any(|f| assertions(file.after.body(f), file.language).iter().any(|a| a.strength > 1))
            })
    })
}

/// Numbers of a tolerance that grew, or of decimal places that shrank, on lines that replace one another.
fn wider(file: &Reading<'_>, hunk: &Hunk) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (old, new) in hunk.removed.clone().zip(hunk.added.clone()) {
        if !file.is_test_line(new) {
            continue;
        }
        let (was, is) = (file.before.code_line(old), file.after.code_line(new));
        let grew = numbers(&TOLERANCE, was).iter().zip(numbers(&TOLERANCE, is)).any(|(was, is)| is > *was);
        let shrank = numbers(&PLACES, was).iter().zip(numbers(&PLACES, is)).any(|(was, is)| is < *was);
        let looks_numeric = was.contains('.')
            || was.contains("1e")
            || was.to_ascii_lowercase().contains("tol")
            || was.to_ascii_lowercase().contains("eps")
            || was.contains("delta");
        if shrank || (grew && looks_numeric) {
            let message = format!("a tolerance is wider: {} was {}", quote(is), quote(was));
            findings.push(finding(&RULE, file, Some(new), message, Weight::Block));
        }
    }
    findings
}

fn numbers(pattern: &regex::Regex, line: &str) -> Vec<f64> {
    pattern
        .captures_iter(line)
        .filter_map(|found| found.get(1).or_else(|| found.get(2)))
        .filter_map(|number| number.as_str().replace('_', "").parse().ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use crate::gate::testing::{blocks, passes, shown};

    fn rs(body: &str) -> String {
        format!("#[test]\nfn a() {{\n    let x = prepare(1);\n{body}}}\n")
    }

    fn py(body: &str) -> String {
        format!("def test_a():\n    x = prepare(1)\n{body}")
    }

    #[test]
    fn fewer_and_weaker_assertions_block() {
        let two = rs("    assert_eq!(x, 3);\n    assert_eq!(y(), 4);\n");
        blocks("weakened-test", &[("src/a.rs", &two, &rs("    assert_eq!(x, 3);\n"))]);
        blocks("weakened-test", &[("src/a.rs", &two, &rs("    assert!(true);\n    assert_eq!(y(), 4);\n"))]);
        blocks("weakened-test", &[("src/a.rs", &two, &rs("    assert_ne!(x, 0);\n    assert_eq!(y(), 4);\n"))]);
        blocks("weakened-test", &[("src/a.rs", &two, &rs("    // assert_eq!(x, 3);\n    assert_eq!(y(), 4);\n"))]);
        blocks("weakened-test", &[("tests/test_a.py", &py("    assert x == 3\n"), &py("    assert x\n"))]);
        blocks("weakened-test", &[("tests/test_a.py", &py("    assert x == 3\n"), &py("    pass\n"))]);
        blocks("weakened-test", &[("tests/test_a.py", &py("    assert x == 3\n"), &py("    assert x == x\n"))]);
        blocks("weakened-test", &[("tests/test_a.py", &py("    assert x == 3\n"), &py("    assert x == 3 or True\n"))]);
        blocks(
            "weakened-test",
            &[(
                "a.test.ts",
                "it('a', () => { expect(f()).toBe(3) })\n",
                "it('a', () => { expect(f()).toBeDefined() })\n",
            )],
        );
    }

    #[test]
    fn an_inverted_test_and_a_broader_error_block() {
        let before = rs("    assert_eq!(x, 3);\n");
        blocks("weakened-test", &[("src/a.rs", &before, &before.replace("#[test]", "#[test]\n#[should_panic]"))]);
        let raises = py("    with pytest.raises(ValueError):\n        f(x)\n");
        blocks("weakened-test", &[("tests/test_a.py", &raises, &raises.replace("ValueError", "Exception"))]);
    }

    #[test]
    fn wider_tolerances_block_and_tighter_ones_pass() {
        let line = |tolerance: &str| py(&format!("    assert x == pytest.approx(3, abs={tolerance})\n"));
        blocks("weakened-test", &[("tests/test_a.py", &line("1e-6"), &line("1e-1"))]);
        let rust = |tolerance: &str| rs(&format!("    assert!((x - 3.0).abs() < {tolerance});\n"));
        blocks("weakened-test", &[("src/a.rs", &rust("1e-9"), &rust("0.5"))]);
        let places = |n: u8| py(&format!("    self.assertAlmostEqual(x, y, places={n})\n"));
        blocks("weakened-test", &[("tests/test_a.py", &places(7), &places(1))]);
    }

    #[test]
    fn rewrites_that_linters_ask_for_pass() {
        passes(&[("src/a.rs", &rs("    assert_eq!(x, true);\n"), &rs("    assert!(x);\n"))]);
        passes(&[("src/a.rs", &rs("    assert_eq!(x.len(), 0);\n"), &rs("    assert!(x.is_empty());\n"))]);
        passes(&[("src/a.rs", &rs("    assert!(x == 3);\n"), &rs("    assert_eq!(x, 3);\n"))]);
        passes(&[("tests/test_a.py", &py("    assert x == None\n"), &py("    assert x is None\n"))]);
        passes(&[("tests/test_a.py", &py("    self.assertEqual(x, 3)\n"), &py("    assert x == 3\n"))]);
        passes(&[("src/a.rs", &rs("    assert_eq!(old_name(x), 3);\n"), &rs("    assert_eq!(new_name(x), 3);\n"))]);
    }

    #[test]
    fn assertions_that_moved_into_a_helper_are_shown() {
        let before = py("    assert x.a == 3\n    assert x.b == 4\n");
        let after = "def check(x):\n    assert x.a == 3\n    assert x.b == 4\n\ndef test_a():\n    x = prepare(1)\n    check(x)\n";
        assert_eq!(shown(&[("tests/test_a.py", &before, after)]), ["weakened-test"]);
    }
}
