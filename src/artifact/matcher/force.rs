//! Which matchers of a set are in force on which lines of a text.
//!
//! The common ones are until a log takes them out by their name: few logs say what is in force. A matcher of a
//! repository is as well, but where the log adds it later: then it is from there.

use super::command::{self, Command, What};
use super::set::{Matcher, Set};

/// What is in force while a text is read.
pub(super) struct Force<'a> {
    set: &'a Set,
    /// The first line from which each is in force, while it is.
    since: Vec<Option<usize>>,
}

impl<'a> Force<'a> {
    /// At the start of a text with these commands.
    pub(super) fn of(set: &'a Set, commands: &[Command]) -> Self {
        let mut since = vec![Some(0); set.matchers.len()];
        let mut named = vec![false; set.matchers.len()];
        for command in commands {
            for at in named_by(set, &command.what) {
                let first = !std::mem::replace(&mut named[at], true);
                if first && command.adds && set.matchers[at].file.is_some() {
                    since[at] = None;
                }
            }
        }
        Self { set, since }
    }

    /// Whether a matcher is in force from one line on.
    pub(super) fn has(&self, at: usize, from: usize) -> bool {
        self.since[at].is_some_and(|since| since <= from)
    }

    /// Takes one out that cannot be used on this text.
    pub(super) fn take_out(&mut self, at: usize) {
        self.since[at] = None;
    }

    /// Does what a command says.
    pub(super) fn follow(&mut self, command: &Command) {
        let named = named_by(self.set, &command.what);
        let matchers = &self.set.matchers;
        let same = |one: usize, other: usize| matchers[one].owner.eq_ignore_ascii_case(&matchers[other].owner);
        let from_file = matches!(command.what, What::File(_));
        let there = self.since.clone();
        let is_there = |at: usize| (0..matchers.len()).any(|other| there[other].is_some() && same(at, other));
        for at in 0..matchers.len() {
            let is_named = named.contains(&at);
            if !command.adds {
                // A file takes out whoever has the owners that it names.
                if is_named || named.iter().any(|named| same(*named, at)) {
                    self.since[at] = None;
                }
            } else if is_named {
                // Whoever is told by its owner alone may be there already.
                if from_file || !is_there(at) {
                    self.since[at] = Some(command.line + 1);
                }
            } else if from_file && named.iter().any(|named| same(*named, at)) {
                self.since[at] = None;
            }
        }
    }
}

/// The matchers that a command names.
fn named_by(set: &Set, what: &What) -> Vec<usize> {
    let which = |named: &dyn Fn(&Matcher) -> bool| {
        set.matchers.iter().enumerate().filter(|(_, matcher)| named(matcher)).map(|(at, _)| at).collect()
    };
    match what {
        What::Owners(owners) => which(&|matcher| owners.iter().any(|owner| owner.eq_ignore_ascii_case(&matcher.owner))),
        What::File(path) => {
            let shared = |matcher: &Matcher| matcher.file.as_ref().map_or(0, |file| command::shared(path, file));
            let best = set.matchers.iter().map(shared).max().unwrap_or(0);
            which(&|matcher| match matcher.file {
                Some(_) => best > 0 && shared(matcher) == best,
                None => command::is_of(path, &matcher.owner),
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Matchers, scan};
    use crate::artifact::text::lines::Lines;

    fn file(name: &str, owner: &str, word: &str) -> (String, String) {
        let json = format!(
            r#"{{"problemMatcher": [{{"owner": "{owner}", "pattern": [{{"regexp": "^{word} (.+)$", "message": 1}}]}}]}}"#
        );
        (format!(".github/{name}"), json)
    }

    /// The messages that matchers of `one` and `other` find.
    fn found(text: &str) -> String {
        let (matchers, _) = Matchers::of(&[
            file("one.json", "one", "a"),
            file("m/other.json", "other", "b"),
            file("alt.json", "ONE", "c"),
        ]);
        let part = scan::read(&Lines::of(text), &matchers, &[]);
        part.diagnostics.iter().map(|found| found.message.as_str()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn what_a_log_does_not_name_is_in_force_throughout() {
        assert_eq!(found("a 1\nb 2\nc 3\n"), "1 2 3");
        assert_eq!(found("a 1\nb 2\n::add-matcher::/x/unknown.json\n::remove-matcher owner=nobody::\nb 3\n"), "1 2 3");
    }

    #[test]
    fn what_a_log_adds_is_in_force_from_there_until_it_is_removed() {
        let text = "a 1\nb 2\n##[add-matcher]/home/r/r/.github/one.json\na 3\n::remove-matcher owner=One::\na 4\nb 5\n::add-matcher::.github/one.json\na 6\n";
        assert_eq!(found(text), "2 3 5 6");
    }

    #[test]
    fn what_a_log_only_removes_is_in_force_until_then() {
        assert_eq!(found("b 1\n::remove-matcher owner=other::\nb 2\na 3\n"), "1 3");
        assert_eq!(found("b 1\n::remove-matcher::m/other.json\nb 2\na 3\n"), "1 3");
    }

    #[test]
    fn who_is_added_takes_the_place_of_the_same_owner() {
        let text = "::add-matcher::one.json\na 1\nc 2\n::add-matcher::alt.json\n##[debug]Added matchers: 'ONE'. Problem\na 3\nc 4\n";
        assert_eq!(found(text), "1 4");
    }

    #[test]
    fn the_file_of_an_action_is_none_of_the_repository() {
        assert_eq!(found("a 1\n::add-matcher::/w/_actions/x/y/v1/.github/one.json\na 2\n"), "1 2");
    }

    #[test]
    fn a_common_tool_is_in_force_until_its_name_is_removed() {
        let of_go = |text: &str| {
            let part = scan::read(&Lines::of(text), Matchers::built_in(), &[]);
            part.diagnostics.iter().filter(|found| found.tool == "go").count()
        };
        let line = "main.go:9:2: undefined: y\n";
        assert_eq!(of_go(&format!("{line}::add-matcher::/x/go.json\n{line}")), 2);
        let removed = format!("{line}::remove-matcher owner=go::\n{line}");
        assert_eq!(of_go(&removed), 1);
        let again = format!("{removed}##[add-matcher]/w/_actions/actions/setup-go/v5/matchers.json\n{line}");
        assert_eq!(of_go(&again), 2);
    }
}
