//! The git program, started hermetically: nothing of the caller's environment or configuration reaches it.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Instant;

use tokio::io::AsyncWriteExt as _;

use super::GitError;
use crate::journal::{Entry, Journal, WaitingFor};

/// Options in force on every call: they also beat the checkout's own configuration, which is not ours.
const OVERRIDES: &[&str] = &[
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.untrackedCache=false",
    "core.attributesFile=/dev/null",
    "core.excludesFile=/dev/null",
    "core.safecrlf=false",
    "submodule.recurse=false",
    "diff.ignoreSubmodules=dirty",
];

/// What stands in for the user's own configuration.
const CONFIG: &str = "[safe]\n\tdirectory = *\n[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n\
                      [protocol]\n\tallow = never\n[advice]\n\tdetachedHead = false\n";

/// The lines of a failure that are worth repeating.
const STDERR_LINES: usize = 8;

/// The git program and the configuration that it gets.
#[derive(Debug, Clone)]
pub struct Git {
    program: PathBuf,
    home: PathBuf,
}

/// One call: where it works and on what.
#[derive(Debug, Clone, Copy)]
pub(super) struct Call<'a> {
    pub(super) args: &'a [&'a str],
    /// The directory that it runs in.
    pub(super) cwd: &'a Path,
    /// The repository and the work tree; `None` finds them from `cwd`.
    pub(super) repository: Option<(&'a Path, &'a Path)>,
    /// Another index than the repository's.
    pub(super) index: Option<&'a Path>,
    /// More options, over [`OVERRIDES`].
    pub(super) options: &'a [String],
    pub(super) input: &'a [u8],
}

impl<'a> Call<'a> {
    pub(super) fn new(args: &'a [&'a str], cwd: &'a Path) -> Self {
        Self { args, cwd, repository: None, index: None, options: &[], input: &[] }
    }

    pub(super) fn on(self, git_dir: &'a Path, work_tree: &'a Path) -> Self {
        Self { repository: Some((git_dir, work_tree)), ..self }
    }
}

/// What a call printed, and whether it succeeded.
pub(super) struct Printed {
    pub(super) success: bool,
    pub(super) stdout: Vec<u8>,
    pub(super) stderr: String,
}

impl Git {
    /// A handle on `program` (an absolute path, or a name on the system's own path); `home` is a directory of ours
    /// that gets its configuration file and is made when missing.
    ///
    /// # Errors
    /// [`GitError::Io`] when the configuration cannot be written.
    pub fn new(program: PathBuf, home: PathBuf) -> Result<Self, GitError> {
        std::fs::create_dir_all(&home).map_err(GitError::io(&home))?;
        let git = Self { program, home };
        let config = git.config();
        if std::fs::read_to_string(&config).ok().as_deref() != Some(CONFIG) {
            // Renamed into place: a parallel run never reads half a file.
            let fresh = git.home.join(format!("gitconfig.{}", std::process::id()));
            std::fs::write(&fresh, CONFIG).map_err(GitError::io(&fresh))?;
            std::fs::rename(&fresh, &config).map_err(GitError::io(&config))?;
        }
        Ok(git)
    }

    fn config(&self) -> PathBuf {
        self.home.join("gitconfig")
    }

    /// Runs one call to its end, whatever its exit code, and records it.
    pub(super) async fn run(&self, call: Call<'_>, journal: &Journal) -> Result<Printed, GitError> {
        let begin = Instant::now();
        let output = self.output(call).await;
        let outcome = match &output {
            Ok(output) => output.status.to_string(),
            Err(error) => error.to_string(),
        };
        journal.record(Entry {
            action: "git".to_owned(),
            subject: call.args.join(" "),
            outcome,
            span: Some(journal.span(WaitingFor::Child, begin)),
            ..Entry::default()
        });
        let output = output.map_err(|error| self.not_started(error))?;
        let stderr = String::from_utf8_lossy(&output.stderr);
        let lines: Vec<&str> = stderr.lines().collect();
        let stderr = lines[lines.len().saturating_sub(STDERR_LINES)..].join("\n");
        Ok(Printed { success: output.status.success(), stdout: output.stdout, stderr })
    }

    /// Runs one call that must succeed; what it printed.
    pub(super) async fn expect(&self, call: Call<'_>, journal: &Journal) -> Result<Vec<u8>, GitError> {
        let printed = self.run(call, journal).await?;
        if printed.success {
            return Ok(printed.stdout);
        }
        let command = call.args.first().copied().unwrap_or_default().to_owned();
        Err(GitError::Program { command, stderr: printed.stderr })
    }

    async fn output(&self, call: Call<'_>) -> io::Result<std::process::Output> {
        #[expect(clippy::disallowed_methods, reason = "the git program is started here and nowhere else")]
        let mut command = tokio::process::Command::new(&self.program);
        command.env_clear().envs(self.environment()).current_dir(call.cwd);
        for option in OVERRIDES.iter().copied().chain(call.options.iter().map(String::as_str)) {
            command.args(["-c", option]);
        }
        if let Some((git_dir, work_tree)) = call.repository {
            command.arg(joined("--git-dir=", git_dir)).arg(joined("--work-tree=", work_tree));
        }
        if let Some(index) = call.index {
            command.env("GIT_INDEX_FILE", index);
        }
        command.args(call.args).kill_on_drop(true);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn()?;
        let stdin = child.stdin.take();
        let feed = async {
            let Some(mut stdin) = stdin else { return };
            // A child that ends without reading says why itself.
            drop(stdin.write_all(call.input).await);
        };
        let ((), output) = tokio::join!(feed, child.wait_with_output());
        output
    }

    fn environment(&self) -> [(&'static str, OsString); 10] {
        [
            ("PATH", "/usr/local/bin:/usr/bin:/bin".into()),
            ("LC_ALL", "C".into()),
            ("HOME", self.home.clone().into()),
            ("GIT_CONFIG_NOSYSTEM", "1".into()),
            ("GIT_CONFIG_GLOBAL", self.config().into()),
            ("GIT_ATTR_NOSYSTEM", "1".into()),
            ("GIT_TERMINAL_PROMPT", "0".into()),
            ("GIT_OPTIONAL_LOCKS", "0".into()),
            // A partial clone would otherwise reach for its remote while we only read.
            ("GIT_NO_LAZY_FETCH", "1".into()),
            ("GIT_PAGER", "cat".into()),
        ]
    }

    fn not_started(&self, error: io::Error) -> GitError {
        if error.kind() == io::ErrorKind::NotFound {
            let message = format!("the git program was not found at `{}`", self.program.display());
            return GitError::unusable(message, &["install git 2.31 or newer"]);
        }
        GitError::Io { path: self.program.clone(), source: error }
    }
}

fn joined(prefix: &str, path: &Path) -> OsString {
    let mut word = OsString::from(prefix);
    word.push(path);
    word
}
