//! `CTest`'s `Test.xml`, and the errors of its `Build.xml`. A test is a whole program here, so its output is read
//! for what a test runner inside of it says.

use std::io::Read as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::Root;
use super::document::{Document, Piece, Tag};
use super::draft::{Draft, append, seconds};
use super::tally::Tally;
use crate::artifact::decode::Decoded;
use crate::artifact::options::Options;
use crate::artifact::{
    Case, Diagnostic, Fault, FaultKind, Lines, Location, Problem, Report, Severity, Status, TestId, text as log,
};
use crate::text;

/// The output of so many failed tests is read for what it says.
const OUTPUTS_LIMIT: usize = 200;
/// An output inflates to at most this.
const INFLATED_LIMIT: u64 = 4 << 20;
/// The most messages of a build that are kept.
const MESSAGES_LIMIT: usize = 100_000;

pub(super) fn sniff(root: &Root<'_>) -> bool {
    root.name == "Site"
        && (root.tag.contains("BuildName") || ["<Testing", "<Build"].iter().any(|part| root.head.contains(part)))
}

pub(super) fn read(document: &mut Document<'_>, report: &mut Report) {
    let mut reader = Reader::default();
    report.producer = Some("ctest".to_owned());
    while let Some(piece) = document.piece() {
        match piece {
            Piece::Open(tag) => {
                reader.open(&tag);
                reader.at = document.line();
            }
            Piece::Text(text) => {
                if !append(&mut reader.text, &text) {
                    reader.tally.text_was_cut();
                }
            }
            Piece::Close(name) => reader.close(name, report),
            Piece::Other => {}
        }
    }
    reader.tally.finish(report);
}

#[derive(Default)]
struct Reader {
    tally: Tally,
    test: Option<Test>,
    message: Option<Diagnostic>,
    /// The name of the measurement that is open; empty: what the test printed.
    measurement: String,
    encoded: bool,
    packed: bool,
    text: String,
    /// The line on which the text begins.
    at: u32,
    outputs: usize,
}

#[derive(Default)]
struct Test {
    id: TestId,
    status: String,
    ended: String,
    seconds: Option<f64>,
    output: String,
    output_at: u32,
}

impl Reader {
    fn open(&mut self, tag: &Tag<'_>) {
        self.text.clear();
        match tag.name {
            // The list of all tests names them by the same element, without a status.
            "Test" => {
                self.test = tag.get("Status").map(|status| Test { status, ..Test::default() });
            }
            "NamedMeasurement" => self.measurement = tag.get("name").unwrap_or_default(),
            "Measurement" => self.measurement.clear(),
            "Value" => {
                self.encoded = tag.get("encoding").is_some_and(|encoding| encoding == "base64");
                self.packed = tag.get("compression").is_some_and(|compression| compression == "gzip");
            }
            "Error" | "Warning" if tag.parent == "Build" => {
                let severity = if tag.name == "Error" { Severity::Error } else { Severity::Warning };
                self.message = Some(Diagnostic {
                    kind: FaultKind::Compile,
                    tool: "ctest".to_owned(),
                    severity,
                    ..Diagnostic::default()
                });
            }
            _ => {}
        }
    }

