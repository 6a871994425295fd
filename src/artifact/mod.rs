//! What CI left behind, read into one model: test cases and diagnostics, plus what could not be read.
//!
//! A format is one file in the folder of its syntax (`xml`, `json`, `text`) and a row in the table there. A reader gets
//! bytes that nobody trusts and returns what it could read and a [`Problem`] for what it could not; it never fails and
//! never panics.

use std::io::{self, Read, Seek};

use archive::{Archive, Member, Packed};
use options::Options;
use stream::Stream;

mod archive;
mod catalogue;
mod content;
mod coverage;
mod decode;
mod gist;
mod json;
mod limits;
mod log;
mod matcher;
mod merge;
mod model;
mod options;
mod place;
mod stream;
mod text;
mod trace;
mod xml;

pub use catalogue::{Entry, catalogue};
pub use content::{Content, Rewind};
pub use limits::Limits;
pub use log::PASSAGE;
pub use matcher::Matchers;
pub use merge::merge_cases;
pub use model::*;
pub use place::{is_foreign, is_installed};
pub(crate) use trace::root_cause;

/// One artifact that was not read yet.
#[derive(Debug, Clone)]
pub struct Raw {
    /// As the user or the forge named it; only shown.
    pub name: String,
    /// Its bytes.
    pub content: Content,
    /// The log of the last green run of the same job, where there is one: what it says as well explains no failure.
    pub baseline: Option<String>,
}

impl Raw {
    /// Reads it, or every artifact in it when it is an archive: see [`open`].
    #[must_use]
    pub fn open(&self, matchers: &Matchers, limits: Limits) -> Vec<Report> {
        let options = Options { matchers, baseline: self.baseline.as_deref(), logs: true, limits };
        match &self.content {
            Content::Held(bytes) => open_held(&self.name, bytes, &options),
            Content::Large(source, size) => {
                let read = content::rewound(source)
                    .and_then(|mut source| open_large(&self.name, &mut *source, *size, &options));
                read.unwrap_or_else(|error| vec![unreadable(&self.name, format!("it cannot be read: {error}"))])
            }
        }
    }
}

/// Reads one artifact, or every artifact in an archive: its members are `a.zip!r.xml`.
///
/// An archive that has something to say about itself comes first, as an artifact without tests: of the kind `archive`,
/// or `unknown` when nothing in it could be read. Members that are no artifacts are counted there and not listed.
#[must_use]
pub fn open(path: &str, bytes: &[u8]) -> Vec<Report> {
    open_held(path, bytes, &Options::of_artifact())
}

fn open_held(path: &str, bytes: &[u8], options: &Options<'_>) -> Vec<Report> {
    match Archive::of(bytes) {
        Some(archive) => unpack((archive, path), bytes.into(), options),
        None => vec![read_held(path, bytes, options)],
    }
}

/// The same where the bytes are not held.
fn open_large(path: &str, source: &mut dyn Rewind, size: u64, options: &Options<'_>) -> io::Result<Vec<Report>> {
    let mut head = Vec::new();
    source.take(HEAD).read_to_end(&mut head)?;
    source.rewind()?;
    if let Some(archive) = Archive::of(&head) {
        return Ok(unpack((archive, path), Packed::new(source, size), options));
    }
    read_large(path, source, options).map(|report| vec![report])
}

/// Reads in one pass, by what stands at the beginning.
fn read_large(path: &str, mut source: impl Read, options: &Options<'_>) -> io::Result<Report> {
    let mut head = Vec::new();
    source.by_ref().take(HEAD).read_to_end(&mut head)?;
    if let Some(container) = container(&head) {
        return Ok(packed(path, container));
    }
    let limits = options.limits.of_large();
    let mut text = Stream::new(head.as_slice().chain(source));
    let head = decode::decode(&head).head;
    let structured = xml::read_stream(&head, &mut text, limits).or_else(|| json::read_stream(&head, &mut text));
    let mut report = structured.unwrap_or_else(|| text::read_stream(&mut text, options));
    path.clone_into(&mut report.path);
    if report.kind == "unknown" {
        report.problems.push(unrecognised(&report));
        if matches!(head.trim_start().as_bytes().first(), Some(b'{' | b'[')) {
            let message = "of JSON that is too large to be held SARIF alone is read".to_owned();
            report.problems.push(Problem { line: None, message });
        }
    }
    limits.apply(&mut report);
    Ok(report)
}

