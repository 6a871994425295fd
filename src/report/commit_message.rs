//! The message of the one commit of a repair: what was fixed, why, and where it comes from, as trailers.

use std::fmt::Write as _;

use super::harmless::harmless;
use crate::proposal::Proposal;
use crate::usage::Tier;

/// The longest headline that every tool shows whole.
const HEADLINE: usize = 72;
const SENTENCE: usize = 400;

/// Where a commit comes from.
#[derive(Debug, Clone, Copy)]
pub struct Provenance<'a> {
    /// The page of the run, built from checked parts.
    pub run: &'a str,
    /// Which attempt of it.
    pub attempt: u32,
    /// The version of this program.
    pub version: &'a str,
}

/// The first line, and the rest without the blank line between.
#[must_use]
pub fn commit_message(proposal: &Proposal, from: &Provenance<'_>) -> (String, String) {
    let title = proposal.failure.as_ref().map(super::title).unwrap_or_default();
    let headline = harmless(&format!("Fix {title}"), HEADLINE);
    let mut body = match &proposal.cause {
        Some(cause) => format!("What was wrong, in the words of the repair: {}\n\n", harmless(cause, SENTENCE)),
        None => format!("How the repair ended: {}\n\n", harmless(&proposal.reason, SENTENCE)),
    };
    let _ = writeln!(body, "Unbreak-Run: {} (attempt {})", from.run, from.attempt);
    if let Some(fingerprint) = &proposal.fingerprint {
        let _ = writeln!(body, "{FINGERPRINT}{}", harmless(fingerprint.as_str(), 32));
    }
    if let Some(tier) = proposal.tier {
        let _ = writeln!(body, "Unbreak-Tier: {}", format!("{tier:?}").to_lowercase());
    }
    if let Some(model) = model(proposal) {
        let _ = writeln!(body, "Unbreak-Model: {}", harmless(model, 100));
    }
    let _ = writeln!(body, "Unbreak-Version: {}", harmless(from.version, 40));
    (headline, body)
}

const FINGERPRINT: &str = "Unbreak-Fingerprint: ";

/// Whether a message ends with the trailers of a repair of this failure.
#[must_use]
pub fn is_message_of_ours(message: &str, fingerprint: &str) -> bool {
    let trailers = message.trim_end().rsplit("\n\n").next().unwrap_or_default();
    let wanted = format!("{FINGERPRINT}{fingerprint}");
    trailers.lines().any(|line| line == wanted) && trailers.lines().any(|line| line.starts_with("Unbreak-Run: "))
}

/// The model that made the change, where one did.
fn model(proposal: &Proposal) -> Option<&str> {
    let tier = proposal.tier.filter(|tier| *tier != Tier::Zero)?;
    proposal.attempts.iter().rev().find(|attempt| attempt.tier == tier).map(|attempt| attempt.means.as_str())
}
