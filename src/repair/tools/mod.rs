//! The tools that a model may call: one file each, and a row in [`TOOLS`].
//!
//! A call is foreign text: its name, its arguments and the paths in them are checked here and in the tool. What is
//! refused is answered with the rules behind it, recorded, and counted.

pub mod code;
mod create_file;
mod decline;
mod desk;
mod edit;
mod grep;
mod read_file;
mod run_check;
mod submit;

use std::pin::Pin;

use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use crate::journal::Entry;
use crate::llm::{ToolCall, ToolSpec};
use crate::policy::{Decision, Rule, RuleSource, Ruling};
use crate::repair::{Job, Refusal};
use crate::text::nearest;
use crate::verify::VerifyError;

pub(in crate::repair) use desk::{Desk, record as record_ruling};

/// What a tool says.
pub(in crate::repair) enum Said {
    /// A result, an error or a refusal, in words.
    Text(String),
    /// An edit that does not fit: a submit in the same answer does not stand.
    EditFailed(String),
    /// The round's edits shall be proved.
    Submit { summary: String, cause: String },
    /// Nothing shall be done.
    Decline(String),
}

/// When a tool makes sense.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Needs {
    Nothing,
    /// Outlines, symbols and references.
    Code,
    /// At least one check that the policy allows.
    Checks,
}

type Running<'a> = Pin<Box<dyn Future<Output = Result<Said, VerifyError>> + Send + 'a>>;

/// How a tool runs.
enum Run {
    /// At once, on what is in memory.
    Now(fn(&mut Desk<'_>, Value) -> Said),
    /// In the sandbox.
    Later(for<'a> fn(&'a mut Desk<'_>, Value) -> Running<'a>),
}

/// One tool.
struct Tool {
    name: &'static str,
    description: &'static str,
    /// Its arguments: name, type, and a `?` at the end of the name of one that may lack.
    arguments: &'static [(&'static str, &'static str)],
    needs: Needs,
    run: Run,
}

/// Every tool, in the order in which models are told of them.
const TOOLS: &[Tool] = &[
    read_file::TOOL,
    grep::TOOL,
    code::OUTLINE,
    code::FIND_SYMBOL,
    code::REFERENCES,
    code::HISTORY,
    edit::TOOL,
    create_file::TOOL,
    run_check::TOOL,
    submit::TOOL,
    decline::TOOL,
];

/// The tools that make sense in this repair.
pub(in crate::repair) fn offered(job: &Job<'_>) -> Vec<ToolSpec> {
    let checks = run_check::names(job);
    let offered = TOOLS.iter().filter(|tool| match tool.needs {
        Needs::Nothing => true,
        Needs::Code => job.code.is_some(),
        Needs::Checks => !checks.is_empty(),
    });
    offered.map(|tool| spec(tool, &checks)).collect()
}

fn spec(tool: &Tool, checks: &[&str]) -> ToolSpec {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for (argument, kind) in tool.arguments {
        let name = argument.trim_end_matches('?');
        if name == *argument {
            required.push(name);
        }
        let mut schema = json!({"type": kind});
        if tool.needs == Needs::Checks {
            schema["enum"] = json!(checks);
        }
        properties.insert(name.to_owned(), schema);
    }
    let parameters = json!({"type": "object", "properties": properties, "required": required});
    ToolSpec { name: tool.name.to_owned(), description: tool.description.to_owned(), parameters }
}

/// Makes one call.
///
/// # Errors
/// When the scratch repository or the sandbox fails; what the model did wrong is said to the model.
pub(in crate::repair) async fn call(desk: &mut Desk<'_>, call: &ToolCall, cut_off: bool) -> Result<Said, VerifyError> {
    let known = desk.offered.iter().any(|name| *name == call.name);
    let Some(tool) = TOOLS.iter().find(|tool| known && tool.name == call.name) else {
        return Ok(unknown(desk, &call.name));
    };
    let refused = desk.refusals.len();
    let said = match serde_json::from_str::<Value>(&call.arguments) {
        Ok(arguments @ Value::Object(_)) => match tool.run {
            Run::Now(run) => run(desk, arguments),
            Run::Later(run) => run(desk, arguments).await?,
        },
        Ok(_) => invalid(tool, "they are no JSON object"),
        Err(_) if cut_off => invalid(tool, "they were cut off by the output limit; send a shorter call"),
        Err(error) => invalid(tool, &format!("they are no JSON: {error}")),
    };
    if desk.refusals.len() == refused {
        record(desk, tool.name, &call.arguments, &said);
    }
    Ok(said)
}

fn invalid(tool: &Tool, reason: &str) -> Said {
    let text = format!("error: the arguments of {} cannot be read: {reason}", tool.name);
    if matches!(tool.name, "edit" | "create_file") { Said::EditFailed(text) } else { Said::Text(text) }
}

fn unknown(desk: &mut Desk<'_>, name: &str) -> Said {
    let rules = vec![Rule { source: RuleSource::BuiltIn, text: "only the offered tools".to_owned(), line: None }];
    let meant = nearest(name, desk.offered.iter().copied()).map(|near| format!("; did you mean {near}?"));
    let shown = crate::text::cut_middle(name, 80);
    let refusal = Refusal::new("call", &shown, Ruling { decision: Decision::Deny, rules });
    let told = refusal.told();
    desk.refuse(refusal);
    Said::Text(format!("{told}{}", meant.unwrap_or_default()))
}

fn record(desk: &Desk<'_>, name: &str, arguments: &str, said: &Said) {
    let (outcome, text) = match said {
        Said::Text(text) => ("answered", text.as_str()),
        Said::EditFailed(text) => ("not taken", text.as_str()),
        Said::Submit { summary, .. } => ("submitted", summary.as_str()),
        Said::Decline(reason) => ("declined", reason.as_str()),
    };
    let arguments: Value = serde_json::from_str(arguments).unwrap_or_default();
    let about = ["path", "name", "pattern"].iter().find_map(|key| arguments[key].as_str()).unwrap_or_default();
    desk.job.journal.record(Entry {
        action: "tool".to_owned(),
        subject: (desk.job.scrub)(format!("{name} {about}").trim_end()),
        actor: Some(desk.actor.clone()),
        outcome: outcome.to_owned(),
        hashes: vec![crate::ids::Sha::of(text.as_bytes())],
        ..Entry::default()
    });
}

/// The arguments of a tool, checked: nothing is missing, nothing is unknown.
fn arguments<T: DeserializeOwned>(value: Value) -> Result<T, String> {
    serde_json::from_value(value).map_err(|error| format!("error: the arguments do not fit: {error}"))
}
