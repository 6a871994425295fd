//! Branches: created through the interface, pushed to by git, committed to with a signature.

use reqwest::Method;
use serde_json::{Value, json};

use super::{Client, lab, push_fix};
use crate::support::github::{By, FakeGitHub, TOKEN};

#[tokio::test]
async fn a_branch_is_created_once() {
    let github = lab().await;
    let client = Client::of(&github);
    let tip = github.world().git.tip("main").unwrap();
    let created = client.create_branch("unbreak/a", &tip).await;
    assert_eq!((created.status, &created.body["object"]["sha"]), (201, &json!(tip)));
    let again = client.create_branch("unbreak/a", &tip).await;
    assert_eq!((again.status, &again.body["message"]), (422, &json!("Reference already exists")));
    assert_eq!(client.get("/git/ref/heads/unbreak/a").await.body["ref"], "refs/heads/unbreak/a");
    assert_eq!(client.get("/git/ref/heads/unbreak%2Fa").await.status, 200);
    assert_eq!(client.get("/git/ref/heads/unbreak/b").await.status, 404);
    let branch = client.get("/branches/unbreak%2Fa").await.body;
    assert_eq!((&branch["commit"]["sha"], &branch["commit"]["commit"]["message"]), (&json!(tip), &json!("Breaks")));
    assert_eq!(branch["commit"]["parents"].as_array().unwrap().len(), 1);
    assert_eq!(client.get("/branches/unbreak/b").await.body["message"], "Branch not found");
    let nowhere = client.create_branch("unbreak/b", &"0".repeat(40)).await;
    assert_eq!(nowhere.body["message"], "Object does not exist");
    github.finish();
}

#[tokio::test]
async fn what_git_pushes_is_what_the_interface_shows() {
    let github = lab().await;
    let (pushed, words) = push_fix(&github, TOKEN, "unbreak/a");
    assert!(pushed, "{words}");
    let shown = Client::of(&github).get("/git/ref/heads/unbreak/a").await;
    {
        let world = github.world();
        assert_eq!(shown.body["object"]["sha"], json!(world.git.tip("unbreak/a")));
        assert_eq!(world.git.read("unbreak/a", "calc.py").unwrap(), super::WORKS[0].1);
        let last = world.moves.last().unwrap();
        assert_eq!((last.branch.as_str(), last.by, &last.from), ("unbreak/a", By::Push, &None));
    }
    github.finish();
}

#[tokio::test]
async fn a_branch_of_its_own_may_be_deleted_and_no_other() {
    let github = lab().await;
    github.world().push("feature", &[("a", "a")], "A feature");
    let client = Client::of(&github);
    let tip = github.world().git.tip("main").unwrap();
    client.create_branch("unbreak/a", &tip).await;
    let delete = async |branch: &str| {
        let address = format!("{}/git/refs/heads/{branch}", client.repository);
        client.try_send(Method::DELETE, &address, None).await.unwrap().status
    };
    assert_eq!(delete("unbreak/a").await, 204);
    assert_eq!(delete("unbreak/a").await, 422);
    assert!(github.take_complaints().is_empty());
    assert_eq!(delete("feature").await, 204);
    let complaints = github.take_complaints();
    assert!(complaints[0].contains("deleted `feature`"), "{complaints:?}");
    github.finish();
}

#[tokio::test]
async fn pushes_to_a_base_and_forced_pushes_fail_the_test() {
    let github = lab().await;
    assert!(push_fix(&github, TOKEN, "unbreak/a").0);
    let local = crate::support::repository::Repository::of(&[("other", "history")]);
    let pushed = super::git(local.path(), TOKEN, &["push", "-f", &github.clone_url(), "HEAD:unbreak/a"]);
    assert!(pushed.0, "{}", pushed.1);
    assert!(push_fix(&github, TOKEN, "main").0);
    let complaints = github.take_complaints();
    assert!(complaints[0].starts_with("the program forced `unbreak/a` from "), "{complaints:?}");
    assert_eq!(complaints[1], "the program changed the base `main`");
    github.finish();
}

fn commit(github: &FakeGitHub, expected: &str, changes: &Value) -> Value {
    let query =
        "mutation($input: CreateCommitOnBranchInput!) { createCommitOnBranch(input: $input) { commit { oid } } }";
    json!({"query": query, "variables": {"input": {
        "branch": {"repositoryNameWithOwner": github.world().repository, "branchName": "unbreak/a"},
        "message": {"headline": "Fix", "body": "Run: 102"}, "expectedHeadOid": expected, "fileChanges": changes,
    }}})
}

#[tokio::test]
async fn where_signatures_are_demanded_only_the_forge_commits() {
    let github = lab().await;
    github.world().signatures = true;
    let client = Client::of(&github);
    assert_eq!(client.get("/rules/branches/unbreak/a").await.body[0]["type"], "required_signatures");
    let (pushed, words) = push_fix(&github, TOKEN, "unbreak/a");
    assert!(!pushed && words.contains("must have verified signatures"), "{words}");
    let tip = github.world().git.tip("main").unwrap();
    client.create_branch("unbreak/a", &tip).await;
    let changes =
        json!({"additions": [{"path": "src/new.py", "contents": "eCA9IDEK"}], "deletions": [{"path": "calc.py"}]});
    let send = async |body: &Value| client.try_send(Method::POST, &github.graphql(), Some(body)).await.unwrap().body;
    let made = send(&commit(&github, &tip, &changes)).await;
    {
        let world = github.world();
        let oid = &made["data"]["createCommitOnBranch"]["commit"]["oid"];
        assert_eq!(*oid, json!(world.git.tip("unbreak/a")));
        assert_eq!(world.git.read("unbreak/a", "src/new.py").as_deref(), Some("x = 1\n"));
        assert_eq!(world.git.read("unbreak/a", "calc.py"), None);
        assert_eq!(world.git.message("unbreak/a"), "Fix\n\nRun: 102");
    }
    let stale = send(&commit(&github, &tip, &changes)).await;
    assert_eq!(stale["errors"][0]["type"], "STALE_DATA");
    assert_eq!(stale["data"]["createCommitOnBranch"], Value::Null);
    github.finish();
}

#[tokio::test]
async fn an_operation_of_the_query_language_that_is_not_known_fails_the_test() {
    let github = lab().await;
    let client = Client::of(&github);
    let merge = json!({"query": "mutation { mergePullRequest(input: {}) { clientMutationId } }"});
    client.try_send(Method::POST, &github.graphql(), Some(&merge)).await.unwrap();
    let mut odd = commit(&github, "x", &json!({}));
    odd["variables"]["input"]["force"] = json!(true);
    client.try_send(Method::POST, &github.graphql(), Some(&odd)).await.unwrap();
    let complaints = github.take_complaints();
    assert!(complaints[0].contains("mergePullRequest"), "{complaints:?}");
    assert!(complaints[1].contains("unknown keys"), "{complaints:?}");
    github.finish();
}
