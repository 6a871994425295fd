//! The fake GitHub itself: it has GitHub's rules and words, and it lets no test pass that did what GitHub would refuse.

mod branches;
mod client;
mod faults;
mod pulls;
mod runs;
mod steps;

use std::path::Path;
use std::process::Command;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reqwest::Method;
use serde_json::{Value, json};

use crate::support::github::{FakeGitHub, ROUTES, Scene, TOKEN, operations};
use crate::support::repository::Repository;

const BROKEN: &[(&str, &str)] = &[("calc.py", "def add(a, b):\n    return a - b\n")];
const WORKS: &[(&str, &str)] = &[("calc.py", "def add(a, b):\n    return a + b\n")];

async fn lab() -> FakeGitHub {
    Scene::of(BROKEN).before(WORKS).start().await
}

/// A client that knows nothing of the program: each answer as it comes, no redirect followed, nothing repeated.
struct Client {
    http: reqwest::Client,
    repository: String,
    token: String,
}

struct Got {
    status: u16,
    headers: reqwest::header::HeaderMap,
    body: Value,
}

impl Client {
    fn of(github: &FakeGitHub) -> Self {
        // Somebody else in this process may have installed it.
        drop(rustls::crypto::ring::default_provider().install_default());
        let http = reqwest::Client::builder().no_proxy().redirect(reqwest::redirect::Policy::none()).user_agent("test");
        let repository = format!("{}/repos/{}", github.api(), github.world().repository);
        Self { http: http.build().unwrap(), repository, token: TOKEN.to_owned() }
    }

    fn with(github: &FakeGitHub, token: &str) -> Self {
        Self { token: token.to_owned(), ..Self::of(github) }
    }

    fn request(&self, method: Method, address: &str) -> reqwest::RequestBuilder {
        self.http.request(method, address).bearer_auth(&self.token)
    }

    async fn try_send(&self, method: Method, address: &str, body: Option<&Value>) -> reqwest::Result<Got> {
        let request = self.request(method, address);
        let request = body.into_iter().fold(request, reqwest::RequestBuilder::json);
        let answer = request.send().await?;
        let (status, headers) = (answer.status().as_u16(), answer.headers().clone());
        let text = answer.text().await?;
        Ok(Got { status, headers, body: serde_json::from_str(&text).unwrap_or(Value::String(text)) })
    }

    async fn get(&self, below: &str) -> Got {
        self.try_send(Method::GET, &format!("{}{below}", self.repository), None).await.unwrap()
    }

    async fn send(&self, method: Method, below: &str, body: Value) -> Got {
        self.try_send(method, &format!("{}{below}", self.repository), Some(&body)).await.unwrap()
    }

    async fn create_branch(&self, branch: &str, at: &str) -> Got {
        self.send(Method::POST, "/git/refs", json!({"ref": format!("refs/heads/{branch}"), "sha": at})).await
    }

    async fn open_pull(&self, head: &str) -> Got {
        self.send(Method::POST, "/pulls", new_pull(head)).await
    }
}

fn new_pull(head: &str) -> Value {
    json!({"title": "Fix", "body": "It works.", "head": head, "base": "main", "draft": true})
}

/// Clones, commits a fix on a branch and pushes it; whether git succeeded, and its words.
fn push_fix(github: &FakeGitHub, token: &str, branch: &str) -> (bool, String) {
    let local = Repository::of(&[("README.md", "")]);
    assert_eq!(git(local.path(), token, &["fetch", "-q", &github.clone_url(), "main"]), (true, String::new()));
    local.git(&["checkout", "-q", "-B", branch, "FETCH_HEAD"]);
    local.write("calc.py", WORKS[0].1);
    local.commit("Fix");
    git(local.path(), token, &["push", &github.clone_url(), &format!("HEAD:refs/heads/{branch}")])
}

