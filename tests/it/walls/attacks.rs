//! Attacks, one a row: a script that prints `CLIMBED` when it got over the wall.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::{SocketAddr, UnixListener};

use unbreak::policy::Network;
use unbreak::sandbox::SandboxError;

use super::{Yard, is_root, text};

struct Attack {
    name: &'static str,
    script: String,
    /// Whether it can be shown to succeed without walls, without harm.
    outside: bool,
}

fn sh(name: &'static str, script: &str) -> Attack {
    Attack { name, script: format!("{{ {script} ; }} && echo CLIMBED"), outside: true }
}

fn python(name: &'static str, code: &str) -> Attack {
    let code = format!("import os, socket, ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\n{code}\nprint('CLIMBED')");
    Attack { name, script: format!("/usr/bin/python3 - <<'END'\n{code}\nEND"), outside: true }
}

impl Attack {
    fn inside_only(mut self) -> Self {
        self.outside = false;
        self
    }
}

/// Servers that attacks aim at; each lives as long as this.
struct Targets {
    tcp: u16,
    udp: u16,
    abstract_name: String,
}

fn targets(yard: &Yard) -> Targets {
    let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
    let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
    let unix = UnixListener::bind(yard.path("root.sock")).unwrap();
    std::fs::set_permissions(yard.path("root.sock"), std::fs::Permissions::from_mode(0o600)).unwrap();
    let abstract_name = format!("walls-{}", yard.directory.path().display());
    let hidden = UnixListener::bind_addr(&SocketAddr::from_abstract_name(&abstract_name).unwrap()).unwrap();
    let ports = (tcp.local_addr().unwrap().port(), udp.local_addr().unwrap().port());
    std::thread::spawn(move || tcp.incoming().flatten().for_each(|mut peer| drop(peer.write_all(b"hello"))));
    std::thread::spawn(move || {
        let mut bytes = [0; 16];
        while let Ok((length, from)) = udp.recv_from(&mut bytes) {
            udp.send_to(&bytes[..length], from).unwrap();
        }
    });
    for listener in [unix, hidden] {
        std::thread::spawn(move || listener.incoming().flatten().for_each(|mut peer| drop(peer.write_all(b"hello"))));
    }
    Targets { tcp: ports.0, udp: ports.1, abstract_name }
}

fn attacks(yard: &Yard, targets: &Targets) -> Vec<Attack> {
    let at = |name: &str| yard.path(name).display().to_string();
    let (pid, tier) = (std::process::id(), yard.sandbox.walls().tier);
    let mut all = vec![
        sh("write outside", &format!("touch {}/planted", at("outside"))),
        sh("write through a link", &format!("ln -sfn {} out-link && touch out-link/planted2", at("outside"))),
        sh("read a private directory", &format!("cat {}/note", at("private"))),
        sh("read the parent's environment", &format!("grep -q PATH= /proc/{pid}/environ")),
        sh("read the parent's memory map", &format!("grep -q . /proc/{pid}/maps")),
        sh("signal the parent", &format!("kill -0 {pid}")),
        python(
            "connect by TCP",
            &format!("s = socket.create_connection(('127.0.0.1', {}), 5)\nassert s.recv(5) == b'hello'", targets.tcp),
        ),
        python(
            "exchange by UDP",
            &format!(
                "s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\ns.settimeout(1)\ns.sendto(b'x', ('127.0.0.1', {}))\nassert s.recv(1) == b'x'",
                targets.udp
            ),
        ),
        python(
            "connect to an abstract socket",
            &format!("s = socket.socket(socket.AF_UNIX)\ns.connect('\\0{}')", targets.abstract_name),
        ),
        python("trace a process", "assert libc.ptrace(0, 0, 0, 0) == 0"),
        python("make a user namespace", "assert libc.unshare(0x10000000) == 0"),
        python("make a user namespace by clone", "assert libc.syscall(56, 0x10000000 | 17, 0, 0, 0, 0) >= 0")
            .inside_only(),
        python(
            "make a process by clone3",
            "ctypes.set_errno(0); libc.syscall(435, 0, 0); assert ctypes.get_errno() != 38",
        ),
        python("make a key", "assert libc.syscall(248, b'user', b'walls', b'x', 1, -1) > 0"),
        python("open a vsock", "socket.socket(40, socket.SOCK_STREAM)").inside_only(),
        python("open a raw packet socket", "socket.socket(socket.AF_PACKET, socket.SOCK_RAW)").inside_only(),
        python("mount", "assert libc.mount(b'none', os.getcwd().encode(), b'tmpfs', 0, None) == 0").inside_only(),
        python("become root", "os.setuid(0); assert os.getuid() == 0").inside_only(),
        python("gain privileges by a setuid program", "assert 'NoNewPrivs:\\t0' in open('/proc/self/status').read()"),
        python("hold capabilities", "assert 'CapEff:\\t0000000000000000' not in open('/proc/self/status').read()")
            .inside_only(),
    ];
    for (name, call) in [
        ("io_uring", 425),
        ("userfaultfd", 323),
        ("bpf", 321),
        ("perf_event_open", 298),
        ("process_vm_readv", 310),
        ("kexec_load", 246),
        ("open_by_handle_at", 304),
    ] {
        let code = format!("ctypes.set_errno(0); libc.syscall({call}, 0, 0, 0, 0, 0); assert ctypes.get_errno() != 1");
        all.push(python(name, &code).inside_only());
    }
    all.push(
        python("a call by its x32 number", "ctypes.set_errno(0); r = libc.syscall(0x40000000 | 39); assert r > 0")
            .inside_only(),
    );
    all.push(python(
        "connect to the owner's socket",
        &format!("s = socket.socket(socket.AF_UNIX)\ns.connect('{}')", at("root.sock")),
    ));
    if tier == 1 || is_root() {
        // What Landlock does not know: modes, and the names of open files. A sandbox that
        // has neither namespaces nor a uid of its own says so.
        all.push(sh("change the mode of a file outside", &format!("chmod 777 {}", at("outside"))));
        all.push(sh("see what the parent has open", &format!("ls /proc/{pid}/fd | grep -q .")));
    }
    all
}

