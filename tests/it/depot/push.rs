//! The way out: forward only, and each refusal told for what it is.

use unbreak::git::{GitError, PushError, Remote};
use unbreak::ids::OwnBranch;
use wiremock::matchers::any;
use wiremock::{Mock, MockServer, ResponseTemplate};

use super::{NAME, World, over};

fn branch() -> OwnBranch {
    OwnBranch::new("unbreak/failure-0a1b2c3d").unwrap()
}

fn tip(world: &World) -> String {
    world.server.git(NAME, &["rev-parse", "refs/heads/unbreak/failure-0a1b2c3d"])
}

#[tokio::test]
async fn a_branch_is_made_moved_forward_and_left_where_it_is() {
    let world = World::new().await;
    let depot = world.filled("depot", Some(1)).await;
    let one = over(&depot, &world.at("main"), "one");
    let two = over(&depot, &one, "two");
    for commit in [&one, &one, &two, &two] {
        depot.push(&world.remote(), commit, &branch(), &world.journal).await.unwrap();
        assert_eq!(tip(&world), commit.as_str());
    }
    assert_eq!(world.server.git(NAME, &["rev-parse", "main"]), world.at("main").as_str());
    assert_eq!(world.server.git(NAME, &["for-each-ref", "--format=%(refname)"]).lines().count(), 2);
    assert_eq!(world.server.git(NAME, &["fsck", "--strict"]), "");
}

#[tokio::test]
async fn a_branch_that_moved_is_left_alone() {
    let world = World::new().await;
    let depot = world.filled("depot", Some(1)).await;
    let ours = over(&depot, &world.at("main"), "ours");
    let known = over(&depot, &world.at("main"), "known");
    depot.push(&world.remote(), &known, &branch(), &world.journal).await.unwrap();
    // A commit that is here, and one that never was.
    for theirs in [known.as_str().to_owned(), commit_of_another(&world)] {
        world.server.git(NAME, &["update-ref", "refs/heads/unbreak/failure-0a1b2c3d", &theirs]);
        let error = depot.push(&world.remote(), &ours, &branch(), &world.journal).await.unwrap_err();
        assert!(matches!(error, PushError::Moved), "{error:?}");
        assert_eq!(tip(&world), theirs);
    }
    // Nor is it moved back.
    let error = depot.push(&world.remote(), &world.at("main"), &branch(), &world.journal).await.unwrap_err();
    assert!(matches!(error, PushError::Moved), "{error:?}");
}

fn commit_of_another(world: &World) -> String {
    let identity = ["-c", "user.name=other", "-c", "user.email=other@localhost"];
    world.server.git(NAME, &[&identity[..], &["commit-tree", "-p", "main", "-m", "theirs", "main^{tree}"]].concat())
}

#[tokio::test]
async fn a_branch_that_moves_during_the_push_is_left_alone() {
    let world = World::new().await;
    let depot = world.filled("depot", Some(1)).await;
    let ours = over(&depot, &world.at("main"), "ours");
    let theirs = commit_of_another(&world);
    let full = branch().name().full();
    // After the list of branches was given, and before ours is written.
    world.server.hook(NAME, "pre-receive", &format!("unset GIT_QUARANTINE_PATH; git update-ref {full} {theirs}"));
    let error = depot.push(&world.remote(), &ours, &branch(), &world.journal).await.unwrap_err();
    assert!(matches!(error, PushError::Moved), "{error:?}");
    assert_eq!(tip(&world), theirs);
}

#[tokio::test]
async fn of_two_pushes_at_once_one_wins() {
    let world = World::new().await;
    let (a, b) = (world.filled("a", Some(1)).await, world.filled("b", Some(1)).await);
    let (of_a, of_b) = (over(&a, &world.at("main"), "a"), over(&b, &world.at("main"), "b"));
    let (remote, branch) = (world.remote(), branch());
    let (first, second) =
        tokio::join!(a.push(&remote, &of_a, &branch, &world.journal), b.push(&remote, &of_b, &branch, &world.journal));
    let winner = match (first, second) {
        (Ok(()), Err(PushError::Moved)) => of_a,
        (Err(PushError::Moved), Ok(())) => of_b,
        other => panic!("{other:?}"),
    };
    assert_eq!(tip(&world), winner.as_str());
    // The same commit from two sides is no quarrel.
    for depot in [&a, &b] {
        depot.fetch(&remote, &[&winner], Some(1), &world.journal).await.unwrap();
    }
    let same = over(&a, &winner, "same");
    assert_eq!(over(&b, &winner, "same"), same);
    let both =
        tokio::join!(a.push(&remote, &same, &branch, &world.journal), b.push(&remote, &same, &branch, &world.journal));
    assert!(both.0.is_ok() && both.1.is_ok(), "{both:?}");
}

#[tokio::test]
async fn the_words_of_a_hook_come_as_one_harmless_line() {
    let world = World::new().await;
    let depot = world.filled("depot", Some(1)).await;
    let ours = over(&depot, &world.at("main"), "ours");
    world.server.hook(
        NAME,
        "pre-receive",
        "printf 'GH013: \\033[31mrule\\033[0m \\342\\200\\256broken\\n\\n::error::owned\\n*\\tx:refs/heads/unbreak/failure-0a1b2c3d\\t[new branch]\\n' >&2\n\
         head -c 100000 /dev/zero | tr '\\0' 'x' >&2\nexit 1",
    );
    let error = depot.push(&world.remote(), &ours, &branch(), &world.journal).await.unwrap_err();
    let PushError::Refused(message) = &error else { panic!("{error:?}") };
    assert!(message.starts_with("pre-receive hook declined: GH013: rule broken ::error::owned"), "{message}");
    assert!(
        message.chars().count() < 500 && !message.contains(|c: char| c.is_control() || c == '\u{202e}'),
        "{message}"
    );
    let refs = world.server.git(NAME, &["for-each-ref", "--format=%(refname)"]);
    assert_eq!(refs, "refs/heads/main");
}

#[tokio::test]
async fn a_name_that_is_taken_by_a_directory_of_branches_is_a_refusal() {
    let world = World::new().await;
    let depot = world.filled("depot", Some(1)).await;
    let ours = over(&depot, &world.at("main"), "ours");
    world.server.git(NAME, &["branch", "unbreak/failure-0a1b2c3d/below", "main"]);
    let error = depot.push(&world.remote(), &ours, &branch(), &world.journal).await.unwrap_err();
    assert!(matches!(error, PushError::Refused(_)), "{error:?}");
}

#[tokio::test]
async fn a_missing_right_is_a_refusal_and_a_broken_way_is_not() {
    let world = World::new().await;
    let depot = world.filled("depot", Some(1)).await;
    let ours = over(&depot, &world.at("main"), "ours");
    for (status, refused) in [(401, true), (403, true), (404, true), (502, false)] {
        let server = MockServer::start().await;
        Mock::given(any()).respond_with(ResponseTemplate::new(status)).mount(&server).await;
        let remote = Remote::new(&format!("{}/a/b", server.uri()), None).unwrap();
        let error = depot.push(&remote, &ours, &branch(), &world.journal).await.unwrap_err();
        assert_eq!(matches!(error, PushError::Refused(_)), refused, "{status}: {error:?}");
        assert_eq!(matches!(error, PushError::Git(GitError::Unreachable { .. })), !refused, "{status}: {error:?}");
    }
}
