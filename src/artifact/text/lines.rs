//! The lines of a text artifact: cleaned of escapes and log time stamps, with the numbers of the original.

use std::borrow::Cow;
use std::ops::Range;

use crate::artifact::decode::Decoded;
use crate::artifact::{Lines as Span, Problem};
use crate::text;

/// A line is cut here; nothing that a person reads is longer.
pub(super) const LINE_LIMIT: usize = 1 << 20;
/// More lines than this are not kept.
const LINES_LIMIT: usize = 4_000_000;
/// A person quotes a few lines.
const QUOTE_LIMIT: usize = 15;

/// Cleaned lines; index 0 is the first one kept.
#[derive(Debug, Default)]
pub(in crate::artifact) struct Lines {
    text: String,
    /// End of each line in `text`, and its 1-based number in the artifact.
    ends: Vec<(u32, u32)>,
    /// Lines that began with a time stamp.
    stamped: usize,
}

impl Lines {
    /// Splits and cleans; runs of blank lines keep only their first two.
    pub(in crate::artifact) fn new(decoded: &Decoded<'_>, problems: &mut Vec<Problem>) -> Self {
        let mut lines = Self::default();
        lines.extend(1, &decoded.head, problems);
        if let Some((first, tail)) = &decoded.tail {
            lines.extend(*first, tail, problems);
        }
        lines
    }

    fn extend(&mut self, first: u32, part: &str, problems: &mut Vec<Problem>) {
        for (line, number) in part.split('\n').zip(first..) {
            if !self.push(line, number) {
                problems
                    .push(Problem { line: Some(number), message: "too many lines; the rest was not read".to_owned() });
                return;
            }
        }
    }

    /// Whether some system put the time before the lines.
    pub(in crate::artifact) fn are_stamped(&self) -> bool {
        self.stamped > self.ends.len() / 2
    }

    /// Without lines, with room for text.
    pub(super) fn with_capacity(bytes: usize) -> Self {
        Self { text: String::with_capacity(bytes), ..Self::default() }
    }

    /// Cleans a line and adds it, unless two blank ones stand before it and it is a third; not when there are too many.
    pub(super) fn push(&mut self, line: &str, number: u32) -> bool {
        let before = self.text.len();
        self.stamped += usize::from(after_stamp(line).is_some());
        clean_into(line, &mut self.text);
        if self.text.len() == before && self.ends_blank() {
            return true;
        }
        if self.is_full() {
            self.text.truncate(before);
            return false;
        }
        self.end(number);
        true
    }

    /// Whether the last two lines are blank.
    fn ends_blank(&self) -> bool {
        let end = self.ends.len();
        end >= 2 && self.get(end - 1).is_empty() && self.get(end - 2).is_empty()
    }

    /// Adds a line that is clean.
    pub(super) fn push_clean(&mut self, line: &str, number: u32) {
        if !self.is_full() {
            self.text.push_str(line);
            self.end(number);
        }
    }

    /// Whether no further line is taken.
    pub(super) fn is_full(&self) -> bool {
        self.ends.len() >= LINES_LIMIT
    }

    /// Adds the lines that follow.
    pub(super) fn append(&mut self, other: &Self) {
        self.stamped += other.stamped;
        for (index, line) in other.all() {
            self.push_clean(line, other.number(index));
        }
    }

    fn end(&mut self, number: u32) {
        self.ends.push((u32::try_from(self.text.len()).unwrap_or(u32::MAX), number));
    }

    /// Every line behind the other, nothing between them.
    pub(in crate::artifact) fn text(&self) -> &str {
        &self.text
    }

    /// The index of the line that holds this byte of [`Self::text`].
    pub(in crate::artifact) fn line_at(&self, offset: usize) -> usize {
        self.ends.partition_point(|end| end.0 as usize <= offset)
    }

