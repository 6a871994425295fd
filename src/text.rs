//! Text without meaning: terminal escapes, cuts, nearest words.

/// `text` without terminal escape sequences (CSI, OSC, two-byte ones) and without bare carriage-return overwrites.
#[must_use]
pub fn strip_ansi(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        if c != '\u{1b}' {
            plain.push(c);
            continue;
        }
        match characters.next() {
            Some('[') => while characters.next().is_some_and(|c| !('@'..='~').contains(&c)) {},
            // Strings (titles, links, device control) end with BEL or ST; an open one ends with its line.
            Some(']' | 'P' | '^' | '_' | 'X') => {
                while let Some(c) = characters.next_if(|c| *c != '\n') {
                    if c == '\u{7}' || (c == '\u{1b}' && characters.next_if_eq(&'\\').is_some()) {
                        break;
                    }
                }
            }
            // Choice of a character set: one more byte.
            Some('(' | ')' | '*' | '+' | '#' | '%' | ' ') => {
                characters.next_if(|c| *c != '\n');
            }
            _ => {}
        }
    }
    plain
}

/// `text` as it may be shown: no terminal escapes, no control characters but tab and line feed, nothing that
/// reorders or hides what a reader sees.
#[must_use]
pub fn plain(text: &str) -> String {
    if text.bytes().all(|byte| matches!(byte, b'\n' | b'\t' | 0x20..=0x7e)) {
        return text.to_owned();
    }
    let mut shown = strip_ansi(text);
    shown.retain(|c| matches!(c, '\n' | '\t') || !(c.is_control() || is_invisible(c)));
    shown
}

/// Direction overrides, zero-width characters, separators of lines that are no line feeds, and tags: they make text read otherwise than it is.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}

/// How many line feeds there are.
#[must_use]
pub fn line_feeds(bytes: &[u8]) -> u32 {
    u32::try_from(memchr::memchr_iter(b'\n', bytes).count()).unwrap_or(u32::MAX)
}

/// The first line of `text` that holds something, trimmed, cut to `limit` bytes.
#[must_use]
pub fn first_line(text: &str, limit: usize) -> String {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    if line.len() <= limit {
        return line.to_owned();
    }
    format!("{}…", &line[..line.floor_char_boundary(limit)])
}

/// At most `limit` bytes of `text`: the first and the last half, with a line between that says how much was cut.
#[must_use]
pub fn cut_middle(text: &str, limit: usize) -> String {
    if text.len() <= limit {
        return text.to_owned();
    }
    let head = text.floor_char_boundary(limit / 2);
    let tail = text.ceil_char_boundary(text.len() - limit / 2);
    format!("{}\n[… {} bytes cut …]\n{}", &text[..head], tail - head, &text[tail..])
}

/// `text` on one line of at most `limit` characters.
#[must_use]
pub fn one_line(text: &str, limit: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(limit) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    }
}

/// Foreign text for a terminal: control characters, and with them every escape sequence, become visible, and so does
/// what hides or reorders text.
#[must_use]
pub fn printable(text: &str) -> String {
    let hides = |c: char| (c.is_control() && !matches!(c, '\n' | '\t')) || is_invisible(c);
    text.chars().map(|c| if hides(c) { '\u{fffd}' } else { c }).collect()
}

/// Text for a log that a CI system reads for commands: a line that would be one (`::error …`, after blanks too, or
/// `##[…]` anywhere) is parted, so that a reader still sees it and nothing obeys it.
#[must_use]
pub fn inert(text: &str) -> String {
    let lines = text.split_inclusive('\n').map(|line| {
        let (indent, rest) = line.split_at(line.len() - line.trim_start().len());
        rest.strip_prefix("::").map_or_else(|| line.to_owned(), |rest| format!("{indent}: :{rest}"))
    });
    lines.collect::<String>().replace("##[", "# #[")
}

/// Foreign text inside a line of ours: printable, and without a line break.
#[must_use]
pub fn in_line(text: &str) -> String {
    one_line(&printable(text), 2_000)
}

/// The candidate nearest to `word` by edit distance, if any is near enough to be meant.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = word.chars().count().div_ceil(3).max(1);
    candidates
        .into_iter()
        .map(|candidate| (edit_distance(word, candidate), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .min()
        .map(|(_, candidate)| candidate)
}

fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_and_titles_vanish() {
        assert_eq!(strip_ansi("\u{1b}[1;31merror\u{1b}(B\u{1b}[0m: \u{1b}]0;title\u{7}x"), "error: x");
    }

    #[test]
    fn an_open_escape_string_ends_with_its_line() {
        assert_eq!(strip_ansi("a\u{1b}]0;title\nb"), "a\nb");
    }

    #[test]
    fn nothing_that_deceives_a_reader_survives() {
        assert_eq!(plain("a\u{202e}b\u{9b}c\u{7}d\te\u{1b}P1$q\u{1b}\\f"), "abcd\tef");
    }

    #[test]
    fn a_cut_keeps_both_ends_and_whole_characters() {
        let cut = cut_middle(&"é".repeat(100), 21);
        assert!(cut.starts_with("ééééé\n[… "), "{cut}");
        assert!(cut.ends_with("ééééé"), "{cut}");
    }

    #[test]
    fn nothing_that_a_log_would_obey_is_left() {
        assert_eq!(
            inert("a\n::error file=a::b\n \t::stop\nx ::y\nz ##[group]"),
            "a\n: :error file=a::b\n \t: :stop\nx ::y\nz # #[group]"
        );
        assert_eq!(in_line("a\r\n::error::b"), "a\u{fffd} ::error::b");
    }

    #[test]
    fn the_nearest_word_is_offered_only_when_near() {
        assert_eq!(nearest("netwrok", ["network", "budget"]), Some("network"));
        assert_eq!(nearest("x", ["network", "budget"]), None);
    }
}
