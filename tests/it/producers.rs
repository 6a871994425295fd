//! What tools really print, read: each tool runs here on a small broken project, in each of its forms.

use std::path::Path;
use std::process::Command;

use tempfile::TempDir;
use unbreak::artifact;
use unbreak::failure::{Failure, Listing};

use crate::support::program::{environment, python_bin};

/// A project of these files.
fn project(files: &[(&str, &str)]) -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let file = directory.path().join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }
    directory
}

/// Everything that a command prints, the two streams as one.
fn printed(directory: &Path, line: &str) -> Vec<u8> {
    let tools = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/test-node/node_modules/.bin");
    let path = format!("{}:{}", tools.display(), python_bin());
    let output = Command::new("sh")
        .args(["-c", &format!("{line} 2>&1")])
        .env_clear()
        .envs(environment())
        .env("PATH", path)
        .env("HOME", directory)
        .current_dir(directory)
        .output()
        .unwrap();
    output.stdout
}

fn listed(bytes: &[u8]) -> Listing {
    Listing::of(artifact::open("artifact", bytes), None)
}

/// Kind, total, failed and errored tests, and the first failure.
fn tests_of(listing: &Listing) -> (&'static str, u64, u64, Failure) {
    let artifact = &listing.artifacts[0];
    assert!(!listing.failures.is_empty(), "{listing:?}");
    (artifact.kind, artifact.tests.total, artifact.tests.failed + artifact.tests.errored, listing.failures[0].clone())
}

/// `path:line` of a failure, the path's last component.
fn at(failure: &Failure) -> String {
    let place = failure.location.as_ref().unwrap_or_else(|| panic!("{failure:?}"));
    format!("{}:{}", place.path.rsplit(['/', '\\']).next().unwrap(), place.line.unwrap_or(0))
}

/// The lines that are quoted say what is wrong, and are few.
fn assert_quoted(bytes: &[u8], failure: &Failure, word: &str) {
    let lines = failure.lines.unwrap_or_else(|| panic!("{failure:?}"));
    let text = String::from_utf8_lossy(bytes);
    let quoted: Vec<&str> =
        text.lines().skip(lines.start as usize - 1).take((lines.end - lines.start + 1) as usize).collect();
    assert!(quoted.len() <= 15, "{failure:?}");
    assert!(quoted.iter().any(|line| line.contains(word)), "{quoted:?} of {text}");
}

const PYTHON: &[(&str, &str)] = &[
    ("shop.py", "import os\n\n\ndef total(prices: list[int]) -> str:\n    return sum(prices)\n"),
    (
        "test_shop.py",
        "from shop import total\n\n\ndef test_total():\n    assert total([1, 2]) == 4\n\n\ndef test_fine():\n    pass\n",
    ),
];

#[test]
fn pytest_in_its_report_and_on_the_terminal() {
    let directory = project(PYTHON);
    let terminal = printed(directory.path(), "python -m pytest -p no:cacheprovider --junitxml=report.xml");
    let report = std::fs::read(directory.path().join("report.xml")).unwrap();
    for (kind, bytes) in [("junit", &report), ("pytest", &terminal)] {
        let listing = listed(bytes);
        let (found, total, failed, first) = tests_of(&listing);
        assert_eq!((found, total, failed), (kind, 2, 1));
        assert_eq!(first.test.as_ref().unwrap().name, "test_total");
        assert_eq!((at(&first).as_str(), first.message.as_str()), ("test_shop.py:5", "assert 3 == 4"));
        assert_quoted(bytes, &first, "assert 3 == 4");
    }
}

#[test]
fn ruff_in_every_form_finds_the_same() {
    let directory = project(PYTHON);
    for form in ["json", "sarif", "junit", "concise", "full", "github", "gitlab", "json-lines", "rdjson"] {
        let bytes = printed(directory.path(), &format!("ruff check --no-cache --output-format {form} shop.py"));
        let listing = listed(&bytes);
        let first = listing.failures.first().unwrap_or_else(|| panic!("{form}: {}", String::from_utf8_lossy(&bytes)));
        assert_eq!(at(first), "shop.py:1", "{form}");
        assert!(first.message.contains("imported but unused"), "{form}: {first:?}");
    }
}

#[test]
fn mypy_as_text_and_as_json() {
    let directory = project(PYTHON);
    for form in ["", "--output json", "--junit-xml report.xml"] {
        let mut bytes = printed(directory.path(), &format!("mypy --cache-dir=/dev/null {form} shop.py"));
        if form.starts_with("--junit") {
            bytes = std::fs::read(directory.path().join("report.xml")).unwrap();
        }
        let first = &listed(&bytes).failures[0];
        assert_eq!(at(first), "shop.py:5", "{form}");
        assert!(first.message.contains("Incompatible return value type"), "{form}: {first:?}");
    }
}

