//! The title and the body of the pull request: the proof, where it comes from, what was not verified, and the tail.

use std::fmt::Write as _;

use super::body::{body, fitted};
use super::escape::{inline, inline_code};
use super::harmless::harmless;
use super::state::State;
use crate::failure::Failure;
use crate::incident::Incident;
use crate::proposal::Proposal;
use crate::text;

/// The longest title.
const TITLE: usize = 120;
/// GitHub refuses bodies over 65 536 characters.
const MAX_CHARACTERS: usize = 60_000;
/// How much of each list is shown.
const JOBS: usize = 20;
const LEFT_OUT: usize = 10;

/// The title: `{failure}` in a template stands for the failure; without one it is `Fix …`.
#[must_use]
pub fn pull_request_title(template: Option<&str>, failure: &Failure) -> String {
    let named = super::title(failure);
    let title = match template.filter(|template| !template.trim().is_empty()) {
        Some(template) => template.replace("{failure}", &named),
        None => format!("Fix {named}"),
    };
    harmless(&title, TITLE)
}

/// The body: at most 60 000 characters, with the tail whole whatever is cut.
///
/// `run` is the page of the run, built from checked parts.
#[must_use]
pub fn pull_request_body(proposal: &Proposal, incident: &Incident, run: &str, state: &State) -> String {
    let end = format!("\n{}\n{}", origin(incident, run), state.tail());
    let room = MAX_CHARACTERS.saturating_sub(end.chars().count());
    format!("{}{end}", fitted(body(proposal), room))
}

/// What a repair belongs to, and what of it nobody verified.
fn origin(incident: &Incident, page: &str) -> String {
    let run = &incident.run;
    let mut section = String::from("## Where it comes from\n\n");
    let branch = incident
        .head
        .branch
        .as_ref()
        .map_or_else(String::new, |branch| format!(" on {}", inline_code(&text::one_line(branch.as_str(), 240))));
    let _ = writeln!(
        section,
        "[Run {}, attempt {}]({page}) of the workflow {}{branch}, at commit {}.",
        run.id,
        run.attempt,
        inline_code(&text::one_line(&run.workflow, 100)),
        &incident.head.commit.as_str()[..12],
    );
    section.push_str(&cells(incident));
    if !incident.left_out.is_empty() {
        section.push_str("\nWhat was left out when the run was collected:\n\n");
        for what in incident.left_out.iter().take(LEFT_OUT) {
            let _ = writeln!(section, "- {}", inline(&text::one_line(what, 200)));
        }
        more(&mut section, incident.left_out.len(), LEFT_OUT);
    }
    section
}

/// The jobs that failed: the proof ran in one place, so none of the others is proved by it.
fn cells(incident: &Incident) -> String {
    let jobs = &incident.jobs;
    let mut section = String::new();
    if let [job] = jobs.as_slice() {
        let name = inline_code(&text::one_line(&job.name, 120));
        let _ = writeln!(section, "\nThe proof ran in a sandbox, not on the runner of the failed job {name}.");
    } else if !jobs.is_empty() {
        let _ = writeln!(
            section,
            "\n{} jobs of the run failed. The proof ran once, in one sandbox; these cells were **not** verified one by \
             one:\n",
            jobs.len()
        );
        for job in jobs.iter().take(JOBS) {
            let _ = writeln!(section, "- {}", inline_code(&text::one_line(&job.name, 120)));
        }
        more(&mut section, jobs.len(), JOBS);
    }
    section
}

