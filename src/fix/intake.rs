//! What comes in: the policy in force, the artifacts, the failing command.

use std::path::PathBuf;

use anyhow::Context as _;

pub use crate::artifact::Raw as Input;

use super::{Desk, Request};
use crate::artifact::{Limits, Matchers, Report};
use crate::failure;
use crate::git::{Checkout, GitError};
use crate::ids::{RepoPath, Sha};
use crate::journal::{Entry, Journal};
use crate::policy::{self, Origin, Policy, PolicyError};
use crate::source::Source;

/// Which policy is in force.
#[derive(Debug, Clone, Default)]
pub enum Governing {
    /// The repository's own at HEAD, else the defaults.
    #[default]
    Head,
    /// This file instead.
    File(PolicyFile),
    /// This one, whatever HEAD holds.
    Given(Box<Policy>),
}

/// A policy file that was named instead of the repository's own.
#[derive(Debug, Clone)]
pub struct PolicyFile {
    /// As the user named it.
    pub name: PathBuf,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// A policy file that does not hold; every error has its place.
#[derive(Debug, thiserror::Error)]
#[error("{file} does not hold:\n{}", .errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
pub struct BrokenPolicy {
    /// The file.
    pub file: String,
    /// Every error.
    pub errors: Vec<PolicyError>,
}

/// Nothing says what failed.
#[derive(Debug, thiserror::Error)]
pub enum Nothing {
    /// Neither an artifact nor a command was given.
    #[error("there is nothing to go by: neither an artifact nor a command")]
    Given,
    /// What was given is no artifact.
    #[error("{0}")]
    Readable(String),
}

/// What the loop starts from.
#[derive(Debug)]
pub(super) struct Intake {
    pub(super) checkout: Checkout,
    pub(super) policy: Policy,
    pub(super) reports: Vec<Report>,
}

impl Intake {
    pub(super) async fn take(request: &Request, desk: &Desk<'_>) -> anyhow::Result<Self> {
        let checkout = Checkout::open(desk.git, &request.repo, desk.journal).await?;
        let policy = read_policy(&checkout, &request.policy, desk.journal).await?;
        // No file of the tree is needed where nothing is read.
        let reports = if request.artifacts.is_empty() {
            read_artifacts(request, (Matchers::built_in(), policy.artifacts), desk.journal)?
        } else {
            let matchers = read_matchers(&checkout.source("HEAD", desk.journal).await?, desk.journal);
            read_artifacts(request, (&matchers, policy.artifacts), desk.journal)?
        };
        Ok(Self { checkout, policy, reports })
    }
}

/// The policy in force.
///
/// # Errors
/// [`BrokenPolicy`], or git's failure to read HEAD.
pub async fn read_policy(checkout: &Checkout, governing: &Governing, journal: &Journal) -> anyhow::Result<Policy> {
    match governing {
        Governing::Head => at_head(checkout, journal).await,
        Governing::Given(policy) => Ok((**policy).clone()),
        Governing::File(file) => {
            let origin = Origin {
                path: RepoPath::new(&file.name.to_string_lossy()).ok(),
                commit: None,
                hash: Some(Sha::of(&file.bytes)),
            };
            let broken = |errors| BrokenPolicy { file: file.name.display().to_string(), errors };
            Ok(Policy::read(&file.bytes, origin).map_err(broken)?)
        }
    }
}

async fn at_head(checkout: &Checkout, journal: &Journal) -> anyhow::Result<Policy> {
    let head = checkout.source("HEAD", journal).await?;
    let mut found = None;
    for name in policy::FILES {
        let path = RepoPath::new(name)?;
        if let Some(bytes) = head.read_if_any(&path)? {
            found = Some((bytes, path));
            break;
        }
    }
    let Some((bytes, path)) = found else { return Ok(Policy::default_for()) };
    let origin = Origin { path: Some(path.clone()), commit: Some(checkout.head.clone()), hash: Some(Sha::of(&bytes)) };
    Ok(Policy::read(&bytes, origin).map_err(|errors| BrokenPolicy { file: path.to_string(), errors })?)
}

/// The common problem matchers and the repository's; what of the latter is not used is on record.
fn read_matchers(source: &dyn Source, journal: &Journal) -> Matchers {
    let (matchers, problems) = failure::matchers_of(source);
    for problem in problems {
        journal.record(Entry {
            action: "read-matchers".to_owned(),
            subject: "problem matchers".to_owned(),
            outcome: problem.message,
            ..Entry::default()
        });
    }
    matchers
}

fn read_artifacts(
    request: &Request,
    (matchers, limits): (&Matchers, Limits),
    journal: &Journal,
) -> anyhow::Result<Vec<Report>> {
    let has_command = request.run.is_some() || !request.steps.is_empty();
    if request.artifacts.is_empty() && !has_command {
        return Err(Nothing::Given.into());
    }
    let mut reports = Vec::new();
    for input in &request.artifacts {
        let read = input.open(matchers, limits);
        let kind =
            if let [report] = read.as_slice() { report.kind.to_owned() } else { format!("{} artifacts", read.len()) };
        let tests: u64 = read.iter().map(|report| report.tests.total).sum();
        let diagnostics: usize = read.iter().map(|report| report.diagnostics.len()).sum();
        journal.record(Entry {
            action: "read-artifact".to_owned(),
            subject: input.name.clone(),
            outcome: format!("{kind}: {tests} tests, {diagnostics} diagnostics"),
            hashes: vec![input.content.sha().with_context(|| format!("reading {}", input.name))?],
            ..Entry::default()
        });
        reports.extend(read);
    }
    let unreadable = reports.iter().all(|report| report.kind == "unknown");
    if unreadable && !has_command {
        let names: Vec<String> = request
            .artifacts
            .iter()
            .map(|input| {
                if input.content.is_empty() {
                    format!("{} is empty", input.name)
                } else {
                    format!("{} is no artifact that can be read", input.name)
                }
            })
            .collect();
        return Err(Nothing::Readable(names.join("; "))).context("nothing says what failed");
    }
    Ok(reports)
}

/// The way out for a run that cannot be started.
#[must_use]
pub fn hints_of(error: &anyhow::Error) -> Vec<String> {
    let example = "unbreak fix --run \"cargo test\", or unbreak fix --artifact report.xml";
    error
        .chain()
        .find_map(|cause| match (cause.downcast_ref::<Nothing>(), cause.downcast_ref::<GitError>()) {
            (Some(Nothing::Given), _) => Some(vec![format!("try {example}")]),
            (Some(Nothing::Readable(_)), _) => {
                Some(vec!["docs/artifacts.md lists the formats that can be read".to_owned()])
            }
            (None, Some(GitError::Unusable { hints, .. })) => Some(hints.clone()),
            _ => None,
        })
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal;
    use crate::source::Memory;

    #[test]
    fn a_matcher_that_is_not_used_is_on_record() {
        let json = r#"{"problemMatcher": [{"owner": "broken", "pattern": [{"regexp": "(", "message": 0}]}]}"#;
        let tree = Memory::new([(RepoPath::new(".github/m.json").unwrap(), json)]);
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("journal.jsonl");
        let journal = Journal::create(&path, || 0).unwrap();
        read_matchers(&tree, &journal);
        journal.close().unwrap();
        let (entries, _) = journal::read(&std::fs::read_to_string(&path).unwrap());
        let told = entries.iter().find(|(_, entry)| entry.action == "read-matchers").unwrap();
        assert!(told.1.outcome.contains(".github/m.json") && told.1.outcome.contains("broken"), "{:?}", told.1);
    }
}
