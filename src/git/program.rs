//! The git program, started hermetically: nothing of the caller's environment or configuration reaches it.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};

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

/// How much of the standard error is kept in memory: a remote decides how much it says there.
const STDERR_BYTES: usize = 64 << 10;

/// How long a call that took too long gets to tidy up.
const GRACE: Duration = Duration::from_secs(2);

/// One call: where it works and on what. It may hold a credential, so it has no `Debug`.
#[derive(Clone, Copy)]
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
    /// More variables of the environment: what no argument may hold.
    pub(super) variables: &'a [(String, String)],
    pub(super) input: Input<'a>,
    /// How long it may take.
    pub(super) limit: Option<Duration>,
}

/// What a call reads.
#[derive(Clone, Copy)]
pub(super) enum Input<'a> {
    Bytes(&'a [u8]),
    /// From where the file stands to its end.
    File(&'a File),
}

impl<'a> Call<'a> {
    pub(super) fn new(args: &'a [&'a str], cwd: &'a Path) -> Self {
        Self {
            args,
            cwd,
            repository: None,
            index: None,
            options: &[],
            variables: &[],
            input: Input::Bytes(&[]),
            limit: None,
        }
    }

    pub(super) fn on(self, git_dir: &'a Path, work_tree: &'a Path) -> Self {
        Self { repository: Some((git_dir, work_tree)), ..self }
    }
}

/// What a call printed, and whether it succeeded.
pub(super) struct Printed {
    pub(super) success: bool,
    pub(super) stdout: Vec<u8>,
    /// The last of it, as the program wrote it.
    pub(super) stderr: String,
    /// Whether it was ended because it took too long.
    pub(super) late: bool,
}

impl Printed {
    /// The lines of a failure that are worth repeating.
    fn last_words(&self) -> String {
        let lines: Vec<&str> = self.stderr.lines().collect();
        lines[lines.len().saturating_sub(STDERR_LINES)..].join("\n")
    }
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
        match output {
            Ok(output) => Ok(Printed {
                success: output.status.success(),
                stdout: output.stdout,
                stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
                late: false,
            }),
            Err(error) if error.kind() == io::ErrorKind::TimedOut => {
                Ok(Printed { success: false, stdout: Vec::new(), stderr: error.to_string(), late: true })
            }
            Err(error) => Err(self.not_started(error)),
        }
    }

    /// Runs one call that must succeed; what it printed.
    pub(super) async fn expect(&self, call: Call<'_>, journal: &Journal) -> Result<Vec<u8>, GitError> {
        let printed = self.run(call, journal).await?;
        if printed.success {
            return Ok(printed.stdout);
        }
        let command = call.args.first().copied().unwrap_or_default().to_owned();
        Err(GitError::Program { command, stderr: printed.last_words() })
    }

    async fn output(&self, call: Call<'_>) -> io::Result<Output> {
        let mut child = self.command(call)?.spawn()?;
        let stdin = child.stdin.take();
        let feed = async {
            let (Some(mut stdin), Input::Bytes(bytes)) = (stdin, call.input) else { return };
            // A child that ends without reading says why itself.
            drop(stdin.write_all(bytes).await);
        };
        let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
        let id = child.id();
        let work = async {
            let ((), stdout, stderr, status) =
                tokio::join!(feed, read(stdout, usize::MAX), read(stderr, STDERR_BYTES), child.wait());
            Ok(Output { status: status?, stdout: stdout?, stderr: stderr? })
        };
        let mut work = std::pin::pin!(work);
        // Made last, so that it acts first when this future is dropped.
        let mut group = Group(id);
        let ended = match call.limit {
            None => Some(work.as_mut().await),
            Some(limit) => tokio::time::timeout(limit, work.as_mut()).await.ok(),
        };
        if let Some(output) = ended {
            if output.is_ok() {
                group.0 = None;
            }
            return output;
        }
        // Asked to end, git takes its locks away, which would be in the way of the next call.
        group.send(Signal::SIGTERM);
        drop(tokio::time::timeout(GRACE, work.as_mut()).await);
        let seconds = call.limit.unwrap_or_default().as_secs_f32();
        Err(io::Error::new(io::ErrorKind::TimedOut, format!("it did not end within {seconds} seconds")))
    }

    fn command(&self, call: Call<'_>) -> io::Result<tokio::process::Command> {
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
        command.envs(call.variables.iter().map(|(name, value)| (name, value)));
        command.args(call.args).kill_on_drop(true).process_group(0);
        let input = match call.input {
            Input::Bytes(_) => Stdio::piped(),
            Input::File(file) => file.try_clone()?.into(),
        };
        command.stdin(input).stdout(Stdio::piped()).stderr(Stdio::piped());
        Ok(command)
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

/// The processes of a call: git starts others for what it does over a network.
struct Group(Option<u32>);

impl Group {
    fn send(&self, signal: Signal) {
        let Some(id) = self.0.and_then(|id| i32::try_from(id).ok()) else { return };
        // Those that have ended already need no end.
        let _ = killpg(Pid::from_raw(id), signal);
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.send(Signal::SIGKILL);
    }
}

/// Reads to the end and keeps the last `most` bytes, or a little more.
async fn read(from: Option<impl AsyncRead + Unpin>, most: usize) -> io::Result<Vec<u8>> {
    let Some(mut from) = from else { return Ok(Vec::new()) };
    let mut bytes = Vec::new();
    while from.read_buf(&mut bytes).await? > 0 {
        let extra = bytes.len().saturating_sub(most);
        if extra > most {
            bytes.drain(..extra);
        }
    }
    Ok(bytes)
}

fn joined(prefix: &str, path: &Path) -> OsString {
    let mut word = OsString::from(prefix);
    word.push(path);
    word
}
