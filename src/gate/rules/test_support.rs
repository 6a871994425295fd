//! What tests stand on, changed together with the sources: fixtures, set-up files, `conftest.py`.

use std::collections::BTreeSet;

use super::{Rule, finding, quote};
use crate::evidence::{Finding, Weight};
use crate::gate::pattern::patterns;
use crate::gate::view::{Reading, View};

pub(super) static RULE: Rule = Rule {
    name: "test-support",
    about: "What the tests stand on is changed together with the sources",
    why: "Shown: a fixture may bend to a wrong source. Blocks where set-up code writes into the modules that it sets up the tests for.",
    check,
};

patterns! {
    SETUP = r"(?i)(?:^|/)conftest\.py$|(?:^|/)(?:jest|vitest|mocha|karma|playwright|test)[\w.-]*\.?setup[\w.]*\.\w+$|(?:^|/)(?:setup-?tests?|test-?setup|global-?setup)[\w.]*\.\w+$|(?:^|/)tests?/__init__\.py$|(?:^|/)tests/common/mod\.rs$|(?:^|/)testmain_test\.go$";
    FIXTURE = r"(?i)(?:^|/)(?:fixtures?|testdata|test_data|__fixtures__|golden)/";
    WRITES = r"^\s*([A-Za-z_]\w*)((?:\.\w+)+)\s*(?:[+\-*/|&]?=)[^=]";
    PATCHES = r"\b(?:setattr|setitem|delattr|patch(?:\.object|\.dict|\.multiple)?|spy)\s*\(";
    WORD = r"[A-Za-z_]\w*";
    IMPORT = r"^\s*(?:from\s+([\w.]+)\s+import\s+(.*)|import\s+(.*))$";
}

fn check(view: &View<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in view.files.iter().filter(|file| !file.hunks.is_empty()) {
        let setup = SETUP.is_match(file.path.as_str());
        let fixture = FIXTURE.is_match(file.path.as_str()) && file.before.exists();
        if !setup && !fixture {
            continue;
        }
        let bends: Vec<Finding> =
            if setup { file.added().filter_map(|line| bends(view, file, line)).collect() } else { Vec::new() };
        if bends.is_empty() && view.touches_sources() {
            let line = file.hunks.first().filter(|_| file.after.exists()).map(|hunk| hunk.added.start);
            let message = "what the tests stand on changes together with the sources".to_owned();
            findings.push(finding(&RULE, file, line, message, Weight::Show));
        }
        findings.extend(bends);
    }
    findings
}

/// A line of set-up code that writes into a module of the project.
fn bends(view: &View<'_>, file: &Reading<'_>, line: usize) -> Option<Finding> {
    let (text, code) = (file.after.without_comment(line), file.after.code_line(line));
    let modules = modules(view);
    let imported = imported(file, &modules);
    let of_project = |name: &str| modules.contains(name) || imported.contains(name);
    let written = WRITES.captures(code).is_some_and(|found| of_project(&found[1]));
    let patched = PATCHES.find(code).is_some_and(|found| {
        WORD.find_iter(text.get(found.end()..).unwrap_or_default()).any(|word| of_project(word.as_str()))
    });
    (written || patched).then(|| {
        let message = format!("set-up code of the tests writes into the project: {}", quote(text));
        finding(&RULE, file, Some(line), message, Weight::Block)
    })
}

/// The names by which the project's own sources are imported.
fn modules<'a>(view: &'a View<'_>) -> BTreeSet<&'a str> {
    let changed = view.files.iter().filter(|file| !file.test_path && file.language.is_code(file.path));
    let standing = view.base.map(crate::source::Source::files).unwrap_or_default().iter().map(|entry| &entry.path);
    let standing = standing.filter(|path| path.extension() == Some("py") && !crate::gate::language::is_test_path(path));
    let paths = changed.map(|file| file.path).chain(standing).map(crate::ids::RepoPath::as_str);
    paths
        .filter_map(|path| {
            let path = path.strip_prefix("src/").unwrap_or(path).rsplit_once('.')?.0;
            let top = path.split('/').next()?;
            (!matches!(top, "setup" | "docs" | "scripts" | "tools" | "examples")).then_some(top)
        })
        .collect()
}

/// The names that a set-up file imports from the project.
fn imported<'a>(file: &'a Reading<'_>, modules: &BTreeSet<&str>) -> BTreeSet<&'a str> {
    let mut names = BTreeSet::new();
    for line in file.after.masked.code.lines() {
        let Some(found) = IMPORT.captures(line) else { continue };
        let (from, what) = (found.get(1), found.get(2).or_else(|| found.get(3)));
        let what = what.map_or("", |what| what.as_str());
        let source = from.map_or(what, |from| from.as_str());
        if source.split(['.', ' ', ',']).next().is_some_and(|top| modules.contains(top)) {
            names.extend(WORD.find_iter(what).map(|word| word.as_str()).filter(|word| *word != "as"));
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use crate::gate::testing::{blocks, judged, passes, shown};

    const SOURCE: (&str, &str, &str) = ("cart.py", "def f():\n    return 1\n", "def f():\n    return 2\n");

    #[test]
    fn set_up_that_writes_into_the_project_blocks() {
        for after in [
            "import cart\n\ncart.FORCED = 3\n",
            "import cart as shop\n\nshop.FORCED = 3\n",
            "import pytest\n\n\n@pytest.fixture(autouse=True)\ndef forced(monkeypatch):\n    monkeypatch.setattr('cart.f', lambda: 2)\n",
            "from cart import Cart\n\nCart.total = lambda self: 3\n",
        ] {
            blocks("test-support", &[SOURCE, ("tests/conftest.py", "import os\n", after)]);
        }
    }

    #[test]
    fn set_up_and_fixtures_beside_sources_are_shown() {
        let after = "import os\n\nos.environ['A'] = 'b'\n";
        assert_eq!(shown(&[SOURCE, ("tests/conftest.py", "import os\n", after)]), ["test-support"]);
        assert_eq!(shown(&[SOURCE, ("tests/fixtures/a.json", "1\n", "2\n")]), ["test-support"]);
        passes(&[SOURCE, ("tests/fixtures/b.json", "", "2\n")]);
        let alone = judged(&[("tests/conftest.py", "import os\n", after)]);
        assert!(alone.iter().all(|finding| finding.rule != "test-support"), "{alone:?}");
    }
}
