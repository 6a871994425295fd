//! What changed, when: values that `git` and `survey` fill and `localise` and `context` read.

use crate::ids::RepoPath;

/// The lines that a range of commits changed in one file, in the newer version's numbering.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    /// The file.
    pub path: RepoPath,
    /// 1-based first line and number of lines of each hunk; a deletion has no lines.
    pub hunks: Vec<(u32, u32)>,
}

impl Changed {
    /// Whether a hunk touches the lines `start..=end`; a deletion touches the line that it stands before.
    #[must_use]
    pub fn touches(&self, start: u32, end: u32) -> bool {
        self.hunks.iter().any(|(first, lines)| *first <= end && first.saturating_add((*lines).max(1)) > start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hunk_touches_the_lines_that_it_shares() {
        let changed = Changed { path: RepoPath::new("a.rs").unwrap(), hunks: vec![(10, 2), (30, 0)] };
        assert!(changed.touches(11, 20) && changed.touches(1, 10) && changed.touches(25, 30));
        assert!(!changed.touches(12, 29) && !changed.touches(1, 9));
    }
}
