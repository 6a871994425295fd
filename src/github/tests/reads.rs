//! What is read, and how oddly it may be answered.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};
use wiremock::matchers::{any, header, query_param};
use wiremock::{Mock, MockServer, ResponseTemplate};

use crate::cache::Cache;
use crate::github::tests::{
    TOKEN, answer, answers, client, journal, kept_journal, new_pull, own_branch, pull, remote_commit, requests,
    settings, sha, status,
};
use crate::github::{GitHub, GitHubError, PullState, Settings};
use crate::ids::BranchName;

#[tokio::test]
async fn each_call_sends_its_own_row_and_nothing_else() {
    let server = answers([status(404)]).await;
    let (github, journal) = (client(&server.uri()), journal());
    let file = Path::new("/nonexistent/file");
    let branch = BranchName::new("renovate/a#b%c").unwrap();
    let own = own_branch();
    drop(github.repository(&journal).await);
    drop(github.run(1, None, &journal).await);
    drop(github.run(1, Some(2), &journal).await);
    drop(github.jobs(1, &journal).await);
    assert_eq!(github.job_log(3, file, 9, &journal).await.unwrap(), None);
    drop(github.artifacts(1, &journal).await);
    assert_eq!(github.artifact(4, file, 9, &journal).await.unwrap(), None);
    drop(github.annotations(3, &journal).await);
    drop(github.green_runs(5, &branch, &journal).await);
    drop(github.pulls_of_commit(&sha('c'), &journal).await);
    drop(github.pulls_of_branch(&own, &journal).await);
    assert!(!github.demands_signatures(&own, &journal).await.unwrap());
    drop(github.create_branch(&own, &sha('a'), &journal).await);
    github.delete_branch(&own, &journal).await.unwrap();
    drop(github.create_pull(&new_pull(), &journal).await);
    drop(github.update_pull(6, "t", "b", &journal).await);
    drop(github.add_labels(6, &["l".to_owned()], &journal).await);
    github.add_labels(6, &[], &journal).await.unwrap();
    assert!(github.commit_on_branch(&remote_commit(), &journal).await.unwrap_err().is_not_found());
    insta::assert_snapshot!(requests(&server).await, @r"
    GET /repos/octo/hello
    GET /repos/octo/hello/actions/runs/1
    GET /repos/octo/hello/actions/runs/1/attempts/2
    GET /repos/octo/hello/actions/runs/1/jobs?filter=all&per_page=100
    GET /repos/octo/hello/actions/jobs/3/logs
    GET /repos/octo/hello/actions/runs/1/artifacts?per_page=100
    GET /repos/octo/hello/actions/artifacts/4/zip
    GET /repos/octo/hello/check-runs/3/annotations?per_page=100
    GET /repos/octo/hello/actions/workflows/5/runs?branch=renovate%2Fa%23b%25c&status=success&per_page=20
    GET /repos/octo/hello/commits/cccccccccccccccccccccccccccccccccccccccc/pulls?per_page=100
    GET /repos/octo/hello/pulls?head=octo%3Aunbreak%2Ftest-1a2b&state=all&sort=created&direction=desc&per_page=100
    GET /repos/octo/hello/rules/branches/unbreak%2Ftest-1a2b?per_page=100
    POST /repos/octo/hello/git/refs
    DELETE /repos/octo/hello/git/refs/heads/unbreak%2Ftest-1a2b
    POST /repos/octo/hello/pulls
    PATCH /repos/octo/hello/pulls/6
    POST /repos/octo/hello/issues/6/labels
    POST /graphql
    ");
    assert_eq!(github.calls(), 18);
}

#[tokio::test]
async fn every_request_says_who_asks_and_for_what() {
    let server = answers([status(404)]).await;
    drop(client(&server.uri()).repository(&journal()).await);
    let request = &server.received_requests().await.unwrap()[0];
    let all =
        |name: &str| request.headers.get_all(name).iter().map(|value| value.to_str().unwrap()).collect::<Vec<_>>();
    assert_eq!(all("authorization"), [format!("Bearer {TOKEN}")]);
    assert_eq!(all("user-agent"), [concat!("unbreak/", env!("CARGO_PKG_VERSION"))]);
    assert_eq!(all("accept"), ["application/vnd.github+json"]);
    assert_eq!(all("x-github-api-version"), ["2022-11-28"]);
}

#[tokio::test]
async fn an_enterprise_is_asked_below_its_path() {
    let server = answers([status(404)]).await;
    let github = client(&format!("{}/api/v3", server.uri()));
    drop(github.repository(&journal()).await);
    drop(github.commit_on_branch(&remote_commit(), &journal()).await);
    assert_eq!(requests(&server).await, "GET /api/v3/repos/octo/hello\nPOST /api/graphql");
}

#[tokio::test]
async fn without_a_token_none_is_sent() {
    let server = answers([status(404)]).await;
    let mut connection = crate::github::tests::connection(&server.uri());
    connection.token = None;
    drop(GitHub::open(connection).unwrap().repository(&journal()).await);
    assert!(!server.received_requests().await.unwrap()[0].headers.contains_key("authorization"));
}

#[test]
fn calls_can_be_waited_for_on_any_thread() {
    fn sendable<T: Send>(_: &T) {}
    let (github, journal) = (client("http://127.0.0.1:1"), journal());
    sendable(&github.jobs(1, &journal));
    sendable(&github.job_log(1, Path::new("x"), 1, &journal));
    sendable(&github.create_pull(&new_pull(), &journal));
    sendable(&github.commit_on_branch(&remote_commit(), &journal));
}

#[test]
fn a_client_that_was_opened_outside_of_a_runtime_works_in_any() {
    let github = client("http://127.0.0.1:1");
    for _ in 0..2 {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let error = runtime.block_on(github.repository(&journal())).unwrap_err();
        assert!(matches!(error, GitHubError::Unreachable { .. }), "{error}");
    }
}

#[tokio::test]
async fn pages_are_followed_also_where_the_repository_is_a_number() {
    let server = MockServer::start().await;
    let page = |id: u64| json!({ "total_count": 3, "jobs": [{ "id": id, "name": "j" }] });
    let link = |path: &str| format!("<{}{path}>; rel=\"next\", <{}/x>; rel=\"last\"", server.uri(), server.uri());
    for (number, next) in [("2", Some(link("/repositories/99/actions/runs/1/jobs?filter=all&page=3"))), ("3", None)] {
        let mut response = answer(&page(number.parse().unwrap()));
        if let Some(next) = next {
            response = response.insert_header("link", next.as_str());
        }
        Mock::given(query_param("page", number)).respond_with(response).mount(&server).await;
    }
    let first = answer(&page(1))
        .insert_header("link", link("/repos/octo/hello/actions/runs/1/jobs?filter=all&per_page=100&page=2").as_str());
    Mock::given(query_param("per_page", "100")).respond_with(first).with_priority(9).mount(&server).await;
    let github = client(&server.uri());
    let ids: Vec<u64> = github.jobs(1, &journal()).await.unwrap().iter().map(|job| job.id).collect();
    assert_eq!(ids, [1, 2, 3]);
    insta::assert_snapshot!(requests(&server).await, @r"
    GET /repos/octo/hello/actions/runs/1/jobs?filter=all&per_page=100
    GET /repos/octo/hello/actions/runs/1/jobs?filter=all&per_page=100&page=2
    GET /repos/octo/hello/actions/runs/1/jobs?filter=all&page=3
    ");
}

#[tokio::test]
async fn a_next_page_somewhere_else_is_not_asked() {
    let foreign = answers([status(200)]).await;
    let link = format!("<{}/repos/octo/hello/actions/runs/1/jobs?page=2>; rel=\"next\"", foreign.uri());
    let server = answers([answer(&json!({ "jobs": [] })).insert_header("link", link.as_str())]).await;
    let error = client(&server.uri()).jobs(1, &journal()).await.unwrap_err();
    assert!(matches!(&error, GitHubError::Garbled { route: "jobs", .. }), "{error}");
    assert!(foreign.received_requests().await.unwrap().is_empty());
}

#[tokio::test]
async fn a_list_without_an_end_is_cut_on_record() {
    let server = MockServer::start().await;
    let link = format!("<{}/repos/octo/hello/actions/runs/1/jobs?page=2>; rel=\"next\"", server.uri());
    let page = answer(&json!({ "jobs": [{ "id": 1 }] })).insert_header("link", link.as_str());
    Mock::given(any()).respond_with(page).mount(&server).await;
    let github =
        GitHub::open_with(crate::github::tests::connection(&server.uri()), Settings { max_pages: 3, ..settings() });
    let kept = kept_journal();
    assert_eq!(github.unwrap().jobs(1, &kept.journal).await.unwrap().len(), 3);
    assert!(kept.lines().ends_with("github GET jobs: cut after 3 pages, 3 entries"), "{}", kept.lines());
}

#[tokio::test]
async fn an_answer_that_still_holds_comes_from_the_cache() {
    let server = MockServer::start().await;
    let whole =
        answer(&json!({ "full_name": "octo/hello", "default_branch": "main" })).insert_header("etag", "W/\"1\"");
    Mock::given(any()).respond_with(whole).with_priority(9).mount(&server).await;
    Mock::given(header("if-none-match", "W/\"1\"")).respond_with(status(304)).mount(&server).await;
    let directory = tempfile::tempdir().unwrap();
    let cache = Arc::new(Cache::open(directory.path(), 1 << 20).unwrap());
    let github = client(&server.uri()).with_cache(cache);
    let kept = kept_journal();
    for _ in 0..2 {
        assert_eq!(github.repository(&kept.journal).await.unwrap().default_branch, "main");
    }
    for entry in walk(directory.path()) {
        fs::write(entry, "damaged").unwrap();
    }
    assert_eq!(github.repository(&kept.journal).await.unwrap().default_branch, "main");
    insta::assert_snapshot!(kept.lines(), @r"
    github GET repository: 200
    github GET repository: 304
    github GET repository: 200
    ");
}

#[tokio::test]
async fn a_cached_page_still_names_the_next_one() {
    let server = MockServer::start().await;
    let link = format!("<{}/repos/octo/hello/actions/runs/1/jobs?page=2>; rel=\"next\"", server.uri());
    let first =
        answer(&json!({ "jobs": [{ "id": 1 }] })).insert_header("etag", "\"1\"").insert_header("link", link.as_str());
    Mock::given(any()).respond_with(first).with_priority(9).mount(&server).await;
    Mock::given(header("if-none-match", "\"1\"")).respond_with(status(304)).mount(&server).await;
    let second = answer(&json!({ "jobs": [{ "id": 2 }] }));
    Mock::given(query_param("page", "2")).respond_with(second).with_priority(8).mount(&server).await;
    let directory = tempfile::tempdir().unwrap();
    let github = client(&server.uri()).with_cache(Arc::new(Cache::open(directory.path(), 1 << 20).unwrap()));
    for _ in 0..2 {
        assert_eq!(github.jobs(1, &journal()).await.unwrap().len(), 2);
    }
}

fn walk(directory: &Path) -> Vec<std::path::PathBuf> {
    let entries = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { walk(&path) } else { vec![path] }).collect()
}

#[tokio::test]
async fn odd_answers_are_read_as_far_as_they_go() {
    let server = answers([
        answer(&json!({ "jobs": [
            { "id": 1, "name": "a", "conclusion": "startup_failure", "steps": null, "labels": null },
            { "id": 2, "name": null, "conclusion": "a word from tomorrow", "status": "7", "run_attempt": null,
              "steps": [{ "name": null, "number": null, "conclusion": null }] },
            null,
        ] })),
        answer(&json!({ "jobs": null })),
        answer(&json!({ "artifacts": [{ "id": 1, "name": "a", "size_in_bytes": null, "expired": null }] })),
        answer(&json!({
            "id": 1, "workflow_id": 2, "head_sha": "x", "actor": null, "head_repository": null, "event": null,
            "pull_requests": null, "name": null, "html_url": null,
        })),
        answer(&json!([{
            "number": 1, "state": "a new one", "head": { "ref": "a", "sha": "b", "repo": null },
            "base": { "ref": "c", "sha": "d" }, "body": null, "title": null, "draft": null, "user": null,
        }])),
    ])
    .await;
    let (github, journal) = (client(&server.uri()), journal());
    let jobs = github.jobs(1, &journal).await.unwrap();
    assert_eq!(jobs.len(), 2);
    assert_eq!(jobs[1].conclusion.as_deref(), Some("a word from tomorrow"));
    assert!(github.jobs(1, &journal).await.unwrap().is_empty());
    assert_eq!(github.artifacts(1, &journal).await.unwrap()[0].size_in_bytes, 0);
    assert!(github.run(1, None, &journal).await.unwrap().actor.is_none());
    assert_eq!(github.pulls_of_commit(&sha('a'), &journal).await.unwrap()[0].state, PullState::Closed);
}

#[tokio::test]
async fn answers_that_say_nothing_are_garbled() {
    let bodies = ["", "<html>", "[]", "{}", "{\"jobs\":3}", "{\"jobs\":[{}]}", "{\"jobs\":[{\"id\":\"\u{202e}x\"}]}"];
    let server = answers(bodies.map(|body| status(200).set_body_string(body))).await;
    let github = client(&server.uri());
    for body in bodies {
        let error = github.jobs(1, &journal()).await.unwrap_err();
        assert!(matches!(&error, GitHubError::Garbled { route: "jobs", .. }), "{body}: {error}");
        assert!(!error.to_string().contains('\u{202e}'), "{error}");
    }
}

#[tokio::test]
async fn an_answer_without_an_end_is_not_read() {
    let server = answers([status(200).set_body_string("x".repeat(5_000))]).await;
    let small = Settings { max_answer: 4_000, ..settings() };
    let github = GitHub::open_with(crate::github::tests::connection(&server.uri()), small).unwrap();
    let error = github.repository(&journal()).await.unwrap_err().to_string();
    assert_eq!(error, "repository: GitHub's answer cannot be read: it is larger than 4000 bytes");
    assert_eq!(github.calls(), 1);
}

#[tokio::test]
async fn only_pull_requests_from_the_branch_itself_are_its_own() {
    let other = |key: &str, value: Value| {
        let mut pull = pull("x");
        pull["head"][key] = value;
        pull
    };
    let list = json!([
        pull("ours"),
        other("ref", json!("somebody/else")),
        other("repo", json!({ "full_name": "fork/hello" })),
        other("repo", json!({ "full_name": "Octo/Hello" })),
    ]);
    let server = answers([answer(&list)]).await;
    let pulls = client(&server.uri()).pulls_of_branch(&own_branch(), &journal()).await.unwrap();
    assert_eq!(pulls.iter().map(|pull| pull.title.as_str()).collect::<Vec<_>>(), ["ours", "x"]);
}

#[tokio::test]
async fn rules_that_cannot_be_seen_demand_nothing() {
    let rules = json!([{ "type": "deletion" }, { "type": "required_signatures" }]);
    let responses = [answer(&rules), answer(&json!([])), status(404), status(403), status(401)];
    let server = answers(responses).await;
    let (github, branch, journal) = (client(&server.uri()), own_branch(), journal());
    let mut demanded = Vec::new();
    for _ in 0..4 {
        demanded.push(github.demands_signatures(&branch, &journal).await.unwrap());
    }
    assert_eq!(demanded, [true, false, false, false]);
    assert!(github.demands_signatures(&branch, &journal).await.is_err());
}

#[tokio::test]
async fn what_the_forge_says_is_one_short_line_without_the_token() {
    let message = format!("Bad\u{202e} credentials\n::error::{TOKEN} {}", "x".repeat(900));
    let body = json!({ "message": message, "errors": [{ "code": "custom" }] });
    let server = answers([ResponseTemplate::new(401).set_body_json(&body)]).await;
    let kept = kept_journal();
    let error = client(&server.uri()).repository(&kept.journal).await.unwrap_err().to_string();
    assert!(error.starts_with("repository: GitHub refused with 401: Bad credentials ::error::*** xxx"), "{error}");
    assert!(error.len() < 400, "{error}");
    assert!(!kept.text().contains(TOKEN));
}
