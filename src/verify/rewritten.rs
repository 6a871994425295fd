//! Files of the tree that a run rewrote: a proof must not change what it proves.

use super::{Bench, VerifyError};
use crate::change::FileChange;
use crate::evidence::{Finding, Weight};
use crate::gate;
use crate::git::CommitId;
use crate::ids::RepoPath;

/// Package managers write these whenever they see fit.
const LOCKFILES: &[&str] =
    &["Cargo.lock", "package-lock.json", "yarn.lock", "pnpm-lock.yaml", "uv.lock", "poetry.lock", "Pipfile.lock"];

impl Bench<'_> {
    /// Tracked files that differ from the candidate's, after a command ran there: a finding each. One in a test, or in
    /// a file that the candidate changes, forbids it: what was proved is not what was proposed.
    ///
    /// # Errors
    /// [`VerifyError`].
    pub(super) async fn rewritten(&self, candidate: &CommitId) -> Result<Vec<Finding>, VerifyError> {
        let left = self.scratch.capture(candidate, "as a run left it", self.journal).await?;
        let rewritten = self.scratch.changes(candidate, &left)?;
        if rewritten.is_empty() {
            return Ok(Vec::new());
        }
        let proposed = self.scratch.changes(&self.scratch.base(), candidate)?;
        let proposed: Vec<&RepoPath> = proposed.iter().map(|change| &change.path).collect();
        Ok(rewritten.iter().filter_map(|change| finding(change, &proposed)).collect())
    }
}

fn finding(change: &FileChange, proposed: &[&RepoPath]) -> Option<Finding> {
    if LOCKFILES.contains(&change.path.file_name()) {
        return None;
    }
    let is_test = gate::touches_only_tests(std::slice::from_ref(change));
    let severity = if is_test || proposed.contains(&&change.path) { Weight::Block } else { Weight::Show };
    Some(Finding {
        rule: "rewritten-file".to_owned(),
        path: change.path.to_string(),
        line: None,
        message: "the run itself rewrites this file: what was proved is not what is proposed".to_owned(),
        severity,
    })
}
