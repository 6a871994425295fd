//! Answers from a recording: offline, free, the same each time. A request that was not recorded fails loudly.

use std::collections::BTreeMap;
use std::path::Path;

use crate::ids::Sha;
use crate::journal::{Entry, Journal};
use crate::llm::record::{Record, VERSION, unusable};
use crate::llm::{Answer, Asked, LlmError, Message, Model, Request};
use crate::usage::Rate;

/// A recording that answers.
#[derive(Debug)]
pub struct Replay {
    name: String,
    records: BTreeMap<String, Record>,
}

impl Replay {
    /// Reads a recording.
    ///
    /// # Errors
    /// [`LlmError::Recording`] for a directory without records, or a record that cannot be read.
    pub fn open(directory: &Path) -> Result<Self, LlmError> {
        let mut records = BTreeMap::new();
        for entry in std::fs::read_dir(directory).map_err(|error| unusable(directory, &error))? {
            let path = entry.map_err(|error| unusable(directory, &error))?.path();
            if path.extension().is_none_or(|extension| extension != "json") {
                continue;
            }
            let text = std::fs::read_to_string(&path).map_err(|error| unusable(&path, &error))?;
            let record: Record = serde_json::from_str(&text).map_err(|error| unusable(&path, &error))?;
            if record.version != VERSION {
                return Err(unusable(&path, &format!("version {} is not {VERSION}", record.version)));
            }
            let key = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
            records.insert(key, record);
        }
        if records.is_empty() {
            return Err(unusable(directory, &"it holds no recorded answer (*.json)"));
        }
        Ok(Self { name: format!("replay:{}", directory.display()), records })
    }

    /// The record whose conversation agrees longest with this one, and where the two part.
    fn hints(&self, request: &Request) -> Vec<String> {
        let asked = request.normalised();
        let agreement = |record: &Record| {
            let pairs = asked.messages.iter().zip(&record.request.messages);
            pairs.take_while(|(asked, recorded)| asked == recorded).count()
        };
        let mut hints = vec![format!("{} requests are recorded there", self.records.len())];
        // Of equals, the one with the most common text is the nearest; the keys break what is left.
        let nearest = self.records.iter().max_by_key(|(_, record)| {
            let same = agreement(record);
            let partly = asked.messages.get(same).zip(record.request.messages.get(same));
            (same, partly.map_or(0, |(asked, recorded)| common(&asked.shown(), &recorded.shown())))
        });
        if let Some((key, record)) = nearest {
            hints.push(format!("nearest is {key}: {}", difference(&asked, &record.request, agreement(record))));
        }
        hints
    }
}

fn common(a: &str, b: &str) -> usize {
    a.lines().zip(b.lines()).take_while(|(a, b)| a == b).count()
}

fn difference(asked: &Request, recorded: &Request, same: usize) -> String {
    match (asked.messages.get(same), recorded.messages.get(same)) {
        (Some(asked), Some(recorded)) => {
            let place = format!("message {} ({})", same + 1, asked.role());
            format!("{place} differs at {}", first_line(asked, recorded))
        }
        (None, None) if asked.tools != recorded.tools => "the tools differ".to_owned(),
        (None, None) => "the output limit differs".to_owned(),
        _ => format!("{} messages are asked, {} recorded", asked.messages.len(), recorded.messages.len()),
    }
}

fn first_line(asked: &Message, recorded: &Message) -> String {
    let (asked, recorded) = (asked.shown(), recorded.shown());
    let at = common(&asked, &recorded);
    let line = |text: &str| text.lines().nth(at).map_or_else(|| "the end".to_owned(), short);
    format!("line {}: asked {}, recorded {}", at + 1, line(&asked), line(&recorded))
}

fn short(line: &str) -> String {
    format!("`{}`", line.chars().take(80).collect::<String>())
}

impl Model for Replay {
    fn name(&self) -> &str {
        &self.name
    }

    fn rate(&self) -> Rate {
        Rate::Free
    }

    fn ask<'a>(&'a self, request: &'a Request, journal: &'a Journal) -> Asked<'a> {
        let key = request.key();
        let found = self.records.get(key.as_str()).map(|record| record.answer.clone());
        journal.record(entry(key.clone(), found.as_ref()));
        Box::pin(std::future::ready(found.ok_or_else(|| LlmError::Unrecorded {
            directory: self.name.trim_start_matches("replay:").to_owned(),
            key: key.to_string(),
            hints: self.hints(request),
        })))
    }
}

fn entry(key: Sha, found: Option<&Answer>) -> Entry {
    let outcome = if found.is_some() { "a recorded answer" } else { "no recorded answer" };
    let answer = found.and_then(|answer| serde_json::to_vec(answer).ok()).map(|bytes| Sha::of(&bytes));
    Entry {
        action: "model".to_owned(),
        // The directory is the host's business and stays out of the record.
        subject: "replay".to_owned(),
        outcome: outcome.to_owned(),
        hashes: std::iter::once(key).chain(answer).collect(),
        tokens: found.map(|answer| answer.tokens),
        ..Entry::default()
    }
}
