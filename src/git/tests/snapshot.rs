//! Snapshots, the work tree that follows them, and the directories of runs.

use super::*;

#[tokio::test]
async fn a_snapshot_is_built_from_objects_and_reset_brings_it_into_the_tree() {
    let world = World::new();
    let scratch = world.scratch(Base::Head).await;
    fs::write(scratch.tree().join("built.o"), "build output").unwrap();
    let changes = [
        edit("a.txt", None, file("new\n")),
        edit("dir/b.txt", file("b\n"), None),
        edit("deep/er/c.txt", None, file("c\n")),
        FileChange {
            path: path("run.sh"),
            before: None,
            after: Some(File { bytes: vec![b'x'], mode: Mode::Executable }),
        },
    ];
    let one = scratch.snapshot(&scratch.base(), &changes, "try").unwrap();
    assert_eq!(scratch.snapshot(&scratch.base(), &changes, "try").unwrap(), one);
    assert!(read(&scratch, "a.txt").starts_with("one"));
    scratch.reset(&one, &world.journal).await.unwrap();
    assert_eq!((read(&scratch, "a.txt").as_str(), read(&scratch, "deep/er/c.txt").as_str()), ("new\n", "c\n"));
    assert!(!scratch.tree().join("dir/b.txt").exists());
    assert!(fs::metadata(scratch.tree().join("run.sh")).unwrap().mode() & 0o100 != 0);
    scratch.reset(&scratch.base(), &world.journal).await.unwrap();
    assert_eq!(read(&scratch, "dir/b.txt"), "b\n");
    assert!(!scratch.tree().join("run.sh").exists());
    assert_eq!(read(&scratch, "built.o"), "build output");
}

#[tokio::test]
async fn capture_takes_tracked_files_and_new_ones_that_are_named() {
    let world = World::new();
    let scratch = world.scratch(Base::Head).await;
    fs::write(scratch.tree().join("a.txt"), "fixed\n").unwrap();
    fs::remove_file(scratch.tree().join("dir/b.txt")).unwrap();
    fs::write(scratch.tree().join("new.txt"), "new\n").unwrap();
    fs::write(scratch.tree().join("junk.txt"), "junk\n").unwrap();
    let names = [path("new.txt"), path("never.txt")];
    let with = scratch.capture_with(&scratch.base(), &names, "x", &world.journal).await.unwrap();
    let names: Vec<String> =
        scratch.changes(&scratch.base(), &with).unwrap().iter().map(|change| change.path.to_string()).collect();
    assert_eq!(names, ["a.txt", "dir/b.txt", "new.txt"]);
}

#[tokio::test]
async fn a_file_can_become_a_directory_and_back() {
    let world = World::new();
    let scratch = world.scratch(Base::Head).await;
    let to_directory = [edit("a.txt", file("x"), None), edit("a.txt/inner", None, file("in\n"))];
    let directory = scratch.snapshot(&scratch.base(), &to_directory, "x").unwrap();
    scratch.reset(&directory, &world.journal).await.unwrap();
    assert_eq!(read(&scratch, "a.txt/inner"), "in\n");
    let to_file = [edit("dir", None, file("flat\n")), edit("dir/b.txt", file("b\n"), None)];
    let flat = scratch.snapshot(&scratch.base(), &to_file, "x").unwrap();
    scratch.reset(&flat, &world.journal).await.unwrap();
    assert_eq!(read(&scratch, "dir"), "flat\n");
}

#[tokio::test]
async fn line_ends_that_attributes_ask_for_survive_the_round_trip() {
    let world = World::new();
    world.write(".gitattributes", "*.bat text eol=crlf\n");
    world.write("run.bat", "a\r\nb\r\n");
    world.commit();
    let scratch = world.scratch(Base::WorkTree).await;
    assert_eq!(scratch.base().0, world.user(&["rev-parse", "HEAD"]).trim());
    assert_eq!(read(&scratch, "run.bat"), "a\r\nb\r\n");
    fs::write(scratch.tree().join("run.bat"), "a\r\nc\r\n").unwrap();
    let captured = scratch.capture(&scratch.base(), "x", &world.journal).await.unwrap();
    let changes = scratch.changes(&scratch.base(), &captured).unwrap();
    assert_eq!(changes, [edit("run.bat", file("a\nb\n"), file("a\nc\n"))]);
    scratch.checkout.apply(&changes).unwrap();
    assert_eq!(fs::read_to_string(world.repo().join("run.bat")).unwrap(), "a\r\nc\r\n");
}

#[tokio::test]
async fn dead_runs_are_removed_and_living_ones_left() {
    let world = World::new();
    let dead = world.runs().join("run-1-0/tree/locked");
    fs::create_dir_all(&dead).unwrap();
    fs::write(dead.join("file"), "x").unwrap();
    fs::set_permissions(&dead, fs::Permissions::from_mode(0o000)).unwrap();
    fs::create_dir_all(world.runs().join("kept-by-the-user")).unwrap();
    let one = world.scratch(Base::Head).await;
    let two = world.scratch(Base::Head).await;
    assert!(!world.runs().join("run-1-0").exists());
    assert!(world.runs().join("kept-by-the-user").exists());
    assert!(one.tree().join("a.txt").exists() && two.tree().join("a.txt").exists());
    let at = one.directory().to_owned();
    drop(one);
    assert!(!at.exists() && two.directory().exists());
}

#[test]
fn a_run_can_be_shared_between_threads() {
    fn shared<T: Send + Sync>() {}
    shared::<Scratch>();
    shared::<Checkout>();
    shared::<TreeSource>();
}
