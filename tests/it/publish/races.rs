//! What others do meanwhile: people, other runs, the branch itself.

use unbreak::ids::BranchName;
use unbreak::incident::Incident;
use unbreak::publish::Outcome;

use super::{Bundle, MENDED, OTHERWISE, assert_delivered, assert_untouched, lab, own_branch, published};
use crate::support::github::{Fault, Route, Schedule};

#[tokio::test]
async fn a_branch_that_moved_gets_no_pull_request() {
    let github = lab().await;
    let bundle = Bundle::of(&github).change("calc.py", MENDED).sealed();
    github.world().push("main", &[("calc.py", OTHERWISE)], "A person was faster");
    let published = published(&github, &bundle).await;
    assert_eq!(published.outcome, Outcome::Stale, "{published:?}");
    assert_eq!(published.bundle.as_deref(), Some(bundle.path()));
    assert_untouched(&github);
    github.finish();
}

#[tokio::test]
async fn a_branch_that_moves_at_any_moment_gets_no_pull_request_and_no_orphan() {
    // Git asks for the branches before the fetch, before the push, with it, and before the pull request.
    let mut stale = 0;
    for moment in 1..=6 {
        let github = lab().await;
        let bundle = Bundle::of(&github).change("calc.py", MENDED).sealed();
        let meanwhile = Schedule { seed: 0, lag: 0, faults: Vec::new(), moved: Some((Route::GitRefs, moment)) };
        github.world().follow_schedule(&meanwhile);
        let published = published(&github, &bundle).await;
        if published.outcome == Outcome::Stale {
            assert_untouched(&github);
            stale += 1;
        } else {
            assert_eq!(published.outcome, Outcome::Opened, "{moment}: {published:?}");
            assert_delivered(&github);
        }
        github.finish();
    }
    assert!(stale >= 4, "only {stale} moments were noticed");
}

#[tokio::test]
async fn two_runs_with_the_same_repair_make_one_pull_request() {
    let github = lab().await;
    let bundles = [1, 2].map(|_| Bundle::of(&github).change("calc.py", MENDED).sealed());
    let (one, two) = tokio::join!(published(&github, &bundles[0]), published(&github, &bundles[1]));
    for published in [&one, &two] {
        assert!(published.outcome.is_delivered(), "{published:?}");
    }
    assert_delivered(&github);
    assert_eq!(github.world().pulls.len(), 1);
    github.finish();
}

#[tokio::test]
async fn two_runs_with_different_repairs_make_one_pull_request_that_says_what_it_holds() {
    for _ in 0..3 {
        let github = lab().await;
        let one = Bundle::of(&github).change("calc.py", MENDED).sealed();
        let two = Bundle::of(&github).change("calc.py", OTHERWISE).attempt(2).sealed();
        let (one, two) = tokio::join!(published(&github, &one), published(&github, &two));
        for published in [&one, &two] {
            let known = published.outcome.is_delivered() || published.outcome == Outcome::Stale;
            assert!(known, "{one:?} {two:?}");
        }
        assert!(one.outcome.is_delivered() || two.outcome.is_delivered(), "{one:?} {two:?}");
        assert_delivered(&github);
        github.finish();
    }
}

#[tokio::test]
async fn what_a_person_pushed_to_the_branch_stays() {
    let github = lab().await;
    let first = published(&github, &Bundle::of(&github).change("calc.py", MENDED).sealed()).await;
    let branch = first.branch.unwrap().to_string();
    let theirs = github.world().push(&branch, &[("calc.py", "# better\n")], "Better");
    let later = Bundle::of(&github).change("calc.py", OTHERWISE).attempt(2).sealed();
    let second = published(&github, &later).await;
    assert_eq!(second.outcome, Outcome::LeftAlone, "{second:?}");
    assert!(second.reason.contains(&theirs), "{second:?}");
    assert_eq!(github.world().git.tip(&branch).unwrap(), theirs);
    github.finish();
}

