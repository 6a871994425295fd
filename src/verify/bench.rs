//! One command in the sandbox: its words completed, its output kept, its reports read.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::ledger::Ledger;
use super::report_file::ReportFile;
use super::{Outcome, VerifyError, reading};
use crate::evidence::CommandRun;
use crate::git::{CommitId, Scratch};
use crate::ids::Sha;
use crate::journal::Journal;
use crate::policy::{CommandSpec, Network, Policy};
use crate::proxy::{Caps, Proxy, Rules};
use crate::sandbox::{End, Finished, Job, Limits, Sandbox};
use crate::secret::Redactor;
use crate::source::Source;

/// Where commands run: a sandbox, a scratch repository, and a place that keeps what they print.
#[derive(Debug, Clone, Copy)]
pub struct Bench<'a> {
    /// The walls.
    pub sandbox: &'a Sandbox,
    /// The scratch repository.
    pub scratch: &'a Scratch,
    /// What is allowed.
    pub policy: &'a Policy,
    /// The record.
    pub journal: &'a Journal,
    /// Where whole outputs are kept, a file each.
    pub evidence: &'a Path,
    /// What was run before, in this run.
    pub ledger: &'a Ledger,
    /// Caps and conditions that hold for every command.
    pub settings: &'a Settings,
}

/// Caps and conditions that hold for every command of a run.
#[derive(Debug, Clone)]
pub struct Settings {
    /// How often the proof must hold after the change, the first time included.
    pub repeats: u32,
    /// Resident memory of a command's whole process tree, in bytes.
    pub memory: u64,
    /// Its processes and threads.
    pub processes: u64,
    /// Growth of what it may write, in bytes.
    pub disk: u64,
    /// Bytes kept of each of its outputs.
    pub output: usize,
    /// Directories that every command may read over the usual ones: the objects that the scratch borrows.
    pub readable: Vec<PathBuf>,
    /// Directories that every command may write over the tree: caches that set-up filled.
    pub writable: Vec<PathBuf>,
    /// Variables of every command; a command's own win.
    pub env: BTreeMap<String, String>,
    /// Takes credentials out of all that is kept.
    pub redactor: Redactor,
    /// What the word `registries` stands for in a command's `network`: hosts and ports.
    pub registries: Vec<(String, u16)>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            repeats: 3,
            memory: 6 << 30,
            processes: 2048,
            disk: 12 << 30,
            output: 16 << 20,
            readable: Vec::new(),
            writable: Vec::new(),
            env: BTreeMap::new(),
            redactor: Redactor::default(),
            registries: Vec::new(),
        }
    }
}

