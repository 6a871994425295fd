//! XML from strangers: lenient about form, bounded in what it costs. Entities are never resolved.

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::Problem;
use crate::text;

/// Attributes beyond this many of one element are not read.
const ATTRIBUTES_LIMIT: usize = 200;
/// More problems than this are one cause and help nobody.
const PROBLEMS_LIMIT: usize = 20;
/// Where a document must begin when a tool printed something before it.
const PROLOGUE_LIMIT: usize = 4096;

/// A document that is read event by event, with line numbers and problems.
pub(super) struct Document<'a> {
    text: &'a str,
    reader: Reader<&'a [u8]>,
    /// Where the XML begins in `text`.
    offset: usize,
    /// Lines are counted forward only, so that counting costs one pass.
    counted: (usize, u32),
    /// Elements that are open.
    depth: usize,
    done: bool,
    /// What could not be read.
    pub(super) problems: Vec<Problem>,
}

/// The name of the first element, without its prefix, and where the document begins.
pub(super) fn root(text: &str) -> Option<(&str, usize)> {
    let begin = text.find('<').filter(|at| *at < PROLOGUE_LIMIT)?;
    let mut rest = &text[begin..];
    // Declaration, comments and document type come before the root.
    loop {
        let skip = if rest.starts_with("<!--") {
            rest.find("-->")? + 3
        } else if rest.starts_with("<!") {
            let subset = rest.find('[').filter(|at| rest.find('>').is_none_or(|end| *at < end));
            match subset {
                Some(at) => at + rest[at..].find("]>").map(|end| end + 2)?,
                None => rest.find('>')? + 1,
            }
        } else if rest.starts_with("<?") {
            rest.find("?>")? + 2
        } else {
            break;
        };
        rest = rest.get(skip..)?;
        rest = &rest[rest.find('<')?..];
    }
    let name = rest[1..].split(|c: char| c.is_whitespace() || matches!(c, '>' | '/')).next()?;
    Some((name.rsplit(':').next().unwrap_or(name), begin))
}

impl<'a> Document<'a> {
    /// Starts at the first tag.
    pub(super) fn new(text: &'a str) -> Self {
        let offset = text.find('<').unwrap_or(text.len());
        let mut reader = Reader::from_str(&text[offset..]);
        let config = reader.config_mut();
        config.check_end_names = false;
        config.allow_unmatched_ends = true;
        config.allow_dangling_amp = true;
        let mut problems = Vec::new();
        if !text[..offset].trim().is_empty() {
            problems.push(Problem { line: Some(1), message: "text before the document".to_owned() });
        }
        let illegal = |byte: u8| byte < 0x20 && !matches!(byte, b'\t' | b'\n' | b'\r');
        if let Some(at) = text.bytes().position(illegal) {
            problems.push(Problem {
                line: Some(line_of(text, at)),
                message: "control characters that XML forbids".to_owned(),
            });
        }
        Self { text, reader, offset, counted: (0, 1), depth: 0, done: false, problems }
    }

    /// The next event; `None` at the end, be it the document's or a cut.
    pub(super) fn next(&mut self) -> Option<Event<'a>> {
        while !self.done {
            match self.reader.read_event() {
                Ok(Event::Eof) => {
                    self.done = true;
                    if self.depth > 0 {
                        self.problem(format!("the document ends with {} elements open", self.depth));
                    }
                }
                Ok(Event::DocType(_)) => {
                    self.problem("a document type: entities are refused, none is resolved".to_owned());
                }
                Ok(event) => {
                    match event {
                        Event::Start(_) => self.depth += 1,
                        Event::End(_) => self.depth = self.depth.saturating_sub(1),
                        _ => {}
                    }
                    return Some(event);
                }
                Err(quick_xml::Error::Syntax(error)) => {
                    self.done = true;
                    self.problem(format!("the document is cut off: {error}"));
                }
                Err(error) => {
                    self.problem(error.to_string());
                    self.done = self.problems.len() >= PROBLEMS_LIMIT;
                }
            }
        }
        None
    }

    /// The 1-based line at which the reader stands.
    pub(super) fn line(&mut self) -> u32 {
        let position = usize::try_from(self.reader.buffer_position()).unwrap_or(usize::MAX);
        let at = self.offset.saturating_add(position).min(self.text.len());
        let (from, line) = self.counted;
        let more = text::line_feeds(self.text.as_bytes().get(from..at).unwrap_or_default());
        self.counted = (at.max(from), line.saturating_add(more));
        self.counted.1
    }

    fn problem(&mut self, message: String) {
        let line = self.line();
        if self.problems.len() < PROBLEMS_LIMIT {
            self.problems.push(Problem { line: Some(line), message });
        }
    }
}

fn line_of(document: &str, at: usize) -> u32 {
    text::line_feeds(&document.as_bytes()[..at]).saturating_add(1)
}

/// The value of an attribute, unescaped and clean; of duplicates the first counts.
pub(super) fn attribute(element: &BytesStart<'_>, name: &str) -> Option<String> {
    let found = element
        .attributes()
        .with_checks(false)
        .take(ATTRIBUTES_LIMIT)
        .filter_map(Result::ok)
        .find(|attribute| attribute.key.local_name().into_inner() == name)?;
    Some(text::plain(&unescape(&found.value)))
}

/// Resolves the five predefined entities and character references; everything else stays as it is written.
pub(super) fn unescape(raw: &str) -> String {
    let mut plain = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(at) = rest.find('&') {
        plain.push_str(&rest[..at]);
        rest = &rest[at..];
        // Names of entities are short; a longer one is an ampersand that was not escaped.
        let end = rest.bytes().take(12).position(|byte| byte == b';');
        if let Some((c, end)) = end.and_then(|end| Some((reference(&rest[1..end])?, end))) {
            plain.push(c);
            rest = &rest[end + 1..];
        } else {
            plain.push('&');
            rest = &rest[1..];
        }
    }
    plain.push_str(rest);
    plain
}

/// The character that a reference names, without its `&` and `;`.
pub(super) fn reference(name: &str) -> Option<char> {
    match name {
        "lt" => Some('<'),
        "gt" => Some('>'),
        "amp" => Some('&'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ => {
            let digits = name.strip_prefix('#')?;
            let code = match digits.strip_prefix(['x', 'X']) {
                Some(digits) => u32::from_str_radix(digits, 16),
                None => digits.parse(),
            };
            char::from_u32(code.ok()?)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_predefined_entities_are_resolved() {
        assert_eq!(unescape("&lt;&#65;&#x42;&amp;&lol9; & &;"), "<AB&&lol9; & &;");
    }

    #[test]
    fn the_root_is_found_behind_everything_that_may_precede_it() {
        let text = "npm WARN\n<?xml version=\"1.0\"?>\n<!-- <a> -->\n<!DOCTYPE t [<!ENTITY a \"<b>\">]>\n<x:testsuite name=\"\"/>";
        assert_eq!(root(text), Some(("testsuite", 9)));
        assert_eq!(root("no tags"), None);
        assert_eq!(root("<?xml"), None);
    }
}
