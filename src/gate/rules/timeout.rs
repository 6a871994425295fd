//! Time limits that were raised.

use super::{Rule, finding, quote};
use crate::evidence::{Finding, Weight};
use crate::gate::pattern::patterns;
use crate::gate::view::View;

pub(super) static RULE: Rule = Rule {
    name: "raised-timeout",
    about: "A time limit is raised, or a wait is lengthened",
    why: "Blocks in tests and configuration: a slow or racing test then passes without a fix. In sources it is shown: a limit may have been wrong.",
    check,
};

patterns! {
    LIMIT = r"(?i)(?:time_?out|deadline|max_?wait|wait_?for|slow|sleep|delay|terminate-after|period)\w*[\x22\x27]?\s*[(:=,]?[^\d\n]{0,24}?(\d[\d_]*(?:\.\d+)?)\s*(ms|s|m|h)?\b|@pytest\.mark\.timeout\((\d+)|\bsetTimeout\((\d+)\)";
    NEW_IN_TEST = r"(?i)@pytest\.mark\.timeout|\bjest\.setTimeout\s*\(|\bthis\.timeout\s*\(|#\[timeout\b|@Timeout\b|(?:^|[\s.])(?:time\.)?sleep\s*\(|\bThread\.sleep\s*\(|\bsleep_for\b";
}

fn check(view: &View<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in view.files.iter().filter(|file| file.before.exists() && file.after.exists()) {
        for hunk in &file.hunks {
            let removed: Vec<(String, f64)> =
                hunk.removed.clone().filter_map(|line| limit(code_or_text(file, false, line))).collect();
            for line in hunk.added.clone() {
                let text = code_or_text(file, true, line);
                let in_test = file.is_test_line(line) || !file.language.is_code(file.path);
                let weight = if in_test { Weight::Block } else { Weight::Show };
                let Some((skeleton, value)) = limit(text) else { continue };
                let was = removed
                    .iter()
                    .find(|(other, _)| *other == skeleton)
                    .or(removed.first().filter(|_| removed.len() == 1));
                if was.is_some_and(|(_, was)| value > *was) {
                    findings.push(finding(
                        &RULE,
                        file,
                        Some(line),
                        format!("a time limit is raised: {}", quote(text)),
                        weight,
                    ));
                } else if was.is_none()
                    && removed.is_empty()
                    && NEW_IN_TEST.is_match(text)
                    && in_kept_test(view, file, line)
                {
                    findings.push(finding(
                        &RULE,
                        file,
                        Some(line),
                        format!("a test waits or gets more time: {}", quote(text)),
                        Weight::Block,
                    ));
                }
            }
        }
    }
    findings
}

/// Prose is no limit: documentation has none.
fn code_or_text<'a>(file: &'a crate::gate::view::Reading<'_>, after: bool, line: usize) -> &'a str {
    let version = if after { &file.after } else { &file.before };
    match file.language {
        crate::gate::language::Language::Plain if file.path.extension() != Some("json") => "",
        crate::gate::language::Language::Plain | crate::gate::language::Language::Hash => {
            version.lines.get(line).copied().unwrap_or_default()
        }
        _ => version.code_line(line),
    }
}

/// Whether the line is in a test that existed before: a new test may take its time.
fn in_kept_test(view: &View<'_>, file: &crate::gate::view::Reading<'_>, line: usize) -> bool {
    let Some(test) = file.after.test_at(line) else {
        return file.test_path
            && !file.after.functions.iter().any(|f| f.span.contains(&0))
            && file.after.code_line(line).contains("setTimeout");
    };
    view.pairing.kept.iter().any(|(_, (at, which))| {
        std::ptr::eq(&raw const view.files[*at], file) && file.after.functions.get(*which) == Some(test)
    })
}

/// A limit on a line: the line without its number, and the number in milliseconds where a unit is given.
fn limit(text: &str) -> Option<(String, f64)> {
    let found = LIMIT.captures(text)?;
    let number = found.get(1).or_else(|| found.get(3)).or_else(|| found.get(4))?;
    let value: f64 = number.as_str().replace('_', "").parse().ok()?;
    let unit = found.get(2).map_or(1.0, |unit| match unit.as_str() {
        "s" => 1e3,
        "m" => 6e4,
        "h" => 3.6e6,
        _ => 1.0,
    });
    let skeleton = format!("{}#{}", text[..number.start()].trim(), text[number.end()..].trim());
    Some((skeleton, value * unit))
}

#[cfg(test)]
mod tests {
    use crate::gate::testing::{blocks, passes, shown};

    #[test]
    fn raised_limits_in_tests_and_configuration_block() {
        let py = |n: u32| format!("def test_a():\n    assert wait(timeout={n}) == 1\n");
        blocks("raised-timeout", &[("tests/test_a.py", &py(5), &py(50))]);
        let rs = |n: u32| {
            format!(
                "#[test]\nfn a() {{\n    let d = f(Duration::from_secs(1));\n    std::thread::sleep(Duration::from_millis({n}));\n    assert_eq!(d, 1);\n}}\n"
            )
        };
        blocks("raised-timeout", &[("src/a.rs", &rs(10), &rs(1000))]);
        blocks("raised-timeout", &[("pytest.ini", "[pytest]\ntimeout = 10\n", "[pytest]\ntimeout = 100\n")]);
        let js = "it('a', () => { expect(f()).toBe(1) })\n";
        blocks("raised-timeout", &[("a.test.js", js, &js.replace("{ expect", "{ jest.setTimeout(60000); expect"))]);
    }

    #[test]
    fn lowered_limits_and_prose_pass_and_sources_are_shown() {
        let py = |n: u32| format!("def test_a():\n    assert wait(timeout={n}) == 1\n");
        passes(&[("docs.md", "the timeout is 5 s\n", "the timeout is 50 s\n")]);
        assert!(
            !crate::gate::testing::blocked(&[("tests/test_a.py", &py(50), &py(5))])
                .contains(&"raised-timeout".to_owned())
        );
        assert_eq!(shown(&[("a.py", "TIMEOUT = 5\n", "TIMEOUT = 50\n")]), ["raised-timeout"]);
    }
}
