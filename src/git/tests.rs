//! Behaviour against real repositories, made by the real git program.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::Path;

use tempfile::TempDir;

use super::*;
use crate::change::{File, FileChange, Mode};
use crate::ids::RepoPath;
use crate::journal::{Journal, WaitingFor};
use crate::source::Source as _;

/// A repository of a user, and room beside it.
struct World {
    room: TempDir,
    journal: Journal,
    git: Git,
}

impl World {
    fn new() -> Self {
        let room = tempfile::tempdir().unwrap();
        let git = Git::new(PathBuf::from("git"), room.path().join("config")).unwrap();
        let world = Self { room, journal: Journal::unkept(|| 0), git };
        fs::create_dir(world.repo()).unwrap();
        world.user(&["init", "-q", "-b", "main"]);
        world.write("a.txt", "one\ntwo\nthree\nfour\nfive\nsix\nseven\n");
        world.write("dir/b.txt", "b\n");
        world.commit();
        world
    }

    fn repo(&self) -> PathBuf {
        self.room.path().join("repo")
    }

    fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.repo().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn commit(&self) {
        self.user(&["add", "-A"]);
        self.user(&["commit", "-q", "--allow-empty", "-m", "x"]);
    }

    /// What the user types.
    fn user(&self, args: &[&str]) -> String {
        user_in(&self.repo(), args)
    }

    async fn checkout(&self) -> Checkout {
        Checkout::open(&self.git, &self.repo(), &self.journal).await.unwrap()
    }

    async fn scratch(&self, base: Base) -> Scratch {
        Scratch::create(&self.checkout().await, &self.runs(), base, &self.journal).await.unwrap()
    }

    fn runs(&self) -> PathBuf {
        self.room.path().join("runs")
    }
}

fn user_in(directory: &Path, args: &[&str]) -> String {
    #[expect(clippy::disallowed_methods, reason = "the user's own git, to make repositories to test on")]
    let output = std::process::Command::new("git")
        .args(["-c", "user.name=u", "-c", "user.email=u@localhost", "-c", "protocol.file.allow=always"])
        .args(args)
        .current_dir(directory)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .output()
        .unwrap();
    assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn path(text: &str) -> RepoPath {
    RepoPath::new(text).unwrap()
}

#[expect(clippy::unnecessary_wraps, reason = "a side of a change is an option")]
fn file(bytes: impl AsRef<[u8]>) -> Option<File> {
    Some(File { bytes: bytes.as_ref().to_vec(), mode: Mode::Regular })
}

fn edit(name: &str, before: Option<File>, after: Option<File>) -> FileChange {
    FileChange { path: path(name), before, after }
}

fn read(scratch: &Scratch, name: &str) -> String {
    fs::read_to_string(scratch.tree().join(name)).unwrap()
}

fn message(error: GitError) -> String {
    match error {
        GitError::Unusable { message, hints } if !hints.is_empty() => message,
        other => panic!("{other:?}"),
    }
}

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
async fn commands_in_the_tree_can_ask_git_for_a_version() {
    let world = World::new();
    world.user(&["tag", "-a", "v1.2", "-m", "v1.2"]);
    let scratch = world.scratch(Base::Head).await;
    assert_eq!(user_in(&scratch.tree(), &["describe", "--tags", "--dirty"]).trim(), "v1.2");
    fs::write(scratch.tree().join("a.txt"), "x").unwrap();
    assert_eq!(user_in(&scratch.tree(), &["describe", "--tags", "--dirty"]).trim(), "v1.2-dirty");
}

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

#[test]
fn a_run_can_be_shared_between_threads() {
    fn shared<T: Send + Sync>() {}
    shared::<Scratch>();
    shared::<Checkout>();
    shared::<TreeSource>();
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
