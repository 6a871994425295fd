//! Patches become commits: those that the scratch repository writes, and those of a stranger.

use unbreak::change::{File, FileChange, Mode};
use unbreak::git::Base;
use unbreak::ids::{CommitSha, RepoPath};
use unbreak::source::Source as _;

use super::{World, unusable};

fn change(path: &str, mode: Mode, after: Option<&[u8]>) -> FileChange {
    let after = after.map(|bytes| File { bytes: bytes.to_vec(), mode });
    FileChange { path: RepoPath::new(path).unwrap(), before: None, after }
}

#[tokio::test]
async fn every_patch_of_a_scratch_repository_gives_the_tree_that_it_was_made_from() {
    let mut world = World::new().await;
    for (name, text) in [
        ("dos.txt", &b"a\r\nb\r\nc\r\n"[..]),
        ("no-end.txt", b"a\nb"),
        ("latin.txt", b"caf\xe9\nx\n"),
        ("blob", &[0, 1, 2, 255, 10, 0]),
        ("script", b"#!/bin/sh\n"),
        ("turns", b"into a link\n"),
        ("odd \"n\u{e9}me\t.txt", b"q\n"),
        ("gone", b"gone\n"),
        ("empty", b""),
        ("moves", b"1\n2\n3\n4\n5\n6\n"),
        ("tail ", b"blank at the end  \n\t\n"),
        (".gitattributes", b"*.bat text eol=crlf\n*.txt whitespace=trailing-space,cr-at-eol\n"),
        ("run.bat", b"a\r\nb\r\n"),
    ] {
        std::fs::write(world.local.file(name), text).unwrap();
    }
    world.local.git(&["add", "-A"]);
    world.local.commit("all kinds");
    world.server.take(super::NAME, world.local.path());
    world.journal = unbreak::journal::Journal::unkept(|| 0);
    let depot = world.filled("depot", Some(1)).await;
    depot.set_head(&world.at("main")).unwrap();
    let checkout = unbreak::git::Checkout::open(&world.git, depot.directory(), &world.journal).await.unwrap();
    let scratch =
        unbreak::git::Scratch::create(&checkout, &world.path("runs"), Base::Head, &world.journal).await.unwrap();
    let changes = [
        change("dos.txt", Mode::Regular, Some(b"a\r\nB\r\nc\n")),
        change("no-end.txt", Mode::Regular, Some(b"a\nc")),
        change("latin.txt", Mode::Regular, Some(b"caf\xe9\ny\n")),
        change("blob", Mode::Regular, Some(&[9, 0, 200])),
        change("script", Mode::Executable, Some(b"#!/bin/sh\n")),
        change("turns", Mode::Symlink, Some(b"a.txt")),
        change("gone", Mode::Regular, None),
        change("empty", Mode::Regular, None),
        change("moves", Mode::Regular, None),
        change("dir/moved", Mode::Regular, Some(b"1\n2\n3\n4\n5\n6\n7\n")),
        change("tail ", Mode::Regular, Some(b"blank at the end  \n\t\n \n")),
        change("run.bat", Mode::Regular, Some(b"a\nc\n")),
        change("new empty", Mode::Regular, Some(b"")),
        change("new/deep/blob", Mode::Executable, Some(&[0, 200])),
        change("a.txt", Mode::Regular, None),
        change("a.txt/inside", Mode::Regular, Some(b"in\n")),
        change("sub", Mode::Submodule, Some(b"0123456789012345678901234567890123456789")),
    ];
    let to = scratch.snapshot(&scratch.base(), &changes, "x").unwrap();
    let patch = scratch.patch(&scratch.base(), &to).unwrap();
    let made = depot.apply(&world.at("main"), patch.as_bytes(), &world.journal).await.unwrap();
    assert_eq!(depot.changes(&world.at("main"), &made).unwrap(), scratch.changes(&scratch.base(), &to).unwrap());
    let described = depot.describe(&made).unwrap();
    assert_eq!(described.parents, [world.at("main")]);
    assert_eq!(depot.apply(&world.at("main"), patch.as_bytes(), &world.journal).await.unwrap(), made);
    assert_eq!(std::fs::read_dir(depot.directory()).unwrap().count(), 1, "nothing in the work tree");
    let left = std::fs::read_dir(depot.directory().join(".git")).unwrap();
    let left: Vec<_> = left.map(|entry| entry.unwrap().file_name()).collect();
    assert!(!left.iter().any(|name| name.to_string_lossy().contains("patch-index")), "{left:?}");
}

#[tokio::test]
async fn an_empty_patch_changes_nothing() {
    let world = World::new().await;
    let depot = world.filled("depot", None).await;
    let made = depot.apply(&world.at("main"), b"", &world.journal).await.unwrap();
    assert_eq!(depot.describe(&made).unwrap().tree, depot.describe(&world.at("main")).unwrap().tree);
}

#[tokio::test]
async fn a_patch_that_does_not_apply_says_so() {
    let world = World::new().await;
    let depot = world.filled("depot", None).await;
    let base = world.at("main");
    let good = "diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-5\n+6\n";
    depot.apply(&base, good.as_bytes(), &world.journal).await.unwrap();
    let absent = CommitSha::new(&"1".repeat(40)).unwrap();
    assert!(unusable(depot.apply(&absent, good.as_bytes(), &world.journal).await).contains("is not here"));
    for (patch, said) in [
        (good.replace("-5", "-4"), "patch failed: a.txt:1"),
        (good.replace("a.txt", "absent.txt"), "absent.txt: does not exist in index"),
        (good.replace("+6\n", ""), "corrupt patch"),
        ("just words\n".to_owned(), "No valid patches"),
        (good.replace("a.txt", "\u{1b}[31mred\u{202e}"), "red: does not exist"),
    ] {
        let message = unusable(depot.apply(&base, patch.as_bytes(), &world.journal).await);
        assert!(message.starts_with(&format!("the patch does not apply to commit {base}: ")), "{message}");
        assert!(message.contains(said) && !message.contains(['\n', '\u{1b}', '\u{202e}']), "{message}");
    }
}

