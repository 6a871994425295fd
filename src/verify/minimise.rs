//! The smallest part of a candidate that still proves the fix.

use super::proof::holds;
use super::shrink::Shrink;
use super::{Bench, Outcome, VerifyError};
use crate::git::CommitId;
use crate::plan::Plan;

/// How often the proof may be run to find what is needed.
const ATTEMPTS: usize = 12;

impl Bench<'_> {
    /// Drops the hunks that the proof does not need. The caller verifies the result, which may lack what only the
    /// whole suite would miss; it is the candidate itself when nothing can go.
    ///
    /// # Errors
    /// [`VerifyError`].
    pub async fn minimise(&self, plan: &Plan, before: &Outcome, candidate: &CommitId) -> Result<CommitId, VerifyError> {
        let base = self.scratch.base();
        let hunks: Vec<(usize, usize)> = self
            .scratch
            .hunks(&base, candidate)?
            .into_iter()
            .enumerate()
            .flat_map(|(file, (_, count))| (0..count).map(move |hunk| (file, hunk)))
            .collect();
        let mut shrink = Shrink::new(hunks.len(), ATTEMPTS);
        let mut smallest = candidate.clone();
        while let Some(set) = shrink.attempt() {
            let keep = |file: usize, hunk: usize| set.iter().any(|at| hunks.get(*at) == Some(&(file, hunk)));
            let selected = self.scratch.select(&base, candidate, &keep)?;
            let outcome = self.run_at(&selected, &plan.proof.command, "minimise").await?;
            let held = holds(&plan.failures, before, &outcome).is_ok();
            if held {
                smallest = selected;
            }
            shrink.answer(held);
        }
        self.scratch.reset(&smallest, self.journal).await?;
        Ok(smallest)
    }
}
