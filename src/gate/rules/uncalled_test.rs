//! Tests that are still there, and that the runner takes away, never calls or does not wait for.

use super::{Rule, finding, quote};
use crate::evidence::{Finding, Weight};
use crate::gate::cases::{Function, block_end};
use crate::gate::language::Language;
use crate::gate::novelty::is_new;
use crate::gate::pattern::patterns;
use crate::gate::view::{Reading, Version, View};

pub(super) static RULE: Rule = Rule {
    name: "uncalled-test",
    about: "A test stays in its file, but is not run to its end any more",
    why: "Blocks: a test that is taken out at run time, that is a fixture, a generator or a coroutine, or whose expectation nobody waits for cannot fail.",
    check,
};

patterns! {
    REMOVED = r#"\b(?:globals|vars|locals)\(\s*\w*\s*\)\s*(?:\.(?:pop|clear|update|__delitem__|setdefault)\s*\(|\[[^\]]*\]\s*=[^=])|\bdel\s+(?:globals|vars|locals)\(|\bdel\s+[\w.]*\btest\w*|\bdelattr\(\s*[^,]*,\s*["']test|\bsetattr\(\s*[^,]*,\s*["']test|^\s*Test\w*\.test\w*\s*=[^=]|\b__dict__\b.*(?:pop|del|update)|^\s*def\s+load_tests\s*\("#;
    FIXTURE = r"(?m)^\s*@(?:pytest\.|pytest_asyncio\.)?(?:fixture|property|staticmethod\s*\n\s*@\w+|contextmanager|contextlib\.contextmanager|overload|abstractmethod|abc\.abstractmethod)\b";
    COROUTINE = r"(?m)^\s*async\s+def\s+test";
    AWAITED = r"\bmark\.(?:asyncio|anyio|trio|gen_test)\b|\bIsolatedAsyncioTestCase\b|\bAsyncTestCase\b|\bgen_test\b|\basyncio_mode\b|\banyio_mode\b|\btrio_mode\b";
    YIELD = r"\byield\b";
    LATER = r"\.(?:then|catch|finally)\s*\(|\b(?:setTimeout|setImmediate|setInterval|queueMicrotask|process\.nextTick)\s*\(|\.(?:resolves|rejects)\s*\.";
    CHECKS = r"\bexpect\s*\(|\bassert\b";
    WAITS = r"\bawait\b|\breturn\b|=>\s*[\w$.()]*$|\byield\b|Promise\.(?:all|race|allSettled)";
    SIGNALS = r"\bdone\b|\bresolve\b";
}

fn check(view: &View<'_>) -> Vec<Finding> {
    let mut findings: Vec<Finding> = view.files.iter().flat_map(|file| removed(view, file)).collect();
    for ((old, before), (new, after)) in &view.pairing.kept {
        let (old, new) = (&view.files[*old], &view.files[*new]);
        let (before, after) = (&old.before.functions[*before], &new.after.functions[*after]);
        let what = match new.language {
            Language::Python => python(view, new, (&old.before, before), (&new.after, after)),
            Language::JavaScript => (unawaited(new.after.code(after)) > unawaited(old.before.code(before)))
                .then_some("checks something that it does not wait for"),
            _ => None,
        };
        if let Some(what) = what {
            let message = format!("the test {} {what}", quote(&after.symbol));
            findings.push(finding(&RULE, new, Some(new.after.line_of(after.span.start)), message, Weight::Block));
        }
    }
    findings
}

fn removed(view: &View<'_>, file: &Reading<'_>) -> Vec<Finding> {
    if file.language != Language::Python {
        return Vec::new();
    }
    let new = file.added().filter_map(|line| {
        let found = REMOVED.find(file.after.without_comment(line))?.as_str().trim();
        let code = !file.after.code_line(line).trim().is_empty();
        let message = format!("tests are taken away at run time by {}", quote(found));
        (code && is_new(view, file, found)).then(|| finding(&RULE, file, Some(line), message, Weight::Block))
    });
    new.collect()
}

