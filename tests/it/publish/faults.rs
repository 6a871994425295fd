//! What fails on the way: nothing is lost, nothing is doubled, nothing is left behind.

use unbreak::publish::{Outcome, Published};

use super::{Bundle, MENDED, Stage, assert_delivered, assert_untouched, lab, published};
use crate::support::github::{Fault, Route, Schedule};

#[tokio::test]
async fn a_refused_push_names_the_bundle_and_the_setting_and_leaves_no_branch() {
    for (words, hint) in [
        (
            "refusing to allow a GitHub App to create or update workflow `.github/workflows/ci.yml` without `workflows` permission",
            "older than a change",
        ),
        ("GH013: Repository rule violations found for refs/heads/unbreak/x", "unbreak/**"),
        ("not today", ""),
    ] {
        let github = lab().await;
        github.world().git.refuse_pushes(Some(words));
        let bundle = Bundle::of(&github).change("calc.py", MENDED).sealed();
        let published = published(&github, &bundle).await;
        assert_eq!(published.outcome, Outcome::Refused, "{published:?}");
        assert!(published.reason.contains(words), "{published:?}");
        assert!(hint.is_empty() || published.hints.iter().any(|told| told.contains(hint)), "{published:?}");
        assert_eq!(published.bundle.as_deref(), Some(bundle.path()));
        assert_untouched(&github);
        github.finish();
    }
}

#[tokio::test]
async fn a_refused_pull_request_names_the_setting_and_leaves_no_branch() {
    let github = lab().await;
    github.world().may_open_pulls = false;
    let bundle = Bundle::of(&github).change("calc.py", MENDED).sealed();
    let refused = published(&github, &bundle).await;
    assert_eq!(refused.outcome, Outcome::Refused, "{refused:?}");
    assert!(refused.hints.iter().any(|hint| hint.contains("Allow GitHub Actions to create")), "{refused:?}");
    assert_eq!((refused.commit, refused.bundle.as_deref()), (None, Some(bundle.path())));
    assert_untouched(&github);
    github.world().may_open_pulls = true;
    assert_eq!(published(&github, &bundle).await.outcome, Outcome::Opened);
    assert_delivered(&github);
    github.finish();
}

#[tokio::test]
async fn a_lost_answer_makes_no_second_pull_request() {
    for (route, lag) in [(Route::CreatePull, 0), (Route::CreatePull, 2), (Route::CreateRef, 0), (Route::GitPush, 0)] {
        for fault in [Fault::Lose, Fault::LoseAtGateway] {
            let github = lab().await;
            github.world().lag = lag;
            github.world().faults.next(route, fault.clone());
            let bundle = Bundle::of(&github).change("calc.py", MENDED).sealed();
            let stage = Stage { labels: vec!["ci".to_owned()], ..Stage::new() };
            let published = stage.publish(&github, &bundle).await;
            assert_eq!(published.outcome, Outcome::Opened, "{route:?} {fault}: {published:?}");
            assert_eq!(github.world().pulls[0].labels, ["ci"], "{route:?} {fault}");
            assert_delivered(&github);
            github.finish();
        }
    }
}

#[tokio::test]
async fn labels_that_cannot_be_added_are_a_note() {
    let github = lab().await;
    github.world().faults.next(Route::AddLabels, Fault::status(403));
    let bundle = Bundle::of(&github).change("calc.py", MENDED).sealed();
    let stage = Stage { labels: vec!["ci".to_owned()], ..Stage::new() };
    let published = stage.publish(&github, &bundle).await;
    assert_eq!(published.outcome, Outcome::Opened, "{published:?}");
    assert!(published.notes[0].contains("labels"), "{published:?}");
    github.finish();
}

#[tokio::test]
async fn a_list_that_lags_behind_hides_no_pull_request() {
    let github = lab().await;
    github.world().lag = 3;
    let bundle = Bundle::of(&github).change("calc.py", MENDED).sealed();
    assert_eq!(published(&github, &bundle).await.outcome, Outcome::Opened);
    let again = published(&github, &bundle).await;
    assert!(again.outcome.is_delivered(), "{again:?}");
    assert_delivered(&github);
    assert_eq!(github.world().pulls.len(), 1);
    github.finish();
}

/// Each kind of request that publishing sends, twice cut off, or done without an answer, or refused.
#[tokio::test]
async fn whatever_breaks_off_is_finished_by_running_it_again() {
    let routes = [
        Route::Repository,
        Route::Pulls,
        Route::BranchRules,
        Route::CreateRef,
        Route::GitRefs,
        Route::GitFetch,
        Route::GitPush,
        Route::CreatePull,
        Route::AddLabels,
    ];
    for route in routes {
        for fault in [Fault::Cut, Fault::Lose, Fault::status(403)] {
            let github = lab().await;
            let faults = (1..=2).map(|number| (route, number, fault.clone())).collect();
            github.world().follow_schedule(&Schedule { seed: 0, lag: 0, faults, moved: None });
            let bundle = Bundle::of(&github).change("calc.py", MENDED).sealed();
            let stage = Stage { labels: vec!["ci".to_owned()], ..Stage::new() };
            let mut ends = Vec::new();
            while ends.len() < 4 && !ends.last().is_some_and(|end: &Published| end.outcome.is_delivered()) {
                ends.push(stage.publish(&github, &bundle).await);
            }
            assert!(ends.last().is_some_and(|end| end.outcome.is_delivered()), "{route:?} {fault}: {ends:?}");
            assert_delivered(&github);
            assert_eq!(github.world().pulls.len(), 1, "{route:?} {fault}: {ends:?}");
            github.finish();
        }
    }
}
