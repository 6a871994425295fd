//! Removes from a text what differs between two runs of the same thing: durations, addresses, thread ids, the place
//! of the work tree. Without this a replay would never find its answer, and no prompt would be cached.

use std::sync::LazyLock;

use regex::Regex;

/// Durations only where runners print them, after a word or a bracket: a duration in code is part of the code.
static DURATION: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(\b(?:in|took|after)\s|[(\[])\d+(?:\.\d+)?\s?(?:ms|µs|us|ns|secs?|seconds?|s)\b").ok()
});
static ADDRESS: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\b0x[0-9a-fA-F]{6,16}\b").ok());
static THREAD: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"(thread '[^'\n]*') \(\d+\)").ok());
static BUILD: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"(deps/[\w-]+?)-[0-9a-f]{16}\b").ok());

/// The replacements of one run.
#[derive(Debug, Clone, Default)]
pub struct Steady {
    /// Directories of this machine, longest first, each of which becomes nothing.
    places: Vec<String>,
}

impl Steady {
    /// Knows these directories of the machine: the work tree and the run's own.
    #[must_use]
    pub fn new(directories: impl IntoIterator<Item = String>) -> Self {
        let mut places: Vec<String> = directories.into_iter().filter(|place| place.len() > 1).collect();
        places.sort_by_key(|place| std::cmp::Reverse(place.len()));
        Self { places }
    }

    /// The text without what differs from run to run.
    #[must_use]
    pub fn apply(&self, text: &str) -> String {
        let mut steady = text.to_owned();
        for place in &self.places {
            steady = steady.replace(&format!("{place}/"), "").replace(place.as_str(), ".");
        }
        for (pattern, with) in [(&*DURATION, "${1}0s"), (&*ADDRESS, "0x…"), (&*THREAD, "$1"), (&*BUILD, "$1")] {
            if let Some(pattern) = pattern {
                steady = pattern.replace_all(&steady, with).into_owned();
            }
        }
        steady
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_runs_of_the_same_thing_read_the_same() {
        let run = |tree: &str, time: &str, address: &str, thread: u32| {
            let text = format!(
                "{tree}/src/a.py:3: <A object at {address}>\nthread 'main' ({thread}) panicked\n1 failed in {time}\n{tree}"
            );
            Steady::new([tree.to_owned(), tree.trim_end_matches("/tree").to_owned()]).apply(&text)
        };
        let first = run("/tmp/x1/tree", "0.03s", "0x7f12ab34cd56", 12);
        assert_eq!(first, run("/var/y/tree", "1.25 s", "0x7fffab34cd00", 9_999));
        insta::assert_snapshot!(first, @r"
        src/a.py:3: <A object at 0x…>
        thread 'main' panicked
        1 failed in 0s
        .
        ");
    }
}