    fn close(&mut self, name: &str, report: &mut Report) {
        let value = std::mem::take(&mut self.text);
        if let Some(message) = &mut self.message {
            match name {
                "Text" => {
                    message.message = text::first_line(&text::plain(&value), 400);
                    message.details = text::plain(value.trim());
                    message.excerpt = text::first_line(&value, 400);
                    message.lines = Some(Lines { start: self.at, end: self.at });
                }
                "SourceFile" => message.location = Some(place(value.trim())),
                "SourceLineNumber" => {
                    if let Some(place) = &mut message.location {
                        place.line = value.trim().parse().ok();
                    }
                }
                "Error" | "Warning" => {
                    let found = self.message.take().filter(|_| report.diagnostics.len() < MESSAGES_LIMIT);
                    report.diagnostics.extend(found);
                }
                _ => {}
            }
            return;
        }
        let Some(test) = &mut self.test else { return };
        match name {
            "Name" => test.id.name = text::one_line(&text::plain(&value), 2000),
            "Path" => test.id.suite = text::one_line(&text::plain(&value), 2000),
            "Value" => match self.measurement.as_str() {
                "" if test.status == "failed" => {
                    (test.output, test.output_at) = (value, self.at);
                    if self.encoded {
                        test.output = decoded(&test.output, self.packed).unwrap_or_default();
                        test.output_at = 0;
                    }
                }
                "Execution Time" => test.seconds = seconds(&value),
                "Exit Code" | "Completion Status" if value.trim() != "Completed" => {
                    test.ended = text::one_line(&text::plain(&value), 200);
                }
                _ => {}
            },
            "Test" => self.finish(report),
            _ => {}
        }
    }

    fn finish(&mut self, report: &mut Report) {
        let Some(test) = self.test.take() else { return };
        let status = match test.status.as_str() {
            "passed" => Status::Passed,
            "failed" => Status::Failed,
            _ => Status::Skipped,
        };
        let mut case = Case { id: test.id, status, seconds: test.seconds, ..Case::default() };
        if status == Status::Failed {
            let stated = if test.ended.is_empty() || test.ended == "Failed" {
                "the program failed".to_owned()
            } else {
                format!("the program ended with: {}", test.ended)
            };
            self.outputs += 1;
            let inner = (self.outputs <= OUTPUTS_LIMIT).then(|| inside(&test.output, test.output_at)).flatten();
            if self.outputs == OUTPUTS_LIMIT + 1 {
                let message = format!("of more than {OUTPUTS_LIMIT} failed programs the output was not searched");
                report.problems.push(Problem { line: Some(self.at), message });
            }
            case.faults.push(inner.unwrap_or_else(|| outer(stated, &test.output, test.output_at)));
        }
        self.tally.push(case);
    }
}

/// What a test runner or a tool says in a program's output.
fn inside(output: &str, at: u32) -> Option<Fault> {
    let decoded = Decoded { head: output.into(), tail: None, problems: Vec::new() };
    let found = log::read(&decoded, &Options::of_output());
    let of_case = |case: Case| case.faults.into_iter().next();
    let fault = found.cases.into_iter().filter(Case::is_failing).find_map(of_case);
    let fault = fault.or_else(|| {
        let bad = found.diagnostics.into_iter().find(|diagnostic| diagnostic.severity == Severity::Error)?;
        Some(Fault {
            message: bad.message,
            class: bad.rule,
            details: bad.details,
            location: bad.location,
            frames: bad.frames,
            lines: bad.lines,
            excerpt: bad.excerpt,
            ..Fault::default()
        })
    });
    let mut fault = fault?;
    let shift = |line: u32| line.saturating_add(at).saturating_sub(1);
    fault.lines =
        fault.lines.filter(|_| at > 0).map(|lines| Lines { start: shift(lines.start), end: shift(lines.end) });
    Some(fault)
}

/// The part of a program's output that reads like a failure, else how the program ended.
fn outer(stated: String, output: &str, at: u32) -> Fault {
    let says = |line: &&str| {
        let line = line.to_ascii_lowercase();
        ["error", "fail", "assert", "exception", "terminate", "abort", "fault"].iter().any(|word| line.contains(word))
    };
    let skipped = output.lines().position(|line| says(&line)).unwrap_or(0);
    let at = if at > 0 { at.saturating_add(u32::try_from(skipped).unwrap_or(0)) } else { 0 };
    let rest: String = output.split_inclusive('\n').skip(skipped).collect();
    let message = match output.lines().nth(skipped).filter(says) {
        Some(line) => line.trim().to_owned(),
        None => stated,
    };
    let mut fault = Draft { message, details: rest, details_at: at, ..Draft::default() }.fault();
    if skipped > 0 {
        fault.details = text::cut_middle(&text::plain(output), 64 << 10);
    }
    fault
}

