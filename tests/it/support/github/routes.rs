//! Every request that the fake answers. Whatever is not listed fails the test.

use super::answer::{Answer, Call};
use super::world::World;
use super::{actions, branches, pulls};

/// A kind of request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Route {
    Repository,
    Run,
    RunAttempt,
    Jobs,
    JobLog,
    Artifacts,
    ArtifactZip,
    WorkflowRuns,
    Annotations,
    CommitPulls,
    Pulls,
    Pull,
    CreatePull,
    UpdatePull,
    AddLabels,
    BranchRules,
    Branch,
    GetRef,
    CreateRef,
    DeleteRef,
    /// The mutation `createCommitOnBranch` of the query language.
    CommitOnBranch,
    /// What redirects lead to.
    Blob,
    /// The first request of each fetch and push: what there is.
    GitRefs,
    GitFetch,
    GitPush,
}

impl Route {
    /// Whether it is no request to the interface.
    pub(super) fn is_elsewhere(self) -> bool {
        matches!(self, Self::Blob | Self::GitRefs | Self::GitFetch | Self::GitPush)
    }
}

/// How a kind of request is answered.
pub(crate) struct Row {
    pub(crate) route: Route,
    pub(crate) method: &'static str,
    /// As GitHub's description has it, without `/repos/{owner}/{repo}`.
    pub(crate) template: &'static str,
    pub(super) answer: fn(&mut World, &Call) -> Answer,
}

const fn get(route: Route, template: &'static str, answer: fn(&mut World, &Call) -> Answer) -> Row {
    Row { route, method: "GET", template, answer }
}

const fn write(
    method: &'static str,
    route: Route,
    template: &'static str,
    answer: fn(&mut World, &Call) -> Answer,
) -> Row {
    Row { route, method, template, answer }
}

/// The table.
pub(crate) const ROUTES: &[Row] = &[
    get(Route::Repository, "", branches::repository),
    get(Route::Run, "/actions/runs/{run_id}", actions::run),
    get(Route::RunAttempt, "/actions/runs/{run_id}/attempts/{attempt_number}", actions::run_attempt),
    get(Route::Jobs, "/actions/runs/{run_id}/jobs", actions::jobs),
    get(Route::JobLog, "/actions/jobs/{job_id}/logs", actions::job_log),
    get(Route::Artifacts, "/actions/runs/{run_id}/artifacts", actions::artifacts),
    get(Route::ArtifactZip, "/actions/artifacts/{artifact_id}/{archive_format}", actions::artifact_zip),
    get(Route::WorkflowRuns, "/actions/workflows/{workflow_id}/runs", actions::workflow_runs),
    get(Route::Annotations, "/check-runs/{check_run_id}/annotations", actions::annotations),
    get(Route::CommitPulls, "/commits/{commit_sha}/pulls", pulls::of_commit),
    get(Route::Pulls, "/pulls", pulls::list),
    get(Route::Pull, "/pulls/{pull_number}", pulls::one),
    write("POST", Route::CreatePull, "/pulls", pulls::create),
    write("PATCH", Route::UpdatePull, "/pulls/{pull_number}", pulls::update),
    write("POST", Route::AddLabels, "/issues/{issue_number}/labels", pulls::add_labels),
    get(Route::BranchRules, "/rules/branches/{branch}", branches::rules),
    get(Route::Branch, "/branches/{branch}", branches::branch),
    get(Route::GetRef, "/git/ref/{ref}", branches::get_ref),
    write("POST", Route::CreateRef, "/git/refs", branches::create_ref),
    write("DELETE", Route::DeleteRef, "/git/refs/{ref}", branches::delete_ref),
];

/// Placeholders that stand for several segments.
const LONG: &[&str] = &["{ref}", "{branch}"];

impl Row {
    /// The operation's name in GitHub's description.
    pub(crate) fn operation(&self) -> String {
        format!("{} /repos/{{owner}}/{{repo}}{}", self.method, self.template)
    }

    /// What stands for the placeholders of the template in a path below the repository.
    fn captures(&self, path: &str) -> Option<Vec<String>> {
        let mut segments = path.split('/');
        let mut captures = Vec::new();
        for expected in self.template.split('/') {
            let segment = segments.next()?;
            if LONG.contains(&expected) {
                let rest: Vec<&str> = std::iter::once(segment).chain(segments.by_ref()).collect();
                captures.push(percent_decoded(&rest.join("/")));
            } else if expected.starts_with('{') {
                captures.push(percent_decoded(segment));
            } else if expected != segment {
                return None;
            }
        }
        segments.next().is_none().then_some(captures)
    }
}

/// The row for a request, and what stands for its placeholders.
pub(super) fn find(method: &str, path: &str) -> Option<(&'static Row, Vec<String>)> {
    let mut rows = ROUTES.iter().filter(|row| row.method == method);
    rows.find_map(|row| Some((row, row.captures(path)?)))
}

fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        let hex = (first == b'%').then(|| tail.get(..2)).flatten().and_then(|hex| std::str::from_utf8(hex).ok());
        if let Some(byte) = hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            bytes.push(byte);
            rest = &tail[2..];
        } else {
            bytes.push(first);
            rest = tail;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
