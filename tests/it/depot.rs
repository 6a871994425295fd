//! Commits to and from a forge: real git on both ends, over smart HTTP, as bundles and as patches.

mod bundle;
mod patch;
mod push;
mod wire;

use std::path::{Path, PathBuf};

use tempfile::TempDir;
use unbreak::git::{Base, Checkout, Depot, Git, GitError, NewCommit, Remote, Scratch};
use unbreak::ids::CommitSha;
use unbreak::journal::Journal;
use unbreak::secret::Secret;

use crate::support::git_http::GitServer;
use crate::support::repository::Repository;

const TOKEN: &str = "s3cret-t0ken-of-the-forge";
const NAME: &str = "octo/hello";

/// A forge with one repository of five commits, and room for depots.
struct World {
    server: GitServer,
    local: Repository,
    room: TempDir,
    git: Git,
    journal: Journal,
}

impl World {
    async fn new() -> Self {
        let server = GitServer::start(Some(TOKEN)).await;
        server.add(NAME);
        let local = Repository::of(&[("a.txt", "1\n"), ("dir/b.txt", "b\n")]);
        for count in 2..=5 {
            local.write("a.txt", &format!("{count}\n"));
            local.commit(&count.to_string());
        }
        server.take(NAME, local.path());
        let room = tempfile::Builder::new().prefix("unbreak-depot-").tempdir_in("/var/tmp").unwrap();
        let git = Git::new(PathBuf::from("git"), room.path().join("config")).unwrap();
        let journal = Journal::create(&room.path().join("journal.jsonl"), || 0).unwrap();
        Self { server, local, room, git, journal }
    }

    fn remote(&self) -> Remote {
        Remote::new(&self.server.url(NAME), Some(Secret::new(TOKEN.to_owned()))).unwrap()
    }

    /// A fresh depot.
    async fn depot(&self, name: &str) -> Depot {
        Depot::create(&self.git, &self.path(name), &self.journal).await.unwrap()
    }

    /// A depot with so much of the history of `main`.
    async fn filled(&self, name: &str, depth: Option<u32>) -> Depot {
        let depot = self.depot(name).await;
        depot.fetch(&self.remote(), &[&self.at("main")], depth, &self.journal).await.unwrap();
        depot
    }

    /// A commit of the local repository.
    fn at(&self, revision: &str) -> CommitSha {
        commit(&self.local, revision)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.room.path().join(name)
    }

    async fn scratch(&self, depot: &Depot) -> Scratch {
        let checkout = Checkout::open(&self.git, depot.directory(), &self.journal).await.unwrap();
        assert_eq!(checkout.untracked(&self.journal).await.unwrap(), Vec::<String>::new());
        Scratch::create(&checkout, &self.path("runs"), Base::Head, &self.journal).await.unwrap()
    }

    /// Runs git in a depot as a bystander would.
    fn look(depot: &Depot, arguments: &[&str]) -> String {
        git_in(depot.directory(), arguments).unwrap()
    }
}

fn commit(repository: &Repository, revision: &str) -> CommitSha {
    CommitSha::new(&repository.git(&["rev-parse", revision])).unwrap()
}

/// What git printed, or what it complained of.
fn git_in(directory: &Path, arguments: &[&str]) -> Result<String, String> {
    let output = std::process::Command::new("git")
        .args(["-c", "safe.directory=*"])
        .args(arguments)
        .current_dir(directory)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim_end().to_owned();
    if output.status.success() { Ok(text(&output.stdout)) } else { Err(text(&output.stderr)) }
}

/// A commit of ours over `parent`, with its tree and a subject.
fn over(depot: &Depot, parent: &CommitSha, subject: &str) -> CommitSha {
    let new = NewCommit {
        tree_of: parent,
        parents: std::slice::from_ref(parent),
        message: subject,
        author: ("unbreak", "unbreak@localhost"),
        seconds: 1_700_000_000,
    };
    depot.commit(&new).unwrap()
}

