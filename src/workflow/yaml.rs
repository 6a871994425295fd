//! The text of a workflow file to a tree of values, bounded in size, depth and aliases.

use serde_json::Value;

/// The longest file that is read, in bytes.
const MAX_BYTES: usize = 1 << 20;
/// The deepest nesting.
const MAX_DEPTH: usize = 64;
/// The most values, those that aliases repeat counted.
const MAX_NODES: usize = 100_000;

/// Why a workflow file cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WorkflowError {
    /// It is no YAML, or more of it than a workflow can need.
    #[error("{}{message}", .place.map(|(line, column)| format!("line {line}, column {column}: ")).unwrap_or_default())]
    Unreadable {
        /// Line and column, 1-based, when known.
        place: Option<(u64, u64)>,
        /// What is wrong, one line.
        message: String,
    },
    /// It is too long.
    #[error("the file has {0} bytes; a workflow file has at most {MAX_BYTES}")]
    TooLarge(usize),
    /// It is YAML, but no workflow.
    #[error("the file has no mapping `jobs`, so it is no workflow")]
    NoJobs,
}

/// The tree; `on`, `yes` and `no` are words, as the forge reads them.
pub(super) fn parse(bytes: &[u8]) -> Result<Value, WorkflowError> {
    if bytes.len() > MAX_BYTES {
        return Err(WorkflowError::TooLarge(bytes.len()));
    }
    let mut budget = serde_yaml::Budget::default();
    budget.max_depth = MAX_DEPTH;
    budget.max_nodes = MAX_NODES;
    budget.max_events = 2 * MAX_NODES;
    budget.max_documents = 1;
    budget.max_aliases = 1_000;
    let mut aliases = serde_yaml::options::AliasLimits::default();
    aliases.max_total_replayed_events = MAX_NODES;
    aliases.max_replay_stack_depth = 16;
    let options = serde_yaml::options! {
        budget: Some(budget),
        alias_limits: aliases,
        strict_booleans: true,
        merge_keys: serde_yaml::options::MergeKeyPolicy::AsOrdinary,
    };
    serde_yaml::from_slice_with_options(bytes, options).map_err(|error| {
        let error = error.without_snippet();
        let place = error.location().map(|at| (at.line(), at.column()));
        WorkflowError::Unreadable { place, message: crate::text::one_line(&error.to_string(), 200) }
    })
}
