//! What the demo says at its end: three failures, what became of each, and the pull request that would be opened.

use std::fmt::Write as _;

use crate::proposal::Proposal;
use crate::text;
use crate::usage::Tier;

/// One of the demo's failures.
#[derive(Debug)]
pub struct DemoAct<'a> {
    /// What broke.
    pub title: &'a str,
    /// The failing command.
    pub command: &'a str,
    /// What the run came to.
    pub proposal: &'a Proposal,
    /// Where its bundle lies.
    pub bundle: String,
}

/// The demo's last words.
#[must_use]
pub fn demo(acts: &[DemoAct<'_>]) -> String {
    let mut lines = String::new();
    for (number, act) in acts.iter().enumerate() {
        let proposal = act.proposal;
        let _ = writeln!(lines, "{}. {} (`{}`)", number + 1, act.title, act.command);
        let _ = writeln!(lines, "   {}: {}", proposal.result.word(), text::in_line(&proposal.reason));
        if let Some(failure) = &proposal.failure {
            let _ = writeln!(lines, "   broke    {}", text::in_line(&super::title(failure)));
        }
        if !proposal.files.is_empty() {
            let counts = proposal.lines;
            let files = text::in_line(&proposal.files.join(", "));
            let _ = writeln!(lines, "   patch    {files} (+{} -{})", counts.added, counts.removed);
        }
        let steps = proposal.verification.iter().flat_map(|it| &it.steps);
        let steps: Vec<String> =
            steps.map(|step| format!("{} {}", step.name, if step.passed { "ok" } else { "FAILED" })).collect();
        if !steps.is_empty() {
            let _ = writeln!(lines, "   proof    {}", steps.join(", "));
        }
        let _ = writeln!(lines, "   tokens   {}", tokens(proposal));
        let _ = writeln!(lines, "   bundle   {}\n", act.bundle);
    }
    if let Some(act) = acts.last() {
        let _ = writeln!(lines, "The pull request that would be opened for the last one:\n");
        for line in super::body(act.proposal).lines() {
            let _ = writeln!(lines, "  | {}", text::in_line(line));
        }
    }
    lines
}

fn tokens(proposal: &Proposal) -> String {
    match proposal.tier {
        Some(Tier::Zero) => "0: no model was asked".to_owned(),
        _ if proposal.usage.calls > 0 => {
            "the model's answers are scripted in this demo; no model was asked and nothing was paid".to_owned()
        }
        _ => "0".to_owned(),
    }
}
