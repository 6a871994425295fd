//! Patterns for branches and files: `*` within a part, `**` across parts, `?` for one character.

/// Whether `pattern` matches the whole of `text`. A `**/` also stands for no part at all.
pub(super) fn matches(pattern: &str, text: &str) -> bool {
    let (pattern, text): (Vec<char>, Vec<char>) = (pattern.chars().collect(), text.chars().collect());
    // reached[j]: whether the pattern so far matches the first j characters. No backtracking: time is the product.
    let mut reached = vec![false; text.len() + 1];
    reached[0] = true;
    let mut at = 0;
    while at < pattern.len() {
        let rest = &pattern[at..];
        let (length, kind) = match rest {
            ['*', '*', '/', ..] => (3, Piece::Parts),
            ['*', '*', ..] => (2, Piece::Anything),
            ['*', ..] => (1, Piece::WithinPart),
            [c, ..] => (1, Piece::One(*c)),
            [] => break,
        };
        reached = step(&kind, &reached, &text);
        at += length;
    }
    reached[text.len()]
}

enum Piece {
    Parts,
    Anything,
    WithinPart,
    One(char),
}

/// What is reached after one more piece of the pattern.
fn step(piece: &Piece, before: &[bool], text: &[char]) -> Vec<bool> {
    let mut after = vec![false; before.len()];
    let mut open = false;
    for at in 0..before.len() {
        match piece {
            Piece::One(c) => {
                let fits = at > 0 && (text[at - 1] == *c || (*c == '?' && text[at - 1] != '/'));
                after[at] = fits && before[at - 1];
            }
            Piece::WithinPart => {
                open = before[at] || (open && text[at - 1] != '/');
                after[at] = open;
            }
            Piece::Anything => {
                open |= before[at];
                after[at] = open;
            }
            Piece::Parts => {
                after[at] = before[at] || (open && text[at - 1] == '/');
                open |= before[at];
            }
        }
    }
    after
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stay_within_a_part_and_double_stars_do_not() {
        for (pattern, text, expected) in [
            ("main", "main", true),
            ("main", "mainly", false),
            ("release/*", "release/1.2", true),
            ("release/*", "release/1/2", false),
            ("release/**", "release/1/2", true),
            ("**", "a/b", true),
            ("**/r.xml", "r.xml", true),
            ("**/r.xml", "a/b/r.xml", true),
            ("**/r.xml", "a/xr.xml", false),
            ("target/**/*.xml", "target/r.xml", true),
            ("target/**/*.xml", "target/a/b/r.xml", true),
            ("v?", "v1", true),
            ("v?", "v/", false),
            ("*", "", true),
            ("", "", true),
            ("", "a", false),
            ("a*b*c", "aXbYc", true),
            ("a*b*c", "aXbY", false),
            ("[ab].$", "[ab].$", true),
        ] {
            assert_eq!(matches(pattern, text), expected, "{pattern} {text}");
        }
    }

    #[test]
    fn a_pattern_of_many_stars_takes_no_longer_than_its_length() {
        assert!(!matches(&"*a".repeat(200), &"a".repeat(199)));
    }
}
