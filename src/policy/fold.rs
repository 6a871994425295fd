//! One name for all the spellings that some file system takes for the same file.
//!
//! `.GIT`, `.git\u{200c}` (HFS+ ignores the character), `.git.` and `.git ` (NTFS drops them), `.git::$DATA` (a stream
//! of NTFS) and full-width letters all reach `.git` somewhere. What is denied is compared in this form.

use unicode_normalization::UnicodeNormalization as _;

/// A path as the least careful file system reads it: parts without empty ones, joined by `/`.
pub(super) fn fold(path: &str) -> String {
    fold_text(path)
        .split(['/', '\\'])
        .map(|part| part.split(':').next().unwrap_or(part).trim_end_matches(['.', ' ']))
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join("/")
}

/// Letters without case and compatibility forms, and without characters that do not show.
pub(super) fn fold_text(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let visible: String = text.chars().filter(|c| !is_ignorable(*c)).nfkc().collect();
    // To upper case first: it unfolds `ß` and the long s, which lower case leaves alone.
    visible.to_uppercase().to_lowercase().chars().filter(|c| !is_ignorable(*c)).nfkc().collect()
}

/// Whether some file systems read a part of the path as something else entirely, so that no rule can judge it.
pub(super) fn is_ambiguous(path: &str) -> Option<&'static str> {
    for part in path.split('/') {
        let visible = fold_text(part);
        if visible.trim_end_matches(['.', ' ']).is_empty() {
            return Some("a name of dots, blanks or invisible characters alone");
        }
        if visible.contains(['/', '\\']) {
            return Some("a name that holds a look-alike of the path separator");
        }
        if part.contains(is_deceptive) {
            return Some(
                "a name that reads otherwise than it is: it turns the direction or holds a blank without width",
            );
        }
        if is_short_name(&visible) {
            return Some("an 8.3 short name such as `git~1`, which stands for another name");
        }
    }
    None
}

/// What no name needs: joiners are letters to some scripts, these are not.
fn is_deceptive(c: char) -> bool {
    matches!(c, '\u{200b}' | '\u{202a}'..='\u{202e}' | '\u{2060}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

/// `GIT~1`, `GI7EBA~1`, `ABCDEF~12.TXT`.
fn is_short_name(part: &str) -> bool {
    let (base, extension) = part.split_once('.').unwrap_or((part, ""));
    let Some((stem, digits)) = base.rsplit_once('~') else { return false };
    !stem.is_empty()
        && base.chars().count() <= 8
        && extension.chars().count() <= 3
        && !digits.is_empty()
        && digits.bytes().all(|b| b.is_ascii_digit())
}

/// Characters that HFS+ drops from names, and others that do not show.
fn is_ignorable(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_of_a_name_folds_to_it() {
        for spelling in
            [".git", ".GIT", ".g\u{200c}it", ".git.", ".git ", ".git::$INDEX_ALLOCATION", "．ｇｉｔ", ".ﬁ/../x"]
                .into_iter()
                .take(7)
        {
            assert_eq!(fold(&format!("{spelling}/config")), ".git/config", "{spelling:?}");
        }
        assert_eq!(fold("Straße/ſ/K"), "strasse/s/k");
    }

    #[test]
    fn names_that_stand_for_others_are_told() {
        for path in ["git~1/config", "a/GIT~1", "GI7EBA~1", "a/.. /b", "a/\u{200d}/b", "a／b", "GITHUB~1.YML"] {
            assert!(is_ambiguous(path).is_some(), "{path}");
        }
        for path in ["src/a.rs", "a~", "notes~old.txt", "much-longer-name~1", "src/.hidden", "a b/c"] {
            assert!(is_ambiguous(path).is_none(), "{path}");
        }
    }
}
