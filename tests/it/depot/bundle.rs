//! Commits as files between depots, whole and spoilt.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use unbreak::git::Depot;
use unbreak::ids::CommitSha;

use super::{World, git_in, unusable};

/// Runs git on an input; what it printed.
fn fed(directory: &Path, arguments: &[&str], input: &[u8]) -> Vec<u8> {
    let mut child = Command::new("git")
        .args(["-c", "safe.directory=*"])
        .args(arguments)
        .current_dir(directory)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "git {arguments:?}");
    output.stdout
}

/// Writes an object as it stands, whatever git thinks of it.
fn object(directory: &Path, kind: &str, bytes: &[u8]) -> String {
    let printed = fed(directory, &["hash-object", "--literally", "-w", "-t", kind, "--stdin"], bytes);
    String::from_utf8(printed).unwrap().trim().to_owned()
}

/// The objects of a commit that git would not make: a blob, a tree where it has this name, a commit of this author.
fn objects(directory: &Path, name: &str, who: &str) -> [String; 3] {
    let blob = object(directory, "blob", b"x\n");
    let bytes: Vec<u8> =
        (0..blob.len()).step_by(2).map(|at| u8::from_str_radix(&blob[at..at + 2], 16).unwrap()).collect();
    let tree = object(directory, "tree", &[format!("100644 {name}\0").as_bytes(), &bytes].concat());
    let text = format!("tree {tree}\nauthor {who}\ncommitter {who}\n\nodd\n");
    let commit = object(directory, "commit", text.as_bytes());
    [blob, tree, commit]
}

/// Such a commit.
pub(super) fn crafted(directory: &Path, name: &str, who: &str) -> CommitSha {
    CommitSha::new(&objects(directory, name, who)[2]).unwrap()
}

/// A bundle of the last of these objects, made by hand: git would check what goes in.
fn bundled(directory: &Path, objects: &[String]) -> Vec<u8> {
    let id = objects.last().unwrap();
    let pack = fed(directory, &["pack-objects", "-q", "--stdout"], (objects.join("\n") + "\n").as_bytes());
    [format!("# v2 git bundle\n{id} refs/unbreak/tips/{id}\n\n").as_bytes(), &pack].concat()
}

/// What a depot holds, as far as git sees it.
fn state(depot: &Depot) -> (String, bool) {
    let refs = World::look(depot, &["for-each-ref"]);
    (refs, depot.directory().join(".git/shallow").exists())
}

#[tokio::test]
async fn a_history_that_is_cut_off_travels_with_its_ends() {
    let world = World::new().await;
    let from = world.filled("from", Some(3)).await;
    from.fetch(&world.remote(), &[&world.at("main~4")], Some(1), &world.journal).await.unwrap();
    let file = world.path("commits.bundle");
    let ends = from.bundle(&[&world.at("main")], &file, &world.journal).await.unwrap();
    // Another history that the depot holds is not in the bundle, and its end is not told.
    assert_eq!(ends.as_deref(), Some(format!("{}\n", world.at("main~2")).as_str()));
    let to = world.depot("to").await;
    to.unbundle(&file, ends.as_deref(), &world.journal).await.unwrap();
    assert!(to.has(&world.at("main~2")) && !to.has(&world.at("main~3")));
    assert_eq!(World::look(&to, &["fsck", "--full", "--strict", "--connectivity-only"]), "");
    assert_eq!(World::look(&to, &["rev-list", "--count", world.at("main").as_str()]), "3");
    to.set_head(&world.at("main")).unwrap();
    let scratch = world.scratch(&to).await;
    assert_eq!(std::fs::read_to_string(scratch.tree().join("a.txt")).unwrap(), "5\n");
    // What the forge has more of comes on top.
    to.fetch(&world.remote(), &[&world.at("main")], None, &world.journal).await.unwrap();
    assert!(to.is_ancestor(&world.at("main~4"), &world.at("main")).unwrap());
}

