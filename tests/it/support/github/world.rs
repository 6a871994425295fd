//! What the fake knows: plain values, besides the repository on disk. A test may look at and change all of it.

use std::collections::BTreeMap;

use super::bare::Bare;
use super::faults::Faults;
use super::model::{Annotation, Artifact, By, Job, Move, NewPull, Pull, Run, Seen, State, lag_once};
use super::routes::Route;

/// A token that may do everything which the interface offers here.
pub(crate) const TOKEN: &str = "ghs_0123456789abcdefghijklmnopqrstuvwxyzAB";
/// A token that may read.
pub(crate) const READ_TOKEN: &str = "ghs_readreadreadreadreadreadreadreadread01";
/// Whom the tokens belong to.
pub(crate) const BOT: &str = "github-actions[bot]";

/// Everything that there is.
pub(crate) struct World {
    /// `owner/name`.
    pub(crate) repository: String,
    pub(crate) default_branch: String,
    pub(crate) archived: bool,
    pub(crate) git: Bare,
    pub(crate) runs: Vec<Run>,
    pub(crate) jobs: Vec<Job>,
    pub(crate) artifacts: Vec<Artifact>,
    /// By the job that they belong to.
    pub(crate) annotations: Vec<(u64, Annotation)>,
    pub(crate) pulls: Vec<Pull>,
    /// Whether rules demand signed commits on every branch.
    pub(crate) signatures: bool,
    /// The repository's switch "Allow GitHub Actions to create and approve pull requests".
    pub(crate) may_open_pulls: bool,
    /// After how many reads a new pull request or branch shows.
    pub(crate) lag: u32,
    pub(crate) faults: Faults,
    /// Every change of a branch, in its order.
    pub(crate) moves: Vec<Move>,
    /// Every request, in its order.
    pub(crate) requests: Vec<Seen>,
    pub(super) complaints: Vec<String>,
    pub(super) addresses: Addresses,
    known_heads: BTreeMap<String, String>,
    hidden_branches: BTreeMap<String, u32>,
    clock: u64,
}

/// Where the fake listens.
#[derive(Clone, Default)]
pub(super) struct Addresses {
    /// The interface, the repository, the pages: `http://127.0.0.1:PORT`.
    pub(super) forge: String,
    /// What redirects lead to; it is somebody else's.
    pub(super) blobs: String,
}

impl World {
    /// An empty repository.
    pub(super) fn new(repository: &str) -> Self {
        Self {
            repository: repository.to_owned(),
            default_branch: "main".to_owned(),
            archived: false,
            git: Bare::new(repository),
            runs: Vec::new(),
            jobs: Vec::new(),
            artifacts: Vec::new(),
            annotations: Vec::new(),
            pulls: Vec::new(),
            signatures: false,
            may_open_pulls: true,
            lag: 0,
            faults: Faults::default(),
            moves: Vec::new(),
            requests: Vec::new(),
            complaints: Vec::new(),
            addresses: Addresses::default(),
            known_heads: BTreeMap::new(),
            hidden_branches: BTreeMap::new(),
            clock: 0,
        }
    }

    /// The part before the slash.
    pub(crate) fn owner(&self) -> &str {
        self.repository.split('/').next().unwrap()
    }

    /// Time passes when something happens.
    pub(super) fn tick(&mut self) -> u64 {
        self.clock += 1;
        self.clock
    }

    /// Somebody pushes a commit of these files; the new tip.
    pub(crate) fn push(&mut self, branch: &str, files: &[(&str, &str)], message: &str) -> String {
        let files: Vec<_> =
            files.iter().map(|(path, text)| ((*path).to_owned(), Some(text.as_bytes().to_vec()))).collect();
        let tip = self.git.commit(branch, &files, message);
        self.notice_moves(By::Person);
        tip
    }

    /// Somebody pushes a commit that makes a path a symlink; the new tip.
    pub(crate) fn push_link(&mut self, branch: &str, link: (&str, &str)) -> String {
        let tip = self.git.link(branch, link);
        self.notice_moves(By::Person);
        tip
    }

    /// The failed run is from now on one of this branch, at this commit.
    pub(crate) fn rerun(&mut self, branch: &str, commit: &str) {
        let Some(run) = self.runs.last_mut() else { return };
        branch.clone_into(&mut run.head_branch);
        commit.clone_into(&mut run.head_sha);
    }

    /// Somebody opens a pull request; its number.
    pub(crate) fn open_pull(&mut self, head: &str, base: &str, title: &str) -> u64 {
        let draft = NewPull { title, body: "", head, base, draft: false };
        self.insert_pull("octo", &draft)
    }

