//! What comes from the forge, and how its failures are told apart.

use std::io::Read as _;
use std::time::Duration;

use unbreak::git::{Depot, GitError, Patience, Remote};
use unbreak::ids::{BranchName, CommitSha};
use unbreak::journal::Journal;
use unbreak::secret::Secret;
use wiremock::matchers::any;
use wiremock::{Mock, MockServer, ResponseTemplate};

use super::{NAME, TOKEN, World};

fn branch(name: &str) -> BranchName {
    BranchName::new(name).unwrap()
}

/// How a call to a remote failed, with the certainty that the token is not told.
async fn failure(depot: &Depot, remote: &Remote, journal: &Journal) -> GitError {
    let error = depot.tips(remote, &[&branch("main")], journal).await.unwrap_err();
    assert!(!format!("{error} {error:?}").contains(TOKEN), "{error:?}");
    error
}

#[tokio::test]
async fn tips_are_those_of_the_branches_asked_for() {
    let world = World::new().await;
    let depot = world.depot("depot").await;
    world.server.git(NAME, &["branch", "feature/main", "main~1"]);
    world.server.git(NAME, &["update-ref", "refs/other/refs/heads/absent", "main~2"]);
    let asked = ["main", "feature/main", "absent"].map(branch);
    let tips = depot.tips(&world.remote(), &asked.each_ref(), &world.journal).await.unwrap();
    let expected = [(branch("feature/main"), world.at("main~1")), (branch("main"), world.at("main"))];
    assert_eq!(tips, expected.into());
    assert!(depot.tips(&world.remote(), &[], &world.journal).await.unwrap().is_empty());
}

#[tokio::test]
async fn a_commit_comes_with_so_much_history_as_is_asked_for() {
    let world = World::new().await;
    world.server.git(NAME, &["tag", "v1", "main~1"]);
    let depot = world.filled("depot", Some(2)).await;
    let here = |depot: &Depot| (0..5).map(|back| depot.has(&world.at(&format!("main~{back}")))).collect::<Vec<_>>();
    assert_eq!(here(&depot), [true, true, false, false, false]);
    depot.fetch(&world.remote(), &[&world.at("main")], None, &world.journal).await.unwrap();
    assert_eq!(here(&depot), [true; 5]);
    assert_eq!(World::look(&depot, &["fsck", "--full", "--strict"]), "");
    let refs = World::look(&depot, &["for-each-ref", "--format=%(refname)"]);
    assert_eq!(refs, format!("refs/unbreak/tips/{}", world.at("main")));
}

#[tokio::test]
async fn commits_that_no_branch_names_are_fetched_by_their_ids() {
    let world = World::new().await;
    let depot = world.depot("depot").await;
    let ids = [world.at("main~3"), world.at("main~1")];
    depot.fetch(&world.remote(), &ids.each_ref(), Some(1), &world.journal).await.unwrap();
    assert!(depot.has(&ids[0]) && depot.has(&ids[1]) && !depot.has(&world.at("main~2")));
    let unknown = CommitSha::new(&"1".repeat(40)).unwrap();
    let error = depot.fetch(&world.remote(), &[&unknown], None, &world.journal).await.unwrap_err();
    assert!(matches!(&error, GitError::Denied { reason, .. } if reason.contains("not our ref")), "{error:?}");
}

#[tokio::test]
async fn a_refusal_is_told_apart_from_a_broken_way() {
    let world = World::new().await;
    let depot = world.depot("depot").await;
    let wrong = Remote::new(&world.server.url(NAME), Some(Secret::new(format!("{TOKEN}x")))).unwrap();
    let none = Remote::new(&world.server.url(NAME), None).unwrap();
    let absent = Remote::new(&world.server.url("octo/absent"), Some(Secret::new(TOKEN.to_owned()))).unwrap();
    for remote in [wrong, none, absent] {
        let error = failure(&depot, &remote, &world.journal).await;
        assert!(matches!(error, GitError::Denied { .. }), "{error:?}");
    }
    // A port that was just let go of: nobody listens there.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let closed = Remote::new(&format!("http://127.0.0.1:{port}/a"), Some(Secret::new(TOKEN.to_owned()))).unwrap();
    let error = failure(&depot, &closed, &world.journal).await;
    assert!(matches!(error, GitError::Unreachable { .. }), "{error:?}");
}

#[tokio::test]
async fn the_status_of_an_answer_says_whose_fault_it_is() {
    let world = World::new().await;
    let depot = world.depot("depot").await;
    for (status, denied) in [(403, true), (404, true), (429, false), (500, false), (503, false)] {
        let server = MockServer::start().await;
        Mock::given(any()).respond_with(ResponseTemplate::new(status)).mount(&server).await;
        let remote = Remote::new(&format!("{}/a/b", server.uri()), None).unwrap();
        let error = failure(&depot, &remote, &world.journal).await;
        assert_eq!(matches!(error, GitError::Denied { .. }), denied, "{status}: {error:?}");
        assert_eq!(matches!(error, GitError::Unreachable { .. }), !denied, "{status}: {error:?}");
    }
}

