//! One job: its private directories, its order to the helper, its output, and its end.

use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use tokio::net::UnixStream;
use tokio::process::{Child, Command};

use super::environment::{self, Own, Private};
use super::order::{Cap, Caps, Order, Reach, Report, View};
use super::{End, Finished, Host, Job, Sandbox, SandboxError, capture, denied, helper, order, toolchains, walls};
use crate::ids::Sha;
use crate::journal::{Entry, Journal, WaitingFor};
use crate::lease::{self, Lease, Purpose};
use crate::policy::Network;

/// How long the helper may take beyond the job's own time, to build walls and to kill.
const GRACE: Duration = Duration::from_secs(30);

/// Runs `job` and records it.
pub(super) async fn job(sandbox: &Sandbox, job: &Job, journal: &Journal) -> Result<Finished, SandboxError> {
    let reach = reach(sandbox, job)?;
    let writable = job.writable.iter().map(|path| existing(path)).collect::<Result<Vec<_>, _>>()?;
    for directory in &writable {
        sandbox.own(directory)?;
    }
    let place = Place::make(sandbox)?;
    let order = order(sandbox, job, &place, (reach, writable))?;
    let begin = Instant::now();
    let result = supervised(&sandbox.host, &order, job.limits.output).await;
    let span = journal.span(WaitingFor::Child, begin);
    let (outcome, hashes) = match &result {
        Ok((report, out, err)) => (words(report), vec![Sha::of(&[&out.bytes[..], &err.bytes[..]].concat())]),
        Err(error) => (error.to_string(), Vec::new()),
    };
    let subject = shlex::try_join(job.argv.iter().map(String::as_str)).unwrap_or_else(|_| job.argv.join(" "));
    let entry = Entry { action: "command".to_owned(), subject, outcome, hashes, span: Some(span), ..Entry::default() };
    journal.record(entry);
    let (report, out, err) = result?;
    let end = end(report, sandbox)?;
    let texts = [String::from_utf8_lossy(&err.bytes), String::from_utf8_lossy(&out.bytes)];
    let denied = if end == End::Code(0) { Vec::new() } else { denied::explain(&texts, &order) };
    let truncated = out.cut || err.cut;
    Ok(Finished { end, stdout: out.bytes, stderr: err.bytes, truncated, elapsed: begin.elapsed(), denied })
}

fn reach(sandbox: &Sandbox, job: &Job) -> Result<Reach, SandboxError> {
    let tier = sandbox.walls.tier;
    match &job.network {
        Network::Deny => Ok(Reach::Nothing),
        Network::Loopback if tier == 1 => Ok(Reach::Loopback),
        Network::Loopback => Err(SandboxError::Wall(
            "`network: loopback` needs a network namespace (tier 1), which this machine does not allow".to_owned(),
        )),
        Network::Allow(_) if tier != 1 => Err(SandboxError::Wall(
            "a list of allowed hosts needs a network namespace (tier 1), which this machine does not allow".to_owned(),
        )),
        Network::Allow(_) => match &job.proxy {
            Some(socket) => Ok(Reach::Proxy(socket.clone())),
            None => Err(SandboxError::Wall("a list of allowed hosts needs the egress proxy".to_owned())),
        },
    }
}

