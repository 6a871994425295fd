//! The few fields of an event file that are looked at; whatever else it holds, and whatever is missing, is no error.

use serde_json::Value;

use crate::ids::RepositoryName;

/// An event file, read leniently: a field of another shape counts as missing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::action) struct Payload {
    /// What happened to the thing that the event is about.
    pub(super) action: Option<String>,
    /// Where.
    pub(super) repository: Option<RepositoryName>,
    /// The run that the event is about.
    pub(super) workflow_run: Option<EndedRun>,
    /// The repository of a pull request's head.
    pub(super) pull_head: Option<RepositoryName>,
}

/// Another run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct EndedRun {
    pub(super) id: u64,
    pub(super) attempt: u32,
    pub(super) conclusion: Option<String>,
    pub(super) event: Option<String>,
    pub(super) branch: Option<String>,
    pub(super) head_repository: Option<RepositoryName>,
}

impl Payload {
    /// Reads an event file.
    ///
    /// # Errors
    /// When it is no JSON object at all.
    pub(in crate::action) fn read(bytes: &[u8]) -> Result<Self, String> {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let event: Value = serde_json::from_slice(bytes).map_err(|error| format!("it is no JSON: {error}"))?;
        if !event.is_object() {
            return Err("it is no JSON object".to_owned());
        }
        Ok(Self {
            action: word(&event, "/action"),
            repository: repository(&event, "/repository"),
            workflow_run: event.get("workflow_run").and_then(run),
            pull_head: repository(&event, "/pull_request/head/repo"),
        })
    }
}

/// A run needs its number; an attempt that is not named is the first.
fn run(run: &Value) -> Option<EndedRun> {
    let attempt = run.get("run_attempt").and_then(Value::as_u64).and_then(|number| u32::try_from(number).ok());
    Some(EndedRun {
        id: run.get("id").and_then(Value::as_u64)?,
        attempt: attempt.filter(|number| *number > 0).unwrap_or(1),
        conclusion: word(run, "/conclusion"),
        event: word(run, "/event"),
        branch: word(run, "/head_branch"),
        head_repository: repository(run, "/head_repository"),
    })
}

fn repository(of: &Value, place: &str) -> Option<RepositoryName> {
    RepositoryName::new(&word(of, &format!("{place}/full_name"))?).ok()
}

fn word(of: &Value, place: &str) -> Option<String> {
    of.pointer(place).and_then(Value::as_str).map(str::to_owned)
}
