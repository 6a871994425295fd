//! `grep`: lines of the tree that match a regular expression; linear time whatever the expression.

use regex::RegexBuilder;
use serde::Deserialize;
use serde_json::Value;

use crate::policy::Decision;
use crate::prompt::fence;
use crate::repair::tools::{Desk, Needs, Run, Said, Tool, arguments};
use crate::source::Source as _;
use crate::text::cut_middle;

/// Matches that one call shows.
const MATCHES: usize = 50;
/// Bytes of one line.
const LINE: usize = 200;
/// The largest file that is searched, in bytes.
const FILE: u64 = 1 << 20;
/// The largest expression, compiled, in bytes.
const EXPRESSION: usize = 1 << 20;

pub(super) const TOOL: Tool = Tool {
    name: "grep",
    description: "Lines matching a regex, in a file or directory",
    arguments: &[("pattern", "string"), ("path?", "string")],
    needs: Needs::Nothing,
    run: Run::Now(|desk, value| Said::Text(run(desk, value).unwrap_or_else(|error| error))),
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    pattern: String,
    path: Option<String>,
}

fn run(desk: &mut Desk<'_>, value: Value) -> Result<String, String> {
    let Arguments { pattern, path } = arguments(value)?;
    let regex = RegexBuilder::new(&pattern).size_limit(EXPRESSION).build().map_err(|error| {
        format!("error: the pattern is no regular expression: {}", cut_middle(&error.to_string(), 300))
    })?;
    let under = match path.as_deref() {
        None | Some("" | "." | "./") => None,
        Some(path) => Some(desk.readable("grep", path)?),
    };
    let within = |path: &str| {
        under.as_ref().is_none_or(|under| {
            path.strip_prefix(under.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    };
    let mut found = Vec::new();
    let mut more = 0usize;
    let files: Vec<_> = desk
        .staged
        .files()
        .iter()
        .filter(|entry| entry.size <= FILE && within(entry.path.as_str()))
        .map(|entry| entry.path.clone())
        .collect();
    for path in files {
        // Files that may not be shown are passed over in silence: naming each would be an answer too.
        if desk.job.ground.may_read(&path).decision != Decision::Allow {
            continue;
        }
        let Some(text) = desk.staged.text(&path) else { continue };
        for (at, line) in text.lines().enumerate().filter(|(_, line)| regex.is_match(line)) {
            if found.len() == MATCHES {
                more += 1;
                continue;
            }
            found.push(format!("{path}:{}: {}", at + 1, cut_middle(line, LINE).replace('\n', " ")));
            desk.showed(&path, (at + 1, at + 1));
        }
    }
    if found.is_empty() {
        return Ok("no match".to_owned());
    }
    let rest =
        if more > 0 { format!("and {more} more matches; narrow the pattern or the path\n") } else { String::new() };
    Ok(format!("{}{rest}", fence("", &found.join("\n"))))
}
