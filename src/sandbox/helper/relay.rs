//! Inside the network namespace: a port on loopback that leads to the egress proxy's unix socket, and nowhere else.

use std::io;
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::thread;

use super::super::PROXY_PORT;
use super::Named as _;

/// Starts to listen; every connection gets one to `socket`.
pub(super) fn serve(socket: PathBuf) -> Result<(), String> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, PROXY_PORT)).named("bind(relay)")?;
    let accept = move || {
        for client in listener.incoming().flatten() {
            let socket = socket.clone();
            // Out of threads: the client sees its connection closed.
            let _refused = thread::Builder::new().stack_size(128 << 10).spawn(move || join(client, &socket));
        }
    };
    thread::Builder::new().stack_size(128 << 10).spawn(accept).named("thread(relay)").map(drop)
}

/// Carries bytes both ways until both sides ended.
fn join(client: TcpStream, socket: &Path) -> io::Result<()> {
    let proxy = UnixStream::connect(socket)?;
    let (mut up_from, mut up_to) = (client.try_clone()?, proxy.try_clone()?);
    let up = thread::Builder::new().stack_size(128 << 10).spawn(move || {
        let copied = io::copy(&mut up_from, &mut up_to);
        // Whoever is gone needs no goodbye.
        let _gone = up_to.shutdown(Shutdown::Write);
        copied
    })?;
    let (mut down_from, mut down_to) = (proxy, client);
    let copied = io::copy(&mut down_from, &mut down_to);
    let _gone = down_to.shutdown(Shutdown::Write);
    let _ended = up.join();
    copied.map(drop)
}
