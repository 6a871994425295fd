//! clippy's machine-applicable suggestions, for the lints and files that fail.

use super::cargo_words::CargoWords;
use super::suggestions::{About, apply_all};
use super::{Candidate, Fixer, Request};
use crate::artifact::FaultKind;
use crate::ids::RepoPath;
use crate::verify::Bench;

pub(super) static FIXER: Fixer = Fixer {
    name: "clippy",
    about: "applies the suggestions of clippy that it calls machine-applicable, for the lints that fail",
    applies,
    run,
};

fn applies(request: &Request<'_>) -> bool {
    let lints =
        request.failures.iter().any(|failure| failure.kind == FaultKind::Lint && is_rust(failure.tool.as_deref()));
    request.names_tool(&["clippy"]) || (request.runs("clippy") && lints)
}

fn is_rust(tool: Option<&str>) -> bool {
    matches!(tool, Some("clippy" | "rustc" | "cargo"))
}

fn run<'a>(bench: &'a Bench<'a>, request: Request<'a>) -> Candidate<'a> {
    Box::pin(async move {
        let argv = CargoWords::of(&request.proof.argv).with_trailing("clippy");
        let rules: Vec<&str> = request.rules().into_iter().map(bare).collect();
        let files = request.files();
        let wanted = |about: &About<'_>| {
            let named = rules.contains(&bare(about.code)) || (rules.is_empty() && about.error);
            named && (files.is_empty() || files.iter().any(|file| is_file(file, about.file)))
        };
        apply_all(bench, &request, argv, &wanted).await
    })
}

/// `clippy::len_zero` and `len_zero` are one lint.
fn bare(rule: &str) -> &str {
    rule.strip_prefix("clippy::").unwrap_or(rule)
}

/// The tool may name the file from a directory below the repository's root.
fn is_file(file: &RepoPath, name: &str) -> bool {
    file.as_str() == name || file.as_str().ends_with(&format!("/{name}")) || name.ends_with(&format!("/{file}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lints_and_files_are_known_in_both_spellings() {
        assert_eq!(bare("clippy::len_zero"), bare("len_zero"));
        let file = RepoPath::new("crates/a/src/lib.rs").unwrap();
        assert!(is_file(&file, "src/lib.rs") && is_file(&file, "crates/a/src/lib.rs"));
        assert!(!is_file(&file, "rc/lib.rs") && !is_file(&file, "src/main.rs"));
    }
}
