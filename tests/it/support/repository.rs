//! A throw-away git repository.

use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

/// A repository with one commit, removed at the end of the test.
pub(crate) struct Repository {
    directory: TempDir,
}

impl Repository {
    /// A repository of these files.
    pub(crate) fn of(files: &[(&str, &str)]) -> Self {
        let directory = tempfile::Builder::new().prefix("unbreak-test-").tempdir_in("/var/tmp").unwrap();
        let repository = Self { directory };
        repository.git(&["init", "-q", "-b", "main"]);
        for (path, text) in files {
            repository.write(path, text);
        }
        repository.commit("first");
        repository
    }

    pub(crate) fn path(&self) -> &Path {
        self.directory.path()
    }

    pub(crate) fn file(&self, path: &str) -> PathBuf {
        self.path().join(path)
    }

    pub(crate) fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.file(path)).unwrap()
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let file = self.file(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }

    pub(crate) fn commit(&self, message: &str) -> String {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "-m", message]);
        self.git(&["rev-parse", "HEAD"])
    }

    /// Everything that a run must leave as it was: HEAD, refs, index, configuration and files.
    pub(crate) fn state(&self) -> String {
        let parts = [
            self.git(&["rev-parse", "HEAD"]),
            self.git(&["for-each-ref"]),
            self.git(&["status", "--porcelain=v2", "--branch", "--ignored"]),
            self.git(&["diff", "HEAD"]),
            self.git(&["ls-files", "--stage"]),
            std::fs::read_to_string(self.file(".git/config")).unwrap(),
        ];
        parts.join("\n--\n")
    }

    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        let output = Command::new("git")
            .args(["-c", "user.name=Test", "-c", "user.email=test@example.invalid", "-c", "commit.gpgsign=false"])
            .args(arguments)
            .current_dir(self.path())
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .output()
            .unwrap();
        assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
    }
}
