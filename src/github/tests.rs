//! The client against servers on loopback: one that answers by rule, and one that follows a script and can hang up.

mod downloads;
mod reads;
mod retries;
mod routes;
mod writes;

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use wiremock::matchers::any;
use wiremock::{Mock, MockServer, ResponseTemplate};

use crate::backoff::Retries;
use crate::github::{Connection, GitHub, NewPull, RemoteCommit, Settings};
use crate::ids::{BranchName, CommitSha, OwnBranch, RepoPath, RepositoryName};
use crate::journal::{Entry, Journal};
use crate::secret::Secret;

const TOKEN: &str = "hush-4711-hush";

/// A patience of milliseconds.
fn settings() -> Settings {
    let milli = Duration::from_millis(1);
    Settings {
        retries: Retries { attempts: 3, base: milli, cap: milli, longest_wish: Duration::from_secs(2), seed: 7 },
        unnamed_limit: milli,
        looks: 2,
        ..Settings::default()
    }
}

fn connection(api: &str) -> Connection {
    let repository = RepositoryName::new("octo/hello").unwrap();
    Connection { api: api.to_owned(), repository, token: Some(Secret::new(TOKEN.to_owned())) }
}

fn client(api: &str) -> GitHub {
    GitHub::open_with(connection(api), settings()).unwrap()
}

fn journal() -> Journal {
    Journal::unkept(|| 0)
}

/// A journal that can be read: what was done, to what, and what came of it.
struct Kept {
    directory: tempfile::TempDir,
    journal: Journal,
}

fn kept_journal() -> Kept {
    let directory = tempfile::tempdir().unwrap();
    let journal = Journal::create(&directory.path().join("journal"), || 0).unwrap();
    Kept { directory, journal }
}

impl Kept {
    fn text(&self) -> String {
        std::fs::read_to_string(self.directory.path().join("journal")).unwrap()
    }

    fn entries(&self) -> Vec<Entry> {
        crate::journal::read(&self.text()).0.into_iter().map(|(_, entry)| entry).collect()
    }

    fn lines(&self) -> String {
        let line = |entry: Entry| format!("{} {}: {}", entry.action, entry.subject, entry.outcome);
        self.entries().into_iter().map(line).collect::<Vec<_>>().join("\n")
    }
}

/// A server that answers everything with these, in order, the last one for ever.
async fn answers(responses: impl IntoIterator<Item = ResponseTemplate>) -> MockServer {
    let server = MockServer::start().await;
    let responses: Vec<_> = responses.into_iter().collect();
    let last = responses.len() - 1;
    for (at, response) in responses.into_iter().enumerate() {
        let mock = Mock::given(any()).respond_with(response);
        if at < last { mock.up_to_n_times(1).mount(&server).await } else { mock.mount(&server).await }
    }
    server
}

fn status(status: u16) -> ResponseTemplate {
    ResponseTemplate::new(status)
}

fn answer(body: &Value) -> ResponseTemplate {
    status(200).set_body_json(body)
}

/// `METHOD path?query` of what a server got.
async fn requests(server: &MockServer) -> String {
    let line = |request: &wiremock::Request| {
        let query = request.url.query().map(|query| format!("?{query}")).unwrap_or_default();
        format!("{} {}{query}", request.method, request.url.path())
    };
    server.received_requests().await.unwrap().iter().map(line).collect::<Vec<_>>().join("\n")
}

/// What a scripted server does with the next request.
enum Step {
    Say(u16, Value),
    /// The head of an answer, and half of its body.
    Half,
    HangUp,
}

/// A server that follows a script; what is beyond it is answered with 418.
struct Scripted {
    url: String,
    seen: Arc<Mutex<Vec<String>>>,
}

impl Scripted {
    async fn start(steps: impl IntoIterator<Item = Step>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let seen = Arc::new(Mutex::new(Vec::new()));
        let (mut steps, record) = (steps.into_iter().collect::<VecDeque<_>>(), Arc::clone(&seen));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                serve(stream, steps.pop_front(), &record).await;
            }
        });
        Self { url, seen }
    }

    /// The methods and paths that came, without queries.
    fn seen(&self) -> Vec<String> {
        self.seen.lock().unwrap().clone()
    }
}

async fn serve(mut stream: TcpStream, step: Option<Step>, seen: &Mutex<Vec<String>>) {
    let mut request = Vec::new();
    while !is_whole(&request) {
        if stream.read_buf(&mut request).await.unwrap() == 0 {
            return;
        }
    }
    let text = String::from_utf8_lossy(&request);
    let words: Vec<&str> = text.split([' ', '?']).take(2).collect();
    seen.lock().unwrap().push(words.join(" "));
    let (status, body, length) = match step {
        Some(Step::HangUp) => return,
        Some(Step::Half) => (200, "{\"number\"".to_owned(), 100),
        Some(Step::Say(status, body)) => (status, body.to_string(), body.to_string().len()),
        None => (418, String::new(), 0),
    };
    let answer = format!("HTTP/1.1 {status} X\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{body}");
    stream.write_all(answer.as_bytes()).await.unwrap();
}

fn is_whole(request: &[u8]) -> bool {
    let text = String::from_utf8_lossy(request);
    let Some((head, body)) = text.split_once("\r\n\r\n") else { return false };
    let length = head.lines().find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length: ")?.parse().ok());
    body.len() >= length.unwrap_or(0)
}

fn own_branch() -> OwnBranch {
    OwnBranch::new("unbreak/test-1a2b").unwrap()
}

fn sha(digit: char) -> CommitSha {
    CommitSha::new(&digit.to_string().repeat(40)).unwrap()
}

fn new_pull() -> NewPull {
    NewPull {
        title: "Fix \"it\"".to_owned(),
        body: "Why".to_owned(),
        head: own_branch(),
        base: BranchName::new("main").unwrap(),
        draft: true,
    }
}

fn pull(title: &str) -> Value {
    json!({
        "number": 5, "state": "open", "html_url": "https://example.org/5", "title": title,
        "head": { "ref": "unbreak/test-1a2b", "sha": sha('b').as_str(), "repo": { "full_name": "octo/hello" } },
        "base": { "ref": "main", "sha": sha('a').as_str(), "repo": { "full_name": "octo/hello" } },
    })
}

fn remote_commit() -> RemoteCommit {
    RemoteCommit {
        branch: own_branch(),
        expected_head: sha('a'),
        headline: "fix: \"}) { evil }".to_owned(),
        body: "Because.".to_owned(),
        additions: vec![(RepoPath::new("src/a.rs").unwrap(), b"fn a() {}".to_vec())],
        deletions: vec![RepoPath::new("b").unwrap()],
    }
}
