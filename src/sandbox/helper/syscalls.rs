//! The system calls that no build and no test needs and that walls have been climbed with: seccomp.

use std::collections::BTreeMap;

use nix::libc;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen as Length, SeccompCmpOp as Compare, SeccompCondition as Condition,
    SeccompFilter, SeccompRule, TargetArch, apply_filter, sock_filter,
};

use super::super::order::{Order, Reach};
use super::Named as _;

/// Newer than the names that the C library knows; numbers from 424 on are the same on every machine.
const QUOTACTL_FD: libc::c_long = 443;
const OPEN_TREE_ATTR: libc::c_long = 467;

/// Refused whatever their arguments.
const REFUSED: &[libc::c_long] = &[
    // other processes' memory and descriptors
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    // kernel surface beyond the filter's sight
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_userfaultfd,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_fanotify_init,
    libc::SYS_lookup_dcookie,
    // the view
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_open_by_handle_at,
    libc::SYS_name_to_handle_at,
    libc::SYS_quotactl,
    QUOTACTL_FD,
    OPEN_TREE_ATTR,
    // keys outlive processes and namespaces
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    // the machine
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    libc::SYS_kexec_file_load,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_acct,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_clock_adjtime,
    libc::SYS_adjtimex,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_syslog,
    libc::SYS_vhangup,
    libc::SYS_nfsservctl,
];

const NAMESPACES: [i32; 8] = [
    libc::CLONE_NEWNS,
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWNET,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWCGROUP,
    0x80, // CLONE_NEWTIME
];

/// Filters this process and all that it will start.
pub(super) fn restrict(order: &Order) -> Result<(), String> {
    if let Some(program) = foreign_numbers() {
        apply_filter(&program).named("seccomp (x32)")?;
    }
    // Its flags lie in memory, where no filter can read them. C libraries fall back to clone.
    let absent = BTreeMap::from([(libc::SYS_clone3, Vec::new())]);
    apply_filter(&compile(absent, libc::ENOSYS)?).named("seccomp (clone3)")?;
    apply_filter(&compile(refused(order)?, libc::EPERM)?).named("seccomp")
}

fn compile(rules: BTreeMap<libc::c_long, Vec<SeccompRule>>, errno: i32) -> Result<BpfProgram, String> {
    let arch = TargetArch::try_from(std::env::consts::ARCH).named("seccomp")?;
    let action = SeccompAction::Errno(errno.unsigned_abs());
    SeccompFilter::new(rules, SeccompAction::Allow, action, arch).and_then(TryInto::try_into).named("seccomp")
}

fn refused(order: &Order) -> Result<BTreeMap<libc::c_long, Vec<SeccompRule>>, String> {
    let mut rules: BTreeMap<_, Vec<SeccompRule>> = REFUSED.iter().map(|call| (*call, Vec::new())).collect();
    let flags = NAMESPACES
        .iter()
        .map(|flag| rule(&[(0, Compare::MaskedEq(u64::from(flag.unsigned_abs())), flag.unsigned_abs())]));
    rules.insert(libc::SYS_clone, flags.collect::<Result<_, _>>()?);
    rules.insert(libc::SYS_socket, families(&order.reach)?);
    if order.tier == 2 && order.identity.is_none() {
        // The caller's groups are kept, and with them, on many machines, the container engine's socket: that is root.
        // No filter can read a socket's name.
        rules.insert(libc::SYS_connect, Vec::new());
    }
    // Pushing keystrokes into a terminal, and making another process's terminal ours.
    let pushes = [libc::TIOCSTI, libc::TIOCLINUX].map(|request| {
        let request = u32::try_from(request).unwrap_or(u32::MAX);
        rule(&[(1, Compare::Eq, request)])
    });
    rules.insert(libc::SYS_ioctl, pushes.into_iter().collect::<Result<_, _>>()?);
    Ok(rules)
}

/// The socket families that are refused: all but the listed ones.
fn families(reach: &Reach) -> Result<Vec<SeccompRule>, String> {
    let unix = (0, Compare::Ne, libc::AF_UNIX.unsigned_abs());
    if *reach == Reach::Nothing {
        return Ok(vec![rule(&[unix])?]);
    }
    let inet = (0, Compare::Ne, libc::AF_INET.unsigned_abs());
    let inet6 = (0, Compare::Ne, libc::AF_INET6.unsigned_abs());
    let netlink = (0, Compare::Ne, libc::AF_NETLINK.unsigned_abs());
    // Listing interfaces (node, Go) asks the routing family; behind this wall it can only show our own loopback.
    let other_netlink =
        [(0, Compare::Eq, libc::AF_NETLINK.unsigned_abs()), (2, Compare::Ne, libc::NETLINK_ROUTE.unsigned_abs())];
    Ok(vec![rule(&[unix, inet, inet6, netlink])?, rule(&other_netlink)?])
}

/// A rule of conditions on 32-bit arguments, all of which must hold.
fn rule(conditions: &[(u8, Compare, u32)]) -> Result<SeccompRule, String> {
    let conditions = conditions
        .iter()
        .map(|(argument, compare, value)| Condition::new(*argument, Length::Dword, compare.clone(), u64::from(*value)))
        .collect::<Result<_, _>>()
        .named("seccomp")?;
    SeccompRule::new(conditions).named("seccomp")
}

/// On x86-64 the same calls have a second set of numbers (x32), which a list of refused numbers would let pass.
fn foreign_numbers() -> Option<BpfProgram> {
    const LOAD: u16 = 0x20; // BPF_LD | BPF_W | BPF_ABS: the call's number is the first word
    const AT_LEAST: u16 = 0x35; // BPF_JMP | BPF_JGE | BPF_K
    const RETURN: u16 = 0x06; // BPF_RET | BPF_K
    const X32: u32 = 0x4000_0000;
    let step = |code, jt, k| sock_filter { code, jt, jf: 0, k };
    let refuse = libc::SECCOMP_RET_ERRNO | libc::ENOSYS.unsigned_abs();
    cfg!(target_arch = "x86_64").then(|| {
        vec![
            step(LOAD, 0, 0),
            step(AT_LEAST, 1, X32),
            step(RETURN, 0, libc::SECCOMP_RET_ALLOW),
            step(RETURN, 0, refuse),
        ]
    })
}
