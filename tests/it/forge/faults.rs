//! Faults: where they hit, what is done all the same, and that a schedule is the same for the same seed.

use std::collections::BTreeSet;
use std::time::Duration;

use reqwest::Method;
use serde_json::json;

use super::{Client, lab, new_pull, push_fix};
use crate::support::github::{By, FakeGitHub, Fault, Route, Schedule, TOKEN};

#[tokio::test]
async fn a_fault_hits_the_requests_that_it_names() {
    let github = lab().await;
    {
        let faults = &mut github.world().faults;
        faults.next_times(Route::Repository, 2, Fault::status(503));
        faults.next(Route::Repository, Fault::rate_limit(429, 7));
        faults.at(Route::Repository, 5, Fault::status(502));
        faults.next(Route::Pulls, Fault::Exhausted { seconds: 90 });
    }
    let client = Client::of(&github);
    let mut seen = Vec::new();
    for _ in 0..6 {
        let got = client.get("").await;
        seen.push((got.status, got.headers.get("retry-after").map(|wait| wait.to_str().unwrap().to_owned())));
    }
    let plain = |status: u16| (status, None);
    let limited = (429, Some("7".to_owned()));
    assert_eq!(seen, [plain(503), plain(503), limited, plain(200), plain(502), plain(200)]);
    let exhausted = client.get("/pulls").await;
    assert_eq!((exhausted.status, &exhausted.headers["x-ratelimit-remaining"]), (403, &"0".parse().unwrap()));
    assert_eq!(exhausted.headers["x-ratelimit-reset"], "1767603690");
    github.finish();
}

#[tokio::test]
async fn a_fault_that_nothing_met_fails_the_test() {
    let github = lab().await;
    github.world().faults.next(Route::CreatePull, Fault::Lose);
    github.world().faults.before(Route::Pulls, 1, |_| {});
    let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| github.finish()));
    let words = *ended.unwrap_err().downcast::<String>().unwrap();
    assert!(words.contains("CreatePull 1..2: `done, answer lost` was not met"), "{words}");
    assert!(words.contains("nothing happened before Pulls 1"), "{words}");
}

async fn try_open(github: &FakeGitHub) -> Result<u16, String> {
    let client = Client::of(github);
    let address = format!("{}/pulls", client.repository);
    let sent = client.try_send(Method::POST, &address, Some(&new_pull("unbreak/a"))).await;
    sent.map(|got| got.status).map_err(|error| error.to_string())
}

#[tokio::test]
async fn a_cut_connection_did_nothing_and_a_lost_answer_did_it() {
    let github = lab().await;
    assert!(push_fix(&github, TOKEN, "unbreak/a").0);
    github.world().faults.next(Route::CreatePull, Fault::Cut);
    github.world().faults.next(Route::CreatePull, Fault::Lose);
    try_open(&github).await.unwrap_err();
    assert!(github.world().pulls.is_empty());
    try_open(&github).await.unwrap_err();
    assert_eq!(github.world().open_pulls("unbreak/a").len(), 1);
    assert_eq!(try_open(&github).await, Ok(422));
    github.finish();
}

#[tokio::test]
async fn a_gateway_may_lose_the_answer_and_an_answer_may_be_slow() {
    let github = lab().await;
    assert!(push_fix(&github, TOKEN, "unbreak/a").0);
    github.world().faults.next(Route::CreatePull, Fault::LoseAtGateway);
    github.world().faults.next(Route::Pull, Fault::Slow(Duration::from_mins(10)));
    assert_eq!(try_open(&github).await, Ok(502));
    assert_eq!(github.world().open_pulls("unbreak/a").len(), 1);
    let client = Client::of(&github);
    let slow = client.request(Method::GET, &format!("{}/pulls/1", client.repository));
    let error = slow.timeout(Duration::from_millis(200)).send().await.unwrap_err();
    assert!(error.is_timeout(), "{error}");
    github.finish();
}

