//! The stages that end in the command: pid 1 of tier 1, and the one of tier 2 that becomes the command.

use std::io;
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Command, Stdio};

use nix::sched::{CloneFlags, unshare};
use nix::sys::wait::{WaitStatus, wait};
use nix::unistd::chdir;

use super::super::order::{Order, Reach, Report};
use super::{Named as _, confine, find_program, loopback, mounts, probe, relay};

/// Tier 1: builds the namespaces' insides, confines itself, and runs the command as its child until that ends.
pub(super) fn run(_control: &UnixStream, order: &Order) -> Report {
    match prepare(order).and_then(|()| relay_if_wanted(order)) {
        Ok(()) => start(order),
        Err(wall) => Report::Wall(wall),
    }
}

fn prepare(order: &Order) -> Result<(), String> {
    let own = CloneFlags::CLONE_NEWNS | CloneFlags::CLONE_NEWNET | CloneFlags::CLONE_NEWIPC | CloneFlags::CLONE_NEWUTS;
    unshare(own).named("unshare(mount, net, ipc, uts)")?;
    nix::unistd::sethostname("sandbox").named("sethostname")?;
    if order.reach != Reach::Nothing {
        loopback::up()?;
    }
    mounts::enter(order)?;
    if order.identity.is_none() {
        // A second user namespace gives the caller's uid back and takes all rights over the first one's mounts.
        unshare(CloneFlags::CLONE_NEWUSER).named("unshare(user)")?;
        super::map_ids((order.caller.0, 0), (order.caller.1, 0))?;
    }
    confine(order)
}

fn confine(order: &Order) -> Result<(), String> {
    confine::forever(order)?;
    if order.probe {
        probe::climb(order)?;
    }
    chdir(&order.cwd).named(&format!("chdir({})", order.cwd.display()))
}

fn relay_if_wanted(order: &Order) -> Result<(), String> {
    match &order.reach {
        Reach::Proxy(socket) => relay::serve(socket.clone()),
        _ => Ok(()),
    }
}

fn start(order: &Order) -> Report {
    let mut command = match command(order) {
        Ok(command) => command,
        Err(report) => return report,
    };
    let child = match command.spawn() {
        Ok(child) => child.id(),
        Err(error) => return failed(order, &error),
    };
    reap_until(child)
}

/// Reaps whatever ends, orphans too, until the command itself does.
fn reap_until(command: u32) -> Report {
    loop {
        match wait() {
            Ok(WaitStatus::Exited(pid, code)) if pid.as_raw().unsigned_abs() == command => return Report::Exited(code),
            Ok(WaitStatus::Signaled(pid, signal, _)) if pid.as_raw().unsigned_abs() == command => {
                return Report::Signalled(signal as i32);
            }
            Ok(_) | Err(nix::errno::Errno::EINTR) => {}
            Err(error) => return Report::Wall(format!("wait: {error}")),
        }
    }
}

/// Tier 2: confines itself and becomes the command; returns only on failure.
pub(super) fn become_command(_control: &UnixStream, order: &Order) -> Report {
    if let Err(wall) = confine(order) {
        return Report::Wall(wall);
    }
    match command(order) {
        Ok(mut command) => failed(order, &command.exec()),
        Err(report) => report,
    }
}

#[expect(clippy::disallowed_methods, reason = "this is where the sandbox starts its command")]
fn command(order: &Order) -> Result<Command, Report> {
    let Some((name, arguments)) = order.argv.split_first() else {
        return Err(Report::Wall("the command has no words".to_owned()));
    };
    let program = find_program(name, order).ok_or_else(|| Report::NotFound(name.clone()))?;
    let mut command = Command::new(program);
    command.arg0(name).args(arguments).env_clear().envs(&order.env).stdin(Stdio::null());
    Ok(command)
}

fn failed(order: &Order, error: &io::Error) -> Report {
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied => {
            Report::NotFound(order.argv.first().cloned().unwrap_or_default())
        }
        _ => Report::Wall(format!("exec: {error}")),
    }
}

/// How a status of a child reads as a report.
pub(super) fn report(status: std::process::ExitStatus) -> Report {
    status.code().map_or_else(|| Report::Signalled(status.signal().unwrap_or(0)), Report::Exited)
}