    /// Somebody closes a pull request.
    pub(crate) fn close_pull(&mut self, number: u64, merged: bool) {
        let now = self.tick();
        let pull = self.pull_mut(number).unwrap();
        pull.state = if merged { State::Merged } else { State::Closed };
        pull.change(now, if merged { "merged" } else { "closed" });
    }

    /// A pull request by its number.
    pub(crate) fn pull(&self, number: u64) -> Option<&Pull> {
        self.pulls.iter().find(|pull| pull.number == number)
    }

    /// The pull requests from a branch that are open.
    pub(crate) fn open_pulls(&self, head: &str) -> Vec<&Pull> {
        self.pulls.iter().filter(|pull| pull.head == head && pull.state == State::Open).collect()
    }

    /// How many requests of a kind have arrived.
    pub(crate) fn count(&self, route: Route) -> usize {
        self.requests.iter().filter(|seen| seen.route == Some(route)).count()
    }

    /// How many requests to the interface have arrived: what a rate limit counts.
    pub(crate) fn calls(&self) -> usize {
        self.requests.iter().filter(|seen| !seen.route.is_some_and(Route::is_elsewhere)).count()
    }

    pub(super) fn pull_mut(&mut self, number: u64) -> Option<&mut Pull> {
        self.pulls.iter_mut().find(|pull| pull.number == number)
    }

    pub(super) fn complain(&mut self, complaint: String) {
        self.complaints.push(complaint);
    }

    /// A new pull request between branches that are there.
    pub(super) fn insert_pull(&mut self, author: &str, new: &NewPull<'_>) -> u64 {
        let number = self.pulls.iter().map(|pull| pull.number).max().unwrap_or(0) + 1;
        let now = self.tick();
        self.pulls.push(Pull {
            number,
            title: new.title.to_owned(),
            body: new.body.to_owned(),
            head: new.head.to_owned(),
            head_repository: self.repository.clone(),
            base: new.base.to_owned(),
            draft: new.draft,
            state: State::Open,
            labels: Vec::new(),
            author: author.to_owned(),
            sha: self.git.tip(new.head).unwrap(),
            base_sha: self.git.tip(new.base).unwrap(),
            history: vec!["opened".to_owned()],
            created: now,
            updated: now,
            hidden: if author == BOT { self.lag } else { 0 },
        });
        number
    }

    /// Looks what became of the branches: remembers their moves, lets open pull requests follow theirs, and complains
    /// of what the program must never do.
    pub(super) fn notice_moves(&mut self, by: By) {
        let heads = self.git.heads();
        let names: std::collections::BTreeSet<&String> = heads.keys().chain(self.known_heads.keys()).collect();
        let moves: Vec<Move> = names
            .into_iter()
            .map(|name| (name, self.known_heads.get(name), heads.get(name)))
            .filter(|(_, from, to)| from != to)
            .map(|(name, from, to)| Move { branch: name.clone(), from: from.cloned(), to: to.cloned(), by })
            .collect();
        for change in &moves {
            self.judge_move(change);
            self.follow(change);
        }
        self.known_heads = heads;
        self.moves.extend(moves);
    }

    fn judge_move(&mut self, change: &Move) {
        if change.by == By::Person {
            return;
        }
        let branch = &change.branch;
        if *branch == self.default_branch || self.pulls.iter().any(|pull| pull.base == *branch) {
            self.complain(format!("the program changed the base `{branch}`"));
        }
        match (&change.from, &change.to) {
            (Some(from), Some(to)) if !self.git.reaches(from, to) => {
                self.complain(format!("the program forced `{branch}` from {from} to {to}"));
            }
            (Some(from), None) => {
                let own = |earlier: &Move| earlier.branch == *branch && earlier.by != By::Person;
                if !self.moves.iter().any(own) {
                    self.complain(format!("the program deleted `{branch}` at {from}, which is not its own"));
                }
            }
            (None, Some(_)) if self.lag > 0 => {
                self.hidden_branches.insert(branch.clone(), self.lag);
            }
            _ => {}
        }
    }

    fn follow(&mut self, change: &Move) {
        let now = self.tick();
        let repository = self.repository.clone();
        let own = |pull: &&mut Pull| pull.head == change.branch && pull.head_repository == repository;
        for pull in self.pulls.iter_mut().filter(own).filter(|pull| pull.state == State::Open) {
            if let Some(to) = &change.to {
                pull.sha.clone_from(to);
                pull.change(now, "head moved");
            } else {
                pull.state = State::Closed;
                pull.change(now, "closed: head deleted");
            }
        }
    }

    /// Whether a branch does not show yet; looking brings that nearer.
    pub(super) fn lags(&mut self, branch: &str) -> bool {
        self.hidden_branches.get_mut(branch).is_some_and(lag_once)
    }
}
