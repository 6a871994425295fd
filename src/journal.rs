//! The append-only, hash-chained record of a run: one line of JSON an action.
//!
//! Each record carries the hash of the one before (`prev`) and of itself (`hash`, over the record without that
//! key), so any edit, deletion or reordering shows. The two kinds of waiting, child processes and HTTP, are
//! recorded as spans: what is left of the wall time is the program's own.

use std::fs::File;
use std::io::{self, Write as _};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::ids::Sha;
use crate::policy::Ruling;
use crate::usage::Tokens;

/// The wall clock, as a value: milliseconds since 1970.
pub type WallClock = fn() -> u64;

/// What one action was.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Entry {
    /// `start`, `read-artifact`, `git`, `command`, `model`, `edit`, `tool`, `decision`, `gate`, `result`, …
    pub action: String,
    /// What it was done to or with: a command's words, a path, a tool's name.
    pub subject: String,
    /// Who did it: the tier (`zero`, `light`, `strong`) and role, where a model had a part.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actor: Option<String>,
    /// What came of it, in a few words.
    pub outcome: String,
    /// The policy's ruling, where there was one to make.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ruling: Option<Ruling>,
    /// Hashes of what went in and out.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub hashes: Vec<Sha>,
    /// What a model call used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<Tokens>,
    /// The waiting in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub span: Option<Span>,
}

/// Time spent waiting for something outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span {
    /// For what.
    pub waiting_for: WaitingFor,
    /// Milliseconds from the start of the run.
    pub start_ms: u64,
    /// Microseconds that it took.
    pub micros: u64,
}

/// What a span waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WaitingFor {
    /// A child process.
    Child,
    /// A model's answer, or another HTTP response.
    Http,
}

/// One line of the file.
#[derive(Debug, Serialize, Deserialize)]
struct Line {
    n: u64,
    at_ms: u64,
    prev: Sha,
    #[serde(skip_serializing_if = "Option::is_none")]
    hash: Option<Sha>,
    entry: Entry,
}

/// The record of one run.
#[derive(Debug)]
pub struct Journal {
    clock: WallClock,
    started: Instant,
    chain: Mutex<Chain>,
}

#[derive(Debug)]
struct Chain {
    file: Option<File>,
    count: u64,
    head: Sha,
    waited: [Duration; 2],
    failure: Option<String>,
}

impl Journal {
    /// Starts a record at `path`, which must not exist.
    ///
    /// # Errors
    /// When the file cannot be made.
    pub fn create(path: &Path, clock: WallClock) -> io::Result<Self> {
        Ok(Self::over(Some(File::create_new(path)?), clock))
    }

    /// A record that is kept nowhere: only its head and its sums.
    #[must_use]
    pub fn unkept(clock: WallClock) -> Self {
        Self::over(None, clock)
    }

    fn over(file: Option<File>, clock: WallClock) -> Self {
        let chain = Chain { file, count: 0, head: Sha::of(b""), waited: [Duration::ZERO; 2], failure: None };
        Self { clock, started: Instant::now(), chain: Mutex::new(chain) }
    }

    /// Appends one action and flushes it. A write that fails is kept for [`Journal::close`]: an action that was
    /// done is not undone because the disk is full, but the run says so.
    pub fn record(&self, entry: Entry) {
        let at_ms = (self.clock)();
        let mut chain = self.chain();
        if let Some(span) = entry.span {
            chain.waited[span.waiting_for as usize] += Duration::from_micros(span.micros);
        }
        if let Err(error) = chain.append(at_ms, entry) {
            chain.failure.get_or_insert(error.to_string());
        }
    }

    /// The hash of the last record.
    #[must_use]
    pub fn head(&self) -> Sha {
        self.chain().head.clone()
    }

    /// The monotonic time since the start of the run.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// A span that began at `begin` and ends now.
    #[must_use]
    pub fn span(&self, waiting_for: WaitingFor, begin: Instant) -> Span {
        let start = begin.saturating_duration_since(self.started);
        Span {
            waiting_for,
            start_ms: millis(start),
            micros: u64::try_from(begin.elapsed().as_micros()).unwrap_or(u64::MAX),
        }
    }

    /// How long the run waited so far for this.
    #[must_use]
    pub fn waited(&self, waiting_for: WaitingFor) -> Duration {
        self.chain().waited[waiting_for as usize]
    }

    /// Ends the record.
    ///
    /// # Errors
    /// The first write that failed.
    pub fn close(&self) -> Result<(), String> {
        self.chain().failure.clone().map_or(Ok(()), Err)
    }

