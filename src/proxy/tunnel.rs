//! One connection through the proxy, from its request to its last byte.

use std::io;
use std::net::SocketAddr;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpStream, UnixStream};
use tokio::time::timeout;

use super::request::{self, Request};
use super::{Refusal, Shared, Visit, left};

/// Serves one client to its end, and notes in `visit` what came of it.
pub(super) async fn serve(mut client: UnixStream, shared: &Shared, visit: &mut Visit) {
    let begin = Instant::now();
    let caps = &shared.caps;
    let request = match timeout(caps.connecting, request::read(&mut client)).await {
        Ok(Ok(request)) => request,
        Ok(Err(status)) => return refuse(client, visit, status, "only CONNECT is served").await,
        Err(_) => return refuse(client, visit, "408 Request Timeout", "no request came").await,
    };
    visit.target = format!("{}:{}", request.host, request.port);
    let server = match timeout(left(begin, caps.connecting), connect(&request, shared)).await {
        Ok(Ok(server)) => server,
        Ok(Err((status, reason))) => return refuse(client, visit, status, &reason).await,
        Err(_) => return refuse(client, visit, "504 Gateway Timeout", "it did not answer in time").await,
    };
    let carried = carry(client, server, &request.ahead, (shared, &visit.moved));
    visit.outcome = match timeout(left(begin, caps.lasting), carried).await {
        Ok(Ok(())) => "allowed".to_owned(),
        Ok(Err(error)) => format!("allowed, then: {error}"),
        Err(_) => "allowed, then: it lasted too long".to_owned(),
    };
}

async fn connect(request: &Request, shared: &Shared) -> Result<TcpStream, (&'static str, String)> {
    let forbidden = |refusal: Refusal| {
        let reason = refusal.to_string();
        shared.refused.lock().unwrap_or_else(PoisonError::into_inner).insert(refusal);
        ("403 Forbidden", reason)
    };
    let unreachable = |error: io::Error| ("502 Bad Gateway", error.to_string());
    shared.rules.check_name(&request.host, request.port).map_err(forbidden)?;
    let found = tokio::net::lookup_host((request.host.as_str(), request.port)).await.map_err(unreachable)?;
    let addresses: Vec<SocketAddr> = found.collect();
    for address in &addresses {
        shared.rules.check_address(&request.host, address.ip()).map_err(forbidden)?;
    }
    // The very addresses that were checked: a second look-up could answer otherwise.
    TcpStream::connect(&addresses[..]).await.map_err(unreachable)
}

async fn refuse(mut client: UnixStream, visit: &mut Visit, status: &str, reason: &str) {
    visit.outcome = format!("refused: {reason}");
    let body = format!("unbreak: {reason}\n");
    let length = body.len();
    let answer = format!(
        "HTTP/1.1 {status}\r\nX-Unbreak-Refused: {}\r\nContent-Type: text/plain\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}",
        reason.replace(|c: char| c.is_control() || !c.is_ascii(), " ")
    );
    // A client that is gone needs no answer.
    let _gone = client.write_all(answer.as_bytes()).await;
}

async fn carry(client: UnixStream, server: TcpStream, ahead: &[u8], count: (&Shared, &AtomicU64)) -> io::Result<()> {
    let (client_reads, mut client_writes) = client.into_split();
    let (server_reads, mut server_writes) = server.into_split();
    client_writes.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").await?;
    let up = async {
        note(ahead.len(), count)?;
        server_writes.write_all(ahead).await?;
        pump(client_reads, &mut server_writes, count).await
    };
    let down = pump(server_reads, &mut client_writes, count);
    tokio::try_join!(up, down).map(drop)
}

/// Copies to the end of one direction.
async fn pump(
    mut from: impl AsyncRead + Unpin,
    to: &mut (impl AsyncWrite + Unpin),
    count: (&Shared, &AtomicU64),
) -> io::Result<()> {
    let mut chunk = vec![0_u8; 32 << 10];
    loop {
        let length = from.read(&mut chunk).await?;
        if length == 0 {
            return to.shutdown().await;
        }
        note(length, count)?;
        to.write_all(&chunk[..length]).await?;
    }
}

/// Counts bytes for the record, and against the cap of all connections together.
fn note(length: usize, (shared, moved): (&Shared, &AtomicU64)) -> io::Result<()> {
    moved.fetch_add(length as u64, Ordering::Relaxed);
    if shared.bytes.fetch_add(length as u64, Ordering::Relaxed) + length as u64 > shared.caps.bytes {
        return Err(io::Error::other("more bytes than this run may move"));
    }
    Ok(())
}
