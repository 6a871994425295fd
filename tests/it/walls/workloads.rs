//! What has to work behind the walls: real toolchains on small projects.

use crate::support::program::ignored_signals;
use unbreak::journal::{Journal, WaitingFor};
use unbreak::sandbox::{End, SandboxError};

use super::{Yard, is_root, soon, text};

const CRATE: &str = "mkdir -p c/src && cd c && printf '[package]\\nname=\"c\"\\nversion=\"0.1.0\"\\nedition=\"2021\"\\n' > Cargo.toml \
                     && echo '#[test] fn a() { std::fs::write(std::env::temp_dir().join(\"x\"), \"y\").unwrap() }' > src/lib.rs";

fn passes(yard: &Yard, script: &str) {
    let finished = yard.sh(script);
    assert_eq!(finished.end, End::Code(0), "{}", text(&finished));
}

#[test]
fn cargo_runs_with_the_home_hidden_and_the_toolchain_shown() {
    let yard = Yard::new(1);
    passes(&yard, &format!("{CRATE} && cargo test"));
    passes(&yard, "cd c && sed -i s/y/z/ src/lib.rs && cargo test && cargo fmt --check || cargo fmt");
}

#[test]
fn cargo_in_a_private_home_is_explained_where_no_mount_can_show_it() {
    let yard = Yard::new(2);
    if is_root() {
        let error = yard.run(&yard.job(&["cargo", "test"]));
        let explained = matches!(&error, Err(SandboxError::Wall(reason)) if reason.contains("/usr/local"));
        let installed_for_all =
            std::path::Path::new("/usr/local/bin/cargo").exists() || std::path::Path::new("/usr/bin/cargo").exists();
        assert!(explained || installed_for_all, "{error:?}");
    } else {
        passes(&yard, &format!("{CRATE} && cargo test"));
    }
}

#[test]
fn python_and_git_run_in_both_tiers() {
    for tier in [1, 2] {
        let yard = Yard::new(tier);
        let test = "import multiprocessing, tempfile, subprocess, unittest\nclass T(unittest.TestCase):\n  def test(self):\n    multiprocessing.Lock()\n    tempfile.NamedTemporaryFile()\n    subprocess.check_output(['id'])\n    open('made', 'w')\n";
        std::fs::write(yard.path("work/test_t.py"), test).unwrap();
        passes(&yard, "/usr/bin/python3 -m unittest -q && python3 -m unittest -q");
        passes(&yard, "git init -q g && cd g && echo a > a && git add a && git commit -qm x && git log --oneline");
    }
}

#[test]
fn node_runs_in_both_tiers_where_it_is_installed() {
    for tier in [1, 2] {
        let yard = Yard::new(tier);
        std::fs::write(yard.path("work/a.test.js"), "require('node:test')('a', () => {})").unwrap();
        passes(&yard, "command -v node >/dev/null || exit 0; node --test");
    }
}

#[test]
fn tests_may_use_loopback_in_tier_1() {
    let yard = Yard::new(1);
    let code = "import socket; l = socket.create_server(('127.0.0.1', 0)); socket.create_connection(l.getsockname())";
    let finished = yard.run(&yard.job(&["/usr/bin/python3", "-c", code])).unwrap();
    assert_eq!(finished.end, End::Code(0), "{}", text(&finished));
}

#[test]
fn files_that_we_add_between_two_jobs_are_the_jobs_own() {
    for tier in [1, 2] {
        let yard = Yard::new(tier);
        passes(&yard, "mkdir -p d target && touch d/a");
        std::fs::create_dir(yard.path("work/new")).unwrap();
        std::fs::write(yard.path("work/new/file"), "a").unwrap();
        passes(&yard, "echo b > new/file && touch new/other d/b");
        assert_eq!(std::fs::read_to_string(yard.path("work/new/file")).unwrap(), "b\n");
    }
}

#[test]
fn giving_never_follows_a_link_and_spares_files_with_two_names() {
    use std::os::unix::fs::MetadataExt as _;
    let yard = Yard::new(1);
    let (note, outside) = (yard.path("private/note"), yard.path("outside"));
    std::os::unix::fs::symlink(&outside, yard.path("work/link")).unwrap();
    std::fs::hard_link(&note, yard.path("work/second-name")).unwrap();
    let owner = |path| std::fs::metadata(path).unwrap().uid();
    let before = (owner(&note), owner(&outside));
    passes(&yard, "true");
    assert_eq!((owner(&note), owner(&outside)), before);
}

#[test]
fn the_environment_holds_nothing_of_the_callers() {
    let yard = Yard::new(1);
    let finished = yard.sh("env");
    assert!(
        !text(&finished).contains("CARGO_MANIFEST_DIR") && text(&finished).contains("CI=true"),
        "{}",
        text(&finished)
    );
}

#[test]
fn a_job_sets_its_own_variables_and_starts_in_its_own_directory() {
    let yard = Yard::new(1);
    std::fs::create_dir(yard.path("work/sub")).unwrap();
    let mut job = yard.job(&["/bin/sh", "-c", "echo $GREETING; pwd"]);
    job.env.insert("GREETING".into(), "hello".into());
    job.cwd = yard.path("work/sub");
    let finished = yard.run(&job).unwrap();
    assert_eq!(String::from_utf8(finished.stdout).unwrap(), format!("hello\n{}\n", yard.path("work/sub").display()));
}

#[test]
fn a_program_that_is_nowhere_is_said_to_be() {
    for tier in [1, 2] {
        let yard = Yard::new(tier);
        let error = yard.run(&yard.job(&["no-such-program"])).unwrap_err();
        assert!(matches!(&error, SandboxError::NotFound { program } if program == "no-such-program"), "{error}");
    }
}

#[test]
fn each_run_is_recorded_with_its_wait() {
    let yard = Yard::new(2);
    let record = yard.path("journal.jsonl");
    let journal = Journal::create(&record, || 0).unwrap();
    yard.runtime.block_on(yard.sandbox.run(&yard.job(&["/bin/sh", "-c", "sleep 0.05; exit 3"]), &journal)).unwrap();
    let (entries, broken) = unbreak::journal::read(&std::fs::read_to_string(record).unwrap());
    assert_eq!(broken, None);
    let entry = &entries[0].1;
    assert_eq!((entry.action.as_str(), entry.outcome.as_str(), entry.hashes.len()), ("command", "exit 3", 1));
    assert!(journal.waited(WaitingFor::Child).as_millis() >= 50);
}

#[test]
fn private_directories_vanish_with_their_job_even_when_locked() {
    for tier in [1, 2] {
        let yard = Yard::new(tier);
        passes(&yard, "mkdir -p $TMPDIR/a/b $HOME/c && touch $TMPDIR/a/b/f && chmod 0 $TMPDIR/a/b $TMPDIR/a $HOME/c");
        assert!(soon(|| yard.jobs() == 0));
    }
}

#[test]
fn a_command_starts_with_the_signals_of_a_fresh_process() {
    for tier in [1, 2] {
        let yard = Yard::new(tier);
        let finished = yard.sh("grep -E 'Sig(Blk|Ign)' /proc/self/status");
        let lines = text(&finished);
        let set = |line: &str| u64::from_str_radix(line.split_once('\t')?.1, 16).ok();
        // Those above 31 are the C library's own.
        let inherited = ignored_signals();
        let fresh = lines.lines().filter_map(set).filter(|set| (set & !inherited).trailing_zeros() >= 31).count();
        assert_eq!(fresh, 2, "{lines}");
    }
}
