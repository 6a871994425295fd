//! The body of the pull request, in the order in which a reviewer needs it.

use std::fmt::Write as _;

use super::escape::{code_block, inline, inline_code};
use super::summary::sentence;
use crate::evidence::{CommandRun, Finding, TestRun, Verification, Weight};
use crate::proposal::{Conclusion, Proposal};
use crate::text;

/// GitHub refuses bodies over 65 536 characters; this leaves room for a tail.
const MAX_CHARACTERS: usize = 60_000;

/// The Markdown of a proposal. Foreign text is escaped; the length is bounded whatever the input.
#[must_use]
pub fn body(proposal: &Proposal) -> String {
    let sections = [
        Some(broke(proposal)),
        Some(changed(proposal)),
        findings(&proposal.findings),
        evidence(proposal),
        attempts(proposal),
        Some(bill(proposal)),
        Some(next(proposal)),
    ];
    let markdown = sections.into_iter().flatten().collect::<Vec<_>>().join("\n");
    fitted(markdown, MAX_CHARACTERS)
}

/// At most `limit` characters of a body: cut at the end of a line, an open code block closed, and said so.
pub(super) fn fitted(mut markdown: String, limit: usize) -> String {
    const CUT: &str = "\n_The rest is cut; `proposal.json` holds all of it._\n";
    /// Room for that sentence and for the fence of a code block.
    const RESERVE: usize = 400;
    if markdown.chars().count() <= limit {
        return markdown;
    }
    let at = markdown.char_indices().nth(limit.saturating_sub(RESERVE)).map_or(markdown.len(), |(at, _)| at);
    let at = markdown[..at].rfind('\n').map_or(0, |end| end + 1);
    markdown.truncate(at);
    if let Some(fence) = open_fence(&markdown) {
        let _ = writeln!(markdown, "{fence}");
    }
    markdown.push_str(CUT);
    markdown
}

/// The fence of the code block that is still open at the end.
fn open_fence(markdown: &str) -> Option<String> {
    let mut open: Option<usize> = None;
    for line in markdown.lines() {
        let length = line.bytes().take_while(|byte| *byte == b'`').count();
        match open {
            // Only a fence of its own length closes a block; what is shorter is text in it.
            Some(opened) if length >= opened && line.len() == length => open = None,
            // Behind the fence stands no backtick: such a line is code within a line.
            None if length >= 3 && !line[length..].contains('`') => open = Some(length),
            _ => {}
        }
    }
    open.map(|length| "`".repeat(length))
}

fn broke(proposal: &Proposal) -> String {
    let mut section = String::from("## What broke\n\n");
    if let Some(failure) = &proposal.failure {
        let _ = writeln!(section, "{}", inline(&super::title(failure)));
        if failure.occurrences > 1 {
            let _ = writeln!(section, "\nIt shows in {} places with one cause.", failure.occurrences);
        }
        if !failure.excerpt.is_empty() {
            let _ = write!(section, "\n{}", code_block("text", &text::cut_middle(&failure.excerpt, 4_000)));
        }
    } else {
        let _ = writeln!(section, "{}", inline(&proposal.reason));
    }
    if let Some(cause) = &proposal.cause {
        let _ = writeln!(section, "\n**Cause:** {}", inline(cause));
    }
    section
}

fn changed(proposal: &Proposal) -> String {
    let mut section = String::from("## What changed\n\n");
    if proposal.files.is_empty() {
        let _ = writeln!(
            section,
            "Nothing. {}. {}",
            sentence(super::meaning(proposal.result)),
            inline(&sentence(&proposal.reason))
        );
        return section;
    }
    let files: Vec<String> = proposal.files.iter().map(|file| inline_code(file)).collect();
    let _ = writeln!(
        section,
        "{} (+{} −{}). {}",
        files.join(", "),
        proposal.lines.added,
        proposal.lines.removed,
        inline(&sentence(&proposal.reason))
    );
    if proposal.result != Conclusion::Fixed {
        let _ = writeln!(section, "\n**This change is not proved:** {}.", super::meaning(proposal.result));
    }
    section
}

fn findings(findings: &[Finding]) -> Option<String> {
    if findings.is_empty() {
        return None;
    }
    let mut section = String::from("## What a reviewer must know\n\n");
    for finding in findings {
        let mark = if finding.severity == Weight::Block { "**blocks**" } else { "note" };
        let place = finding.line.map_or_else(|| finding.path.clone(), |line| format!("{}:{line}", finding.path));
        let _ = writeln!(
            section,
            "- {mark} {} {}: {}",
            inline_code(&finding.rule),
            inline_code(&place),
            inline(&finding.message)
        );
    }
    Some(section)
}

