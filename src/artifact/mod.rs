//! What CI left behind, read into one model: test cases and diagnostics, plus what could not be read.
//!
//! A format is one file here and a row in [`FORMATS`] (formats of plain text have their table in `text`). A reader gets bytes that nobody trusts and returns
//! what it could read and a [`Problem`] for what it could not; it never fails and never panics.

mod annotations;
mod archive;
mod ava;
mod cargo_json;
mod cargo_test;
mod decode;
mod gist;
mod jest;
mod junit;
mod lines;
mod mark;
mod merge;
mod mocha;
mod node;
mod panic;
mod place;
mod pytest;
mod python;
mod rustc;
mod stack;
mod tap;
mod text;
mod unittest;
mod xml;

use serde::Serialize;

pub use merge::merge_cases;
pub use place::is_foreign;

/// A format: how it is recognised by content, and how it is read. The first row that recognises an artifact reads it.
struct Format {
    kind: &'static str,
    sniff: fn(&Input<'_>) -> bool,
    read: fn(&Input<'_>) -> Report,
}

const FORMATS: &[Format] = &[
    Format { kind: "junit", sniff: junit::sniff, read: junit::read },
    Format { kind: "annotations", sniff: annotations::sniff, read: annotations::read },
    // Plain text finds its own kind; it is the last row because any text is text.
    Format { kind: "unknown", sniff: text::sniff, read: text::read },
];

/// What a reader is given.
struct Input<'a> {
    decoded: &'a decode::Decoded<'a>,
}

impl Input<'_> {
    /// The text from its start; all of it unless the artifact is over the limit.
    fn text(&self) -> &str {
        &self.decoded.head
    }
}

/// One artifact that was not read yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Raw {
    /// As the user or the forge named it; only shown.
    pub name: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// Reads one artifact, or every artifact in an archive: its members are `a.zip!r.xml`.
///
/// An archive that has something to say about itself comes first, as an artifact without tests: of the kind `archive`,
/// or `unknown` when nothing in it could be read. Members that are no artifacts are counted there and not listed.
#[must_use]
pub fn open(path: &str, bytes: &[u8]) -> Vec<Report> {
    let Some(archive) = archive::Archive::of(bytes) else { return vec![read(path, bytes)] };
    let (mut reports, mut members, mut others) = (Vec::new(), 0_usize, Vec::new());
    let mut problems = archive::members(archive, path, bytes, &mut |name, bytes| {
        members += 1;
        let report = read(&format!("{path}!{name}"), bytes);
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

/// Reads one artifact, whatever it is: the content decides, never the name. Archives are for [`open`].
///
/// What cannot be read becomes a [`Problem`]; an artifact of no known format has the kind `unknown`.
#[must_use]
pub fn read(path: &str, bytes: &[u8]) -> Report {
    if let Some(container) = container(bytes) {
        let message = format!("this is {container}, not an artifact; unpack it first");
        let problems = vec![Problem { line: None, message }];
        return Report { path: path.to_owned(), kind: "unknown", problems, ..Report::default() };
    }
    let decoded = decode::decode(bytes);
    let input = Input { decoded: &decoded };
    let mut report = match FORMATS.iter().find(|format| (format.sniff)(&input)) {
        Some(format) => {
            let mut report = (format.read)(&input);
            if report.kind.is_empty() {
                report.kind = format.kind;
                report.tests = text::count(&report.cases);
            }
            report
        }
        None => Report { kind: "unknown", ..Report::default() },
    };
    if report.kind == "unknown" {
        let message = if bytes.is_empty() {
            "the artifact is empty".to_owned()
        } else {
            format!("no known format was recognised; tried: {}", known().join(", "))
        };
        report.problems.push(Problem { line: None, message });
    }
    path.clone_into(&mut report.path);
    report.problems.splice(0..0, decoded.problems.iter().cloned());
    report
}

/// What packs other files: its bytes are not text, whatever they look like.
fn container(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [b'P', b'K', 3 | 5, 4 | 6, ..] => Some("a zip archive"),
        [0x1f, 0x8b, ..] => Some("a gzip file"),
        [0x28, 0xb5, 0x2f, 0xfd, ..] => Some("a zstandard file"),
        [0x7f, b'E', b'L', b'F', ..] => Some("a program"),
        _ => None,
    }
}

/// The kinds that can be read.
#[must_use]
pub fn known() -> Vec<&'static str> {
    FORMATS.iter().map(|format| format.kind).filter(|kind| *kind != "unknown").chain(text::kinds()).collect()
}

/// What one artifact says.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// The artifact as the user named it; members of archives are `a.zip!r.xml`.
    pub path: String,
    /// The format, as printed: `junit`, `cargo-json`, `cargo-test`, `rustc`, `pytest`, … or `unknown`.
    pub kind: &'static str,
    /// The program that wrote it, when known.
    pub producer: Option<String>,
    /// Counts of tests.
    pub tests: TestCounts,
    /// Every test case that is named, in the order of the artifact, duplicates kept.
    pub cases: Vec<Case>,
    /// Every diagnostic, in the order of the artifact.
    pub diagnostics: Vec<Diagnostic>,
    /// What could not be read.
    pub problems: Vec<Problem>,
}