fn more(section: &mut String, all: usize, shown: usize) {
    if all > shown {
        let _ = writeln!(section, "- … and {} more", all - shown);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn proposal(excerpt: &str) -> Proposal {
        let fingerprint = "0123456789abcdef0123456789abcdef";
        let hash = "a".repeat(64);
        serde_json::from_value(json!({
            "version": 1, "result": "fixed", "reason": "it passes", "exit_code": 0, "fingerprint": fingerprint,
            "base_commit": "b".repeat(40), "uncommitted": false, "left_out": [],
            "policy": {"path": null, "commit": null, "hash": null},
            "failure": {
                "id": fingerprint, "kind": "test", "tool": null, "rule": null, "severity": "error",
                "message": "closes #1, @all", "test": null, "location": null, "frames": [], "artifact": 0,
                "lines": null, "excerpt": excerpt, "occurrences": 1,
            },
            "tier": "zero", "files": ["a.py"], "lines": {"added": 1, "removed": 1}, "reproduction": null,
            "verification": null, "findings": [], "walls": null,
            "usage": {
                "calls": 0, "input": 0, "cached_read": 0, "cache_write": 0, "output": 0, "reasoning": 0, "usd": 0.0,
                "seconds": {"model": 0.0, "commands": 0.0, "own": 0.0},
            },
            "sent": [], "journal_head": hash, "attempts": [], "hints": [], "cause": null,
        }))
        .unwrap()
    }

    fn incident(jobs: usize) -> Incident {
        let job = |id: usize| {
            json!({
                "id": id, "name": format!("test | <b> ({id})"), "attempt": 1, "conclusion": "failure", "runner": [],
                "failed_steps": [], "log": null, "annotations": null,
            })
        };
        serde_json::from_value(json!({
            "version": 1, "repository": "o/r", "default_branch": "main",
            "run": {
                "id": 7, "attempt": 2, "workflow": "`CI` @all", "url": "https://evil.example", "event": "push",
                "actor": null, "triggering_actor": null, "conclusion": "failure", "started_at": null,
            },
            "head": {"commit": "b".repeat(40), "branch": "a-->`b", "repository": "o/r"},
            "pull_request": null, "jobs": (0..jobs).map(job).collect::<Vec<_>>(), "history": [], "artifacts": [],
            "green": null, "workflow": null, "policy": null, "policy_commit": "b".repeat(40),
            "history_bundle": {"file": "x.bundle", "shallow": null}, "left_out": ["the <i>log</i> of @all"],
        }))
        .unwrap()
    }

    fn state() -> State {
        serde_json::from_value(json!({
            "version": 1, "fingerprint": "0123456789abcdef0123456789abcdef", "base": "a-->`b",
            "head": "unbreak/test-01234567", "commit": "c".repeat(40), "run": 7, "attempt": 2, "attempts": 1,
        }))
        .unwrap()
    }

    #[test]
    fn a_title_is_of_the_template_and_calls_nobody() {
        let failure = proposal("").failure.unwrap();
        assert_eq!(pull_request_title(None, &failure), "Fix closes # 1, @ all");
        assert_eq!(pull_request_title(Some("fix(ci): {failure}"), &failure), "fix(ci): closes # 1, @ all");
        assert_eq!(pull_request_title(Some(&"é".repeat(300)), &failure).chars().count(), TITLE);
    }

    #[test]
    fn what_was_not_verified_is_named_and_foreign_words_are_only_words() {
        insta::assert_snapshot!(origin(&incident(2), "https://f.example/o/r/actions/runs/7/attempts/2"), @r"
        ## Where it comes from

        [Run 7, attempt 2](https://f.example/o/r/actions/runs/7/attempts/2) of the workflow `` `CI` @all `` on ``a-->`b``, at commit bbbbbbbbbbbb.

        2 jobs of the run failed. The proof ran once, in one sandbox; these cells were **not** verified one by one:

        - `test \| <b> (0)`
        - `test \| <b> (1)`

        What was left out when the run was collected:

        - the &lt;i&gt;log&lt;/i&gt; of &#64;&#8203;all
        ");
        let many = origin(&incident(30), "https://f.example/x");
        assert!(many.contains("30 jobs of the run failed") && many.contains("and 10 more"), "{many}");
    }

    #[test]
    fn the_tail_is_whole_however_long_the_body_is() {
        let mut long = proposal("x");
        long.hints = (0..4_000).map(|n| format!("hint {n} of many words")).collect();
        for proposal in [proposal("x"), proposal("```\n<!-- unbreak:state {} -->"), long] {
            let body = pull_request_body(&proposal, &incident(1), "https://f.example/x", &state());
            assert!(body.chars().count() <= MAX_CHARACTERS);
            assert_eq!(State::read(&body), Some(state()));
            assert!(body.contains("## Where it comes from"));
        }
    }
}
