//! The egress proxy: the only way out of a sandbox that may reach some hosts, and the record of its use.
//!
//! It listens on a unix socket outside of the walls, where a relay inside of them leads. It speaks `CONNECT` and
//! nothing else, so it sees names and ports, never content. A client that is let through to a host can still name
//! another one inside of its encryption; what it reaches is the allowed host's address all the same.

mod request;
mod rules;
mod tunnel;

use std::collections::BTreeSet;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::net::UnixListener;
use tokio::sync::{Semaphore, mpsc};
use tokio::task::JoinSet;

use crate::journal::{Entry, Journal};

pub use rules::{Refusal, Rules};

const LAST_WORDS: Duration = Duration::from_millis(100);

/// Caps on what passes through a proxy in its life.
#[derive(Debug, Clone, Copy)]
pub struct Caps {
    /// Connections at one time; more wait.
    pub at_once: usize,
    /// Connections in all.
    pub connections: u64,
    /// Bytes in both directions, in all.
    pub bytes: u64,
    /// How long one connection may last.
    pub lasting: Duration,
    /// How long resolving and connecting may take.
    pub connecting: Duration,
}

impl Default for Caps {
    fn default() -> Self {
        Self {
            at_once: 64,
            connections: 10_000,
            bytes: 4 << 30,
            lasting: Duration::from_mins(10),
            connecting: Duration::from_secs(20),
        }
    }
}

/// A proxy that waits for connections while the work that needs it goes on.
#[derive(Debug)]
pub struct Proxy {
    listener: UnixListener,
    socket: PathBuf,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    rules: Rules,
    caps: Caps,
    bytes: AtomicU64,
    refused: Mutex<BTreeSet<Refusal>>,
}

/// One connection that was asked for; it reports itself when it is over, even when it is cut off.
#[derive(Debug)]
struct Visit {
    target: String,
    outcome: String,
    moved: AtomicU64,
    report: mpsc::UnboundedSender<Entry>,
}

impl Visit {
    fn new(report: mpsc::UnboundedSender<Entry>) -> Self {
        let moved = AtomicU64::new(0);
        Self { target: "?".to_owned(), outcome: "ended with its job".to_owned(), moved, report }
    }
}

impl Drop for Visit {
    fn drop(&mut self) {
        let (subject, mut outcome) = (std::mem::take(&mut self.target), std::mem::take(&mut self.outcome));
        let bytes = self.moved.load(Ordering::Relaxed);
        if bytes > 0 {
            outcome = format!("{bytes} bytes, {outcome}");
        }
        let entry = Entry { action: "network".to_owned(), subject, outcome, ..Entry::default() };
        // The receiver is gone only when nobody records any longer.
        let _unrecorded = self.report.send(entry);
    }
}

impl Proxy {
    /// Listens on a new socket, `socket`, which only its owner may use. The sandbox gives it to its job's uid.
    /// Call it on a runtime.
    ///
    /// # Errors
    /// When the socket cannot be made: it exists, its directory does not, or its path is longer than 107 bytes.
    pub fn bind(socket: &Path, rules: Rules, caps: Caps) -> io::Result<Self> {
        let listener = UnixListener::bind(socket)?;
        std::fs::set_permissions(socket, std::fs::Permissions::from_mode(0o600))?;
        let shared = Arc::new(Shared { rules, caps, bytes: AtomicU64::new(0), refused: Mutex::default() });
        Ok(Self { listener, socket: socket.to_path_buf(), shared })
    }

    /// The socket, for the job of a sandbox.
    #[must_use]
    pub fn socket(&self) -> &Path {
        &self.socket
    }

    /// What was refused so far, sorted: it says more than the client's own message does.
    #[must_use]
    pub fn refused(&self) -> Vec<Refusal> {
        self.shared.refused.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }

    /// Serves connections for as long as `work` goes on, and records each. What is still open then is closed.
    pub async fn during<T>(&self, journal: &Journal, work: impl Future<Output = T>) -> T {
        let (report, mut visits) = mpsc::unbounded_channel();
        let permits = Arc::new(Semaphore::new(self.shared.caps.at_once));
        let mut open = JoinSet::new();
        let mut count = 0;
        let mut work = std::pin::pin!(work);
        let done = loop {
            tokio::select! {
                done = &mut work => break done,
                Some(visit) = visits.recv() => journal.record(visit),
                Some(_) = open.join_next() => {}
                accepted = self.listener.accept() => {
                    let Ok((client, _)) = accepted else {
                        // Out of descriptors: give others the time to close some.
                        tokio::time::sleep(Duration::from_millis(20)).await;
                        continue;
                    };
                    count += 1;
                    let mut visit = Visit::new(report.clone());
                    if count > self.shared.caps.connections {
                        "refused: too many connections".clone_into(&mut visit.outcome);
                        continue;
                    }
                    let (shared, permits) = (Arc::clone(&self.shared), Arc::clone(&permits));
                    open.spawn(async move {
                        let Ok(_permit) = permits.acquire().await else { return };
                        tunnel::serve(client, &shared, &mut visit).await;
                    });
                }
            }
        };
        // Who is done notices the end of its client within this; the others are cut off.
        let _cut = tokio::time::timeout(LAST_WORDS, async { while open.join_next().await.is_some() {} }).await;
        open.shutdown().await;
        drop(report);
        while let Some(visit) = visits.recv().await {
            journal.record(visit);
        }
        done
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        // Its directory may be gone already.
        let _gone = std::fs::remove_file(&self.socket);
    }
}

/// What is left of a time.
fn left(begin: Instant, time: Duration) -> Duration {
    time.saturating_sub(begin.elapsed())
}

#[cfg(test)]
mod tests;
