//! Brings the loopback interface of a new network namespace up: one routing message.

use std::os::fd::AsRawFd as _;

use nix::errno::Errno;
use nix::sys::socket::{AddressFamily, MsgFlags, NetlinkAddr, SockFlag, SockProtocol, SockType, recv, sendto, socket};

use super::Named as _;

const HEADER: usize = 16; // struct nlmsghdr
const SIZE: usize = HEADER + 16; // and struct ifinfomsg
const NEW_LINK: u16 = 16; // RTM_NEWLINK
const REQUEST_ACKNOWLEDGED: u16 = 0x1 | 0x4; // NLM_F_REQUEST | NLM_F_ACK
const LOOPBACK_INDEX: u32 = 1; // the first interface of every namespace
const UP: u32 = 0x1; // IFF_UP

/// Brings it up; the kernel then gives it 127.0.0.1 and `::1`.
pub(super) fn up() -> Result<(), String> {
    let socket = socket(AddressFamily::Netlink, SockType::Raw, SockFlag::SOCK_CLOEXEC, SockProtocol::NetlinkRoute)
        .named("socket(AF_NETLINK)")?;
    sendto(socket.as_raw_fd(), &message(), &NetlinkAddr::new(0, 0), MsgFlags::empty()).named("bringing up loopback")?;
    let mut answer = [0_u8; 256];
    let length = recv(socket.as_raw_fd(), &mut answer, MsgFlags::empty()).named("bringing up loopback")?;
    let Some(Ok(code)) = answer.get(HEADER..length.min(HEADER + 4)).map(<[u8; 4]>::try_from) else {
        return Err("bringing up loopback: a short answer".to_owned());
    };
    match i32::from_ne_bytes(code) {
        0 => Ok(()),
        negative => Err(format!("bringing up loopback: {}", Errno::from_raw(negative.wrapping_neg()))),
    }
}

fn message() -> Vec<u8> {
    let mut bytes = Vec::with_capacity(SIZE);
    bytes.extend(u32::try_from(SIZE).unwrap_or(0).to_ne_bytes());
    bytes.extend(NEW_LINK.to_ne_bytes());
    bytes.extend(REQUEST_ACKNOWLEDGED.to_ne_bytes());
    bytes.extend([0; 8]); // sequence, port
    bytes.extend([0; 4]); // family, padding, device type
    bytes.extend(LOOPBACK_INDEX.to_ne_bytes());
    bytes.extend(UP.to_ne_bytes()); // flags
    bytes.extend(UP.to_ne_bytes()); // which flags change
    bytes
}
