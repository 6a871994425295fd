//! A text that is too large to be held: its start, its end, and what stands out between.

use std::io::{self, BufRead};

use super::lines::{LINE_LIMIT, Lines};
use crate::artifact::Problem;
use crate::artifact::log;
use crate::artifact::matcher::Matchers;

/// Text that is kept from the start.
const HEAD: usize = 14 << 20;
/// Text that is kept of what stands out between start and end.
const MIDDLE: usize = 6 << 20;
/// The end is kept in two pieces of this size, of which the older one is condensed when the newer one is full.
const PIECE: usize = 4 << 20;
/// Lines that are kept around one that stands out.
const AROUND: usize = 12;

/// Reads a text in one pass and in bounded memory.
pub(super) fn read(mut text: impl BufRead, matchers: &Matchers, problems: &mut Vec<Problem>) -> Lines {
    let mut parts = Parts::of(matchers);
    let (mut line, mut number, mut ended) = (Vec::new(), 1, true);
    loop {
        match next_line(&mut text, &mut line) {
            Ok(None) => break,
            Ok(Some(with_end)) => {
                parts.push(&String::from_utf8_lossy(&line), number);
                number = number.saturating_add(1);
                ended = with_end;
            }
            Err(error) => {
                problems.push(Problem { line: Some(number), message: error.to_string() });
                break;
            }
        }
    }
    // As in a text that is held, nothing stands behind the last end.
    if ended {
        parts.push("", number);
    }
    if parts.left_out > 0 {
        let message = format!(
            "of the middle {} lines in which nothing stands out were not read, nor counted what they warn of",
            parts.left_out
        );
        problems.push(Problem { line: None, message });
    }
    parts.join()
}

/// Reads the next line without its end, as far as the limit; whether it had an end, nothing when there was none.
fn next_line(text: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<Option<bool>> {
    line.clear();
    let mut any = false;
    loop {
        let piece = text.fill_buf()?;
        if piece.is_empty() {
            return Ok(any.then_some(false));
        }
        any = true;
        let end = memchr::memchr(b'\n', piece);
        let whole = end.unwrap_or(piece.len());
        line.extend(&piece[..whole.min(LINE_LIMIT.saturating_sub(line.len()))]);
        text.consume(end.map_or(whole, |end| end + 1));
        if end.is_some() {
            return Ok(Some(true));
        }
    }
}

struct Parts<'a> {
    matchers: &'a Matchers,
    head: Lines,
    middle: Lines,
    older: Lines,
    newer: Lines,
    left_out: usize,
}

impl<'a> Parts<'a> {
    fn of(matchers: &'a Matchers) -> Self {
        Self {
            matchers,
            head: Lines::with_capacity(HEAD + MIDDLE + 2 * PIECE),
            middle: Lines::default(),
            older: Lines::default(),
            newer: Lines::default(),
            left_out: 0,
        }
    }

    fn push(&mut self, line: &str, number: u32) {
        let at_start = self.middle.len() + self.older.len() + self.newer.len() == 0 && self.head.text().len() < HEAD;
        if at_start && self.head.push(line, number) {
            return;
        }
        self.newer.push(line, number);
        if self.newer.text().len() >= PIECE || self.newer.is_full() {
            let older = std::mem::replace(&mut self.older, std::mem::take(&mut self.newer));
            self.condense(&older);
        }
    }

    /// Keeps of a piece what stands out, with what stands around it.
    fn condense(&mut self, piece: &Lines) {
        let mut kept = 0;
        for (index, line) in piece.all() {
            if index < kept || !self.keeps(line) {
                continue;
            }
            let start = index.saturating_sub(AROUND).max(kept);
            self.left_out += start - kept;
            kept = piece.len().min(index + AROUND + 1);
            for (at, around) in piece.range(start..kept) {
                self.middle.push_clean(around, piece.number(at));
            }
        }
        self.left_out += piece.len() - kept;
    }

    /// What a repository's matchers look for leaves room for what stands out to everybody.
    fn keeps(&self, line: &str) -> bool {
        let held = self.middle.text().len();
        held < MIDDLE && log::stands_out(line) || held < MIDDLE / 2 && self.matchers.look_for(line)
    }

    fn join(mut self) -> Lines {
        for part in [self.middle, self.older, self.newer] {
            self.head.append(&part);
        }
        self.head
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;

    #[test]
    fn start_end_and_what_stands_out_are_kept_with_their_numbers() {
        let mut text = "an ordinary line of a build that goes well\n".repeat(2_000_000);
        let middle = text.len() / 2 / 43 * 43;
        text.insert_str(middle, "src/a.c:1:2: error: it breaks here\n");
        text.push_str("the end");
        let mut problems = Vec::new();
        let lines = read(BufReader::new(text.as_bytes()), Matchers::built_in(), &mut problems);
        let at = lines.all().find(|(_, line)| line.contains("error")).map(|(index, _)| lines.number(index));
        assert_eq!(at, Some(1_000_001));
        assert_eq!((lines.number(0), lines.number(lines.len() - 1)), (1, 2_000_002));
        assert!(lines.text().len() < HEAD + MIDDLE + 2 * PIECE, "{}", lines.text().len());
        assert_eq!(problems.len(), 1);
    }

    #[test]
    fn what_a_repository_looks_for_is_kept() {
        let mut text = "an ordinary line of a build that goes well\n".repeat(1_500_000);
        let middle = text.len() / 2 / 43 * 43;
        text.insert_str(middle, "<<a.x>> is odd\n");
        let json = r#"{"problemMatcher": [{"owner": "o", "pattern": [{"regexp": "^<<(.+)>> (.+)$", "message": 2}]}]}"#;
        let (matchers, _) = Matchers::of(&[("m.json".to_owned(), json.to_owned())]);
        let lines = read(BufReader::new(text.as_bytes()), &matchers, &mut Vec::new());
        assert!(lines.all().any(|(index, line)| line.starts_with("<<") && lines.number(index) == 750_001));
    }

    #[test]
    fn a_short_text_is_read_as_if_it_were_held() {
        for text in ["", "a", "a\n", "a\n\n\n\n\nb\r\n", "2024-01-01T00:00:00Z a\n2024-01-01T00:00:00Z b\nc"] {
            let (large, held) = (read(text.as_bytes(), Matchers::built_in(), &mut Vec::new()), Lines::of(text));
            let told = |lines: &Lines| format!("{:?}", lines.all().map(|(at, _)| lines.number(at)).collect::<Vec<_>>());
            assert_eq!((told(&large), large.text()), (told(&held), held.text()), "{text:?}");
            assert_eq!(large.are_stamped(), held.are_stamped(), "{text:?}");
        }
    }

    #[test]
    fn one_line_without_end_is_cut() {
        let text = "x".repeat(LINE_LIMIT * 3);
        let lines = read(BufReader::new(text.as_bytes()), Matchers::built_in(), &mut Vec::new());
        assert_eq!((lines.len(), lines.get(0).len()), (1, LINE_LIMIT));
    }
}
