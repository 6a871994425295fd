//! Which commands may run: by name, or by exactly their words.

use std::collections::BTreeMap;

use super::check::verb;
use super::error::{Fault, Place};
use super::value::words;
use super::{CommandSpec, Rule, RuleSource};

/// One entry of `allowed_commands`.
#[derive(Debug, Clone)]
pub struct CommandRule {
    text: String,
    words: Vec<String>,
    line: Option<u32>,
    /// What it must match, and what it must not.
    examples: [Vec<(Place, String)>; 2],
}

impl CommandRule {
    pub(super) fn new(text: &str, line: Option<u32>, examples: [Vec<(Place, String)>; 2]) -> Result<Self, String> {
        Ok(Self { text: text.to_owned(), words: words(text)?, line, examples })
    }

    /// The entry as written: a name, or a command line.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether it allows `asked`, which is a name alone or the words of a command.
    ///
    /// A name allows exactly the words that `commands` gives it. Further arguments make another command.
    #[must_use]
    pub fn allows(&self, asked: &[String], commands: &BTreeMap<String, CommandSpec>) -> bool {
        let own = meant(&self.words, commands);
        asked == self.words || asked == own || meant(asked, commands) == own
    }

    pub(super) fn rule(&self) -> Rule {
        Rule { source: RuleSource::Policy, text: self.text.clone(), line: self.line }
    }

    /// Tries the examples, once the commands are known.
    pub(super) fn try_examples(&self, commands: &BTreeMap<String, CommandSpec>) -> Vec<Fault> {
        let mut faults = Vec::new();
        for (wanted, examples) in [true, false].into_iter().zip(&self.examples) {
            for (place, example) in examples {
                match words(example) {
                    Ok(asked) if self.allows(&asked, commands) == wanted => {}
                    Ok(_) => {
                        let message = format!("`{}` {} `{example}`", self.text, verb(!wanted));
                        faults.push(Fault::new(*place, message));
                    }
                    Err(message) => faults.push(Fault::new(*place, message)),
                }
            }
        }
        faults
    }
}

impl PartialEq for CommandRule {
    /// Two rules are the same when they say the same, wherever they stand.
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

/// The words that would run: those of the command that a single word names, or the words themselves.
pub(super) fn meant<'a>(asked: &'a [String], commands: &'a BTreeMap<String, CommandSpec>) -> &'a [String] {
    match asked {
        [name] => commands.get(name).map_or(asked, |spec| &spec.argv),
        _ => asked,
    }
}
