//! Assertions that stay word for word, but moved to where they may never run.

use super::{Rule, finding, quote};
use crate::evidence::{Finding, Weight};
use crate::gate::assertion::{Assertion, assertions};
use crate::gate::cases::Function;
use crate::gate::language::Language;
use crate::gate::pattern::patterns;
use crate::gate::view::{Version, View};

pub(super) static RULE: Rule = Rule {
    name: "guarded-assertion",
    about: "An assertion runs only under a condition that was not there before",
    why: "Blocks: where the condition does not hold nothing is checked. A loop around it is shown, for it may run no times.",
    check,
};

patterns! {
    PYTHON = r"^(?:if|elif|else|except|match|case|async\s+def|def|class)\b|^with\b.*suppress";
    PYTHON_LOOP = r"^(?:async\s+)?(?:for|while)\b";
    TRY = r"^try\b";
    INLINE = r"\b(?:and|or|if|lambda)\b|&&|\|\||\?";
    BRACES = r"\b(?:if|else|catch|try|switch|fn|func|function|when)\b|\bmatch\b|\bmove\b|\|[^|]*\|\s*$|=>\s*$|->\s*$";
    LOOP = r"\b(?:for|while|loop)\b|\.(?:for_each|forEach|map|each)\b";
    /// Steps and sections that always run what they hold.
    RUNS = r"\b(?:subTest|step|describe|it|test|act|waitFor|t\.Run|unsafe|block_on|async)\b";
    FULL = r"\bin\s*[\[(]\s*[^\])\s]|\bof\s*\[\s*[^\]\s]|\bin\s+&?\[|\brange\s+\[\]\w+\{";
}

/// How many conditions and how many loops stand around an assertion.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Around {
    conditions: usize,
    loops: usize,
}

fn check(view: &View<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for ((old, before), (new, after)) in &view.pairing.kept {
        let (old, new) = (&view.files[*old], &view.files[*new]);
        let (before, after) = (&old.before.functions[*before], &new.after.functions[*after]);
        if old.before.body(before) == new.after.body(after) {
            continue;
        }
        let was = placed(&old.before, before, old.language);
        let is = placed(&new.after, after, new.language);
        let Some((assertion, weight)) = deeper(&was, &is) else { continue };
        let line = new.after.line_of(after.span.start) + assertion.line;
        let message = format!("{} now runs only under a condition or in a loop", quote(&assertion.text));
        findings.push(finding(&RULE, new, Some(line), message, weight));
    }
    findings
}

fn deeper<'a>(was: &[(Assertion, Around)], is: &'a [(Assertion, Around)]) -> Option<(&'a Assertion, Weight)> {
    let mut left: Vec<&(Assertion, Around)> = was.iter().collect();
    let mut fresh = Vec::new();
    let mut looped = None;
    for (assertion, around) in is {
        let Some(at) = left.iter().position(|(old, _)| old.text == assertion.text) else {
            fresh.push((assertion, around));
            continue;
        };
        let (_, before) = left.remove(at);
        if around.conditions > before.conditions {
            return Some((assertion, Weight::Block));
        }
        if around.loops > before.loops {
            looped = Some((assertion, Weight::Show));
        }
    }
    // Of those that were reworded, fewer than before may run always.
    let always = left.iter().filter(|(_, around)| around.conditions == 0).count();
    let now = fresh.iter().filter(|(_, around)| around.conditions == 0).count();
    let guarded = fresh.iter().find(|(_, around)| around.conditions > 0);
    guarded.filter(|_| now < always).map(|(assertion, _)| (*assertion, Weight::Block)).or(looped)
}

fn placed(version: &Version<'_>, test: &Function, language: Language) -> Vec<(Assertion, Around)> {
    let (body, code) = (version.body(test), version.code(test));
    let all = assertions(body, language).into_iter().filter(|it| it.strength > 0 && !it.expected_only);
    all.map(|it| {
        let around = if language == Language::Python { indented(code, &it) } else { bracketed(body, code, &it) };
        (it, around)
    })
    .collect()
}

fn indented(code: &str, assertion: &Assertion) -> Around {
    let mut around = Around::default();
    let lines: Vec<&str> = code.lines().collect();
    let Some(own) = lines.get(assertion.line) else { return around };
    let width = |line: &str| line.len() - line.trim_start().len();
    let head = own.find("assert").unwrap_or(0);
    around.conditions += usize::from(INLINE.is_match(own.get(..head).unwrap_or_default()));
    let catches = lines.iter().any(|line| line.trim_start().starts_with("except"));
    let mut limit = width(own);
    for line in lines.iter().take(assertion.line).rev().filter(|line| !line.trim().is_empty()) {
        if width(line) >= limit {
            continue;
        }
        limit = width(line);
        let header = line.trim();
        // The test's own `def` is the outermost.
        let own_definition = !lines.iter().any(|other| !other.trim().is_empty() && width(other) < limit);
        if own_definition {
            break;
        }
        around.conditions += usize::from(PYTHON.is_match(header) || (catches && TRY.is_match(header)));
        around.loops += usize::from(PYTHON_LOOP.is_match(header) && !FULL.is_match(header));
    }
    around
}

