//! Tests that are switched off: marks, calls, conditions that never hold, and focus on others.

use super::{Rule, finding, quote};
use crate::evidence::{Finding, Weight};
use crate::gate::language::Language;
use crate::gate::pattern::{Pattern, patterns};
use crate::gate::view::{Reading, Tally, Version, View};

pub(super) static RULE: Rule = Rule {
    name: "skipped-test",
    about: "A test is skipped, expected to fail, or left out because another is focused",
    why: "Blocks: a skipped test proves nothing. A new test that is born skipped takes nothing away and is shown.",
    check,
};

patterns! {
    RUST = r"#!?\[\s*(?:ignore\b|cfg_attr\([^\]]*\bignore\b|cfg\(\s*(?:any\(\s*\)|not\(\s*(?:all\(\s*\)|test)\s*\)|FALSE|false))|#\[cfg\(all\(\s*test\s*,|#\[cfg\(\s*feature\b|\bif\s+false\b";
    PYTHON = r"\bmark\.(?:skip|skipif|xfail)\b|\bpytest\.(?:skip|xfail|importorskip)\s*\(|\bunittest\.(?:skip\w*|expectedFailure)\b|@(?:skip|skipIf|skipUnless|expectedFailure|pytest_skip)\b|\.skipTest\s*\(|\braise\s+(?:unittest\.)?SkipTest\b|\b__test__\s*=\s*False|\bcollect_ignore\w*\s*=|@(?:nottest|no_type_check_test)\b|^\s*(?:if|while)\s+(?:False|0|not\s+True)\s*:|^\s*del\s+test\w*|^\s*test_\w+\s*=[^=]";
    JAVASCRIPT = r"\b(?:it|test|describe|context|suite|specify)(?:\.\w+)*\.(?:skip|only|todo|failing|fails|skipIf|runIf)\b|\b(?:xit|xtest|xdescribe|xcontext|xspecify|fit|fdescribe|ftest)\s*\(|\b(?:this|t|ctx|context)\.(?:skip|todo)\s*\(|\b(?:skip|todo|only)\s*:\s*(?:true|[\x22\x27\x60])|\bpending\s*\(|\bif\s*\(\s*(?:false|0)\s*\)";
    GO = r"\b[tb]\.(?:Skip|SkipNow|Skipf)\s*\(|\btesting\.Short\s*\(|\bif\s+false\b";
    GO_BUILD = r"^\s*//\s*(?:go:build|\+build)\b";
    JVM = r"@(?:Disabled\w*|Ignore|Ignored|DisabledIf\w*|EnabledIf\w*)\b|\bassume(?:True|False|That)\s*\(|\[(?:Ignore|Explicit)\b|\bSkip\s*=\s*\x22|\.ignore\s*\(";
    HASH = r"^\s*(?:xit|xdescribe|xcontext|pending|skip|fit|fdescribe)\b|\b(?:skip|pending)\s*(?:\(|\x22|\x27|$)|,\s*(?:skip|pending|focus):\s*(?:true|[\x22\x27])|@tag\s+:?skip";
    BRACES = r"\bGTEST_SKIP\s*\(|\bDISABLED_\w+|\bmarkTest(?:Skipped|Incomplete)\s*\(|\bXCTSkip\w*\b|\bQSKIP\s*\(|^\s*#\s*if\s+0\b";
    EARLY = r"^\s*(?:return(?:\s*(?:Ok\(\(\)\)|None|nil|true|undefined|null|\(\)|\d+))?\s*;?|(?:\}\s*)?(?:el(?:se\s+)?)?if\b.*[:{)\s]return\b.*|.*\belse\s*\{\s*return\b.*)$";
}

fn check(view: &View<'_>) -> Vec<Finding> {
    let (before, after) = (tally(view, false), tally(view, true));
    let fresh = |file: usize, line: usize| view.files[file].added().any(|added| added == line);
    let mut findings: Vec<Finding> = after
        .beyond(&before, &fresh)
        .into_iter()
        .map(|(mark, at, line)| {
            let file = &view.files[at];
            let born = born_skipped(view, at, line);
            let (what, weight) = if born {
                ("a new test is skipped", Weight::Show)
            } else {
                ("tests are switched off by", Weight::Block)
            };
            finding(
                &RULE,
                file,
                Some(line),
                format!("{what} {}", quote(&mark)).replace("skipped `", "skipped: `"),
                weight,
            )
        })
        .collect();
    findings.extend(view.files.iter().flat_map(|file| early_returns(view, file)));
    findings
}

