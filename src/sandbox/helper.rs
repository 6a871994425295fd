//! The helper: our own binary, executed again, which builds the walls and then starts the command.
//!
//! Three stages, each its own process image, because a program that forbids `unsafe` cannot fork: it can only
//! execute. The *supervisor* watches and kills; it makes the user and process namespaces that its child is born
//! into. Its child, *init* in tier 1, builds the view of the file system and the network, confines itself for
//! good and starts the command as its child; in tier 2 the child confines itself and becomes the command.

mod confine;
mod disk;
mod init;
mod landlock;
mod loopback;
mod mounts;
mod probe;
mod relay;
mod supervise;
mod syscalls;
mod tree;

use std::ffi::OsStr;
use std::io;
use std::os::fd::AsFd as _;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::order::{self, Order, Report};

/// The hidden first argument that starts the supervisor.
pub(super) const SUPERVISE: &str = "__sandbox-supervise";
const INIT: &str = "__sandbox-init";
const BECOME: &str = "__sandbox-become";
/// Exit code of a stage that could not even report.
const BROKEN: u8 = 125;

/// Runs a stage of the helper if `argument` names one. Call it first thing in `main`, before any thread exists:
/// a user namespace cannot be made by a process that has more than one.
#[must_use]
pub fn dispatch(argument: Option<&OsStr>) -> Option<ExitCode> {
    let stage: fn(&UnixStream, &Order) -> Report = match argument?.to_str()? {
        SUPERVISE => supervise::run,
        INIT => init::run,
        BECOME => init::become_command,
        _ => return None,
    };
    Some(play(stage))
}

fn play(stage: fn(&UnixStream, &Order) -> Report) -> ExitCode {
    let Ok(control) = control() else { return ExitCode::from(BROKEN) };
    let report = match order::receive::<Order>(&control) {
        Ok(Some(order)) => stage(&control, &order),
        Ok(None) => return ExitCode::from(BROKEN),
        Err(error) => Report::Wall(format!("reading the job: {error}")),
    };
    match order::send(&control, &report) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::from(BROKEN),
    }
}

/// The socket to the stage before, which is our standard input.
fn control() -> io::Result<UnixStream> {
    Ok(UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?))
}

/// Closes what leaked into us from the caller's caller: it would leak on into the command.
fn close_inherited(keep: &[i32]) -> io::Result<()> {
    let open: Vec<i32> = std::fs::read_dir("/proc/self/fd")?
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter(|fd| *fd > 2 && !keep.contains(fd))
        .collect();
    for fd in open {
        // The descriptor of the listing itself is closed by now: an error here says nothing.
        let _closed = nix::unistd::close(fd);
    }
    Ok(())
}

/// Gives the one uid and the one gid of a new user namespace: (inside, outside) of each.
fn map_ids(uid: (u32, u32), gid: (u32, u32)) -> Result<(), String> {
    std::fs::write("/proc/self/setgroups", "deny").named("writing setgroups")?;
    std::fs::write("/proc/self/uid_map", format!("{} {} 1", uid.0, uid.1)).named("writing uid_map")?;
    std::fs::write("/proc/self/gid_map", format!("{} {} 1", gid.0, gid.1)).named("writing gid_map")
}

/// The file that `program` means, by the rules of execvp, in the view of the caller of this function.
fn find_program(program: &str, order: &Order) -> Option<PathBuf> {
    let executable = |path: &Path| {
        use std::os::unix::fs::PermissionsExt as _;
        path.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
    };
    if program.contains('/') {
        let path = order.cwd.join(program);
        return executable(&path).then_some(path);
    }
    let path = order.env.get("PATH")?;
    path.split(':')
        .filter(|part| !part.is_empty())
        .map(|part| Path::new(part).join(program))
        .find(|path| executable(path))
}

/// Names a call in its error.
trait Named<T> {
    fn named(self, call: &str) -> Result<T, String>;
}

impl<T, E: std::fmt::Display> Named<T> for Result<T, E> {
    fn named(self, call: &str) -> Result<T, String> {
        self.map_err(|error| format!("{call}: {error}"))
    }
}
