//! What a bench remembers between runs: how many commands ran, and what checks showed before any change.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use super::Outcome;
use crate::git::CommitId;
use crate::policy::CommandSpec;

/// The memory of one run; one ledger serves every bench of it, so that ids are unique.
#[derive(Debug, Default)]
pub struct Ledger {
    commands: AtomicU64,
    base: Mutex<BTreeMap<String, Outcome>>,
    trees: Mutex<BTreeSet<String>>,
}

impl Ledger {
    /// `c1`, `c2`, …
    pub(super) fn next_id(&self) -> String {
        format!("c{}", self.commands.fetch_add(1, Ordering::Relaxed) + 1)
    }

    /// Remembers that a command ran on this snapshot.
    pub(super) fn remember_tree(&self, commit: &CommitId) {
        self.trees.lock().unwrap_or_else(PoisonError::into_inner).insert(commit.0.clone());
    }

    /// Whether commands ran on no other snapshots than these: what they left in the tree is then of these alone.
    #[must_use]
    pub fn ran_only(&self, commits: &[&CommitId]) -> bool {
        let trees = self.trees.lock().unwrap_or_else(PoisonError::into_inner);
        trees.iter().all(|tree| commits.iter().any(|commit| commit.0 == *tree))
    }

    /// What a command showed before any change, if it was run there.
    pub(super) fn base_outcome(&self, command: &CommandSpec) -> Option<Outcome> {
        self.base.lock().unwrap_or_else(PoisonError::into_inner).get(&key(command)).cloned()
    }

    /// Remembers what a command showed before any change.
    pub(super) fn remember_base(&self, command: &CommandSpec, outcome: &Outcome) {
        self.base.lock().unwrap_or_else(PoisonError::into_inner).insert(key(command), outcome.clone());
    }
}

/// Two commands are the same when words, directory and variables are.
fn key(command: &CommandSpec) -> String {
    format!("{:?} {:?} {:?}", command.argv, command.cwd, command.env)
}

/// Whether two commands run the same thing.
pub(super) fn same_command(a: &CommandSpec, b: &CommandSpec) -> bool {
    key(a) == key(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_count_from_one() {
        let ledger = Ledger::default();
        assert_eq!([ledger.next_id(), ledger.next_id()], ["c1", "c2"]);
    }
}
