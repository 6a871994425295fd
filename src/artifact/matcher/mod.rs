//! Problem matchers: tools that report by the line, described in the JSON that GitHub Actions knows.
//!
//! Data files hold the common tools, compiled once; a repository's own are a set of their own, which comes first and
//! can take nothing away from the common ones. A matcher of several patterns matches lines in a row, so it is looked
//! for by its last pattern and verified backwards.

mod built_in;
mod command;
mod expression;
mod force;
mod own;
mod parse;
mod relaxed;
mod root;
mod rules;
mod said;
mod scan;
mod set;
mod translate;

use std::sync::LazyLock;

pub(super) use scan::read;
use set::Set;

use super::Problem;

/// The matchers of an artifact, the more specific first.
#[derive(Debug)]
pub struct Matchers {
    own: Set,
    built_in: &'static Set,
}

static BUILT_IN: LazyLock<Set> = LazyLock::new(|| {
    // A test holds the data files to be without problems.
    Set::of(built_in::matchers(&mut Vec::new())).unwrap_or_default()
});

static WITHOUT_OWN: LazyLock<Matchers> = LazyLock::new(|| Matchers { own: Set::default(), built_in: &BUILT_IN });

impl Matchers {
    /// The common tools.
    #[must_use]
    pub fn built_in() -> &'static Self {
        &WITHOUT_OWN
    }

    /// Those of a repository beside the common ones, over which they win: name and text of each file. What cannot be
    /// used is a problem that names file, owner and reason.
    #[must_use]
    pub fn of(files: &[(String, String)]) -> (Self, Vec<Problem>) {
        let mut problems = Vec::new();
        let own = own::set(files, &mut problems);
        (Self { own, built_in: &BUILT_IN }, problems)
    }

    /// Whether a line may be what a matcher of the repository looks for, or a command to do so.
    pub(super) fn look_for(&self, line: &str) -> bool {
        command::may_be(line)
            || !self.own.matchers.is_empty() && line.len() <= scan::LINE_LIMIT && self.own.last.is_match(line)
    }
}

#[cfg(test)]
mod tests;
