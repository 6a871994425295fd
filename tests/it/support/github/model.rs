//! The things that a world has: values that a test may change as it likes.

use super::routes::Route;

/// A run of a workflow, as its last attempt left it.
#[derive(Clone)]
pub(crate) struct Run {
    pub(crate) id: u64,
    /// As people count them.
    pub(crate) number: u64,
    pub(crate) name: String,
    pub(crate) path: String,
    pub(crate) workflow: u64,
    pub(crate) attempt: u32,
    pub(crate) event: String,
    pub(crate) status: String,
    pub(crate) conclusion: Option<String>,
    pub(crate) head_branch: String,
    pub(crate) head_sha: String,
    /// Another one than the base for a fork.
    pub(crate) head_repository: String,
    pub(crate) actor: String,
    pub(crate) at: u64,
}

/// A job of one attempt of a run; its check run has the same number.
#[derive(Clone)]
pub(crate) struct Job {
    pub(crate) id: u64,
    pub(crate) run: u64,
    pub(crate) attempt: u32,
    pub(crate) name: String,
    pub(crate) conclusion: Option<String>,
    pub(crate) labels: Vec<String>,
    /// Names and ends.
    pub(crate) steps: Vec<(String, Option<String>)>,
    /// Whole, as it is downloaded; `None`: there is none.
    pub(crate) log: Option<Vec<u8>>,
}

/// What a run uploaded.
#[derive(Clone)]
pub(crate) struct Artifact {
    pub(crate) id: u64,
    pub(crate) run: u64,
    pub(crate) name: String,
    /// The archive.
    pub(crate) zip: Vec<u8>,
    pub(crate) expired: bool,
}

/// What a check says of a line.
#[derive(Clone)]
pub(crate) struct Annotation {
    pub(crate) path: String,
    pub(crate) line: u64,
    pub(crate) level: String,
    pub(crate) message: String,
}

/// A pull request.
#[derive(Clone, Debug)]
pub(crate) struct Pull {
    pub(crate) number: u64,
    pub(crate) title: String,
    pub(crate) body: String,
    pub(crate) head: String,
    /// `owner/name`; another one than the base for a fork.
    pub(crate) head_repository: String,
    pub(crate) base: String,
    pub(crate) draft: bool,
    pub(crate) state: State,
    pub(crate) labels: Vec<String>,
    pub(crate) author: String,
    /// The head's commit; it follows the branch while the pull request is open.
    pub(crate) sha: String,
    /// The tip of the base when it was opened.
    pub(crate) base_sha: String,
    /// What happened to it, in words.
    pub(crate) history: Vec<String>,
    pub(crate) created: u64,
    pub(crate) updated: u64,
    /// How many more reads do not show it.
    pub(super) hidden: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    Open,
    Closed,
    Merged,
}

/// Who changed a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum By {
    /// Somebody else: the test.
    Person,
    /// The program, by a push.
    Push,
    /// The program, through the interface.
    Interface,
}

/// A change of a branch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Move {
    pub(crate) branch: String,
    pub(crate) from: Option<String>,
    pub(crate) to: Option<String>,
    pub(crate) by: By,
}

/// A request that arrived.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    /// `None`: unknown.
    pub(crate) route: Option<Route>,
    /// The method and the path with its query.
    pub(crate) line: String,
    pub(crate) body: Vec<u8>,
}

/// Whether there is lag left; some of it goes.
pub(super) fn lag_once(left: &mut u32) -> bool {
    let lags = *left > 0;
    *left = left.saturating_sub(1);
    lags
}

impl Pull {
    pub(super) fn change(&mut self, now: u64, what: &str) {
        self.updated = now;
        self.history.push(what.to_owned());
    }
}

/// A pull request to be.
pub(super) struct NewPull<'a> {
    pub(super) title: &'a str,
    pub(super) body: &'a str,
    pub(super) head: &'a str,
    pub(super) base: &'a str,
    pub(super) draft: bool,
}
