//! What is taken for a repository, and what a run starts from.

use super::*;

#[tokio::test]
async fn what_cannot_be_worked_on_is_said() {
    let world = World::new();
    let room = world.room.path();
    let open = async |at: &Path| message(Checkout::open(&world.git, at, &world.journal).await.unwrap_err());
    fs::create_dir(room.join("plain")).unwrap();
    assert!(open(&room.join("plain")).await.contains("not inside a git repository"));
    assert!(open(&room.join("absent")).await.contains("no directory"));
    user_in(room, &["init", "-q", "--bare", "bare"]);
    assert!(open(&room.join("bare")).await.contains("bare repository"));
    user_in(room, &["init", "-q", "empty"]);
    assert!(open(&room.join("empty")).await.contains("no commits"));
    assert!(open(&world.repo().join(".git")).await.contains("inside a git directory"));
    user_in(room, &["init", "-q", "--object-format=sha256", "wide"]);
    assert!(open(&room.join("wide")).await.contains("sha256"));
    let checkout = world.checkout().await;
    for revision in ["nothing", "", "--all", "0123456789012345678901234567890123456789"] {
        assert!(message(checkout.source(revision, &world.journal).await.unwrap_err()).contains("is no commit"));
    }
}

#[tokio::test]
async fn a_directory_below_the_root_finds_the_root() {
    let world = World::new();
    let below = Checkout::open(&world.git, &world.repo().join("dir"), &world.journal).await.unwrap();
    assert_eq!(below.root.canonicalize().unwrap(), world.repo().canonicalize().unwrap());
    assert_eq!(below.head, world.user(&["rev-parse", "HEAD"]).trim());
}

#[tokio::test]
async fn a_clean_checkout_is_its_own_base() {
    let world = World::new();
    let scratch = world.scratch(Base::WorkTree).await;
    assert_eq!(scratch.base().0, world.user(&["rev-parse", "HEAD"]).trim());
    assert_eq!(read(&scratch, "dir/b.txt"), "b\n");
    assert!(world.journal.waited(WaitingFor::Child).as_micros() > 0);
}

#[tokio::test]
async fn uncommitted_changes_are_in_the_base_and_the_checkout_is_untouched() {
    let world = World::new();
    world.write("gone.txt", "gone\n");
    world.write("moved.txt", "moved\n");
    world.commit();
    world.write("a.txt", "changed\n");
    world.write("staged.txt", "staged\n");
    world.user(&["add", "staged.txt"]);
    world.user(&["rm", "-q", "gone.txt"]);
    world.user(&["mv", "moved.txt", "dir/moved.txt"]);
    world.write("untracked.txt", "no\n");
    let index = fs::read(world.repo().join(".git/index")).unwrap();
    let status = world.user(&["--no-optional-locks", "status", "--porcelain"]);
    let scratch = world.scratch(Base::WorkTree).await;
    assert_eq!(fs::read(world.repo().join(".git/index")).unwrap(), index);
    assert_eq!(world.user(&["--no-optional-locks", "status", "--porcelain"]), status);
    let source = scratch.source(&scratch.base()).unwrap();
    let names: Vec<&str> = source.files().iter().map(|entry| entry.path.as_str()).collect();
    assert_eq!(names, ["a.txt", "dir/b.txt", "dir/moved.txt", "staged.txt"]);
    assert_eq!(read(&scratch, "a.txt"), "changed\n");
    assert!(!scratch.tree().join("untracked.txt").exists());
    assert_eq!(world.checkout().await.untracked(&world.journal).await.unwrap(), ["untracked.txt"]);
    let clean = world.scratch(Base::Head).await;
    assert_eq!(clean.base().0, world.user(&["rev-parse", "HEAD"]).trim());
    assert!(read(&clean, "a.txt").starts_with("one"));
}

#[tokio::test]
async fn an_edit_of_equal_size_in_the_same_second_is_not_missed() {
    let world = World::new();
    for round in 0..5 {
        world.write("a.txt", format!("{round}a\n"));
        world.commit();
        world.write("a.txt", format!("{round}b\n"));
        let scratch = world.scratch(Base::WorkTree).await;
        assert_eq!(read(&scratch, "a.txt"), format!("{round}b\n"));
    }
}