/// `total` = passed + failed + errored + skipped.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, serde::Deserialize, schemars::JsonSchema)]
#[expect(missing_docs, reason = "the names say it")]
pub struct TestCounts {
    pub total: u64,
    pub passed: u64,
    pub failed: u64,
    pub errored: u64,
    pub skipped: u64,
}

/// One executed (or skipped) test.
#[derive(Debug, Clone, Default)]
pub struct Case {
    /// Its name, in the words of its runner.
    pub id: TestId,
    /// How it ended.
    pub status: Status,
    /// Passed after a failure in the same run.
    pub flaky: bool,
    /// One entry for each failure of the case (a case can have several); empty when it passed.
    pub faults: Vec<Fault>,
    /// How long it ran.
    pub seconds: Option<f64>,
}

/// How a runner names a test; what is unknown is empty.
#[derive(
    Debug, Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, serde::Deserialize, schemars::JsonSchema,
)]
#[expect(missing_docs, reason = "the names are the field's own")]
pub struct TestId {
    pub suite: String,
    pub class: String,
    pub name: String,
}

/// How a test ended.
#[derive(
    Debug,
    Clone,
    Copy,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    serde::Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "the names say it")]
pub enum Status {
    #[default]
    Passed,
    Failed,
    Errored,
    Skipped,
}

/// Why a test failed, as its runner tells it.
#[derive(Debug, Clone, Default)]
pub struct Fault {
    /// One line that says what is wrong.
    pub message: String,
    /// The exception's or error's type, when named.
    pub class: Option<String>,
    /// The trace and output, terminal escapes removed.
    pub details: String,
    /// Where it was raised.
    pub location: Option<Location>,
    /// The stack, outermost call first.
    pub frames: Vec<Frame>,
    /// The lines of the artifact that a person would quote.
    pub lines: Option<Lines>,
    /// Those lines' text, escapes of the terminal and of the format removed.
    pub excerpt: String,
}

/// One message of a compiler, linter or type checker.
#[derive(Debug, Clone, Default)]
pub struct Diagnostic {
    /// What kind of fault it is.
    pub kind: FaultKind,
    /// The tool: `rustc`, `clippy`, `ruff`, …
    pub tool: String,
    /// The rule or code: `E0308`, `clippy::needless_return`, `F401`.
    pub rule: Option<String>,
    /// How bad.
    pub severity: Severity,
    /// The message, without location.
    pub message: String,
    /// Where.
    pub location: Option<Location>,
    /// Other places that the message names.
    pub frames: Vec<Frame>,
    /// The message as rendered, terminal escapes removed.
    pub details: String,
    /// The lines of the artifact that a person would quote.
    pub lines: Option<Lines>,
    /// Those lines' text, escapes of the terminal and of the format removed.
    pub excerpt: String,
}

/// What kind of fault a failure is, as printed.
#[derive(
    Debug,
    Clone,
    Copy,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    serde::Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "the names say it")]
pub enum FaultKind {
    Test,
    Compile,
    Lint,
    Format,
    Type,
    Crash,
    Timeout,
    Dependency,
    Infrastructure,
    #[default]
    Unknown,
}

/// How bad a diagnostic is.
#[derive(
    Debug,
    Clone,
    Copy,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    serde::Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "the names say it")]
pub enum Severity {
    #[default]
    Error,
    Warning,
    Note,
}

/// A place in a file, as the artifact wrote the path; lines and columns are 1-based.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, serde::Deserialize, schemars::JsonSchema)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Location {
    pub path: String,
    pub line: Option<u32>,
    pub column: Option<u32>,
}

/// One call of a stack.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, serde::Deserialize, schemars::JsonSchema)]
pub struct Frame {
    /// The file as the artifact wrote it; repository-relative once mapped.
    pub path: String,
    /// 1-based.
    pub line: Option<u32>,
    /// The function, when named.
    pub function: Option<String>,
    /// Whether the file is one of the repository's own; unknown without a repository.
    pub in_project: Option<bool>,
}

/// A range of 1-based lines of an artifact, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, serde::Deserialize, schemars::JsonSchema)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Lines {
    pub start: u32,
    pub end: u32,
}

/// Something that could not be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// 1-based line of the artifact, when known.
    pub line: Option<u32>,
    /// What, in a sentence.
    pub message: String,
}

#[cfg(test)]
mod tests;
