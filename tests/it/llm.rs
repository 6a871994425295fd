//! A model is asked over HTTP: shapes, retries, limits, faults, recording and replay.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use unbreak::journal::{self, Journal, WaitingFor};
use unbreak::llm::spec::Spec;
use unbreak::llm::{
    Answer, LlmError, Message, Model, Recorder, Replay, Request, Retries, Settings, Timeouts, ToolSpec,
};
use unbreak::secret::Secret;
use unbreak::usage::Rate;
use wiremock::ResponseTemplate;

use crate::support::model::{ModelServer, Step, calls, cut_off, hang, status, text};

const KEY: &str = "sk-test-0123456789";

fn settings() -> Settings {
    Settings {
        timeouts: Timeouts {
            connect: Duration::from_millis(500),
            read: Duration::from_millis(400),
            overall: Duration::from_millis(800),
        },
        retries: Retries {
            attempts: 3,
            base: Duration::from_millis(5),
            cap: Duration::from_millis(20),
            longest_wish: Duration::from_secs(3),
            seed: 1,
        },
        max_answer: 64 << 10,
    }
}

fn open(spec: &str, key: Option<&str>) -> Box<dyn Model> {
    let spec: Spec = spec.parse().unwrap();
    spec.open(key.map(|key| Secret::new(key.to_owned())), Path::new("/"), &settings()).unwrap()
}

fn request() -> Request {
    Request {
        messages: vec![Message::System { text: "rules".into() }, Message::User { text: "task".into() }],
        tools: vec![ToolSpec {
            name: "grep".into(),
            description: "find".into(),
            parameters: json!({"type": "object", "properties": {"pattern": {"type": "string"}}, "required": ["pattern"]}),
        }],
        max_output: 50,
    }
}

async fn asked(script: Vec<Step>) -> (Result<Answer, LlmError>, ModelServer) {
    let server = ModelServer::start(Some(KEY), script).await;
    let model = open(&server.spec(), Some(KEY));
    let answer = model.ask(&request(), &Journal::unkept(|| 0)).await;
    (answer, server)
}

#[tokio::test]
async fn calls_text_and_usage_are_read() {
    let script = vec![calls(&[("grep", json!({"pattern": "a"})), ("grep", json!({"pattern": "b"}))])];
    let (answer, server) = asked(script).await;
    let answer = answer.unwrap();
    assert_eq!(answer.calls.iter().map(|call| call.id.as_str()).collect::<Vec<_>>(), ["call_0", "call_1"]);
    let tokens = answer.tokens;
    assert_eq!((tokens.input, tokens.cached_read, tokens.output, tokens.reasoning), (60, 40, 20, 5));
    assert!(!answer.estimated && !answer.cut_off);
    server.finish();
}

#[tokio::test]
async fn a_local_server_needs_no_key_and_costs_nothing() {
    let server = ModelServer::start(None, vec![text("hello")]).await;
    let model = open(&server.spec(), None);
    assert_eq!(model.rate(), Rate::Free);
    assert_eq!(model.ask(&request(), &Journal::unkept(|| 0)).await.unwrap().text, "hello");
    server.finish();
}

#[tokio::test]
async fn missing_usage_is_estimated_and_marked() {
    let body = json!({"choices": [{"message": {"content": "hi"}, "finish_reason": "stop"}]});
    let (answer, _) = asked(vec![Step::Raw(ResponseTemplate::new(200).set_body_json(body))]).await;
    let answer = answer.unwrap();
    assert!(answer.estimated && answer.tokens.input > 0 && answer.tokens.output > 0);
}

#[tokio::test]
async fn passing_failures_are_asked_again_and_every_wait_is_in_the_record() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("journal.jsonl");
    let journal = Journal::create(&path, || 0).unwrap();
    let server = ModelServer::start(Some(KEY), vec![status(500, "oops"), status(503, ""), text("ok")]).await;
    let began = Instant::now();
    open(&server.spec(), Some(KEY)).ask(&request(), &journal).await.unwrap();
    let took = began.elapsed();
    server.finish();
    let (entries, broken) = journal::read(&std::fs::read_to_string(path).unwrap());
    assert!(broken.is_none());
    let told: Vec<String> = entries.iter().map(|(_, entry)| format!("{}: {}", entry.action, entry.outcome)).collect();
    insta::assert_snapshot!(told.join("\n"), @r"
    model: status 500: oops
    wait: after attempt 1
    model: status 503: no message
    wait: after attempt 2
    model: text
    ");
    let last = &entries.last().unwrap().1;
    assert_eq!((last.hashes[0].clone(), last.tokens.unwrap().output), (request().key(), 20));
    let own = took.saturating_sub(journal.waited(WaitingFor::Http));
    assert!(own < Duration::from_millis(60), "own time {own:?} of {took:?}");
}

