//! The supervisor: outside of the walls, it watches the caps and kills the whole tree at the end.
//!
//! It ends the tree when the command ends, when a cap is passed, and when its parent is gone or lets go of the
//! control socket: that is how a dropped future or a killed parent ends everything.

use std::os::fd::{AsFd as _, AsRawFd as _, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sched::{CloneFlags, unshare};
use nix::sys::prctl::{set_child_subreaper, set_dumpable};
use nix::sys::signal::{SigSet, Signal};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;

use super::super::order::{self, Cap, Order, Report};
use super::{BECOME, INIT, Named as _, close_inherited, disk, init, tree};

/// How often memory and processes are looked at.
const TICK: Duration = Duration::from_millis(40);
/// How often the disk is.
const DISK_TICK: Duration = Duration::from_millis(200);

/// Runs the job of `order`, and reports how it ended once nothing of it is left.
pub(super) fn run(control: &UnixStream, order: &Order) -> Report {
    match start(control, order) {
        Ok(mut watch) => {
            let report = watch.until_the_end();
            match watch.kill_everything() {
                Ok(()) => report.unwrap_or_else(|| watch.what_the_child_says()),
                Err(left) => Report::Wall(left),
            }
        }
        Err(wall) => Report::Wall(wall),
    }
}

struct Watch<'a> {
    order: &'a Order,
    control: &'a UnixStream,
    child: Child,
    answers: UnixStream,
    signals: SignalFd,
    ended: Option<ExitStatus>,
}

#[expect(clippy::disallowed_methods, reason = "this is where the sandbox starts its next stage")]
fn start<'a>(control: &'a UnixStream, order: &'a Order) -> Result<Watch<'a>, String> {
    close_inherited(&[control.as_raw_fd()]).named("closing inherited files")?;
    let mut ends = SigSet::empty();
    ends.add(Signal::SIGCHLD);
    ends.thread_block().named("sigprocmask")?;
    let signals = SignalFd::with_flags(&ends, SfdFlags::SFD_CLOEXEC | SfdFlags::SFD_NONBLOCK).named("signalfd")?;
    let stage = if order.tier == 1 {
        namespaces(order)?;
        INIT
    } else {
        set_child_subreaper(true).named("prctl(PR_SET_CHILD_SUBREAPER)")?;
        BECOME
    };
    let (answers, theirs) = UnixStream::pair().named("socketpair")?;
    let child = Command::new("/proc/self/exe")
        .arg(stage)
        .env_clear()
        .stdin(Stdio::from(OwnedFd::from(theirs)))
        .spawn()
        .named("starting the next stage")?;
    // From here on the job's uid may be ours (when we are not root): nothing of ours is for it to read.
    set_dumpable(false).named("prctl(PR_SET_DUMPABLE)")?;
    order::send(&answers, order).named("handing on the job")?;
    Ok(Watch { order, control, child, answers, signals, ended: None })
}

/// A process namespace for the next stage to be born into; without root, a user namespace that allows it.
fn namespaces(order: &Order) -> Result<(), String> {
    if order.identity.is_some() {
        return unshare(CloneFlags::CLONE_NEWPID).named("unshare(pid)");
    }
    unshare(CloneFlags::CLONE_NEWUSER | CloneFlags::CLONE_NEWPID).named("unshare(user, pid)")?;
    // Root inside: anybody else would lose the right to mount when the next stage is executed.
    super::map_ids((0, order.caller.0), (0, order.caller.1))
}

impl Watch<'_> {
    /// Waits for the first of: the child's end, a cap, the parent's leave. `None`: the child has the answer.
    fn until_the_end(&mut self) -> Option<Report> {
        let begin = Instant::now();
        let deadline = Duration::from_millis(self.order.caps.wall_ms);
        let disk = disk::Gauge::new(&self.order.view, self.order.caps.disk);
        let (mut next_look, mut next_disk) = (begin + TICK / 4, begin + DISK_TICK);
        loop {
            let now = Instant::now();
            let until = next_look.min(begin + deadline).saturating_duration_since(now);
            if self.parent_left(until) {
                return Some(Report::Signalled(Signal::SIGKILL as i32));
            }
            self.reap();
            if self.ended.is_some() {
                return None;
            }
            let now = Instant::now();
            if now >= begin + deadline {
                return Some(Report::Capped(Cap::Wall));
            }
            if now >= next_look {
                next_look = now + TICK;
                if let Some(cap) = self.over() {
                    return Some(Report::Capped(cap));
                }
            }
            if now >= next_disk {
                next_disk = now + DISK_TICK;
                if disk.over(self.root_of_tree()) {
                    return Some(Report::Capped(Cap::Disk));
                }
            }
        }
    }

    /// Sleeps until a child ends, the parent lets go, or the time is over; whether the parent let go.
    fn parent_left(&self, time: Duration) -> bool {
        // Rounded up: a wait of zero would turn.
        let millis = u16::try_from(time.as_millis().saturating_add(1)).unwrap_or(u16::MAX);
        let mut ready = [
            PollFd::new(self.control.as_fd(), PollFlags::POLLIN),
            PollFd::new(self.signals.as_fd(), PollFlags::POLLIN),
        ];
        match poll(&mut ready, PollTimeout::from(millis)) {
            Ok(_) | Err(Errno::EINTR) => ready[0].any().unwrap_or(false),
            Err(_) => true,
        }
    }

    fn reap(&mut self) {
        while let Ok(Some(_)) = self.signals.read_signal() {}
        loop {
            match waitpid(None::<Pid>, Some(WaitPidFlag::WNOHANG)) {
                Ok(WaitStatus::Exited(pid, code)) => self.note(pid, ExitStatus::from_raw((code & 0xff) << 8)),
                Ok(WaitStatus::Signaled(pid, signal, _)) => self.note(pid, ExitStatus::from_raw(signal as i32)),
                Ok(WaitStatus::StillAlive) | Err(_) => return,
                Ok(_) => {}
            }
        }
    }

    fn note(&mut self, pid: Pid, status: ExitStatus) {
        if pid == self.root() {
            self.ended = Some(status);
        }
    }

    fn root(&self) -> Pid {
        Pid::from_raw(self.child.id().cast_signed())
    }

    fn over(&self) -> Option<Cap> {
        let caps = &self.order.caps;
        let usage = tree::usage(self.root_of_tree(), caps.memory);
        if usage.memory > caps.memory {
            return Some(Cap::Memory);
        }
        (usage.threads > caps.processes).then_some(Cap::Processes)
    }

    /// In tier 2 orphans become our own children.
    fn root_of_tree(&self) -> Pid {
        if self.order.tier == 1 { self.root() } else { Pid::this() }
    }

    /// Kills until nothing is left. In tier 1 the end of pid 1 is the end of all, by the kernel.
    fn kill_everything(&mut self) -> Result<(), String> {
        if self.order.tier == 1 {
            if self.ended.is_none() {
                // It can have ended by itself in between.
                let _ended = nix::sys::signal::kill(self.root(), Signal::SIGKILL);
                while self.ended.is_none() && waitpid(self.root(), None) == Err(Errno::EINTR) {}
            }
            return Ok(());
        }
        tree::kill_descendants()
    }

    fn what_the_child_says(&self) -> Report {
        let status = self.ended.map_or(Report::Signalled(Signal::SIGKILL as i32), init::report);
        match order::receive::<Report>(&self.answers) {
            Ok(Some(report)) => report,
            // Tier 2's child became the command and said nothing; tier 1's was killed.
            Ok(None) | Err(_) => status,
        }
    }
}
