//! What the shell reads from the machine and hands down as values: environment, homes, the clock.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Context as _;

use crate::cache::Cache;
use crate::exit;
use crate::git::Git;
use crate::sandbox::Host;

/// The facts cache is trimmed to this size.
const CACHE_BYTES: u64 = 512 << 20;

/// The machine as the shell found it.
#[derive(Debug)]
pub(super) struct Machine {
    pub(super) env: BTreeMap<String, String>,
    pub(super) directory: PathBuf,
    /// Absolute; `None` for a user that has none.
    home: Option<PathBuf>,
    root: bool,
}

impl Machine {
    /// Reads the environment once.
    pub(super) fn read() -> anyhow::Result<Self> {
        #[expect(clippy::disallowed_methods, reason = "this is the shell")]
        let (variables, directory) = (std::env::vars_os(), std::env::current_dir());
        let env: BTreeMap<String, String> =
            variables.filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?))).collect();
        let directory = directory.context("the current directory cannot be read")?;
        let user = nix::unistd::geteuid();
        let of_user = || nix::unistd::User::from_uid(user).ok().flatten().map(|entry| entry.dir);
        let named = env.get("HOME").map(PathBuf::from).filter(|home| home.is_absolute());
        let home = named.or_else(of_user).filter(|home| home.is_absolute());
        Ok(Self { env, directory, home, root: user.is_root() })
    }

    /// What the sandbox needs to know.
    pub(super) fn host(&self) -> anyhow::Result<Host> {
        let tier = match self.env.get("UNBREAK_TIER").map(String::as_str) {
            None | Some("") => None,
            Some("1") => Some(1),
            Some("2") => Some(2),
            Some(other) => {
                return Err(exit::Usage::error(format!("UNBREAK_TIER={other} is no tier"), "set it to 1 or 2"));
            }
        };
        let helper = std::env::current_exe().context("the path of this program cannot be read")?;
        let home = self.home()?.to_owned();
        Ok(Host { helper, env: self.env.clone(), home, scratch: self.scratch()?, tier })
    }

    /// The git program, with a configuration of its own, for work on the repository that holds `repo`.
    pub(super) fn git(&self, repo: &Path) -> anyhow::Result<Git> {
        self.refuse_inside(repo)?;
        let search = self.env.get("PATH").map_or("/usr/local/bin:/usr/bin:/bin", String::as_str);
        let found = search.split(':').map(|place| Path::new(place).join("git")).find(|program| program.is_file());
        let program = found.ok_or_else(|| exit::Usage::error("git is not installed", "apt-get install git"))?;
        let home = self.state()?.join("git");
        Git::new(program, home.clone()).map_err(|error| {
            let message = format!("the state directory cannot be written: {error}");
            exit::Usage::error(message, "set XDG_STATE_HOME to a directory that you may write")
        })
    }

    /// Directories of ours that are not there yet are not made in the checkout, which is not written to. Git is not
    /// asked where that begins, because its own configuration is the first thing that would be made.
    fn refuse_inside(&self, repo: &Path) -> anyhow::Result<()> {
        let Ok(repo) = repo.canonicalize() else { return Ok(()) };
        let Some(root) = repo.ancestors().find(|above| above.join(".git").exists()) else { return Ok(()) };
        for (place, variable) in [(self.state()?, "XDG_STATE_HOME"), (self.cache()?, "XDG_CACHE_HOME")] {
            let above = place.ancestors().find_map(|above| above.canonicalize().ok());
            if !place.exists() && above.is_some_and(|above| above.starts_with(root)) {
                let message = format!("{} lies in the checkout, which is not written to", place.display());
                return Err(exit::Usage::error(message, format!("set {variable} to a directory outside of it")));
            }
        }
        Ok(())
    }

    fn home(&self) -> anyhow::Result<&Path> {
        self.home.as_deref().ok_or_else(|| {
            exit::Usage::error(
                "there is no home directory: HOME is not set to an absolute path, and the user has none",
                "set HOME, or XDG_STATE_HOME, XDG_CACHE_HOME and --out",
            )
        })
    }

    /// Where outputs go by default: `$XDG_STATE_HOME/unbreak`.
    pub(super) fn state(&self) -> anyhow::Result<PathBuf> {
        self.below("XDG_STATE_HOME", ".local/state")
    }

    /// What may be thrown away: `$XDG_CACHE_HOME/unbreak`.
    pub(super) fn cache(&self) -> anyhow::Result<PathBuf> {
        self.below("XDG_CACHE_HOME", ".cache")
    }

    /// Where scratch repositories lie: `UNBREAK_SCRATCH`, or a place by default. Root's are outside of its private home: the uid that jobs run as has to reach
    /// them.
    pub(super) fn scratch(&self) -> anyhow::Result<PathBuf> {
        if let Some(named) = self.env.get("UNBREAK_SCRATCH").filter(|value| value.starts_with('/')) {
            return Ok(PathBuf::from(named));
        }
        Ok(if self.root { PathBuf::from("/var/tmp/unbreak") } else { self.cache()?.join("scratch") })
    }

    /// The cache of what was derived from blobs; a run without one is only slower.
    pub(super) fn open_cache(&self) -> Option<Cache> {
        Cache::open(&self.cache().ok()?.join("facts"), CACHE_BYTES).ok()
    }

    /// A relative value counts as none, as the XDG specification has it.
    fn below(&self, variable: &str, otherwise: &str) -> anyhow::Result<PathBuf> {
        let named = self.env.get(variable).filter(|value| value.starts_with('/')).map(PathBuf::from);
        let base = match named {
            Some(named) => named,
            None => self.home()?.join(otherwise),
        };
        Ok(base.join("unbreak"))
    }
}

/// Milliseconds since 1970.
#[expect(clippy::disallowed_methods, reason = "this is the shell's clock")]
pub(super) fn wall_clock() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
