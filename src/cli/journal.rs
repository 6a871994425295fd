//! `unbreak journal`.

use std::fmt::Write as _;
use std::path::Path;

use super::arguments::Journal;
use super::inputs;
use crate::journal::{self, Entry};
use crate::{exit, output, text};

pub(super) fn run(arguments: &Journal) -> anyhow::Result<u8> {
    let (Journal::Show { file } | Journal::Verify { file, .. }) = arguments;
    // A bundle stands for the record in it.
    let file = &if file.is_dir() { file.join("journal.jsonl") } else { file.clone() };
    let record = read(file)?;
    let (entries, broken) = journal::read(&record);
    if let Journal::Show { .. } = arguments {
        output::result(&table(&entries))?;
    }
    if let Some(broken) = broken {
        output::remark(&format!("{}: {broken}", file.display()));
        return Ok(exit::NOT_FIXED);
    }
    if let Journal::Verify { head, .. } = arguments {
        if let Some(lacking) = lacking(file, &record, head.as_deref())? {
            output::remark(&format!("{}: {lacking}", file.display()));
            return Ok(exit::NOT_FIXED);
        }
        output::result(&format!("{}: {} records, the chain holds", file.display(), entries.len()))?;
    }
    Ok(exit::OK)
}

/// What a chain that holds lacks: all of it, or a record that it is known to have had.
fn lacking(file: &Path, record: &str, named: Option<&str>) -> anyhow::Result<Option<String>> {
    let hashes = journal::hashes(record);
    if hashes.is_empty() {
        return Ok(Some("it holds no record".to_owned()));
    }
    let beside = file.with_file_name("proposal.json");
    let proposed = if beside.is_file() { head_of(&beside)? } else { None };
    let known = [(named, "--head"), (proposed.as_deref(), "proposal.json beside it")];
    let absent =
        known.into_iter().find(|(head, _)| head.is_some_and(|head| !hashes.iter().any(|it| it.as_str() == head)));
    Ok(absent
        .map(|(_, source)| format!("the record that {source} names is not in it: it was cut off, or is another's")))
}

fn head_of(proposal: &Path) -> anyhow::Result<Option<String>> {
    let value: serde_json::Value = serde_json::from_slice(&inputs::read(proposal)?).map_err(|error| {
        exit::Usage::error(format!("{}: {error}", proposal.display()), "is it the proposal of this run?")
    })?;
    Ok(value["journal_head"].as_str().map(str::to_owned))
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
