//! What passes, what lasts, and how long either is waited for.

use serde_json::json;
use wiremock::ResponseTemplate;

use crate::github::GitHubError;
use crate::github::routes::CREATE_PULL;
use crate::github::tests::{Scripted, Step, answer, answers, client, journal, kept_journal, pull, status};
use crate::journal::WaitingFor;

const DATE: &str = "Sun, 06 Nov 1994 08:49:37 GMT";
const DATE_SECONDS: u64 = 784_111_777;

fn limit(code: u16, headers: &[(&str, &str)]) -> ResponseTemplate {
    headers.iter().fold(status(code), |response, (name, value)| response.insert_header(*name, *value))
}

fn repository() -> ResponseTemplate {
    answer(&json!({ "full_name": "octo/hello", "default_branch": "main" }))
}

#[tokio::test]
async fn what_passes_is_asked_again() {
    let at_once = DATE_SECONDS.to_string();
    let words = |text: &str| status(403).set_body_json(json!({ "message": text }));
    let passing = [
        status(500),
        status(502),
        status(503).insert_header("retry-after", "0"),
        status(408),
        status(429),
        limit(429, &[("retry-after", "0")]),
        limit(403, &[("retry-after", "0.001")]),
        limit(403, &[("retry-after", DATE), ("date", DATE)]),
        limit(403, &[("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", &at_once), ("date", DATE)]),
        limit(403, &[("x-ratelimit-remaining", "0")]),
        words("You have exceeded a secondary rate limit. Please wait."),
        words("You have triggered an abuse detection mechanism."),
    ];
    for (at, response) in passing.into_iter().enumerate() {
        let server = answers([response, repository()]).await;
        let github = client(&server.uri());
        assert_eq!(github.repository(&journal()).await.unwrap().default_branch, "main", "{at}");
        assert_eq!(github.calls(), 2, "{at}");
    }
}

#[tokio::test]
async fn what_lasts_is_said_at_once() {
    for code in [301, 400, 401, 403, 404, 409, 410, 422, 451] {
        let server = answers([status(code).insert_header("x-ratelimit-remaining", "17")]).await;
        let github = client(&server.uri());
        let error = github.repository(&journal()).await.unwrap_err();
        assert!(matches!(error, GitHubError::Refused { status, .. } if status == code), "{error}");
        assert_eq!((github.calls(), error.is_not_found()), (1, matches!(code, 404 | 410)));
    }
}

#[tokio::test]
async fn a_limit_that_lasts_too_long_ends_the_call_with_its_length() {
    let reset = (DATE_SECONDS + 90).to_string();
    for (response, length) in [
        (limit(429, &[("retry-after", "3600")]), 3600),
        (limit(403, &[("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", &reset), ("date", DATE)]), 90),
    ] {
        let server = answers([response]).await;
        let github = client(&server.uri());
        let error = github.repository(&journal()).await.unwrap_err();
        assert!(matches!(error, GitHubError::RateLimited { seconds, .. } if seconds == length), "{error}");
        assert_eq!(github.calls(), 1);
    }
}

#[tokio::test]
async fn patience_ends() {
    for (response, limited) in [(status(502), false), (status(429), true)] {
        let server = answers([response]).await;
        let github = client(&server.uri());
        let error = github.repository(&journal()).await.unwrap_err();
        assert_eq!(matches!(error, GitHubError::RateLimited { .. }), limited, "{error}");
        assert_eq!(matches!(error, GitHubError::Unreachable { .. }), !limited, "{error}");
        assert_eq!(github.calls(), 3);
    }
}

#[tokio::test]
async fn a_forge_that_is_not_there_is_unreachable() {
    let github = client("http://127.0.0.1:1");
    let error = github.repository(&journal()).await.unwrap_err().to_string();
    assert!(error.starts_with("repository: GitHub gave no answer: cannot connect: "), "{error}");
    assert!(error.ends_with("(asked 3 times)"), "{error}");
}

#[tokio::test]
async fn a_broken_connection_is_asked_again_where_that_is_harmless() {
    let server = Scripted::start([Step::HangUp, Step::Half, Step::Say(200, pull("t"))]).await;
    let changed = client(&server.url).update_pull(5, "t", "b", &journal()).await.unwrap();
    assert_eq!(changed.number, 5);
    assert_eq!(server.seen(), ["PATCH /repos/octo/hello/pulls/5"; 3]);
}

#[tokio::test]
async fn a_row_that_is_to_be_looked_up_first_is_not_repeated_blindly() {
    let server = Scripted::start([Step::HangUp, Step::Say(201, pull("t"))]).await;
    let github = client(&server.url);
    let call = github.call(&CREATE_PULL, &[]).unwrap();
    let error = github.ask(&call, &journal()).await.unwrap_err();
    assert!(matches!(error, GitHubError::Unreachable { route: "create-pull", .. }), "{error}");
    assert_eq!(github.calls(), 1);
}

#[tokio::test]
async fn every_request_and_every_wait_is_on_record() {
    let server = answers([status(502), repository()]).await;
    let kept = kept_journal();
    client(&server.uri()).repository(&kept.journal).await.unwrap();
    insta::assert_snapshot!(kept.lines(), @r"
    github GET repository: 502
    wait github: after attempt 1
    github GET repository: 200
    ");
    let spans: Vec<_> = kept.entries().into_iter().map(|entry| entry.span.unwrap()).collect();
    assert!(spans.iter().all(|span| span.waiting_for == WaitingFor::Http && span.micros > 0), "{spans:?}");
}

#[tokio::test]
async fn an_answer_that_does_not_come_is_not_waited_for() {
    let slow = repository().set_delay(std::time::Duration::from_mins(1));
    let server = answers([slow]).await;
    let mut settings = crate::github::tests::settings();
    settings.timeouts.overall = std::time::Duration::from_millis(20);
    let connection = crate::github::tests::connection(&server.uri());
    let github = crate::github::GitHub::open_with(connection, settings).unwrap();
    let error = github.repository(&journal()).await.unwrap_err().to_string();
    assert!(error.contains("no whole answer within 20 ms"), "{error}");
}
