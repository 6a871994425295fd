//! A stage: this program again, as a process of its own with an environment of its own.
//!
//! Its standard output is one JSON document, its standard error goes to the log line by line. It leads a process group;
//! when this process is told to end, the stage is told too, so that it ends its own children and removes its scratch
//! repository, and what is left of the group is killed.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid;
use tokio::io::{AsyncBufRead, AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, BufReader};
use tokio::process::{Child, Command};

use super::console::Group;

/// A document over this is no document of ours.
const LARGEST: u64 = 256 << 20;
/// A longer line of the log is broken.
const LONGEST_LINE: usize = 8 << 10;
/// How long a stage that is told to end may take to clean up. A runner gives a cancelled step ten seconds in all.
const CLEANING: Duration = Duration::from_secs(5);
/// How long pipes may stay open once the stage itself has ended.
const DRAINING: Duration = Duration::from_secs(2);

/// One call of a stage.
#[derive(Debug)]
pub(super) struct Call<'a> {
    /// The program.
    pub(super) program: &'a Path,
    /// What the log calls it.
    pub(super) title: &'a str,
    /// Its arguments; no credential is among them.
    pub(super) arguments: Vec<String>,
    /// Its whole environment.
    pub(super) env: BTreeMap<String, String>,
    /// The directory that it starts in.
    pub(super) directory: PathBuf,
}

/// How a stage ended.
#[derive(Debug)]
pub(super) struct Ended {
    /// Its exit code; `None` when a signal ended it.
    pub(super) code: Option<i32>,
    /// What it printed.
    pub(super) document: Vec<u8>,
}

/// Runs a stage to its end. Dropping the future ends it.
///
/// # Errors
/// When it cannot be started, watched or heard.
pub(super) async fn run(call: &Call<'_>) -> io::Result<Ended> {
    #[expect(clippy::disallowed_methods, reason = "the stages of the action are this program itself")]
    let mut command = Command::new(call.program);
    command.args(&call.arguments).env_clear().envs(&call.env).current_dir(&call.directory).process_group(0);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let group = Group::open(call.title)?;
    let ended = watched(command.spawn()?).await;
    group.close()?;
    ended
}

async fn watched(mut child: Child) -> io::Result<Ended> {
    let gone = || io::Error::other("a stage has no pipes");
    let (out, err) = (child.stdout.take().ok_or_else(gone)?, child.stderr.take().ok_or_else(gone)?);
    let mut tree = Tree::of(child);
    let heard = async { tokio::try_join!(collect(out), forward(BufReader::new(err))) };
    tokio::pin!(heard);
    let mut document = None;
    let status = tokio::select! {
        heard = &mut heard => {
            document = Some(heard?.0);
            tree.child.wait().await?
        }
        status = tree.child.wait() => status?,
    };
    // Whoever still holds the pipes open is a leftover of the stage.
    tree.kill();
    let document = match document {
        Some(document) => document,
        None => tokio::time::timeout(DRAINING, heard).await?.map(|(document, ())| document)?,
    };
    Ok(Ended { code: status.code(), document })
}

async fn collect(out: impl AsyncRead + Unpin) -> io::Result<Vec<u8>> {
    let (mut out, mut document) = (out.take(LARGEST + 1), Vec::new());
    out.read_to_end(&mut document).await?;
    if document.len() as u64 > LARGEST { Err(io::Error::other("a stage printed too much")) } else { Ok(document) }
}

/// Lines of a stage into the log, each as soon as it is there.
async fn forward(mut from: impl AsyncBufRead + Unpin) -> io::Result<()> {
    let mut line: Vec<u8> = Vec::new();
    loop {
        let (used, whole) = {
            let bytes = from.fill_buf().await?;
            let room = LONGEST_LINE - line.len();
            let end = bytes.iter().position(|byte| *byte == b'\n');
            let used = end.map_or(bytes.len(), |end| end + 1).min(room);
            line.extend_from_slice(&bytes[..used]);
            (used, end.is_some_and(|end| end < used) || line.len() == LONGEST_LINE || bytes.is_empty())
        };
        from.consume(used);
        if whole && !line.is_empty() {
            Group::line(String::from_utf8_lossy(&line).trim_end_matches(['\n', '\r']))?;
            line.clear();
        }
        if used == 0 {
            return Ok(());
        }
    }
}

/// A stage with whatever it started in its group.
struct Tree {
    child: Child,
    group: Option<Pid>,
}

impl Tree {
    fn of(child: Child) -> Self {
        let group = child.id().and_then(|id| i32::try_from(id).ok()).map(Pid::from_raw);
        Self { child, group }
    }

    /// Ends what is left; the group's number is not looked at again, since it may come to name others.
    fn kill(&mut self) {
        if let Some(group) = self.group.take() {
            // Nobody is left, as a rule.
            let _ = killpg(group, Signal::SIGKILL);
        }
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        if let Some(stage) = self.group {
            let _ = kill(stage, Signal::SIGTERM);
            let begin = Instant::now();
            while matches!(self.child.try_wait(), Ok(None)) && begin.elapsed() < CLEANING {
                std::thread::sleep(Duration::from_millis(10));
            }
        }
        self.kill();
        drop(self.child.start_kill());
    }
}
