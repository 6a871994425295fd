//! Foreign text for lines that git and the forge read: the titles of pull requests and the messages of commits.
//!
//! Neither knows an escape, so what would mean something there is spelled so that it means nothing.

use crate::text;

/// One line of at most `limit` characters: no markup, no mention, no reference, no link, no word in brackets that a CI
/// system obeys.
#[must_use]
pub fn harmless(foreign: &str, limit: usize) -> String {
    let line = text::one_line(&text::plain(foreign), limit.saturating_mul(4));
    let characters: Vec<char> = line.chars().collect();
    let mut safe = String::with_capacity(line.len());
    for (at, c) in characters.iter().enumerate() {
        let next = characters.get(at + 1);
        let before_word = next.is_some_and(|next| next.is_alphanumeric() || matches!(next, '_' | '-'));
        match c {
            // `[skip ci]` and its kin, and links.
            '[' => safe.push('('),
            ']' => safe.push(')'),
            '`' => safe.push('\''),
            // `@name` and `#12` call people and other pull requests; `GH-12` does too.
            '@' | '#' if before_word => safe.extend([*c, ' ']),
            '-' if names_an_issue(&characters, at) => safe.push(' '),
            ':' if next == Some(&'/') => safe.push_str(": "),
            c => safe.push(*c),
        }
    }
    // `***NO_CI***` needs no brackets.
    cut(&safe.replace("***", "* * *"), limit)
}

/// Whether the hyphen at `at` is that of `GH-12`.
pub(super) fn names_an_issue(characters: &[char], at: usize) -> bool {
    let before = at.checked_sub(2).map(|from| &characters[from..at]);
    let is_gh = before.is_some_and(|word| word[0].eq_ignore_ascii_case(&'g') && word[1].eq_ignore_ascii_case(&'h'));
    is_gh && characters.get(at + 1).is_some_and(char::is_ascii_digit)
}

/// At most `limit` characters, the last one an ellipsis where something is missing.
fn cut(line: &str, limit: usize) -> String {
    if line.chars().count() <= limit {
        return line.to_owned();
    }
    text::one_line(line, limit.saturating_sub(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_the_forge_would_act_on_is_left() {
        insta::assert_snapshot!(
            harmless("fixes #12 @admin closes GH-7, o/r#3 [skip ci] `x` https://a.example/1\nCo-authored-by: A <a@b.c>", 200),
            @"fixes # 12 @ admin closes GH 7, o/r# 3 (skip ci) 'x' https: //a.example/1 Co-authored-by: A <a@ b.c>"
        );
        assert_eq!(harmless("***NO_CI*** **kwargs", 40), "* * *NO_CI* * * **kwargs");
        assert_eq!(harmless("a\u{202e}b\u{1b}[31mc \u{200b}", 20), "abc");
    }

    #[test]
    fn a_long_line_is_cut_to_its_limit() {
        let cut = harmless(&"é".repeat(100), 72);
        assert_eq!(cut.chars().count(), 72);
        assert!(cut.ends_with('…'));
        assert_eq!(harmless(&"#1".repeat(60), 72).chars().count(), 72);
    }
}
