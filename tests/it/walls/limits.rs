//! Bombs, daemons and endless things: bounded, and gone afterwards. All of them are small.

use std::os::unix::fs::PermissionsExt as _;
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use unbreak::journal::Journal;
use unbreak::sandbox::End;

use super::{Yard, processes_with, soon, text};

#[test]
fn a_fork_bomb_is_bounded_and_swept_up() {
    for tier in [1, 2] {
        let yard = Yard::new(tier);
        let marker = format!("41{}.{tier}", std::process::id());
        let mut job = yard.job(&["/bin/sh", "-c", &format!("while :; do sleep {marker} & done")]);
        (job.limits.processes, job.limits.wall) = (60, Duration::from_secs(20));
        let finished = yard.run(&job).unwrap();
        assert_eq!(finished.end, End::Processes, "{}", text(&finished));
        assert_eq!(processes_with(&marker), 0);
    }
}

#[test]
fn a_bomb_that_doubles_is_swept_up_too() {
    for tier in [1, 2] {
        let yard = Yard::new(tier);
        std::fs::write(yard.path("work/bomb.sh"), "/bin/sh ./bomb.sh & /bin/sh ./bomb.sh & wait").unwrap();
        let mut job = yard.job(&["/bin/sh", "./bomb.sh"]);
        (job.limits.processes, job.limits.wall) = (100, Duration::from_secs(20));
        assert_eq!(yard.run(&job).unwrap().end, End::Processes);
        let left = std::fs::read_dir("/proc").unwrap().flatten();
        let left =
            left.filter(|entry| std::fs::read_link(entry.path().join("cwd")).is_ok_and(|cwd| cwd == yard.path("work")));
        assert_eq!(left.count(), 0);
    }
}

#[test]
fn memory_is_bounded_over_the_tree() {
    for tier in [1, 2] {
        let yard = Yard::new(tier);
        let code = "import os, time\nfor _ in range(4):\n  if os.fork() == 0:\n    b = bytearray(60 << 20); time.sleep(30)\nos.wait()";
        let mut job = yard.job(&["/usr/bin/python3", "-c", code]);
        job.limits.memory = 150 << 20;
        assert_eq!(yard.run(&job).unwrap().end, End::Memory);
    }
}

#[test]
fn memory_that_forks_share_counts_once() {
    let yard = Yard::new(1);
    let code = "import os, time\nb = bytearray(80 << 20)\nfor _ in range(4):\n  if os.fork() == 0:\n    time.sleep(0.4); os._exit(0)\nfor _ in range(4): os.wait()";
    let mut job = yard.job(&["/usr/bin/python3", "-c", code]);
    job.limits.memory = 200 << 20;
    let finished = yard.run(&job).unwrap();
    assert_eq!(finished.end, End::Code(0), "{}", text(&finished));
}

#[test]
fn the_disk_is_bounded_in_files_and_in_files_without_a_name() {
    for tier in [1, 2] {
        let yard = Yard::new(tier);
        let many = "i=0; while [ $i -lt 30 ]; do dd if=/dev/zero of=f$i bs=1M count=10 status=none; sync f$i; i=$((i+1)); done; sleep 5";
        let nameless = "exec /usr/bin/python3 -c \"import os,time\nfor i in range(30):\n  f = os.open('g%d' % i, os.O_CREAT|os.O_RDWR); os.unlink('g%d' % i); os.write(f, bytes(10 << 20)); os.fsync(f)\ntime.sleep(5)\"";
        for script in [many, nameless] {
            let mut job = yard.job(&["/bin/sh", "-c", script]);
            job.limits.disk = 60 << 20;
            let finished = yard.run(&job).unwrap();
            assert_eq!(finished.end, End::Disk, "tier {tier}: {script}: {}", text(&finished));
        }
    }
}

#[test]
fn endless_output_is_drained_and_cut() {
    for tier in [1, 2] {
        let yard = Yard::new(tier);
        let mut job = yard.job(&["/bin/sh", "-c", "echo first; head -c 30000000 /dev/zero | tr '\\0' x; echo last"]);
        job.limits.output = 10_000;
        let finished = yard.run(&job).unwrap();
        let out = String::from_utf8(finished.stdout).unwrap();
        assert_eq!(finished.end, End::Code(0));
        assert!(finished.truncated && out.len() < 10_100 && out.starts_with("first\n") && out.ends_with("last\n"));
    }
}

#[test]
fn who_ignores_signals_is_killed_at_the_end_of_the_time() {
    for tier in [1, 2] {
        let yard = Yard::new(tier);
        let marker = format!("42{}.{tier}", std::process::id());
        let script = format!("trap '' TERM INT HUP; sleep {marker} & while :; do wait; done");
        let mut job = yard.job(&["/bin/sh", "-c", &script]);
        job.limits.wall = Duration::from_millis(400);
        let finished = yard.run(&job).unwrap();
        assert_eq!(finished.end, End::Timeout);
        assert!(finished.elapsed < Duration::from_secs(3), "{:?}", finished.elapsed);
        assert_eq!(processes_with(&marker), 0);
    }
}

#[test]
fn a_daemon_does_not_outlive_its_command() {
    for tier in [1, 2] {
        let yard = Yard::new(tier);
        let marker = format!("43{}.{tier}", std::process::id());
        let finished =
            yard.sh(&format!("setsid sh -c 'trap \"\" TERM; (setsid sleep {marker} &) ; exit 0' & sleep 0.2; exit 7"));
        assert_eq!(finished.end, End::Code(7));
        assert_eq!(processes_with(&marker), 0);
    }
}

#[test]
fn letting_go_of_a_run_kills_its_tree() {
    for tier in [1, 2] {
        let yard = Yard::new(tier);
        let marker = format!("44{}.{tier}", std::process::id());
        let job = yard.job(&["/bin/sh", "-c", &format!("setsid sleep {marker} & sleep {marker}")]);
        let journal = Journal::unkept(|| 0);
        yard.runtime.block_on(async {
            let run = tokio::time::timeout(Duration::from_millis(500), yard.sandbox.run(&job, &journal));
            assert!(run.await.is_err());
        });
        assert_eq!(processes_with(&marker), 0);
        assert!(soon(|| yard.jobs() == 0));
    }
}

#[test]
#[ignore = "a part played for the test below, in a process of its own"]
fn a_parent_that_waits() {
    let place = std::path::Path::new(".").canonicalize().unwrap();
    let yard = Yard::below(&place, std::fs::read_to_string("tier").unwrap().parse().unwrap());
    let marker = std::fs::read_to_string("marker").unwrap();
    yard.sh(&format!("setsid sleep {marker} & sleep {marker}"));
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the parent has to be another process, to be killed")]
fn killing_the_parent_kills_the_tree() {
    for tier in [1, 2] {
        let place = tempfile::tempdir_in("/var/tmp").unwrap();
        // The dropped uid of tier 2 has to get through.
        std::fs::set_permissions(place.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
        let marker = format!("45{}.{tier}", std::process::id());
        std::fs::write(place.path().join("tier"), tier.to_string()).unwrap();
        std::fs::write(place.path().join("marker"), &marker).unwrap();
        let mut parent = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["walls::limits::a_parent_that_waits", "--exact", "--ignored"])
            .current_dir(place.path())
            .spawn()
            .unwrap();
        let sleeps = format!("sleep\0{marker}");
        assert!(soon(|| processes_with(&sleeps) == 2));
        kill(Pid::from_raw(parent.id().cast_signed()), Signal::SIGKILL).unwrap();
        parent.wait().unwrap();
        assert!(soon(|| processes_with(&marker) == 0));
    }
}
