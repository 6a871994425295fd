//! `edit`: replaces a text that occurs exactly once, in memory.

use serde::Deserialize;
use serde_json::Value;

use crate::change::Edit;
use crate::repair::tools::{Desk, Needs, Run, Said, Tool, arguments};

pub(super) const TOOL: Tool = Tool {
    name: "edit",
    description: "Replace `old`, copied exactly from the file and unique in it, by `new`; keep both short",
    arguments: &[("path", "string"), ("old", "string"), ("new", "string")],
    needs: Needs::Nothing,
    run: Run::Now(|desk, value| run(desk, value).map_or_else(Said::EditFailed, Said::Text)),
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    path: String,
    old: String,
    new: String,
}

fn run(desk: &mut Desk<'_>, value: Value) -> Result<String, String> {
    let Arguments { path, old, new } = arguments(value)?;
    let path = desk.writable("edit", &path, false)?;
    // What cannot be seen cannot be edited: the error messages would show it.
    let path = desk.readable("edit", path.as_str())?;
    stage(desk, Edit::Replace { path, old, new })
}

pub(super) fn stage(desk: &mut Desk<'_>, edit: Edit) -> Result<String, String> {
    let path = edit.path().clone();
    desk.staged.add(edit).map_err(|error| format!("error: {path}: {}", error.reason))?;
    desk.failed = false;
    Ok("staged".to_owned())
}
