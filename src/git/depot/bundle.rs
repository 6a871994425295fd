//! Commits as a file: written on one machine, checked and taken in on another.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Read as _, Seek as _, SeekFrom};
use std::path::Path;
use std::time::Duration;

use super::super::program::{Call, Input};
use super::super::{GitError, odd_objects, transport};
use super::commit::Step;
use super::{Depot, kept, shallow};
use crate::ids::CommitSha;
use crate::journal::Journal;

/// Larger bundles are not read.
const MOST_BYTES: u64 = 2 << 30;
const MOST_HEADER_BYTES: u64 = 64 << 10;
/// How long a bundle may keep us busy: small objects can be made that take long to put together.
const LONGEST: Duration = Duration::from_mins(20);

impl Depot {
    /// Writes commits with what lies before them to a bundle; gives the commits whose parents are not in it, one id a
    /// line, or `None` when none is missing.
    ///
    /// # Errors
    /// [`GitError`]; [`GitError::Unusable`] for a commit that is not here.
    pub async fn bundle(
        &self,
        tips: &[&CommitSha],
        file: &Path,
        journal: &Journal,
    ) -> Result<Option<String>, GitError> {
        tips.iter().try_for_each(|tip| self.demand(tip))?;
        let tips: BTreeSet<CommitSha> = tips.iter().map(|tip| (*tip).clone()).collect();
        self.keep(tips.iter(), journal).await?;
        let refs: Vec<String> = tips.iter().map(kept).collect();
        // Under a name of ours first: no path from outside is an argument.
        let made = self.git_dir().join("made.bundle");
        let name = made.to_string_lossy();
        let mut args = vec!["bundle", "create", "--quiet", "--version=2", &*name];
        args.extend(refs.iter().map(String::as_str));
        self.git.expect(Call::new(&args, &self.directory), journal).await?;
        moved(&made, file)?;
        let cut_off = self.shallow()?;
        let mut ends = BTreeSet::new();
        let tips: Vec<CommitSha> = tips.into_iter().collect();
        self.walk(&tips, |commit| {
            // What lies before may be here all the same, but git does not look there.
            let end = cut_off.contains(commit);
            if end && ends.insert(commit.clone()) { Step::Aside } else { Step::Back }
        })?;
        Ok((!ends.is_empty()).then(|| shallow::text(&ends)))
    }

    /// Brings in the commits of a bundle that [`Self::bundle`] wrote, with what it gave beside it. Everything in it is
    /// checked: the hashes, the form of each object, and that nothing is missing but what lies before the ends.
    ///
    /// # Errors
    /// [`GitError`]; [`GitError::Unusable`] for a bundle of another form, a damaged one, or one that is not whole.
    pub async fn unbundle(&self, file: &Path, shallow: Option<&str>, journal: &Journal) -> Result<(), GitError> {
        let (pack, tips) = open(file)?;
        let ends = shallow::parse(shallow.unwrap_or_default())?;
        let added = self.cut_off(&ends)?;
        let (strict, most) = (odd_objects::for_index_pack(), format!("--max-input-size={MOST_BYTES}"));
        let args = ["index-pack", "--stdin", &strict, &most];
        self.check(Call { input: Input::File(&pack), ..Call::new(&args, &self.directory) }, journal).await?;
        if let Some(absent) = tips.iter().chain(&ends).find(|commit| !self.has(commit)) {
            return Err(unusable(format!("commit {absent} is not in it")));
        }
        let lines = shallow::text(&tips);
        let args = ["rev-list", "--objects", "--quiet", "--stdin"];
        self.check(Call { input: Input::Bytes(lines.as_bytes()), ..Call::new(&args, &self.directory) }, journal)
            .await?;
        self.keep(tips.iter(), journal).await?;
        added.keep();
        Ok(())
    }

    /// Runs a call whose failure is the bundle's.
    async fn check(&self, call: Call<'_>, journal: &Journal) -> Result<(), GitError> {
        let printed = self.git.run(Call { limit: Some(LONGEST), ..call }, journal).await?;
        if printed.success {
            return Ok(());
        }
        Err(unusable(format!("git says: {}", transport::clean(printed.stderr.lines()))))
    }
}

/// The file, standing where its pack begins, and the commits that its head names.
fn open(path: &Path) -> Result<(File, Vec<CommitSha>), GitError> {
    let found = fs::symlink_metadata(path).map_err(GitError::io(path))?;
    if !found.is_file() {
        return Err(unusable("it is no regular file"));
    }
    if found.len() > MOST_BYTES {
        return Err(unusable(format!("it is larger than {MOST_BYTES} bytes")));
    }
    let mut file = File::open(path).map_err(GitError::io(path))?;
    let (length, tips) =
        head(&file).map_err(GitError::io(path))?.ok_or_else(|| unusable("its head is of another form"))?;
    file.seek(SeekFrom::Start(length)).map_err(GitError::io(path))?;
    Ok((file, tips))
}

/// How long the head is, and the commits that it names: those alone that [`Depot::bundle`] writes, each under the name
/// that says its id, and none that is taken for granted.
fn head(file: &File) -> std::io::Result<Option<(u64, Vec<CommitSha>)>> {
    let mut lines = BufReader::new(file.take(MOST_HEADER_BYTES));
    let (mut length, mut tips, mut line) = (0, Vec::new(), Vec::new());
    loop {
        line.clear();
        let read = lines.read_until(b'\n', &mut line)?;
        length += read as u64;
        let first = length == read as u64;
        let Some(text) = line.strip_suffix(b"\n").and_then(|line| std::str::from_utf8(line).ok()) else {
            return Ok(None);
        };
        match text {
            "# v2 git bundle" if first => {}
            "" if !first && !tips.is_empty() => return Ok(Some((length, tips))),
            _ if first => return Ok(None),
            text => match text.split_once(' ').and_then(|(id, name)| Some((CommitSha::new(id).ok()?, name))) {
                Some((id, name)) if id.as_str().len() == 40 && name == kept(&id) => tips.push(id),
                _ => return Ok(None),
            },
        }
    }
}

/// Moves a file, also to another file system; half of one is not left there.
fn moved(from: &Path, to: &Path) -> Result<(), GitError> {
    if fs::rename(from, to).is_ok() {
        return Ok(());
    }
    let copied = fs::copy(from, to);
    drop(fs::remove_file(from));
    copied.map(drop).map_err(|error| {
        drop(fs::remove_file(to));
        GitError::io(to)(error)
    })
}

fn unusable(reason: impl std::fmt::Display) -> GitError {
    GitError::unusable(format!("the bundle of commits cannot be used: {reason}"), &["collect the run again"])
}
