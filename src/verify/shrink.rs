//! Delta debugging as a value: which parts to try next, given which attempts held.

/// Finds a small set of parts that still does its work, in a bounded number of attempts.
#[derive(Debug)]
pub(super) struct Shrink {
    kept: Vec<usize>,
    chunk: usize,
    at: usize,
    attempts: usize,
}

impl Shrink {
    /// Starts from all of `parts`.
    pub(super) fn new(parts: usize, attempts: usize) -> Self {
        Self { kept: (0..parts).collect(), chunk: (parts / 2).max(1), at: 0, attempts }
    }

    /// The parts of the smallest set that held so far.
    #[cfg(test)]
    fn kept(&self) -> &[usize] {
        &self.kept
    }

    /// The next set to try; `None` at the end.
    pub(super) fn attempt(&mut self) -> Option<Vec<usize>> {
        if self.attempts == 0 || self.kept.len() < 2 {
            return None;
        }
        if self.at >= self.kept.len() {
            if self.chunk == 1 {
                return None;
            }
            self.chunk = (self.chunk / 2).max(1);
            self.at = 0;
        }
        self.attempts -= 1;
        Some(self.without())
    }

    /// Says whether the set that [`Shrink::attempt`] gave held.
    pub(super) fn answer(&mut self, held: bool) {
        if held {
            self.kept = self.without();
            self.chunk = self.chunk.min(self.kept.len()).max(1);
        } else {
            self.at += self.chunk;
        }
    }

    fn without(&self) -> Vec<usize> {
        let dropped = self.at..(self.at + self.chunk).min(self.kept.len());
        self.kept.iter().enumerate().filter(|(at, _)| !dropped.contains(at)).map(|(_, part)| *part).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shrunk(parts: usize, attempts: usize, needed: &[usize]) -> (Vec<usize>, usize) {
        let mut shrink = Shrink::new(parts, attempts);
        let mut tried = 0;
        while let Some(set) = shrink.attempt() {
            tried += 1;
            shrink.answer(!set.is_empty() && needed.iter().all(|part| set.contains(part)));
        }
        (shrink.kept().to_vec(), tried)
    }

    #[test]
    fn only_what_is_needed_stays() {
        assert_eq!(shrunk(8, 100, &[2, 5]).0, [2, 5]);
        assert_eq!(shrunk(3, 100, &[0]).0, [0]);
        assert_eq!(shrunk(4, 100, &[0, 1, 2, 3]).0, [0, 1, 2, 3]);
    }

    #[test]
    fn attempts_are_bounded_and_the_result_always_held() {
        let (kept, tried) = shrunk(64, 5, &[63]);
        assert_eq!(tried, 5);
        assert!(kept.contains(&63));
        assert_eq!(shrunk(1, 5, &[0]), (vec![0], 0));
    }
}
