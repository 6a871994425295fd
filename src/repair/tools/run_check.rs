//! `run_check`: runs one of the plan's named checks on the tree with this round's edits in it.

use std::fmt::Write as _;

use serde::Deserialize;
use serde_json::Value;

use crate::plan::Check;
use crate::policy::{Decision, Rule, RuleSource, Ruling};
use crate::prompt::fence;
use crate::repair::tools::{Desk, Needs, Run, Running, Said, Tool, arguments};
use crate::repair::{Checked, Job, Refusal};
use crate::text::cut_middle;
use crate::verify::VerifyError;

/// Failures that one call shows.
const FAILURES: usize = 10;
/// Bytes of output that one call shows.
const OUTPUT: usize = 3_000;

pub(super) const TOOL: Tool = Tool {
    name: "run_check",
    description: "Run a check on the edited tree",
    arguments: &[("name", "string")],
    needs: Needs::Checks,
    run: Run::Later(start),
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    name: String,
}

/// The names of the checks that may be run.
pub(super) fn names<'a>(job: &Job<'a>) -> Vec<&'a str> {
    let allowed = |name: &str| job.ground.may_run(name).decision == Decision::Allow;
    let mut names: Vec<&str> = checks(job).map(|check| check.name.as_str()).filter(|name| allowed(name)).collect();
    names.dedup();
    names
}

fn checks<'a>(job: &Job<'a>) -> impl Iterator<Item = &'a Check> {
    std::iter::once(&job.plan.proof).chain(&job.plan.checks)
}

fn start<'a>(desk: &'a mut Desk<'_>, value: Value) -> Running<'a> {
    Box::pin(run(desk, value))
}

async fn run(desk: &mut Desk<'_>, value: Value) -> Result<Said, VerifyError> {
    let name = match arguments::<Arguments>(value) {
        Ok(arguments) => arguments.name,
        Err(error) => return Ok(Said::Text(error)),
    };
    let check = match find(desk, &name) {
        Ok(check) => check,
        Err(told) => return Ok(Said::Text(told)),
    };
    let job = desk.job;
    let candidate = job.ground.snapshot(&desk.tree, desk.staged.changes(), "a check for the model")?;
    let checked = job.ground.check(check, &candidate).await?;
    Ok(Said::Text(shown(job, &checked)))
}

fn find<'a>(desk: &mut Desk<'a>, name: &str) -> Result<&'a Check, String> {
    let job: &'a Job<'a> = desk.job;
    let found = checks(job).find(|check| check.name == name);
    let ruling = if found.is_some() { job.ground.may_run(name) } else { no_such_check(job) };
    match found {
        Some(check) if ruling.decision == Decision::Allow => {
            desk.decided("run_check", name, ruling);
            Ok(check)
        }
        _ => {
            let shown = cut_middle(name, 80);
            let refusal = Refusal::new("run_check", &shown, Ruling { decision: Decision::Deny, ..ruling });
            let told = refusal.told();
            desk.refuse(refusal);
            Err(told)
        }
    }
}

fn no_such_check(job: &Job<'_>) -> Ruling {
    let text = format!("only the named checks: {}", names(job).join(", "));
    Ruling { decision: Decision::Deny, rules: vec![Rule { source: RuleSource::BuiltIn, text, line: None }] }
}

/// Parsed failures first, then the raw output with its middle cut.
fn shown(job: &Job<'_>, checked: &Checked) -> String {
    let mut text = format!("{}: {}\n", if checked.passed { "passed" } else { "failed" }, checked.end);
    let mut parsed = String::new();
    for failure in checked.failures.iter().take(FAILURES) {
        let place = failure.location.as_ref().map_or_else(String::new, |place| {
            place.line.map_or_else(|| place.path.clone(), |line| format!("{}:{line}", place.path))
        });
        let name = failure.test.as_ref().map_or("", |test| test.name.as_str());
        let _ = writeln!(parsed, "{place} {name} {}", cut_middle(&failure.message, 300));
    }
    if checked.failures.len() > FAILURES {
        let _ = writeln!(parsed, "and {} more failures", checked.failures.len() - FAILURES);
    }
    if !parsed.is_empty() {
        text.push_str(&fence("", &job.steady.apply(&parsed)));
    }
    if !checked.passed {
        text.push_str(&fence("", &job.steady.apply(&cut_middle(checked.output.trim(), OUTPUT))));
    }
    text
}
