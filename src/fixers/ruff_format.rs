//! ruff's formatter over the files that are not formatted.

use super::ruff_check::python_files;
use super::{Candidate, Fixer, Request, captured, ruff};
use crate::artifact::FaultKind;
use crate::ids::RepoPath;
use crate::verify::Bench;

pub(super) static FIXER: Fixer = Fixer { name: "ruff-format", about: "formats Python sources with ruff", applies, run };

fn applies(request: &Request<'_>) -> bool {
    let formats = request.names_tool(&["ruff"]) && request.failures.iter().any(|f| f.kind == FaultKind::Format);
    formats || (request.runs("ruff") && request.runs("format"))
}

fn run<'a>(bench: &'a Bench<'a>, request: Request<'a>) -> Candidate<'a> {
    Box::pin(async move {
        let files = python_files(&request);
        let command = ruff::command(bench, &request, &["format", "--no-cache"], &files);
        bench.run_at(request.start, &command, "ruff format").await?;
        let wanted = |path: &RepoPath| files.is_empty() || files.contains(path);
        captured(bench, &request, "ruff format", &wanted).await
    })
}
