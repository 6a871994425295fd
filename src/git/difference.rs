//! What lies between two snapshots: as values, as a patch, hunk by hunk, line by line.

use git2::{Delta, Diff, DiffDelta, DiffOptions, FileMode, Patch, Repository};

use super::checkout::{Checkout, text};
use super::objects::{Objects, object_directories};
use super::program::Call;
use super::{CommitId, GitError, Scratch};
use crate::change::{File, FileChange, Mode};
use crate::history::Changed;
use crate::ids::RepoPath;
use crate::journal::Journal;

/// A run of lines that differ: indices from zero and lengths in the old and in the new version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Hunk {
    old: (usize, usize),
    new: (usize, usize),
}

impl Scratch {
    /// What lies between two snapshots, in path order; no rename detection.
    ///
    /// # Errors
    /// [`GitError`].
    pub fn changes(&self, from: &CommitId, to: &CommitId) -> Result<Vec<FileChange>, GitError> {
        self.objects.changes(from, to)
    }

    /// The same as a patch that `git apply` takes; empty when nothing changed. Files that are not UTF-8 come as
    /// binary ones, so that the patch is text.
    ///
    /// # Errors
    /// [`GitError`].
    pub fn patch(&self, from: &CommitId, to: &CommitId) -> Result<String, GitError> {
        self.objects.with(|repository| {
            let as_text = diff(repository, from, to, &mut options())?;
            let as_binary = diff(repository, from, to, options().force_binary(true))?;
            let mut patch = String::new();
            for at in 0..as_text.deltas().len() {
                let printed = printed(&as_text, at)?.and_then(|bytes| String::from_utf8(bytes).ok());
                match printed {
                    Some(printed) => patch.push_str(&printed),
                    None => patch.push_str(&String::from_utf8_lossy(&printed_binary(&as_binary, at)?)),
                }
            }
            Ok(patch)
        })
    }

    /// How many hunks each file of `parent..to` has, in the order that [`Scratch::select`] numbers them. A file that
    /// is binary, new, deleted or of another mode is one hunk.
    ///
    /// # Errors
    /// [`GitError`].
    pub fn hunks(&self, parent: &CommitId, to: &CommitId) -> Result<Vec<(RepoPath, usize)>, GitError> {
        let counted = |change: FileChange| {
            let count = edits(&change)?.map_or(1, |hunks| hunks.len());
            Ok((change.path, count))
        };
        self.changes(parent, to)?.into_iter().map(counted).collect()
    }

    /// One snapshot per hunk-subset for minimisation: `parent` plus the hunks of `parent..to` that `keep` selects
    /// (`keep(file index, hunk index)`, both in path and line order; see [`Scratch::hunks`]).
    ///
    /// # Errors
    /// [`GitError`].
    pub fn select(
        &self,
        parent: &CommitId,
        to: &CommitId,
        keep: &dyn Fn(usize, usize) -> bool,
    ) -> Result<CommitId, GitError> {
        let mut kept = Vec::new();
        for (file, change) in self.changes(parent, to)?.into_iter().enumerate() {
            let keep = |hunk| keep(file, hunk);
            match (edits(&change)?, change) {
                (Some(hunks), FileChange { path, before: Some(before), after: Some(after) }) => {
                    let bytes = composed(&before.bytes, &after.bytes, &hunks, &keep);
                    let after = Some(File { bytes, mode: after.mode });
                    kept.push(FileChange { path, before: Some(before), after });
                }
                (_, whole) if keep(0) => kept.push(whole),
                _ => {}
            }
        }
        self.snapshot(parent, &kept, "a part of a change")
    }

    /// The lines that a range (`A..B`, `A...B` or a single older revision) changed, in the newer version's numbering.
    /// A single revision is compared with the base of this run.
    ///
    /// # Errors
    /// [`GitError::Unusable`] for an unknown revision.
    pub async fn changed(&self, range: &str, journal: &Journal) -> Result<Vec<Changed>, GitError> {
        let (from, to) = self.checkout.ends(range, self.base(), journal).await?;
        self.objects.changed(&from, &to)
    }
}

