//! The summary of a step in CI: what came of it, what was published, and the story that the pull request tells.

use std::fmt::Write as _;

use super::escape::{inline, inline_code};
use crate::proposal::Proposal;
use crate::text;

/// GitHub shows no more of a step's summary, and nothing at all of one that is larger.
pub const MAX_SUMMARY: usize = 1 << 20;

/// Longer reasons are cut: they are sentences.
const LONGEST: usize = 2_000;

/// What was published.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    /// What was done, in words.
    pub what: String,
    /// The page of the pull request; checked to be one of the forge.
    pub url: Option<String>,
    /// The branch.
    pub branch: Option<String>,
}

/// What came of a step.
#[derive(Debug, Clone, Copy)]
pub struct Story<'a> {
    /// The result in one word, and what it means.
    pub result: (&'a str, &'a str),
    /// Why, in a sentence or two.
    pub reason: &'a str,
    /// What a reader should know besides.
    pub notes: &'a [String],
    /// The ways out.
    pub hints: &'a [String],
    /// What was proposed.
    pub proposal: Option<&'a Proposal>,
    /// What was published.
    pub delivery: Option<&'a Delivery>,
    /// Where it lies, below the runner's directory for temporary files.
    pub place: Option<&'a str>,
}

/// The Markdown of a story, of at most `room` bytes: what does not fit is left out whole, and that is said.
#[must_use]
pub fn job_summary(story: &Story<'_>, room: usize) -> String {
    let head = head(story);
    let body = story.proposal.map(|proposal| format!("\n{}", super::body(proposal))).unwrap_or_default();
    if head.len() + body.len() <= room {
        return head + &body;
    }
    let note =
        "\n_The rest is left out: it is larger than what a summary shows. `body.md` of the proposal holds it._\n";
    let kept = head.floor_char_boundary(room.saturating_sub(note.len()));
    if note.len() > room { String::new() } else { format!("{}{note}", &head[..kept]) }
}

fn head(story: &Story<'_>) -> String {
    let (word, meaning) = story.result;
    let mut lines = format!("# unbreak: {}\n\n{}.", inline(&word.replace('_', " ")), sentence(meaning));
    if !story.reason.is_empty() {
        let _ = write!(lines, " {}", inline(&text::one_line(&sentence(story.reason), LONGEST)));
    }
    lines.push_str("\n\n");
    if let Some(delivery) = story.delivery {
        let _ = writeln!(lines, "**Published:** {}", inline(&text::one_line(&delivery.what, LONGEST)));
        if let Some(url) = &delivery.url {
            let _ = writeln!(lines, "<{url}>");
        }
        if let Some(branch) = &delivery.branch {
            let _ = writeln!(lines, "on the branch {}", inline_code(branch));
        }
        lines.push('\n');
    } else {
        lines.push_str("**Published:** nothing.\n\n");
    }
    for note in story.notes {
        let _ = writeln!(lines, "- {}", inline(&text::one_line(note, LONGEST)));
    }
    // A proposal's body ends with its own.
    let hints: &[String] = if story.proposal.is_some() { &[] } else { story.hints };
    for hint in hints {
        let _ = writeln!(lines, "- {}", inline(&text::one_line(hint, LONGEST)));
    }
    if let Some(place) = story.place {
        let _ =
            writeln!(lines, "- What was found lies in {} below the runner's temporary directory.", inline_code(place));
    }
    lines
}

/// Words as a sentence begins.
pub(super) fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(char::to_uppercase).into_iter().flatten();
    first.chain(letters).collect()
}

/// One line about a step, without any markup.
#[must_use]
pub fn headline(story: &Story<'_>) -> String {
    let (_, meaning) = story.result;
    let reason = if story.reason.is_empty() { String::new() } else { format!(". {}", sentence(story.reason)) };
    let published = story.delivery.map(|delivery| format!(" [{}]", delivery.what)).unwrap_or_default();
    text::one_line(&text::plain(&format!("{}{reason}{published}", sentence(meaning))), 600)
}

/// What was collected of a run, for a reader at a terminal.
#[must_use]
pub fn collected(run: &str, failed: &[String], left_out: &[String]) -> String {
    let mut lines = match failed.len() {
        0 => format!("{run}: no job failed\n"),
        1 => format!("{run}: one job failed\n"),
        count => format!("{run}: {count} jobs failed\n"),
    };
    for (name, said) in [("job", failed), ("note", left_out)] {
        for what in said {
            let _ = writeln!(lines, "  {name:<9} {}", text::in_line(what));
        }
    }
    lines
}

/// What came of publishing, for a reader at a terminal.
#[must_use]
pub fn delivered(word: &str, delivery: &Delivery, notes: &[String], hints: &[String]) -> String {
    let mut lines = format!("{}: {}\n", word.replace('_', " "), text::in_line(&delivery.what));
    for (name, value) in [("page", &delivery.url), ("branch", &delivery.branch)] {
        if let Some(value) = value {
            let _ = writeln!(lines, "  {name:<9} {}", text::in_line(value));
        }
    }
    for (name, said) in [("note", notes), ("hint", hints)] {
        for what in said {
            let _ = writeln!(lines, "  {name:<9} {}", text::in_line(what));
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn story<'a>(reason: &'a str, notes: &'a [String]) -> Story<'a> {
        Story {
            result: ("skipped", "the event is none to act on"),
            reason,
            notes,
            hints: &[],
            proposal: None,
            delivery: None,
            place: None,
        }
    }

    #[test]
    fn a_step_that_did_nothing_says_what_and_why() {
        insta::assert_snapshot!(job_summary(&story("the run ended with `success`", &[]), MAX_SUMMARY), @r"
        # unbreak: skipped

        The event is none to act on. The run ended with \`success\`

        **Published:** nothing.
        ");
    }

    #[test]
    fn foreign_words_are_only_words() {
        let notes = ["<img src=x>\n# title @admin".to_owned()];
        let told = job_summary(&story("[a](http://b)", &notes), MAX_SUMMARY);
        assert!(!told.contains("<img") && !told.contains("\n# title") && !told.contains("[a]("), "{told}");
    }

    #[test]
    fn what_is_published_is_named_with_its_page_and_branch() {
        let delivery = Delivery {
            what: "pull request 4 was opened".to_owned(),
            url: Some("https://github.com/octo/hello/pull/4".to_owned()),
            branch: Some("unbreak/test-0a1b2c3d".to_owned()),
        };
        let mut story = story("", &[]);
        story.result = ("fixed", "the failure is repaired, and the proof is attached");
        story.delivery = Some(&delivery);
        insta::assert_snapshot!(job_summary(&story, MAX_SUMMARY), @r"
        # unbreak: fixed

        The failure is repaired, and the proof is attached.

        **Published:** pull request 4 was opened
        <https://github.com/octo/hello/pull/4>
        on the branch `unbreak/test-0a1b2c3d`
        ");
        assert_eq!(headline(&story), "The failure is repaired, and the proof is attached [pull request 4 was opened]");
    }

    #[test]
    fn no_summary_is_larger_than_the_room_there_is() {
        let notes = vec!["ä".repeat(3_000); 2_000];
        let told = job_summary(&story("", &notes), MAX_SUMMARY);
        assert!(told.len() <= MAX_SUMMARY && told.contains("The rest is left out"), "{}", told.len());
        assert!(job_summary(&story("", &notes), 10).is_empty());
    }
}
