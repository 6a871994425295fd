//! The table of everything that can be sent to the forge. A row is made here and nowhere else, so what is absent from
//! it cannot happen: nothing merges, approves or reviews, and nothing but a branch of ours is deleted.

/// One thing that can be asked of the forge.
#[derive(Debug)]
pub struct Route {
    /// What errors and the journal call it.
    pub name: &'static str,
    /// How it is sent.
    pub method: Method,
    /// Where: below the interface's address; what stands in braces is encoded into one segment or one value.
    pub path: &'static str,
    /// What it does.
    pub effect: Effect,
    /// How it may be sent again.
    pub repeat: Repeat,
    // Private, so that no row can be made outside of this file.
    document: Option<&'static str>,
}

impl Route {
    /// The document of a GraphQL row, a constant: what varies is passed as variables.
    #[must_use]
    pub fn document(&self) -> Option<&'static str> {
        self.document
    }
}

/// The methods that rows use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the protocol's own terms")]
pub enum Method {
    Get,
    Post,
    Patch,
    Delete,
}

impl Method {
    /// The word on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
        }
    }
}

/// What a row does on the forge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// Nothing.
    Read,
    /// Nothing; it names an address that a file is fetched from.
    Download,
    /// A new branch, of ours.
    CreateBranch,
    /// A branch of ours goes.
    DeleteOwnBranch,
    /// A new pull request from a branch of ours.
    CreatePull,
    /// Another title and body.
    UpdatePull,
    /// Open again, after its branch was taken away under it.
    ReopenPull,
    /// More labels.
    AddLabels,
    /// One commit more on a branch of ours.
    CommitOnOwnBranch,
}

/// How a row may be sent again when nobody knows whether it was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repeat {
    /// As it is: twice is as good as once.
    Harmless,
    /// After a look that it was not done.
    LookFirst,
}

/// Makes the rows and lists them, so that no row is outside of the table.
macro_rules! routes {
    ($($row:ident $name:literal $method:ident $path:literal $effect:ident $repeat:ident $document:expr;)+) => {
        $(pub(super) static $row: Route = Route {
            name: $name,
            method: Method::$method,
            path: $path,
            effect: Effect::$effect,
            repeat: Repeat::$repeat,
            document: $document,
        };)+

        /// The table: every row that there is.
        pub static ROUTES: &[&Route] = &[$(&$row),+];
    };
}

const COMMIT: &str =
    "mutation($input: CreateCommitOnBranchInput!) { createCommitOnBranch(input: $input) { commit { oid } } }";

routes! {
    REPOSITORY "repository" Get "/repos/{owner}/{repo}" Read Harmless None;
    RUN "run" Get "/repos/{owner}/{repo}/actions/runs/{run}" Read Harmless None;
    RUN_ATTEMPT "run-attempt" Get "/repos/{owner}/{repo}/actions/runs/{run}/attempts/{attempt}" Read Harmless None;
    JOBS "jobs" Get "/repos/{owner}/{repo}/actions/runs/{run}/jobs?filter=all&per_page=100" Read Harmless None;
    JOB_LOG "job-log" Get "/repos/{owner}/{repo}/actions/jobs/{job}/logs" Download Harmless None;
    ARTIFACTS "artifacts" Get "/repos/{owner}/{repo}/actions/runs/{run}/artifacts?per_page=100" Read Harmless None;
    ARTIFACT "artifact" Get "/repos/{owner}/{repo}/actions/artifacts/{artifact}/zip" Download Harmless None;
    ANNOTATIONS "annotations" Get "/repos/{owner}/{repo}/check-runs/{job}/annotations?per_page=100" Read Harmless None;
    GREEN_RUNS "green-runs" Get
        "/repos/{owner}/{repo}/actions/workflows/{workflow}/runs?branch={branch}&status=success&per_page=20"
        Read Harmless None;
    PULLS_OF_COMMIT "pulls-of-commit" Get "/repos/{owner}/{repo}/commits/{commit}/pulls?per_page=100"
        Read Harmless None;
    PULLS_OF_BRANCH "pulls-of-branch" Get
        "/repos/{owner}/{repo}/pulls?head={head}&state=all&sort=created&direction=desc&per_page=100"
        Read Harmless None;
    RECENT_PULLS "recent-pulls" Get "/repos/{owner}/{repo}/pulls?state=all&sort=created&direction=desc&per_page=100"
        Read Harmless None;
    BRANCH_RULES "branch-rules" Get "/repos/{owner}/{repo}/rules/branches/{branch}?per_page=100" Read Harmless None;
    BRANCH "branch" Get "/repos/{owner}/{repo}/branches/{branch}" Read Harmless None;
    // The same name at the same commit: the second time it is there already.
    CREATE_BRANCH "create-branch" Post "/repos/{owner}/{repo}/git/refs" CreateBranch Harmless None;
    DELETE_BRANCH "delete-branch" Delete "/repos/{owner}/{repo}/git/refs/heads/{branch}"
        DeleteOwnBranch Harmless None;
    CREATE_PULL "create-pull" Post "/repos/{owner}/{repo}/pulls" CreatePull LookFirst None;
    UPDATE_PULL "update-pull" Patch "/repos/{owner}/{repo}/pulls/{pull}" UpdatePull Harmless None;
    REOPEN_PULL "reopen-pull" Patch "/repos/{owner}/{repo}/pulls/{pull}" ReopenPull Harmless None;
    ADD_LABELS "add-labels" Post "/repos/{owner}/{repo}/issues/{pull}/labels" AddLabels Harmless None;
    COMMIT_ON_BRANCH "commit-on-branch" Post "/graphql" CommitOnOwnBranch LookFirst Some(COMMIT);
}