const RUST: &[(&str, &str)] = &[
    ("Cargo.toml", "[package]\nname = \"shop\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[workspace]\n"),
    (
        "src/lib.rs",
        "pub fn total(prices: &[i32]) -> i32 {\n    prices.iter().sum()\n}\n\n#[test]\nfn adds() {\n    assert_eq!(total(&[1, 2]), 4);\n}\n\n#[test]\nfn fine() {}\n",
    ),
];

#[test]
fn cargo_test_names_the_test_and_its_place() {
    let directory = project(RUST);
    let bytes = printed(directory.path(), "cargo test --offline");
    let listing = listed(&bytes);
    let (kind, total, failed, first) = tests_of(&listing);
    assert_eq!((kind, total, failed), ("cargo-test", 2, 1));
    assert_eq!((first.test.as_ref().unwrap().name.as_str(), at(&first).as_str()), ("adds", "lib.rs:7"));
    assert_quoted(&bytes, &first, "panicked at");
}

#[test]
fn the_compiler_for_people_and_for_programs() {
    let directory = project(RUST);
    std::fs::write(directory.path().join("src/lib.rs"), "pub fn f() -> u8 {\n    \"x\"\n}\n").unwrap();
    for form in ["human", "json", "short"] {
        let bytes = printed(directory.path(), &format!("cargo check --offline --message-format {form}"));
        let first = &listed(&bytes).failures[0];
        assert_eq!(at(first), "lib.rs:2", "{form}");
        assert!(first.message.starts_with("mismatched types"), "{form}: {first:?}");
    }
}

const NODE: &[(&str, &str)] = &[
    ("sum.js", "exports.sum = (a, b) => a - b;\nconst unused = 1;\n"),
    (
        "sum.test.js",
        "const { test } = require('node:test');\nconst assert = require('node:assert');\nconst { sum } = require('./sum');\ntest('adds', () => {\n  assert.strictEqual(sum(1, 2), 3);\n});\ntest('fine', () => {});\n",
    ),
    (
        "eslint.config.js",
        "module.exports = [{ files: ['**/*.js'], rules: { 'no-unused-vars': 'error' }, languageOptions: { sourceType: 'commonjs' } }];\n",
    ),
];

#[test]
fn the_runner_of_node_in_three_forms() {
    let directory = project(NODE);
    for form in ["tap", "spec", "junit"] {
        let bytes = printed(directory.path(), &format!("node --test --test-reporter={form} sum.test.js"));
        let listing = listed(&bytes);
        let (_, _, failed, first) = tests_of(&listing);
        assert!(failed >= 1, "{form}: {listing:?}");
        assert_eq!(first.test.as_ref().unwrap().name, "adds", "{form}");
        assert_eq!(at(&first), "sum.test.js:5", "{form}");
    }
}

#[test]
fn eslint_as_text_and_as_json() {
    let directory = project(NODE);
    for form in ["stylish", "json"] {
        let bytes = printed(directory.path(), &format!("eslint --format {form} sum.js"));
        let listing = listed(&bytes);
        let first = listing.failures.first().unwrap_or_else(|| panic!("{form}: {}", String::from_utf8_lossy(&bytes)));
        assert_eq!((at(first).as_str(), first.rule.as_deref()), ("sum.js:2", Some("no-unused-vars")), "{form}");
    }
}

#[test]
fn the_compiler_of_typescript() {
    let directory = project(&[("a.ts", "const x: number = 'a';\nexport { x };\n")]);
    for form in ["--pretty false", "--pretty true"] {
        let bytes = printed(directory.path(), &format!("tsc --noEmit {form} a.ts"));
        let first = &listed(&bytes).failures[0];
        assert_eq!((at(first).as_str(), first.rule.as_deref()), ("a.ts:1", Some("TS2322")), "{form}");
    }
}

#[test]
fn gcc_names_errors_and_warnings() {
    let directory = project(&[("a.c", "int f(void) {\n    int unused;\n    return x;\n}\n")]);
    let listing = listed(&printed(directory.path(), "gcc -Wall -c a.c -o /dev/null"));
    assert_eq!(listing.artifacts[0].diagnostics.first.as_deref(), Some("a.c:3:12"));
    assert!(listing.failures[0].message.contains("undeclared"), "{listing:?}");
    assert!(listing.artifacts[0].diagnostics.warnings >= 1, "{listing:?}");
}

#[test]
fn javac_and_the_machine_it_compiles_for() {
    let directory = project(&[
        ("A.java", "class A {\n    int f() { return \"x\"; }\n}\n"),
        (
            "B.java",
            "class B {\n    static void g() { throw new IllegalStateException(\"boom\"); }\n    public static void main(String[] a) {\n        g();\n    }\n}\n",
        ),
    ]);
    let first = &listed(&printed(directory.path(), "javac -d . A.java")).failures[0];
    assert_eq!(at(first), "A.java:2");
    assert!(first.message.contains("incompatible types"), "{first:?}");
    let died = printed(directory.path(), "javac -d . B.java && java -cp . B");
    let first = &listed(&died).failures[0];
    assert!(first.message.contains("boom"), "{first:?}");
    assert_eq!(at(first), "B.java:2", "{first:?}");
}