#[tokio::test]
async fn a_push_is_refused_by_a_hook_or_done_with_its_answer_lost() {
    let github = lab().await;
    github.world().faults.next(Route::GitPush, Fault::Hook("not on a Friday"));
    github.world().faults.next(Route::GitPush, Fault::Lose);
    let (pushed, words) = push_fix(&github, TOKEN, "unbreak/a");
    assert!(!pushed && words.contains("remote: not on a Friday"), "{words}");
    assert_eq!(github.world().git.tip("unbreak/a"), None);
    let (pushed, words) = push_fix(&github, TOKEN, "unbreak/a");
    assert!(!pushed, "{words}");
    assert!(github.world().git.tip("unbreak/a").is_some());
    github.finish();
}

#[tokio::test]
async fn something_may_happen_just_before_a_request() {
    let github = lab().await;
    github.world().faults.before(Route::GetRef, 2, |world| {
        world.push("main", &[("calc.py", "moved")], "Moved");
    });
    let client = Client::of(&github);
    let tip = async || client.get("/git/ref/heads/main").await.body["object"]["sha"].clone();
    let (first, second) = (tip().await, tip().await);
    assert_ne!(first, second);
    assert_eq!(github.world().moves.last().unwrap().by, By::Person);
    github.finish();
}

#[tokio::test]
async fn reads_lag_behind_writes() {
    let github = lab().await;
    github.world().lag = 2;
    assert!(push_fix(&github, TOKEN, "unbreak/a").0);
    let client = Client::of(&github);
    assert_eq!(client.open_pull("unbreak/a").await.status, 201);
    let tip = github.world().git.tip("unbreak/a").unwrap();
    let (mut branch, mut listed) = (Vec::new(), Vec::new());
    for read in 0..3 {
        branch.push(client.get("/git/ref/heads/unbreak/a").await.status);
        let list = if read == 0 { "/pulls".to_owned() } else { format!("/commits/{tip}/pulls") };
        listed.push(client.get(&list).await.body.as_array().unwrap().len());
    }
    assert_eq!((branch, listed), (vec![404, 404, 200], vec![0, 0, 1]));
    // What is written is so at once, whatever reads show.
    github.world().lag = 5;
    assert!(push_fix(&github, TOKEN, "unbreak/b").0);
    client.open_pull("unbreak/b").await;
    assert_eq!(client.open_pull("unbreak/b").await.status, 422);
    assert_eq!(client.get("/pulls?head=octo:unbreak/b").await.body, json!([]));
    github.finish();
}

#[test]
fn a_schedule_is_the_same_for_the_same_seed() {
    let schedules: Vec<Schedule> = (0..200).map(Schedule::random).collect();
    assert!(schedules.iter().all(|schedule| *schedule == Schedule::random(schedule.seed)));
    let different: BTreeSet<String> =
        schedules.iter().map(|schedule| schedule.to_string().split_once(':').unwrap().1.to_owned()).collect();
    assert!(different.len() > 150, "{}", different.len());
    let hit: BTreeSet<Route> =
        schedules.iter().flat_map(|schedule| &schedule.faults).map(|(route, _, _)| *route).collect();
    assert_eq!(hit.len(), 25, "{hit:?}");
    let some = [3, 5, 12].map(|seed| Schedule::random(seed).to_string());
    insta::assert_snapshot!(some.join("\n"), @"
    Schedule::random(3): lag 0; Run 3: done, answer lost; WorkflowRuns 1: 404; UpdatePull 1: done, answer lost
    Schedule::random(5): lag 1; WorkflowRuns 3: 502; JobLog 2: 403 with Retry-After 0; Annotations 3: 403 with Retry-After 0; CreateRef 2: 409
    Schedule::random(12): lag 2; AddLabels 2: done, answer lost; CreateRef 1: 503; Annotations 1: 429 with Retry-After 1
    ");
}

#[tokio::test]
async fn a_schedule_hits_and_need_not_be_met() {
    let github = lab().await;
    let schedule = Schedule {
        seed: 0,
        lag: 1,
        faults: vec![(Route::Run, 1, Fault::status(500)), (Route::Pull, 1, Fault::Cut)],
        moved: Some((Route::Run, 2)),
    };
    let tip = github.world().git.tip("main");
    github.world().follow_schedule(&schedule);
    let client = Client::of(&github);
    assert_eq!(client.get("/actions/runs/102").await.status, 500);
    assert_eq!(github.world().git.tip("main"), tip);
    assert_eq!(client.get("/actions/runs/102").await.status, 200);
    assert_ne!(github.world().git.tip("main"), tip);
    github.finish();
}
