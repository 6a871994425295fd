//! What artifacts say, whatever their format: test cases and diagnostics.

use serde::Serialize;

use crate::text;

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
    /// Diagnostics that were counted and not kept, as there are too many.
    pub more: DiagnosticTotals,
    /// Passages of a log that explain a failure in no format\'s words.
    pub passages: Vec<Diagnostic>,
    /// What ran during the tests, where a coverage format says so.
    pub coverage: Vec<CoveredFile>,
    /// What could not be read.
    pub problems: Vec<Problem>,
}

/// How many diagnostics there are of each severity.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub struct DiagnosticTotals {
    pub errors: u64,
    pub warnings: u64,
    pub notes: u64,
}

impl DiagnosticTotals {
    /// Counts one more.
    pub fn add(&mut self, severity: Severity) {
        let count = match severity {
            Severity::Error => &mut self.errors,
            Severity::Warning => &mut self.warnings,
            Severity::Note => &mut self.notes,
        };
        *count = count.saturating_add(1);
    }

    /// All of them.
    #[must_use]
    pub fn total(self) -> u64 {
        self.errors.saturating_add(self.warnings).saturating_add(self.notes)
    }
}

/// The lines of one file that were or were not executed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CoveredFile {
    /// The file as the artifact wrote it.
    pub path: String,
    /// 1-based line numbers that were executed at least once, ascending.
    pub hit: Vec<u32>,
    /// 1-based line numbers that could have been executed and were not, ascending.
    pub missed: Vec<u32>,
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

impl TestCounts {
    /// The counts of cases.
    #[must_use]
    pub fn of(cases: &[Case]) -> Self {
        let mut counts = Self::default();
        for case in cases {
            counts.total += 1;
            match case.status {
                Status::Passed => counts.passed += 1,
                Status::Failed => counts.failed += 1,
                Status::Errored => counts.errored += 1,
                Status::Skipped => counts.skipped += 1,
            }
        }
        counts
    }

    /// The counts of both.
    pub(super) fn plus(self, other: Self) -> Self {
        Self {
            total: self.total.saturating_add(other.total),
            passed: self.passed.saturating_add(other.passed),
            failed: self.failed.saturating_add(other.failed),
            errored: self.errored.saturating_add(other.errored),
            skipped: self.skipped.saturating_add(other.skipped),
        }
    }

    /// What a reader counted itself, else the counts of the cases.
    pub(super) fn or_count(self, cases: &[Case]) -> Self {
        if self.total > 0 { self } else { Self::of(cases) }
    }
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

impl TestId {
    /// `tests/test_a.py::TestC::test_x[p]` in the words of pytest's `JUnit` report, so that a test has one name whatever
    /// tells of it.
    pub(super) fn of_node(node: &str) -> Self {
        let suite = "pytest".to_owned();
        let (path, rest) = node.split_once("::").unwrap_or((node, ""));
        let module = path.strip_suffix(".py").unwrap_or(path).replace(['/', '\\'], ".");
        if rest.is_empty() {
            return Self { suite, class: String::new(), name: module };
        }
        // Parameters may hold colons.
        let at = rest.find('[').unwrap_or(rest.len());
        let (class, name) = match rest[..at].rsplit_once("::") {
            Some((class, _)) => (format!("{module}.{}", class.replace("::", ".")), &rest[class.len() + 2..]),
            None => (module, rest),
        };
        Self { suite, class, name: name.to_owned() }
    }
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
    /// How well it explains the failure among what else the same log says; 0 where nothing was weighed.
    pub weight: u32,
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
    /// How well it explains the failure among what else the same log says; 0 where nothing was weighed.
    pub weight: u32,
    /// Edits with which the tool itself says that the fault goes away.
    pub fixes: Vec<Fix>,
}

/// One edit that a tool proposes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix {
    /// The file as the artifact wrote it.
    pub path: String,
    /// 1-based line and column (in characters) where the replaced text begins.
    pub start: (u32, u32),
    /// Where it ends; this position is not part of it.
    pub end: (u32, u32),
    /// What stands there afterwards.
    pub replacement: String,
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

impl Problem {
    /// In one line, with the artifact and its line where they are known.
    #[must_use]
    pub fn told(&self, path: Option<&str>) -> String {
        let line = self.line.map(|line| format!(":{line}")).unwrap_or_default();
        let place = path.map(|path| format!("{path}{line}: ")).unwrap_or_default();
        text::in_line(&format!("{place}{}", self.message))
    }
}