#[tokio::test]
async fn a_history_that_was_cut_twice_travels_as_far_as_the_nearer_end() {
    let world = World::new().await;
    let from = world.filled("from", Some(4)).await;
    from.fetch(&world.remote(), &[&world.at("main~1")], Some(1), &world.journal).await.unwrap();
    let file = world.path("commits.bundle");
    let ends = from.bundle(&[&world.at("main")], &file, &world.journal).await.unwrap();
    let to = world.depot("to").await;
    to.unbundle(&file, ends.as_deref(), &world.journal).await.unwrap();
    assert!(to.has(&world.at("main~1")));
    assert_eq!(World::look(&to, &["fsck", "--full", "--connectivity-only"]), "");
}

#[tokio::test]
async fn a_whole_history_travels_without_ends() {
    let world = World::new().await;
    let from = world.filled("from", None).await;
    let file = world.path("commits.bundle");
    let tips = [world.at("main"), world.at("main~1"), world.at("main")];
    assert_eq!(from.bundle(&tips.each_ref(), &file, &world.journal).await.unwrap(), None);
    let to = world.depot("to").await;
    to.unbundle(&file, None, &world.journal).await.unwrap();
    // Twice is once.
    to.unbundle(&file, None, &world.journal).await.unwrap();
    assert!(to.is_ancestor(&world.at("main~4"), &world.at("main")).unwrap());
    assert!(!state(&to).1);
    let absent = CommitSha::new(&"1".repeat(40)).unwrap();
    assert!(unusable(from.bundle(&[&absent], &file, &world.journal).await).contains("is not here"));
}

#[tokio::test]
async fn a_bundle_that_was_cut_or_altered_is_refused_and_leaves_nothing() {
    let world = World::new().await;
    let from = world.filled("from", Some(3)).await;
    let file = world.path("commits.bundle");
    let ends = from.bundle(&[&world.at("main")], &file, &world.journal).await.unwrap();
    let whole = std::fs::read(&file).unwrap();
    let to = world.depot("to").await;
    let empty = state(&to);
    let pack = whole.windows(4).position(|four| four == b"PACK").unwrap();
    let mut spoilt: Vec<Vec<u8>> = [0, 1, 10, pack - 1, pack, pack + 8, pack + 40, whole.len() - 21, whole.len() - 1]
        .into_iter()
        .map(|length| whole[..length].to_vec())
        .collect();
    for at in [pack, pack + 5, pack + 11, pack + 13, pack + 60, whole.len() - 30, whole.len() - 1] {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x21;
        spoilt.push(bytes);
    }
    spoilt.push([&whole[..], b"more"].concat());
    for bytes in spoilt {
        std::fs::write(&file, &bytes).unwrap();
        let message = unusable(to.unbundle(&file, ends.as_deref(), &world.journal).await);
        assert!(message.starts_with("the bundle of commits cannot be used: "), "{message}");
        assert_eq!(state(&to), empty, "{message}");
    }
    std::fs::write(&file, &whole).unwrap();
    to.unbundle(&file, ends.as_deref(), &world.journal).await.unwrap();
}

#[tokio::test]
async fn only_heads_of_our_own_form_are_read() {
    let world = World::new().await;
    let from = world.filled("from", None).await;
    let file = world.path("commits.bundle");
    from.bundle(&[&world.at("main")], &file, &world.journal).await.unwrap();
    let whole = std::fs::read(&file).unwrap();
    let pack = whole.windows(5).position(|five| five == b"\nPACK").unwrap() + 1;
    let (id, other) = (world.at("main"), world.at("main~1"));
    let absent = "1".repeat(40);
    let to = world.depot("to").await;
    let empty = state(&to);
    for head in [
        format!("# v2 git bundle\n{id} refs/heads/main\n\n"),
        format!("# v2 git bundle\n{id} HEAD\n\n"),
        format!("# v2 git bundle\n{id} refs/unbreak/tips/{other}\n\n"),
        format!("# v2 git bundle\n{id} refs/unbreak/tips/../../heads/main\n\n"),
        format!("# v2 git bundle\n-{other} x\n{id} refs/unbreak/tips/{id}\n\n"),
        format!("# v2 git bundle\n{absent} refs/unbreak/tips/{absent}\n\n"),
        format!("# v3 git bundle\n@filter=blob:none\n{id} refs/unbreak/tips/{id}\n\n"),
        format!("{id} refs/unbreak/tips/{id}\n# v2 git bundle\n\n"),
        "# v2 git bundle\n\n".to_owned(),
        String::new(),
    ] {
        std::fs::write(&file, [head.as_bytes(), &whole[pack..]].concat()).unwrap();
        unusable(to.unbundle(&file, None, &world.journal).await);
        assert_eq!(state(&to), empty, "{head}");
    }
    let link = world.path("link");
    std::os::unix::fs::symlink(&file, &link).unwrap();
    assert!(unusable(to.unbundle(&link, None, &world.journal).await).contains("no regular file"));
    assert!(unusable(to.unbundle(world.room.path(), None, &world.journal).await).contains("no regular file"));
    std::fs::File::create(&file).unwrap().set_len((2 << 30) + 1).unwrap();
    assert!(unusable(to.unbundle(&file, None, &world.journal).await).contains("larger than"));
}