impl Objects {
    /// What lies between two commits, in path order; no rename detection.
    pub(super) fn changes(&self, from: &CommitId, to: &CommitId) -> Result<Vec<FileChange>, GitError> {
        self.with(|repository| changes(repository, from, to))
    }

    fn changed(&self, from: &CommitId, to: &CommitId) -> Result<Vec<Changed>, GitError> {
        let lines = |change: FileChange| {
            let hunks = match (&change.before, &change.after) {
                (None, Some(after)) => vec![(1, count(lines(&after.bytes).len()))],
                _ => edits(&change)?.unwrap_or_default().iter().map(Hunk::in_new_version).collect(),
            };
            Ok(Changed { path: change.path, hunks })
        };
        self.changes(from, to)?.into_iter().map(lines).collect()
    }
}

impl Checkout {
    /// What lies between two revisions, in path order; no rename detection.
    ///
    /// # Errors
    /// [`GitError::Unusable`] for an unknown revision.
    pub async fn changes(&self, from: &str, to: &str, journal: &Journal) -> Result<Vec<FileChange>, GitError> {
        let (from, to) = (self.resolve(from, journal).await?, self.resolve(to, journal).await?);
        self.objects().changes(&from, &to)
    }

    /// As [`Scratch::changed`]; a single revision is compared with HEAD.
    ///
    /// # Errors
    /// [`GitError::Unusable`] for an unknown revision.
    pub async fn changed(&self, range: &str, journal: &Journal) -> Result<Vec<Changed>, GitError> {
        let (from, to) = self.ends(range, CommitId(self.head.clone()), journal).await?;
        self.objects().changed(&from, &to)
    }

    fn objects(&self) -> Objects {
        Objects::of_directories(object_directories(&self.common_dir))
    }

    async fn ends(&self, range: &str, newest: CommitId, journal: &Journal) -> Result<(CommitId, CommitId), GitError> {
        let or_head = |revision: &str| if revision.is_empty() { "HEAD".to_owned() } else { revision.to_owned() };
        let (from, to, fork) = match (range.split_once("..."), range.split_once("..")) {
            (Some((from, to)), _) => (from, to, true),
            (None, Some((from, to))) => (from, to, false),
            (None, None) => return Ok((self.resolve(range, journal).await?, newest)),
        };
        let from = self.resolve(&or_head(from), journal).await?;
        let to = self.resolve(&or_head(to), journal).await?;
        if !fork {
            return Ok((from, to));
        }
        let args = ["merge-base", from.0.as_str(), to.0.as_str()];
        let printed = self.git.run(Call::new(&args, &self.root), journal).await?;
        if printed.success {
            return Ok((CommitId(text(&printed.stdout)), to));
        }
        Err(GitError::unusable(
            format!("the two ends of `{range}` have no common commit here"),
            &["fetch more history"],
        ))
    }
}

impl Hunk {
    /// 1-based; a deletion is put at the line that follows it, with no lines.
    fn in_new_version(&self) -> (u32, u32) {
        (count(self.new.0) + 1, count(self.new.1))
    }
}

fn changes(repository: &Repository, from: &CommitId, to: &CommitId) -> Result<Vec<FileChange>, GitError> {
    let diff = diff(repository, from, to, options().include_typechange(true))?;
    let mut changes = diff.deltas().map(|delta| change(repository, &delta)).collect::<Result<Vec<_>, _>>()?;
    changes.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(changes)
}

fn options() -> DiffOptions {
    let mut options = DiffOptions::new();
    options.show_binary(true).id_abbrev(40).ignore_submodules(false);
    options
}

fn diff<'a>(
    repository: &'a Repository,
    from: &CommitId,
    to: &CommitId,
    options: &mut DiffOptions,
) -> Result<Diff<'a>, git2::Error> {
    let from = repository.find_commit(from.oid()?)?.tree()?;
    let to = repository.find_commit(to.oid()?)?.tree()?;
    repository.diff_tree_to_tree(Some(&from), Some(&to), Some(options))
}

