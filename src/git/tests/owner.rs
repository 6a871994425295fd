//! Trees and checkouts of other owners.

use super::*;

#[tokio::test]
async fn files_written_by_reset_belong_to_the_owner_of_the_tree() {
    if !nix::unistd::geteuid().is_root() {
        return;
    }
    let world = World::new();
    let scratch = world.scratch(Base::Head).await;
    for name in ["", "dir", "dir/b.txt"] {
        std::os::unix::fs::chown(scratch.tree().join(name), Some(65534), Some(65534)).unwrap();
    }
    let written = fs::metadata(scratch.tree().join("dir/b.txt")).unwrap().mtime_nsec();
    let to = scratch.snapshot(&scratch.base(), &[edit("x/y.txt", None, file("y"))], "x").unwrap();
    scratch.reset(&to, &world.journal).await.unwrap();
    for name in ["a.txt", "x", "x/y.txt"] {
        assert_eq!(fs::metadata(scratch.tree().join(name)).unwrap().uid(), 65534, "{name}");
    }
    assert_eq!(fs::metadata(scratch.tree().join("dir/b.txt")).unwrap().mtime_nsec(), written);
    let captured = scratch.capture(&to, "x", &world.journal).await.unwrap();
    assert!(scratch.changes(&to, &captured).unwrap().is_empty());
}

#[tokio::test]
async fn a_checkout_of_another_owner_is_read() {
    if !nix::unistd::geteuid().is_root() {
        return;
    }
    let world = World::new();
    for name in ["", ".git", ".git/HEAD", ".git/config"] {
        std::os::unix::fs::chown(world.repo().join(name), Some(65534), Some(65534)).unwrap();
    }
    let scratch = world.scratch(Base::WorkTree).await;
    assert_eq!(read(&scratch, "dir/b.txt"), "b\n");
}
