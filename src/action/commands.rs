//! Words that the runner obeys: escaped so that nothing foreign in them is obeyed.

use std::fmt::Write as _;

/// GitHub shows ten annotations of each kind for a step; a person reads fewer.
const MOST: usize = 10;
/// An annotation is a headline, not a report.
const LONGEST: usize = 2_000;

/// How grave an annotation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Level {
    Error,
    Warning,
    Notice,
}

/// A remark that the runner shows beside the run, and beside a line of code when it names one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Annotation {
    pub(super) level: Level,
    pub(super) title: String,
    pub(super) message: String,
    /// A path in the repository, and a line of it.
    pub(super) place: Option<(String, Option<u32>)>,
}

impl Annotation {
    /// A remark about the run as a whole.
    pub(super) fn new(level: Level, title: impl Into<String>, message: impl Into<String>) -> Self {
        Self { level, title: title.into(), message: message.into(), place: None }
    }

    /// The line that the runner reads.
    pub(super) fn command(&self) -> String {
        let name = match self.level {
            Level::Error => "error",
            Level::Warning => "warning",
            Level::Notice => "notice",
        };
        let mut properties = Vec::new();
        if let Some((file, line)) = &self.place {
            properties.push(("file", file.clone()));
            properties.extend(line.map(|line| ("line", line.to_string())));
        }
        properties.push(("title", self.title.clone()));
        let message = &self.message[..self.message.floor_char_boundary(LONGEST)];
        command(name, &properties, message)
    }
}

/// The lines of the first annotations; the rest is in the summary.
pub(super) fn annotations(all: &[Annotation]) -> Vec<String> {
    all.iter().take(MOST).map(Annotation::command).collect()
}

/// One command, whole: `::name key=value,key=value::data`.
pub(super) fn command(name: &str, properties: &[(&str, String)], data: &str) -> String {
    let mut line = format!("::{name}");
    for (at, (key, value)) in properties.iter().filter(|(_, value)| !value.is_empty()).enumerate() {
        let _ = write!(line, "{}{key}={}", if at == 0 { ' ' } else { ',' }, property(value));
    }
    let _ = write!(line, "::{}", self::data(data));
    line
}

fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_text_ends_neither_its_property_nor_its_line() {
        let hostile = "a,b=c::d%0A\r\n::set-output name=x::y";
        let line = command("error", &[("title", hostile.to_owned())], hostile);
        assert_eq!(
            line,
            "::error title=a%2Cb=c%3A%3Ad%250A%0D%0A%3A%3Aset-output name=x%3A%3Ay::a,b=c::d%250A%0D%0A::set-output name=x::y"
        );
        assert_eq!(line.lines().count(), 1);
    }

    #[test]
    fn a_place_comes_before_the_title_and_an_empty_title_is_left_out() {
        let mut annotation = Annotation::new(Level::Warning, "", "m");
        annotation.place = Some(("src/a.py".to_owned(), Some(3)));
        assert_eq!(annotation.command(), "::warning file=src/a.py,line=3::m");
        assert_eq!(Annotation::new(Level::Notice, "t", "m").command(), "::notice title=t::m");
    }

    #[test]
    fn a_step_shows_ten_annotations_and_each_is_a_headline() {
        let many = vec![Annotation::new(Level::Notice, "", "é".repeat(3_000)); 11];
        let lines = annotations(&many);
        assert_eq!(lines.len(), 10);
        assert!(lines[0].len() <= "::notice::".len() + LONGEST);
    }
}
