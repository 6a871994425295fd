//! The commands of a log that put matchers in force or take them out of it, as GitHub's runner follows them.
//!
//! The paths and owners in them are foreign words: they are compared with what is known, and nothing is opened.

use memchr::memmem;

use crate::artifact::Problem;
use crate::artifact::text::lines::Lines;

/// More commands of one text are not followed.
const COMMANDS_LIMIT: usize = 1000;
/// More owners of one command are not looked at.
const OWNERS_LIMIT: usize = 100;
/// Longer lines are no commands.
const LINE_LIMIT: usize = 4096;
/// What every command below has in it.
const WORD: &str = "matcher";

/// One command.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Command {
    /// The index of its line.
    pub(super) line: usize,
    pub(super) adds: bool,
    pub(super) what: What,
}

/// What it names.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum What {
    /// A file with matchers, on the machine that wrote the log.
    File(String),
    Owners(Vec<String>),
}

/// Whether a line may be a command: it is kept of a text that is too large to be held.
pub(super) fn may_be(line: &str) -> bool {
    line.len() <= LINE_LIMIT
        && (line.contains("##[") || line.trim_start().starts_with("::"))
        && memmem::find(line.as_bytes(), WORD.as_bytes()).is_some()
}

/// Every command, in the order of the lines.
pub(super) fn read(lines: &Lines, problems: &mut Vec<Problem>) -> Vec<Command> {
    let mut commands = Vec::new();
    if memmem::find(lines.text().as_bytes(), WORD.as_bytes()).is_none() {
        return commands;
    }
    let mut stopped: Option<String> = None;
    // A step begins with its script: what that says is not yet said.
    let mut script = false;
    for (line, text) in lines.all().filter(|(_, text)| text.len() <= LINE_LIMIT) {
        if text.starts_with("##[") {
            script = text.starts_with("##[group]Run ") || (script && !text.starts_with("##[endgroup]"));
        }
        if script {
            continue;
        }
        let written = Written::of(text);
        match (&stopped, &written) {
            (Some(token), Some(written)) if written.name == token => stopped = None,
            (None, Some(written)) if written.name == "stop-commands" && !written.data.is_empty() => {
                stopped = Some(written.data.to_owned());
            }
            _ => {}
        }
        if stopped.is_some() {
            continue;
        }
        let Some((adds, what)) = written.and_then(|written| written.what()).or_else(|| told(text)) else { continue };
        if commands.len() == COMMANDS_LIMIT {
            let message = format!("more than {COMMANDS_LIMIT} commands about matchers; the rest is not followed");
            problems.push(Problem { line: Some(lines.number(line)), message });
            break;
        }
        commands.push(Command { line, adds, what });
    }
    commands
}

/// A command as it is written: `::name key=value,key=value::data` or `##[name key=value;key=value]data`.
struct Written<'a> {
    name: &'a str,
    properties: &'a str,
    separator: char,
    data: &'a str,
}

impl<'a> Written<'a> {
    fn of(line: &'a str) -> Option<Self> {
        let ((command, data), separator) = if let Some(rest) = line.trim_start().strip_prefix("::") {
            (rest.split_once("::")?, ',')
        } else {
            let rest = &line[line.find("##[")? + 3..];
            (rest.split_once(']')?, ';')
        };
        let (name, properties) = command.split_once(' ').unwrap_or((command, ""));
        Some(Self { name, properties, separator, data })
    }

    /// Whether it adds, and what; the runner refuses to take out a file and an owner at once.
    fn what(&self) -> Option<(bool, What)> {
        let data = unescape(self.data.trim());
        match self.name.to_ascii_lowercase().as_str() {
            "add-matcher" => (!data.is_empty()).then_some((true, What::File(data))),
            "remove-matcher" => {
                let mut properties = self.properties.split(self.separator).filter_map(|one| one.trim().split_once('='));
                let owner = properties.find(|(key, _)| key.eq_ignore_ascii_case("owner")).map(|(_, value)| value);
                match owner.filter(|owner| !owner.is_empty()) {
                    Some(owner) => data.is_empty().then(|| (false, What::Owners(vec![unescape(owner)]))),
                    None => (!data.is_empty()).then_some((false, What::File(data))),
                }
            }
            _ => None,
        }
    }
}

/// What the runner says when it is told to say more: `Added matchers: 'a', 'b'. Problem matchers scan …`.
fn told(line: &str) -> Option<(bool, What)> {
    let line = line.strip_prefix("##[debug]").unwrap_or(line);
    let (adds, rest) = match line.strip_prefix("Added matchers: '") {
        Some(rest) => (true, rest),
        None => (false, line.strip_prefix("Removed matchers: '")?),
    };
    let list = rest.split_once("'. ").map_or(rest.trim_end_matches('\''), |(list, _)| list);
    Some((adds, What::Owners(list.split("', '").take(OWNERS_LIMIT).map(str::to_owned).collect())))
}

