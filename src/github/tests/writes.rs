//! What is written is written once, whatever becomes of the answers.

use serde_json::{Value, json};

use crate::github::tests::{
    Scripted, Step, answer, answers, client, journal, new_pull, own_branch, pull, remote_commit, sha, status,
};
use crate::github::{Created, GitHubError, Pull};
use crate::ids::CommitSha;

fn refusal(message: &str) -> Value {
    json!({ "message": "Validation Failed", "errors": [{ "resource": "R", "code": "custom", "message": message }] })
}

fn exists() -> Value {
    refusal("A pull request already exists for octo:unbreak/test-1a2b.")
}

#[tokio::test]
async fn a_branch_that_is_there_is_no_error_and_another_refusal_is_one() {
    let server = answers([
        status(201),
        status(422).set_body_json(json!({ "message": "Reference already exists" })),
        status(422).set_body_json(json!({ "message": "Object does not exist" })),
    ])
    .await;
    let (github, branch, journal) = (client(&server.uri()), own_branch(), journal());
    assert_eq!(github.create_branch(&branch, &sha('a'), &journal).await.unwrap(), Created::New(()));
    assert_eq!(github.create_branch(&branch, &sha('a'), &journal).await.unwrap(), Created::Existing);
    let error = github.create_branch(&branch, &sha('a'), &journal).await.unwrap_err();
    assert!(matches!(error, GitHubError::Refused { status: 422, .. }), "{error}");
    let body: Value = server.received_requests().await.unwrap()[0].body_json().unwrap();
    assert_eq!(body, json!({ "ref": "refs/heads/unbreak/test-1a2b", "sha": sha('a').as_str() }));
}

#[tokio::test]
async fn a_branch_whose_creation_got_no_answer_is_there() {
    let exists = json!({ "message": "Reference already exists" });
    let server = Scripted::start([Step::HangUp, Step::Say(422, exists)]).await;
    let created = client(&server.url).create_branch(&own_branch(), &sha('a'), &journal()).await.unwrap();
    assert_eq!(created, Created::Existing);
}

#[tokio::test]
async fn a_branch_that_is_gone_is_deleted() {
    let gone = status(422).set_body_json(json!({ "message": "Reference does not exist" }));
    let server = answers([status(204), status(404), gone, status(403)]).await;
    let (github, branch, journal) = (client(&server.uri()), own_branch(), journal());
    for _ in 0..3 {
        github.delete_branch(&branch, &journal).await.unwrap();
    }
    assert!(github.delete_branch(&branch, &journal).await.is_err());
}

#[tokio::test]
async fn labels_and_texts_are_sent_as_they_are() {
    let server = answers([status(200).set_body_json(json!([])), answer(&pull("t"))]).await;
    let (github, journal) = (client(&server.uri()), journal());
    github.add_labels(5, &["a \"b\"".to_owned()], &journal).await.unwrap();
    github.update_pull(5, "t", "b\n", &journal).await.unwrap();
    let bodies: Vec<Value> =
        server.received_requests().await.unwrap().iter().map(|request| request.body_json().unwrap()).collect();
    assert_eq!(bodies, [json!({ "labels": ["a \"b\""] }), json!({ "title": "t", "body": "b\n" })]);
}

const PULLS: &str = "/repos/octo/hello/pulls";

/// Opens a pull request at a server with a script: what came of it, and what it took.
async fn opened(steps: impl IntoIterator<Item = Step>) -> (Result<Created<u64>, GitHubError>, String) {
    let server = Scripted::start(steps).await;
    let created = client(&server.url).create_pull(&new_pull(), &journal()).await;
    let number = |created| match created {
        Created::New(Pull { number, .. }) => Created::New(number),
        Created::Existing => Created::Existing,
    };
    let seen: Vec<String> = server.seen().iter().map(|line| line.replace(PULLS, "")).collect();
    (created.map(number), seen.join("").replace(' ', ","))
}

fn ours() -> Value {
    json!([pull("Fix \"it\"")])
}

#[tokio::test]
async fn a_pull_request_is_opened_once() {
    let (created, took) = opened([Step::Say(201, pull("Fix \"it\""))]).await;
    assert_eq!((created.unwrap(), took.as_str()), (Created::New(5), "POST,"));
    let (created, took) = opened([Step::Say(422, exists())]).await;
    assert_eq!((created.unwrap(), took.as_str()), (Created::Existing, "POST,"));
    let (created, took) = opened([Step::Say(422, refusal("No commits between main and x"))]).await;
    assert!(created.unwrap_err().to_string().contains("Validation Failed; No commits between"));
    assert_eq!(took, "POST,");
}

