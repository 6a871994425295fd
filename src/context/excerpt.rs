//! Text of a file by lines: whole ranges, windows around anchored lines, signatures.

use super::{Section, SectionKind, markdown, tokens};
use crate::ids::RepoPath;
use crate::syntax::Definition;

/// Lines shown before and after an anchored line of a function that is too long to be shown whole.
const WINDOW: u32 = 8;

/// A file's text by lines.
pub(super) struct Text<'a> {
    path: &'a RepoPath,
    lines: Vec<&'a str>,
}

impl<'a> Text<'a> {
    pub(super) fn new(path: &'a RepoPath, text: &'a str) -> Self {
        Self { path, lines: text.lines().collect() }
    }

    /// The number of lines.
    pub(super) fn length(&self) -> u32 {
        u32::try_from(self.lines.len()).unwrap_or(u32::MAX)
    }

    /// The lines of a range, both ends included and 1-based; what lies outside of the text is left out.
    fn range(&self, start: u32, end: u32) -> String {
        let from = (start.max(1) as usize - 1).min(self.lines.len());
        let to = (end as usize).clamp(from, self.lines.len());
        self.lines[from..to].join("\n")
    }

    /// A section of a range of lines.
    pub(super) fn section(
        &self,
        kind: SectionKind,
        lines: (u32, u32),
        symbol: Option<String>,
        reason: &str,
    ) -> Section {
        self.with_text(kind, lines, (symbol, reason), self.range(lines.0, lines.1))
    }

    /// A section of a long function: its signature, and windows around the lines that matter, or else its beginning.
    pub(super) fn parts(&self, definition: &Definition, anchors: &[u32], symbol: String, reason: &str) -> Section {
        let (start, end) = (definition.start_line, definition.end_line);
        let mut windows = vec![(start, definition.signature_end.max(start))];
        let inside: Vec<u32> = anchors.iter().copied().filter(|line| (start..=end).contains(line)).collect();
        if inside.is_empty() {
            windows.push((start, end.min(start + 3 * WINDOW)));
        }
        windows.extend(inside.iter().map(|line| (line.saturating_sub(WINDOW).max(start), (line + WINDOW).min(end))));
        windows.push((end, end));
        windows.sort_unstable();
        let mut shown = String::new();
        let mut next = start;
        for (from, to) in windows {
            if to < next {
                continue;
            }
            if from > next {
                shown.push_str("[…]\n");
            }
            shown.push_str(&self.range(from.max(next), to));
            shown.push('\n');
            next = to + 1;
        }
        self.with_text(SectionKind::Excerpt, (start, end), (Some(symbol), reason), shown)
    }

    /// A section of chosen lines, one after the other.
    pub(super) fn chosen(&self, kind: SectionKind, lines: &[(u32, u32)], reason: &str) -> Option<Section> {
        let (first, last) = (lines.first()?.0, lines.last()?.1);
        let text: Vec<String> = lines.iter().map(|(start, end)| self.range(*start, *end)).collect();
        Some(self.with_text(kind, (first, last), (None, reason), text.join("\n")))
    }

    fn with_text(
        &self,
        kind: SectionKind,
        (start_line, end_line): (u32, u32),
        (symbol, reason): (Option<String>, &str),
        text: String,
    ) -> Section {
        let path = self.path.clone();
        let mut section =
            Section { kind, path, symbol, start_line, end_line, reason: reason.to_owned(), tokens: 0, text };
        section.tokens = tokens(&markdown::section(&section));
        section
    }
}
