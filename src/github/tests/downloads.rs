//! Files that the forge names an address for.

use std::fs;
use std::path::PathBuf;

use wiremock::MockServer;

use crate::github::kept::{Excess, Kept, Place};
use crate::github::tests::{Scripted, Step, answers, client, journal, kept_journal, requests, status};
use crate::github::{Downloaded, GitHubError};

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn file(&self) -> PathBuf {
        self.0.path().join("file")
    }

    fn is_empty(&self) -> bool {
        fs::read_dir(self.0.path()).unwrap().next().is_none()
    }
}

/// A forge that sends to these addresses, one after the other.
async fn sending_to(addresses: impl IntoIterator<Item = String>) -> MockServer {
    answers(addresses.into_iter().map(|address| status(302).insert_header("location", address.as_str()))).await
}

/// Three bytes, all that there were.
const LOG: Option<Downloaded> = Some(Downloaded { bytes: 3, cut: false });

#[tokio::test]
async fn a_file_is_fetched_without_the_token() {
    let store = answers([status(200).set_body_string("log")]).await;
    let forge = sending_to([format!("{}/blob?sig=hush-signature", store.uri())]).await;
    let (folder, kept) = (Folder::new(), kept_journal());
    let github = client(&forge.uri());
    assert_eq!(github.job_log(3, &folder.file(), 9, &kept.journal).await.unwrap(), LOG);
    assert_eq!(fs::read_to_string(folder.file()).unwrap(), "log");
    assert!(forge.received_requests().await.unwrap()[0].headers.contains_key("authorization"));
    assert!(!store.received_requests().await.unwrap()[0].headers.contains_key("authorization"));
    assert_eq!(github.calls(), 1, "the store is not the interface");
    insta::assert_snapshot!(kept.lines(), @r"
    github GET job-log: 302
    github GET job-log (file): 200, 3 bytes
    ");
    assert!(!kept.text().contains("hush-signature"));
}

#[tokio::test]
async fn of_a_long_log_the_end_is_kept_and_of_a_large_archive_nothing() {
    let store = answers([status(200).set_body_string("abcdefghijklmnopqrstuvwxyz")]).await;
    let forge = sending_to([store.uri()]).await;
    let (github, folder, journal) = (client(&forge.uri()), Folder::new(), journal());
    let cut = |bytes| Some(Downloaded { bytes, cut: true });
    assert_eq!(github.artifact(4, &folder.file(), 10, &journal).await.unwrap(), cut(0));
    assert!(folder.is_empty());
    assert_eq!(github.job_log(3, &folder.file(), 10, &journal).await.unwrap(), cut(10));
    assert_eq!(fs::read_to_string(folder.file()).unwrap(), "qrstuvwxyz");
    fs::remove_file(folder.file()).unwrap();
    assert_eq!(
        github.artifact(4, &folder.file(), 26, &journal).await.unwrap(),
        Some(Downloaded { bytes: 26, cut: false })
    );
}

#[test]
fn the_end_is_the_end_however_it_comes() {
    let text: Vec<u8> = (0..=200).collect();
    let folder = Folder::new();
    for cap in [0, 1, 7, 64, 200, 201, 202] {
        for piece in [1, 3, 7, 8, 50, 64, 201] {
            for length in [0, 1, 6, 7, 8, 14, 150, 201] {
                let file = folder.file();
                let mut kept = Kept::create(Place { file: &file, cap, excess: Excess::KeepEnd }).unwrap();
                for bytes in text[..length].chunks(piece) {
                    assert!(kept.take(bytes).unwrap());
                }
                let downloaded = kept.finish().unwrap();
                let start = length.saturating_sub(usize::try_from(cap).unwrap());
                assert_eq!(fs::read(&file).unwrap(), text[start..length], "{cap} {piece} {length}");
                assert_eq!(downloaded, Downloaded { bytes: (length - start) as u64, cut: start > 0 });
                fs::remove_file(file).unwrap();
                assert!(folder.is_empty());
            }
        }
    }
}

#[tokio::test]
async fn a_log_that_is_not_there_is_none() {
    let xml = "<?xml version=\"1.0\"?><Error><Code>BlobNotFound</Code></Error>";
    let store = answers([status(404).set_body_string(xml)]).await;
    for forge in [sending_to([store.uri()]).await, answers([status(404)]).await, answers([status(410)]).await] {
        let folder = Folder::new();
        assert_eq!(client(&forge.uri()).job_log(3, &folder.file(), 9, &journal()).await.unwrap(), None);
        assert!(folder.is_empty());
    }
}

#[tokio::test]
async fn an_address_that_is_too_old_or_breaks_is_asked_for_anew() {
    let store = answers([status(200).set_body_string("log")]).await;
    let expired = answers([status(403)]).await;
    let broken = Scripted::start([Step::Half, Step::HangUp]).await;
    for first in [expired.uri(), broken.url.clone(), "http://127.0.0.1:1".to_owned()] {
        let forge = sending_to([format!("{first}/a"), store.uri()]).await;
        let (github, folder) = (client(&forge.uri()), Folder::new());
        assert_eq!(github.job_log(3, &folder.file(), 9, &journal()).await.unwrap(), LOG);
        assert_eq!(github.calls(), 2);
    }
    let forge = sending_to([expired.uri()]).await;
    let folder = Folder::new();
    let error = client(&forge.uri()).job_log(3, &folder.file(), 9, &journal()).await.unwrap_err();
    assert!(matches!(error, GitHubError::Unreachable { route: "job-log", .. }), "{error}");
    assert!(folder.is_empty());
}

#[tokio::test]
async fn redirects_are_followed_three_times() {
    let to = |place: &str| status(302).insert_header("location", place);
    let store = answers([to("/b"), to("c"), status(200).set_body_string("log")]).await;
    let forge = sending_to([format!("{}/x/a", store.uri())]).await;
    let folder = Folder::new();
    assert_eq!(client(&forge.uri()).job_log(3, &folder.file(), 9, &journal()).await.unwrap(), LOG);
    insta::assert_snapshot!(requests(&store).await, @r"
    GET /x/a
    GET /b
    GET /c
    ");

    let round = answers([to("/again")]).await;
    let forge = sending_to([round.uri()]).await;
    let error = client(&forge.uri()).job_log(3, &Folder::new().file(), 9, &journal()).await.unwrap_err();
    assert!(error.to_string().ends_with("it sends on more than 3 times"), "{error}");
    assert_eq!(round.received_requests().await.unwrap().len(), 3);
}

#[tokio::test]
async fn no_address_and_a_wrong_address_are_garbled() {
    let forges = [
        answers([status(302)]).await,
        answers([status(200).set_body_string("a log")]).await,
        sending_to(["http://example.org/a?sig=secret".to_owned()]).await,
        sending_to(["file:///etc/passwd?sig=secret".to_owned()]).await,
    ];
    for forge in forges {
        let folder = Folder::new();
        let error = client(&forge.uri()).job_log(3, &folder.file(), 9, &journal()).await.unwrap_err();
        assert!(matches!(&error, GitHubError::Garbled { route: "job-log", .. }), "{error}");
        assert!(!error.to_string().contains("secret") && folder.is_empty(), "{error}");
    }
}

#[tokio::test]
async fn a_file_that_is_there_is_left_alone() {
    let store = answers([status(200).set_body_string("log")]).await;
    let forge = sending_to([store.uri()]).await;
    let folder = Folder::new();
    fs::write(folder.file(), "mine").unwrap();
    let error = client(&forge.uri()).artifact(4, &folder.file(), 9, &journal()).await.unwrap_err();
    assert!(matches!(error, GitHubError::Unkept { route: "artifact", .. }), "{error}");
    assert_eq!(fs::read_to_string(folder.file()).unwrap(), "mine");
}
