//! What broke, since when, where and why, and how sure that is; changes nothing and asks no model.

use serde::Serialize;

use crate::artifact;
use crate::cache::Cache;
use crate::context::{self, Context};
use crate::failure::{self, Failure};
use crate::fix::{self, Request};
use crate::git::{Checkout, Git};
use crate::history::Changed;
use crate::ids::RepoPath;
use crate::journal::Journal;
use crate::localise::Ranked;
use crate::policy::Decision;
use crate::survey::Survey;

/// Suspects that are named.
const SUSPECTS: usize = 5;

/// The answer, as `explain --format json` prints it.
#[derive(Debug, Serialize)]
pub struct Explanation {
    /// The version of this form: 1.
    pub version: u32,
    /// What broke, root cause first.
    pub failures: Vec<Failure>,
    /// Where the fault may be, best first.
    pub suspects: Vec<Ranked>,
    /// How far the signals agree on the first suspect, 0 to 1.
    pub confidence: f64,
    /// The files that changed since it was green, when a range was given.
    pub changed: Vec<RepoPath>,
}

/// Explains what the artifacts say, from HEAD's tree. Runs no repository code.
///
/// # Errors
/// What the user has to mend: no repository, no artifact, a broken policy, an unknown range.
pub async fn explain(
    request: &Request,
    git: &Git,
    cache: Option<&Cache>,
    journal: &Journal,
) -> anyhow::Result<Explanation> {
    let (failures, changed, context) = look(request, (git, cache, journal), 8_000).await?;
    Ok(Explanation {
        version: 1,
        failures,
        suspects: context.ranked.into_iter().take(SUSPECTS).collect(),
        confidence: context.confidence,
        changed: changed.into_iter().map(|changed| changed.path).collect(),
    })
}

/// The excerpts that a model would be shown for what the artifacts say, from HEAD's tree.
///
/// # Errors
/// As [`explain`].
pub async fn excerpts(
    request: &Request,
    machine: (&Git, Option<&Cache>, &Journal),
    budget: usize,
) -> anyhow::Result<Context> {
    Ok(look(request, machine, budget).await?.2)
}

async fn look(
    request: &Request,
    (git, cache, journal): (&Git, Option<&Cache>, &Journal),
    budget: usize,
) -> anyhow::Result<(Vec<Failure>, Vec<Changed>, Context)> {
    let checkout = Checkout::open(git, &request.repo, journal).await?;
    let policy = fix::read_policy(&checkout, request.policy.as_ref(), journal).await?;
    let reports: Vec<_> = request.artifacts.iter().map(|input| artifact::read(&input.name, &input.bytes)).collect();
    let source = checkout.source("HEAD", journal).await?;
    let failures = failure::collect(&reports, Some(&source));
    let changed = match &request.since {
        Some(range) => checkout.changed(range, journal).await?,
        None => Vec::new(),
    };
    let survey = Survey::take(&source, cache);
    let context = context::pack(&context::Request {
        failures: &failures,
        index: &survey.index,
        source: &source,
        changed: &changed,
        rules: &survey.rules,
        budget,
        may_see: &|path| policy.decide_read(path).decision == Decision::Allow,
    });
    Ok((failures, changed, context))
}
