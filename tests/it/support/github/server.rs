//! The door: every request is known, permitted and as GitHub describes it, or the test fails.

use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value, json};
use wiremock::matchers::any;
use wiremock::{Match, Mock, MockServer, Request, ResponseTemplate};

use super::answer::{Answer, Call, error_body, page, tagged};
use super::faults::Fault;
use super::model::{By, Seen};
use super::routes::{self, Route};
use super::world::{READ_TOKEN, TOKEN, World};
use super::{elsewhere, graphql, openapi};

/// The world, shared with the threads that serve it.
pub(super) type Shared = Arc<Mutex<World>>;

/// An instant of the world: seconds since its beginning.
pub(super) fn time(seconds: u64) -> String {
    let start: jiff::Timestamp = "2026-01-05T09:00:00Z".parse().unwrap();
    let passed = i64::try_from(seconds).unwrap();
    start.checked_add(jiff::SignedDuration::from_secs(passed)).unwrap().to_string()
}

/// A user by name; names of bots end as GitHub lets them end.
pub(super) fn user(login: &str) -> Value {
    json!({"login": login, "type": if login.ends_with("[bot]") { "Bot" } else { "User" }})
}

/// What comes of a request.
pub(super) enum Outcome {
    Answer(ResponseTemplate),
    Cut,
}

/// The connection is cut.
#[derive(Debug, thiserror::Error)]
#[error("cut")]
struct Severed;

/// Lets the request happen. A server of this kind chooses between an answer and a cut by whether a matcher matches,
/// so this one does the work, says whether to cut, and leaves the answer for the one behind it.
struct Door {
    world: Shared,
    left: Arc<Mutex<Option<ResponseTemplate>>>,
    happen: fn(&mut World, &Request) -> Outcome,
}

impl Match for Door {
    fn matches(&self, request: &Request) -> bool {
        // A handler that panicked has failed the test already; what comes later must not hide it.
        let mut world = self.world.lock().unwrap_or_else(PoisonError::into_inner);
        match (self.happen)(&mut world, request) {
            Outcome::Cut => true,
            Outcome::Answer(answer) => {
                *self.left.lock().unwrap() = Some(answer);
                false
            }
        }
    }
}

async fn serve(world: &Shared, happen: fn(&mut World, &Request) -> Outcome) -> MockServer {
    let server = MockServer::builder().disable_request_recording().start().await;
    let left = Arc::new(Mutex::new(None));
    let door = Door { world: Arc::clone(world), left: Arc::clone(&left), happen };
    Mock::given(door).respond_with_err(|_: &Request| Severed).with_priority(1).mount(&server).await;
    let answer = move |_: &Request| left.lock().unwrap().take().unwrap_or_else(|| ResponseTemplate::new(500));
    Mock::given(any()).respond_with(answer).with_priority(2).mount(&server).await;
    server
}

/// Serves a world: the forge, and somebody else who keeps its blobs.
pub(super) async fn start(world: World) -> (Shared, [MockServer; 2]) {
    let world = Arc::new(Mutex::new(world));
    let servers = [serve(&world, forge).await, serve(&world, elsewhere::blobs).await];
    let mut locked = world.lock().unwrap();
    locked.addresses.forge = servers[0].uri();
    locked.addresses.blobs = servers[1].uri();
    drop(locked);
    (world, servers)
}

fn plain(status: u16, message: &str) -> Outcome {
    Outcome::Answer(ResponseTemplate::new(status).set_body_json(error_body(status, message)))
}

pub(super) fn note(world: &mut World, route: Option<Route>, request: &Request) -> String {
    let query = request.url.query().map(|query| format!("?{query}")).unwrap_or_default();
    let line = format!("{} {}{query}", request.method, request.url.path());
    world.requests.push(Seen { route, line: line.clone(), body: request.body.clone() });
    line
}