    /// How many lines there are.
    pub(in crate::artifact) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The text of the line at `index`; empty past the end.
    pub(in crate::artifact) fn get(&self, index: usize) -> &str {
        let end = self.ends.get(index).map_or(self.text.len(), |end| end.0 as usize);
        let start = match index.checked_sub(1) {
            Some(previous) => self.ends.get(previous).map_or(end, |end| end.0 as usize),
            None => 0,
        };
        self.text.get(start..end).unwrap_or_default()
    }

    /// The line's number in the artifact.
    pub(in crate::artifact) fn number(&self, index: usize) -> u32 {
        self.ends.get(index).map_or(0, |end| end.1)
    }

    /// The index of the line that has a number in the artifact, or of the next one that is kept.
    pub(in crate::artifact) fn index_of(&self, number: u32) -> usize {
        self.ends.partition_point(|(_, of)| *of < number)
    }

    /// Index and text of each line of a range.
    pub(in crate::artifact) fn range(&self, range: Range<usize>) -> impl Iterator<Item = (usize, &str)> {
        (range.start..range.end.min(self.len())).map(|index| (index, self.get(index)))
    }

    /// Index and text of every line.
    pub(in crate::artifact) fn all(&self) -> impl Iterator<Item = (usize, &str)> {
        self.range(0..self.len())
    }

    /// The lines of a range as one text.
    pub(in crate::artifact) fn join(&self, range: Range<usize>) -> String {
        let mut joined = String::new();
        for (_, line) in self.range(range) {
            joined.push_str(line);
            joined.push('\n');
        }
        joined.truncate(joined.trim_end().len());
        joined
    }

    /// The first lines of a range, as few as a person would quote, without blank ends: their numbers and their text.
    pub(in crate::artifact) fn quote(&self, range: Range<usize>) -> (Option<Span>, String) {
        self.quote_at_most(QUOTE_LIMIT, range)
    }

    /// The same with a limit of the caller's.
    pub(in crate::artifact) fn quote_at_most(&self, limit: usize, range: Range<usize>) -> (Option<Span>, String) {
        let blank = |index: usize| self.get(index).trim().is_empty();
        let mut start = range.start;
        let mut end = range.end.min(self.len());
        while start < end && blank(start) {
            start += 1;
        }
        end = end.min(start + limit);
        while end > start && blank(end - 1) {
            end -= 1;
        }
        if start == end {
            return (None, String::new());
        }
        let span = Span { start: self.number(start), end: self.number(end - 1) };
        (Some(span), text::cut_middle(&self.join(start..end), 8192))
    }
}

/// Appends `line` without escapes, overwritten text and time stamp.
fn clean_into(line: &str, out: &mut String) {
    let line = line.strip_suffix('\r').unwrap_or(line);
    let line = &line[..line.floor_char_boundary(LINE_LIMIT)];
    if line.bytes().all(|byte| byte == b'\t' || (0x20..0x7f).contains(&byte)) {
        out.push_str(without_stamp(line));
        return;
    }
    // What a terminal shows last wins: a bare carriage return overwrites.
    let shown = if line.contains('\r') {
        line.rsplit('\r').find(|part| !text::strip_ansi(part).trim().is_empty()).unwrap_or_default()
    } else {
        line
    };
    let shown = without_fold(shown);
    match without_colours(shown) {
        Some(plain) => out.push_str(without_stamp(&plain)),
        None => out.push_str(without_stamp(&text::plain(shown))),
    }
}

/// A line without sequences that colour or erase; nothing when it holds what needs a closer look.
fn without_colours(line: &str) -> Option<Cow<'_, str>> {
    let clean = |part: &str| {
        let bytes = part.as_bytes();
        // Control characters and invisible ones by how they begin.
        bytes.iter().enumerate().all(|(at, byte)| match (byte, bytes.get(at + 1)) {
            (b'\t', _) => true,
            (0..0x20 | 0x7f | 0xf3, _) | (0xc2, Some(0x80..=0x9f)) | (0xe2, Some(0x80 | 0x81)) => false,
            (0xef, Some(next)) => *next != 0xbb,
            _ => true,
        })
    };
    let mut parts = line.split('\u{1b}');
    let first = parts.next().filter(|part| clean(part))?;
    if first.len() == line.len() {
        return Some(Cow::Borrowed(line));
    }
    let mut plain = String::with_capacity(line.len());
    plain.push_str(first);
    for part in parts {
        let sequence = part.strip_prefix('[')?;
        let end = sequence.bytes().position(|byte| (b'@'..=b'~').contains(&byte))?;
        let rest = sequence.get(end + 1..).filter(|rest| clean(rest))?;
        // Jenkins hides notes to itself in the lines.
        if &sequence[..=end] != "8m" {
            plain.push_str(rest);
        }
    }
    Some(Cow::Owned(plain))
}

