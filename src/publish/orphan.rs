//! A branch that was made for a pull request that did not come to be is taken away again.

use super::ground::Ground;
use super::published::Trail;
use super::{Desk, commit};
use crate::github::{GitHubError, Pull, PullState};
use crate::ids::CommitSha;

/// Deletes the branch when it stands at the base, or at what this run `put` there, and no pull request needs it.
///
/// What does not work is noted: the way out that led here is what the reader has to know.
pub(super) async fn remove(ground: &Ground<'_>, desk: &Desk<'_>, put: &[CommitSha], trail: &mut Trail) {
    match is_orphan(ground, desk, put).await {
        Ok(true) => {}
        Ok(false) => return,
        Err(reason) => {
            trail.notes.push(format!("`{}` was not taken away again: {reason}", ground.own));
            return;
        }
    }
    trail.commit = None;
    if let Err(error) = desk.github.delete_branch(&ground.own, desk.journal).await {
        trail.notes.push(format!("`{}` could not be deleted: {error}", ground.own));
        return;
    }
    if let Err(error) = give_back(ground, desk, put, trail).await {
        trail.notes.push(format!("whether another run needed `{}` could not be found out: {error}", ground.own));
    }
}

/// Between the look and the deletion another run may have opened a pull request, which the deletion then closed. Nobody
/// else closes one that was not there a moment ago: so its branch comes back, and it is opened again.
async fn give_back(
    ground: &Ground<'_>,
    desk: &Desk<'_>,
    put: &[CommitSha],
    trail: &mut Trail,
) -> Result<(), GitHubError> {
    let closed = |pull: &Pull| {
        let ours = put.iter().any(|commit| commit.as_str() == pull.head.sha);
        ours && pull.state == PullState::Closed && pull.merged_at.is_none()
    };
    let pulls = desk.github.pulls_until(&ground.own, closed, desk.journal).await?;
    let Some(pull) = pulls.iter().find(|pull| closed(pull)) else { return Ok(()) };
    let Some(commit) = put.iter().find(|commit| commit.as_str() == pull.head.sha) else { return Ok(()) };
    desk.github.create_branch(&ground.own, commit, desk.journal).await?;
    desk.github.reopen_pull(pull.number, desk.journal).await?;
    trail.notes.push(format!("`{}` was put back for #{}, which another run had just opened", ground.own, pull.number));
    Ok(())
}

/// The same for what a run that was cut off left behind, when its commit is none that is waited for any more: a branch
/// at the base, or with one commit of ours on it. A run for a newer commit stands on that one, and is not touched.
pub(super) async fn sweep(ground: &Ground<'_>, desk: &Desk<'_>, trail: &mut Trail) {
    let Some(tip) = &ground.own_tip else { return };
    if ground.fetch(&[tip], Some(2)).await.is_err() {
        trail.notes.push(format!("`{}` may be left over, and could not be looked at", ground.own));
        return;
    }
    let left = ground.depot.describe(tip).is_ok_and(|described| {
        commit::is_ours(&described, &ground.fingerprint) && described.parents == [ground.base.clone()]
    });
    let put = if left { std::slice::from_ref(tip) } else { &[] };
    remove(ground, desk, put, trail).await;
}

async fn is_orphan(ground: &Ground<'_>, desk: &Desk<'_>, put: &[CommitSha]) -> Result<bool, String> {
    let Some(tip) = ground.own_tip_now().await.map_err(|end| end.reason)? else { return Ok(false) };
    if tip != ground.base && !put.contains(&tip) {
        return Ok(false);
    }
    // Also where it stands at the base: that one may have been begun at an earlier repair.
    let pulls = desk.github.pulls_of_branch(&ground.own, desk.journal).await;
    let pulls = pulls.map_err(|error| error.to_string())?;
    Ok(pulls.iter().all(|pull| pull.state != PullState::Open))
}