fn printed(diff: &Diff<'_>, at: usize) -> Result<Option<Vec<u8>>, git2::Error> {
    let Some(mut patch) = Patch::from_diff(diff, at)? else { return Ok(None) };
    Ok(Some(patch.to_buf()?.to_vec()))
}

fn printed_binary(diff: &Diff<'_>, at: usize) -> Result<Vec<u8>, git2::Error> {
    Ok(printed(diff, at)?.unwrap_or_default())
}

fn change(repository: &Repository, delta: &DiffDelta<'_>) -> Result<FileChange, GitError> {
    let bytes = delta.new_file().path_bytes().or_else(|| delta.old_file().path_bytes()).unwrap_or_default();
    let name = String::from_utf8_lossy(bytes);
    let path = RepoPath::new(&name).map_err(|error| {
        GitError::unusable(format!("a changed file cannot be named: {error}"), &["rename the file"])
    })?;
    let side = |absent: Delta, file: git2::DiffFile<'_>| {
        if delta.status() == absent { Ok(None) } else { side(repository, &file).map(Some) }
    };
    let before = side(Delta::Added, delta.old_file())?;
    let after = side(Delta::Deleted, delta.new_file())?;
    Ok(FileChange { path, before, after })
}

fn side(repository: &Repository, file: &git2::DiffFile<'_>) -> Result<File, git2::Error> {
    let mode = match file.mode() {
        FileMode::Link => Mode::Symlink,
        FileMode::Commit => Mode::Submodule,
        FileMode::BlobExecutable => Mode::Executable,
        _ => Mode::Regular,
    };
    let bytes = match mode {
        Mode::Submodule => file.id().to_string().into_bytes(),
        _ => repository.find_blob(file.id())?.content().to_vec(),
    };
    Ok(File { bytes, mode })
}

/// The hunks of an edit in place; `None` where a change can only be taken whole.
fn edits(change: &FileChange) -> Result<Option<Vec<Hunk>>, GitError> {
    let (Some(before), Some(after)) = (&change.before, &change.after) else { return Ok(None) };
    if before.mode != after.mode || !matches!(after.mode, Mode::Regular | Mode::Executable) {
        return Ok(None);
    }
    let mut options = DiffOptions::new();
    options.context_lines(0).interhunk_lines(0);
    let patch = Patch::from_buffers(&before.bytes, None, &after.bytes, None, Some(&mut options))?;
    let mut hunks = Vec::new();
    for at in 0..patch.num_hunks() {
        let (hunk, _) = patch.hunk(at)?;
        hunks.push(Hunk {
            old: span(hunk.old_start(), hunk.old_lines()),
            new: span(hunk.new_start(), hunk.new_lines()),
        });
    }
    Ok((!hunks.is_empty()).then_some(hunks))
}

/// An empty side of a hunk names the line before it, a filled one its first.
fn span(start: u32, lines: u32) -> (usize, usize) {
    let start = if lines == 0 { start } else { start.saturating_sub(1) };
    (start as usize, lines as usize)
}

fn composed(before: &[u8], after: &[u8], hunks: &[Hunk], keep: &dyn Fn(usize) -> bool) -> Vec<u8> {
    let (old, new) = (lines(before), lines(after));
    let part = |lines: &[&[u8]], (start, length): (usize, usize)| {
        lines.get(start..start + length).unwrap_or_default().concat()
    };
    let mut bytes = Vec::with_capacity(after.len());
    let mut done = 0;
    for (at, hunk) in hunks.iter().enumerate() {
        bytes.extend(part(&old, (done, hunk.old.0.saturating_sub(done))));
        bytes.extend(if keep(at) { part(&new, hunk.new) } else { part(&old, hunk.old) });
        done = hunk.old.0 + hunk.old.1;
    }
    bytes.extend(part(&old, (done, old.len().saturating_sub(done))));
    bytes
}

fn lines(bytes: &[u8]) -> Vec<&[u8]> {
    bytes.split_inclusive(|byte| *byte == b'\n').collect()
}

fn count(lines: usize) -> u32 {
    u32::try_from(lines).unwrap_or(u32::MAX)
}
