//! A proposal becomes a pull request, over the fake GitHub and real git: what is refused, what races, what is lost.

mod bundle;
mod faults;
mod races;
mod refusals;
mod schedules;
mod signed;

use std::path::{Path, PathBuf};
use std::time::Duration;

use tempfile::TempDir;
use unbreak::git::{Git, Remote};
use unbreak::github::{Connection, GitHub, Settings};
use unbreak::handover::{Handover, Kind};
use unbreak::ids::RepositoryName;
use unbreak::journal::Journal;
use unbreak::publish::{Desk, Order, Outcome, Published, publish};
use unbreak::report::State;
use unbreak::secret::{Redactor, Secret};

use crate::support::github::{FakeGitHub, Scene, TOKEN};
use bundle::Bundle;

const BROKEN: &str = "def add(a, b):\n    return a - b\n";
const MENDED: &str = "def add(a, b):\n    return a + b\n";
const OTHERWISE: &str = "def add(a, b):\n    return b + a\n";
const TEST: &str = "from calc import add\n\n\ndef test_add():\n    assert add(2, 2) == 4\n";

/// Some hours after the failed run, in the time of the fake: 2026-01-05T12:00:00Z.
const NOON: i64 = 1_767_614_400;

/// A lab whose `main` is broken.
async fn lab() -> FakeGitHub {
    lab_with(&[]).await
}

async fn lab_with(more: &[(&str, &str)]) -> FakeGitHub {
    let files = [&[("calc.py", BROKEN), ("test_calc.py", TEST)], more].concat();
    Scene::of(&files).before(&[("calc.py", MENDED)]).start().await
}

/// One stage that publishes: its own client, its own place, its own record.
struct Stage {
    place: TempDir,
    labels: Vec<String>,
    draft: Option<bool>,
    ceiling: Option<unbreak::policy::Stage>,
    dry_run: bool,
    now: i64,
}

impl Stage {
    fn new() -> Self {
        let place = tempfile::Builder::new().prefix("unbreak-publish-").tempdir_in("/var/tmp").unwrap();
        Self { place, labels: Vec::new(), draft: None, ceiling: None, dry_run: false, now: NOON }
    }

    fn scratch(&self) -> PathBuf {
        self.place.path().join("scratch")
    }

    async fn publish(&self, github: &FakeGitHub, bundle: &Bundle) -> Published {
        let handover = Handover::open(bundle.path(), Kind::Proposal).unwrap();
        self.publish_opened(github, &handover).await
    }

    async fn publish_opened(&self, github: &FakeGitHub, bundle: &Handover) -> Published {
        let token = Secret::new(TOKEN.to_owned());
        let repository = RepositoryName::new(&github.world().repository).unwrap();
        let connection = Connection { api: github.api(), repository, token: Some(token.clone()) };
        let client = GitHub::open_with(connection, impatient()).unwrap();
        let git = Git::new("git".into(), self.place.path().join("home")).unwrap();
        let remote = Remote::new(&github.clone_url(), Some(token.clone())).unwrap();
        let redactor = Redactor::new([("the token", &token)]);
        let desk = Desk {
            github: &client,
            git: &git,
            remote: &remote,
            journal: &Journal::unkept(|| 0),
            redactor: &redactor,
            scratch: &self.scratch(),
            now: self.now,
            progress: &|_| {},
        };
        let order = Order {
            bundle,
            server: "https://github.example",
            draft: self.draft,
            labels: &self.labels,
            stage: self.ceiling,
            dry_run: self.dry_run,
            version: "0.1.0",
        };
        let published = publish(&order, &desk).await.unwrap();
        assert_eq!(published.bundle.is_none(), published.outcome.is_delivered(), "{published:?}");
        assert!(is_empty(&self.scratch()), "something is left in the scratch directory");
        published
    }
}

/// Whether nothing but the lock of the directory is there.
fn is_empty(scratch: &Path) -> bool {
    std::fs::read_dir(scratch).unwrap().all(|entry| entry.unwrap().file_name() == "lock")
}

/// As patient as the program, and a thousand times as fast.
fn impatient() -> Settings {
    let mut settings = Settings::default();
    settings.retries.base = Duration::from_millis(1);
    settings.retries.cap = Duration::from_millis(5);
    settings.unnamed_limit = Duration::from_millis(1);
    settings
}

/// Publishes with a stage of its own.
async fn published(github: &FakeGitHub, bundle: &Bundle) -> Published {
    Stage::new().publish(github, bundle).await
}

/// The only branch of the program that there is; none when there is none.
fn own_branch(github: &FakeGitHub) -> Option<String> {
    let heads = github.world().git.heads();
    let own: Vec<&String> = heads.keys().filter(|name| name.starts_with("unbreak/")).collect();
    assert!(own.len() <= 1, "{own:?}");
    own.first().map(ToString::to_string)
}

/// Holds that there is exactly one open pull request, which describes what its branch holds.
fn assert_delivered(github: &FakeGitHub) {
    let world = github.world();
    let open: Vec<_> = world.pulls.iter().filter(|pull| pull.head.starts_with("unbreak/")).collect();
    let open: Vec<_> = open.into_iter().filter(|pull| pull.state == crate::support::github::State::Open).collect();
    assert_eq!(open.len(), 1, "{open:?}");
    let state = State::read(&open[0].body).unwrap();
    assert_eq!(world.git.tip(&open[0].head).unwrap(), state.commit.as_str());
    assert_eq!(open[0].sha, state.commit.as_str());
}

/// Holds that nothing is left of an attempt.
fn assert_untouched(github: &FakeGitHub) {
    assert_eq!(own_branch(github), None);
    assert!(github.world().pulls.is_empty());
}