fn python(
    view: &View<'_>,
    file: &Reading<'_>,
    (old, before): (&Version<'_>, &Function),
    (new, after): (&Version<'_>, &Function),
) -> Option<&'static str> {
    let (was, is) = (old.code(before), new.code(after));
    let began = |pattern: &regex::Regex| pattern.is_match(is) && !pattern.is_match(was);
    if began(&FIXTURE) {
        return Some("is a fixture or a property now, which no runner calls");
    }
    if began(&COROUTINE) && !AWAITED.is_match(&file.after.masked.code) && !awaited_by_configuration(view) {
        return Some("is a coroutine now, which nobody awaits");
    }
    (yields(new, after) && !yields(old, before)).then_some("is a generator now, whose body never runs")
}

fn awaited_by_configuration(view: &View<'_>) -> bool {
    let files = ["pyproject.toml", "pytest.ini", "setup.cfg", "tox.ini"];
    let mut paths = files.iter().filter_map(|path| crate::ids::RepoPath::new(path).ok());
    paths.any(|path| {
        view.base
            .and_then(|base| base.text(&path))
            .is_some_and(|text| AWAITED.is_match(&text) || text.contains("anyio"))
    })
}

/// Whether a function itself yields; functions within it may.
fn yields(version: &Version<'_>, test: &Function) -> bool {
    YIELD.find_iter(version.code(test)).any(|found| {
        let at = test.span.start + found.start();
        !version.functions.iter().any(|inner| inner.span.start > test.span.start && inner.span.contains(&at))
    })
}

/// Expectations in callbacks that the test neither awaits nor returns.
fn unawaited(code: &str) -> usize {
    let later = LATER.find_iter(code).filter(|found| {
        let statement = statement_start(code, found.start());
        let direct = found.as_str().ends_with('.');
        let end = if direct { found.end() } else { block_end(code, found.end().saturating_sub(1), b'(', b')') };
        let held = code.get(found.end()..end).unwrap_or_default();
        let before = code.get(statement..found.start()).unwrap_or_default();
        (direct || CHECKS.is_match(held)) && !WAITS.is_match(before) && !SIGNALS.is_match(held)
    });
    later.count()
}

/// Statements end at `;`, at a brace outside of parentheses, or at a line's end that no dot continues.
fn statement_start(code: &str, at: usize) -> usize {
    let mut depth = 0usize;
    let bytes = code.as_bytes();
    for here in (0..at).rev() {
        match bytes.get(here) {
            Some(b')' | b']') => depth += 1,
            Some(b'(' | b'[' | b';' | b'{' | b'}') if depth == 0 => return here + 1,
            Some(b'(' | b'[') => depth -= 1,
            Some(b'\n') if depth == 0 && !code[here..].trim_start().starts_with('.') => return here + 1,
            _ => {}
        }
    }
    0
}

#[cfg(test)]
mod tests {
    use crate::gate::testing::{blocks, judged};

    const PY: &str = "def test_a():\n    x = prepare(1)\n    assert x == 3\n";
    const JS: &str = "it('a', async () => {\n  expect(await f()).toBe(3)\n})\n";

    fn silent(path: &str, before: &str, after: &str) {
        let found = judged(&[(path, before, after)]);
        assert!(found.iter().all(|finding| finding.rule != "uncalled-test"), "{found:?}");
    }

    #[test]
    fn tests_that_are_not_run_block() {
        for after in [
            format!("{PY}\n\nglobals().pop('test_a')\n"),
            format!("{PY}\n\ndel globals()['test_a']\n"),
            format!("{PY}\n\nglobals()['test_a'] = lambda: None\n"),
            format!("{PY}\n\ndelattr(TestA, 'test_a')\n"),
            format!("@pytest.fixture\n{PY}"),
            format!("async {PY}"),
            format!("{PY}    yield\n"),
        ] {
            blocks("uncalled-test", &[("tests/test_a.py", PY, &after)]);
        }
    }

    #[test]
    fn coroutines_and_generators_that_are_run_pass() {
        silent("tests/test_a.py", PY, &format!("@pytest.mark.asyncio\nasync {PY}"));
        silent("tests/test_a.py", PY, &format!("{PY}\n\n@pytest.fixture\ndef b():\n    yield 1\n"));
        silent("tests/test_a.py", PY, &PY.replace("    x =", "    def many():\n        yield 1\n\n    x ="));
    }

    #[test]
    fn expectations_that_nobody_waits_for_block() {
        let with = |line: &str| JS.replace("expect(await f()).toBe(3)", line);
        for line in [
            "f().then((x) => { expect(x).toBe(3) })",
            "f()\n    .then((x) => expect(x).toBe(3))",
            "setTimeout(() => { expect(f()).toBe(3) }, 0)",
            "expect(f()).resolves.toBe(3)",
        ] {
            blocks("uncalled-test", &[("a.test.js", JS, &with(line))]);
        }
        silent("a.test.js", JS, &with("await expect(f()).resolves.toBe(3)"));
        silent("a.test.js", JS, &with("return f().then((x) => { expect(x).toBe(3) })"));
        silent("a.test.js", JS, &with("await f().then((x) => { expect(x).toBe(3) })"));
    }
}