fn tally(view: &View<'_>, after: bool) -> Tally {
    let mut tally = Tally::default();
    for (at, file) in view.files.iter().enumerate() {
        let Some(pattern) = pattern(file.language) else { continue };
        let version = file.version(after);
        if !file.test_path && !version.functions.iter().any(|function| function.test) && file.language != Language::Rust
        {
            continue;
        }
        for line in file.own_lines(after) {
            let code = version.code_line(line);
            if let Some(mark) = pattern.find(code) {
                if rust_outside_tests(file, version, line, mark.as_str()) {
                    continue;
                }
                tally.note(mark.as_str().split_whitespace().collect::<Vec<_>>().join(" "), at, line);
            }
        }
        if file.language == Language::Go && file.collected() {
            for line in file.own_lines(after) {
                let text = version.comment_line(line);
                if GO_BUILD.is_match(text) {
                    tally.note(text.trim().to_owned(), at, line);
                }
            }
        }
    }
    tally
}

/// `#[cfg(feature …)]` and kin switch code as well as tests: they count only where a test or a test module follows.
fn rust_outside_tests(file: &Reading<'_>, version: &Version<'_>, line: usize, mark: &str) -> bool {
    if file.language != Language::Rust || !mark.contains("cfg(") {
        return false;
    }
    let follows = version
        .masked
        .code
        .lines()
        .skip(line + 1)
        .map(str::trim)
        .find(|code| !code.is_empty() && !code.starts_with("#["));
    let module = follows.is_some_and(|code| code.starts_with("mod ") && code.contains("test"));
    let whole_file = mark.starts_with("#!") && file.test_path;
    !(module || whole_file || version.test_at(line).is_some())
}

fn pattern(language: Language) -> Option<&'static Pattern> {
    Some(match language {
        Language::Rust => &RUST,
        Language::Python => &PYTHON,
        Language::JavaScript => &JAVASCRIPT,
        Language::Go => &GO,
        Language::Jvm => &JVM,
        Language::Hash => &HASH,
        Language::Braces => &BRACES,
        Language::Plain => return None,
    })
}

/// Whether the mark stands in a test that did not exist before; a focus on one test leaves out all others.
fn born_skipped(view: &View<'_>, at: usize, line: usize) -> bool {
    let file = &view.files[at];
    let code = file.after.code_line(line);
    if code.contains(".only") || code.contains("fit(") || code.contains("fdescribe") {
        return false;
    }
    let Some(test) = file.after.test_at(line) else { return !file.before.exists() && view.pairing.gone.is_empty() };
    let which = file.after.functions.iter().position(|function| function == test);
    which.is_some_and(|which| view.pairing.new.contains(&(at, which)))
}

