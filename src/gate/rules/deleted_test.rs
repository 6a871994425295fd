//! Tests that are gone, or that no runner collects any more.

use super::{Rule, finding, quote};
use crate::evidence::{Finding, Weight};
use crate::gate::language::Language;
use crate::gate::pattern::patterns;
use crate::gate::view::{Reading, View};

pub(super) static RULE: Rule = Rule {
    name: "deleted-test",
    about: "A test is deleted, or renamed or moved so that no runner collects it",
    why: "Blocks: a failure whose test is gone is hidden, not fixed. A test that moved or was renamed and still runs is no finding.",
    check,
};

patterns! {
    MODULE = r"^\s*(?:pub(?:\([^)]*\))?\s+)?mod\s+(\w+)\s*;";
}

fn check(view: &View<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (at, which) in &view.pairing.gone {
        let file = &view.files[*at];
        let function = &file.before.functions[*which];
        let place = file.hunks.iter().find(|h| h.removed.contains(&file.before.line_of(function.span.start)));
        let line = place
            .filter(|_| file.after.exists())
            .map(|hunk| hunk.added.start.min(file.after.lines.len().saturating_sub(1)));
        findings.push(finding(
            &RULE,
            file,
            line,
            format!("the test {} is gone", quote(&function.symbol)),
            Weight::Block,
        ));
    }
    for ((old, which), (new, other)) in &view.pairing.uncollected {
        let (before, after) = (&view.files[*old], &view.files[*new]);
        let function = &after.after.functions[*other];
        let name = quote(&before.before.functions[*which].symbol);
        let message = if after.collected() || old == new {
            format!("the test {name} is now {}, which no runner collects", quote(&function.symbol))
        } else {
            format!("the test {name} moved into a file that no runner collects")
        };
        findings.push(finding(&RULE, after, Some(after.after.line_of(function.span.start)), message, Weight::Block));
    }
    for file in &view.files {
        findings.extend(shadowed(file));
        findings.extend(undeclared(view, file));
    }
    findings
}

/// Python keeps only the last of two functions of one name.
fn shadowed(file: &Reading<'_>) -> Vec<Finding> {
    if file.language != Language::Python {
        return Vec::new();
    }
    let tests = |functions: &[crate::gate::cases::Function], symbol: &str| {
        functions.iter().filter(|f| f.test && f.symbol == symbol).count()
    };
    let mut findings = Vec::new();
    for function in file.after.functions.iter().filter(|function| function.test) {
        let line = file.after.line_of(function.span.start);
        let twice =
            tests(&file.after.functions, &function.symbol) > tests(&file.before.functions, &function.symbol).max(1);
        if twice && file.added().any(|added| added == line) {
            let message =
                format!("the test {} is defined twice: the later one hides the earlier", quote(&function.symbol));
            findings.push(finding(&RULE, file, Some(line), message, Weight::Block));
        }
    }
    findings
}

