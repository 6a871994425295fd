//! What the last green run of a job said: what a failed run says as well explains no failure.

use std::collections::HashSet;

use crate::artifact::decode;
use crate::artifact::text::lines::Lines;

/// Shapes that are kept; a log of more different lines has told enough.
const SHAPES: usize = 1 << 20;

/// The shapes of the lines of a log of a run that passed.
#[derive(Debug, Clone, Default)]
pub(super) struct Baseline {
    shapes: HashSet<u64>,
}

impl Baseline {
    /// Reads the log of a run that passed.
    pub(super) fn of(text: &str) -> Self {
        let lines = Lines::new(&decode::decode(text.as_bytes()), &mut Vec::new());
        let shapes = lines.all().map(|(_, line)| shape(line)).take(SHAPES).collect();
        Self { shapes }
    }

    /// Whether the run that passed said a line of the same shape.
    pub(super) fn has(&self, line: &str) -> bool {
        self.shapes.contains(&shape(line))
    }
}

/// A line without what differs from run to run: numbers, hashes and identifiers with digits in them.
fn shape(line: &str) -> u64 {
    const LIMIT: usize = 400;
    // FNV-1a: short keys, and nobody gains from a collision.
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut add = |byte: u8| hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    let bytes = line.trim().as_bytes();
    let bytes = &bytes[..bytes.len().min(LIMIT)];
    for word in bytes.chunk_by(|a, b| is_word(*a) == is_word(*b)) {
        if !is_word(word[0]) || !word.iter().any(u8::is_ascii_digit) {
            word.iter().copied().for_each(&mut add);
        } else if word.iter().all(u8::is_ascii_hexdigit) || word.len() > 20 {
            add(b'#');
        } else {
            word.iter().filter(|byte| !byte.is_ascii_digit()).copied().for_each(&mut add);
        }
    }
    hash
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte >= 0x80
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_from_run_to_run_is_no_difference() {
        let green =
            Baseline::of("2024-01-01T00:00:00.0000000Z HEAD is at 1f2e3d4 x\nran 12 tests in 0.4s\nwarning: old\n");
        assert!(green.has("HEAD is at 9a8b7c6 x"));
        assert!(green.has("ran 13 tests in 1.25s"));
        assert!(!green.has("error: new"));
        assert!(!green.has("ran 13 tests in an hour"));
    }
}