/// What Travis writes over its own marks: the carriage return between them is lost in some logs.
fn without_fold(line: &str) -> &str {
    const ERASE: &str = "\u{1b}[0K";
    if !line.starts_with("travis_") {
        return line;
    }
    line.rsplit(ERASE).find(|part| !text::strip_ansi(part).trim().is_empty()).unwrap_or(line)
}

/// Cuts the time stamp that GitHub puts before each line (with job and step before it where the client adds them).
fn without_stamp(line: &str) -> &str {
    if let Some(rest) = after_stamp(line) {
        return rest;
    }
    let mut columns = line.splitn(3, '\t');
    match (columns.next(), columns.next(), columns.next()) {
        (Some(_), Some(_), Some(rest)) => after_stamp(rest).unwrap_or(line),
        _ => line,
    }
}

/// `2024-01-01T00:00:00.0000000Z rest` gives `rest`.
fn after_stamp(line: &str) -> Option<&str> {
    // Some systems put the stamp into brackets.
    let (line, bracket) = line.strip_prefix('[').map_or((line, false), |rest| (rest, true));
    let bytes = line.as_bytes();
    let shape = b"dddd-dd-ddTdd:dd:dd";
    if bytes.len() < shape.len()
        || !shape.iter().zip(bytes).all(|(want, have)| if *want == b'd' { have.is_ascii_digit() } else { want == have })
    {
        return None;
    }
    let rest = line.get(shape.len()..)?;
    let rest = rest.strip_prefix('.').map_or(rest, |rest| rest.trim_start_matches(|c: char| c.is_ascii_digit()));
    let rest = rest.strip_prefix('Z')?;
    let rest = if bracket { rest.strip_prefix(']')? } else { rest };
    if rest.is_empty() { Some(rest) } else { rest.strip_prefix(' ') }
}

#[cfg(test)]
impl Lines {
    /// Lines of a text, for the readers' tests.
    pub(in crate::artifact) fn of(text: &str) -> Self {
        Self::new(&crate::artifact::decode::decode(text.as_bytes()), &mut Vec::new())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stamps_escapes_and_overwrites_vanish_and_numbers_stay() {
        let lines = Lines::of(
            "2024-01-01T00:00:00.0000000Z \u{1b}[31merror\u{1b}[0m: x\r\n\n\n\n\n10%\r20%\njob\tstep\t2024-01-01T00:00:00Z y",
        );
        assert_eq!((lines.get(0), lines.number(0)), ("error: x", 1));
        assert_eq!((lines.get(3), lines.number(3)), ("20%", 6));
        assert_eq!((lines.get(4), lines.number(4)), ("y", 7));
        assert_eq!(lines.get(99), "");
    }

    #[test]
    fn notes_that_jenkins_hides_are_no_text() {
        let lines = Lines::of("\u{1b}[8mha:////4A1d\u{1b}[0m    [javac] a\u{1b}[1mb\u{1b}[0m");
        assert_eq!(lines.get(0), "    [javac] ab");
    }

    #[test]
    fn a_quote_is_short_and_has_no_blank_ends() {
        let lines = Lines::of(&format!("\n\na\n{}", "b\n".repeat(50)));
        let (span, text) = lines.quote(0..lines.len());
        assert_eq!(span, Some(Span { start: 3, end: 17 }));
        assert_eq!(text.lines().count(), 15);
    }
}
