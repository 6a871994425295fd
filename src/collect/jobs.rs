//! Which jobs failed, and which of many to look at.

use std::collections::{BTreeMap, BTreeSet};

use crate::github::{Job, JobStep};
use crate::incident::{FailedStep, PastJob};
use crate::text::in_line;

/// Names that one sentence lists.
const NAMED: usize = 25;

/// The jobs of a run, told apart.
#[derive(Debug, Default)]
pub(super) struct Split {
    /// Those that failed in this attempt, by their ids.
    pub(super) failed: Vec<Job>,
    /// How jobs of these names ended in other attempts.
    pub(super) history: Vec<PastJob>,
}

impl Split {
    pub(super) fn of(jobs: Vec<Job>, attempt: u32) -> Self {
        let attempt_of = |job: &Job| job.run_attempt.unwrap_or(1);
        let (this, others): (Vec<Job>, Vec<Job>) = jobs.into_iter().partition(|job| attempt_of(job) == attempt);
        let mut failed: Vec<Job> = this.into_iter().filter(has_failed).collect();
        failed.sort_by_key(|job| job.id);
        failed.dedup_by_key(|job| job.id);
        let names: BTreeSet<&str> = failed.iter().map(|job| job.name.as_str()).collect();
        let mut past: Vec<&Job> = others.iter().filter(|job| names.contains(job.name.as_str())).collect();
        past.sort_by_key(|job| (attempt_of(job), job.id));
        let past_job = |job: &&Job| PastJob {
            name: job.name.clone(),
            attempt: attempt_of(job),
            conclusion: job.conclusion.clone(),
        };
        let history = past.iter().map(past_job).collect();
        Self { failed, history }
    }
}

/// A job that runs still (the repair may be a step of it) has failed with its first failed step.
fn has_failed(job: &Job) -> bool {
    match job.conclusion.as_deref() {
        Some(conclusion) => matches!(conclusion, "failure" | "timed_out" | "startup_failure"),
        None => job.steps.iter().any(|step| step.conclusion.as_deref() == Some("failure")),
    }
}

/// The steps that failed; of a job that ran out of time, the one that was cut off.
pub(super) fn failed_steps(job: &Job) -> Vec<FailedStep> {
    let ended = |ends: &[&str]| -> Vec<FailedStep> {
        let has = |step: &&JobStep| step.conclusion.as_deref().is_some_and(|end| ends.contains(&end));
        let named = |step: &JobStep| FailedStep { number: step.number, name: step.name.clone() };
        job.steps.iter().filter(has).map(named).collect()
    };
    let mut failed = ended(&["failure", "timed_out"]);
    if failed.is_empty() && job.conclusion.as_deref() == Some("timed_out") {
        failed = ended(&["cancelled"]);
        failed.truncate(1);
    }
    failed
}

/// At most `most` of these jobs, by their places in order: one of each name without its matrix values before a second
/// one of any, since cells of one matrix mostly fail for one reason.
pub(super) fn spread(names: &[&str], most: usize) -> Vec<usize> {
    let mut groups: BTreeMap<&str, usize> = BTreeMap::new();
    let mut ranked: Vec<(usize, usize)> = Vec::new();
    for (at, name) in names.iter().enumerate() {
        let base = name.split_once(" (").map_or(*name, |(base, _)| base);
        let turn = groups.entry(base).or_default();
        ranked.push((*turn, at));
        *turn += 1;
    }
    ranked.sort_unstable();
    ranked.truncate(most);
    let mut chosen: Vec<usize> = ranked.into_iter().map(|(_, at)| at).collect();
    chosen.sort_unstable();
    chosen
}

/// Names for a sentence; of many only the first.
pub(super) fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<String> = names.map(|name| format!("`{}`", in_line(name))).collect();
    let more = names.len().saturating_sub(NAMED);
    let shown = names[..names.len() - more].join(", ");
    if more == 0 { shown } else { format!("{shown} and {more} more") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(id: u64, name: &str, attempt: u32, conclusion: Option<&str>, steps: &[(&str, &str)]) -> Job {
        let steps: Vec<_> = (1..)
            .zip(steps)
            .map(|(number, (name, end))| serde_json::json!({"name": name, "number": number, "conclusion": end}))
            .collect();
        let job = serde_json::json!({
            "id": id, "run_id": 1, "name": name, "run_attempt": attempt, "status": "completed", "conclusion": conclusion,
            "labels": [], "steps": steps,
        });
        serde_json::from_value(job).unwrap()
    }

    #[test]
    fn attempts_are_told_apart() {
        let jobs = vec![
            job(5, "test", 2, Some("failure"), &[]),
            job(4, "lint", 2, Some("success"), &[]),
            job(6, "build", 2, Some("cancelled"), &[]),
            job(2, "test", 1, Some("success"), &[]),
            job(1, "lint", 1, Some("failure"), &[]),
        ];
        let split = Split::of(jobs, 2);
        assert_eq!(split.failed.iter().map(|job| job.id).collect::<Vec<_>>(), [5]);
        let past = PastJob { name: "test".to_owned(), attempt: 1, conclusion: Some("success".to_owned()) };
        assert_eq!(split.history, [past]);
    }

    #[test]
    fn a_job_that_runs_has_failed_with_a_step_of_it() {
        let jobs = vec![
            job(1, "a", 1, None, &[("x", "success"), ("y", "failure")]),
            job(2, "b", 1, None, &[("x", "success")]),
            job(3, "c", 1, Some("timed_out"), &[("x", "success"), ("y", "cancelled"), ("z", "cancelled")]),
        ];
        let split = Split::of(jobs, 1);
        let seen: Vec<_> = split.failed.iter().map(|job| (job.id, failed_steps(job))).collect();
        let y = FailedStep { number: 2, name: "y".to_owned() };
        assert_eq!(seen, [(1, vec![y.clone()]), (3, vec![y])]);
    }

    #[test]
    fn every_kind_of_job_comes_before_a_second_cell_of_one() {
        let names = ["test (1)", "test (2)", "test (3)", "lint", "docs"];
        assert_eq!(spread(&names, 4), [0, 1, 3, 4]);
        assert_eq!(spread(&names, 9), [0, 1, 2, 3, 4]);
        assert_eq!(spread(&names, 0), [0_usize; 0]);
    }

    #[test]
    fn many_names_become_some() {
        let names: Vec<String> = (0..27).map(|n| format!("t ({n})")).collect();
        assert!(listed(names.iter().map(String::as_str)).ends_with("`t (24)` and 2 more"));
        assert_eq!(listed(["a\nb"].into_iter()), "`a b`");
    }
}
