//! Pull requests: GitHub's rules and words.

use reqwest::Method;
use serde_json::json;

use super::{Client, lab, new_pull, push_fix};
use crate::support::github::{BOT, State, TOKEN};

#[tokio::test]
async fn a_pull_request_is_opened_once_and_changed_in_place() {
    let github = lab().await;
    assert!(push_fix(&github, TOKEN, "unbreak/a").0);
    let client = Client::of(&github);
    let opened = client.open_pull("unbreak/a").await;
    assert_eq!((opened.status, &opened.body["number"], &opened.body["draft"]), (201, &json!(1), &json!(true)));
    assert_eq!(opened.body["user"]["login"], BOT);
    let again = client.open_pull("octo:unbreak/a").await;
    assert_eq!(again.status, 422);
    assert_eq!(again.body["errors"][0]["message"], "A pull request already exists for octo:unbreak/a.");
    let changed = client.send(Method::PATCH, "/pulls/1", json!({"title": "Better", "body": "b"})).await;
    assert_eq!((changed.status, &changed.body["title"]), (200, &json!("Better")));
    client.send(Method::POST, "/issues/1/labels", json!({"labels": ["bot"]})).await;
    let labels = client.send(Method::POST, "/issues/1/labels", json!({"labels": ["bot", "ci"]})).await;
    assert_eq!(labels.body.as_array().unwrap().len(), 2);
    assert_eq!(
        github.world().pull(1).unwrap().history,
        ["opened", "title changed", "body changed", "labelled bot", "labelled ci"]
    );
    github.finish();
}

#[tokio::test]
async fn a_pull_request_needs_two_branches_and_something_between_them() {
    let github = lab().await;
    let tip = github.world().git.tip("main").unwrap();
    let client = Client::of(&github);
    client.create_branch("unbreak/a", &tip).await;
    let empty = client.open_pull("unbreak/a").await;
    assert_eq!(
        (empty.status, &empty.body["errors"][0]["message"]),
        (422, &json!("No commits between main and unbreak/a"))
    );
    let missing = client.open_pull("unbreak/b").await;
    assert_eq!((missing.status, &missing.body["errors"][0]["field"]), (422, &json!("head")));
    let mut odd = new_pull("unbreak/a");
    odd["base"] = json!("trunk");
    let baseless = client.send(Method::POST, "/pulls", odd).await;
    assert_eq!((baseless.status, &baseless.body["errors"][0]["field"]), (422, &json!("base")));
    assert!(github.world().pulls.is_empty());
    github.finish();
}

#[tokio::test]
async fn a_repository_may_forbid_it() {
    let github = lab().await;
    github.world().may_open_pulls = false;
    assert!(push_fix(&github, TOKEN, "unbreak/a").0);
    let refused = Client::of(&github).open_pull("unbreak/a").await;
    let words = "GitHub Actions is not permitted to create or approve pull requests.";
    assert_eq!((refused.status, &refused.body["message"]), (403, &json!(words)));
    github.finish();
}

#[tokio::test]
async fn the_head_follows_its_branch_until_the_end() {
    let github = lab().await;
    assert!(push_fix(&github, TOKEN, "unbreak/a").0);
    let client = Client::of(&github);
    client.open_pull("unbreak/a").await;
    let moved = github.world().push("unbreak/a", &[("more", "more")], "More");
    let pull = client.get("/pulls/1").await.body;
    assert_eq!((&pull["head"]["sha"], &pull["state"]), (&json!(moved), &json!("open")));
    client.try_send(Method::DELETE, &format!("{}/git/refs/heads/unbreak/a", client.repository), None).await.unwrap();
    let pull = client.get("/pulls/1").await.body;
    assert_eq!((&pull["head"]["sha"], &pull["state"]), (&json!(moved), &json!("closed")));
    assert_eq!(github.world().pull(1).unwrap().state, State::Closed);
    github.finish();
}

#[tokio::test]
async fn lists_are_filtered_sorted_and_paged() {
    let github = lab().await;
    {
        let mut world = github.world();
        for (number, head) in (1..).zip(["a", "b", "c"]) {
            world.push(head, &[("calc.py", head)], head);
            assert_eq!(world.open_pull(head, "main", head), number);
        }
        world.close_pull(2, true);
        world.close_pull(3, false);
    }
    let client = Client::of(&github);
    let numbers = async |query: &str| {
        let got = client.get(&format!("/pulls?{query}")).await;
        got.body.as_array().unwrap().iter().map(|pull| pull["number"].as_u64().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(numbers("state=all").await, [3, 2, 1]);
    assert_eq!(numbers("state=all&sort=created&direction=asc").await, [1, 2, 3]);
    assert_eq!(numbers("state=all&sort=updated&direction=desc").await, [3, 2, 1]);
    assert_eq!(numbers("base=main").await, [1]);
    assert_eq!(numbers("state=closed&head=octo:b").await, [2]);
    assert_eq!(numbers("state=all&head=stranger:b").await, [0_u64; 0]);
    assert!(client.get("/pulls/2").await.body["merged_at"].is_string());
    let page = client.get("/pulls?state=all&per_page=2").await;
    let link = page.headers["link"].to_str().unwrap();
    let next = format!("<{}/pulls?state=all&per_page=2&page=2>; rel=\"next\"", client.repository);
    assert!(link.starts_with(&next), "{link}");
    assert_eq!(numbers("state=all&per_page=2&page=2").await, [1]);
    assert!(github.take_complaints().is_empty());
    assert_eq!(numbers("head=b").await, [0_u64; 0]);
    assert!(github.take_complaints()[0].contains("without an owner"));
    github.finish();
}

#[tokio::test]
async fn a_commit_knows_its_pull_requests() {
    let github = lab().await;
    let tip = github.world().push("feature", &[("calc.py", "x")], "A feature");
    github.world().open_pull("feature", "main", "A feature");
    let client = Client::of(&github);
    assert_eq!(client.get(&format!("/commits/{tip}/pulls")).await.body[0]["number"], 1);
    let base = github.world().git.tip("main").unwrap();
    assert_eq!(client.get(&format!("/commits/{base}/pulls")).await.body, json!([]));
    assert_eq!(client.get(&format!("/commits/{}/pulls", "0".repeat(40))).await.status, 422);
    github.finish();
}
