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
    home: PathBuf,
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
        let home = env.get("HOME").filter(|home| !home.is_empty()).map_or_else(|| PathBuf::from("/"), PathBuf::from);
        Ok(Self { env, directory, home, root: nix::unistd::geteuid().is_root() })
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
        Ok(Host { helper, env: self.env.clone(), home: self.home.clone(), scratch: self.scratch(), tier })
    }

    /// The git program, with a configuration of its own.
    pub(super) fn git(&self) -> anyhow::Result<Git> {
        let search = self.env.get("PATH").map_or("/usr/local/bin:/usr/bin:/bin", String::as_str);
        let found = search.split(':').map(|place| Path::new(place).join("git")).find(|program| program.is_file());
        let program = found.ok_or_else(|| exit::Usage::error("git is not installed", "apt-get install git"))?;
        Ok(Git::new(program, self.state().join("git"))?)
    }

    /// Where outputs go by default: `$XDG_STATE_HOME/unbreak`.
    pub(super) fn state(&self) -> PathBuf {
        self.below("XDG_STATE_HOME", ".local/state")
    }

    /// What may be thrown away: `$XDG_CACHE_HOME/unbreak`.
    pub(super) fn cache(&self) -> PathBuf {
        self.below("XDG_CACHE_HOME", ".cache")
    }

    /// Where scratch repositories lie: `UNBREAK_SCRATCH`, or a place by default. Root's are outside of its private home: the uid that jobs run as has to reach
    /// them.
    pub(super) fn scratch(&self) -> PathBuf {
        if let Some(named) = self.env.get("UNBREAK_SCRATCH").filter(|value| value.starts_with('/')) {
            return PathBuf::from(named);
        }
        if self.root { PathBuf::from("/var/tmp/unbreak") } else { self.cache().join("scratch") }
    }

    /// The cache of what was derived from blobs; a run without one is only slower.
    pub(super) fn open_cache(&self) -> Option<Cache> {
        Cache::open(&self.cache().join("facts"), CACHE_BYTES).ok()
    }

    fn below(&self, variable: &str, otherwise: &str) -> PathBuf {
        let named = self.env.get(variable).filter(|value| value.starts_with('/')).map(PathBuf::from);
        named.unwrap_or_else(|| self.home.join(otherwise)).join("unbreak")
    }
}

/// Milliseconds since 1970.
#[expect(clippy::disallowed_methods, reason = "this is the shell's clock")]
pub(super) fn wall_clock() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
