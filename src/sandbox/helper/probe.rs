//! Tries every wall from inside, after it was built: a call that succeeds where it must not is a wall that is
//! not there, whatever the kernel answered when it was asked to build it.

use std::fs;
use std::io::ErrorKind;
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::path::Path;

use nix::errno::Errno;
use nix::sched::{CloneFlags, unshare};
use nix::unistd::{Uid, setresuid};

use super::super::order::{Order, Reach};

/// Climbs each wall; the first one that gives way is the error.
pub(super) fn climb(order: &Order) -> Result<(), String> {
    identity(order)?;
    if unshare(CloneFlags::CLONE_NEWUSER) != Err(Errno::EPERM) {
        return Err("probe: a user namespace could be made from inside".to_owned());
    }
    files(order)?;
    network(order)
}

fn identity(order: &Order) -> Result<(), String> {
    let Some(id) = order.identity else { return Ok(()) };
    if Uid::current().as_raw() != id || setresuid(Uid::from_raw(0), Uid::from_raw(0), Uid::from_raw(0)).is_ok() {
        return Err("probe: the uid was not dropped for good".to_owned());
    }
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let powerless = ["CapPrm:", "CapEff:", "CapAmb:"]
        .iter()
        .all(|set| status.lines().any(|line| line.starts_with(set) && line.ends_with("\t0000000000000000")));
    if powerless { Ok(()) } else { Err("probe: capabilities are left".to_owned()) }
}

fn files(order: &Order) -> Result<(), String> {
    for place in ["/", "/etc", "/usr"] {
        let planted = Path::new(place).join(".unbreak-probe");
        if fs::write(&planted, b"").is_ok() {
            // We made it a moment ago.
            let _removed = fs::remove_file(&planted);
            return Err(format!("probe: {place} could be written"));
        }
    }
    for place in &order.view.writable {
        let planted = place.join(".unbreak-probe");
        fs::write(&planted, b"")
            .and_then(|()| fs::remove_file(&planted))
            .map_err(|error| format!("probe: {} cannot be written: {error}", place.display()))?;
    }
    if order.tier == 1 && fs::read_link("/proc/self").is_ok_and(|own| own != Path::new("1")) {
        return Err("probe: /proc shows the processes of the machine".to_owned());
    }
    Ok(())
}

fn network(order: &Order) -> Result<(), String> {
    if order.reach == Reach::Nothing {
        let refused = |error: std::io::Error| error.kind() == ErrorKind::PermissionDenied;
        let tcp = TcpStream::connect(("127.0.0.1", 9)).err().is_some_and(refused);
        let udp = UdpSocket::bind(("127.0.0.1", 0)).err().is_some_and(refused);
        return if tcp && udp { Ok(()) } else { Err("probe: internet sockets can be made".to_owned()) };
    }
    let own = TcpListener::bind(("127.0.0.1", 0)).and_then(|listener| TcpStream::connect(listener.local_addr()?));
    own.map_err(|error| format!("probe: loopback does not work: {error}"))?;
    let names = fs::read_to_string("/proc/self/net/dev").unwrap_or_default();
    let others = names.lines().skip(2).filter(|line| !line.trim_start().starts_with("lo:")).count();
    // Tunnel devices that kernels add to every namespace are down and lead nowhere; a route would show a way out.
    let routes = fs::read_to_string("/proc/self/net/route").unwrap_or_default().lines().skip(1).count();
    if routes == 0 { Ok(()) } else { Err(format!("probe: {others} interfaces and {routes} routes lead out")) }
}
