//! The log as the runner reads it: which of its lines are obeyed.

/// The commands that a runner registers.
const KNOWN: &[&str] = &[
    "add-mask",
    "add-matcher",
    "add-path",
    "debug",
    "echo",
    "endgroup",
    "error",
    "group",
    "notice",
    "remove-matcher",
    "save-state",
    "set-env",
    "set-output",
    "stop-commands",
    "warning",
];

/// A line that was obeyed.
#[derive(Debug)]
pub(super) struct Obeyed {
    /// The command; `RESUME` for the word that ends a pause.
    pub(super) name: String,
    pub(super) data: String,
    pub(super) line: String,
}

/// What a runner obeys: a line ends with a line feed or a carriage return, blanks before `::` count for nothing, and
/// `##[…]` is a command anywhere in a line.
pub(super) fn obeyed(log: &str) -> Vec<Obeyed> {
    let (mut found, mut pause): (Vec<Obeyed>, Option<String>) = (Vec::new(), None);
    for line in log.split(['\n', '\r']) {
        let Some((name, data)) = command(line.trim_start(), pause.as_deref()) else { continue };
        let resumes = pause.as_deref() == Some(name.as_str());
        if pause.is_some() && !resumes {
            continue;
        }
        let name = if resumes { "RESUME".to_owned() } else { name };
        pause = if name == "stop-commands" { Some(data.clone()) } else { None };
        found.push(Obeyed { name, data, line: line.to_owned() });
    }
    found
}

fn command(line: &str, pause: Option<&str>) -> Option<(String, String)> {
    let known = |name: &str| KNOWN.contains(&name) || Some(name) == pause;
    let new = line.strip_prefix("::").and_then(|rest| rest.split_once("::"));
    let old = line.split_once("##[").and_then(|(_, rest)| rest.split_once(']'));
    let (head, data) = new.filter(|(head, _)| known(name(head))).or(old)?;
    known(name(head)).then(|| (name(head).to_owned(), data.to_owned()))
}

fn name(head: &str) -> &str {
    head.split(' ').next().unwrap_or_default()
}
