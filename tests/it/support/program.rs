//! The program in a clean environment: no variable of the caller's but what names the toolchains.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

/// A place to run the program from, with a home and state of its own.
pub(crate) struct Program {
    home: TempDir,
}

/// How a run of the program ended.
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Program {
    pub(crate) fn new() -> Self {
        Self { home: tempfile::Builder::new().prefix("unbreak-home-").tempdir_in("/var/tmp").unwrap() }
    }

    /// The program with these arguments, not started yet.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_unbreak"));
        command
            .args(arguments)
            .env_clear()
            .envs(environment())
            .env("HOME", self.home.path())
            .env("UNBREAK_SCRATCH", self.scratch())
            .current_dir(self.home.path());
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Ran {
        Ran::from(self.command(arguments).output().unwrap())
    }

    /// Where this program lays its scratch repositories.
    pub(crate) fn scratch(&self) -> PathBuf {
        self.path("scratch")
    }

    /// A path below the program's own home.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

impl Ran {
    /// Standard output as JSON.
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("{error}\nstdout: {}\nstderr: {}", self.stdout, self.stderr))
    }

    /// Fails the test, with all that was printed, unless the run ended so.
    pub(crate) fn expect(self, code: i32) -> Self {
        assert_eq!(self.code, code, "stdout: {}\nstderr: {}", self.stdout, self.stderr);
        self
    }
}

/// The signals that this process was told to ignore, as a bit set (bit 0 is signal 1): children inherit that, and a
/// program under `nohup` rightly goes on.
pub(crate) fn ignored_signals() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap();
    u64::from_str_radix(line.trim(), 16).unwrap()
}

/// A search path that begins with the virtual environment that `scripts/test` makes: pytest and ruff are there.
pub(crate) fn python_bin() -> String {
    let bin = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/test-venv/bin");
    assert!(bin.join("python").exists(), "{} is missing: run scripts/test once", bin.display());
    let path = environment().into_iter().find(|(name, _)| name == "PATH").map(|(_, path)| path);
    format!("{}:{}", bin.display(), path.unwrap_or_default())
}

/// What of the caller's environment names the toolchains.
pub(crate) fn environment() -> Vec<(String, String)> {
    let home = std::env::var("HOME").unwrap_or_default();
    let named = |name: &str, below: &str| {
        let value = std::env::var(name).unwrap_or_else(|_| format!("{home}/{below}"));
        Path::new(&value).exists().then(|| (name.to_owned(), value))
    };
    let path = ("PATH".to_owned(), std::env::var("PATH").unwrap_or_default());
    [Some(path), named("CARGO_HOME", ".cargo"), named("RUSTUP_HOME", ".rustup")].into_iter().flatten().collect()
}