fn bracketed(body: &str, code: &str, assertion: &Assertion) -> Around {
    let start: usize = body.split_inclusive('\n').take(assertion.line).map(str::len).sum();
    let head = assertion.text.split(['(', ' ']).next().unwrap_or_default();
    let line = body.get(start..).and_then(|rest| rest.lines().next()).unwrap_or_default();
    let end = start + line.find(head).unwrap_or(0);
    let code = code.get(..end).unwrap_or_default();
    let mut open: Vec<Around> = Vec::new();
    let mut from = 0;
    for (at, byte) in code.bytes().enumerate() {
        match byte {
            b'{' => {
                // The first block is the test's own.
                let header = code.get(from..at).unwrap_or_default();
                open.push(if open.is_empty() { Around::default() } else { of_block(header) });
                from = at + 1;
            }
            b'}' => {
                open.pop();
                from = at + 1;
            }
            // Go's `if x := f(); x > 0 {` goes on behind its semicolon.
            b';' if code.get(at + 1..).is_some_and(|rest| rest.starts_with(['\n', '\r'])) => from = at + 1,
            b';' if !code.get(from..at).unwrap_or_default().trim_start().starts_with(['i', 'f', 's']) => from = at + 1,
            _ => {}
        }
    }
    let rest = code.get(from..).unwrap_or_default().trim_start();
    let inline = usize::from(rest.contains("&&") || rest.starts_with("if ") || rest.starts_with("if("));
    let sum = |pick: fn(&Around) -> usize| open.iter().map(pick).sum::<usize>();
    Around { conditions: sum(|it| it.conditions) + inline, loops: sum(|it| it.loops) }
}

fn of_block(header: &str) -> Around {
    let loops = LOOP.is_match(header);
    let condition = !loops && BRACES.is_match(header) && !RUNS.is_match(header);
    Around { conditions: usize::from(condition), loops: usize::from(loops && !FULL.is_match(header)) }
}

#[cfg(test)]
mod tests {
    use crate::gate::testing::{blocks, judged, shown};

    fn py(body: &str) -> String {
        format!("def test_a():\n    x = prepare(1)\n{body}")
    }

    fn rs(body: &str) -> String {
        format!("#[test]\nfn a() {{\n    let x = prepare(1);\n{body}}}\n")
    }

    #[test]
    fn conditions_around_an_assertion_block() {
        let before = py("    assert x == 3\n");
        for body in [
            "    if x:\n        assert x == 3\n",
            "    try:\n        assert x == 3\n    except ValueError:\n        raise\n",
            "    def later():\n        assert x == 3\n",
            "    if x:\n        with manager():\n            assert x == 3\n",
            "    if x:\n        assert x == 1 + 2\n",
        ] {
            blocks("guarded-assertion", &[("tests/test_a.py", &before, &py(body))]);
        }
        let before = rs("    assert_eq!(x, 3);\n");
        for body in [
            "    if x > 0 {\n        assert_eq!(x, 3);\n    }\n",
            "    if let Ok(x) = x {\n        assert_eq!(x, 3);\n    }\n",
            "    let later = || {\n        assert_eq!(x, 3);\n    };\n",
        ] {
            blocks("guarded-assertion", &[("src/a.rs", &before, &rs(body))]);
        }
        let js = "it('a', () => {\n  expect(f()).toBe(3)\n})\n";
        let after = js.replace("  expect(f()).toBe(3)\n", "  if (ready) {\n    expect(f()).toBe(3)\n  }\n");
        blocks("guarded-assertion", &[("a.test.js", js, &after)]);
    }

    #[test]
    fn loops_are_shown_and_sections_pass() {
        let before = py("    assert x == 3\n");
        let after = py("    for x in found():\n        assert x == 3\n");
        assert_eq!(shown(&[("tests/test_a.py", &before, &after)]), ["guarded-assertion"]);
        for body in [
            "    with open('a') as file:\n        assert x == 3\n",
            "    for x in [1, 2]:\n        assert x == 3\n",
            "    try:\n        assert x == 3\n    finally:\n        close()\n",
        ] {
            let found = judged(&[("tests/test_a.py", &before, &py(body))]);
            assert!(found.iter().all(|finding| finding.rule != "guarded-assertion"), "{found:?}");
        }
        let before = rs("    if x > 0 {\n        assert_eq!(x, 3);\n    }\n");
        let found = judged(&[("src/a.rs", &before, &rs("    assert_eq!(x, 3);\n"))]);
        assert!(found.iter().all(|finding| finding.rule != "guarded-assertion"), "{found:?}");
    }
}