#[tokio::test]
async fn what_is_sent_to_open_a_pull_request() {
    let server = answers([status(201).set_body_json(pull("x"))]).await;
    client(&server.uri()).create_pull(&new_pull(), &journal()).await.unwrap();
    let body: Value = server.received_requests().await.unwrap()[0].body_json().unwrap();
    let wanted = json!({
        "title": "Fix \"it\"", "body": "Why", "head": "unbreak/test-1a2b", "base": "main", "draft": true,
    });
    assert_eq!(body, wanted);
}

#[tokio::test]
async fn after_a_lost_answer_the_pull_request_is_found() {
    for lost in [Step::HangUp, Step::Half, Step::Say(502, json!({})), Step::Say(201, json!("?"))] {
        // The first look comes too early.
        let (created, took) = opened([lost, Step::Say(200, json!([])), Step::Say(200, ours())]).await;
        assert_eq!((created.unwrap(), took.as_str()), (Created::New(5), "POST,GET,GET,"));
    }
}

#[tokio::test]
async fn after_a_lost_request_it_is_sent_again() {
    let none = || Step::Say(200, json!([]));
    let (created, took) = opened([Step::HangUp, none(), none(), Step::Say(201, pull("Fix \"it\""))]).await;
    assert_eq!((created.unwrap(), took.as_str()), (Created::New(5), "POST,GET,GET,POST,"));
    // Reads that lag behind for long: the forge itself refuses the second one.
    let (created, took) = opened([Step::HangUp, none(), none(), Step::Say(422, exists())]).await;
    assert_eq!((created.unwrap(), took.as_str()), (Created::Existing, "POST,GET,GET,POST,"));
}

#[tokio::test]
async fn an_older_pull_request_from_the_branch_is_not_taken_for_the_new_one() {
    let (created, _) = opened([Step::HangUp, Step::Say(200, json!([pull("Another")]))]).await;
    assert_eq!(created.unwrap(), Created::Existing);
    let (mut closed, mut elsewhere) = (pull("Fix \"it\""), pull("Fix \"it\""));
    closed["state"] = json!("closed");
    elsewhere["base"]["ref"] = json!("other");
    let others = || Step::Say(200, json!([closed.clone(), elsewhere.clone()]));
    let (created, took) = opened([Step::HangUp, others(), others(), Step::Say(201, pull("x"))]).await;
    assert_eq!((created.unwrap(), took.as_str()), (Created::New(5), "POST,GET,GET,POST,"));
}

#[tokio::test]
async fn what_cannot_be_looked_up_is_not_sent_again() {
    let (created, took) = opened([Step::HangUp, Step::Say(403, json!({ "message": "no" }))]).await;
    let error = created.unwrap_err();
    assert!(matches!(error, GitHubError::Unreachable { route: "create-pull", .. }), "{error}");
    assert!(error.to_string().contains("whether it was opened cannot be seen"), "{error}");
    assert_eq!(took, "POST,GET,");
}

#[tokio::test]
async fn a_limit_means_that_nothing_was_done() {
    let (created, took) = opened([Step::Say(429, json!({})), Step::Say(201, pull("x"))]).await;
    assert_eq!((created.unwrap(), took.as_str()), (Created::New(5), "POST,POST,"));
}

#[tokio::test]
async fn patience_with_lost_requests_ends() {
    let round = || [Step::HangUp, Step::Say(200, json!([])), Step::Say(200, json!([]))];
    let (created, took) = opened(round().into_iter().chain(round()).chain(round())).await;
    assert!(matches!(created.unwrap_err(), GitHubError::Unreachable { route: "create-pull", .. }));
    assert_eq!(took, "POST,GET,GET,".repeat(3));
}

/// Makes a commit at a server with a script.
async fn committed(steps: impl IntoIterator<Item = Step>) -> (Result<CommitSha, GitHubError>, String) {
    let server = Scripted::start(steps).await;
    let made = client(&server.url).commit_on_branch(&remote_commit(), &journal()).await;
    let paths = |line: &String| line.replace("/repos/octo/hello/branches/unbreak%2Ftest-1a2b", "branch");
    (made, server.seen().iter().map(paths).collect::<Vec<_>>().join(", "))
}

fn made() -> Step {
    Step::Say(200, json!({ "data": { "createCommitOnBranch": { "commit": { "oid": sha('b').as_str() } } } }))
}

fn failed(kind: &str, message: &str) -> Step {
    let errors = json!([{ "type": kind, "message": message }]);
    Step::Say(200, json!({ "data": { "createCommitOnBranch": null }, "errors": errors }))
}

fn stale() -> Step {
    failed("STALE_DATA", "Expected branch to point to \"x\" but it did not.  Pull and try again.")
}

fn branch_at(digit: char, message: &str) -> Step {
    let commit = json!({ "message": message });
    let parents = json!([{ "sha": sha('a').as_str() }]);
    Step::Say(200, json!({ "commit": { "sha": sha(digit).as_str(), "commit": commit, "parents": parents } }))
}

