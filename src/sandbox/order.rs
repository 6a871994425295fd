//! What the parent tells the helper, and what the helper answers: one line of JSON each way over a socket pair.
//!
//! Nothing travels as an argument: arguments are visible to every process of the machine.

use std::collections::BTreeMap;
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// The longest line that either side reads.
const LONGEST: u64 = 8 << 20;

/// The longest answer of the helper, with room for a path in an error.
pub(super) const LONGEST_ANSWER: usize = 64 << 10;

/// One job, resolved: every path absolute, every choice made.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Order {
    /// 1 or 2.
    pub(super) tier: u8,
    /// Try every wall from inside before the command is executed.
    pub(super) probe: bool,
    /// Whether Landlock is there to be used.
    pub(super) landlock: bool,
    pub(super) argv: Vec<String>,
    pub(super) cwd: PathBuf,
    pub(super) env: BTreeMap<String, String>,
    pub(super) view: View,
    pub(super) reach: Reach,
    /// The uid and gid of the job when the parent is root; otherwise the caller's own are kept.
    pub(super) identity: Option<u32>,
    /// The caller's own uid and gid.
    pub(super) caller: (u32, u32),
    pub(super) caps: Caps,
}

/// The part of the file system that the job sees.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct View {
    /// Read-only: the system, the toolchains, what the caller adds.
    pub(super) readable: Vec<PathBuf>,
    /// Read and write.
    pub(super) writable: Vec<PathBuf>,
    /// What becomes `/tmp` and `/var/tmp` (tier 1), on disk.
    pub(super) temporary: PathBuf,
    /// An empty directory that the new root is built over (tier 1).
    pub(super) root: PathBuf,
    /// The private home, for the user's entry in the password file.
    pub(super) home: PathBuf,
}

/// What sockets may reach.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Reach {
    /// No internet socket can be made at all.
    Nothing,
    /// A loopback interface of the job's own.
    Loopback,
    /// Its own loopback, where a relay leads to this unix socket.
    Proxy(PathBuf),
}

/// Caps in the helper's units.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) struct Caps {
    pub(super) wall_ms: u64,
    pub(super) memory: u64,
    pub(super) processes: u64,
    pub(super) disk: u64,
}

/// What the helper says, in the order that it can say it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Report {
    /// The command ended by itself.
    Exited(i32),
    /// A signal ended it.
    Signalled(i32),
    /// A cap ended it.
    Capped(Cap),
    /// The program is not there.
    NotFound(String),
    /// A wall could not be built: the call and its error.
    Wall(String),
}

/// Which cap ended a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Cap {
    Wall,
    Memory,
    Processes,
    Disk,
}

/// Writes one message.
pub(super) fn send<T: Serialize>(mut socket: &UnixStream, message: &T) -> io::Result<()> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    socket.write_all(&line)
}

/// Reads one message; `None` when the other side is gone.
pub(super) fn receive<T: DeserializeOwned>(socket: &UnixStream) -> io::Result<Option<T>> {
    let mut line = Vec::new();
    BufReader::new(socket.take(LONGEST)).read_until(b'\n', &mut line)?;
    if line.is_empty() {
        return Ok(None);
    }
    Ok(Some(serde_json::from_slice(&line)?))
}

/// Closes our sending side, so that the other side reads an end.
pub(super) fn finish(socket: &UnixStream) {
    // It fails only when the other side is gone already.
    let _gone = socket.shutdown(Shutdown::Write);
}