fn order(
    sandbox: &Sandbox,
    job: &Job,
    place: &Place,
    (reach, mut writable): (Reach, Vec<PathBuf>),
) -> Result<Order, SandboxError> {
    let cwd = existing(&job.cwd)?;
    let mut readable = toolchains::readable(&sandbox.host);
    for path in &job.readable {
        readable.push(existing(path)?);
    }
    if !writable.iter().chain(&readable).any(|path| cwd.starts_with(path)) {
        return Err(SandboxError::Wall(format!("{} lies outside of the job's directories", cwd.display())));
    }
    if let Reach::Proxy(socket) = &reach {
        readable.push(socket.clone());
        if let Some(id) = sandbox.identity {
            std::os::unix::fs::lchown(socket, Some(id), Some(id))?;
        }
    }
    writable.extend([place.private.home.clone(), place.private.temporary.clone()]);
    let hidden = |path: &Path| sandbox.walls.tier == 2 && sandbox.identity.is_some() && !walls::reachable(path);
    let env = environment::build(&sandbox.host, &place.private, (&reach, &hidden), Own::of(job));
    let home = env.get("HOME").map_or_else(|| place.private.home.clone(), PathBuf::from);
    let temporary = place.private.temporary.clone();
    Ok(Order {
        tier: sandbox.walls.tier,
        probe: false,
        landlock: sandbox.landlock,
        argv: job.argv.clone(),
        cwd,
        env,
        view: View { readable, writable, temporary, root: super::walls::mount_point(&sandbox.host), home },
        reach,
        identity: sandbox.identity,
        caller: super::ownership::caller(),
        caps: Caps {
            wall_ms: u64::try_from(job.limits.wall.as_millis()).unwrap_or(u64::MAX),
            memory: job.limits.memory,
            processes: job.limits.processes,
            disk: job.limits.disk,
        },
    })
}

fn existing(path: &Path) -> Result<PathBuf, SandboxError> {
    let real = path.canonicalize().map_err(|error| SandboxError::Wall(format!("{}: {error}", path.display())))?;
    if real == Path::new("/") {
        return Err(SandboxError::Wall("the root of the file system cannot be given to a job".to_owned()));
    }
    Ok(real)
}

/// Starts the helper with `order` and stays until it has killed and reported.
pub(super) async fn supervised(
    host: &Host,
    order: &Order,
    limit: usize,
) -> Result<(Report, capture::Captured, capture::Captured), SandboxError> {
    let (ours, theirs) = std::os::unix::net::UnixStream::pair()?;
    let mut child = start(host, theirs)?;
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let running = Running { control: ours, child };
    order::send(&running.control, order)?;
    let answers = running.control.try_clone()?;
    answers.set_nonblocking(true)?;
    let answers = UnixStream::from_std(answers)?;
    let (Some(stdout), Some(stderr)) = (stdout, stderr) else {
        return Err(io::Error::other("the helper has no output").into());
    };
    let everything = async {
        tokio::try_join!(
            capture::drain(answers, order::LONGEST_ANSWER),
            capture::drain(stdout, limit),
            capture::drain(stderr, limit)
        )
    };
    let wall = Duration::from_millis(order.caps.wall_ms).saturating_add(GRACE);
    let (answer, out, err) = tokio::time::timeout(wall, everything)
        .await
        .map_err(|_| SandboxError::Wall("the sandbox helper did not end in time".to_owned()))??;
    if answer.bytes.is_empty() {
        let said = String::from_utf8_lossy(&err.bytes).trim().to_owned();
        return Err(SandboxError::Wall(format!("the sandbox helper ended without an answer: {said}")));
    }
    let report = serde_json::from_slice(&answer.bytes).map_err(io::Error::from)?;
    Ok((report, out, err))
}

#[expect(clippy::disallowed_methods, reason = "this is where the sandbox starts its helper")]
fn start(host: &Host, control: std::os::unix::net::UnixStream) -> io::Result<Child> {
    Command::new(&host.helper)
        .arg(helper::SUPERVISE)
        .env_clear()
        .stdin(Stdio::from(OwnedFd::from(control)))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        // Interrupts from the terminal are ours to act on.
        .process_group(0)
        .spawn()
}

/// A helper at work. Letting go of it ends it, and waits for that.
struct Running {
    control: std::os::unix::net::UnixStream,
    child: Child,
}

impl Drop for Running {
    fn drop(&mut self) {
        const PATIENCE: Duration = Duration::from_secs(10);
        order::finish(&self.control);
        let begin = Instant::now();
        while begin.elapsed() < PATIENCE && matches!(self.child.try_wait(), Ok(None)) {
            std::thread::sleep(Duration::from_micros(200));
        }
    }
}

