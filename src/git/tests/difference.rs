//! What lies between two commits: patches, hunks, lines.

use super::*;

#[tokio::test]
async fn a_patch_applies_with_git_apply() {
    let world = World::new();
    world.write("no-end.txt", "a\nb");
    world.write("latin.txt", b"caf\xe9\nx\n");
    world.write("odd \"name\u{e9}.txt", "q\n");
    world.write("script", "#!/bin/sh\n");
    world.write("turns", "into a link\n");
    world.write("blob", [0_u8, 1, 2, 255, 10, 0]);
    world.commit();
    let scratch = world.scratch(Base::Head).await;
    let changes = [
        edit("no-end.txt", None, file("a\nc")),
        edit("latin.txt", None, file(b"caf\xe9\ny\n")),
        edit("odd \"name\u{e9}.txt", None, file("r\n")),
        FileChange {
            path: path("script"),
            before: None,
            after: Some(File { bytes: b"#!/bin/sh\n".to_vec(), mode: Mode::Executable }),
        },
        FileChange {
            path: path("turns"),
            before: None,
            after: Some(File { bytes: b"a.txt".to_vec(), mode: Mode::Symlink }),
        },
        edit("blob", None, file([9_u8, 0, 200])),
        edit("new blob", None, file([0_u8, 200])),
        edit("new.txt", None, file("")),
        edit("dir/b.txt", file("b\n"), None),
        edit("crlf.txt", None, file("a\r\nb\r\n")),
    ];
    let to = scratch.snapshot(&scratch.base(), &changes, "x").unwrap();
    let patch = scratch.patch(&scratch.base(), &to).unwrap();
    assert_eq!(scratch.patch(&to, &to).unwrap(), "");
    let at = world.room.path().join("p.patch");
    fs::write(&at, &patch).unwrap();
    world.user(&["apply", "--index", at.to_str().unwrap()]);
    let tree = user_in(&scratch.directory().join("repo.git"), &["rev-parse", &format!("{}^{{tree}}", to.0)]);
    assert_eq!(world.user(&["write-tree"]), tree, "{patch}");
}

#[tokio::test]
async fn any_subset_of_hunks_can_be_selected() {
    let world = World::new();
    let scratch = world.scratch(Base::Head).await;
    let changes = [
        edit("a.txt", None, file("zero\none\nTWO\nthree\nfour\nsix\nseven\neight")),
        edit("new.txt", None, file("new\n")),
    ];
    let to = scratch.snapshot(&scratch.base(), &changes, "x").unwrap();
    assert_eq!(scratch.hunks(&scratch.base(), &to).unwrap(), [(path("a.txt"), 4), (path("new.txt"), 1)]);
    let text = |keep: &dyn Fn(usize, usize) -> bool| {
        let part = scratch.select(&scratch.base(), &to, keep).unwrap();
        scratch.source(&part).unwrap().text(&path("a.txt")).unwrap()
    };
    assert_eq!(text(&|_, _| true), "zero\none\nTWO\nthree\nfour\nsix\nseven\neight");
    assert_eq!(text(&|_, _| false), "one\ntwo\nthree\nfour\nfive\nsix\nseven\n");
    assert_eq!(text(&|_, hunk| hunk == 2), "one\ntwo\nthree\nfour\nsix\nseven\n");
    assert_eq!(text(&|_, hunk| hunk == 0), "zero\none\ntwo\nthree\nfour\nfive\nsix\nseven\n");
    let all = scratch.select(&scratch.base(), &to, &|_, _| true).unwrap();
    assert!(scratch.changes(&to, &all).unwrap().is_empty());
    let none = scratch.select(&scratch.base(), &to, &|_, _| false).unwrap();
    assert!(scratch.changes(&scratch.base(), &none).unwrap().is_empty());
}

#[tokio::test]
async fn changed_lines_are_numbered_in_the_newer_version() {
    let world = World::new();
    world.write("a.txt", "zero\none\nTWO\nthree\nfour\nsix\nseven\n");
    world.write("new.txt", "1\n2\n");
    fs::remove_file(world.repo().join("dir/b.txt")).unwrap();
    world.commit();
    let scratch = world.scratch(Base::Head).await;
    for range in ["HEAD~1..HEAD", "HEAD~1", "HEAD~1..", "main~1...main"] {
        let changed = scratch.changed(range, &world.journal).await.unwrap();
        let shown: Vec<_> = changed.iter().map(|one| (one.path.as_str(), one.hunks.as_slice())).collect();
        let expected: [(&str, &[(u32, u32)]); 3] =
            [("a.txt", &[(1, 1), (3, 1), (6, 0)]), ("dir/b.txt", &[(1, 0)]), ("new.txt", &[(1, 2)])];
        // A deleted file has no lines in the newer version.
        assert_eq!(shown[0], expected[0], "{range}");
        assert_eq!(shown[1].0, "dir/b.txt");
        assert!(shown[1].1.is_empty());
        assert_eq!(shown[2], expected[2]);
    }
    assert!(message(scratch.changed("nope..HEAD", &world.journal).await.unwrap_err()).contains("nope"));
}
