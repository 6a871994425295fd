//! Climbs every wall of the sandbox, in both tiers, and shows that the climb succeeds where there is no wall.

mod attacks;
mod limits;
mod workloads;

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use nix::unistd::Uid;
use unbreak::journal::Journal;
use unbreak::policy::Network;
use unbreak::sandbox::{Finished, Host, Job, Kernel, Limits, Sandbox, SandboxError};

/// A sandbox with a directory to work in, and places outside of it that a climb aims at.
struct Yard {
    directory: tempfile::TempDir,
    sandbox: Sandbox,
    runtime: tokio::runtime::Runtime,
}

impl Yard {
    fn new(tier: u8) -> Self {
        Self::below(Path::new("/var/tmp"), tier)
    }

    fn below(place: &Path, tier: u8) -> Self {
        let directory = tempfile::Builder::new().prefix("walls").tempdir_in(place).unwrap();
        for (name, mode) in [("", 0o755), ("work", 0o755), ("outside", 0o777), ("private", 0o700)] {
            let path = directory.path().join(name);
            std::fs::create_dir_all(&path).unwrap();
            // The dropped uid of tier 2 has to get through.
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
        }
        std::fs::write(directory.path().join("private/note"), "mine").unwrap();
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let sandbox = runtime.block_on(Sandbox::open(host(directory.path(), Some(tier)))).unwrap();
        Self { directory, sandbox, runtime }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// The private directories of jobs that are there.
    fn jobs(&self) -> usize {
        let entries = std::fs::read_dir(self.path("scratch")).unwrap();
        entries.filter(|entry| entry.as_ref().unwrap().file_name().to_string_lossy().starts_with("job-")).count()
    }

    fn job(&self, argv: &[&str]) -> Job {
        Job {
            argv: argv.iter().map(|word| (*word).to_owned()).collect(),
            cwd: self.path("work"),
            env: BTreeMap::new(),
            path_first: Vec::new(),
            path_last: Vec::new(),
            writable: vec![self.path("work")],
            readable: vec![],
            network: if self.sandbox.walls().tier == 1 { Network::Loopback } else { Network::Deny },
            proxy: None,
            limits: Limits {
                wall: Duration::from_mins(2),
                memory: 2 << 30,
                processes: 512,
                disk: 1 << 30,
                output: 1 << 20,
            },
        }
    }

    fn run(&self, job: &Job) -> Result<Finished, SandboxError> {
        self.runtime.block_on(self.sandbox.run(job, &Journal::unkept(|| 0)))
    }

    fn sh(&self, script: &str) -> Finished {
        self.run(&self.job(&["/bin/sh", "-c", script])).unwrap()
    }
}

#[expect(clippy::disallowed_methods, reason = "a test stands where the shell does")]
fn host(directory: &Path, tier: Option<u8>) -> Host {
    let env: BTreeMap<String, String> = std::env::vars().collect();
    let home = env["HOME"].clone().into();
    Host { helper: env!("CARGO_BIN_EXE_unbreak").into(), env, home, scratch: directory.join("scratch"), tier }
}

fn text(finished: &Finished) -> String {
    let (out, err) = (String::from_utf8_lossy(&finished.stdout), String::from_utf8_lossy(&finished.stderr));
    format!("{:?}\n{out}{err}", finished.end)
}

fn is_root() -> bool {
    Uid::effective().is_root()
}

/// The processes of the machine whose command line holds `marker`.
fn processes_with(marker: &str) -> usize {
    let lines = std::fs::read_dir("/proc")
        .unwrap()
        .flatten()
        .filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
    lines.filter(|line| String::from_utf8_lossy(line).contains(marker)).count()
}

/// Waits until `holds`, for at most ten seconds.
fn soon(holds: impl Fn() -> bool) -> bool {
    let begin = Instant::now();
    while begin.elapsed() < Duration::from_secs(10) {
        if holds() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    false
}

#[test]
fn without_landlock_and_namespaces_nothing_runs() {
    let directory = tempfile::tempdir_in("/var/tmp").unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let kernel = Kernel { namespaces: false, landlock: false };
    let missing = runtime.block_on(Sandbox::open_on(host(directory.path(), None), kernel)).unwrap_err();
    assert!(missing.reason.contains("Landlock is absent") && !missing.hints.is_empty(), "{missing:?}");
}

#[test]
fn the_best_tier_that_stands_is_taken() {
    let directory = tempfile::tempdir_in("/var/tmp").unwrap();
    std::fs::set_permissions(directory.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let tier = |kernel| runtime.block_on(Sandbox::open_on(host(directory.path(), None), kernel)).unwrap().walls().tier;
    assert_eq!(tier(Kernel::default()), 1);
    assert_eq!(tier(Kernel { namespaces: false, landlock: true }), 2);
    assert_eq!(tier(Kernel { namespaces: true, landlock: false }), 1);
}
