//! From the names that the forge gives jobs and steps to those of the file.

use std::collections::BTreeMap;

use super::expression::{Piece, Scope, pieces};
use super::matrix::{self, Cell};
use super::{Job, Matrix, Step, Workflow};
use crate::incident::FailedStep;

/// The longest name that the forge gives the job of a matrix; what is longer ends in dots.
const NAME_LIMIT: usize = 100;

/// A step of the file, with the cell of the matrix that it ran in.
#[derive(Debug, Clone)]
pub struct Found<'w> {
    /// The file.
    pub workflow: &'w Workflow,
    /// The job.
    pub job: &'w Job,
    /// The step.
    pub step: &'w Step,
    /// The values of the matrix.
    pub cell: Cell,
}

/// Why a step is not in the file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Missing {
    /// The job is one of another file.
    #[error("the job `{job}` is one of the reusable workflow {uses}, which is another file")]
    Reusable {
        /// The job's name.
        job: String,
        /// Its name in the other file, where it can be looked for.
        inner: String,
        /// The workflow that holds it: `./PATH` for a file of the same commit.
        uses: String,
    },
    /// No job of the file has this name.
    #[error("no job of the workflow file is called `{0}`")]
    Job(String),
    /// The step is the runner's own work.
    #[error("the step `{0}` is the runner's own, no command of the workflow file")]
    Runner(String),
    /// No step of the job has this name.
    #[error("no step of the job `{job}` is called `{step}`")]
    Step {
        /// The job's key in the file.
        job: String,
        /// The step's name.
        step: String,
    },
}

/// Finds a failed step by the names that the forge shows.
///
/// # Errors
/// [`Missing`].
pub fn find<'w>(workflow: &'w Workflow, job_name: &str, step: &FailedStep) -> Result<Found<'w>, Missing> {
    let (job, cell) = find_job(workflow, job_name.trim())?;
    let found = find_step(job, &cell, step)?;
    Ok(Found { workflow, job, step: found, cell })
}

/// How well a name fits: as it stands, or but for what is unknown in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    Loose,
    Exact,
}

fn find_job<'w>(workflow: &'w Workflow, name: &str) -> Result<(&'w Job, Cell), Missing> {
    let mut best: Option<(Fit, &Job, Vec<Cell>)> = None;
    for job in &workflow.jobs {
        for (fit, cell) in candidates(job, name) {
            match &mut best {
                Some((known, same, cells)) if *known == fit && same.id == job.id => cells.push(cell),
                Some((known, ..)) if *known >= fit => {}
                _ => best = Some((fit, job, vec![cell])),
            }
        }
    }
    if let Some((_, job, cells)) = best {
        return Ok((job, matrix::common(cells)));
    }
    let calls = |job: &&Job, caller: &str| job.uses.is_some() && candidates(job, caller).next().is_some();
    let caller = name.split_once(" / ").and_then(|(caller, inner)| {
        let job = workflow.jobs.iter().find(|job| calls(job, caller))?;
        Some((job.uses.clone()?, inner.to_owned()))
    });
    match caller {
        Some((uses, inner)) => Err(Missing::Reusable { job: name.to_owned(), inner, uses }),
        None => Err(Missing::Job(name.to_owned())),
    }
}

/// The cells of a job that could be called by this name.
fn candidates<'a>(job: &'a Job, name: &'a str) -> Box<dyn Iterator<Item = (Fit, Cell)> + 'a> {
    let Some(matrix) = &job.matrix else {
        let cell = Cell { complete: true, ..Cell::default() };
        return Box::new(fits_alone(job, &cell, name).map(|fit| (fit, cell)).into_iter());
    };
    let Some(cells) = matrix::cells(matrix) else {
        return Box::new(open(job, matrix, name).into_iter());
    };
    Box::new(cells.into_iter().filter_map(move |cell| {
        let fit = fits_alone(job, &cell, name).or_else(|| fits_with(job, &cell, name))?;
        Some((fit, cell))
    }))
}

/// A name that the file gives, or the key.
fn fits_alone(job: &Job, cell: &Cell, name: &str) -> Option<Fit> {
    let written = job.name.as_deref().unwrap_or(&job.id);
    if job.matrix.is_some() && !written.contains("${{") && !cell.shown.is_empty() {
        return None;
    }
    fits(&named(written, cell), name)
}

