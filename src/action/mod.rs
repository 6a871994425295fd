//! `unbreak action`: the entry point of the container, and of a step in the failing job.
//!
//! An event becomes a decision, a decision becomes up to three stages, and whatever they come to is told: outputs,
//! annotations, a summary. Each stage is a process of its own, with the credentials that it needs and no others.

mod artifacts;
mod commands;
mod console;
mod environment;
mod event;
mod glob;
mod handed;
mod inputs;
mod outcome;
mod outputs;
mod pipeline;
mod place;
mod random;
mod stage;
mod tell;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

pub use handed::Collected;

use crate::exit;
use crate::proposal::Conclusion;
use crate::secret::{Redactor, Secret};
use commands::{Annotation, Level};
use event::{Decision, Payload, Target};
use inputs::Inputs;
use outcome::{Outcome, Word};

/// GitHub sends no larger events.
const LARGEST_EVENT: u64 = 32 << 20;

/// What the shell knows of the machine.
#[derive(Debug, Clone, Copy)]
pub struct Setting<'a> {
    /// The environment, whole.
    pub env: &'a BTreeMap<String, String>,
    /// This program, which each stage is another process of.
    pub program: &'a Path,
    /// The state directory, for where a runner has no directory for temporary files.
    pub state: &'a Path,
    /// Inputs of the command line: `NAME=VALUE` each.
    pub with: &'a [String],
}

impl Setting<'_> {
    /// A path that the runner names.
    fn path(&self, variable: &str) -> Option<PathBuf> {
        self.env.get(variable).filter(|value| !value.is_empty()).map(PathBuf::from)
    }

    /// The workspace: it is read, and never written.
    fn workspace(&self) -> PathBuf {
        self.path("GITHUB_WORKSPACE").unwrap_or_else(|| PathBuf::from("."))
    }
}

/// Does what the event asks for, tells how it ended, and returns the exit code of the step.
///
/// # Errors
/// What a person set and is not usable; everything else is an outcome that was told.
pub async fn run(setting: &Setting<'_>) -> anyhow::Result<u8> {
    let (inputs, decision) = match prepare(setting) {
        Ok(prepared) => prepared,
        Err(error) => {
            console::annotate(&[Annotation::new(Level::Error, "unbreak", format!("{error:#}"))])?;
            return Err(error);
        }
    };
    let mut outcome = work(setting, &inputs, decision).await;
    outcome.notes.extend(inputs.remarks.iter().cloned());
    let redactor = redactor(&inputs);
    tell::outcome(setting, &outcome, &inputs.remarks, &|text| redactor.scrub(text))?;
    Ok(if outcome.unusable { exit::USAGE } else { inputs.fail_on.code(outcome.word) })
}

/// What was set, and what happened.
fn prepare(setting: &Setting<'_>) -> anyhow::Result<(Inputs, Decision)> {
    let inputs = Inputs::read(setting.env, setting.with, &setting.workspace())?;
    let on_runner = setting.env.get("GITHUB_ACTIONS").is_some_and(|value| value == "true");
    console::mask(on_runner, [&inputs.token, &inputs.key].into_iter().flatten().map(Secret::reveal))?;
    let hint = "`unbreak action` is for GitHub Actions; on a machine of your own there is `unbreak fix`";
    let payload = payload(setting).map_err(|wrong| exit::Usage::error(wrong, hint))?;
    let decision = event::decide(setting.env, &payload).map_err(|wrong| exit::Usage::error(wrong, hint))?;
    Ok((inputs, decision))
}

/// The event file. Where none is named, what it would say is not known, which no event gains by.
fn payload(setting: &Setting<'_>) -> Result<Payload, String> {
    let Some(path) = setting.path("GITHUB_EVENT_PATH") else { return Ok(Payload::default()) };
    let mut bytes = Vec::new();
    let read = File::open(&path).and_then(|file| file.take(LARGEST_EVENT + 1).read_to_end(&mut bytes));
    let wrong = |wrong: String| format!("the event file {}: {wrong}", path.display());
    read.map_err(|error| wrong(error.to_string()))?;
    if bytes.len() as u64 > LARGEST_EVENT {
        return Err(wrong("it is larger than any event".to_owned()));
    }
    Payload::read(&bytes).map_err(wrong)
}

async fn work(setting: &Setting<'_>, inputs: &Inputs, decision: Decision) -> Outcome {
    let target = match decision {
        Decision::Nothing(reason) => return Outcome::new(Word::Skipped, reason),
        Decision::Refused(reason) => return Outcome::new(Word::Refused, reason),
        Decision::Act(target) => target,
    };
    if let Some(reason) = not_asked_for(&target, &inputs.branches) {
        return Outcome::new(Word::Skipped, reason);
    }
    pipeline::run(setting, inputs, &target).await.unwrap_or_else(|error| {
        let mut outcome = Outcome::new(Word::Concluded(Conclusion::Error), format!("{error:#}"));
        outcome.hints = exit::hints_of(&error);
        outcome.unusable = exit::of_error(&error) == exit::USAGE;
        outcome
    })
}

/// Why the input `branch` keeps this run out.
fn not_asked_for(target: &Target, branches: &[String]) -> Option<String> {
    if branches.is_empty() {
        return None;
    }
    let branch = target.branch.as_deref().unwrap_or_default();
    let matched = branches.iter().any(|pattern| glob::matches(pattern, branch));
    (!matched).then(|| {
        let shown = crate::text::in_line(branch).replace('`', "'");
        format!("the branch `{shown}` is none that the input `branch` names")
    })
}

fn redactor(inputs: &Inputs) -> Redactor {
    let named = [("github-token", &inputs.token), ("api-key", &inputs.key)];
    Redactor::new(named.into_iter().filter_map(|(name, secret)| Some((name, secret.as_ref()?))))
}