#[tokio::test]
async fn retry_after_is_honoured_in_seconds_and_as_a_date() {
    for headers in [
        vec![("Retry-After", "1")],
        vec![("Retry-After", "Sun, 06 Nov 1994 08:49:38 GMT"), ("Date", "Sun, 06 Nov 1994 08:49:37 GMT")],
    ] {
        let busy =
            headers.into_iter().fold(ResponseTemplate::new(429), |busy, (name, value)| busy.insert_header(name, value));
        let began = Instant::now();
        let (answer, server) = asked(vec![Step::Raw(busy), text("ok")]).await;
        answer.unwrap();
        server.finish();
        assert!(began.elapsed() >= Duration::from_secs(1));
    }
}

#[tokio::test]
async fn a_wish_beyond_the_cap_ends_the_call_at_once() {
    let busy = ResponseTemplate::new(429).insert_header("Retry-After", "3600");
    let (answer, server) = asked(vec![Step::Raw(busy)]).await;
    assert_eq!(server.finish().len(), 1);
    insta::assert_snapshot!(answer.unwrap_err(), @"openai:tiny gave no answer: status 429: no message (it asks to wait 3600 s, which is too long)");
}

#[tokio::test]
async fn retries_are_bounded() {
    let (answer, server) = asked((0..3).map(|_| status(502, "bad gateway")).collect()).await;
    assert_eq!(server.finish().len(), 3);
    insta::assert_snapshot!(answer.unwrap_err(), @"openai:tiny gave no answer: status 502: bad gateway (asked 3 times)");
}

#[tokio::test]
async fn refusals_are_not_asked_again_and_repeat_no_key() {
    let wrong = json!({"error": {"message": format!("Incorrect API key provided: {KEY}."), "code": "invalid_api_key"}});
    let (answer, server) = asked(vec![Step::Raw(ResponseTemplate::new(401).set_body_json(wrong))]).await;
    assert_eq!(server.finish().len(), 1);
    insta::assert_snapshot!(answer.unwrap_err(), @"openai:tiny refused the request: status 401: Incorrect API key provided: ***");
    let spent = json!({"error": {"message": "You exceeded your current quota", "code": "insufficient_quota"}});
    let (answer, server) = asked(vec![Step::Raw(ResponseTemplate::new(429).set_body_json(spent))]).await;
    assert_eq!(server.finish().len(), 1);
    assert!(matches!(answer, Err(LlmError::Refused { .. })));
    let moved = ResponseTemplate::new(307).insert_header("Location", "http://127.0.0.1:9/");
    let (answer, server) = asked(vec![Step::Raw(moved)]).await;
    assert_eq!(server.finish().len(), 1, "a redirect is not followed");
    assert!(matches!(answer, Err(LlmError::Refused { .. })));
}

#[tokio::test]
async fn garbage_is_paid_for_and_not_asked_again_in_here() {
    for body in ["<html>hi</html>", "{\"choices\": []}", "{\"choices\": [{\"message\"", ""] {
        let (answer, server) = asked(vec![status(200, body)]).await;
        assert_eq!(server.finish().len(), 1);
        let Err(error @ LlmError::Garbled { .. }) = answer else { panic!("{answer:?}") };
        assert!(error.spent().input > 0, "{body}");
    }
}

#[tokio::test]
async fn a_cut_off_answer_is_told_from_a_malformed_one() {
    let (answer, _) = asked(vec![cut_off(text("half a sen"))]).await;
    assert!(answer.unwrap().cut_off);
}

#[tokio::test]
async fn silence_ends_after_the_timeouts() {
    let began = Instant::now();
    let (answer, _) = asked((0..3).map(|_| hang(Duration::from_secs(30))).collect()).await;
    let error = answer.unwrap_err().to_string();
    assert!(error.contains("timed out") && error.contains("asked 3 times"), "{error}");
    assert!(began.elapsed() < Duration::from_secs(5));
}

/// A server that is no HTTP library's: it answers each connection with `head` and then `chunk` again and again.
async fn stream(head: &'static str, chunk: &'static [u8], pause: Duration) -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut socket, _)) = listener.accept().await {
            tokio::spawn(async move {
                let mut buffer = [0; 4096];
                let _request = socket.read(&mut buffer).await;
                let mut sent = socket.write_all(head.as_bytes()).await;
                while sent.is_ok() && !chunk.is_empty() {
                    sent = socket.write_all(chunk).await;
                    tokio::time::sleep(pause).await;
                }
            });
        }
    });
    format!("openai:tiny@http://{address}/v1")
}

const CHUNKED: &str = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";

#[tokio::test]
async fn an_endless_answer_is_cut_by_its_size() {
    static CHUNK: [u8; 1007] = {
        let mut chunk = [b' '; 1007];
        let (head, end) = (b"3e8\r\n", b"\r\n");
        let mut at = 0;
        while at < head.len() {
            chunk[at] = head[at];
            at += 1;
        }
        chunk[1005] = end[0];
        chunk[1006] = end[1];
        chunk
    };
    let spec = stream(CHUNKED, &CHUNK, Duration::ZERO).await;
    let error = open(&spec, None).ask(&request(), &Journal::unkept(|| 0)).await.unwrap_err();
    insta::assert_snapshot!(error, @"openai:tiny does not end its answer: at most 50 tokens were asked for, and 65536 bytes came");
    assert_eq!(error.spent().output, 50);
}

