//! Tests that keep their assertions and lose what they test: it is mocked, patched or defined anew.

use std::collections::BTreeSet;

use super::{Rule, finding, quote};
use crate::evidence::{Finding, Weight};
use crate::gate::novelty::is_new;
use crate::gate::pattern::patterns;
use crate::gate::view::{Reading, View};

pub(super) static RULE: Rule = Rule {
    name: "replaced-subject",
    about: "What a test calls is replaced by a stand-in",
    why: "Blocks: the test then checks its own stand-in. Stand-ins for what the test does not call itself are shown; those of new tests pass.",
    check,
};

patterns! {
    CALL = r"\b([A-Za-z_]\w*)\s*(?:::<[^>]*>)?!?\(";
    NO_SUBJECT = r"^(?:if|for|while|match|switch|return|assert\w*|expect\w*|it|test|describe|print\w*|panic|Some|Ok|Err|None|vec|format|len|str|int|list|dict|set|tuple|range|raises|approx|to[A-Z]\w*|Errorf?|Fatalf?|fn|func|def|function|and|or|not|in|super|is|unwrap|lambda|fixture|parametrize)$";
    DEFINED = r"^\s*(?:(?:pub(?:\([^)]*\))?|async|const|export|default)\s+)*(?:def|fn|func|function\*?)\s+([A-Za-z_]\w*)|^\s*(?:(?:let|const|var)\s+)?(?:mut\s+)?([A-Za-z_]\w*)\s*(?::\s*[\w<>\[\]]+\s*)?:?=\s*(?:lambda\b|(?:\w+\.)*(?:Magic|Async|NonCallable)?Mock\w*\b|create_autospec\b|(?:jest|vi|mock|sinon)\.(?:fn|stub|fake)\b|move\s*\||\||func\b|(?:async\s*)?(?:function\b|\([^)]*\)\s*=>|\w+\s*=>))";
    ATTRIBUTE = r"^\s*[A-Za-z_]\w*(?:\.\w+)*\.([A-Za-z_]\w*)\s*=[^=]";
    PATCHED = r"\bmonkeypatch\.(?:setattr|setitem|delattr)\s*\(|\bmocker\.(?:patch|spy|stub)\b|(?:^|[@\s(=.])patch(?:\.object|\.multiple)?\s*\(|\b(?:jest|vi)\.(?:mock|doMock|spyOn|unstable_mockModule|setMock)\s*\(|\bsinon\.(?:stub|replace|fake)\s*\(|\bmock\.(?:module|method)\s*\(|\bproxyquire\s*\(|\bsetattr\s*\(";
    PROJECT_FILE = r#"["'`](?:\.{1,2}/|@/|~/|src/|\.["'`])"#;
    WORD = r"[A-Za-z_]\w*";
    HELPER = r"(?i)conftest|helper|util|common|support|fixture|\btests?\b";
}

fn check(view: &View<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (at, file) in view.files.iter().enumerate().filter(|(_, file)| file.before.exists() && file.after.exists()) {
        let subjects = subjects(view, at);
        if subjects.is_empty() {
            continue;
        }
        for line in file.added().filter(|line| file.is_test_line(*line) && !in_new_test(view, at, *line)) {
            if let Some((message, weight)) = replaced(view, file, line, &subjects) {
                findings.push(finding(&RULE, file, Some(line), message, weight));
            }
        }
    }
    findings
}

/// The names that the tests of a file, which stay, called before.
fn subjects<'a>(view: &'a View<'_>, file: usize) -> BTreeSet<&'a str> {
    let before = &view.files[file].before;
    let kept = view.pairing.kept.iter().filter(|((_, _), (new, _))| *new == file);
    let tests = kept.filter(|((old, _), _)| *old == file).filter_map(|((_, which), _)| before.functions.get(*which));
    let mut names = BTreeSet::new();
    for test in tests {
        let called = CALL.captures_iter(before.code(test)).filter_map(|found| found.get(1));
        names.extend(called.map(|name| name.as_str()).filter(|name| *name != test.name && !NO_SUBJECT.is_match(name)));
    }
    names
}

fn in_new_test(view: &View<'_>, at: usize, line: usize) -> bool {
    let version = &view.files[at].after;
    let test = version.test_at(line);
    let which = version.functions.iter().position(|function| Some(function) == test);
    which.is_some_and(|which| view.pairing.new.contains(&(at, which)))
}

