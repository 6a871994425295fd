//! `outline`, `find_symbol`, `references`, `history`: what is known of the code beyond its text. An index and a
//! history stand behind [`Code`]; here are only the questions.

use serde::Deserialize;
use serde_json::Value;

use crate::ids::RepoPath;
use crate::policy::Decision;
use crate::prompt::fence;
use crate::repair::tools::{Desk, Needs, Run, Said, Tool, arguments};
use crate::source::Source;
use crate::text::cut_middle;

/// Places that one call shows.
const PLACES: usize = 40;
/// Bytes that one call shows.
const BYTES: usize = 8_000;

/// What is known of the code of a tree. Answers are in path and line order.
pub trait Code: Send + Sync {
    /// The definitions in a file, outermost first; empty for a file without any or of an unknown language.
    fn outline(&self, path: &RepoPath, tree: &dyn Source) -> Vec<Place>;
    /// Where something of this name is defined: `name`, `Type.method` or `module::name`.
    fn find_symbol(&self, name: &str, tree: &dyn Source) -> Vec<Place>;
    /// Where something of this name is used.
    fn references(&self, name: &str, tree: &dyn Source) -> Vec<Place>;
    /// The last commits that changed a file, newest first, a line each, without dates or host names.
    fn history(&self, path: &RepoPath) -> Vec<String>;
}

/// A place in the code.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The file.
    pub path: RepoPath,
    /// 1-based first and last line.
    pub lines: (u32, u32),
    /// The line, or a definition's head.
    pub text: String,
}

const BY_PATH: &[(&str, &str)] = &[("path", "string")];
const BY_NAME: &[(&str, &str)] = &[("name", "string")];

pub(super) const OUTLINE: Tool = Tool {
    name: "outline",
    description: "A file's definitions with lines",
    arguments: BY_PATH,
    needs: Needs::Code,
    run: Run::Now(|desk, value| {
        said(by_path(desk, "outline", value, |code, path, tree| Found::At(code.outline(path, tree))))
    }),
};

pub(super) const HISTORY: Tool = Tool {
    name: "history",
    description: "A file's last commits",
    arguments: BY_PATH,
    needs: Needs::Code,
    run: Run::Now(|desk, value| {
        said(by_path(desk, "history", value, |code, path, _| Found::Lines(code.history(path))))
    }),
};

pub(super) const FIND_SYMBOL: Tool = Tool {
    name: "find_symbol",
    description: "Where a name is defined",
    arguments: BY_NAME,
    needs: Needs::Code,
    run: Run::Now(|desk, value| said(by_name(desk, value, |code, name, tree| code.find_symbol(name, tree)))),
};

pub(super) const REFERENCES: Tool = Tool {
    name: "references",
    description: "Where a name is used",
    arguments: BY_NAME,
    needs: Needs::Code,
    run: Run::Now(|desk, value| said(by_name(desk, value, |code, name, tree| code.references(name, tree)))),
};

enum Found {
    At(Vec<Place>),
    Lines(Vec<String>),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Path {
    path: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Name {
    name: String,
}

fn said(result: Result<String, String>) -> Said {
    Said::Text(result.unwrap_or_else(|error| error))
}

fn by_path(
    desk: &mut Desk<'_>,
    tool: &str,
    value: Value,
    find: fn(&dyn Code, &RepoPath, &dyn Source) -> Found,
) -> Result<String, String> {
    let Path { path } = arguments(value)?;
    let path = desk.readable(tool, &path)?;
    let code = desk.job.code.ok_or("error: nothing is known of this code")?;
    match find(code, &path, &desk.staged) {
        Found::At(places) => Ok(shown(desk, &places)),
        Found::Lines(lines) if lines.is_empty() => Ok("nothing found".to_owned()),
        Found::Lines(lines) => Ok(fence("", &cut_middle(&lines.join("\n"), BYTES))),
    }
}

fn by_name(
    desk: &mut Desk<'_>,
    value: Value,
    find: fn(&dyn Code, &str, &dyn Source) -> Vec<Place>,
) -> Result<String, String> {
    let Name { name } = arguments(value)?;
    let code = desk.job.code.ok_or("error: nothing is known of this code")?;
    let mut places = find(code, &name, &desk.staged);
    places.retain(|place| desk.job.ground.may_read(&place.path).decision == Decision::Allow);
    Ok(shown(desk, &places))
}

fn shown(desk: &mut Desk<'_>, places: &[Place]) -> String {
    if places.is_empty() {
        return "nothing found".to_owned();
    }
    let mut lines = Vec::new();
    for place in places.iter().take(PLACES) {
        let (first, last) = place.lines;
        let range = if first == last { first.to_string() } else { format!("{first}-{last}") };
        lines.push(format!("{}:{range}: {}", place.path, cut_middle(place.text.trim_end(), 200).replace('\n', " ")));
        desk.showed(&place.path, (first as usize, first as usize));
    }
    let more = places.len().saturating_sub(PLACES);
    let rest = if more > 0 { format!("and {more} more\n") } else { String::new() };
    format!("{}{rest}", fence("", &cut_middle(&lines.join("\n"), BYTES)))
}
