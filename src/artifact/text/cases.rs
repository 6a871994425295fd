//! The tests that a text names: all are counted, and as many are kept as memory allows.

use std::ops::{Deref, DerefMut};

use crate::artifact::{Case, Limits, Problem, TestCounts};

/// Failed tests that are kept.
const FAILING: usize = Limits::MOST.failed_tests;
/// Other tests that are kept.
const OTHERS: usize = Limits::MOST.other_tests;

/// Tests in the order of the text.
#[derive(Debug, Default)]
pub(in crate::artifact) struct Cases {
    kept: Vec<Case>,
    failing: usize,
    /// Those that are counted and not kept.
    beyond: TestCounts,
}

impl Cases {
    /// Takes one more.
    pub(super) fn push(&mut self, case: Case) {
        let failing = case.is_failing();
        let full = if failing { self.failing >= FAILING } else { self.kept.len() - self.failing >= OTHERS };
        if full {
            self.beyond = self.beyond.plus(TestCounts::of(&[case]));
            return;
        }
        self.failing += usize::from(failing);
        self.kept.push(case);
    }

    /// Takes all of another list.
    pub(super) fn append(&mut self, other: &mut Self) {
        let other = std::mem::take(other);
        self.beyond = self.beyond.plus(other.beyond);
        self.extend(other.kept);
    }

    /// Leaves out those of the kept ones that are not to stay.
    pub(super) fn retain(&mut self, stays: impl FnMut(&Case) -> bool) {
        self.kept.retain(stays);
        self.failing = self.kept.iter().filter(|case| case.is_failing()).count();
    }

    /// How many there are of each kind, kept or not.
    pub(super) fn counts(&self) -> TestCounts {
        TestCounts::of(&self.kept).plus(self.beyond)
    }

    /// Those that are kept, and what is to be said of the others.
    pub(super) fn into_kept(self) -> (Vec<Case>, Option<Problem>) {
        let message = format!("{} more tests are counted and not listed", self.beyond.total);
        (self.kept, (self.beyond.total > 0).then_some(Problem { line: None, message }))
    }
}

impl Extend<Case> for Cases {
    fn extend<I: IntoIterator<Item = Case>>(&mut self, cases: I) {
        cases.into_iter().for_each(|case| self.push(case));
    }
}

impl FromIterator<Case> for Cases {
    fn from_iter<I: IntoIterator<Item = Case>>(cases: I) -> Self {
        let mut all = Self::default();
        all.extend(cases);
        all
    }
}

impl From<Vec<Case>> for Cases {
    fn from(cases: Vec<Case>) -> Self {
        cases.into_iter().collect()
    }
}

impl Deref for Cases {
    type Target = [Case];

    fn deref(&self) -> &[Case] {
        &self.kept
    }
}

impl DerefMut for Cases {
    fn deref_mut(&mut self) -> &mut [Case] {
        &mut self.kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::artifact::Status;

    #[test]
    fn what_is_not_kept_is_counted() {
        let mut cases = Cases::default();
        for _ in 0..FAILING + 3 {
            cases.push(Case { status: Status::Failed, ..Case::default() });
        }
        let mut others: Cases = vec![Case::default(); OTHERS + 2].into();
        cases.append(&mut others);
        let counts = cases.counts();
        assert_eq!((counts.failed, counts.passed), (FAILING as u64 + 3, OTHERS as u64 + 2));
        let (kept, problem) = cases.into_kept();
        assert_eq!((kept.len(), problem.is_some()), (FAILING + OTHERS, true));
    }
}
