//! What the policy says of files as people write them, and of names as attackers write them.

mod decisions;
mod examples;
mod faults;

use super::*;

fn origin() -> Origin {
    Origin { path: RepoPath::new(".github/unbreak.yml").ok(), commit: None, hash: None }
}

fn read(text: &str) -> Policy {
    match Policy::read(text.as_bytes(), origin()) {
        Ok(policy) => policy,
        Err(errors) => panic!("{}", shown(&errors)),
    }
}

fn faults(text: &str) -> String {
    match Policy::read(text.as_bytes(), origin()) {
        Ok(_) => "no fault".to_owned(),
        Err(errors) => shown(&errors),
    }
}

fn shown(errors: &[PolicyError]) -> String {
    errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

fn path(text: &str) -> RepoPath {
    RepoPath::new(text).unwrap()
}

fn words(text: &str) -> Vec<String> {
    super::value::words(text).unwrap()
}