#[tokio::test]
async fn a_commit_that_a_person_amended_is_that_persons() {
    let github = lab().await;
    let first = published(&github, &Bundle::of(&github).change("calc.py", MENDED).sealed()).await;
    let branch = first.branch.unwrap().to_string();
    // The words and the author stay with an amended commit; the committer does not.
    let theirs = {
        let mut world = github.world();
        let words = world.git.message(&branch);
        world.push(&branch, &[("calc.py", "# better\n")], &words)
    };
    let later = Bundle::of(&github).change("calc.py", OTHERWISE).attempt(2).sealed();
    assert_eq!(published(&github, &later).await.outcome, Outcome::LeftAlone);
    assert_eq!(github.world().git.tip(&branch).unwrap(), theirs);
    github.finish();
}

#[tokio::test]
async fn what_a_run_that_was_cut_off_left_goes_when_the_branch_has_moved_on() {
    for (route, fault) in [(Route::GitPush, Fault::Cut), (Route::CreatePull, Fault::Cut)] {
        let github = lab().await;
        let bundle = Bundle::of(&github).change("calc.py", MENDED).sealed();
        let faults = (1..=20).map(|number| (route, number, fault.clone()));
        // What would tidy up is cut off as well.
        let faults = faults.chain((1..=20).map(|number| (Route::DeleteRef, number, Fault::Cut))).collect();
        github.world().follow_schedule(&Schedule { seed: 0, lag: 0, faults, moved: None });
        let cut_off = published(&github, &bundle).await;
        assert_eq!(cut_off.outcome, Outcome::Failed, "{cut_off:?}");
        assert!(own_branch(&github).is_some());
        drop(std::mem::take(&mut github.world().faults));
        github.world().push("main", &[("other.py", "x = 1\n")], "Meanwhile");
        let stale = published(&github, &bundle).await;
        assert_eq!(stale.outcome, Outcome::Stale, "{stale:?}");
        assert_untouched(&github);
        github.finish();
    }
}

#[tokio::test]
async fn a_person_who_closed_it_said_no_and_one_who_merged_it_did_not() {
    let github = lab().await;
    let bundle = Bundle::of(&github).change("calc.py", MENDED).sealed();
    published(&github, &bundle).await;
    github.world().close_pull(1, false);
    let closed = published(&github, &bundle).await;
    assert_eq!(closed.outcome, Outcome::LeftAlone, "{closed:?}");
    assert_eq!(github.world().pulls.len(), 1);
    // Merged, and the same failure is back.
    github.world().pulls[0].state = crate::support::github::State::Merged;
    let later = Bundle::of(&github).change("calc.py", OTHERWISE).attempt(2).sealed();
    let again = published(&github, &later).await;
    assert_eq!(again.outcome, Outcome::Opened, "{again:?}");
    assert_delivered(&github);
    github.finish();
}

#[tokio::test]
async fn a_pull_request_whose_body_a_person_rewrote_stays() {
    let github = lab().await;
    let bundle = Bundle::of(&github).change("calc.py", MENDED).sealed();
    let first = published(&github, &bundle).await;
    github.world().pulls[0].body = "Mine now.".to_owned();
    let again = published(&github, &bundle).await;
    assert_eq!(again.outcome, Outcome::LeftAlone, "{again:?}");
    assert_eq!(github.world().pulls[0].body, "Mine now.");
    assert_eq!(own_branch(&github), first.branch.map(|branch| branch.to_string()));
    github.finish();
}

#[tokio::test]
async fn a_branch_that_began_at_a_repair_and_moved_does_not_cost_the_repair_its_pull_request() {
    let github = lab().await;
    let first = published(&github, &Bundle::of(&github).change("calc.py", MENDED).sealed()).await;
    let repair = first.commit.unwrap().to_string();
    {
        let mut world = github.world();
        world.git.create("mine", &repair);
        world.rerun("mine", &repair);
    }
    let on_mine = |it: &mut Incident| it.head.branch = Some(BranchName::new("mine").unwrap());
    let bundle = Bundle::of(&github).base(&repair).change("calc.py", OTHERWISE).happening(on_mine).sealed();
    github.world().push("mine", &[("other.py", "x = 1\n")], "More");
    let stale = published(&github, &bundle).await;
    assert_eq!(stale.outcome, Outcome::Stale, "{stale:?}");
    assert_delivered(&github);
    github.finish();
}