fn place(path: &str) -> Location {
    Location { path: text::plain(path), line: None, column: None }
}

fn decoded(text: &str, packed: bool) -> Option<String> {
    let text: String = text.split_ascii_whitespace().collect();
    let bytes = STANDARD.decode(text).ok()?;
    if !packed {
        return Some(String::from_utf8_lossy(&bytes).into_owned());
    }
    let mut inflated = Vec::new();
    // What could be inflated of a damaged one is better than nothing.
    let whole = flate2::read::ZlibDecoder::new(bytes.as_slice()).take(INFLATED_LIMIT).read_to_end(&mut inflated);
    (whole.is_ok() || !inflated.is_empty()).then(|| String::from_utf8_lossy(&inflated).into_owned())
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;
    use crate::artifact::read;

    fn report(tests: &str) -> Report {
        read(
            "Test.xml",
            format!("<Site Name='x'><Testing><TestList><Test>./a</Test></TestList>{tests}</Testing></Site>").as_bytes(),
        )
    }

    #[test]
    fn a_program_that_failed_says_why_in_its_output() {
        let report = report(
            "<Test Status='failed'><Name>a</Name><Path>./t</Path><Results><NamedMeasurement name='Exit Code'><Value>Failed</Value></NamedMeasurement>
<NamedMeasurement name='Execution Time'><Value>0.25</Value></NamedMeasurement><Measurement><Value>start
a.c:3: check failed: x &gt; 1
end</Value></Measurement></Results></Test>
<Test Status='failed'><Name>b</Name><Results><NamedMeasurement name='Exit Code'><Value>SEGFAULT</Value></NamedMeasurement></Results></Test>
<Test Status='passed'><Name>c</Name></Test><Test Status='notrun'><Name>d</Name><Results><Measurement><Value>Disabled</Value></Measurement></Results></Test>",
        );
        assert_eq!((report.kind, report.tests.total, report.tests.failed, report.tests.skipped), ("ctest", 4, 2, 1));
        let fault = &report.cases[0].faults[0];
        assert_eq!(fault.message, "a.c:3: check failed: x > 1");
        assert_eq!(fault.lines.map(|lines| lines.start), Some(3));
        assert_eq!(fault.location.as_ref().map(|at| (at.path.as_str(), at.line)), Some(("a.c", Some(3))));
        assert_eq!((report.cases[0].seconds, report.cases[0].id.suite.as_str()), (Some(0.25), "./t"));
        assert_eq!(report.cases[1].faults[0].message, "the program ended with: SEGFAULT");
    }

    #[test]
    fn packed_output_is_read() {
        let mut zlib = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
        zlib.write_all(b"assertion failed: q").unwrap();
        let packed = STANDARD.encode(zlib.finish().unwrap());
        let report = report(&format!(
            "<Test Status='failed'><Name>a</Name><Results><Measurement><Value encoding='base64' compression='gzip'>{packed}</Value></Measurement></Results></Test>"
        ));
        assert_eq!(report.cases[0].faults[0].message, "assertion failed: q");
        assert_eq!(report.cases[0].faults[0].lines, None);
    }

    #[test]
    fn errors_of_a_build_are_diagnostics() {
        let text = "<Site><Build><Error><BuildLogLine>7</BuildLogLine><Text>a.c:3:1: error: x</Text><SourceFile>a.c</SourceFile><SourceLineNumber>3</SourceLineNumber></Error><Warning><Text>w</Text></Warning></Build></Site>";
        let report = read("Build.xml", text.as_bytes());
        assert_eq!(report.diagnostics.len(), 2);
        let at = report.diagnostics[0].location.as_ref().unwrap();
        assert_eq!((at.path.as_str(), at.line, report.diagnostics[1].severity), ("a.c", Some(3), Severity::Warning));
    }
}
