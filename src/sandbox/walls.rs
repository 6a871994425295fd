//! Which walls stand: every tier is tried whole, by a child that climbs its own walls.

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;
use std::sync::Mutex;

use super::environment;
use super::order::{Caps, Order, Reach, Report, View};
use super::run::{Place, settle, supervised};
use super::{Host, Kernel, Sandbox, Walls, WallsMissing, ownership, toolchains};
use crate::lease;

/// What a probe may use: plenty for a program that does nothing.
const CAPS: Caps = Caps { wall_ms: 20_000, memory: 1 << 30, processes: 256, disk: 1 << 30 };

/// Opens the best sandbox that holds.
pub(super) async fn raise(mut host: Host, kernel: Kernel) -> Result<Sandbox, WallsMissing> {
    let made = std::fs::create_dir_all(mount_point(&host)).and_then(|()| host.scratch.canonicalize());
    host.scratch = made.map_err(|error| missing(&format!("{}: {error}", host.scratch.display()), &host))?;
    lease::sweep(&host.scratch);
    let identity = ownership::choose();
    let mut failures: Vec<String> = Vec::new();
    for (tier, landlock) in [(1, true), (1, false), (2, true)] {
        let wanted = host.tier.is_none_or(|forced| forced == tier);
        if !wanted || (tier == 1 && !kernel.namespaces) || (landlock && !kernel.landlock) {
            continue;
        }
        match probe(&host, (tier, landlock), identity).await {
            Ok(()) => return Ok(sandbox(host, (tier, landlock), identity, failures)),
            Err(reason) => failures.push(format!("tier {tier}: {reason}")),
        }
        // With and without Landlock a tier often fails alike.
        failures.dedup();
    }
    if !kernel.landlock {
        failures.push("tier 2: Landlock is absent".to_owned());
    }
    settle();
    Err(missing(&failures.join("; "), &host))
}

async fn probe(host: &Host, (tier, landlock): (u8, bool), identity: Option<u32>) -> Result<(), String> {
    let place = Place::at(host, identity).map_err(|error| error.to_string())?;
    let reach = if tier == 1 { Reach::Loopback } else { Reach::Nothing };
    let env = environment::build(host, &place.private, (&reach, &|_| false), environment::Own::default());
    let view = View {
        readable: toolchains::readable(host),
        writable: vec![place.private.home.clone(), place.private.temporary.clone()],
        temporary: place.private.temporary.clone(),
        root: mount_point(host),
        home: place.private.home.clone(),
    };
    let argv = vec!["true".to_owned()];
    let cwd = place.private.home.clone();
    let caller = ownership::caller();
    let order = Order { tier, probe: true, landlock, argv, cwd, env, view, reach, identity, caller, caps: CAPS };
    match supervised(host, &order, 4096).await {
        Ok((Report::Exited(0), ..)) => Ok(()),
        Ok((Report::Wall(reason), ..)) => Err(reason),
        Ok((report, _, err)) => {
            Err(format!("a probe ended with {report:?} {}", String::from_utf8_lossy(&err.bytes).trim()))
        }
        Err(error) => Err(error.to_string()),
    }
}

fn sandbox(host: Host, (tier, landlock): (u8, bool), identity: Option<u32>, failures: Vec<String>) -> Sandbox {
    let walls =
        Walls { tier, walls: made_of(tier, landlock, identity), missing: lacking(&host, tier, identity, failures) };
    let given = Mutex::new(BTreeSet::new());
    Sandbox { host, walls, landlock, identity, given, places: Mutex::default() }
}

fn made_of(tier: u8, landlock: bool, identity: Option<u32>) -> BTreeMap<String, String> {
    let behind = if landlock { ", Landlock behind it" } else { "" };
    let one = tier == 1;
    let filesystem = if one { format!("mount namespace over an empty root{behind}") } else { "Landlock".to_owned() };
    let network = if one {
        "network namespace with a loopback of its own".to_owned()
    } else {
        "seccomp refuses internet sockets; Landlock refuses TCP".to_owned()
    };
    let processes = if one { "process namespace with a /proc of its own" } else { "subreaper kills the whole tree" };
    let uid = match identity {
        Some(id) => format!("uid {id} of the run's own, no groups, no capabilities, no new privileges"),
        None if one => "the caller's uid in a user namespace of its own, no capabilities, no new privileges".to_owned(),
        None => "the caller's uid, no new privileges".to_owned(),
    };
    let entries = [
        ("filesystem", filesystem),
        ("network", network),
        ("processes", processes.to_owned()),
        ("uid", uid),
        ("syscalls", "seccomp: no tracing, mounting, namespaces, keys, BPF, io_uring, kernel modules".to_owned()),
        ("memory", "resident memory of the tree, looked at every 40 ms".to_owned()),
    ];
    entries.into_iter().map(|(name, text)| (name.to_owned(), text)).collect()
}

fn lacking(host: &Host, tier: u8, identity: Option<u32>, failures: Vec<String>) -> Vec<String> {
    let mut lacking = failures;
    if tier == 2 {
        lacking.push("loopback and lists of allowed hosts: they need a network namespace".to_owned());
        if identity.is_none() {
            lacking.push(
                "a uid of the run's own: jobs run as the caller; Landlock hides and protects the caller's files, but does \
                 not keep jobs from changing their modes and times; named sockets, which could lead to services that \
                 trust the caller, are refused to all (run as root, and jobs get a uid of their own)"
                    .to_owned(),
            );
        }
    }
    if let (2, Some(id)) = (tier, identity) {
        let hidden = toolchains::path_directories(host).filter(|path| path.is_dir() && !reachable(path));
        let hidden: BTreeSet<String> = hidden.map(|path| path.display().to_string()).collect();
        if !hidden.is_empty() {
            let list = hidden.into_iter().collect::<Vec<_>>().join(", ");
            lacking.push(format!("programs in {list}: uid {id} cannot read them; put toolchains below /usr/local"));
        }
    }
    lacking
}

/// The empty directory that every job builds its own root over, unseen by the others. It is kept: to remove one
/// that was mounted on makes the kernel wait for all its processors.
pub(super) fn mount_point(host: &Host) -> std::path::PathBuf {
    host.scratch.join("root")
}

/// Whether others than the owner can get to `path`.
pub(super) fn reachable(path: &Path) -> bool {
    path.ancestors().all(|part| part.metadata().is_ok_and(|meta| meta.permissions().mode() & 0o001 != 0))
}

fn missing(reason: &str, host: &Host) -> WallsMissing {
    let mut hints = vec![
        "run on Linux 6.2 or newer with Landlock, or where user namespaces are allowed".to_owned(),
        "in a container: `--security-opt seccomp=unconfined --cap-add SYS_ADMIN` allows tier 1".to_owned(),
    ];
    if host.scratch.metadata().is_ok_and(|meta| meta.uid() == 0) && !reachable(&host.scratch) {
        hints.insert(0, format!("{} lies in a private directory: choose another with TMPDIR", host.scratch.display()));
    }
    WallsMissing { reason: reason.to_owned(), hints }
}
