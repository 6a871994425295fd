//! The last, irrevocable steps: limits, uid, privileges, Landlock, system calls.

use nix::sys::prctl;
use nix::sys::resource::{Resource, setrlimit};
use nix::sys::signal::Signal;
use nix::unistd::{Gid, Uid, setgroups, setresgid, setresuid, setsid};

use super::super::order::Order;
use super::{Named as _, landlock, syscalls};

/// The kernel counts for a uid, which parallel jobs share, and a program that may not fork ends in its own way
/// before the supervisor can say why: its bound is the wide one behind the supervisor's exact one.
const WIDER: (u64, u64) = (4, 1024);

/// Confines this process and all that it will start.
pub(super) fn forever(order: &Order) -> Result<(), String> {
    // Fails only for a group leader, which has no terminal of ours to lose.
    let _led = setsid();
    limits(order).named("setrlimit")?;
    if let Some(id) = order.identity {
        setgroups(&[]).named("setgroups")?;
        setresgid(Gid::from_raw(id), Gid::from_raw(id), Gid::from_raw(id)).named("setresgid")?;
        setresuid(Uid::from_raw(id), Uid::from_raw(id), Uid::from_raw(id)).named("setresuid")?;
    }
    prctl::set_dumpable(false).named("prctl(PR_SET_DUMPABLE)")?;
    // After the change of uid, which clears it.
    prctl::set_pdeathsig(Signal::SIGKILL).named("prctl(PR_SET_PDEATHSIG)")?;
    prctl::set_no_new_privs().named("prctl(PR_SET_NO_NEW_PRIVS)")?;
    if order.landlock {
        landlock::restrict(order)?;
    }
    syscalls::restrict(order)
}

fn limits(order: &Order) -> nix::Result<()> {
    let processes = order.caps.processes.saturating_mul(WIDER.0).saturating_add(WIDER.1);
    setrlimit(Resource::RLIMIT_CORE, 0, 0)?;
    setrlimit(Resource::RLIMIT_FSIZE, order.caps.disk, order.caps.disk)?;
    // Counted for the uid in its user namespace: only where that is the job's own does the count mean the job.
    if order.identity.is_some() || order.tier == 1 {
        setrlimit(Resource::RLIMIT_NPROC, processes, processes)?;
    }
    Ok(())
}
