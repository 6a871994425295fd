//! A workflow file as values: which command a failed step ran.
//!
//! The text is foreign, but it is the repository's own at that commit, so a command in it may be run (in the sandbox)
//! where a command in a log or a comment may not. What depends on values that only the forge knows stays unknown.

mod command;
mod expression;
mod find;
mod functions;
mod matrix;
mod read;
mod shell;
mod yaml;

use serde_json::Value;

pub use command::{CommandLine, Unknown};
pub use find::{Found, Missing, find};
pub use matrix::Cell;
pub use yaml::WorkflowError;

/// A workflow file, as far as it says what runs.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Workflow {
    /// Its name.
    pub name: Option<String>,
    /// Variables of every job, in the order of the file; values may hold expressions.
    pub env: Vec<(String, String)>,
    /// How steps run that do not say so themselves.
    pub defaults: Defaults,
    /// Its jobs, in the order of the file.
    pub jobs: Vec<Job>,
}

/// `defaults.run`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Defaults {
    /// The shell.
    pub shell: Option<String>,
    /// The directory.
    pub working_directory: Option<String>,
}

/// A job.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Job {
    /// Its key in the file.
    pub id: String,
    /// Its name; may hold expressions.
    pub name: Option<String>,
    /// The reusable workflow that it calls.
    pub uses: Option<String>,
    /// The labels of its runner; may hold expressions.
    pub runs_on: Vec<String>,
    /// Its variables, over the workflow's.
    pub env: Vec<(String, String)>,
    /// How its steps run, over the workflow's.
    pub defaults: Defaults,
    /// Its cells.
    pub matrix: Option<Matrix>,
    /// The container that its steps run in.
    pub container: Option<String>,
    /// What runs beside it.
    pub services: Vec<Service>,
    /// Its steps, in order.
    pub steps: Vec<Step>,
}

/// `strategy.matrix`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Matrix {
    /// The axes in the order of the file; `None` where an expression gives the values.
    pub axes: Vec<(String, Option<Vec<Value>>)>,
    /// Cells and values that are added.
    pub include: Vec<serde_json::Map<String, Value>>,
    /// Cells that are taken away.
    pub exclude: Vec<serde_json::Map<String, Value>>,
    /// Whether an expression gives all of it, `include` or `exclude`.
    pub open: bool,
}

/// A service container.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Service {
    /// Its key in the file: the host name.
    pub name: String,
    /// Its image.
    pub image: String,
}

/// A step.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Step {
    /// Its name; may hold expressions.
    pub name: Option<String>,
    /// Its script.
    pub run: Option<String>,
    /// The shell that reads the script.
    pub shell: Option<String>,
    /// Where the script runs.
    pub working_directory: Option<String>,
    /// Its variables, over the job's.
    pub env: Vec<(String, String)>,
    /// The action that it uses instead of a script.
    pub uses: Option<String>,
    /// The repository that it checks out, when it names one.
    pub repository: Option<String>,
}

impl Workflow {
    /// Reads a workflow file. What it has no use for is passed over.
    ///
    /// # Errors
    /// [`WorkflowError`] when it is no YAML, too large, too deep or has no jobs.
    pub fn read(bytes: &[u8]) -> Result<Self, WorkflowError> {
        read::workflow(&yaml::parse(bytes)?)
    }
}

#[cfg(test)]
mod tests;
