//! Test runners that write one event a line, in JSON: what each tells of a test is put together.

pub(super) mod dart;
pub(super) mod go;
pub(super) mod libtest;
pub(super) mod messages;
pub(super) mod reportlog;
pub(super) mod terraform;

use crate::artifact::text::cases::Cases;
use serde::de::DeserializeOwned;

use super::Part;
use super::lines::Lines;
use crate::artifact::{Fault, gist};
use crate::text;

/// Output of one test beyond this is not kept.
const OUTPUT_LIMIT: usize = 64 << 10;

/// Gives each event to `visit`, with its line: what is no JSON, or no event of this runner, is passed over.
fn each<T: DeserializeOwned>(lines: &Lines, mut visit: impl FnMut(usize, T)) -> Vec<(usize, usize)> {
    let mut claims = Vec::new();
    for (index, line) in lines.all() {
        let line = line.trim_start();
        if !line.starts_with('{') {
            continue;
        }
        if let Ok(event) = serde_json::from_str(line) {
            claims.push((index, index + 1));
            visit(index, event);
        }
    }
    claims
}

/// Appends output as far as it is kept.
fn append(output: &mut String, more: &str) {
    let room = OUTPUT_LIMIT.saturating_sub(output.len());
    output.push_str(&more[..more.floor_char_boundary(room)]);
}

/// A fault from what a test printed, quoted by the line that reports it.
fn fault(lines: &Lines, at: usize, message: &str, output: &str) -> Fault {
    let mut fault = gist::fault(message, None, output, None);
    let (quoted, _) = lines.quote(at..at + 1);
    fault.lines = quoted;
    fault
}

/// The part of cases that were seen whole.
fn part(mut cases: Cases, claims: Vec<(usize, usize)>) -> Part {
    // JSON can spell what the cleaning of lines takes away.
    for id in cases.iter_mut().map(|case| &mut case.id) {
        for name in [&mut id.suite, &mut id.class, &mut id.name] {
            *name = text::plain(name);
        }
    }
    let counts = cases.counts();
    Part { recognised: !cases.is_empty(), counts, cases, claims, ..Part::default() }
}

#[cfg(test)]
mod tests;