const MESSAGE: &str = "fix: \"}) { evil }\n\nBecause.";

#[tokio::test]
async fn a_commit_is_made_through_a_constant_document() {
    let body = json!({ "data": { "createCommitOnBranch": { "commit": { "oid": sha('b').as_str() } } } });
    let server = answers([answer(&body)]).await;
    let oid = client(&server.uri()).commit_on_branch(&remote_commit(), &journal()).await.unwrap();
    assert_eq!(oid, sha('b'));
    let request = &server.received_requests().await.unwrap()[0];
    insta::assert_snapshot!(serde_json::to_string_pretty(&request.body_json::<Value>().unwrap()).unwrap(), @r#"
    {
      "query": "mutation($input: CreateCommitOnBranchInput!) { createCommitOnBranch(input: $input) { commit { oid } } }",
      "variables": {
        "input": {
          "branch": {
            "repositoryNameWithOwner": "octo/hello",
            "branchName": "unbreak/test-1a2b"
          },
          "expectedHeadOid": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
          "message": {
            "headline": "fix: \"}) { evil }",
            "body": "Because."
          },
          "fileChanges": {
            "additions": [
              {
                "path": "src/a.rs",
                "contents": "Zm4gYSgpIHt9"
              }
            ],
            "deletions": [
              {
                "path": "b"
              }
            ]
          }
        }
      }
    }
    "#);
}

#[tokio::test]
async fn refusals_with_status_200_are_refusals() {
    for (step, wanted) in [
        (stale(), 409),
        (failed("", "Expected branch to point to \"x\""), 409),
        (failed("NOT_FOUND", "Could not resolve to a Ref"), 404),
        (failed("FORBIDDEN", "Resource not accessible by integration"), 403),
        (failed("UNPROCESSABLE", "A path was requested for deletion which does not exist"), 422),
        (Step::Say(200, json!({ "errors": [{}] })), 422),
    ] {
        let (made, took) = committed([step]).await;
        let error = made.unwrap_err();
        assert!(matches!(error, GitHubError::Refused { status, .. } if status == wanted), "{wanted}: {error}");
        assert_eq!(took, "POST /graphql");
    }
}

#[tokio::test]
async fn a_commit_whose_answer_was_lost_is_found() {
    for lost in [
        Step::HangUp,
        Step::Say(502, json!({})),
        Step::Say(200, json!({ "data": null })),
        failed("", "Something went wrong while executing your query."),
    ] {
        let (made, took) = committed([lost, branch_at('a', "before"), branch_at('b', MESSAGE)]).await;
        assert_eq!((made.unwrap(), took.as_str()), (sha('b'), "POST /graphql, GET branch, GET branch"));
    }
}

#[tokio::test]
async fn a_commit_that_was_not_made_is_sent_again() {
    let unmoved = || branch_at('a', "before");
    let (made, took) = committed([Step::HangUp, unmoved(), unmoved(), self::made()]).await;
    assert_eq!((made.unwrap(), took.as_str()), (sha('b'), "POST /graphql, GET branch, GET branch, POST /graphql"));
    let (made, _) = committed([failed("RATE_LIMITED", "API rate limit exceeded"), self::made()]).await;
    assert_eq!(made.unwrap(), sha('b'));
}

#[tokio::test]
async fn a_limit_with_status_200_says_how_long_it_lasts() {
    let errors = json!([{ "type": "RATE_LIMITED", "message": "API rate limit exceeded" }]);
    let limited = answer(&json!({ "errors": errors })).insert_header("retry-after", "77");
    let server = answers([limited]).await;
    let error = client(&server.uri()).commit_on_branch(&remote_commit(), &journal()).await.unwrap_err();
    assert!(matches!(error, GitHubError::RateLimited { route: "commit-on-branch", seconds: 77 }), "{error}");
}

#[tokio::test]
async fn a_commit_that_shows_only_at_the_second_sending_is_ours() {
    let unmoved = || branch_at('a', "before");
    let (made, _) = committed([Step::HangUp, unmoved(), unmoved(), stale(), branch_at('b', MESSAGE)]).await;
    assert_eq!(made.unwrap(), sha('b'));
}

#[tokio::test]
async fn somebody_elses_commit_is_never_taken_for_ours() {
    let (made, _) = committed([Step::HangUp, branch_at('c', "theirs")]).await;
    assert!(matches!(made.unwrap_err(), GitHubError::Refused { status: 409, .. }));
    let unmoved = || branch_at('a', "before");
    let (made, _) = committed([Step::HangUp, unmoved(), unmoved(), stale(), branch_at('c', "theirs")]).await;
    assert!(matches!(made.unwrap_err(), GitHubError::Refused { status: 409, .. }));
}