/// Runs git as a program would that passes its credential through the environment.
fn git(directory: &Path, token: &str, arguments: &[&str]) -> (bool, String) {
    let header = format!("Authorization: Basic {}", STANDARD.encode(format!("x-access-token:{token}")));
    let output = Command::new("git")
        .args(arguments)
        .current_dir(directory)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_TERMINAL_PROMPT", "0")
        .envs([("GIT_CONFIG_COUNT", "1"), ("GIT_CONFIG_KEY_0", "http.extraHeader"), ("GIT_CONFIG_VALUE_0", &header)])
        .output()
        .unwrap();
    (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn what_is_answered_is_what_is_described() {
    let mut answered: Vec<String> = ROUTES.iter().map(crate::support::github::Row::operation).collect();
    let mut described = operations();
    answered.sort();
    described.sort();
    assert_eq!(answered, described);
}

#[tokio::test]
async fn an_unknown_route_fails_the_test() {
    let github = lab().await;
    assert_eq!(github.connection(TOKEN).api, github.api());
    let merge = Client::of(&github).send(Method::PUT, "/pulls/1/merge", json!({})).await;
    assert_eq!(merge.status, 501);
    let seen = github.world().requests.clone();
    assert_eq!((seen[0].route, &*seen[0].body), (None, &b"{}"[..]));
    assert_eq!(seen[0].line, "PUT /api/v3/repos/octo/lab/pulls/1/merge");
    insta::assert_debug_snapshot!(github.take_complaints(), @r#"
    [
        "unknown route: PUT /api/v3/repos/octo/lab/pulls/1/merge",
    ]
    "#);
    github.finish();
}

#[tokio::test]
async fn a_request_that_github_does_not_describe_fails_the_test() {
    let github = lab().await;
    let client = Client::of(&github);
    client.get("/pulls?state=any&per_pages=3").await;
    client.send(Method::POST, "/pulls", json!({"title": 3, "head": "a", "base": "main", "reviewers": []})).await;
    client.try_send(Method::POST, &format!("{}/git/refs", client.repository), None).await.unwrap();
    insta::assert_debug_snapshot!(github.take_complaints(), @r#"
    [
        "request GET /api/v3/repos/octo/lab/pulls?state=any&per_pages=3: : \"any\" is not one of \"open\", \"closed\" or \"all\"",
        "request GET /api/v3/repos/octo/lab/pulls?state=any&per_pages=3: unknown query parameter `per_pages`",
        "request POST /api/v3/repos/octo/lab/pulls: /title: 3 is not of type \"string\"",
        "request POST /api/v3/repos/octo/lab/pulls: unknown key `reviewers`",
        "request POST /api/v3/repos/octo/lab/git/refs: a body is missing",
    ]
    "#);
    github.finish();
}

#[tokio::test]
async fn a_forgotten_finish_fails_the_test_all_the_same() {
    let github = lab().await;
    Client::of(&github).send(Method::PUT, "/pulls/1/merge", json!({})).await;
    let dropped = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| drop(github)));
    let words = *dropped.unwrap_err().downcast::<String>().unwrap();
    assert!(words.contains("unknown route: PUT /api/v3/repos/octo/lab/pulls/1/merge"), "{words}");
}

#[tokio::test]
async fn nothing_is_given_for_a_wrong_token_and_nothing_changed_for_one_that_reads() {
    use crate::support::github::READ_TOKEN;
    let github = lab().await;
    let stranger = Client::with(&github, "wrong").get("").await;
    assert_eq!((stranger.status, &stranger.body["message"]), (401, &json!("Bad credentials")));
    let reader = Client::with(&github, READ_TOKEN);
    assert_eq!(reader.get("").await.body["default_branch"], "main");
    let tip = github.world().git.tip("main").unwrap();
    assert_eq!(reader.create_branch("unbreak/a", &tip).await.status, 403);
    let (pushed, words) = push_fix(&github, READ_TOKEN, "unbreak/a");
    assert!(!pushed && words.contains("403"), "{words}");
    assert_eq!(github.world().git.heads().len(), 1);
    github.finish();
}

#[tokio::test]
async fn a_token_that_leaks_fails_the_test() {
    let github = lab().await;
    let client = Client::of(&github);
    let log = client.get("/actions/jobs/202/logs").await;
    let elsewhere = log.headers["location"].to_str().unwrap();
    client.try_send(Method::GET, elsewhere, None).await.unwrap();
    client.send(Method::POST, "/pulls", json!({"title": "t", "head": "x", "base": "main", "body": TOKEN})).await;
    insta::assert_debug_snapshot!(github.take_complaints(), @r#"
    [
        "leaked: credentials were sent to another host: GET /blobs/logs/202?sig=2f0c",
        "leaked: a token in POST /api/v3/repos/octo/lab/pulls",
    ]
    "#);
    github.finish();
}

#[tokio::test]
async fn an_archived_repository_is_read_only() {
    let github = lab().await;
    github.world().archived = true;
    let client = Client::of(&github);
    assert_eq!(client.get("").await.body["archived"], true);
    let tip = github.world().git.tip("main").unwrap();
    let refused = client.create_branch("unbreak/a", &tip).await;
    assert_eq!((refused.status, &refused.body["message"]), (403, &json!("Repository was archived so is read-only.")));
    github.finish();
}

#[tokio::test]
async fn a_test_that_would_wait_for_itself_is_told_so() {
    let github = lab().await;
    let held = github.world();
    let again = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| github.world().calls()));
    drop(held);
    assert!(again.unwrap_err().downcast::<String>().unwrap().contains("holds the world already"));
    github.finish();
}