fn unescape(written: &str) -> String {
    const ESCAPES: &[(&str, &str)] =
        &[("%3B", ";"), ("%0D", "\r"), ("%0A", "\n"), ("%5D", "]"), ("%3A", ":"), ("%2C", ","), ("%25", "%")];
    if !written.contains('%') {
        return written.to_owned();
    }
    ESCAPES.iter().fold(written.to_owned(), |text, (escape, plain)| text.replace(escape, plain))
}

/// How many names two paths share at their end; none with what an action brings along.
pub(super) fn shared(theirs: &str, ours: &str) -> usize {
    let mut names = theirs.rsplit(['/', '\\']);
    if names.clone().any(|name| name == "_actions") {
        return 0;
    }
    ours.rsplit('/').take_while(|ours| names.next() == Some(*ours)).count()
}

/// Whether a file is named after an owner, or belongs to the action that sets it up: `go.json`, `setup-go/matchers.json`.
pub(super) fn is_of(path: &str, owner: &str) -> bool {
    let mut names = path.rsplit(['/', '\\']);
    let file = names.next().unwrap_or_default();
    let stem = file.split_once('.').map_or(file, |(stem, _)| stem);
    stem.eq_ignore_ascii_case(owner)
        || names.filter_map(|name| name.strip_prefix("setup-")).any(|name| name.eq_ignore_ascii_case(owner))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `line+what` or `line-what` of each command.
    fn commands(text: &str) -> Vec<String> {
        let shown = |command: &Command| {
            let what = match &command.what {
                What::File(path) => path.clone(),
                What::Owners(owners) => format!("'{}'", owners.join("' '")),
            };
            format!("{}{}{what}", command.line, if command.adds { "+" } else { "-" })
        };
        read(&Lines::of(text), &mut Vec::new()).iter().map(shown).collect()
    }

    #[test]
    fn commands_are_read_in_either_form() {
        let text = "::add-matcher::.github/a.json\n2024-01-01T00:00:00.0000000Z   ::remove-matcher owner=a%2Cb,x=1::\nsays ##[add-matcher]/r/b%5D.json\n##[remove-matcher owner=c;x=1]\n::remove-matcher::d.json\n::remove-matcher owner=a::d.json\n::add-matcher::\n::remove-matcher::\necho ::add-matcher::e.json\nthe matcher\n";
        assert_eq!(commands(text), ["0+.github/a.json", "1-'a,b'", "2+/r/b].json", "3-'c'", "4-d.json"]);
    }

    #[test]
    fn what_the_runner_says_names_owners() {
        let text = "##[debug]Added matchers: 'a', 'b'. Problem matchers scan action output for known strings.\nAdded matchers: 'c'. Problem\n##[debug]Removed matchers: 'a'\n";
        assert_eq!(commands(text), ["0+'a' 'b'", "1+'c'", "2-'a'"]);
    }

    #[test]
    fn a_script_and_a_stopped_log_command_nothing() {
        let text = "##[group]Run echo\n::add-matcher::a.json\n##[endgroup]\n::add-matcher::b.json\n::stop-commands::t0k\n::add-matcher::c.json\n::t1k::\n::t0k::\n::add-matcher::d.json\n";
        assert_eq!(commands(text), ["3+b.json", "8+d.json"]);
    }

    #[test]
    fn commands_without_end_are_a_problem() {
        let mut problems = Vec::new();
        let commands = read(&Lines::of(&"::add-matcher::a.json\n".repeat(2000)), &mut problems);
        assert_eq!((commands.len(), problems.len()), (COMMANDS_LIMIT, 1));
    }

    #[test]
    fn files_are_known_by_the_end_of_their_path() {
        assert_eq!(shared("/home/runner/work/r/r/.github/m/x.json", ".github/m/x.json"), 3);
        assert_eq!(shared(r"D:\a\r\.github\x.json", ".github/x.json"), 2);
        assert_eq!(shared("/tmp/x.json", ".github/y.json"), 0);
        assert_eq!(shared("/w/_actions/actions/setup-node/v4/.github/tsc.json", ".github/tsc.json"), 0);
        assert!(is_of("/w/_actions/actions/setup-go/v5/matchers.json", "go") && is_of("tsc.json", "tsc"));
        assert!(!is_of("/w/tools/matchers.json", "tools"));
    }
}