fn replaced(view: &View<'_>, file: &Reading<'_>, line: usize, subjects: &BTreeSet<&str>) -> Option<(String, Weight)> {
    let (text, code) = (file.after.without_comment(line), file.after.code_line(line));
    if code.trim().is_empty() {
        return None;
    }
    let stand_in = |name: &str| (format!("the test calls {}, and that is a stand-in now", quote(name)), Weight::Block);
    let defined = DEFINED.captures(code).and_then(|found| found.get(1).or_else(|| found.get(2)));
    let defined = defined.map(|name| name.as_str()).filter(|name| !stood(file, name));
    let assigned = ATTRIBUTE.captures(code).and_then(|found| found.get(1)).map(|name| name.as_str());
    let assigned = assigned.filter(|_| is_new(view, file, text.trim()));
    if let Some(name) = defined.or(assigned).filter(|name| subjects.contains(name)) {
        return Some(stand_in(name));
    }
    let found = PATCHED.find(text).filter(|_| is_new(view, file, text.trim()))?;
    let arguments = text.get(found.end()..).unwrap_or_default();
    if let Some(name) = WORD.find_iter(arguments).map(|word| word.as_str()).find(|word| subjects.contains(word)) {
        return Some(stand_in(name));
    }
    let own = PROJECT_FILE.is_match(arguments);
    let weight = if own { Weight::Block } else { Weight::Show };
    Some((format!("a stand-in comes into tests that stood: {}", quote(text)), weight))
}

/// Whether the name was the tests' own before: defined in their code, or taken from another test's helper.
fn stood(file: &Reading<'_>, name: &str) -> bool {
    let before = &file.before;
    let word = |text: &str| WORD.find_iter(text).any(|word| word.as_str() == name);
    let own = before.masked.code.lines().enumerate().any(|(line, code)| {
        let defines = DEFINED.captures(code).and_then(|found| found.get(1).or_else(|| found.get(2)));
        defines.is_some_and(|it| it.as_str() == name) && (file.test_path || before.in_test(line))
    });
    let import = |line: &&&str| {
        let start = line.trim_start();
        start.starts_with("from ")
            || start.starts_with("import ")
            || start.starts_with("use ")
            || start.contains("require(")
    };
    own || before.lines.iter().filter(import).any(|line| word(line) && HELPER.is_match(line))
}

#[cfg(test)]
mod tests {
    use crate::gate::testing::{blocks, judged, shown};

    const PY: &str = "from app import add\n\n\ndef test_add():\n    total = add(1, 2)\n    assert total == 3\n";

    fn silent(path: &str, before: &str, after: &str) {
        let found = judged(&[(path, before, after)]);
        assert!(found.iter().all(|finding| finding.rule != "replaced-subject"), "{found:?}");
    }

    #[test]
    fn stand_ins_for_what_is_tested_block() {
        for after in [
            PY.replace("from app import add", "def add(a, b):\n    return 3"),
            PY.replace("    total", "    add = Mock(return_value=3)\n    total"),
            PY.replace("    total", "    add = lambda a, b: 3\n    total"),
            PY.replace("test_add():", "test_add(monkeypatch):\n    monkeypatch.setattr('app.add', lambda a, b: 3)"),
            PY.replace("def test", "@patch('app.add', return_value=3)\ndef test"),
            PY.replace("\n\n\n", "\n\napp.add = lambda a, b: 3\n\n"),
        ] {
            blocks("replaced-subject", &[("tests/test_app.py", PY, &after)]);
        }
        let js = "import { add } from './add'\n\ntest('adds', () => {\n  expect(add(1, 2)).toBe(3)\n})\n";
        blocks("replaced-subject", &[("a.test.js", js, &format!("jest.mock('./add')\n{js}"))]);
        blocks("replaced-subject", &[("a.test.js", js, &js.replace("  expect", "  const add = jest.fn()\n  expect"))]);
        let rust = "fn add() -> u8 {\n    2\n}\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n\n    #[test]\n    fn adds() {\n        assert_eq!(add(), 3);\n    }\n}\n";
        let after = rust.replace("    use super::*;\n", "    fn add() -> u8 {\n        3\n    }\n");
        blocks("replaced-subject", &[("src/lib.rs", rust, &after)]);
    }

    #[test]
    fn other_stand_ins_are_shown_and_those_of_new_tests_pass() {
        let after = PY.replace("test_add():", "test_add(monkeypatch):\n    monkeypatch.setattr(time, 'sleep', print)");
        assert_eq!(shown(&[("tests/test_app.py", PY, &after)]), ["replaced-subject"]);
        silent(
            "tests/test_app.py",
            PY,
            &format!("{PY}\n\ndef test_b():\n    add = Mock()\n    assert use(add) == 4\n"),
        );
        silent("tests/test_app.py", PY, &PY.replace("    assert total", "    check = total\n    assert check"));
        let helper = PY.replace("from app import", "from helpers import");
        silent(
            "tests/test_app.py",
            &helper,
            &helper.replace("from helpers import add", "def add(a, b):\n    return run(a, b)"),
        );
    }
}
