//! rustc's machine-applicable suggestions for what does not compile, or what its lints deny.

use super::cargo_words::CargoWords;
use super::suggestions::{About, apply_all};
use super::{Candidate, Fixer, Request};
use crate::artifact::FaultKind;
use crate::verify::Bench;

pub(super) static FIXER: Fixer =
    Fixer { name: "rustc", about: "applies the suggestions of rustc that it calls machine-applicable", applies, run };

fn applies(request: &Request<'_>) -> bool {
    request.failures.iter().any(|failure| {
        let tool = failure.tool.as_deref().unwrap_or_default();
        matches!(failure.kind, FaultKind::Compile | FaultKind::Lint) && matches!(tool, "rustc" | "cargo")
    })
}

fn run<'a>(bench: &'a Bench<'a>, request: Request<'a>) -> Candidate<'a> {
    Box::pin(async move {
        let argv = CargoWords::of(&request.proof.argv).with("check");
        let rules = request.rules();
        // A fault that aborts the build hides others, so every error counts, whether it was named or not.
        let wanted = |about: &About<'_>| about.error || rules.contains(&about.code);
        apply_all(bench, &request, argv, &wanted).await
    })
}
