//! A file that a download goes into, with a cap: the whole of it or nothing, or its last bytes.
//!
//! The end of a log is what explains a failure, so of a long one the end is kept. It is written round and round in one
//! file, which is put in order when all has come; memory stays out of it.

use std::fs::{self, File};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use crate::github::Downloaded;

/// What to do with more than the cap allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Excess {
    /// Keep the last bytes.
    KeepEnd,
    /// Keep nothing.
    KeepNothing,
}

/// Where a download goes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place<'a> {
    pub file: &'a Path,
    /// In bytes.
    pub cap: u64,
    pub excess: Excess,
}

/// The file while it is written. It is removed unless [`Kept::finish`] is reached.
#[derive(Debug)]
pub(super) struct Kept<'a> {
    place: Place<'a>,
    file: File,
    came: u64,
    finished: bool,
}

impl<'a> Kept<'a> {
    /// Makes the file, which must not exist.
    pub(super) fn create(place: Place<'a>) -> io::Result<Self> {
        let file = File::options().read(true).write(true).create_new(true).open(place.file)?;
        Ok(Self { place, file, came: 0, finished: false })
    }

    /// Takes the next bytes; whether more are of use.
    pub(super) fn take(&mut self, bytes: &[u8]) -> io::Result<bool> {
        let cap = self.place.cap;
        let length = bytes.len() as u64;
        if self.place.excess == Excess::KeepNothing && self.came + length > cap {
            self.came += length;
            return Ok(false);
        }
        // Of a piece larger than the file only its end will be left.
        let skipped = usize::try_from(length.saturating_sub(cap)).unwrap_or(usize::MAX).min(bytes.len());
        self.came += skipped as u64;
        let mut rest = &bytes[skipped..];
        while !rest.is_empty() {
            let at = self.came % cap;
            let room = usize::try_from(cap - at).unwrap_or(usize::MAX).min(rest.len());
            self.file.seek(SeekFrom::Start(at))?;
            self.file.write_all(&rest[..room])?;
            self.came += room as u64;
            rest = &rest[room..];
        }
        Ok(true)
    }

    /// Puts the file in order.
    pub(super) fn finish(mut self) -> io::Result<Downloaded> {
        let cap = self.place.cap;
        if self.came <= cap {
            self.finished = true;
            return Ok(Downloaded { bytes: self.came, cut: false });
        }
        if self.place.excess == Excess::KeepNothing {
            return Ok(Downloaded { bytes: 0, cut: true });
        }
        // A cap of nothing keeps an empty file.
        let oldest = self.came.checked_rem(cap).unwrap_or(0);
        if oldest > 0 {
            self.turn(oldest)?;
        }
        self.finished = true;
        Ok(Downloaded { bytes: cap, cut: true })
    }

    /// Writes the file anew so that it begins with its oldest byte.
    fn turn(&mut self, oldest: u64) -> io::Result<()> {
        let beside = beside(self.place.file);
        let mut turned = File::create_new(&beside)?;
        let done = self.copy(oldest, &mut turned).and_then(|()| fs::rename(&beside, self.place.file));
        if done.is_err() {
            // Half a file is of no use; the failure itself is what is reported.
            drop(fs::remove_file(&beside));
        }
        done
    }

    fn copy(&mut self, oldest: u64, turned: &mut File) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(oldest))?;
        io::copy(&mut self.file, turned)?;
        self.file.rewind()?;
        io::copy(&mut (&self.file).take(oldest), turned).map(drop)
    }
}

impl Drop for Kept<'_> {
    fn drop(&mut self) {
        if !self.finished {
            // What came so far is of no use; the failure itself is what is reported.
            drop(fs::remove_file(self.place.file));
        }
    }
}

/// Where the file is put in order.
fn beside(file: &Path) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(".turned");
    PathBuf::from(name)
}
