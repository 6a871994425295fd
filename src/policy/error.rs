//! What is wrong with a policy file, and where: never with a credential in it.

use std::fmt;
use std::sync::LazyLock;

use crate::secret::Redactor;
use crate::text::cut_middle;

/// One fault of a policy file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
pub struct PolicyError {
    /// 1-based line.
    pub line: u32,
    /// 1-based column, in characters.
    pub column: u32,
    /// What is wrong, in a sentence without a full stop.
    pub message: String,
    /// The known word that was probably meant.
    pub nearest: Option<String>,
    /// The line with a caret line under it; credentials are masked.
    pub snippet: String,
    /// The file as it was named; `policy` when it has no name.
    pub file: String,
}

impl std::error::Error for PolicyError {}

impl fmt::Display for PolicyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}: {}", self.file, self.line, self.column, self.message)?;
        if let Some(nearest) = &self.nearest {
            write!(f, "; did you mean `{nearest}`?")?;
        }
        write!(f, "\n{}", self.snippet)
    }
}

/// Where something stands in the file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Place {
    /// 1-based line.
    pub(super) line: u32,
    /// 1-based column, in characters.
    pub(super) column: u32,
    /// Characters to underline; at least one is.
    pub(super) width: u32,
    /// Further lines that it goes on for.
    pub(super) more: u32,
}

/// A fault before it has its snippet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) place: Place,
    pub(super) message: String,
    pub(super) nearest: Option<String>,
    /// Whether the text of the place may be a credential and must not be shown.
    pub(super) hide: bool,
}

impl Fault {
    pub(super) fn new(place: Place, message: impl Into<String>) -> Self {
        Self { place, message: message.into(), nearest: None, hide: false }
    }

    pub(super) fn hidden(place: Place, message: impl Into<String>) -> Self {
        Self { hide: true, ..Self::new(place, message) }
    }

    pub(super) fn near(mut self, nearest: Option<&str>) -> Self {
        self.nearest = nearest.map(str::to_owned);
        self
    }
}

/// Credentials by shape; the values are not known here.
pub(super) static SHAPES: LazyLock<Redactor> = LazyLock::new(Redactor::default);

/// Longer lines are shown around the caret only.
const SHOWN: usize = 100;

/// Turns faults into errors in the order of the file. `text` is the whole file.
pub(super) fn located(faults: Vec<Fault>, text: &str, file: &str) -> Vec<PolicyError> {
    let hidden: Vec<Place> = faults.iter().filter(|fault| fault.hide).map(|fault| fault.place).collect();
    let lines: Vec<&str> = text.lines().collect();
    let mut errors: Vec<PolicyError> = faults
        .into_iter()
        .map(|fault| PolicyError {
            line: fault.place.line,
            column: fault.place.column,
            snippet: snippet(
                lines.get(fault.place.line.saturating_sub(1) as usize).unwrap_or(&""),
                fault.place,
                &hidden,
            ),
            message: SHAPES.scrub(&printable(&cut_middle(&fault.message, 300).replace('\n', " "))),
            nearest: fault.nearest,
            file: file.to_owned(),
        })
        .collect();
    errors.sort();
    errors.dedup();
    errors
}

fn snippet(line: &str, place: Place, hidden: &[Place]) -> String {
    let mut characters: Vec<char> = line.chars().map(shown).collect();
    for hide in hidden.iter().filter(|hide| (hide.line..=hide.line + hide.more).contains(&place.line)) {
        // A hidden value that goes on over lines hides them to their ends.
        let from = if hide.line == place.line { (hide.column as usize).saturating_sub(1) } else { 0 };
        let width = if hide.more == 0 { hide.width as usize } else { usize::MAX };
        for c in characters.iter_mut().skip(from).take(width) {
            *c = '*';
        }
    }
    let plain: String = characters.iter().collect();
    let clean = SHAPES.scrub(&plain);
    let number = place.line.to_string();
    let margin = " ".repeat(number.len());
    if clean != plain {
        // Masking moved the columns, so there is no caret to set.
        return format!("  {number} | {clean}\n  {margin} |");
    }
    let column = (place.column as usize).saturating_sub(1).min(characters.len());
    let start = column.saturating_sub(SHOWN / 2);
    let start = if characters.len() <= SHOWN { 0 } else { start };
    let window: String = characters.iter().skip(start).take(SHOWN).collect();
    let window = window.trim_end();
    let width = (place.width.max(1) as usize).min(SHOWN - (column - start).min(SHOWN - 1));
    format!("  {number} | {window}\n  {margin} | {}{}", " ".repeat(column - start), "^".repeat(width))
}

fn shown(c: char) -> char {
    match c {
        '\t' => ' ',
        c if c.is_control() => '\u{fffd}',
        // Marks that do not show, or turn the direction of what follows.
        '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}' => '\u{fffd}',
        c => c,
    }
}

fn printable(message: &str) -> String {
    message.chars().map(shown).collect()
}
