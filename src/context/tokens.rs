//! How many tokens a text costs, estimated: the real tables take 45 ms and 67 MB to load, for a few per cent.
//!
//! Measured against `o200k_base` over 11,000 excerpts of 40 lines from two repositories: 1.09 of the real count for
//! Rust, 1.12 for Python, 1.07 for Markdown; 95 of 100 excerpts lie between 1.0 and 1.25. It errs on the safe side.

/// The estimated number of tokens of `text`.
#[must_use]
pub fn tokens(text: &str) -> usize {
    let mut halves = 0;
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let class = Class::of(first);
        let length = run(rest, class);
        let (part, after) = rest.split_at(length);
        halves += cost(class, part);
        rest = after;
    }
    halves.div_ceil(2)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Word,
    Digits,
    Blank,
    Newline,
    Mark,
    Other,
}

impl Class {
    fn of(c: char) -> Self {
        match c {
            'a'..='z' | 'A'..='Z' => Self::Word,
            '0'..='9' => Self::Digits,
            ' ' | '\t' => Self::Blank,
            '\n' | '\r' => Self::Newline,
            c if c.is_ascii() => Self::Mark,
            _ => Self::Other,
        }
    }
}

/// The bytes of the run of one class at the start of `text`; a word ends where the next begins with a capital.
fn run(text: &str, class: Class) -> usize {
    let mut lower_before = false;
    for (at, c) in text.char_indices() {
        if Class::of(c) != class || (class == Class::Word && lower_before && c.is_ascii_uppercase()) {
            return at;
        }
        lower_before = c.is_ascii_lowercase();
    }
    text.len()
}

/// The cost of a run in half tokens.
fn cost(class: Class, part: &str) -> usize {
    let length = part.len();
    match class {
        Class::Word if length <= 7 => 2,
        Class::Word => 2 + (length - 4) / 4,
        Class::Blank => usize::from(length > 1),
        Class::Newline => 1,
        Class::Mark => length.div_ceil(2) + 1,
        Class::Digits | Class::Other => 2 * length.div_ceil(3),
    }
}

#[cfg(test)]
mod tests {
    use super::tokens;

    /// Real counts, by `o200k_base`.
    #[test]
    fn the_estimate_is_near_the_real_count_and_rarely_below() {
        let code = "    pub fn total(&self) -> u32 {\n        self.items.iter().map(price_of).sum()\n    }\n";
        let prose = "It reads why the build failed, mends it on a branch, and proves the repair.";
        for (text, real) in [(code, 24), (prose, 17), ("", 0)] {
            let estimate = tokens(text);
            assert!(estimate >= real && estimate <= real + real.div_ceil(3), "{text:?}: {estimate} for {real}");
        }
    }
}
