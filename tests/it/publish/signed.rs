//! Repositories that demand signed commits: the forge makes the commit.

use unbreak::publish::Outcome;

use super::{Bundle, MENDED, OTHERWISE, assert_delivered, lab, published};
use crate::support::github::{By, Fault, Route};

#[tokio::test]
async fn where_signatures_are_demanded_the_forge_makes_the_commit() {
    let github = lab().await;
    github.world().signatures = true;
    let bundle = Bundle::of(&github).change("calc.py", MENDED).sealed();
    let first = published(&github, &bundle).await;
    assert_eq!(first.outcome, Outcome::Opened, "{first:?}");
    assert!(github.world().moves.iter().all(|change| change.by != By::Push));
    assert_delivered(&github);
    assert_eq!(published(&github, &bundle).await.outcome, Outcome::Unchanged);
    let later = Bundle::of(&github).change("calc.py", OTHERWISE).attempt(2).sealed();
    assert_eq!(published(&github, &later).await.outcome, Outcome::Updated);
    assert_delivered(&github);
    github.finish();
}

#[tokio::test]
async fn a_push_that_is_refused_for_want_of_a_signature_becomes_such_a_commit() {
    let github = lab().await;
    github.world().git.refuse_pushes(Some("GH013: Commits must have verified signatures."));
    let bundle = Bundle::of(&github).change("calc.py", MENDED).sealed();
    let published = published(&github, &bundle).await;
    assert_eq!(published.outcome, Outcome::Opened, "{published:?}");
    assert_delivered(&github);
    github.finish();
}

#[tokio::test]
async fn a_signed_commit_cannot_bring_two_lines_together() {
    let github = lab().await;
    github.world().signatures = true;
    published(&github, &Bundle::of(&github).change("calc.py", MENDED).sealed()).await;
    let newer = github.world().push("main", &[("other.py", "x = 1\n")], "More");
    github.world().rerun("main", &newer);
    let later = Bundle::of(&github).base(&newer).change("calc.py", MENDED).attempt(2).sealed();
    let second = published(&github, &later).await;
    assert_eq!(second.outcome, Outcome::Stale, "{second:?}");
    assert!(second.hints.iter().any(|hint| hint.contains("close its pull request")), "{second:?}");
    github.finish();
}

#[tokio::test]
async fn a_lost_answer_to_a_signed_commit_makes_no_second_one() {
    let github = lab().await;
    {
        let mut world = github.world();
        world.signatures = true;
        world.faults.next(Route::CommitOnBranch, Fault::Lose);
    }
    let bundle = Bundle::of(&github).change("calc.py", MENDED).sealed();
    let published = published(&github, &bundle).await;
    assert_eq!(published.outcome, Outcome::Opened, "{published:?}");
    assert_delivered(&github);
    github.finish();
}
