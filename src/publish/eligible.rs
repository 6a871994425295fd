//! Which runs get a pull request at all: those of branches of this repository that are nobody's tool.

use super::Desk;
use super::end::{End, Step};
use crate::github::GitHubError;
use crate::ids::{BranchName, OwnBranch, RepositoryName};
use crate::incident::Incident;

/// Branches that the forge makes for its merge queue: what is pushed there is thrown away.
const QUEUE: &str = "gh-readonly-queue/";

/// The failing branch, when a pull request may be opened against it.
pub(super) fn check(incident: &Incident, repository: &RepositoryName) -> Step<BranchName> {
    if incident.repository != *repository {
        let reason = format!("the run is one of {}, and this is {repository}", incident.repository);
        return Err(End::refused(reason));
    }
    if incident.is_from_fork() {
        return Err(End::refused("the commit comes from a fork, which nothing is ever published for"));
    }
    let Some(branch) = &incident.head.branch else {
        return Err(End::refused("the run built no branch (a tag, or a branch that is gone), so there is no base"));
    };
    if branch.as_str().starts_with(OwnBranch::PREFIX) {
        return Err(End::refused(format!(
            "`{branch}` is a branch of this program: it does not repair its own repairs"
        )));
    }
    if branch.as_str().starts_with(QUEUE) {
        return Err(End::refused(format!("`{branch}` belongs to the merge queue, which makes and removes it")));
    }
    Ok(branch.clone())
}

/// The run that the forge knows by that number built what the bundle says: otherwise the stage before could choose the
/// base, and pass off a fork's code as the repository's own.
pub(super) async fn confirm(incident: &Incident, desk: &Desk<'_>) -> Step<()> {
    let number = incident.run.id;
    let run = desk.github.run(number, None, desk.journal).await.map_err(|error| match error {
        GitHubError::Refused { status: 403 | 404, .. } => {
            End::refused(format!("run {number} cannot be looked up: {error}"))
                .hint("give the job that publishes `permissions: actions: read` too")
        }
        other => other.into(),
    })?;
    let head = &incident.head;
    let built = run.head_repository.and_then(|named| RepositoryName::new(&named.full_name).ok());
    let wrong = if run.head_sha != head.commit.as_str() {
        "the commit"
    } else if run.head_branch.as_deref() != head.branch.as_ref().map(BranchName::as_str) {
        "the branch"
    } else if built != head.repository {
        "the repository"
    } else {
        return Ok(());
    };
    Err(End::refused(format!("incident.json does not say what run {number} built: {wrong} is another")))
}