#[track_caller]
fn unusable<T: std::fmt::Debug>(result: Result<T, GitError>) -> String {
    match result {
        Err(GitError::Unusable { message, hints }) if !hints.is_empty() => message,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_depot_is_a_checkout_that_scratch_repositories_work_on() {
    let world = World::new().await;
    let depot = world.filled("depot", None).await;
    depot.set_head(&world.at("main~2")).unwrap();
    let scratch = world.scratch(&depot).await;
    assert_eq!(std::fs::read_to_string(scratch.tree().join("a.txt")).unwrap(), "3\n");
    assert_eq!(scratch.base().0, world.at("main~2").as_str());
    assert!(scratch.notes().is_empty(), "{:?}", scratch.notes());
    assert_eq!(World::look(&depot, &["rev-parse", "HEAD"]), world.at("main~2").as_str());
    depot.set_head(&world.at("main")).unwrap();
    let scratch = world.scratch(&depot).await;
    assert_eq!(std::fs::read_to_string(scratch.tree().join("a.txt")).unwrap(), "5\n");
    assert_eq!(std::fs::read_dir(depot.directory()).unwrap().count(), 1, "no files but .git");
}

#[tokio::test]
async fn a_depot_is_made_in_no_directory_that_holds_something() {
    let world = World::new().await;
    let occupied = Depot::create(&world.git, world.local.path(), &world.journal).await;
    assert!(unusable(occupied).contains("is not empty"));
    let depot = world.depot("depot").await;
    assert!(unusable(depot.set_head(&world.at("main"))).contains("is not here"));
    assert!(!depot.has(&world.at("main")));
}

#[tokio::test]
async fn equal_values_make_equal_commits() {
    let world = World::new().await;
    let (one, two) = (world.filled("one", None).await, world.filled("two", Some(1)).await);
    let parents = [world.at("main")];
    let new = NewCommit {
        tree_of: &world.at("main"),
        parents: &parents,
        message: "fix: what was broken\n\nRun: 7\n",
        author: ("unbreak", "unbreak@localhost"),
        seconds: 1_700_000_000,
    };
    let id = one.commit(&new).unwrap();
    assert_eq!(two.commit(&new).unwrap(), id);
    assert_eq!(one.commit(&new).unwrap(), id);
    assert_ne!(one.commit(&NewCommit { seconds: 1_700_000_001, ..new.clone() }).unwrap(), id);
    let described = two.describe(&id).unwrap();
    assert_eq!((described.message.as_str(), described.parents.as_slice()), (new.message, &parents[..]));
    assert_eq!(described.tree.as_str(), world.local.git(&["rev-parse", "main^{tree}"]));
    let shown = World::look(&one, &["cat-file", "commit", id.as_str()]);
    assert!(shown.contains("\nauthor unbreak <unbreak@localhost> 1700000000 +0000\n"), "{shown}");
    for author in [("a\nparent x", "a@b"), ("", "a@b"), ("a", "a>b"), ("a", "a\u{0}b")] {
        assert!(unusable(one.commit(&NewCommit { author, ..new.clone() })).contains("author"));
    }
}

#[tokio::test]
async fn parents_are_known_also_where_history_is_cut_off() {
    let world = World::new().await;
    let depot = world.filled("depot", Some(2)).await;
    let end = world.at("main~1");
    assert_eq!(depot.describe(&end).unwrap().parents, [world.at("main~2")]);
    assert!(depot.is_ancestor(&end, &world.at("main")).unwrap());
    assert!(depot.is_ancestor(&end, &end).unwrap());
    assert!(!depot.is_ancestor(&world.at("main"), &end).unwrap());
    assert!(unusable(depot.is_ancestor(&end, &world.at("main~3"))).contains("is not here"));
    let changes = depot.changes(&end, &world.at("main")).unwrap();
    assert_eq!(changes[0].path.as_str(), "a.txt");
    assert_eq!(changes[0].after.as_ref().unwrap().bytes, b"5\n");
}

#[tokio::test]
async fn the_token_is_in_no_argument_no_file_and_no_record() {
    use std::os::unix::fs::PermissionsExt as _;
    let mut world = World::new().await;
    let (arguments, trace) = (world.path("arguments"), world.path("trace"));
    let wrapper = world.path("git-under-watch");
    let (shown, traced) = (arguments.display(), trace.display());
    let script = format!("#!/bin/sh\necho \"$0 $*\" >>{shown}\nGIT_TRACE={traced} exec git \"$@\"\n");
    std::fs::write(&wrapper, script).unwrap();
    std::fs::set_permissions(&wrapper, std::fs::Permissions::from_mode(0o755)).unwrap();
    world.git = Git::new(wrapper, world.path("config")).unwrap();
    let depot = world.filled("depot", Some(2)).await;
    let branch = unbreak::ids::OwnBranch::new("unbreak/x").unwrap();
    depot.push(&world.remote(), &over(&depot, &world.at("main"), "x"), &branch, &world.journal).await.unwrap();
    // The programs that git starts are among those that were watched.
    let traced = std::fs::read_to_string(&trace).unwrap();
    assert!(traced.contains("run_command: git-remote-http"), "{traced}");
    let journal = std::fs::read_to_string(world.path("journal.jsonl")).unwrap();
    assert!(journal.contains("\"subject\":\"push --porcelain "), "{journal}");
    let secret = Secret::new(TOKEN.to_owned());
    let redactor = unbreak::secret::Redactor::new([("token", &secret)]);
    let mut open = vec![world.room.path().to_owned()];
    let mut seen = 0;
    while let Some(directory) = open.pop() {
        for entry in std::fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
                continue;
            }
            let bytes = std::fs::read(&path).unwrap();
            let leaks = redactor.find_bytes(&bytes);
            assert!(leaks.iter().all(|leak| leak.kind != "token"), "{}: {leaks:?}", path.display());
            seen += 1;
        }
    }
    assert!(seen > 10);
}

#[test]
fn nothing_in_the_source_forces_mirrors_or_deletes() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let banned = ["--force", "--mirror", "--delete", "--prune", "\"-f\"", "\"+refs", "\"+{", "force-with-lease"];
    let mut open = vec![root.join("git"), root.join("publish.rs"), root.join("publish"), root.join("collect")];
    let mut read = 0;
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
        } else if path.extension().is_some_and(|end| end == "rs") && path.exists() {
            let text = std::fs::read_to_string(&path).unwrap();
            read += 1;
            for word in banned {
                assert!(!text.contains(word), "{} holds {word}", path.display());
            }
        }
    }
    assert!(read > 10);
}
