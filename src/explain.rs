//! What broke, since when, where and why, and how sure that is; changes nothing and asks no model.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::cache::Cache;
use crate::context::{self, Context};
use crate::failure::{self, Failure};
use crate::fix::{self, Request};
use crate::git::{Checkout, Git};
use crate::history::Changed;
use crate::ids::RepoPath;
use crate::index::{Index, SymbolId};
use crate::journal::Journal;
use crate::localise::Ranked;
use crate::policy::Decision;
use crate::survey::Survey;

/// Suspects that are named.
const SUSPECTS: usize = 5;
/// Problems that are told.
const PROBLEMS: usize = 50;
/// Users that are named.
const USERS: usize = 20;

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
    /// What of the artifacts, or of the repository's matchers, could not be read or is not listed.
    pub problems: Vec<String>,
    /// What was asked about alone; absent when nothing was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub about: Option<About>,
}

/// A file, a directory or a function that was asked about.
#[derive(Debug, Serialize)]
pub struct About {
    /// As it was asked.
    pub subject: String,
    /// Whether the tree holds it.
    pub known: bool,
    /// The functions that use it, as `path:line symbol`, in the order of the tree.
    pub users: Vec<String>,
}

/// Explains what the artifacts say, from HEAD's tree; of the suspects only those in `about`, where that is given. Runs
/// no repository code.
///
/// # Errors
/// What the user has to mend: no repository, no artifact, a broken policy, an unknown range.
pub async fn explain(
    request: &Request,
    about: Option<&str>,
    machine: (&Git, Option<&Cache>, &Journal),
) -> anyhow::Result<Explanation> {
    let Seen { failures, problems, changed, context, survey } = look(request, machine, 8_000).await?;
    let wanted = |ranked: &Ranked| about.is_none_or(|about| is_in(ranked, about, &survey.index));
    Ok(Explanation {
        version: 1,
        failures,
        suspects: context.ranked.into_iter().filter(wanted).take(SUSPECTS).collect(),
        problems,
        about: about.map(|about| self::about(about, &survey.index)),
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
    Ok(look(request, machine, budget).await?.context)
}

/// Whether a suspect is what `about` names: its function, its file, or a directory above.
fn is_in(ranked: &Ranked, about: &str, index: &Index) -> bool {
    let path = ranked.path.as_str();
    let named =
        |symbol: &str| symbol.strip_suffix(about).is_some_and(|head| head.is_empty() || head.ends_with(['.', ':']));
    let below =
        path.strip_prefix(about.trim_end_matches('/')).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    below || ranked.symbol.as_deref().is_some_and(named) || index.resolve(about).is_some_and(|file| file == ranked.path)
}

fn about(subject: &str, index: &Index) -> About {
    let directory = RepoPath::new(subject).ok().map(|path| format!("{path}/"));
    let is_directory =
        directory.is_some_and(|path| index.files().any(|(_, file)| file.path.as_str().starts_with(&path)));
    let file = index.resolve(subject);
    let mut symbols = index.find_symbol(subject);
    if let Some(id) = file.as_ref().and_then(|path| index.find(path)) {
        symbols.extend(index.symbols_of(id));
    }
    let inside = |user: SymbolId| file.as_ref().is_some_and(|file| index.path(user) == file);
    let users: BTreeSet<(RepoPath, u32, String)> = symbols
        .iter()
        .flat_map(|id| index.users(*id))
        .filter(|link| !inside(link.symbol))
        .map(|link| (index.path(link.symbol).clone(), link.line, index.symbol(link.symbol)))
        .collect();
    let users = users.into_iter().take(USERS).map(|(path, line, symbol)| format!("{path}:{line} {symbol}")).collect();
    About { subject: subject.to_owned(), known: is_directory || file.is_some() || !symbols.is_empty(), users }
}

/// What was seen of a failure and of the tree.
struct Seen {
    failures: Vec<Failure>,
    problems: Vec<String>,
    changed: Vec<Changed>,
    context: Context,
    survey: Survey,
}

async fn look(
    request: &Request,
    (git, cache, journal): (&Git, Option<&Cache>, &Journal),
    budget: usize,
) -> anyhow::Result<Seen> {
    let checkout = Checkout::open(git, &request.repo, journal).await?;
    let policy = fix::read_policy(&checkout, &request.policy, journal).await?;
    let source = checkout.source("HEAD", journal).await?;
    let (matchers, unused) = failure::matchers_of(&source);
    let reports: Vec<_> = request.artifacts.iter().flat_map(|raw| raw.open(&matchers, policy.artifacts)).collect();
    let failures = failure::collect(&reports, Some(&source));
    let told = reports.iter().flat_map(|report| report.problems.iter().map(|problem| (Some(&report.path), problem)));
    let problems = unused.iter().map(|problem| (None, problem)).chain(told).take(PROBLEMS);
    let problems = problems.map(|(path, problem)| problem.told(path.map(String::as_str))).collect();
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
    Ok(Seen { failures, problems, changed, context, survey })
}
