//! The proxy over a real unix socket, with a real server behind it.

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, UnixStream};

use super::*;
use crate::journal;
use crate::policy::HostRule;

struct Echo {
    port: u16,
}

/// A server on loopback that sends back what it gets, then ends.
async fn echo() -> Echo {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((mut peer, _)) = listener.accept().await {
            tokio::spawn(async move {
                let (mut reads, mut writes) = peer.split();
                tokio::io::copy(&mut reads, &mut writes).await
            });
        }
    });
    Echo { port }
}

async fn ask(proxy: &Proxy, target: String, payload: &[u8]) -> String {
    let mut client = UnixStream::connect(proxy.socket()).await.unwrap();
    client.write_all(format!("CONNECT {target} HTTP/1.1\r\n\r\n").as_bytes()).await.unwrap();
    client.write_all(payload).await.unwrap();
    client.shutdown().await.unwrap();
    let mut answer = Vec::new();
    // A connection cut by a cap ends with an error; what came before counts.
    let _cut = client.read_to_end(&mut answer).await;
    String::from_utf8_lossy(&answer).into_owned()
}

async fn through(
    finish: fn(Rules) -> Rules,
    caps: Caps,
    target: impl Fn(u16) -> String,
) -> (String, Vec<(String, String)>) {
    let directory = tempfile::tempdir().unwrap();
    let record = directory.path().join("journal.jsonl");
    let journal = Journal::create(&record, || 0).unwrap();
    let server = echo().await;
    let rules = Rules::new(&[HostRule::Registries], &[("localhost".to_owned(), server.port)]);
    let rules = finish(rules);
    let proxy = Proxy::bind(&directory.path().join("egress.sock"), rules, caps).unwrap();
    let answer = proxy.during(&journal, ask(&proxy, target(server.port), b"hello")).await;
    assert_eq!(proxy.refused().is_empty(), answer.starts_with("HTTP/1.1 200 "));
    drop(proxy);
    let (entries, broken) = journal::read(&std::fs::read_to_string(record).unwrap());
    assert_eq!(broken, None);
    (answer, entries.into_iter().map(|(_, entry)| (entry.action, entry.outcome)).collect())
}

#[tokio::test]
async fn an_allowed_host_is_reached_and_recorded() {
    let (answer, record) =
        through(Rules::with_inner_addresses, Caps::default(), |port| format!("localhost:{port}")).await;
    assert!(answer.starts_with("HTTP/1.1 200 ") && answer.ends_with("hello"), "{answer}");
    assert_eq!(record, [("network".to_owned(), "10 bytes, allowed".to_owned())]);
}

#[tokio::test]
async fn a_host_that_is_not_listed_is_refused_with_the_line_that_would_allow_it() {
    let (answer, record) =
        through(Rules::with_inner_addresses, Caps::default(), |port| format!("127.0.0.1:{port}")).await;
    assert!(answer.starts_with("HTTP/1.1 403 ") && answer.contains("network: {allow: [\"127.0.0.1:"), "{answer}");
    assert!(record[0].1.starts_with("refused: "), "{record:?}");
}

#[tokio::test]
async fn a_listed_name_that_leads_into_this_machine_is_refused() {
    let (answer, _) = through(|rules| rules, Caps::default(), |port| format!("localhost:{port}")).await;
    assert!(answer.starts_with("HTTP/1.1 403 ") && answer.contains("an address of this machine"), "{answer}");
}

#[tokio::test]
async fn the_cap_on_bytes_ends_a_connection() {
    let caps = Caps { bytes: 7, ..Caps::default() };
    let (answer, record) = through(Rules::with_inner_addresses, caps, |port| format!("localhost:{port}")).await;
    assert!(!answer.ends_with("hello"), "{answer}");
    assert!(record[0].1.contains("more bytes than this run may move"), "{record:?}");
}

#[tokio::test]
async fn the_socket_is_the_owners_and_goes_with_the_proxy() {
    let directory = tempfile::tempdir().unwrap();
    let socket = directory.path().join("egress.sock");
    let proxy = Proxy::bind(&socket, Rules::default(), Caps::default()).unwrap();
    assert_eq!(socket.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    drop(proxy);
    assert!(!socket.exists());
}
