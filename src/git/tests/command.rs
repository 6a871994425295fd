//! What commands in a tree can ask of git, and what they can plant there.

use super::*;

#[tokio::test]
async fn commands_in_the_tree_can_ask_git_for_a_version() {
    let world = World::new();
    world.user(&["tag", "-a", "v1.2", "-m", "v1.2"]);
    let scratch = world.scratch(Base::Head).await;
    assert_eq!(user_in(&scratch.tree(), &["describe", "--tags", "--dirty"]).trim(), "v1.2");
    fs::write(scratch.tree().join("a.txt"), "x").unwrap();
    assert_eq!(user_in(&scratch.tree(), &["describe", "--tags", "--dirty"]).trim(), "v1.2-dirty");
}

#[tokio::test]
async fn commands_in_the_tree_have_a_repository_of_their_own_to_write() {
    let world = World::new();
    world.user(&["tag", "v1"]);
    let scratch = world.scratch(Base::Head).await;
    let (tree, base) = (scratch.tree(), scratch.base());
    assert_eq!(user_in(&tree, &["status", "--porcelain"]), "");
    fs::write(tree.join("a.txt"), "x").unwrap();
    fs::write(tree.join(".git/hooks/post-checkout"), "#!/bin/sh\n").unwrap();
    user_in(&tree, &["commit", "-qam", "x"]);
    user_in(&tree, &["config", "core.fsmonitor", "/bin/false"]);
    scratch.reset(&base, &world.journal).await.unwrap();
    assert!(!tree.join(".git/hooks/post-checkout").exists());
    assert!(!fs::read_to_string(tree.join(".git/config")).unwrap().contains("fsmonitor"));
    assert_eq!(user_in(&tree, &["rev-parse", "HEAD"]).trim(), base.0);
    assert_eq!(user_in(&tree, &["describe", "--tags", "--dirty"]).trim(), "v1");
}

#[tokio::test]
async fn planted_symlinks_and_repositories_lead_nowhere() {
    let world = World::new();
    let scratch = world.scratch(Base::Head).await;
    let outside = world.room.path().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("b.txt"), "outside\n").unwrap();
    fs::write(outside.join("target"), "outside\n").unwrap();
    fs::remove_dir_all(scratch.tree().join("dir")).unwrap();
    symlink(&outside, scratch.tree().join("dir")).unwrap();
    fs::remove_file(scratch.tree().join("a.txt")).unwrap();
    symlink(outside.join("target"), scratch.tree().join("a.txt")).unwrap();
    fs::remove_dir_all(scratch.tree().join(".git")).unwrap();
    user_in(&scratch.tree(), &["init", "-q"]);
    let captured = scratch.capture(&scratch.base(), "x", &world.journal).await.unwrap();
    let changes = scratch.changes(&scratch.base(), &captured).unwrap();
    assert_eq!(changes[0].after.as_ref().unwrap().mode, Mode::Symlink);
    assert_eq!((changes[1].path.as_str(), &changes[1].after), ("dir/b.txt", &None));
    scratch.reset(&scratch.base(), &world.journal).await.unwrap();
    assert_eq!(read(&scratch, "dir/b.txt"), "b\n");
    assert!(fs::symlink_metadata(scratch.tree().join("a.txt")).unwrap().is_file());
    for name in ["b.txt", "target"] {
        assert_eq!(fs::read_to_string(outside.join(name)).unwrap(), "outside\n");
    }
}

#[tokio::test]
async fn a_link_in_place_of_the_trees_repository_is_not_followed() {
    let world = World::new();
    let scratch = world.scratch(Base::Head).await;
    let inner = scratch.tree().join(".git");
    let target = world.room.path().join("target");
    fs::create_dir(&target).unwrap();
    fs::remove_dir_all(&inner).unwrap();
    symlink(&target, &inner).unwrap();
    scratch.reset(&scratch.base(), &world.journal).await.unwrap();
    assert_eq!(fs::read_dir(&target).unwrap().count(), 0);
    assert!(fs::symlink_metadata(&inner).unwrap().is_dir());
}

#[tokio::test]
async fn an_unprivileged_user_can_ask_git_in_the_tree_but_not_change_the_repository() {
    use std::os::unix::process::CommandExt as _;
    if !nix::unistd::geteuid().is_root() {
        return;
    }
    let world = World::new();
    fs::set_permissions(world.room.path(), fs::Permissions::from_mode(0o755)).unwrap();
    world.user(&["tag", "v3"]);
    let scratch = world.scratch(Base::Head).await;
    std::os::unix::fs::chown(scratch.tree(), Some(65534), Some(65534)).unwrap();
    let ask = |args: &[&str]| {
        #[expect(clippy::disallowed_methods, reason = "stands in for a command in the sandbox")]
        let output = std::process::Command::new("git")
            .args(args)
            .current_dir(scratch.tree())
            .env_clear()
            .envs(Scratch::environment())
            .uid(65534)
            .gid(65534)
            .output()
            .unwrap();
        (output.status.success(), String::from_utf8(output.stdout).unwrap())
    };
    assert_eq!(ask(&["describe", "--tags"]), (true, "v3\n".to_owned()));
    assert_eq!(ask(&["ls-files"]).1, "a.txt\ndir/b.txt\n");
    assert!(!ask(&["tag", "v4"]).0);
    assert!(!ask(&["config", "core.fsmonitor", "/bin/true"]).0);
}
