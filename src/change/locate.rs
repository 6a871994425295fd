//! Finds the one place that a quoted text means, or says where the quotation and the file part.

use crate::change::fold::{FOLDS, Fold, Shift};
use crate::change::resolve::Reason;

/// The bytes of a text that a quotation means, and what shall stand there.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub start: usize,
    pub end: usize,
    pub replacement: String,
}

/// Finds `old` in `text` exactly once: as it stands first, then by whole lines with looser comparisons.
pub(super) fn locate(text: &str, old: &str, new: &str) -> Result<Place, Reason> {
    let mut exact = occurrences(text, old);
    match (exact.next(), exact.next()) {
        (Some(start), None) => {
            return Ok(Place { start, end: start + old.len(), replacement: new.to_owned() });
        }
        (Some(_), Some(_)) => {
            let lines = occurrences(text, old).map(|at| line_of(text, at)).collect();
            return Err(Reason::Ambiguous { lines });
        }
        (None, _) => {}
    }
    drop(exact);
    let file = Lines::of(text);
    let quoted = Lines::of(old);
    for indentation in [false, true] {
        for fold in FOLDS {
            let found = file.matches(&quoted, fold, indentation);
            match found.as_slice() {
                [] => {}
                [(at, shift)] => return file.place(&quoted, new, (*at, shift)).ok_or_else(|| miss(text, old, new)),
                several => {
                    let lines = several.iter().map(|(at, _)| at + 1).collect();
                    return Err(Reason::Ambiguous { lines });
                }
            }
        }
    }
    Err(miss(text, old, new))
}

/// Where `old` stands, overlapping occurrences included: `aa` in `aaa` is ambiguous too.
fn occurrences<'a>(text: &'a str, old: &'a str) -> impl Iterator<Item = usize> + 'a {
    let step = old.chars().next().map_or(1, char::len_utf8);
    let mut from = 0;
    std::iter::from_fn(move || {
        let at = from + text.get(from..)?.find(old)?;
        from = at + step;
        Some(at)
    })
}

fn line_of(text: &str, at: usize) -> usize {
    text[..at].matches('\n').count() + 1
}

/// A text as lines, each with its end.
struct Lines<'a> {
    whole: Vec<&'a str>,
}

impl<'a> Lines<'a> {
    fn of(text: &'a str) -> Self {
        Self { whole: text.split_inclusive('\n').collect() }
    }

    fn folded(&self, fold: Fold) -> Vec<String> {
        self.whole.iter().map(|line| fold.apply(line)).collect()
    }

    fn matches(&self, quoted: &Self, fold: Fold, indentation: bool) -> Vec<(usize, Shift)> {
        let (file, quoted) = (self.folded(fold), quoted.folded(fold));
        if quoted.iter().all(String::is_empty) {
            return Vec::new();
        }
        let windows = file.windows(quoted.len()).enumerate();
        if indentation {
            windows.filter_map(|(at, window)| Some((at, Shift::between(&quoted, window)?))).collect()
        } else {
            windows.filter(|(_, window)| *window == quoted).map(|(at, _)| (at, Shift::None)).collect()
        }
    }

    /// Lines that the quotation and its replacement share at their ends stay as the file has them.
    fn place(&self, quoted: &Self, new: &str, found: (usize, &Shift)) -> Option<Place> {
        let (at, shift) = found;
        let window = &self.whole[at..at + quoted.whole.len()];
        let new = Lines::of(new);
        let same = |(a, b): &(&&str, &&str)| a.trim_end() == b.trim_end();
        let head = quoted.whole.iter().zip(&new.whole).take_while(same).count();
        let rest = quoted.whole.len().min(new.whole.len()) - head;
        let tail = quoted.whole.iter().rev().zip(new.whole.iter().rev()).take(rest).take_while(same).count();
        let line_end = if window.iter().any(|line| line.ends_with("\r\n")) { "\r\n" } else { "\n" };
        let mut replacement: String = window[..head].concat();
        for line in &new.whole[head..new.whole.len() - tail] {
            let bare = line.strip_suffix('\n').map_or(*line, |line| line.strip_suffix('\r').unwrap_or(line));
            replacement.push_str(&shift.apply(bare)?);
            replacement.push_str(line_end);
        }
        replacement.push_str(&window[window.len() - tail..].concat());
        let ended = window.last().is_some_and(|line| line.ends_with('\n'));
        if !ended && tail == 0 && replacement.ends_with(line_end) {
            replacement.truncate(replacement.len() - line_end.len());
        }
        let start = self.whole[..at].iter().map(|line| line.len()).sum::<usize>();
        let end = start + window.iter().map(|line| line.len()).sum::<usize>();
        Some(Place { start, end, replacement })
    }
}

/// The window of the file that agrees longest with the quotation, and the first line where they part.
fn miss(text: &str, old: &str, new: &str) -> Reason {
    let trimmed = |text: &str| -> Vec<String> {
        text.split_inclusive('\n').map(|line| Fold::Punctuation.apply(line).trim_start().to_owned()).collect()
    };
    let (file, quoted) = (trimmed(text), trimmed(old));
    let agreement = |at: &usize| quoted.iter().zip(&file[*at..]).take_while(|(a, b)| a == b).count();
    // Of equals the first: the order of a file is all that is left to go by.
    let best = (0..file.len()).rev().max_by_key(agreement).map(|at| (at, agreement(&at)));
    let stands = !new.trim().is_empty() && text.contains(new.trim_end());
    let shown = |text: &str, at: usize| text.lines().nth(at).map(str::to_owned);
    match best {
        Some((at, same)) if same > 0 => Reason::Missing {
            line: Some(at + same + 1),
            expected: shown(old, same).unwrap_or_default(),
            actual: shown(text, at + same),
            stands,
        },
        _ => Reason::Missing { line: None, expected: shown(old, 0).unwrap_or_default(), actual: None, stands },
    }
}