fn evidence(proposal: &Proposal) -> Option<String> {
    let reproduction = proposal.reproduction.as_ref()?;
    let mut section =
        String::from("## Evidence\n\n| step | command | exit | seconds | output |\n|---|---|---|---|---|\n");
    for run in &reproduction.runs {
        row(&mut section, "before any change", run);
    }
    if let Some(verification) = &proposal.verification {
        for step in &verification.steps {
            for run in &step.commands {
                // A suite is compared with its run before the change, which is the same one.
                let before = reproduction.runs.iter().any(|earlier| earlier.id == run.id);
                let when = if before { " (before)" } else { "" };
                row(&mut section, &format!("{}{when}", step.name), run);
            }
        }
        section.push('\n');
        section.push_str(&comparison(verification));
    }
    if !reproduction.failing.is_empty() {
        let shown: Vec<String> = reproduction.failing.iter().take(20).map(|name| inline_code(name)).collect();
        let _ = writeln!(section, "\nFailing before: {}", shown.join(", "));
    }
    if let Some(walls) = &proposal.walls {
        let list: Vec<String> = walls.walls.iter().map(|(wall, made_of)| format!("{wall} ({made_of})")).collect();
        let _ = writeln!(section, "\nWalls (tier {}): {}.", walls.tier, inline(&list.join(", ")));
    }
    if let Some(not_run) = proposal.verification.as_ref().map(|it| &it.not_run).filter(|list| !list.is_empty()) {
        let list: Vec<String> = not_run.iter().map(|what| format!("- {}\n", inline(what))).collect();
        let _ = write!(section, "\n**Not run:**\n\n{}", list.concat());
    }
    Some(section)
}

fn row(section: &mut String, step: &str, run: &CommandRun) {
    let end = match (run.exit_code, &run.ended_by) {
        (Some(code), _) => code.to_string(),
        (None, Some(what)) => inline(what),
        (None, None) => "?".to_owned(),
    };
    let words = run.argv.join(" ");
    let _ = writeln!(
        section,
        "| {} | {} | {end} | {:.1} | {} {} |",
        inline(step),
        inline_code(&text::one_line(&words, 160)),
        run.seconds,
        inline(&run.id),
        inline_code(head(run.output_hash.as_str(), 12))
    );
}

fn comparison(verification: &Verification) -> String {
    let mut section = String::new();
    let mut line = |name: &str, run: &TestRun| {
        let c = &run.counts;
        let _ =
            writeln!(section, "| {name} | {} | {} | {} | {} | {} |", c.total, c.passed, c.failed, c.errored, c.skipped);
    };
    if let (Some(before), Some(after)) = (&verification.before, &verification.after) {
        line("before", before);
        line("after", after);
    }
    if !section.is_empty() {
        section.insert_str(0, "| suite | tests | passed | failed | errored | skipped |\n|---|---|---|---|---|---|\n");
    }
    if verification.repeats > 1 {
        let _ = writeln!(section, "\nThe proof was run {} times, all green.", verification.repeats);
    }
    for step in verification.steps.iter().filter(|step| !step.passed) {
        let _ = writeln!(section, "\nFailed at **{}**: {}", inline(&step.name), inline(&step.summary));
    }
    section
}

fn attempts(proposal: &Proposal) -> Option<String> {
    if proposal.attempts.is_empty() {
        return None;
    }
    let mut section = String::from("## What was tried\n\n");
    for attempt in &proposal.attempts {
        let _ = writeln!(section, "- {}: {}", inline_code(&attempt.means), inline(&attempt.outcome));
    }
    Some(section)
}

fn bill(proposal: &Proposal) -> String {
    let usage = &proposal.usage;
    let mut section = String::from("## Bill\n\n");
    if usage.calls == 0 {
        section.push_str("No model was asked: zero tokens, zero cost.\n");
    } else {
        let _ = writeln!(
            section,
            "| calls | input | cached | output | US dollars |\n|---|---|---|---|---|\n| {} | {} | {} | {} | {:.4} |",
            usage.calls, usage.input, usage.cached_read, usage.output, usage.usd
        );
    }
    let seconds = &usage.seconds;
    let _ = writeln!(
        section,
        "\nTime: {:.1} s in commands, {:.1} s waiting for models, {:.2} s of its own.",
        seconds.commands, seconds.model, seconds.own
    );
    section
}

fn next(proposal: &Proposal) -> String {
    let mut section = String::from("## What you can do\n\n");
    for hint in &proposal.hints {
        let _ = writeln!(section, "- {}", inline(hint));
    }
    if proposal.result == Conclusion::Fixed && !proposal.files.is_empty() {
        section.push_str("- To undo it after a merge, revert its one commit.\n");
    }
    let _ = writeln!(
        section,
        "\nRecord: `journal.jsonl`, head {}. Nothing is merged by this tool.",
        inline_code(head(proposal.journal_head.as_str(), 16))
    );
    section
}

/// The first digits of a hash. A hash that was read from a file may be any text.
fn head(hash: &str, digits: usize) -> &str {
    hash.get(..digits).unwrap_or(hash)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_is_cut_at_a_line_and_leaves_no_block_open() {
        let long = format!("text\n\n````text\n{}````\n", "line ``` of output\n".repeat(200));
        let cut = fitted(long, 1_000);
        assert!(cut.chars().count() <= 1_000);
        assert!(cut.ends_with("output\n````\n\n_The rest is cut; `proposal.json` holds all of it._\n"), "{cut}");
        assert_eq!(fitted("short".to_owned(), 1_000), "short");
        let named = format!("````a```b```` (+1)\n{}", "text\n".repeat(400));
        assert!(!fitted(named, 1_000).contains("\n````\n"), "no block was open");
    }
}
