//! Valgrind's XML: what it found wrong in a program, each with its stack.

use super::Root;
use super::document::{Document, Piece};
use super::draft::append;
use crate::artifact::{Diagnostic, FaultKind, Frame, Lines, Location, Problem, Report, Severity};
use crate::text;

/// The most errors that are kept.
const ERRORS_LIMIT: usize = 20_000;
/// The most frames of one stack that are kept.
const FRAMES_LIMIT: usize = 100;

pub(super) fn sniff(root: &Root<'_>) -> bool {
    root.name == "valgrindoutput"
}

#[derive(Default)]
struct Found {
    start: u32,
    kind: String,
    what: String,
    what_at: u32,
    auxiliary: String,
    signal: String,
    /// The first stack: the others tell where the memory came from.
    frames: Vec<Frame>,
    stacks: usize,
    function: String,
    folder: String,
    file: String,
    line: Option<u32>,
}

pub(super) fn read(document: &mut Document<'_>, report: &mut Report) {
    let mut open: Option<Found> = None;
    let mut text = String::new();
    let (mut at, mut more) = (0, 0_u64);
    report.producer = Some("valgrind".to_owned());
    while let Some(piece) = document.piece() {
        match piece {
            Piece::Open(tag) => {
                text.clear();
                let begins = open.is_none() && matches!(tag.name, "error" | "fatal_signal");
                let stack = tag.name == "stack";
                at = document.line();
                if begins {
                    open = Some(Found { start: at, ..Found::default() });
                } else if let Some(found) = &mut open {
                    found.stacks += usize::from(stack);
                }
            }
            Piece::Text(part) => {
                append(&mut text, &part);
            }
            Piece::Close(name) => {
                let ends = matches!(name, "error" | "fatal_signal");
                if let Some(found) = &mut open {
                    found.close(name, text::plain(text.trim()), at);
                }
                text.clear();
                if ends && let Some(found) = open.take() {
                    if report.diagnostics.len() < ERRORS_LIMIT {
                        report.diagnostics.push(found.diagnostic());
                    } else {
                        more += 1;
                    }
                }
            }
            Piece::Other => {}
        }
    }
    if more > 0 {
        report.problems.push(Problem { line: None, message: format!("{more} more errors are not listed") });
    }
}

impl Found {
    fn close(&mut self, name: &str, text: String, at: u32) {
        match name {
            "kind" => self.kind = text,
            "what" | "text" if self.what.is_empty() => (self.what, self.what_at) = (text, at),
            "auxwhat" if self.auxiliary.is_empty() => self.auxiliary = text,
            "signame" => self.signal = text,
            "fn" => self.function = text,
            "dir" => self.folder = text,
            "file" => self.file = text,
            "line" => self.line = text.parse().ok(),
            "frame" => {
                let folder = std::mem::take(&mut self.folder);
                let file = std::mem::take(&mut self.file);
                let function = Some(std::mem::take(&mut self.function)).filter(|name| !name.is_empty());
                let path = if folder.is_empty() || file.is_empty() { file } else { format!("{folder}/{file}") };
                let line = self.line.take();
                if self.stacks <= 1 && self.frames.len() < FRAMES_LIMIT && (function.is_some() || !path.is_empty()) {
                    self.frames.push(Frame { path, line, function, in_project: None });
                }
            }
            _ => {}
        }
    }

    fn diagnostic(mut self) -> Diagnostic {
        // The innermost call comes first, and those of the checker itself have no use.
        self.frames.reverse();
        let own = |frame: &&Frame| {
            let foreign = ["vg_replace_", "/usr/", "/build/glibc", "/usr/src/"];
            !frame.path.is_empty() && !foreign.iter().any(|part| frame.path.contains(part))
        };
        let place = self.frames.iter().rev().find(own);
        let location = place.map(|frame| Location { path: frame.path.clone(), line: frame.line, column: None });
        let message = match (self.what.is_empty(), self.signal.is_empty()) {
            (false, _) => self.what,
            (true, false) => format!("the program was ended by {}", self.signal),
            (true, true) => self.kind.clone(),
        };
        let mut details = message.clone();
        for frame in self.frames.iter().rev() {
            let line = frame.line.map_or(String::new(), |line| format!(":{line}"));
            let function = frame.function.as_deref().unwrap_or("?");
            details.extend(["\n    ", function, " (", &frame.path, &line, ")"]);
        }
        if !self.auxiliary.is_empty() {
            details.push('\n');
            details.push_str(&self.auxiliary);
        }
        let line = if self.what_at > 0 { self.what_at } else { self.start };
        Diagnostic {
            kind: FaultKind::Crash,
            tool: "valgrind".to_owned(),
            rule: Some(self.kind).filter(|kind| !kind.is_empty()),
            severity: Severity::Error,
            message: text::first_line(&message, 400),
            location,
            frames: self.frames,
            lines: Some(Lines { start: line, end: line }),
            excerpt: text::first_line(&message, 400),
            details,
            ..Diagnostic::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::artifact::read;

    #[test]
    fn errors_and_signals_have_the_place_in_the_program() {
        let text = "<?xml version='1.0'?>
<valgrindoutput><error><unique>0x1</unique><kind>Leak_DefinitelyLost</kind>
<xwhat><text>72 bytes in 1 blocks are lost</text><leakedbytes>72</leakedbytes></xwhat>
<stack><frame><fn>malloc</fn><dir>/build/glibc/x</dir><file>vg_replace_malloc.c</file><line>299</line></frame>
<frame><fn>make(int)</fn><dir>/src/app</dir><file>make.cc</file><line>12</line></frame></stack>
<auxwhat>Block was alloc'd at</auxwhat><stack><frame><fn>x</fn></frame></stack></error>
<fatal_signal><signame>SIGABRT</signame><stack><frame><fn>raise</fn></frame></stack></fatal_signal></valgrindoutput>";
        let report = read("v.xml", text.as_bytes());
        assert_eq!((report.kind, report.diagnostics.len(), report.tests.total), ("valgrind", 2, 0));
        let leak = &report.diagnostics[0];
        assert_eq!((leak.message.as_str(), leak.frames.len()), ("72 bytes in 1 blocks are lost", 2));
        let at = leak.location.as_ref().unwrap();
        assert_eq!((at.path.as_str(), at.line, leak.lines.unwrap().start), ("/src/app/make.cc", Some(12), 3));
        assert_eq!(report.diagnostics[1].message, "the program was ended by SIGABRT");
    }
}
