//! Writing into the user's own files.

use super::*;

#[tokio::test]
async fn apply_writes_all_or_none() {
    let world = World::new();
    world.write("script", "old\n");
    world.write("dos.txt", "a\r\nb\r\n");
    fs::set_permissions(world.repo().join("script"), fs::Permissions::from_mode(0o750)).unwrap();
    let checkout = world.checkout().await;
    let good = [
        edit("a.txt", file("one\ntwo\nthree\nfour\nfive\nsix\nseven\n"), file("fixed\n")),
        edit("script", file("old\n"), file("new\n")),
        edit("dos.txt", file("a\nb\n"), file("a\nc\n")),
        edit("dir/b.txt", file("b\n"), None),
        edit("made/new.txt", None, file("new\n")),
    ];
    let stale = edit("dir/b.txt", file("other\n"), file("x"));
    let error = checkout.apply(&[good[0].clone(), stale]).unwrap_err();
    assert!(message(error).contains("dir/b.txt: its content changed"));
    let text = |name: &str| fs::read_to_string(world.repo().join(name)).unwrap();
    assert!(text("a.txt").starts_with("one"));
    checkout.apply(&good).unwrap();
    assert_eq!(
        (text("a.txt"), text("dos.txt"), text("made/new.txt")),
        ("fixed\n".into(), "a\r\nc\r\n".into(), "new\n".into())
    );
    assert!(!world.repo().join("dir/b.txt").exists());
    assert_eq!(fs::metadata(world.repo().join("script")).unwrap().mode() & 0o777, 0o750);
    assert_eq!(world.user(&["ls-files", "--others"]).matches("unbreak").count(), 0);
}

#[tokio::test]
async fn apply_goes_through_no_symlink_and_into_no_git_directory() {
    let world = World::new();
    let outside = world.room.path().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("b.txt"), "b\n").unwrap();
    fs::remove_dir_all(world.repo().join("dir")).unwrap();
    symlink(&outside, world.repo().join("dir")).unwrap();
    symlink(outside.join("b.txt"), world.repo().join("link")).unwrap();
    let checkout = world.checkout().await;
    for name in ["dir/b.txt", "dir/new.txt", "link", ".git/hooks/pre-commit", "sub/.GIT/config"] {
        let before = if name.ends_with("b.txt") || name == "link" { file("b\n") } else { None };
        message(checkout.apply(&[edit(name, before, file("x\n"))]).unwrap_err());
    }
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 1);
    assert_eq!(fs::read_to_string(outside.join("b.txt")).unwrap(), "b\n");
}
