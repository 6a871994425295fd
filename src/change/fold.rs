//! What may differ between the text that a model quotes and the text of the file: blanks at line ends, a uniform
//! indentation, and typographic punctuation. Nothing else is ever guessed.

/// How two lines are compared; each is looser than the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fold {
    /// Blanks at the line's end and the kind of line end do not count.
    LineEnd,
    /// Nor does the form of quotation marks, dashes and blanks.
    Punctuation,
}

/// The looser comparisons, strictest first.
pub(super) const FOLDS: [Fold; 2] = [Fold::LineEnd, Fold::Punctuation];

impl Fold {
    /// The part of a line that counts.
    pub(super) fn apply(self, line: &str) -> String {
        match self {
            Self::LineEnd => line.trim_end().to_owned(),
            Self::Punctuation => line.chars().map(plain).collect::<String>().trim_end().to_owned(),
        }
    }
}

/// The ASCII form of a typographic character.
fn plain(c: char) -> char {
    match c {
        '\u{2018}' | '\u{2019}' | '\u{201a}' | '\u{201b}' | '\u{2032}' => '\'',
        '\u{201c}' | '\u{201d}' | '\u{201e}' | '\u{201f}' | '\u{2033}' => '"',
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => ' ',
        c => c,
    }
}

/// The one change of indentation that turns quoted lines into a file's lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Shift {
    /// None.
    None,
    /// The file has this much more.
    Deeper(String),
    /// The file has this much less.
    Shallower(String),
}

impl Shift {
    /// The shift from `quoted` to `file` (both folded), if one and the same fits every line that is not blank.
    pub(super) fn between(quoted: &[String], file: &[String]) -> Option<Self> {
        let mut found: Option<Self> = None;
        for (quoted, file) in quoted.iter().zip(file) {
            if quoted.trim_start() != file.trim_start() {
                return None;
            }
            if quoted.is_empty() {
                continue;
            }
            let shift = Self::of(quoted, file)?;
            if found.as_ref().is_some_and(|found| *found != shift) {
                return None;
            }
            found = Some(shift);
        }
        Some(found.unwrap_or(Self::None))
    }

    fn of(quoted: &str, file: &str) -> Option<Self> {
        if quoted == file {
            return Some(Self::None);
        }
        file.strip_suffix(quoted)
            .map(|more| Self::Deeper(more.to_owned()))
            .or_else(|| quoted.strip_suffix(file).map(|less| Self::Shallower(less.to_owned())))
    }

    /// A new line, shifted the same way; `None` where it lacks the indentation that must go.
    pub(super) fn apply(&self, line: &str) -> Option<String> {
        if line.trim().is_empty() {
            return Some(line.to_owned());
        }
        match self {
            Self::None => Some(line.to_owned()),
            Self::Deeper(more) => Some(format!("{more}{line}")),
            Self::Shallower(less) => line.strip_prefix(less.as_str()).map(str::to_owned),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &[&str]) -> Vec<String> {
        text.iter().map(|line| (*line).to_owned()).collect()
    }

    #[test]
    fn a_shift_must_be_the_same_on_every_line() {
        let quoted = lines(&["if x:", "    y", ""]);
        assert_eq!(Shift::between(&quoted, &lines(&["\tif x:", "\t    y", ""])), Some(Shift::Deeper("\t".into())));
        assert_eq!(Shift::between(&quoted, &lines(&["  if x:", "     y", ""])), None);
        assert_eq!(Shift::between(&quoted, &lines(&["if x:", "    z", ""])), None);
    }
}