#[tokio::test]
async fn a_server_that_says_nothing_ends_the_call() {
    let world = World::new().await;
    let depot = world.depot("depot").await;
    // The system takes the connection; nobody ever reads from it.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/a/b", listener.local_addr().unwrap());
    let hour = Duration::from_hours(1);
    for (silence, whole) in [(Duration::from_secs(1), hour), (hour, Duration::from_millis(300))] {
        let token = Some(Secret::new(TOKEN.to_owned()));
        let remote = Remote::new(&url, token).unwrap().with_patience(Patience { silence, whole });
        let error = failure(&depot, &remote, &world.journal).await;
        assert!(matches!(error, GitError::Unreachable { .. }), "{error:?}");
        // The connection ends: whatever git had started is gone too.
        let (mut connection, _) = listener.accept().unwrap();
        connection.set_read_timeout(Some(Duration::from_mins(1))).unwrap();
        let mut asked = Vec::new();
        connection.read_to_end(&mut asked).unwrap();
        assert!(asked.starts_with(b"GET /a/b/info/refs"));
    }
}

#[tokio::test]
async fn a_redirect_is_not_followed_and_takes_no_token_along() {
    let world = World::new().await;
    let depot = world.depot("depot").await;
    let elsewhere = MockServer::start().await;
    Mock::given(any()).respond_with(ResponseTemplate::new(200)).mount(&elsewhere).await;
    for status in [301, 302, 307, 308] {
        let server = MockServer::start().await;
        let target = format!("{}/a/b/info/refs?service=git-upload-pack", elsewhere.uri());
        let answer = ResponseTemplate::new(status).insert_header("Location", target.as_str());
        Mock::given(any()).respond_with(answer).mount(&server).await;
        let token = Some(Secret::new(TOKEN.to_owned()));
        let remote = Remote::new(&format!("{}/a/b", server.uri()), token).unwrap();
        let error = failure(&depot, &remote, &world.journal).await;
        assert!(matches!(error, GitError::Denied { .. }), "{error:?}");
        let asked = server.received_requests().await.unwrap();
        assert!(asked.iter().all(|request| request.headers.contains_key("authorization")) && !asked.is_empty());
    }
    assert!(elsewhere.received_requests().await.unwrap().is_empty());
}

#[tokio::test]
async fn objects_that_lead_out_of_a_tree_are_not_taken_and_old_oddities_are() {
    let world = World::new().await;
    let depot = world.depot("depot").await;
    for (name, entry, taken) in
        [("dots", "..", false), ("git", ".git", false), ("case", ".GIT", false), ("fine", "fine", true)]
    {
        let id = super::bundle::crafted(&world.server.repository(NAME), entry, "u <u@localhost> 1 +0000");
        world.server.git(NAME, &["update-ref", &format!("refs/heads/{name}"), id.as_str()]);
        let result = depot.fetch(&world.remote(), &[&id], None, &world.journal).await;
        assert_eq!(result.is_ok(), taken, "{entry}: {result:?}");
        assert_eq!(depot.has(&id), taken, "{entry}");
    }
    for who in ["u <u@localhost> 1 +051800", "u 1 +0000", "u<u@localhost> 1 +0000", " <> 1 +0000"] {
        let id = super::bundle::crafted(&world.server.repository(NAME), "fine", who);
        world.server.git(NAME, &["update-ref", "refs/heads/odd", id.as_str()]);
        depot.fetch(&world.remote(), &[&id], None, &world.journal).await.unwrap();
        assert!(depot.describe(&id).unwrap().parents.is_empty());
    }
}

#[tokio::test]
async fn a_fetch_that_took_too_long_is_in_the_way_of_no_other() {
    use std::os::unix::fs::PermissionsExt as _;
    let mut world = World::new().await;
    // A git that holds the lock of the list of ends when its time is up, and takes it away when it is asked to end.
    let (stuck, lock) = (world.path("stuck-git"), world.path("depot/.git/shallow.lock"));
    let (marker, locked) = (world.path("stuck"), lock.display());
    let script = format!(
        "#!/bin/sh\ncase \"$*\" in *' fetch '*) if [ -e {marker} ]; then\n\
         trap 'rm -f {locked}; exit 1' TERM; : >{locked}; while :; do sleep 0.1; done\nfi;; esac\nexec git \"$@\"\n",
        marker = marker.display()
    );
    std::fs::write(&stuck, script).unwrap();
    std::fs::set_permissions(&stuck, std::fs::Permissions::from_mode(0o755)).unwrap();
    std::fs::write(&marker, "").unwrap();
    world.git = unbreak::git::Git::new(stuck, world.path("config")).unwrap();
    let depot = world.depot("depot").await;
    let hour = Duration::from_hours(1);
    let hasty = world.remote().with_patience(Patience { silence: hour, whole: Duration::from_secs(1) });
    let error = depot.fetch(&hasty, &[&world.at("main")], Some(2), &world.journal).await.unwrap_err();
    assert!(matches!(error, GitError::Unreachable { .. }), "{error:?}");
    std::fs::remove_file(&marker).unwrap();
    depot.fetch(&world.remote(), &[&world.at("main")], Some(2), &world.journal).await.unwrap();
    assert!(depot.has(&world.at("main~1")));
}