#[tokio::test]
async fn an_answer_beyond_the_limit_that_was_sent_and_a_count_that_cannot_be_are_not_believed() {
    let (answer, server) = asked(vec![text(&"word ".repeat(5_000))]).await;
    assert_eq!(server.finish().len(), 1);
    let Err(error @ LlmError::Endless { .. }) = answer else { panic!("{answer:?}") };
    assert_eq!(error.spent().output, 50);
    let body = json!({
        "choices": [{"message": {"content": "hi"}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": u64::MAX, "completion_tokens": u64::MAX},
    });
    let (answer, _) = asked(vec![Step::Raw(ResponseTemplate::new(200).set_body_json(body))]).await;
    let answer = answer.unwrap();
    assert!(answer.estimated && answer.tokens.total() < 1_000, "{:?}", answer.tokens);
}

#[tokio::test]
async fn a_trickle_is_cut_by_the_overall_time() {
    let spec = stream(CHUNKED, b"1\r\n \r\n", Duration::from_millis(100)).await;
    let error = open(&spec, None).ask(&request(), &Journal::unkept(|| 0)).await.unwrap_err().to_string();
    assert!(error.contains("no whole answer within 800 ms"), "{error}");
}

#[tokio::test]
async fn a_broken_connection_and_a_closed_port_are_transport_failures() {
    let broken = stream("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{", b"", Duration::ZERO).await;
    for spec in [broken, "openai:tiny@http://127.0.0.1:1/v1".to_owned()] {
        let error = open(&spec, None).ask(&request(), &Journal::unkept(|| 0)).await.unwrap_err();
        assert!(matches!(&error, LlmError::Unavailable { reason, .. } if reason.contains("asked 3 times")), "{error}");
    }
}

#[tokio::test]
async fn a_model_without_tools_is_asked_in_plain_text() {
    let answer = "=== call grep\n--- pattern\nfn main\n=== end";
    let server = ModelServer::start(None, vec![text(answer), text("done")]).await.without_tools();
    let model = open(&server.spec(), None);
    let journal = Journal::unkept(|| 0);
    let mut request = request();
    let first = model.ask(&request, &journal).await.unwrap();
    assert_eq!(first.calls[0].arguments, r#"{"pattern":"fn main"}"#);
    request.messages.push(Message::Assistant { text: first.text, calls: first.calls });
    request.messages.push(Message::Tool { call: "call-1".into(), text: "src/main.rs:1".into() });
    assert_eq!(model.ask(&request, &journal).await.unwrap().text, "done");
    let requests = server.finish();
    assert_eq!(requests.len(), 2, "the refusal of tools is remembered");
    assert!(requests[0]["messages"][0]["content"].as_str().unwrap().contains("- grep(pattern): find"));
}

#[tokio::test]
async fn a_recording_answers_without_a_network_and_fails_loudly_on_anything_else() {
    let directory = tempfile::tempdir().unwrap();
    let server = ModelServer::start(None, vec![text("the token is hunter2")]).await;
    let scrub = Box::new(|text: &str| text.replace("hunter2", "***"));
    let recorder = Recorder::new(open(&server.spec(), None), directory.path(), scrub).unwrap();
    let journal = Journal::unkept(|| 0);
    recorder.ask(&request(), &journal).await.unwrap();
    server.finish();

    let replay = Replay::open(directory.path()).unwrap();
    let answer = replay.ask(&request(), &journal).await.unwrap();
    assert_eq!((answer.text.as_str(), answer.tokens.output), ("the token is ***", 20));

    let mut other = request();
    other.messages[1] = Message::User { text: "another task".into() };
    let Err(LlmError::Unrecorded { hints, .. }) = replay.ask(&other, &journal).await else { panic!("it answered") };
    assert_eq!(hints[0], "1 requests are recorded there");
    assert!(
        hints[1].ends_with("message 2 (user) differs at line 1: asked `another task`, recorded `task`"),
        "{}",
        hints[1]
    );
}

#[test]
fn an_empty_or_broken_recording_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    insta::assert_snapshot!(
        Replay::open(directory.path()).unwrap_err().to_string().replace(directory.path().to_str().unwrap(), "DIR"),
        @"the recording DIR: it holds no recorded answer (*.json)");
    std::fs::write(directory.path().join("x.json"), "{").unwrap();
    assert!(Replay::open(directory.path()).unwrap_err().to_string().contains("x.json"));
}

#[tokio::test]
async fn a_service_in_clear_text_needs_no_certificates_and_a_secure_one_checks_them() {
    // Nothing speaks TLS there: the point is that the client is made, and that the failure is one of the connection.
    let spec = stream("HTTP/1.1 200 OK\r\n\r\n", b"", Duration::ZERO).await.replace("http://", "https://");
    let error = open(&spec, Some(KEY)).ask(&request(), &Journal::unkept(|| 0)).await.unwrap_err().to_string();
    assert!(error.contains("cannot connect"), "{error}");
}