/// The interface, and git.
fn forge(world: &mut World, request: &Request) -> Outcome {
    let path = request.url.path();
    let repository = format!("/{}", world.repository);
    let below = path.strip_prefix(&repository).map(|rest| rest.trim_start_matches(".git"));
    if below.is_some_and(|rest| rest == "/info/refs" || rest.starts_with("/git-")) {
        return elsewhere::git(world, request);
    }
    let rest = path.strip_prefix(&format!("/api/v3/repos{repository}"));
    let found = rest.and_then(|rest| routes::find(request.method.as_str(), rest));
    let is_query = path == "/api/graphql" && request.method.as_str() == "POST";
    let route = found.as_ref().map(|(row, _)| row.route).or(is_query.then_some(Route::CommitOnBranch));
    let line = note(world, route, request);
    if let Some(refusal) = forbidden(world, request, &line) {
        return refusal;
    }
    let Some(route) = route else {
        world.complain(format!("unknown route: {line}"));
        return plain(501, "the fake knows no such route");
    };
    let call = Call {
        captures: found.as_ref().map(|(_, captures)| captures.clone()).unwrap_or_default(),
        query: request.url.query_pairs().into_owned().collect(),
        body: serde_json::from_slice(&request.body).unwrap_or(Value::Null),
    };
    let fault = world.arrive(route);
    if let Some((row, _)) = &found {
        for wrong in openapi::check_request(&row.operation(), &call.query, &request.body) {
            world.complain(format!("request {line}: {wrong}"));
        }
    }
    if let Some(refused) = fault.as_ref().and_then(refusal) {
        return refused;
    }
    let answer = match &found {
        Some((row, _)) => {
            let answer = (row.answer)(world, &call);
            finished(world, request, &row.operation(), (&call, answer))
        }
        None => match graphql::answer(world, &call.body) {
            Answer::Json(status, body) => tagged(request, status, &body),
            _ => ResponseTemplate::new(500),
        },
    };
    world.notice_moves(By::Interface);
    let left = 1000_usize.saturating_sub(world.calls()).to_string();
    let answer =
        answer.insert_header("x-ratelimit-limit", "1000").insert_header("x-ratelimit-remaining", left.as_str());
    spoiled(fault.as_ref(), answer)
}

/// Token, manners, and leaks. A token that only reads may not write.
fn forbidden(world: &mut World, request: &Request, line: &str) -> Option<Outcome> {
    let header = |name: &str| request.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let body = String::from_utf8_lossy(&request.body);
    if [TOKEN, READ_TOKEN].iter().any(|token| line.contains(token) || body.contains(token)) {
        world.complain(format!("leaked: a token in {line}"));
    }
    if header("user-agent").is_empty() {
        world.complain(format!("{line}: GitHub refuses requests without a User-Agent"));
    }
    let token = header("authorization").split_once(' ').map(|(_, token)| token).unwrap_or_default();
    let reads = request.method.as_str() == "GET";
    match token {
        TOKEN if world.archived && !reads => Some(plain(403, "Repository was archived so is read-only.")),
        READ_TOKEN if !reads => Some(plain(403, "Resource not accessible by integration")),
        TOKEN | READ_TOKEN => None,
        _ => Some(plain(401, "Bad credentials")),
    }
}

/// A fault that comes instead of the deed.
pub(super) fn refusal(fault: &Fault) -> Option<Outcome> {
    match fault {
        fault if fault.acts() => None,
        Fault::Refuse { status, message, retry_after } => {
            let answer = ResponseTemplate::new(*status);
            let answer = if *status == 502 {
                // What stands before GitHub answers in another language.
                answer.set_body_raw("<html><body>Unicorn!</body></html>", "text/html")
            } else {
                answer.set_body_json(error_body(*status, message))
            };
            let wait = retry_after.map(|seconds| seconds.to_string());
            Some(Outcome::Answer(
                wait.iter().fold(answer, |answer, wait| answer.insert_header("retry-after", wait.as_str())),
            ))
        }
        Fault::Exhausted { seconds } => {
            let answer = ResponseTemplate::new(403).set_body_json(error_body(403, "API rate limit exceeded"));
            let reset = (1_767_603_600 + seconds).to_string();
            let headers = [
                ("date", "Mon, 05 Jan 2026 09:00:00 GMT"),
                ("x-ratelimit-remaining", "0"),
                ("x-ratelimit-reset", reset.as_str()),
            ];
            Some(Outcome::Answer(
                headers.into_iter().fold(answer, |answer, (name, value)| answer.insert_header(name, value)),
            ))
        }
        _ => Some(Outcome::Cut),
    }
}

/// A fault that comes after it.
pub(super) fn spoiled(fault: Option<&Fault>, answer: ResponseTemplate) -> Outcome {
    match fault {
        Some(Fault::Lose) => Outcome::Cut,
        Some(Fault::LoseAtGateway) => plain(502, "Server Error"),
        Some(Fault::Slow(time)) => Outcome::Answer(answer.set_delay(*time)),
        _ => Outcome::Answer(answer),
    }
}

/// An answer as GitHub describes it.
fn finished(
    world: &mut World,
    request: &Request,
    operation: &str,
    (call, answer): (&Call, Answer),
) -> ResponseTemplate {
    let (status, mut body, link) = match answer {
        Answer::Json(status, body) => (status, body, None),
        Answer::List { member, items } => {
            let address = format!("{}{}", world.addresses.forge, request.url.path());
            let (body, link) = page(call, member, items, &address);
            (200, body, link)
        }
        Answer::Redirect(to) => return ResponseTemplate::new(302).insert_header("location", to.as_str()),
        Answer::Nothing => return ResponseTemplate::new(204),
    };
    for wrong in openapi::complete_answer(operation, status, &mut body) {
        world.complain(format!("answer {status} to {operation}: {wrong}"));
    }
    let answer = tagged(request, status, &body);
    link.iter().fold(answer, |answer, link| answer.insert_header("link", link.as_str()))
}
