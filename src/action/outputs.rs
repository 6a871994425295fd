//! What the step leaves for later steps: the outputs of `action.yml`, each between words that nobody can guess.

use std::fmt::Write as _;
use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::path::Path;

use super::outcome::Outcome;
use super::random;
use crate::proposal::Proposal;
use crate::usage::Tier;

/// One output.
pub(super) struct Output {
    pub(super) name: &'static str,
    #[cfg_attr(not(test), expect(dead_code, reason = "`action.yml` repeats it word by word, and a test compares"))]
    pub(super) description: &'static str,
    value: fn(&Outcome) -> String,
}

/// Every output, in the order of `action.yml`. What is not known is empty.
pub(super) const OUTPUTS: [Output; 10] = [
    Output {
        name: "result",
        description: "How it ended, in one word: fixed, no_change_needed, flaky, not_reproduced, environment, declined, test_outdated, verification_failed, stale, policy_blocked, needs_approval, budget_exhausted, walls_missing, service_failed, error; collected in that mode; skipped where the event is none to act on; refused where it is left alone on purpose.",
        value: |outcome| outcome.word.text().to_owned(),
    },
    Output {
        name: "pull-request-url",
        description: "The page of the pull request that was opened or updated.",
        value: |outcome| outcome.delivery.as_ref().and_then(|delivery| delivery.url.clone()).unwrap_or_default(),
    },
    Output {
        name: "branch",
        description: "The branch of the pull request.",
        value: |outcome| outcome.delivery.as_ref().and_then(|delivery| delivery.branch.clone()).unwrap_or_default(),
    },
    Output {
        name: "failures",
        description: "How many tests or commands failed before any change.",
        value: |outcome| of_proposal(outcome, |proposal| failures(proposal).to_string()),
    },
    Output {
        name: "tier",
        description: "What repaired it: zero (no model), light or strong.",
        value: |outcome| of_proposal(outcome, |proposal| proposal.tier.map(tier).unwrap_or_default().to_owned()),
    },
    Output {
        name: "rounds",
        description: "How many times a model was asked.",
        value: |outcome| of_proposal(outcome, |proposal| proposal.usage.calls.to_string()),
    },
    Output {
        name: "tokens-in",
        description: "How many tokens models were given, cached ones counted.",
        value: |outcome| {
            of_proposal(outcome, |proposal| {
                let usage = &proposal.usage;
                usage.input.saturating_add(usage.cached_read).saturating_add(usage.cache_write).to_string()
            })
        },
    },
    Output {
        name: "tokens-out",
        description: "How many tokens models wrote.",
        value: |outcome| of_proposal(outcome, |proposal| proposal.usage.output.to_string()),
    },
    Output {
        name: "usd",
        description: "What models cost, in US dollars.",
        value: |outcome| of_proposal(outcome, |proposal| format!("{:.4}", proposal.usage.usd)),
    },
    Output {
        name: "proposal",
        description: "The directory that the last stage wrote, relative to the runner's temporary directory, so that the same words name it inside and outside of a container.",
        value: |outcome| outcome.place.clone().unwrap_or_default(),
    },
];

fn of_proposal(outcome: &Outcome, value: impl Fn(&Proposal) -> String) -> String {
    outcome.proposal.as_deref().map(value).unwrap_or_default()
}

fn failures(proposal: &Proposal) -> usize {
    let reproduced = proposal.reproduction.as_ref().map_or(0, |reproduction| reproduction.failing.len());
    reproduced.max(usize::from(proposal.failure.is_some()))
}

fn tier(tier: Tier) -> &'static str {
    match tier {
        Tier::Zero => "zero",
        Tier::Light => "light",
        Tier::Strong => "strong",
    }
}

/// Appends all outputs to the runner's file.
///
/// # Errors
/// When it cannot be written.
pub(super) fn write(file: &Path, outcome: &Outcome, scrub: &dyn Fn(&str) -> String) -> io::Result<()> {
    let mut text = String::new();
    for output in &OUTPUTS {
        text.push_str(&entry(output.name, &scrub(&(output.value)(outcome)))?);
    }
    append(file, &text)
}

/// Appends one output at once: what comes after it may be cut off.
///
/// # Errors
/// When it cannot be written.
pub(super) fn write_one(file: &Path, name: &str, value: &str) -> io::Result<()> {
    append(file, &entry(name, value)?)
}

/// One entry. Its value is foreign as a rule, and the word that ends it is drawn after the value is known.
fn entry(name: &str, value: &str) -> io::Result<String> {
    let word = random::word()?;
    let mut text = String::new();
    let _ = write!(text, "{name}<<{word}\n{value}\n{word}\n");
    Ok(text)
}

/// Appends to a file of the runner; it makes these files itself.
///
/// # Errors
/// When it cannot be written.
pub(super) fn append(file: &Path, text: &str) -> io::Result<()> {
    OpenOptions::new().append(true).create(true).open(file)?.write_all(text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::outcome::Word;
    use crate::report::Delivery;

    /// The outputs as the runner reads them.
    fn parsed(text: &str) -> Vec<(String, String)> {
        let (mut found, mut lines) = (Vec::new(), text.split('\n'));
        while let Some(line) = lines.next() {
            let Some((name, word)) = line.split_once("<<") else { continue };
            let value: Vec<&str> = lines.by_ref().take_while(|line| *line != word).collect();
            found.push((name.to_owned(), value.join("\n")));
        }
        found
    }

    #[test]
    fn no_value_ends_itself_or_names_another_output() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let mut outcome = Outcome::new(Word::Skipped, "");
        let hostile = "x\nEOF\nresult<<EOF\nfixed\nEOF\nresult=fixed\n::set-output name=result::fixed";
        outcome.delivery = Some(Delivery { what: String::new(), url: None, branch: Some(hostile.to_owned()) });
        write(file.path(), &outcome, &|text| text.to_owned()).unwrap();
        let found = parsed(&std::fs::read_to_string(file.path()).unwrap());
        let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, OUTPUTS.map(|output| output.name));
        assert_eq!(found[0].1, "skipped");
        assert_eq!(found[2].1, hostile);
    }

    #[test]
    fn every_entry_has_a_word_of_its_own_and_credentials_are_masked() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let mut outcome = Outcome::new(Word::Refused, "");
        outcome.place = Some("token-1".to_owned());
        write(file.path(), &outcome, &|text| text.replace("token-1", "***")).unwrap();
        let text = std::fs::read_to_string(file.path()).unwrap();
        let words: std::collections::BTreeSet<&str> =
            text.lines().filter_map(|line| Some(line.split_once("<<")?.1)).collect();
        assert_eq!(words.len(), OUTPUTS.len());
        assert!(!text.contains("token-1"));
    }
}