/// A patch that makes a file of a mode.
fn making(path: &str, mode: &str, text: &str) -> String {
    format!("diff --git a/{path} b/{path}\nnew file mode {mode}\n--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+{text}\n")
}

#[tokio::test]
async fn paths_that_leave_the_tree_are_refused() {
    let world = World::new().await;
    let depot = world.filled("depot", None).await;
    let base = world.at("main");
    for path in [
        "../out",
        "a/../../out",
        "/etc/out",
        ".git/hooks/post-checkout",
        "sub/.git/config",
        ".GIT/config",
        "git~1/config",
        ".g\u{200c}it/config",
        "./a",
        "dir//x",
        "a.txt/below",
    ] {
        let message = unusable(depot.apply(&base, making(path, "100644", "x").as_bytes(), &world.journal).await);
        assert!(message.contains("does not apply"), "{path}: {message}");
    }
    assert!(!world.path("out").exists());
    assert_eq!(std::fs::read_dir(depot.directory()).unwrap().count(), 1);
    assert!(!depot.directory().join(".git/hooks").exists());
}

#[tokio::test]
async fn a_symlink_is_an_entry_of_the_tree_and_nothing_is_written_through_it() {
    let world = World::new().await;
    let depot = world.filled("depot", None).await;
    let base = world.at("main");
    let outside = world.path("outside");
    std::fs::create_dir(&outside).unwrap();
    let link = making("link", "120000", outside.to_str().unwrap());
    let through = [link.as_str(), &making("link/file", "100644", "x")].concat();
    unusable(depot.apply(&base, through.as_bytes(), &world.journal).await);
    let made = depot.apply(&base, link.as_bytes(), &world.journal).await.unwrap();
    let changes = depot.changes(&base, &made).unwrap();
    assert_eq!(changes[0].after.as_ref().unwrap().mode, Mode::Symlink);
    assert!(depot.source(&made).unwrap().files().iter().all(|entry| entry.path.as_str() != "link"));
    // Onto a commit that has it: git sees no directory there.
    unusable(depot.apply(&made, making("link/file", "100644", "x").as_bytes(), &world.journal).await);
    assert_eq!(std::fs::read_dir(&outside).unwrap().count(), 0);
}

/// Texts that differ in the ways that line-based tools stumble over, always the same ones.
fn text(state: &mut u64) -> Vec<u8> {
    let mut next = |below: u64| {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from((*state >> 33) % below).unwrap()
    };
    let words: [&[u8]; 12] = [
        b"a",
        b"b",
        b"",
        b" ",
        b"\t",
        b"a  ",
        b"-- ",
        b"+x",
        b"-x",
        b"@@ -1 +1 @@",
        b"\\ No newline at end of file",
        "\u{e9}\u{202e}".as_bytes(),
    ];
    let ends: [&[u8]; 5] = [b"\n", b"\n", b"\r\n", b"\r", b"\x0c\n"];
    let mut bytes = Vec::new();
    for _ in 0..next(12) {
        bytes.extend_from_slice(words[next(12)]);
        bytes.extend_from_slice(ends[next(5)]);
    }
    match next(6) {
        0 => bytes.extend_from_slice(b"no end"),
        1 => bytes.extend_from_slice(&[0, 255, 10]),
        2 => bytes.push(0xe9),
        _ => {}
    }
    bytes
}

#[tokio::test]
async fn patches_between_odd_texts_are_exact() {
    let world = World::new().await;
    let depot = world.filled("depot", None).await;
    depot.set_head(&world.at("main")).unwrap();
    let scratch = world.scratch(&depot).await;
    let mut state = 7;
    let mut files = |count: usize| -> Vec<FileChange> {
        (0..count).map(|at| change(&format!("f{at}"), Mode::Regular, Some(&text(&mut state)))).collect()
    };
    let mut at = scratch.base();
    let mut ours = world.at("main");
    for _ in 0..3 {
        let next = scratch.snapshot(&at, &files(80), "x").unwrap();
        let patch = scratch.patch(&at, &next).unwrap();
        let made = depot.apply(&ours, patch.as_bytes(), &world.journal).await.unwrap();
        assert_eq!(depot.changes(&ours, &made).unwrap(), scratch.changes(&at, &next).unwrap());
        (at, ours) = (next, made);
    }
}

#[tokio::test]
async fn a_small_patch_that_grows_without_measure_is_refused() {
    let world = World::new().await;
    let depot = world.filled("depot", None).await;
    // Zeroes alone: what git packs to a thousandth.
    std::fs::File::create(world.local.file("zeroes")).unwrap().set_len((256 << 20) + 1).unwrap();
    world.local.git(&["-c", "core.compression=1", "add", "zeroes"]);
    let patch = world.local.git(&["-c", "core.compression=1", "diff", "--cached", "--binary"]) + "\n\n";
    assert!(patch.len() < 4 << 20, "{}", patch.len());
    let message = unusable(depot.apply(&world.at("main"), patch.as_bytes(), &world.journal).await);
    assert!(message.contains("over limit"), "{message}");
}
