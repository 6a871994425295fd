//! Tier zero: what tools themselves call safe to fix. No model, no tokens.
//!
//! A fixer is one file and a row in [`FIXERS`]. It runs in the sandbox like any other command and gives a snapshot,
//! which is a candidate and nothing more: the proof decides. A fixer that exits with 0 and fixed nothing gives none.

mod cargo_words;
mod clippy;
mod ruff;
mod ruff_check;
mod ruff_format;
mod rustc;
mod rustfmt;
mod suggestions;

use std::pin::Pin;

use crate::change::FileChange;
use crate::failure::Failure;
use crate::git::CommitId;
use crate::ids::RepoPath;
use crate::policy::CommandSpec;
use crate::verify::{Bench, VerifyError};

/// What a fixer is asked to fix.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// The failures, mapped to the tree.
    pub failures: &'a [Failure],
    /// The command that shows them; its directory, features and lint levels hold for the fixer too.
    pub proof: &'a CommandSpec,
    /// The snapshot to start from.
    pub start: &'a CommitId,
}

/// A candidate to come: `None` when the tool had nothing to offer.
pub type Candidate<'a> = Pin<Box<dyn Future<Output = Result<Option<CommitId>, VerifyError>> + Send + 'a>>;

/// One fixer.
#[derive(Debug)]
pub struct Fixer {
    /// As it stands in plans and proposals.
    pub name: &'static str,
    /// What it does.
    pub about: &'static str,
    applies: fn(&Request<'_>) -> bool,
    run: for<'a> fn(&'a Bench<'a>, Request<'a>) -> Candidate<'a>,
}

/// Every fixer, cheapest and surest first.
pub static FIXERS: &[&Fixer] =
    &[&rustfmt::FIXER, &ruff_format::FIXER, &ruff_check::FIXER, &rustc::FIXER, &clippy::FIXER];

impl Fixer {
    /// Whether the failures are of the kind that it can fix.
    #[must_use]
    pub fn applies(&self, request: &Request<'_>) -> bool {
        (self.applies)(request)
    }

    /// Runs it over the start. The work tree is in no particular state afterwards.
    ///
    /// # Errors
    /// [`VerifyError`]; a tool that is not installed is one of the sandbox.
    pub async fn run<'a>(&self, bench: &'a Bench<'a>, request: Request<'a>) -> Result<Option<CommitId>, VerifyError> {
        (self.run)(bench, request).await
    }
}

impl Request<'_> {
    /// The rules that the failures name, without duplicates.
    fn rules(&self) -> Vec<&str> {
        let mut rules: Vec<&str> = self.failures.iter().filter_map(|failure| failure.rule.as_deref()).collect();
        rules.sort_unstable();
        rules.dedup();
        rules
    }

    /// The files that the failures name, as far as they are paths of the tree.
    fn files(&self) -> Vec<RepoPath> {
        let located = self.failures.iter().filter_map(|failure| failure.location.as_ref());
        let mut files: Vec<RepoPath> = located.filter_map(|location| RepoPath::new(&location.path).ok()).collect();
        files.sort();
        files.dedup();
        files
    }

    /// Whether a failure is of one of these tools.
    fn names_tool(&self, tools: &[&str]) -> bool {
        self.failures.iter().filter_map(|failure| failure.tool.as_deref()).any(|tool| tools.contains(&tool))
    }

    /// Whether the failing command has this word, as itself or as the end of a path.
    fn runs(&self, word: &str) -> bool {
        self.proof.argv.iter().any(|part| part == word || part.ends_with(&format!("/{word}")))
    }
}

/// What a tool left in the work tree, as a snapshot of the files that `wanted` selects.
async fn captured(
    bench: &Bench<'_>,
    request: &Request<'_>,
    message: &str,
    wanted: &(dyn Fn(&RepoPath) -> bool + Sync),
) -> Result<Option<CommitId>, VerifyError> {
    let whole = bench.scratch.capture(request.start, message, bench.journal).await?;
    let changes: Vec<FileChange> =
        bench.scratch.changes(request.start, &whole)?.into_iter().filter(|change| wanted(&change.path)).collect();
    if changes.is_empty() {
        return Ok(None);
    }
    Ok(Some(bench.scratch.snapshot(request.start, &changes, message)?))
}

/// The failing command's conditions with other words.
fn command(request: &Request<'_>, argv: Vec<String>) -> CommandSpec {
    CommandSpec { argv, ..request.proof.clone() }
}

#[cfg(test)]
mod tests;
