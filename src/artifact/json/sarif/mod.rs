//! SARIF: version 2.1.0, its drafts and 1.0.0.
//!
//! Logs of hundreds of megabytes are usual, so there is no tree: each result is read, resolved and let go. Values of
//! the wrong type are skipped. Results count as they stand, suppressed ones as notes.

mod lenient;
mod message;
mod resolve;
mod run;
mod wire;

use std::io::{self, Read as _};

use memchr::memmem;
use serde::de::DeserializeSeed as _;
use serde_json::Deserializer;
use serde_json::de::Read;

use run::{Collector, Log};

use crate::artifact::{Problem, Report};

/// So much of a text tells whether it is a log.
const HEAD: usize = 64 << 10;

/// Whether the text is a log: it has runs, and says what wrote them or which schema they follow.
pub(super) fn sniff(text: &str) -> bool {
    let text = without_comments(text);
    if !text.starts_with(['{', '[']) {
        return false;
    }
    let has = |part: &[u8], word: &str| memmem::find(part, word.as_bytes()).is_some();
    let bytes = text.as_bytes();
    let head = &bytes[..bytes.len().min(HEAD)];
    // The keys may stand in any order; a schema's name stands near one of the ends.
    let tail = &bytes[bytes.len().saturating_sub(4 << 10)..];
    let named = has(head, "sarif") || has(tail, "sarif") || has(head, "\"driver\"");
    let shaped = has(head, "\"version\"") && (has(head, "\"tool\"") || has(head, "\"results\""))
        || has(head, "\"results\"") && has(head, "\"ruleId\"");
    (named || shaped) && (has(head, "\"runs\"") || has(tail, "\"runs\""))
}

/// Reads a log, or several one behind the other.
pub(super) fn read(text: &str) -> Report {
    collect(Deserializer::from_str(without_comments(text)))
}

/// The same of a log that is too large to be held; `head` is how it begins.
pub(super) fn read_stream(head: &str, mut source: impl io::Read) -> Report {
    let comments = head.len() - without_comments(head).len();
    match io::copy(&mut source.by_ref().take(comments as u64), &mut io::sink()) {
        Ok(_) => collect(Deserializer::from_reader(source)),
        Err(error) => {
            let problems = vec![Problem { line: None, message: error.to_string() }];
            Report { kind: "sarif", problems, ..Report::default() }
        }
    }
}

/// The same of any source of JSON.
fn collect<'de, R: Read<'de>>(mut reader: Deserializer<R>) -> Report {
    let mut collector = Collector::default();
    loop {
        collector.started = false;
        let read = Log(&mut collector).deserialize(&mut reader);
        collector.finish_run();
        match read {
            Ok(()) => {}
            // Nothing but blanks followed the last log.
            Err(error) if error.is_eof() && !collector.started && collector.logs > 0 => break,
            Err(error) => {
                let line = u32::try_from(error.line()).ok();
                let message = format!("the log cannot be read to its end: {error}");
                collector.report.problems.push(Problem { line, message });
                break;
            }
        }
        collector.logs += 1;
    }
    Report { kind: "sarif", ..collector.into_report() }
}

/// The text behind comments before the document, and behind a byte order mark that was kept.
fn without_comments(text: &str) -> &str {
    let mut rest = text.trim_start_matches('\u{feff}').trim_start();
    loop {
        rest = match rest.split_at_checked(2) {
            Some(("//", after)) => after.split_once('\n').map_or("", |(_, after)| after),
            Some(("/*", after)) => after.split_once("*/").map_or("", |(_, after)| after),
            _ => return rest,
        };
        rest = rest.trim_start();
    }
}

#[cfg(test)]
mod tests;
