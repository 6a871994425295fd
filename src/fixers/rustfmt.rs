//! rustfmt over the files that are not formatted.

use super::cargo_words::CargoWords;
use super::{Candidate, Fixer, Request, captured, command};
use crate::verify::Bench;

pub(super) static FIXER: Fixer =
    Fixer { name: "rustfmt", about: "formats Rust sources with the project's own rustfmt", applies, run };

fn applies(request: &Request<'_>) -> bool {
    request.names_tool(&["rustfmt"]) || (request.runs("cargo") && request.runs("fmt")) || request.runs("rustfmt")
}

fn run<'a>(bench: &'a Bench<'a>, request: Request<'a>) -> Candidate<'a> {
    Box::pin(async move {
        let files = request.files();
        let command = command(&request, words(&request.proof.argv));
        bench.run_at(request.start, &command, "rustfmt").await?;
        let wanted =
            |path: &crate::ids::RepoPath| path.extension() == Some("rs") && (files.is_empty() || files.contains(path));
        captured(bench, &request, "rustfmt", &wanted).await
    })
}

/// The failing command without its wish to only look; another command than a formatter's becomes `cargo fmt --all`.
fn words(argv: &[String]) -> Vec<String> {
    let formats = argv.iter().any(|word| word == "fmt" || word.ends_with("rustfmt"));
    if !formats {
        let mut words = CargoWords::of(argv).program().to_vec();
        words.extend(["fmt".to_owned(), "--all".to_owned()]);
        return words;
    }
    let mut words: Vec<String> =
        argv.iter().filter(|word| !matches!(word.as_str(), "--check" | "-l")).cloned().collect();
    if words.last().is_some_and(|word| word == "--") {
        words.pop();
    }
    words
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_check_becomes_the_deed() {
        let words = |line: &str| super::words(&line.split(' ').map(str::to_owned).collect::<Vec<_>>()).join(" ");
        assert_eq!(words("cargo fmt --all -- --check"), "cargo fmt --all");
        assert_eq!(words("cargo fmt --check"), "cargo fmt");
        assert_eq!(words("rustfmt --check src/a.rs"), "rustfmt src/a.rs");
        assert_eq!(words("cargo +nightly test"), "cargo +nightly fmt --all");
    }
}
