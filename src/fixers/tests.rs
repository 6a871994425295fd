//! Which fixer takes which failure.

use std::collections::BTreeMap;
use std::time::Duration;

use super::*;
use crate::artifact::{FaultKind, Location, Severity};
use crate::ids::Fingerprint;
use crate::policy::Network;

fn failure(kind: FaultKind, tool: &str, rule: Option<&str>) -> Failure {
    Failure {
        id: Fingerprint::of(&[tool]),
        kind,
        tool: Some(tool.into()),
        rule: rule.map(str::to_owned),
        severity: Severity::Error,
        message: "m".into(),
        test: None,
        location: Some(Location { path: "src/a".into(), line: Some(1), column: None }),
        frames: Vec::new(),
        artifact: 0,
        lines: None,
        excerpt: String::new(),
        occurrences: 1,
        tests: Vec::new(),
        weight: 0,
    }
}

fn taking(command: &str, failures: &[Failure]) -> Vec<&'static str> {
    let proof = CommandSpec {
        argv: command.split(' ').map(str::to_owned).collect(),
        cwd: None,
        env: BTreeMap::new(),
        timeout: Duration::from_secs(1),
        network: Network::Deny,
    };
    let start = CommitId("0".repeat(40));
    let request = Request { failures, proof: &proof, start: &start };
    FIXERS.iter().filter(|fixer| fixer.applies(&request)).map(|fixer| fixer.name).collect()
}

#[test]
fn each_kind_of_failure_finds_its_fixer() {
    assert_eq!(taking("cargo test", &[failure(FaultKind::Compile, "rustc", Some("E0425"))]), ["rustc"]);
    assert_eq!(
        taking("cargo clippy -- -D warnings", &[failure(FaultKind::Lint, "clippy", Some("clippy::len_zero"))]),
        ["clippy"]
    );
    assert_eq!(
        taking("cargo clippy -- -D warnings", &[failure(FaultKind::Lint, "rustc", Some("unused_imports"))]),
        ["rustc", "clippy"]
    );
    assert_eq!(taking("cargo fmt --check", &[failure(FaultKind::Format, "rustfmt", None)]), ["rustfmt"]);
    assert_eq!(taking("ruff check .", &[failure(FaultKind::Lint, "ruff", Some("F401"))]), ["ruff"]);
    assert_eq!(taking("ruff format --check .", &[failure(FaultKind::Format, "ruff", None)]), ["ruff-format"]);
}

#[test]
fn a_failing_test_finds_none() {
    assert!(taking("cargo test", &[failure(FaultKind::Test, "cargo-test", None)]).is_empty());
    assert!(taking("python -m pytest", &[failure(FaultKind::Test, "pytest", None)]).is_empty());
}

#[test]
fn a_command_that_says_nothing_more_is_known_by_its_words() {
    assert_eq!(taking("cargo fmt --all -- --check", &[]), ["rustfmt"]);
    assert_eq!(taking("{env}/bin/ruff format --check", &[]), ["ruff-format"]);
}