/// A test that returns before it checks anything.
fn early_returns(view: &View<'_>, file: &Reading<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for line in file.added() {
        let code = file.after.code_line(line);
        if !EARLY.is_match(code) {
            continue;
        }
        let Some(test) = file.after.test_at(line) else { continue };
        let which = file.after.functions.iter().position(|function| function == test);
        let kept = view.pairing.kept.iter().any(|(_, new)| {
            Some(*new)
                == which
                    .map(|which| (view.files.iter().position(|f| std::ptr::eq(f, file)).unwrap_or(usize::MAX), which))
        });
        let body = file.after.body(test);
        let first = crate::gate::assertion::assertions(body, file.language)
            .last()
            .is_some_and(|last| file.after.line_of(test.span.start) + last.line > line);
        if kept && first {
            findings.push(finding(
                &RULE,
                file,
                Some(line),
                format!("the test {} returns before its assertions", quote(&test.symbol)),
                Weight::Block,
            ));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use crate::gate::testing::{blocked, blocks, passes, shown};

    const RS: &str = "#[test]\nfn a() {\n    assert_eq!(f(), 1);\n}\n";
    const PY: &str = "import pytest\n\ndef test_a():\n    assert f() == 1\n";

    #[test]
    fn marks_on_existing_tests_block() {
        blocks("skipped-test", &[("src/a.rs", RS, &RS.replace("#[test]\n", "#[test]\n#[ignore]\n"))]);
        blocks("skipped-test", &[("src/a.rs", RS, &RS.replace("#[test]\n", "#[test]\n#[ignore = \"flaky\"]\n"))]);
        blocks("skipped-test", &[("src/a.rs", RS, &RS.replace("#[test]\n", "#[cfg(any())]\n#[test]\n"))]);
        blocks("skipped-test", &[("src/a.rs", RS, &RS.replace("#[test]", "#[test]\n#[cfg(feature = \"slow\")]"))]);
        for mark in [
            "@pytest.mark.skip",
            "@pytest.mark.xfail(reason='x')",
            "@pytest.mark.skipif(True, reason='')",
            "@unittest.skip('x')",
        ] {
            blocks("skipped-test", &[("tests/test_a.py", PY, &PY.replace("def test", &format!("{mark}\ndef test")))]);
        }
        blocks(
            "skipped-test",
            &[("tests/test_a.py", PY, &PY.replace("    assert", "    pytest.skip('later')\n    assert"))],
        );
        blocks("skipped-test", &[("tests/test_a.py", PY, &PY.replace("\n\n", "\npytestmark = pytest.mark.skip\n\n"))]);
    }

    #[test]
    fn every_family_of_runners_is_known() {
        let js = "it('a', () => { expect(f()).toBe(1) })\n";
        for to in ["it.skip(", "xit(", "it.todo(", "it.only("] {
            blocks("skipped-test", &[("a.test.js", js, &js.replace("it(", to))]);
        }
        blocks("skipped-test", &[("a.test.js", "describe('x', () => {})\n", "describe.only('x', () => {})\n")]);
        let go = "func TestA(t *testing.T) {\n\tif f() != 1 {\n\t\tt.Fatal()\n\t}\n}\n";
        blocks("skipped-test", &[("a_test.go", go, &go.replace("{\n\tif", "{\n\tt.Skip()\n\tif"))]);
        let java = "class ATest {\n    @Test\n    void a() { assertEquals(1, f()); }\n}\n";
        blocks("skipped-test", &[("ATest.java", java, &java.replace("@Test", "@Disabled @Test"))]);
    }

    #[test]
    fn an_early_return_blocks() {
        blocks("skipped-test", &[("src/a.rs", RS, &RS.replace("{\n", "{\n    return;\n"))]);
        blocks("skipped-test", &[("tests/test_a.py", PY, &PY.replace("    assert", "    return\n    assert"))]);
        blocks("skipped-test", &[("tests/test_a.py", PY, &PY.replace("    assert", "    if f(): return\n    assert"))]);
        let guard = "{\n    let Some(x) = g() else { return };\n";
        blocks("skipped-test", &[("src/a.rs", RS, &RS.replace("{\n", guard))]);
    }

    #[test]
    fn a_test_born_skipped_is_shown_and_moves_pass() {
        let born = format!("{RS}\n#[test]\n#[ignore = \"needs a network\"]\nfn b() {{\n    assert_eq!(g(), 2);\n}}\n");
        assert_eq!(shown(&[("src/a.rs", RS, &born)]), ["skipped-test"]);
        let skipped = RS.replace("#[test]\n", "#[test]\n#[ignore]\n");
        passes(&[("src/a.rs", &skipped, "//\n"), ("src/b.rs", "", &skipped)]);
        passes(&[("src/a.rs", &skipped, RS)]);
    }

    #[test]
    fn words_in_comments_strings_and_sources_pass() {
        passes(&[("src/a.rs", RS, &format!("// #[ignore] is not used here\n{RS}"))]);
        passes(&[("src/a.py", "x = 1\n", "x = 1\npytest_args = 'pytest.mark.skip'\n")]);
        assert!(blocked(&[("src/a.rs", "fn f() {}\n", "#[cfg(feature = \"x\")]\nfn f() {}\n")]).is_empty());
    }
}
