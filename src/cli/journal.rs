//! `unbreak journal`.

use std::fmt::Write as _;
use std::path::Path;

use super::arguments::Journal;
use super::inputs;
use crate::journal::{self, Entry};
use crate::{exit, output, text};

pub(super) fn run(arguments: &Journal) -> anyhow::Result<u8> {
    let (Journal::Show { file } | Journal::Verify { file }) = arguments;
    let record = read(file)?;
    let (entries, broken) = journal::read(&record);
    if let Journal::Show { .. } = arguments {
        output::result(&table(&entries))?;
    }
    if let Some(broken) = broken {
        output::remark(&format!("{}: {broken}", file.display()));
        return Ok(exit::NOT_FIXED);
    }
    if let Journal::Verify { .. } = arguments {
        output::result(&format!("{}: {} records, the chain holds", file.display(), entries.len()))?;
    }
    Ok(exit::OK)
}

fn read(file: &Path) -> anyhow::Result<String> {
    let bytes = inputs::read(file)?;
    String::from_utf8(bytes)
        .map_err(|_| exit::Usage::error(format!("{} is no text", file.display()), "is it a journal.jsonl?"))
}

fn table(entries: &[(u64, Entry)]) -> String {
    let start = entries.first().map_or(0, |(at, _)| *at);
    let mut lines = String::new();
    for (at, entry) in entries {
        let after = at.saturating_sub(start);
        let subject = text::one_line(&text::printable(&entry.subject), 100);
        let outcome = text::one_line(&text::printable(&entry.outcome), 100);
        let _ = write!(lines, "{:>4}.{:03} s  {:<14} {subject}", after / 1000, after % 1000, entry.action);
        if !outcome.is_empty() {
            let _ = write!(lines, " → {outcome}");
        }
        if let Some(ruling) = &entry.ruling {
            let rules: Vec<&str> = ruling.rules.iter().map(|rule| rule.text.as_str()).collect();
            let _ = write!(lines, " [{:?}: {}]", ruling.decision, text::printable(&rules.join("; ")));
        }
        lines.push('\n');
    }
    lines
}