/// The name with the cell's values behind it.
fn fits_with(job: &Job, cell: &Cell, name: &str) -> Option<Fit> {
    let written = job.name.as_deref().unwrap_or(&job.id);
    let mut parts = named(written, cell);
    parts.push(Piece::Text(format!(" ({})", cell.shown.join(", "))));
    fits(&parts, name)
}

/// A matrix whose cells only the forge knows: the name tells them, as far as it goes.
fn open(job: &Job, matrix: &Matrix, name: &str) -> Option<(Fit, Cell)> {
    let written = job.name.as_deref().unwrap_or(&job.id);
    let parts = named(written, &Cell::default());
    if written.contains("${{") {
        return fits(&parts, name).map(|_| (Fit::Loose, Cell::default()));
    }
    let shown = name.strip_prefix(written)?.strip_prefix(" (")?.strip_suffix(')')?;
    matrix::guessed(matrix, shown).map(|cell| (Fit::Loose, cell))
}

fn named(written: &str, cell: &Cell) -> Vec<Piece> {
    // A name shows where the workspace lay on the runner.
    let scope = Scope { cell, env: &BTreeMap::new(), workspace: None, system: None };
    pieces(written.trim(), &scope)
}

/// Whether `name` is what the pieces make, an unknown one standing for anything.
fn fits(parts: &[Piece], name: &str) -> Option<Fit> {
    let texts: Option<String> =
        parts.iter().map(|part| if let Piece::Text(text) = part { Some(text.as_str()) } else { None }).collect();
    if let Some(text) = texts {
        let cut = name.len() >= NAME_LIMIT - 4 && name.strip_suffix("...").is_some_and(|head| text.starts_with(head));
        return (text.trim() == name || cut).then_some(Fit::Exact);
    }
    let mut rest = name;
    let mut after_unknown = false;
    for part in parts {
        match part {
            Piece::Unknown(_) => after_unknown = true,
            Piece::Text(text) if after_unknown => rest = &rest[rest.find(text.as_str())? + text.len()..],
            Piece::Text(text) => rest = rest.strip_prefix(text.as_str())?,
        }
    }
    let ends_open = matches!(parts.last(), Some(Piece::Unknown(_)));
    let only_unknown = parts.iter().all(|part| matches!(part, Piece::Unknown(_)));
    ((rest.is_empty() || ends_open || last_text(parts).is_some_and(|text| name.ends_with(text))) && !only_unknown)
        .then_some(Fit::Loose)
}

fn last_text(parts: &[Piece]) -> Option<&str> {
    if let Some(Piece::Text(text)) = parts.last() { Some(text) } else { None }
}

fn find_step<'w>(job: &'w Job, cell: &Cell, failed: &FailedStep) -> Result<&'w Step, Missing> {
    let name = failed.name.trim();
    // The runner prepares first, and containers before any step.
    let before = 2 + u64::from(job.container.is_some() || !job.services.is_empty());
    let mut best: Option<(Fit, u64, &Step)> = None;
    for (at, step) in job.steps.iter().enumerate() {
        let Some(fit) = fits(&named(&title(step), cell), name) else { continue };
        let distance = failed.number.abs_diff(before + at as u64);
        let better =
            best.is_none_or(|(known, far, _)| (fit, std::cmp::Reverse(distance)) > (known, std::cmp::Reverse(far)));
        if better {
            best = Some((fit, distance, step));
        }
    }
    if let Some((_, _, step)) = best {
        return Ok(step);
    }
    let own = ["Set up job", "Complete job", "Initialize containers", "Stop containers"];
    if own.contains(&name) || ["Post ", "Pre ", "Build "].iter().any(|start| name.starts_with(start)) {
        return Err(Missing::Runner(name.to_owned()));
    }
    Err(Missing::Step { job: job.id.clone(), step: name.to_owned() })
}

/// What the forge calls a step: its name, or the first line of what it runs.
fn title(step: &Step) -> String {
    match (&step.name, &step.run, &step.uses) {
        (Some(name), ..) => name.lines().next().unwrap_or_default().to_owned(),
        (None, Some(run), _) => format!("Run {}", run.trim().lines().next().unwrap_or_default()),
        (None, None, uses) => format!("Run {}", uses.as_deref().unwrap_or_default().trim()),
    }
}
