//! A process tree as `/proc` shows it: what it uses, and its end.

use std::fs;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::{Pid, SysconfVar, sysconf};

/// What a tree uses now.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct Usage {
    /// Resident bytes; shared pages once when the sum without that would pass the cap.
    pub(super) memory: u64,
    /// Processes and threads.
    pub(super) threads: u64,
}

/// The usage of the descendants of `root`.
pub(super) fn usage(root: Pid, cap: u64) -> Usage {
    let tree = descendants(root);
    let page = sysconf(SysconfVar::PAGE_SIZE).ok().flatten().and_then(|size| u64::try_from(size).ok()).unwrap_or(4096);
    let threads = tree.iter().map(|process| process.threads).sum();
    let memory: u64 = tree.iter().map(|process| resident(process.pid) * page).sum();
    if memory <= cap {
        return Usage { memory, threads };
    }
    // Forks share pages: ask the dear question before a judgement rests on it.
    let memory = tree.iter().map(|process| proportional(process.pid).unwrap_or(resident(process.pid) * page)).sum();
    Usage { memory, threads }
}

struct Process {
    pid: i32,
    threads: u64,
}

/// `root` and all its descendants.
pub(super) fn pids(root: Pid) -> Vec<i32> {
    descendants(root).into_iter().map(|process| process.pid).chain([root.as_raw()]).collect()
}

/// All descendants, `root` not among them.
fn descendants(root: Pid) -> Vec<Process> {
    let mut found: Vec<Process> = Vec::new();
    let mut open = children(root.as_raw()).0;
    while let Some(pid) = open.pop() {
        let (below, threads) = children(pid);
        open.extend(below);
        found.push(Process { pid, threads });
    }
    found
}

/// The children of all threads of a process, and the number of these threads.
fn children(pid: i32) -> (Vec<i32>, u64) {
    let Ok(tasks) = fs::read_dir(format!("/proc/{pid}/task")) else { return (Vec::new(), 0) };
    let mut threads = 0;
    let mut found = Vec::new();
    for task in tasks.flatten() {
        threads += 1;
        let list = fs::read_to_string(task.path().join("children")).unwrap_or_default();
        found.extend(list.split_ascii_whitespace().filter_map(|pid| pid.parse::<i32>().ok()));
    }
    (found, threads)
}

/// Resident pages that no file backs, or 0 for a process that is gone.
fn resident(pid: i32) -> u64 {
    let statm = fs::read_to_string(format!("/proc/{pid}/statm")).unwrap_or_default();
    let mut fields = statm.split(' ').skip(1).map(|field| field.trim().parse::<u64>().unwrap_or(0));
    let (resident, shared) = (fields.next().unwrap_or(0), fields.next().unwrap_or(0));
    resident.saturating_sub(shared) + shared_memory_pages(pid, shared)
}

/// Pages of shared memory, which count as a file's but live in memory: read only where there can be many.
fn shared_memory_pages(pid: i32, shared: u64) -> u64 {
    const WORTH_A_LOOK: u64 = 16 << 10;
    if shared < WORTH_A_LOOK {
        return 0;
    }
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let kilobytes = status.lines().find_map(|line| line.strip_prefix("RssShmem:")).and_then(first_number);
    kilobytes.unwrap_or(0) / 4
}

/// Proportional set size in bytes: each shared page divided among those that share it.
fn proportional(pid: i32) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).ok()?;
    let of = |name: &str| text.lines().find_map(|line| line.strip_prefix(name)).and_then(first_number);
    // Pages of files are the page cache's, which the kernel takes back.
    Some((of("Pss_Anon:").or_else(|| of("Pss:"))? + of("Pss_Shmem:").unwrap_or(0)) * 1024)
}

fn first_number(text: &str) -> Option<u64> {
    text.split_ascii_whitespace().next()?.parse().ok()
}

/// Kills and reaps all descendants of this process, which is their reaper. Stops them first: who is stopped can
/// no longer fork while the others are looked for.
pub(super) fn kill_descendants() -> Result<(), String> {
    const PATIENCE: Duration = Duration::from_secs(10);
    let begin = Instant::now();
    while begin.elapsed() < PATIENCE {
        for signal in [Signal::SIGSTOP, Signal::SIGSTOP, Signal::SIGKILL] {
            for process in descendants(Pid::this()) {
                // It can have ended by itself in between.
                let _ended = kill(Pid::from_raw(process.pid), signal);
            }
        }
        loop {
            match waitpid(None::<Pid>, Some(WaitPidFlag::WNOHANG)) {
                Err(Errno::ECHILD) => return Ok(()),
                Ok(WaitStatus::StillAlive) | Err(_) => break,
                Ok(_) => {}
            }
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    Err(format!("{} processes of the job could not be killed", descendants(Pid::this()).len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "the test needs a real child")]
    fn a_child_is_found_and_counted() {
        let mut child = std::process::Command::new("sleep").arg("5").spawn().unwrap();
        let pid = child.id().cast_signed();
        assert!(descendants(Pid::this()).iter().any(|process| process.pid == pid && process.threads == 1));
        assert!(usage(Pid::this(), u64::MAX).memory > 0);
        child.kill().unwrap();
        child.wait().unwrap();
    }
}
