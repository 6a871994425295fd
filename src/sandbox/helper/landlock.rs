//! The file system wall of tier 2, and the second one of tier 1: Landlock.

use landlock::{
    ABI, Access as _, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible as _, PathBeneath, PathFd, Ruleset,
    RulesetAttr as _, RulesetCreated, RulesetCreatedAttr as _, RulesetStatus, Scope,
};

use super::super::order::{Order, Reach};
use super::Named as _;

/// Without truncation among the handled rights (ABI 3) a read-only file could be emptied.
const FLOOR: ABI = ABI::V3;
/// The newest rights that this code knows the meaning of.
const KNOWN: ABI = ABI::V7;
/// Devices that a program may write.
const DEVICES: [&str; 7] = ["/dev/null", "/dev/zero", "/dev/full", "/dev/tty", "/dev/ptmx", "/dev/pts", "/dev/shm"];

/// Restricts this process to the view of the order.
pub(super) fn restrict(order: &Order) -> Result<(), String> {
    let mut rules = handled(order)?.create().named("landlock_create_ruleset")?;
    let everything = AccessFs::from_all(KNOWN);
    let reading = AccessFs::from_read(KNOWN);
    if order.tier == 1 {
        // The mounts are the view; what is not in it does not exist.
        rules = allow(rules, "/", reading)?;
        for path in ["/tmp", "/var/tmp"] {
            rules = allow(rules, path, everything)?;
        }
    } else {
        for path in &order.view.readable {
            rules = allow(rules, path, reading)?;
        }
        rules = allow(rules, "/proc", reading)?;
        rules = allow(rules, "/dev", AccessFs::ReadDir.into())?;
        for path in ["/dev/random", "/dev/urandom"] {
            rules = allow(rules, path, reading)?;
        }
    }
    for path in DEVICES {
        rules = allow(rules, path, everything)?;
    }
    for path in &order.view.writable {
        rules = allow(rules, path, everything)?;
    }
    let status = rules.restrict_self().named("landlock_restrict_self")?;
    if status.ruleset == RulesetStatus::NotEnforced {
        return Err("landlock_restrict_self: not enforced".to_owned());
    }
    Ok(())
}

fn handled(order: &Order) -> Result<Ruleset, String> {
    let mut rules = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(FLOOR))
        .named("Landlock with truncation (ABI 3, Linux 6.2)")?
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(KNOWN))
        .named("Landlock file rights")?
        .scope(Scope::Signal | Scope::AbstractUnixSocket)
        .named("Landlock scopes")?;
    if order.reach == Reach::Nothing {
        rules = rules.handle_access(AccessNet::BindTcp | AccessNet::ConnectTcp).named("Landlock network rights")?;
    }
    Ok(rules)
}

fn allow(
    rules: RulesetCreated,
    path: impl AsRef<std::path::Path>,
    access: BitFlags<AccessFs>,
) -> Result<RulesetCreated, String> {
    let path = path.as_ref();
    // What is absent needs no rule.
    let Ok(fd) = PathFd::new(path) else { return Ok(rules) };
    let access = if path.is_dir() { access } else { access & AccessFs::from_file(KNOWN) };
    rules.add_rule(PathBeneath::new(fd, access)).named(&format!("landlock_add_rule({})", path.display()))
}