#[tokio::test]
async fn ends_are_ids_of_commits_in_the_bundle() {
    let world = World::new().await;
    let from = world.filled("from", Some(2)).await;
    let file = world.path("commits.bundle");
    let ends = from.bundle(&[&world.at("main")], &file, &world.journal).await.unwrap().unwrap();
    let to = world.depot("to").await;
    let empty = state(&to);
    let absent = "1".repeat(40);
    for wrong in [
        None,
        Some(String::new()),
        Some("HEAD\n".to_owned()),
        Some(format!("{ends}../../etc/passwd\n")),
        Some(format!("{ends}{absent}\n")),
        Some(format!("{}\n", world.at("main~2"))),
        Some(format!("{ends}\n")),
    ] {
        unusable(to.unbundle(&file, wrong.as_deref(), &world.journal).await);
        assert_eq!(state(&to), empty, "{wrong:?}");
    }
    to.unbundle(&file, Some(&ends), &world.journal).await.unwrap();
}

#[tokio::test]
async fn objects_of_a_stranger_are_checked() {
    let world = World::new().await;
    let file = world.path("commits.bundle");
    let stranger = world.path("stranger");
    std::fs::create_dir(&stranger).unwrap();
    git_in(&stranger, &["init", "-q"]).unwrap();
    let ordinary = "u <u@localhost> 1 +0000";
    for (name, who, taken) in [
        ("fine", ordinary, true),
        ("fine", "u<u@localhost> 1 +051800", true),
        ("..", ordinary, false),
        (".git", ordinary, false),
        ("git~1", ordinary, false),
        ("a/b", ordinary, false),
        ("", ordinary, false),
    ] {
        let objects = objects(&stranger, name, who);
        let id = CommitSha::new(&objects[2]).unwrap();
        std::fs::write(&file, bundled(&stranger, &objects)).unwrap();
        let to = world.depot(&format!("to-{id}")).await;
        let result = to.unbundle(&file, None, &world.journal).await;
        assert_eq!(result.is_ok(), taken, "{name:?} {who}: {result:?}");
        assert_eq!(to.has(&id), taken, "{name:?} {who}");
    }
}

#[tokio::test]
async fn a_bundle_that_lacks_objects_is_refused() {
    let world = World::new().await;
    let file = world.path("commits.bundle");
    let stranger = world.path("stranger");
    std::fs::create_dir(&stranger).unwrap();
    git_in(&stranger, &["init", "-q"]).unwrap();
    let objects = objects(&stranger, "fine", "u <u@localhost> 1 +0000");
    let to = world.depot("to").await;
    for lacking in [0, 1] {
        let mut some = objects.to_vec();
        some.remove(lacking);
        std::fs::write(&file, bundled(&stranger, &some)).unwrap();
        unusable(to.unbundle(&file, None, &world.journal).await);
        assert_eq!(state(&to), (String::new(), false));
    }
    // A file or a tree is no commit, and cannot be the end of a history either.
    for tip in [1, 2] {
        std::fs::write(&file, bundled(&stranger, &objects[..tip])).unwrap();
        unusable(to.unbundle(&file, None, &world.journal).await);
        std::fs::write(&file, bundled(&stranger, &objects)).unwrap();
        unusable(to.unbundle(&file, Some(&format!("{}\n", objects[tip - 1])), &world.journal).await);
    }
    assert_eq!(state(&to), (String::new(), false));
    to.unbundle(&file, None, &world.journal).await.unwrap();
}
