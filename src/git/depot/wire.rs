//! What a depot learns and takes from the forge.

use std::collections::BTreeMap;

use super::super::odd_objects;
use super::super::program::Call;
use super::super::transport::fault;
use super::super::{GitError, Remote};
use super::{Depot, kept};
use crate::ids::{BranchName, CommitSha};
use crate::journal::Journal;

impl Depot {
    /// The tips of branches on the forge; one that does not exist is not in the answer.
    ///
    /// # Errors
    /// [`GitError::Unreachable`], [`GitError::Denied`] and the others.
    pub async fn tips(
        &self,
        remote: &Remote,
        branches: &[&BranchName],
        journal: &Journal,
    ) -> Result<BTreeMap<BranchName, CommitSha>, GitError> {
        if branches.is_empty() {
            return Ok(BTreeMap::new());
        }
        let names: Vec<String> = branches.iter().map(|branch| branch.full()).collect();
        let mut args = vec!["ls-remote", "--quiet", "--refs", "--", remote.url()];
        args.extend(names.iter().map(String::as_str));
        let printed = self.git.reach(remote, Call::new(&args, &self.directory), journal).await?;
        if !printed.success {
            return Err(fault("ls-remote", &printed));
        }
        // Git matches the end of a ref: others than those asked for may be in its answer.
        let found: BTreeMap<String, CommitSha> = String::from_utf8_lossy(&printed.stdout)
            .lines()
            .filter_map(|line| line.split_once('\t'))
            .filter_map(|(id, name)| Some((name.to_owned(), CommitSha::new(id).ok()?)))
            .collect();
        let tip = |branch: &&BranchName| Some(((*branch).clone(), found.get(&branch.full())?.clone()));
        Ok(branches.iter().filter_map(tip).collect())
    }

    /// Brings commits in, with so many generations of history (from 1, the commit itself); `None` is all of it, also
    /// where it was cut off before. Every object is checked. Tags do not come along.
    ///
    /// # Errors
    /// [`GitError::Unreachable`], [`GitError::Denied`] (the forge does not have such a commit, or does not give it)
    /// and the others.
    pub async fn fetch(
        &self,
        remote: &Remote,
        commits: &[&CommitSha],
        depth: Option<u32>,
        journal: &Journal,
    ) -> Result<(), GitError> {
        if commits.is_empty() {
            return Ok(());
        }
        let depth = match depth {
            Some(depth) => Some(format!("--depth={}", depth.max(1))),
            None => (!self.shallow()?.is_empty()).then(|| "--unshallow".to_owned()),
        };
        let refs: Vec<String> = commits.iter().map(|commit| format!("{commit}:{}", kept(commit))).collect();
        let mut args = vec!["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules"];
        args.extend(["--no-auto-maintenance", "--no-show-forced-updates"]);
        args.extend(depth.as_deref());
        args.extend(["--", remote.url()]);
        args.extend(refs.iter().map(String::as_str));
        let options = odd_objects::for_fetch();
        let call = Call { options: &options, ..Call::new(&args, &self.directory) };
        let printed = self.git.reach(remote, call, journal).await?;
        if !printed.success {
            return Err(fault("fetch", &printed));
        }
        commits.iter().try_for_each(|commit| self.demand(commit))
    }
}
