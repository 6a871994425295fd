//! The program's own client against the fake: each understands the other, and whatever goes wrong, nothing is doubled.

use std::time::Duration;

use unbreak::github::{Created, GitHub, GitHubError, NewPull, RemoteCommit, Settings};
use unbreak::ids::{BranchName, CommitSha, OwnBranch, RepoPath};
use unbreak::journal::Journal;

use super::{BROKEN, WORKS, lab, push_fix};
use crate::support::github::{
    FakeGitHub, Fault, GREEN_RUN, READ_TOKEN, RED_JOB, RED_RUN, Route, Scene, Schedule, TOKEN,
};

const BRANCH: &str = "unbreak/test-0123abcd";

/// The client, with a patience of milliseconds.
fn client(github: &FakeGitHub, token: &str) -> GitHub {
    let milli = Duration::from_millis(1);
    let mut settings = Settings { unnamed_limit: milli, looks: 4, ..Settings::default() };
    settings.retries.base = milli;
    settings.retries.cap = milli;
    GitHub::open_with(github.connection(token), settings).unwrap()
}

fn journal() -> Journal {
    Journal::unkept(|| 0)
}

fn own() -> OwnBranch {
    OwnBranch::new(BRANCH).unwrap()
}

fn new_pull() -> NewPull {
    NewPull {
        title: "Fix".to_owned(),
        body: "It works.".to_owned(),
        head: own(),
        base: BranchName::new("main").unwrap(),
        draft: true,
    }
}

fn commit(at: &CommitSha) -> RemoteCommit {
    RemoteCommit {
        branch: own(),
        expected_head: at.clone(),
        headline: "Fix".to_owned(),
        body: "Run: 102".to_owned(),
        additions: vec![(RepoPath::new("calc.py").unwrap(), WORKS[0].1.as_bytes().to_vec())],
        deletions: Vec::new(),
    }
}

fn main_tip(github: &FakeGitHub) -> CommitSha {
    let tip = github.world().git.tip("main").unwrap();
    CommitSha::new(&tip).unwrap()
}

#[tokio::test]
async fn it_reads_all_that_a_run_left_behind() {
    let scene = Scene::of(BROKEN).artifact("reports", &[("junit.xml", "<testsuites/>")]);
    let github = scene.annotation("calc.py", 2, "wrong sign").start().await;
    let (client, journal) = (client(&github, READ_TOKEN), journal());
    assert_eq!(client.repository(&journal).await.unwrap().default_branch, "main");
    let run = client.run(RED_RUN, Some(1), &journal).await.unwrap();
    assert_eq!(run.conclusion.as_deref(), Some("failure"));
    assert_eq!(client.jobs(RED_RUN, &journal).await.unwrap()[0].steps.len(), 5);
    assert_eq!(client.annotations(RED_JOB, &journal).await.unwrap()[0]["path"], "calc.py");
    let main = BranchName::new("main").unwrap();
    assert_eq!(client.green_runs(run.workflow_id, &main, &journal).await.unwrap()[0].id, GREEN_RUN);
    let head = main_tip(&github);
    assert!(client.pulls_of_commit(&head, &journal).await.unwrap().is_empty());
    let room = tempfile::tempdir().unwrap();
    let (log, zip) = (room.path().join("log"), room.path().join("zip"));
    assert!(client.job_log(RED_JOB, &log, 1 << 20, &journal).await.unwrap().is_some());
    assert!(std::fs::read_to_string(&log).unwrap().contains("##[error]Process completed with exit code 1."));
    let artifact = client.artifacts(RED_RUN, &journal).await.unwrap()[0].id;
    assert!(client.artifact(artifact, &zip, 1 << 20, &journal).await.unwrap().is_some());
    github.finish();
}

#[tokio::test]
async fn it_publishes_once_whatever_is_lost() {
    let github = lab().await;
    {
        let mut world = github.world();
        world.faults.next(Route::CreateRef, Fault::Lose);
        world.faults.next(Route::CommitOnBranch, Fault::Lose);
        world.faults.next(Route::CreatePull, Fault::LoseAtGateway);
        world.faults.next(Route::AddLabels, Fault::Cut);
    }
    let (client, journal) = (client(&github, TOKEN), journal());
    let tip = main_tip(&github);
    client.create_branch(&own(), &tip, &journal).await.unwrap();
    let made = client.commit_on_branch(&commit(&tip), &journal).await.unwrap();
    assert_eq!(github.world().git.tip(BRANCH).unwrap(), made.to_string());
    github.world().lag = 2;
    let Created::New(pull) = client.create_pull(&new_pull(), &journal).await.unwrap() else { panic!("not its own") };
    client.add_labels(pull.number, &["unbreak".to_owned()], &journal).await.unwrap();
    client.update_pull(pull.number, "Fix it", "b", &journal).await.unwrap();
    assert!(matches!(client.create_pull(&new_pull(), &journal).await.unwrap(), Created::Existing));
    let again = client.commit_on_branch(&commit(&tip), &journal).await;
    let moves = github.world().moves.clone();
    let pulls = github.world().pulls.clone();
    assert_eq!(pulls.len(), 1);
    assert_eq!(moves.iter().filter(|change| change.branch == BRANCH).count(), 2, "{again:?}");
    client.delete_branch(&own(), &journal).await.unwrap();
    github.finish();
}

#[tokio::test]
async fn it_reads_what_rules_demand() {
    let github = lab().await;
    let (client, journal) = (client(&github, TOKEN), journal());
    assert!(!client.demands_signatures(&own(), &journal).await.unwrap());
    github.world().signatures = true;
    assert!(client.demands_signatures(&own(), &journal).await.unwrap());
    github.finish();
}

async fn publish(github: &FakeGitHub, client: &GitHub) -> Result<(), GitHubError> {
    let journal = journal();
    let tip = main_tip(github);
    client.repository(&journal).await?;
    client.create_branch(&own(), &tip, &journal).await?;
    client.commit_on_branch(&commit(&tip), &journal).await?;
    if let Created::New(pull) = client.create_pull(&new_pull(), &journal).await? {
        client.add_labels(pull.number, &["unbreak".to_owned()], &journal).await?;
    }
    Ok(())
}

#[tokio::test]
async fn no_schedule_of_faults_doubles_anything() {
    let mut opened = 0;
    for seed in 0..50 {
        let schedule = Schedule::random(seed);
        let github = lab().await;
        github.world().follow_schedule(&schedule);
        let ended = publish(&github, &client(&github, TOKEN)).await;
        let pulls = github.world().pulls.clone();
        let commits = github.world().moves.iter().filter(|change| change.branch == BRANCH).count();
        assert!(pulls.len() <= 1 && commits <= 2, "{schedule}: {ended:?}: {pulls:#?}");
        assert!(ended.is_err() || pulls.len() == 1, "{schedule}");
        opened += pulls.len();
        github.finish();
    }
    assert!(opened > 25, "{opened}");
    let github = lab().await;
    assert!(push_fix(&github, TOKEN, BRANCH).0);
    github.finish();
}