/// How much of a large artifact its format is recognised by.
const HEAD: u64 = 64 << 10;

fn unpack((archive, path): (Archive, &str), packed: Packed<impl Read + Seek>, options: &Options<'_>) -> Vec<Report> {
    let (mut reports, mut members, mut others) = (Vec::new(), 0_usize, Vec::new());
    // What its members may keep together.
    let mut left = options.limits;
    let mut problems = archive::members((archive, path), packed, &options.limits, &mut |name, member| {
        members += 1;
        let options = &Options { limits: left, ..*options };
        let path = format!("{path}!{name}");
        let report = match member {
            Member::Held(bytes) => read_held(&path, bytes, options),
            Member::Large(source) => read_large(&path, source, options)
                .unwrap_or_else(|error| unreadable(&path, format!("it cannot be read: {error}"))),
        };
        left = left.without(&report);
        if report.kind == "unknown" {
            others.push(name.to_owned());
        } else {
            reports.push(report);
        }
    });
    if !others.is_empty() {
        let more = if others.len() > SHOWN_MEMBERS { ", …" } else { "" };
        let names = others.iter().take(SHOWN_MEMBERS).map(String::as_str).collect::<Vec<_>>().join(", ");
        let count = others.len();
        let message = format!("{count} of its {members} members are no artifacts that can be read: {names}{more}");
        problems.push(Problem { line: None, message });
    }
    if reports.is_empty() && problems.is_empty() {
        problems.push(Problem { line: None, message: "the archive is empty".to_owned() });
    }
    if !problems.is_empty() {
        let kind = if reports.is_empty() { "unknown" } else { "archive" };
        reports.insert(0, Report { path: path.to_owned(), kind, problems, ..Report::default() });
    }
    reports
}

/// Members without use that are named.
const SHOWN_MEMBERS: usize = 5;

/// Reads what a command printed or wrote: the content decides what it is, never the name. Archives and CI systems' logs
/// are for [`open`].
///
/// What cannot be read becomes a [`Problem`]; an artifact of no known format has the kind `unknown`.
#[must_use]
pub fn read(path: &str, bytes: &[u8]) -> Report {
    read_held(path, bytes, &Options::of_output())
}

fn read_held(path: &str, bytes: &[u8], options: &Options<'_>) -> Report {
    if let Some(container) = container(bytes) {
        return packed(path, container);
    }
    let decoded = decode::decode(bytes);
    let structured = xml::read(&decoded, options.limits).or_else(|| json::read(&decoded));
    let mut report = structured.unwrap_or_else(|| text::read(&decoded, options));
    if report.kind == "unknown" {
        let empty = || Problem { line: None, message: "the artifact is empty".to_owned() };
        report.problems.push(if bytes.is_empty() { empty() } else { unrecognised(&report) });
    }
    path.clone_into(&mut report.path);
    report.problems.splice(0..0, decoded.problems.iter().cloned());
    options.limits.apply(&mut report);
    report
}

fn unrecognised(report: &Report) -> Problem {
    let read = if report.passages.is_empty() { "" } else { "; it was read as a log" };
    let message = format!("no known format was recognised{read}; docs/artifacts.md lists those that can be read");
    Problem { line: None, message }
}

fn packed(path: &str, container: &str) -> Report {
    unreadable(path, format!("this is {container}, not an artifact; unpack it first"))
}

fn unreadable(path: &str, message: String) -> Report {
    let problems = vec![Problem { line: None, message }];
    Report { path: path.to_owned(), kind: "unknown", problems, ..Report::default() }
}

/// What packs other files: its bytes are not text, whatever they look like.
fn container(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [b'P', b'K', 3 | 5, 4 | 6, ..] => Some("a zip archive"),
        [0x1f, 0x8b, ..] => Some("a gzip file"),
        [0x28, 0xb5, 0x2f, 0xfd, ..] => Some("a zstandard file"),
        [0xfd, b'7', b'z', b'X', b'Z', ..] => Some("an xz file"),
        [b'B', b'Z', b'h', b'1'..=b'9', b'1', b'A', b'Y', ..] => Some("a bzip2 file"),
        _ if bytes.get(257..262) == Some(b"ustar") => Some("a tar archive"),
        [0x7f, b'E', b'L', b'F', ..] => Some("a program"),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