/// A Rust module that is no longer declared takes its tests with it, though its file stays.
fn undeclared(view: &View<'_>, file: &Reading<'_>) -> Vec<Finding> {
    if file.language != Language::Rust || !file.after.exists() {
        return Vec::new();
    }
    let declared = |name: &str| {
        view.files.iter().any(|file| {
            file.added().any(|l| MODULE.captures(file.after.code_line(l)).is_some_and(|found| &found[1] == name))
        })
    };
    let removed_with_file = |name: &str| {
        view.files.iter().any(|other| {
            other.change.after.is_none()
                && (other.path.as_str().ends_with(&format!("/{name}.rs"))
                    || other.path.as_str().ends_with(&format!("/{name}/mod.rs")))
        })
    };
    let inlined = |name: &str| file.after.masked.code.contains(&format!("mod {name} {{"));
    let mut findings = Vec::new();
    for hunk in &file.hunks {
        for line in hunk.removed.clone() {
            let Some(found) = MODULE.captures(file.before.code_line(line)) else { continue };
            let name = found[1].to_owned();
            let testing = file.test_path || name.contains("test");
            if testing && !declared(&name) && !removed_with_file(&name) && !inlined(&name) {
                let message = format!("the module `{name}` is no longer declared: its tests do not run");
                findings.push(finding(&RULE, file, Some(hunk.added.start), message, Weight::Block));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use crate::gate::testing::{blocks, judged, passes};

    const PY: &str =
        "def test_a():\n    value = compute(1, 2)\n    assert value == 3\n\ndef test_b():\n    assert other() == 4\n";

    #[test]
    fn a_deleted_test_blocks_at_its_place() {
        let after = "def test_b():\n    assert other() == 4\n";
        blocks("deleted-test", &[("tests/test_x.py", PY, after)]);
        assert_eq!(judged(&[("tests/test_x.py", PY, after)])[0].line, Some(1));
        blocks("deleted-test", &[("tests/test_x.py", PY, "")]);
        blocks("deleted-test", &[("src/a.rs", "#[test]\nfn a() { assert_eq!(f(), 1); }\n", "\n")]);
    }

    #[test]
    fn a_test_that_is_commented_out_is_deleted() {
        blocks(
            "deleted-test",
            &[(
                "src/a.rs",
                "#[test]\nfn a() { assert_eq!(f(), 1); }\n",
                "// #[test]\n// fn a() { assert_eq!(f(), 1); }\n",
            )],
        );
    }

    #[test]
    fn a_test_that_lost_its_name_or_attribute_blocks() {
        blocks("deleted-test", &[("tests/test_x.py", PY, &PY.replace("test_a", "check_a"))]);
        blocks(
            "deleted-test",
            &[("src/a.rs", "#[test]\nfn a() { assert_eq!(f(), 1); }\n", "fn a() { assert_eq!(f(), 1); }\n")],
        );
        blocks(
            "deleted-test",
            &[(
                "a_test.go",
                "func TestA(t *testing.T) { if f() != 1 { t.Fatal() } }\n",
                "func testA(t *testing.T) { if f() != 1 { t.Fatal() } }\n",
            )],
        );
        let class = "class TestA:\n    def test_x(self):\n        assert f() == 1\n";
        blocks("deleted-test", &[("tests/test_x.py", class, &class.replace("TestA", "A"))]);
    }

    #[test]
    fn a_file_renamed_out_of_collection_blocks() {
        blocks("deleted-test", &[("tests/test_x.py", PY, ""), ("tests/x.py", "", PY)]);
        let js = "test('adds', () => { expect(add(1, 2)).toBe(3) })\n";
        blocks("deleted-test", &[("src/a.test.js", js, ""), ("src/a.disabled.js", "", js)]);
    }

    #[test]
    fn a_shadowed_test_and_an_undeclared_module_block() {
        blocks(
            "deleted-test",
            &[("tests/test_x.py", PY, &format!("{PY}\ndef test_a():\n    assert compute(1, 2) is not None\n"))],
        );
        blocks("deleted-test", &[("src/lib.rs", "mod a;\n#[cfg(test)]\nmod tests;\n", "mod a;\n")]);
    }

    #[test]
    fn moving_and_renaming_and_adding_tests_pass() {
        passes(&[
            ("tests/test_x.py", PY, "def test_b():\n    assert other() == 4\n"),
            ("tests/test_y.py", "", "def test_a():\n    value = compute(1, 2)\n    assert value == 3\n"),
        ]);
        passes(&[("tests/test_x.py", PY, &PY.replace("test_a", "test_computes_the_value"))]);
        passes(&[("tests/test_x.py", PY, &format!("{PY}\ndef test_c():\n    assert f() == 1\n"))]);
        passes(&[("tests/test_x.py", PY, ""), ("tests/test_z.py", "", PY)]);
        passes(&[
            (
                "src/lib.rs",
                "#[cfg(test)]\nmod tests {\n    #[test]\n    fn a() { assert_eq!(f(), 1); }\n}\n",
                "#[cfg(test)]\nmod tests;\n",
            ),
            ("src/tests.rs", "", "#[test]\nfn a() { assert_eq!(f(), 1); }\n"),
        ]);
    }

    #[test]
    fn a_function_named_test_outside_of_tests_is_no_test() {
        passes(&[("src/net.py", "def test_connection():\n    return ping()\n", "def probe():\n    return ping()\n")]);
    }
}
