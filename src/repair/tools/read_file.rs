//! `read_file`: lines of a file of the tree, with this round's edits in it.

use serde::Deserialize;
use serde_json::Value;

use crate::prompt::fence;
use crate::repair::tools::{Desk, Needs, Run, Said, Tool, arguments};
use crate::source::Source as _;
use crate::text::nearest;

/// Lines that one call shows.
const LINES: usize = 400;
/// Bytes that one call shows.
const BYTES: usize = 16_000;

pub(super) const TOOL: Tool = Tool {
    name: "read_file",
    description: "Lines of a file, or a directory's entries",
    arguments: &[("path", "string"), ("start?", "integer"), ("end?", "integer")],
    needs: Needs::Nothing,
    run: Run::Now(|desk, value| Said::Text(run(desk, value).unwrap_or_else(|error| error))),
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    path: String,
    start: Option<usize>,
    end: Option<usize>,
}

fn run(desk: &mut Desk<'_>, value: Value) -> Result<String, String> {
    let Arguments { path, start, end } = arguments(value)?;
    if matches!(path.as_str(), "." | "./" | "") {
        return listing(desk, "").ok_or_else(|| "error: the repository is empty".to_owned());
    }
    let path = desk.readable("read_file", &path)?;
    if desk.staged.entry(&path).is_none() {
        return listing(desk, &format!("{path}/")).ok_or_else(|| {
            let near = nearest(path.as_str(), desk.staged.files().iter().map(|entry| entry.path.as_str()));
            let meant = near.map_or_else(String::new, |near| format!("; did you mean {near}?"));
            format!("error: there is no file {path}{meant}")
        });
    }
    let text = desk.staged.text(&path).ok_or_else(|| format!("error: {path} is not UTF-8 text"))?;
    let total = text.lines().count();
    let first = start.unwrap_or(1).max(1);
    let last = end.unwrap_or(usize::MAX).min(first.saturating_add(LINES - 1)).min(total);
    let mut shown = String::new();
    let mut until = first - 1;
    for line in text.split_inclusive('\n').skip(first - 1).take((last + 1).saturating_sub(first)) {
        if shown.len() + line.len() > BYTES && !shown.is_empty() {
            break;
        }
        shown.push_str(&crate::text::cut_middle(line, BYTES));
        until += 1;
    }
    if shown.is_empty() {
        return Ok(format!("{path} has {total} lines; there are none from {first}"));
    }
    desk.showed(&path, (first, until));
    Ok(format!("{path} lines {first}-{until} of {total}\n{}", fence("", &shown)))
}

fn listing(desk: &Desk<'_>, prefix: &str) -> Option<String> {
    let mut names: Vec<String> = desk
        .staged
        .files()
        .iter()
        .filter_map(|entry| entry.path.as_str().strip_prefix(prefix))
        .map(|rest| rest.split_once('/').map_or_else(|| rest.to_owned(), |(directory, _)| format!("{directory}/")))
        .collect();
    names.sort();
    names.dedup();
    (!names.is_empty()).then(|| fence("", &crate::text::cut_middle(&names.join("\n"), BYTES / 4)))
}