#[tokio::test]
async fn nothing_that_the_checkout_configures_is_run() {
    let world = World::new();
    let trap = world.room.path().join("trap");
    let sprung = world.room.path().join("sprung");
    fs::write(&trap, format!("#!/bin/sh\ntouch {}\ncat\n", sprung.display())).unwrap();
    fs::set_permissions(&trap, fs::Permissions::from_mode(0o755)).unwrap();
    world.write(".gitattributes", "*.txt filter=trap diff=trap\n");
    world.commit();
    let hooks = world.repo().join(".git/hooks");
    fs::create_dir_all(&hooks).unwrap();
    for hook in ["post-checkout", "post-index-change", "reference-transaction"] {
        fs::copy(&trap, hooks.join(hook)).unwrap();
    }
    let trap = trap.to_str().unwrap();
    for name in ["core.fsmonitor", "filter.trap.clean", "filter.trap.smudge", "diff.external", "diff.trap.textconv"] {
        world.user(&["config", name, trap]);
    }
    fs::write(world.repo().join("a.txt"), "changed\n").unwrap();
    drop(fs::remove_file(&sprung));
    let scratch = world.scratch(Base::WorkTree).await;
    let checkout = world.checkout().await;
    checkout.untracked(&world.journal).await.unwrap();
    fs::write(scratch.tree().join("a.txt"), "again\n").unwrap();
    let captured = scratch.capture(&scratch.base(), "x", &world.journal).await.unwrap();
    scratch.reset(&scratch.base(), &world.journal).await.unwrap();
    assert_eq!(scratch.changes(&scratch.base(), &captured).unwrap().len(), 1);
    assert!(!sprung.exists());
}

#[tokio::test]
async fn linked_worktrees_shallow_clones_and_submodules_work() {
    let world = World::new();
    let room = world.room.path();
    world.user(&["worktree", "add", "-q", "../linked"]);
    let origin = format!("file://{}", world.repo().display());
    world.write("a.txt", "second\n");
    world.commit();
    user_in(room, &["clone", "-q", "--depth=1", &origin, "shallow"]);
    user_in(room, &["clone", "-q", "--shared", world.repo().to_str().unwrap(), "shared"]);
    user_in(&room.join("shallow"), &["submodule", "--quiet", "add", &origin, "inner"]);
    user_in(&room.join("shallow"), &["commit", "-qm", "inner"]);
    for (place, file) in
        [("linked", "dir/b.txt"), ("shallow", "a.txt"), ("shared", "a.txt"), ("shallow/inner", "a.txt")]
    {
        let checkout = Checkout::open(&world.git, &room.join(place), &world.journal).await.unwrap();
        let scratch = Scratch::create(&checkout, &world.runs(), Base::WorkTree, &world.journal).await.unwrap();
        assert_eq!(scratch.base().0, checkout.head, "{place}");
        assert!(scratch.tree().join(file).is_file(), "{place}");
        assert_eq!(user_in(&scratch.tree(), &["rev-parse", "HEAD"]).trim(), checkout.head, "{place}");
        if place == "shallow" {
            assert_eq!(user_in(&scratch.tree(), &["rev-list", "--count", "HEAD"]).trim(), "2");
            assert_eq!(scratch.notes().len(), 2, "{:?}", scratch.notes());
        }
    }
}

#[tokio::test]
async fn a_partial_clone_that_lacks_files_says_so() {
    let world = World::new();
    let room = world.room.path();
    world.user(&["config", "uploadpack.allowFilter", "true"]);
    let origin = format!("file://{}", world.repo().display());
    user_in(room, &["clone", "-q", "--filter=blob:none", "--sparse", &origin, "partial"]);
    let checkout = Checkout::open(&world.git, &room.join("partial"), &world.journal).await.unwrap();
    assert_eq!(checkout.notes.len(), 2, "{:?}", checkout.notes);
    let error = Scratch::create(&checkout, &world.runs(), Base::WorkTree, &world.journal).await.unwrap_err();
    assert!(message(error).contains("partial clone"));
    user_in(&room.join("partial"), &["sparse-checkout", "disable"]);
    let scratch = Scratch::create(&checkout, &world.runs(), Base::WorkTree, &world.journal).await.unwrap();
    assert_eq!(read(&scratch, "dir/b.txt"), "b\n");
}
