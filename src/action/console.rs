//! The log of the step. The runner obeys some lines of it, so whatever a stage prints stands between a word that stops
//! that and the same word again, which only this process knows.

use std::io;

use super::commands::{Annotation, annotations, command};
use super::random;
use crate::{output, text};

/// A part of the log that the runner folds away, and that it obeys no line of.
#[derive(Debug)]
pub(super) struct Group {
    word: String,
}

impl Group {
    /// Opens a group.
    ///
    /// # Errors
    /// When the log cannot be written, or no word can be made.
    pub(super) fn open(title: &str) -> io::Result<Self> {
        let word = random::word()?;
        say(&command("group", &[], title))?;
        say(&command("stop-commands", &[], &word))?;
        Ok(Self { word })
    }

    /// Writes a line of a stage: printable, and no command even to a reader that knows no such word.
    ///
    /// # Errors
    /// When the log cannot be written.
    pub(super) fn line(line: &str) -> io::Result<()> {
        say(&text::inert(&text::printable(line)))
    }

    /// Closes the group: the runner obeys again.
    ///
    /// # Errors
    /// When the log cannot be written.
    pub(super) fn close(self) -> io::Result<()> {
        say(&command(&self.word, &[], ""))?;
        say("::endgroup::")
    }
}

/// Tells the runner to mask values in its log. Only a runner: anywhere else this would print them.
///
/// # Errors
/// When the log cannot be written.
pub(super) fn mask<'a>(on_runner: bool, values: impl Iterator<Item = &'a str>) -> io::Result<()> {
    if !on_runner {
        return Ok(());
    }
    values.filter(|value| !value.trim().is_empty()).try_for_each(|value| say(&command("add-mask", &[], value)))
}

/// Shows annotations.
///
/// # Errors
/// When the log cannot be written.
pub(super) fn annotate(all: &[Annotation]) -> io::Result<()> {
    annotations(all).iter().try_for_each(|line| say(line))
}

/// One line of the log, as it stands.
fn say(line: &str) -> io::Result<()> {
    output::document(line)
}
