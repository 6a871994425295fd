//! `create_file`: writes a file that does not exist yet, in memory.

use serde::Deserialize;
use serde_json::Value;

use crate::change::Edit;
use crate::repair::tools::{Desk, Needs, Run, Said, Tool, arguments, edit};

pub(super) const TOOL: Tool = Tool {
    name: "create_file",
    description: "Write a new file",
    arguments: &[("path", "string"), ("content", "string")],
    needs: Needs::Nothing,
    run: Run::Now(|desk, value| run(desk, value).map_or_else(Said::EditFailed, Said::Text)),
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    path: String,
    content: String,
}

fn run(desk: &mut Desk<'_>, value: Value) -> Result<String, String> {
    let Arguments { path, mut content } = arguments(value)?;
    let path = desk.writable("create_file", &path, true)?;
    // The plain-text form cannot say whether a last line ends; a text file's does.
    if !content.is_empty() && !content.ends_with('\n') {
        content.push('\n');
    }
    edit::stage(desk, Edit::Create { path, content })
}