#[tokio::test]
async fn a_proposal_becomes_a_branch_and_a_pull_request() {
    let github = lab().await;
    let bundle = Bundle::of(&github).change("calc.py", MENDED).sealed();
    let mut stage = Stage::new();
    stage.labels = vec!["ci".into(), "CI".into(), " bot ".into(), String::new()];
    stage.draft = Some(true);
    let published = stage.publish(&github, &bundle).await;
    assert_eq!(published.outcome, Outcome::Opened, "{published:?}");
    assert_eq!(published.pull_request.as_ref().unwrap().url, "https://github.example/octo/lab/pull/1");
    assert!(published.hints.is_empty() && published.notes.is_empty(), "{published:?}");
    assert!(published.api_calls <= 8, "{}", published.api_calls);
    assert_delivered(&github);
    let world = github.world();
    let branch = published.branch.unwrap().to_string();
    let pull = &world.open_pulls(&branch)[0];
    insta::assert_snapshot!(format!("{branch} → {}: {}", pull.base, pull.title), @"unbreak/test-6d524391 → main: Fix test_add: assert 0 == 4");
    assert!(pull.draft);
    assert_eq!(pull.labels, ["ci", "bot"]);
    assert!(pull.body.contains("## What broke") && pull.body.contains("/actions/runs/102/attempts/1)"));
    assert_eq!(world.git.read(&branch, "calc.py").unwrap(), MENDED);
    insta::assert_snapshot!(world.git.message(&branch), @r"
    Fix test_add: assert 0 == 4

    What was wrong, in the words of the repair: the operator is the wrong one, see # 12 and @ octo

    Unbreak-Run: https://github.example/octo/lab/actions/runs/102/attempts/1 (attempt 1)
    Unbreak-Fingerprint: 6d5243913e96e397572d5214b178e123
    Unbreak-Tier: light
    Unbreak-Model: openai:small
    Unbreak-Version: 0.1.0
    ");
    assert_eq!(world.git.tip("main").unwrap(), world.runs.last().unwrap().head_sha);
    drop(world);
    github.finish();
}

#[tokio::test]
async fn publishing_it_again_changes_nothing() {
    let github = lab().await;
    let bundle = Bundle::of(&github).change("calc.py", MENDED).sealed();
    let first = published(&github, &bundle).await;
    let seen = |github: &FakeGitHub| {
        let world = github.world();
        (world.moves.len(), world.pulls[0].history.clone())
    };
    let before = seen(&github);
    let again = published(&github, &bundle).await;
    assert_eq!(again.outcome, Outcome::Unchanged, "{again:?}");
    assert_eq!((again.commit, again.pull_request), (first.commit, first.pull_request));
    assert_eq!(again.api_calls, 3);
    assert_eq!(seen(&github), before);
    github.finish();
}

#[tokio::test]
async fn a_later_repair_goes_on_top_and_updates_the_same_pull_request() {
    let github = lab().await;
    let first = published(&github, &Bundle::of(&github).change("calc.py", MENDED).sealed()).await;
    let later = Bundle::of(&github).change("calc.py", OTHERWISE).attempt(2).sealed();
    let second = published(&github, &later).await;
    assert_eq!(second.outcome, Outcome::Updated, "{second:?}");
    assert_eq!(second.pull_request, first.pull_request);
    assert_delivered(&github);
    let world = github.world();
    let branch = second.branch.unwrap().to_string();
    assert!(world.git.reaches(first.commit.unwrap().as_str(), second.commit.unwrap().as_str()));
    assert_eq!(world.git.read(&branch, "calc.py").unwrap(), OTHERWISE);
    assert_eq!(State::read(&world.pulls[0].body).unwrap().attempts, 2);
    drop(world);
    github.finish();
}

#[tokio::test]
async fn a_repair_for_a_newer_commit_brings_both_lines_together() {
    let github = lab().await;
    published(&github, &Bundle::of(&github).change("calc.py", MENDED).sealed()).await;
    let newer = github.world().push("main", &[("other.py", "x = 1\n")], "More");
    github.world().rerun("main", &newer);
    let later = Bundle::of(&github).base(&newer).change("calc.py", MENDED).attempt(2).sealed();
    let second = published(&github, &later).await;
    assert_eq!(second.outcome, Outcome::Updated, "{second:?}");
    assert_delivered(&github);
    let world = github.world();
    let tip = second.commit.unwrap();
    assert!(world.git.reaches(&newer, tip.as_str()));
    assert_eq!(world.git.read(tip.as_str(), "other.py").unwrap(), "x = 1\n");
    drop(world);
    // And once more for a still newer one: the history of the branch is walked through its merges.
    let newest = github.world().push("main", &[("other.py", "x = 2\n")], "And more");
    github.world().rerun("main", &newest);
    let third = Bundle::of(&github).base(&newest).change("calc.py", OTHERWISE).attempt(3).sealed();
    assert_eq!(published(&github, &third).await.outcome, Outcome::Updated);
    assert_delivered(&github);
    github.finish();
}

#[tokio::test]
async fn a_dry_run_finds_out_everything_and_writes_nothing() {
    let github = lab().await;
    let bundle = Bundle::of(&github).change("calc.py", MENDED).sealed();
    let stage = Stage { dry_run: true, ..Stage::new() };
    let before = github.world().moves.len();
    let rehearsed = stage.publish(&github, &bundle).await;
    assert_eq!(rehearsed.outcome, Outcome::DryRun, "{rehearsed:?}");
    assert_eq!(github.world().moves.len(), before);
    assert_untouched(&github);
    let refused = stage.publish(&github, &Bundle::of(&github).change(".env", "A=1\n").sealed()).await;
    assert_eq!(refused.outcome, Outcome::Blocked, "{refused:?}");
    github.finish();
}
