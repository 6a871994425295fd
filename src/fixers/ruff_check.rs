//! ruff's safe fixes, for the rules and files that fail.

use super::{Candidate, Fixer, Request, captured, ruff};
use crate::artifact::FaultKind;
use crate::ids::RepoPath;
use crate::verify::Bench;

pub(super) static FIXER: Fixer =
    Fixer { name: "ruff", about: "applies the fixes that ruff calls safe, for the rules that fail", applies, run };

fn applies(request: &Request<'_>) -> bool {
    // What ruff prints for people reads like flake8's.
    let named = request.names_tool(&["ruff"]) || (request.names_tool(&["flake8"]) && request.runs("ruff"));
    let lints = named && request.failures.iter().any(|f| f.kind != FaultKind::Format);
    lints || (request.failures.is_empty() && request.runs("ruff") && request.runs("check"))
}

fn run<'a>(bench: &'a Bench<'a>, request: Request<'a>) -> Candidate<'a> {
    Box::pin(async move {
        let files = python_files(&request);
        let rules: Vec<&str> = request.rules().into_iter().filter(|rule| is_code(rule)).collect();
        let fixable = format!("--fixable={}", rules.join(","));
        let mut options = vec!["check", "--fix", "--no-unsafe-fixes", "--no-cache"];
        if !rules.is_empty() {
            options.push(&fixable);
        }
        let command = ruff::command(bench, &request, &options, &files);
        bench.run_at(request.start, &command, "ruff").await?;
        let wanted = |path: &RepoPath| files.is_empty() || files.contains(path);
        captured(bench, &request, "ruff check --fix", &wanted).await
    })
}

pub(super) fn python_files(request: &Request<'_>) -> Vec<RepoPath> {
    request.files().into_iter().filter(|file| matches!(file.extension(), Some("py" | "pyi" | "ipynb"))).collect()
}

/// `F401`, `UP006`: letters, then digits.
fn is_code(rule: &str) -> bool {
    let digits = rule.trim_start_matches(|c: char| c.is_ascii_uppercase());
    !digits.is_empty() && digits.len() < rule.len() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    #[test]
    fn only_codes_become_options() {
        assert!(super::is_code("F401") && super::is_code("UP006"));
        assert!(
            !super::is_code("invalid-syntax")
                && !super::is_code("401")
                && !super::is_code("F")
                && !super::is_code("F401 --x")
        );
    }
}
