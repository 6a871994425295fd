//! Report files that a runner writes when asked: exact where its output is for people.

use std::path::{Path, PathBuf};

/// Reports larger than this are left unread.
const LIMIT: u64 = 64 << 20;

/// A report that a command was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ReportFile(PathBuf);

impl ReportFile {
    /// Asks a runner for a report where it can write one and was not asked already.
    pub(super) fn asked_for(mut argv: Vec<String>, directory: &Path, id: &str) -> (Vec<String>, Option<Self>) {
        let asked = argv.iter().any(|word| word.starts_with("--junitxml") || word.starts_with("--junit-xml"));
        let Some(runner) = pytest_at(&argv).filter(|_| !asked) else { return (argv, None) };
        let path = directory.join(format!("{id}.xml"));
        let end = argv[runner..].iter().position(|word| word == "--").map_or(argv.len(), |offset| runner + offset);
        argv.insert(end, format!("--junitxml={}", path.display()));
        (argv, Some(Self(path)))
    }

    /// The bytes of the report, if the command wrote one.
    ///
    /// The directory is the command's to write, so only a regular file is read: a link could lead anywhere.
    pub(super) async fn read(self) -> Option<Vec<u8>> {
        let metadata = tokio::fs::symlink_metadata(&self.0).await.ok()?;
        if !metadata.is_file() || metadata.len() > LIMIT {
            return None;
        }
        tokio::fs::read(&self.0).await.ok()
    }
}

/// Where pytest stands in a command: first, after `-m`, or after `run`.
fn pytest_at(argv: &[String]) -> Option<usize> {
    argv.iter().enumerate().position(|(at, word)| {
        let name = word.rsplit('/').next().unwrap_or(word);
        let leads = at == 0 || matches!(argv[at - 1].as_str(), "-m" | "run" | "--");
        matches!(name, "pytest" | "py.test") && leads
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(line: &str) -> String {
        let argv = line.split(' ').map(str::to_owned).collect();
        ReportFile::asked_for(argv, Path::new("/r"), "c1").0.join(" ")
    }

    #[test]
    fn pytest_is_asked_in_every_form() {
        assert_eq!(asked("python -m pytest -q"), "python -m pytest -q --junitxml=/r/c1.xml");
        assert_eq!(asked("/env/bin/pytest tests -- x"), "/env/bin/pytest tests --junitxml=/r/c1.xml -- x");
        assert_eq!(asked("uv run pytest"), "uv run pytest --junitxml=/r/c1.xml");
    }

    #[test]
    fn others_and_asked_ones_stay_as_they_are() {
        for line in ["cargo test", "pip install pytest", "pytest --junitxml=a.xml"] {
            assert_eq!(asked(line), line);
        }
    }
}
