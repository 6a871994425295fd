//! Runs repository code behind walls that the kernel keeps, or refuses.
//!
//! Two tiers. 1: user (without root), process, mount, network and IPC namespaces, with Landlock and a system call
//! filter behind them. 2, where containers forbid namespaces: Landlock, the filter (which then refuses internet
//! sockets), and a uid of the run's own. Less than that is refused. Every tier is tried whole, by a child that
//! climbs its own walls, before it is said to stand.

mod capture;
mod denied;
mod environment;
mod helper;
mod order;
mod ownership;
mod run;
mod toolchains;
mod walls;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde::Serialize;

pub use crate::evidence::Walls;
use crate::journal::Journal;
use crate::lease;
use crate::policy::Network;

pub use helper::dispatch;

/// Where, inside its network namespace, a job finds the egress proxy.
const PROXY_PORT: u16 = 3128;

/// What the sandbox needs to know of the machine; every value is the shell's to give.
#[derive(Debug, Clone)]
pub struct Host {
    /// Our own binary, which confines itself and then executes the command.
    pub helper: PathBuf,
    /// The caller's environment, whole: an allow-list picks from it.
    pub env: BTreeMap<String, String>,
    /// The caller's home, which is hidden but for its toolchains.
    pub home: PathBuf,
    /// Where private homes, caches and temporary directories may be made.
    pub scratch: PathBuf,
    /// The tier to force, for tests and for the policy: 1 or 2.
    pub tier: Option<u8>,
}

/// The walls that must stand cannot: exit 6.
#[derive(Debug, thiserror::Error)]
#[error("the walls that repository code must run behind cannot be built here: {reason}")]
pub struct WallsMissing {
    /// What failed, with the call and its error.
    pub reason: String,
    /// The ways out.
    pub hints: Vec<String>,
}

/// A sandbox whose whole chain of walls was tried on this machine.
#[derive(Debug)]
pub struct Sandbox {
    host: Host,
    walls: Walls,
    landlock: bool,
    /// The uid of the jobs, when we are root.
    identity: Option<u32>,
    /// Trees that were made the jobs' own before.
    given: Mutex<BTreeSet<PathBuf>>,
    /// The private directories that were made for jobs.
    places: Mutex<Vec<PathBuf>>,
}

/// What the kernel is taken to offer; tests take some away to see the refusal.
#[derive(Debug, Clone, Copy)]
pub struct Kernel {
    /// Namespaces may be tried.
    pub namespaces: bool,
    /// Landlock may be tried.
    pub landlock: bool,
}

impl Default for Kernel {
    fn default() -> Self {
        Self { namespaces: true, landlock: true }
    }
}

/// One command to run.
#[derive(Debug, Clone)]
pub struct Job {
    /// Its words; no shell reads them.
    pub argv: Vec<String>,
    /// The directory that it runs in, below one of `writable`.
    pub cwd: PathBuf,
    /// Variables over the allow-listed ones.
    pub env: BTreeMap<String, String>,
    /// Directories of programs that come before the caller's search path: a private environment's.
    pub path_first: Vec<PathBuf>,
    /// Directories of programs that come behind it: those that the project's packages bring.
    pub path_last: Vec<PathBuf>,
    /// Directories that it may write.
    pub writable: Vec<PathBuf>,
    /// Directories that it may read, over the system's and the toolchains'.
    pub readable: Vec<PathBuf>,
    /// What it may reach; `Allow` needs `proxy` and tier 1.
    pub network: Network,
    /// The unix socket of the egress proxy that serves this job.
    pub proxy: Option<PathBuf>,
    /// Caps over its whole process tree.
    pub limits: Limits,
}

/// Caps over a whole process tree.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Wall time.
    pub wall: Duration,
    /// Resident memory of all processes, in bytes.
    pub memory: u64,
    /// Processes and threads.
    pub processes: u64,
    /// Growth of the writable directories, in bytes.
    pub disk: u64,
    /// Captured bytes of each of standard output and standard error; the middle of more is cut.
    pub output: usize,
}

