//! What a run leaves in its output directory.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;

use crate::proposal::Proposal;
use crate::report;
use crate::secret::Redactor;

/// The output directory: `proposal.json`, `change.patch`, `body.md`, `journal.jsonl`, `evidence/`.
#[derive(Debug, Clone)]
pub struct Bundle {
    directory: PathBuf,
    evidence: PathBuf,
}

impl Bundle {
    /// Makes `directory` with its parents; it has to be new or empty.
    ///
    /// # Errors
    /// When it holds something, or cannot be made.
    pub fn create(directory: &Path) -> anyhow::Result<Self> {
        let place = || format!("the output directory {}", directory.display());
        fs::create_dir_all(directory.join("evidence")).with_context(place)?;
        let occupied = fs::read_dir(directory).with_context(place)?.filter_map(Result::ok);
        let others: Vec<_> = occupied.map(|entry| entry.file_name()).filter(|name| name != "evidence").collect();
        anyhow::ensure!(others.is_empty(), "{} is not empty", place());
        Ok(Self { directory: directory.to_owned(), evidence: directory.join("evidence") })
    }

    /// Where the journal goes.
    #[must_use]
    pub fn journal(&self) -> PathBuf {
        self.directory.join("journal.jsonl")
    }

    /// Where whole outputs go.
    #[must_use]
    pub fn evidence(&self) -> &Path {
        &self.evidence
    }

    /// The directory itself.
    #[must_use]
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Writes the proposal, its patch and its body, and returns the proposal as it was written: without credentials.
    ///
    /// The patch stands as it is, since a masked one would no longer apply: whoever calls this has looked for
    /// credentials in what it adds.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn write(&self, proposal: &Proposal, patch: &str, redactor: &Redactor) -> anyhow::Result<Proposal> {
        self.put("change.patch", patch)?;
        self.tell(proposal, redactor)
    }

    /// Writes the proposal and its body alone, as [`Bundle::write`] does.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn tell(&self, proposal: &Proposal, redactor: &Redactor) -> anyhow::Result<Proposal> {
        let json = redactor.scrub(&serde_json::to_string_pretty(proposal)?);
        let written: Proposal = serde_json::from_str(&json).context("the masked proposal cannot be read back")?;
        let body = redactor.scrub(&report::body(&written));
        self.put("body.md", &body)?;
        self.put("proposal.json", &json)?;
        Ok(written)
    }

    fn put(&self, name: &str, text: &str) -> anyhow::Result<()> {
        let file = self.directory.join(name);
        fs::write(&file, text).with_context(|| format!("writing {}", file.display()))
    }
}