fn end(report: Report, sandbox: &Sandbox) -> Result<End, SandboxError> {
    Ok(match report {
        Report::Exited(code) => End::Code(code),
        Report::Signalled(signal) => End::Signal(signal),
        Report::Capped(Cap::Wall) => End::Timeout,
        Report::Capped(Cap::Memory) => End::Memory,
        Report::Capped(Cap::Processes) => End::Processes,
        Report::Capped(Cap::Disk) => End::Disk,
        Report::Wall(reason) => return Err(SandboxError::Wall(reason)),
        Report::NotFound(program) => return Err(not_found(program, sandbox)),
    })
}

/// A program that is there for us but not for the dropped uid deserves another answer than one that is nowhere.
fn not_found(program: String, sandbox: &Sandbox) -> SandboxError {
    let lies = toolchains::path_directories(&sandbox.host).map(|path| path.join(&program)).find(|path| path.is_file());
    match (lies, sandbox.identity, sandbox.walls.tier) {
        (Some(path), Some(id), 2) => SandboxError::Wall(format!(
            "`{program}` lies in {}, which the job's uid {id} cannot read; without mount namespaces toolchains must \
             lie outside of private homes, as below /usr/local",
            path.parent().unwrap_or(&path).display()
        )),
        _ => SandboxError::NotFound { program },
    }
}

fn words(report: &Report) -> String {
    match report {
        Report::Exited(code) => format!("exit {code}"),
        Report::Signalled(signal) => format!("signal {signal}"),
        Report::Capped(cap) => match cap {
            Cap::Wall => "timeout",
            Cap::Memory => "memory",
            Cap::Processes => "processes",
            Cap::Disk => "disk",
        }
        .to_owned(),
        Report::NotFound(program) => format!("`{program}` was not found"),
        Report::Wall(reason) => format!("no wall: {reason}"),
    }
}

/// Threads that remove the directories of jobs that ended.
static REMOVERS: Mutex<Vec<JoinHandle<()>>> = Mutex::new(Vec::new());

/// The private directories of one job, removed after it.
pub(super) struct Place {
    lease: Option<Lease>,
    pub(super) private: Private,
}

impl Place {
    pub(super) fn make(sandbox: &Sandbox) -> io::Result<Self> {
        let place = Self::at(&sandbox.host, sandbox.identity)?;
        let path = place.lease.as_ref().map(|lease| lease.path().to_owned());
        sandbox.places.lock().unwrap_or_else(PoisonError::into_inner).extend(path);
        Ok(place)
    }

    pub(super) fn at(host: &Host, identity: Option<u32>) -> io::Result<Self> {
        let lease = Lease::take(&host.scratch, Purpose::Job)?;
        let top = lease.path();
        let private = Private { home: top.join("home"), temporary: top.join("tmp") };
        let place = Self { private, lease: Some(lease) };
        let private = &place.private;
        for directory in [&private.home, &private.temporary] {
            fs::create_dir(directory)?;
        }
        fs::set_permissions(&private.temporary, fs::Permissions::from_mode(0o1777))?;
        let configuration = "[safe]\n\tdirectory = *\n[user]\n\tname = unbreak\n\temail = unbreak@localhost\n[init]\n\tdefaultBranch = main\n";
        fs::write(private.home.join(".gitconfig"), configuration)?;
        if let Some(id) = identity {
            super::ownership::give(&private.home, id, false)?;
            super::ownership::give(&private.temporary, id, false)?;
        }
        Ok(place)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let Some(lease) = self.lease.take() else { return };
        // Where a mount of the job's was, the kernel waits for all its processors before a directory goes: not while
        // the run goes on. The end of the sandbox waits for it. What a thread that cannot start leaves, the sandbox
        // removes then.
        let remover = std::thread::Builder::new().spawn(move || drop(lease::remove(lease.path())));
        let mut removers = REMOVERS.lock().unwrap_or_else(PoisonError::into_inner);
        removers.retain(|remover| !remover.is_finished());
        removers.extend(remover);
    }
}

/// Waits until the directories of the jobs that ended are gone: a process that ends takes its threads with it.
pub(super) fn settle() {
    let removers = std::mem::take(&mut *REMOVERS.lock().unwrap_or_else(PoisonError::into_inner));
    for remover in removers {
        // One that panicked has left its directory to the next run.
        drop(remover.join());
    }
}