/// How a command ended, and what it printed.
#[derive(Debug, Clone)]
pub struct Finished {
    /// How it ended.
    pub end: End,
    /// Standard output.
    pub stdout: Vec<u8>,
    /// Standard error.
    pub stderr: Vec<u8>,
    /// Whether output was cut.
    pub truncated: bool,
    /// How long it ran.
    pub elapsed: Duration,
    /// Accesses that the walls refused as far as the output shows, each with the policy line that would allow it.
    pub denied: Vec<Denied>,
}

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// It exited with this code.
    Code(i32),
    /// A signal ended it.
    Signal(i32),
    /// The wall time was over.
    Timeout,
    /// The tree used too much memory.
    Memory,
    /// The tree had too many processes.
    Processes,
    /// The tree wrote too much.
    Disk,
}

/// One access that the walls refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, serde::Deserialize, schemars::JsonSchema)]
pub struct Denied {
    /// What the command wanted, as far as it shows.
    pub wanted: String,
    /// The policy line that would allow it.
    pub allow_with: String,
}

impl Denied {
    /// Whether it was a permission that was refused, which programs catch, rather than a host that was not reached.
    #[must_use]
    pub fn is_permission(&self) -> bool {
        self.wanted.starts_with("to use ") || self.wanted == denied::SOCKET
    }
}

/// The sandbox itself failed; the command's own failure is a [`Finished`].
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    /// The program of the command was not found behind the walls.
    #[error("`{program}` is not installed, or not reachable behind the walls")]
    NotFound {
        /// The first word of the command.
        program: String,
    },
    /// A wall that stood at the probe could not be built for this job.
    #[error("a wall could not be built: {0}")]
    Wall(String),
    /// The helper could not be started or watched.
    #[error("the sandbox helper failed")]
    Io(#[from] std::io::Error),
}

impl Sandbox {
    /// Tries the whole chain of calls for each tier, best first, and keeps the first that holds.
    ///
    /// # Errors
    /// [`WallsMissing`] when not even tier 2 holds.
    pub async fn open(host: Host) -> Result<Self, WallsMissing> {
        Self::open_on(host, Kernel::default()).await
    }

    /// As [`Sandbox::open`], on a kernel that is taken to offer no more than `kernel`.
    ///
    /// # Errors
    /// [`WallsMissing`] when not even tier 2 holds.
    pub async fn open_on(host: Host, kernel: Kernel) -> Result<Self, WallsMissing> {
        walls::raise(host, kernel).await
    }

    /// The walls that stand.
    #[must_use]
    pub fn walls(&self) -> &Walls {
        &self.walls
    }

    /// Hands a file or a tree that we wrote over to the jobs. [`Sandbox::run`] does so for each writable directory,
    /// but looks into build and dependency directories and `.git` only the first time.
    ///
    /// # Errors
    /// When the owner cannot be changed.
    pub fn give(&self, path: &Path) -> std::io::Result<()> {
        self.identity.map_or(Ok(()), |id| ownership::give(path, id, false))
    }

    /// Runs one job to its end; dropping the future kills the whole tree.
    ///
    /// # Errors
    /// [`SandboxError`]; a command that fails is no error.
    pub async fn run(&self, job: &Job, journal: &Journal) -> Result<Finished, SandboxError> {
        run::job(self, job, journal).await
    }

    /// Makes a writable directory the jobs' own.
    fn own(&self, directory: &Path) -> std::io::Result<()> {
        let Some(id) = self.identity else { return Ok(()) };
        let mut given = self.given.lock().unwrap_or_else(PoisonError::into_inner);
        let again = given.contains(directory) && ownership::is_given(directory, id);
        ownership::give(directory, id, again)?;
        given.insert(directory.to_path_buf());
        Ok(())
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        run::settle();
        let places = self.places.get_mut().unwrap_or_else(PoisonError::into_inner);
        for place in places.iter().filter(|place| place.exists()) {
            // What cannot be removed now is tried again by the next run.
            drop(lease::remove(place));
        }
    }
}

/// Takes from other processes of our uid the right to read our memory and environment, and leaves no core file.
/// The shell calls it before it reads any credential.
///
/// # Errors
/// When the kernel refuses.
pub fn harden_parent() -> std::io::Result<()> {
    nix::sys::resource::setrlimit(nix::sys::resource::Resource::RLIMIT_CORE, 0, 0)?;
    Ok(nix::sys::prctl::set_dumpable(false)?)
}
