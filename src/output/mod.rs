//! What the shell prints: results on standard output, progress and errors on standard error.

mod failures;
mod progress;

pub use failures::failures;
pub use progress::Progress;

use std::io::{self, IsTerminal as _, Write as _};

use crate::exit;
use crate::text;

/// Writes text for people to standard output; nothing in it is obeyed by a CI system that reads the log. A reader that went away (a closed pipe) ends the program quietly.
///
/// # Errors
/// Any other failure to write.
pub fn result(text: &str) -> io::Result<()> {
    document(&text::inert(text))
}

/// Writes a document for programs to standard output, as it stands.
///
/// # Errors
/// A failure to write.
pub fn document(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    quietly(out.write_all(text.as_bytes()).and_then(|()| {
        if text.ends_with('\n') { out.flush() } else { out.write_all(b"\n").and_then(|()| out.flush()) }
    }))
}

/// A reader that went away wanted no more.
fn quietly(written: io::Result<()>) -> io::Result<()> {
    match written {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

/// Writes a value as JSON to standard output.
///
/// # Errors
/// A failure to write.
pub fn json(value: &impl serde::Serialize) -> io::Result<()> {
    // Not as one text first: a listing can be as large as what was read.
    let mut out = io::BufWriter::new(io::stdout().lock());
    let written = serde_json::to_writer_pretty(Inert(&mut out), value).map_err(io::Error::from);
    quietly(written.and_then(|()| out.write_all(b"\n")).and_then(|()| out.flush()))
}

/// JSON that a CI system may read as its log: `##[` is written so that it commands nothing. A writer of JSON hands over
/// what stands between two escapes in one piece.
struct Inert<W>(W);

impl<W: io::Write> io::Write for Inert<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut rest = bytes;
        while let Some(at) = memchr::memmem::find(rest, b"##[") {
            self.0.write_all(&rest[..at])?;
            self.0.write_all(br"\u0023#[")?;
            rest = &rest[at + 3..];
        }
        self.0.write_all(rest)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Writes a remark to standard error; a standard error that is gone is no reason to stop.
pub fn remark(text: &str) {
    drop(writeln!(io::stderr().lock(), "{}", text::inert(&text::printable(text))));
}

/// Prints an error: heading, chain and hints on standard error, or as JSON on standard output.
pub fn error(error: &anyhow::Error, as_json: bool) {
    let hints = exit::hints_of(error);
    if as_json {
        let chain: Vec<String> = error.chain().map(ToString::to_string).collect();
        let value = serde_json::json!({"version": 1, "error": {"message": chain.join(": "), "hints": hints}});
        drop(json(&value));
        return;
    }
    remark(&format!("error: {error}"));
    for cause in error.chain().skip(1) {
        remark(&format!("  because: {cause}"));
    }
    for hint in hints {
        remark(&format!("  hint: {hint}"));
    }
}

/// Whether progress can be drawn in place.
#[must_use]
pub fn is_terminal() -> bool {
    io::stderr().is_terminal()
}
