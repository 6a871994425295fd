//! Behaviour against real repositories, made by the real git program.

mod apply;
mod command;
mod difference;
mod opening;
mod owner;
mod snapshot;

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