/// The same script, started by us without any wall.
#[expect(clippy::disallowed_methods, reason = "the climb has to be seen to succeed where there is no wall")]
fn climbs_outside(yard: &Yard, script: &str) -> bool {
    let mut child = std::process::Command::new("/bin/sh");
    let output = child.args(["-c", script]).current_dir(yard.path("outside")).output().unwrap();
    String::from_utf8_lossy(&output.stdout).contains("CLIMBED")
}

fn climb_all(tier: u8) {
    let yard = Yard::new(tier);
    let targets = targets(&yard);
    let mut over = Vec::new();
    for attack in attacks(&yard, &targets) {
        if cfg!(not(target_arch = "x86_64")) && attack.script.contains("libc.syscall") {
            continue;
        }
        let finished = yard.sh(&attack.script);
        if text(&finished).contains("CLIMBED") {
            over.push(format!("tier {tier}: {}: {}", attack.name, text(&finished)));
        }
        if attack.outside && !climbs_outside(&yard, &attack.script) {
            over.push(format!("tier {tier}: {}: does not even succeed without walls", attack.name));
        }
    }
    assert!(over.is_empty(), "{over:#?}");
}

#[test]
fn no_attack_gets_over_the_walls_of_tier_1() {
    climb_all(1);
}

#[test]
fn no_attack_gets_over_the_walls_of_tier_2() {
    climb_all(2);
}

#[test]
fn denied_network_means_no_internet_socket_in_either_tier() {
    for tier in [1, 2] {
        let yard = Yard::new(tier);
        let mut job = yard.job(&["/usr/bin/python3", "-c", "import socket; socket.socket()"]);
        job.network = Network::Deny;
        let finished = yard.run(&job).unwrap();
        assert!(text(&finished).contains("PermissionError"), "{}", text(&finished));
        let lines: Vec<_> = finished.denied.iter().map(|denied| denied.allow_with.as_str()).collect();
        assert_eq!(lines, ["network: loopback"], "{}", text(&finished));
    }
}

#[test]
fn loopback_is_never_faked() {
    let yard = Yard::new(2);
    let mut job = yard.job(&["true"]);
    job.network = Network::Loopback;
    let error = yard.run(&job).unwrap_err();
    assert!(matches!(&error, SandboxError::Wall(reason) if reason.contains("tier 1")), "{error}");
}

#[test]
fn an_allowed_host_is_reached_through_the_proxy_and_no_other() {
    let yard = Yard::new(1);
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = server.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for mut peer in server.incoming().flatten() {
            let mut request = [0; 1024];
            let _length = peer.read(&mut request).unwrap();
            peer.write_all(b"HTTP/1.0 200 OK\r\n\r\nserved").unwrap();
        }
    });
    let hosts = [unbreak::policy::HostRule::Host { name: "localhost".into(), port }];
    let rules = unbreak::proxy::Rules::new(&hosts, &[]).with_inner_addresses();
    let code = format!(
        "import http.client as h, os, urllib.parse as u\np = u.urlparse(os.environ['HTTPS_PROXY'])\n\
         for port in ({port}, 1):\n  c = h.HTTPConnection(p.hostname, p.port)\n  c.set_tunnel('localhost', port)\n  \
         try: c.request('GET', '/'); print(c.getresponse().read())\n  except OSError as e: print(e)"
    );
    let mut job = yard.job(&["/usr/bin/python3", "-c", &code]);
    job.network = Network::Allow(hosts.to_vec());
    let finished = yard.runtime.block_on(async {
        let journal = unbreak::journal::Journal::unkept(|| 0);
        let socket = yard.path("egress.sock");
        let proxy = unbreak::proxy::Proxy::bind(&socket, rules, unbreak::proxy::Caps::default()).unwrap();
        job.proxy = Some(proxy.socket().to_path_buf());
        let finished = proxy.during(&journal, yard.sandbox.run(&job, &journal)).await.unwrap();
        assert_eq!(proxy.refused().len(), 1);
        finished
    });
    assert!(text(&finished).contains("b'served'") && text(&finished).contains("403"), "{}", text(&finished));
}
