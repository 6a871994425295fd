//! With which results the step fails.

use std::str::FromStr;

use super::value;
use crate::action::outcome::Word;
use crate::exit;

/// The results that fail the step.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::action) enum FailOn {
    /// None: the step has done its work once it has said how it ended.
    #[default]
    Never,
    /// Whatever leaves a failure unrepaired.
    Unfixed,
    /// These.
    Results(Vec<Word>),
}

impl FromStr for FailOn {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "never" => return Ok(Self::Never),
            "unfixed" => return Ok(Self::Unfixed),
            _ => {}
        }
        let read = |text: &String| {
            Word::all().find(|word| word.text() == text).ok_or_else(|| {
                let words: Vec<&str> = ["never", "unfixed"].into_iter().chain(Word::all().map(Word::text)).collect();
                value::unknown(text, &words)
            })
        };
        value::list(text).iter().map(read).collect::<Result<_, _>>().map(Self::Results)
    }
}

impl FailOn {
    /// The exit code of the step for a result.
    pub(in crate::action) fn code(&self, word: Word) -> u8 {
        let fails = match self {
            Self::Never => false,
            Self::Unfixed => word.leaves_failure(),
            Self::Results(words) => words.contains(&word),
        };
        match (fails, word.exit_code()) {
            (false, _) => exit::OK,
            // A result that is no failure, and that somebody wants to fail on all the same.
            (true, exit::OK) => exit::ERROR,
            (true, code) => code,
        }
    }
}