    fn chain(&self) -> MutexGuard<'_, Chain> {
        self.chain.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Chain {
    fn append(&mut self, at_ms: u64, entry: Entry) -> io::Result<()> {
        let mut line = Line { n: self.count, at_ms, prev: self.head.clone(), hash: None, entry };
        let hash = Sha::of(&serde_json::to_vec(&line)?);
        line.hash = Some(hash.clone());
        self.count += 1;
        self.head = hash;
        let Some(file) = &mut self.file else { return Ok(()) };
        let mut bytes = serde_json::to_vec(&line)?;
        bytes.push(b'\n');
        file.write_all(&bytes)
    }
}

/// Why a record cannot be trusted.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct Broken {
    /// 1-based.
    pub line: usize,
    /// What is wrong with it.
    pub message: String,
}

/// Reads a record and checks its chain: the entries up to the first broken line, and that break.
#[must_use]
pub fn read(text: &str) -> (Vec<(u64, Entry)>, Option<Broken>) {
    let mut entries = Vec::new();
    let mut head = Sha::of(b"");
    for (at, text) in text.lines().enumerate() {
        match link(text, at as u64, &head) {
            Ok((hash, at_ms, entry)) => {
                head = hash;
                entries.push((at_ms, entry));
            }
            Err(message) => return (entries, Some(Broken { line: at + 1, message })),
        }
    }
    (entries, None)
}

/// The hashes of the records up to the first broken line: a known one that is absent shows that a chain was cut.
#[must_use]
pub fn hashes(text: &str) -> Vec<Sha> {
    let mut hashes: Vec<Sha> = Vec::new();
    for (at, text) in text.lines().enumerate() {
        let before = hashes.last().cloned().unwrap_or_else(|| Sha::of(b""));
        let Ok((hash, ..)) = link(text, at as u64, &before) else { break };
        hashes.push(hash);
    }
    hashes
}

fn link(text: &str, n: u64, head: &Sha) -> Result<(Sha, u64, Entry), String> {
    let mut line: Line = serde_json::from_str(text).map_err(|error| format!("it is no record: {error}"))?;
    let claimed = line.hash.take();
    if line.n != n {
        return Err(format!("record {} stands where record {n} belongs", line.n));
    }
    if line.prev != *head {
        return Err("it does not follow from the record before".to_owned());
    }
    let bytes = serde_json::to_vec(&line).map_err(|error| error.to_string())?;
    let hash = Sha::of(&bytes);
    if claimed.as_ref() != Some(&hash) {
        return Err("its content does not match its hash".to_owned());
    }
    Ok((hash, line.at_ms, line.entry))
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(count: usize) -> String {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("journal.jsonl");
        let journal = Journal::create(&path, || 7).unwrap();
        for n in 0..count {
            journal.record(Entry { action: "edit".into(), subject: format!("file {n}"), ..Entry::default() });
        }
        journal.close().unwrap();
        std::fs::read_to_string(path).unwrap()
    }

    #[test]
    fn an_untouched_record_holds() {
        let (entries, broken) = read(&written(3));
        assert_eq!((entries.len(), broken), (3, None));
    }

    #[test]
    fn an_edit_a_deletion_and_a_swap_show() {
        let text = written(3);
        let lines: Vec<&str> = text.lines().collect();
        let edited = text.replace("file 1", "file X");
        assert_eq!(read(&edited).1.unwrap().line, 2);
        let deleted = [lines[0], lines[2]].join("\n");
        assert_eq!(read(&deleted).1.unwrap().line, 2);
        let swapped = [lines[1], lines[0], lines[2]].join("\n");
        assert_eq!(read(&swapped).1.unwrap().line, 1);
    }

    #[test]
    fn a_record_cut_off_in_a_line_is_readable_up_to_it() {
        let text = written(3);
        let (entries, broken) = read(&text[..text.len() - 20]);
        assert_eq!((entries.len(), broken.unwrap().line), (2, 3));
    }

    #[test]
    fn waiting_is_summed_by_kind() {
        let journal = Journal::unkept(|| 0);
        let span = Span { waiting_for: WaitingFor::Child, start_ms: 0, micros: 1500 };
        journal.record(Entry { span: Some(span), ..Entry::default() });
        assert_eq!(journal.waited(WaitingFor::Child), Duration::from_micros(1500));
        assert_eq!(journal.waited(WaitingFor::Http), Duration::ZERO);
    }
}
