//! Where a step keeps what one stage hands to the next, and to later steps of the job.
//!
//! The runner's directory for temporary files is shared with a container (`/github/runner_temp`), so a later step finds
//! the same files on the host below `${{ runner.temp }}`. A path is therefore told relative to that directory: the
//! absolute one of a container means nothing outside of it. Runners older than September 2025 share the home directory
//! only, which lies in the same place as `_github_home`.

use std::collections::BTreeMap;
use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, lchown};
use std::path::{Path, PathBuf};

/// The home directory of a container action.
const CONTAINER_HOME: &str = "/github/home";

/// The directory of a step.
#[derive(Debug)]
pub(super) struct Place {
    root: PathBuf,
    /// As a later step names it below `${{ runner.temp }}`; absolute where that directory is not known.
    shown: String,
    /// The one who owns the runner's directory, when we are root and it is somebody else.
    owner: Option<(u32, u32)>,
}

impl Place {
    /// Makes the directory for an attempt of a run, closed to others.
    ///
    /// # Errors
    /// When it cannot be made.
    pub(super) fn make(env: &BTreeMap<String, String>, state: &Path, name: &str) -> io::Result<Self> {
        let (base, shown) = base(env, state);
        let above = base.join("unbreak");
        let root = above.join(name);
        DirBuilder::new().recursive(true).mode(0o700).create(&root)?;
        let owner = fs::metadata(&base).ok().map(|base| (base.uid(), base.gid()));
        let root_user = nix::unistd::geteuid().is_root();
        let owner = owner.filter(|(user, _)| root_user && *user != 0);
        if let Some((user, group)) = owner {
            lchown(&above, Some(user), Some(group))?;
        }
        let shown = shown.unwrap_or_else(|| format!("{}/", base.display()));
        Ok(Self { root, shown: format!("{shown}unbreak/{name}"), owner })
    }

    /// The directory itself.
    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    /// A directory in it.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    /// The same as a later step names it.
    pub(super) fn shown(&self, name: &str) -> String {
        format!("{}/{name}", self.shown)
    }

    /// Removes what an earlier step of the same job left under a name.
    ///
    /// # Errors
    /// When it cannot be removed.
    pub(super) fn clear(&self, name: &str) -> io::Result<()> {
        match fs::remove_dir_all(self.path(name)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }
}

/// A runner that is not root could neither upload nor remove what root made.
impl Drop for Place {
    fn drop(&mut self) {
        if let Some(owner) = self.owner {
            // What cannot be handed over is the next step's to complain of.
            drop(hand_over(&self.root, owner));
        }
    }
}

fn hand_over(path: &Path, (user, group): (u32, u32)) -> io::Result<()> {
    lchown(path, Some(user), Some(group))?;
    if fs::symlink_metadata(path)?.is_dir() {
        for entry in fs::read_dir(path)? {
            hand_over(&entry?.path(), (user, group))?;
        }
    }
    Ok(())
}

/// The directory to work below, and how a path in it begins for a later step.
fn base(env: &BTreeMap<String, String>, state: &Path) -> (PathBuf, Option<String>) {
    let directory = |name: &str| env.get(name).map(PathBuf::from).filter(|path| path.is_absolute() && path.is_dir());
    if let Some(temporary) = directory("RUNNER_TEMP") {
        return (temporary, Some(String::new()));
    }
    match directory("HOME") {
        Some(home) if home == Path::new(CONTAINER_HOME) => (home, Some("_github_home/".to_owned())),
        _ => (state.to_owned(), None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_told_as_a_later_step_finds_them() {
        let directory = tempfile::tempdir().unwrap();
        let temporary = directory.path().display().to_string();
        let env = BTreeMap::from([("RUNNER_TEMP".to_owned(), temporary)]);
        let place = Place::make(&env, Path::new("/nowhere"), "7-1").unwrap();
        assert_eq!(place.path("proposal"), directory.path().join("unbreak/7-1/proposal"));
        assert_eq!(place.shown("proposal"), "unbreak/7-1/proposal");
        assert_eq!(fs::metadata(place.root()).unwrap().mode() & 0o777, 0o700);
    }

    #[test]
    fn without_the_runners_directory_the_path_is_a_whole_one() {
        let directory = tempfile::tempdir().unwrap();
        for temporary in ["/nowhere/at/all", "relative", ""] {
            let env = BTreeMap::from([("RUNNER_TEMP".to_owned(), temporary.to_owned())]);
            let place = Place::make(&env, directory.path(), "7-1").unwrap();
            assert_eq!(place.shown("proposal"), place.path("proposal").display().to_string());
        }
    }

    #[test]
    fn what_an_earlier_step_left_is_cleared() {
        let directory = tempfile::tempdir().unwrap();
        let place = Place::make(&BTreeMap::new(), directory.path(), "7-1").unwrap();
        place.clear("proposal").unwrap();
        fs::create_dir(place.path("proposal")).unwrap();
        place.clear("proposal").unwrap();
        assert!(!place.path("proposal").exists());
    }
}