impl Bench<'_> {
    /// The directory that `{env}` stands for: private to the run, outside the tree.
    #[must_use]
    pub fn env_directory(&self) -> PathBuf {
        self.scratch.directory().join("env")
    }

    /// Runs one command in the work tree as it stands and reads what it printed.
    ///
    /// The words `{env}` and `{tree}` in it become directories. A pytest command is asked for a `JUnit` report as
    /// well, which names every test. The whole output is kept as `<id>-<purpose>.txt` in the evidence.
    ///
    /// # Errors
    /// [`VerifyError`]; a command that fails is an outcome.
    pub async fn run(&self, command: &CommandSpec, purpose: &str) -> Result<Outcome, VerifyError> {
        let id = self.ledger.next_id();
        let reports = self.scratch.directory().join("reports");
        for directory in [&reports, &self.env_directory(), &self.home()] {
            tokio::fs::create_dir_all(directory).await?;
        }
        let words: Vec<String> = command.argv.iter().map(|word| self.complete(word)).collect();
        let (argv, report) = ReportFile::asked_for(words, &reports, &id);
        let job = self.job(command, argv.clone(), reports);
        let finished = self.confined(&job).await?;
        let output_hash = self.keep(&id, purpose, &finished).await?;
        let run = CommandRun {
            id,
            purpose: purpose.to_owned(),
            argv: argv.iter().map(|word| self.shown(word)).collect(),
            cwd: command.cwd.as_ref().map_or(".", |cwd| cwd.as_str()).to_owned(),
            exit_code: if let End::Code(code) = finished.end { Some(code) } else { None },
            ended_by: ended_by(finished.end),
            seconds: finished.elapsed.as_secs_f64(),
            output_hash,
        };
        let source = self.scratch.source(&self.scratch.base())?;
        let written = match report {
            Some(report) => report.read().await,
            None => None,
        };
        Ok(reading::outcome(run, finished, written, (&self.scratch.tree(), &source as &dyn Source)))
    }

    /// Makes the work tree that of a snapshot and runs a command there.
    ///
    /// # Errors
    /// [`VerifyError`]; a command that fails is an outcome.
    pub async fn run_at(
        &self,
        commit: &CommitId,
        command: &CommandSpec,
        purpose: &str,
    ) -> Result<Outcome, VerifyError> {
        self.scratch.reset(commit, self.journal).await?;
        self.ledger.remember_tree(commit);
        self.run(command, purpose).await
    }

    /// The home of every command of the run: what set-up fetched there is there for the tests.
    fn home(&self) -> PathBuf {
        self.scratch.directory().join("home")
    }

    /// The variables by which tools find it; a job's own private home goes with the job.
    fn kept_homes(&self) -> BTreeMap<String, String> {
        let names =
            [("HOME", ""), ("CARGO_HOME", ".cargo"), ("XDG_CACHE_HOME", ".cache"), ("XDG_DATA_HOME", ".local/share")];
        let shown = |part: &str| self.home().join(part).to_string_lossy().trim_end_matches('/').to_owned();
        names.into_iter().map(|(name, part)| (name.to_owned(), shown(part))).collect()
    }

    fn job(&self, command: &CommandSpec, argv: Vec<String>, reports: PathBuf) -> Job {
        let tree = self.scratch.tree();
        let cwd = command.cwd.as_ref().map_or_else(|| tree.clone(), |cwd| tree.join(cwd.as_str()));
        let mut env = self.kept_homes();
        let path_first: Vec<PathBuf> =
            [self.env_directory().join("bin")].into_iter().filter(|it| it.is_dir()).collect();
        if self.env_directory().join("pyvenv.cfg").is_file() {
            // The second name is uv's own for the same.
            for name in ["VIRTUAL_ENV", "UV_PROJECT_ENVIRONMENT"] {
                env.insert(name.to_owned(), self.env_directory().to_string_lossy().into_owned());
            }
        }
        // A package may bring a program of a tool's own name (npm itself is one): the machine's comes first.
        let path_last = [&cwd, &tree].map(|place| place.join("node_modules/.bin")).to_vec();
        env.extend(self.settings.env.clone());
        env.extend(command.env.iter().map(|(name, value)| (name.clone(), self.complete(value))));
        let mut writable = vec![tree, self.env_directory(), self.home(), reports];
        writable.extend(self.settings.writable.iter().cloned());
        Job {
            argv,
            cwd,
            env,
            path_first,
            path_last,
            writable,
            readable: self.settings.readable.clone(),
            network: self.reach(&command.network),
            proxy: None,
            limits: Limits {
                wall: command.timeout,
                memory: self.settings.memory,
                processes: self.settings.processes,
                disk: self.settings.disk,
                output: self.settings.output,
            },
        }
    }

    /// With a namespace of its own, a command that may reach nothing still has its own loopback interface: many tests
    /// start a server there, and nobody outside is reached by it.
    fn reach(&self, network: &Network) -> Network {
        match network {
            Network::Deny if self.sandbox.walls().tier == 1 => Network::Loopback,
            network => network.clone(),
        }
    }

    /// Runs a job; one that may reach hosts gets an egress proxy that knows just those and ends with it.
    async fn confined(&self, job: &Job) -> Result<Finished, VerifyError> {
        let Network::Allow(rules) = &job.network else { return Ok(self.sandbox.run(job, self.journal).await?) };
        let directory = self.scratch.directory().join("egress");
        tokio::fs::create_dir_all(&directory).await?;
        let socket = directory.join("socket");
        let proxy = Proxy::bind(&socket, Rules::new(rules, &self.settings.registries), Caps::default())?;
        self.sandbox.give(&directory)?;
        let job = Job { proxy: Some(socket), ..job.clone() };
        Ok(proxy.during(self.journal, self.sandbox.run(&job, self.journal)).await?)
    }

    /// Puts directories in for `{env}` and `{tree}`.
    fn complete(&self, word: &str) -> String {
        word.replace("{env}", &self.env_directory().to_string_lossy())
            .replace("{tree}", &self.scratch.tree().to_string_lossy())
    }

    /// The inverse, for the record: evidence names no path of the machine.
    fn shown(&self, word: &str) -> String {
        let directory = self.scratch.directory().to_string_lossy().into_owned();
        word.replace(&*self.env_directory().to_string_lossy(), "{env}")
            .replace(&*self.scratch.tree().to_string_lossy(), "{tree}")
            .replace(&directory, "{run}")
    }

    /// Keeps both outputs in one file, standard output first, and returns the hash of what was kept.
    async fn keep(&self, id: &str, purpose: &str, finished: &Finished) -> Result<Sha, VerifyError> {
        let mut bytes = finished.stdout.clone();
        if !finished.stderr.is_empty() {
            bytes.extend_from_slice(b"\n--- standard error ---\n");
            bytes.extend_from_slice(&finished.stderr);
        }
        let bytes = self.settings.redactor.scrub_bytes(&bytes);
        let slug: String = purpose.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).take(40).collect();
        tokio::fs::create_dir_all(self.evidence).await?;
        tokio::fs::write(self.evidence.join(format!("{id}-{slug}.txt")), &bytes).await?;
        Ok(Sha::of(&bytes))
    }
}

/// What ended a command that did not exit by itself.
fn ended_by(end: End) -> Option<String> {
    match end {
        End::Code(_) => None,
        End::Signal(signal) => Some(format!("signal {signal}")),
        End::Timeout => Some("timeout".to_owned()),
        End::Memory => Some("memory".to_owned()),
        End::Processes => Some("processes".to_owned()),
        End::Disk => Some("disk".to_owned()),
    }
}
