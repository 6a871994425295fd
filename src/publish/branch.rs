//! The branch of a repair: its name, what stands on it, and what has to be put there.

use super::bundle::Sealed;
use super::change::Change;
use super::commit;
use super::end::{End, Step};
use super::ground::Ground;
use crate::git::{Depot, GitError};
use crate::ids::{CommitSha, OwnBranch};

/// More commits of ours than this are none.
const MOST_COMMITS: usize = 200;

/// `unbreak/<kind>-<the first eight digits of the fingerprint>`.
pub(super) fn name(sealed: &Sealed) -> Step<OwnBranch> {
    let failure = sealed.proposal.failure.as_ref();
    let Some(failure) = failure else { return Err(End::refused("proposal.json names no failure")) };
    let kind = format!("{:?}", failure.kind).to_lowercase();
    let digits = failure.id.as_str().get(..8).unwrap_or_default();
    OwnBranch::new(&format!("{}{kind}-{digits}", OwnBranch::PREFIX)).map_err(|error| End::refused(error.to_string()))
}

/// What stands on the branch.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// The repair.
    Wanted,
    /// Something older of ours, or nothing: the repair goes on top, with these parents.
    Behind(Vec<CommitSha>),
}

/// Looks at the tip of the branch. A commit that is not ours ends it: a person has taken over.
pub(super) async fn standing(ground: &Ground<'_>, tip: &CommitSha, change: &Change) -> Step<Standing> {
    let (depot, base) = (&ground.depot, &ground.base);
    if tip == base {
        return Ok(Standing::Behind(vec![base.clone()]));
    }
    let mut foreign = foreign(depot, tip, base, &ground.fingerprint)?;
    if foreign.is_some() {
        // What looks foreign may only lie before what was fetched so far.
        ground.fetch(&[tip, base], None).await?;
        foreign = self::foreign(depot, tip, base, &ground.fingerprint)?;
    }
    if let Some(commit) = foreign {
        let reason =
            format!("`{}` holds commit {commit}, which is neither ours nor on `{}`", ground.own, ground.failing);
        return Err(End::left_alone(reason).hint(format!("delete `{}` to let the bot begin anew", ground.own)));
    }
    if depot.is_ancestor(tip, base)? {
        return Ok(Standing::Behind(vec![base.clone()]));
    }
    let on_base = depot.is_ancestor(base, tip)?;
    if on_base && depot.describe(tip)?.tree == depot.describe(&change.wanted)?.tree {
        return Ok(Standing::Wanted);
    }
    let parents = if on_base { vec![tip.clone()] } else { vec![tip.clone(), base.clone()] };
    Ok(Standing::Behind(parents))
}

/// A commit at or before `tip` that is neither one of ours nor part of the failing branch.
fn foreign(depot: &Depot, tip: &CommitSha, base: &CommitSha, fingerprint: &str) -> Result<Option<CommitSha>, GitError> {
    let (mut open, mut seen) = (vec![tip.clone()], Vec::new());
    while let Some(commit) = open.pop() {
        if commit == *base || seen.contains(&commit) {
            continue;
        }
        if !depot.has(&commit) || seen.len() >= MOST_COMMITS {
            return Ok(Some(commit));
        }
        if depot.is_ancestor(&commit, base)? {
            continue;
        }
        let described = depot.describe(&commit)?;
        // A commit of ours has a parent; one whose parents were not fetched is looked at again with them.
        if described.parents.is_empty() || !commit::is_ours(&described, fingerprint) {
            return Ok(Some(commit));
        }
        open.extend(described.parents);
        seen.push(commit);
    }
    Ok(None)
}
