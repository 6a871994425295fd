//! A row of the table of linters: what its words mean.

use super::keys::Keys;
use super::severity::Scale;
use crate::artifact::{FaultKind, Severity};

/// One list of findings of one tool.
#[derive(Debug, Default)]
pub(super) struct Shape {
    pub(super) tool: &'static str,
    pub(super) kind: FaultKind,
    /// What a document of the tool has: all of one of these.
    pub(super) marks: Vec<Vec<Keys>>,
    pub(super) items: Keys,
    /// A folder before the path.
    pub(super) base: Keys,
    pub(super) path: Keys,
    pub(super) line: Keys,
    pub(super) column: Keys,
    /// `path:line:column` as one text.
    pub(super) place: Keys,
    pub(super) rule: Keys,
    pub(super) severity: Keys,
    pub(super) message: Keys,
    pub(super) package: Keys,
    pub(super) version: Keys,
    /// Where no severity is said.
    pub(super) default: Severity,
    pub(super) scale: Scale,
    pub(super) only: Vec<Says>,
    pub(super) not: Vec<Says>,
    pub(super) needs: Keys,
    pub(super) none: Keys,
    /// Lines count from 0, and columns.
    pub(super) zero_lines: bool,
    pub(super) zero_columns: bool,
    /// Before a rule that is only a number.
    pub(super) prefix: &'static str,
    /// Whether the tool also writes one finding a line.
    pub(super) by_line: bool,
    /// A function for the path and one for edits, by name.
    pub(super) hook: &'static str,
    pub(super) fixes: &'static str,
}

/// What a finding says somewhere, in small letters.
#[derive(Debug)]
pub(super) struct Says {
    pub(super) keys: Keys,
    pub(super) words: Vec<&'static str>,
}

/// Every row of a table; a line that cannot be read is named.
pub(super) fn parse(table: &'static str) -> Result<Vec<Shape>, String> {
    let rows = table.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#'));
    rows.map(|line| row(line).ok_or_else(|| line.to_owned())).collect()
}

fn row(line: &'static str) -> Option<Shape> {
    let mut words = line.split_whitespace();
    let mut shape = Shape { tool: words.next()?, kind: kind(words.next()?)?, ..Shape::default() };
    for word in words {
        let (name, value) = word.split_once('=')?;
        match name {
            "marks" => {
                let sets = value.split('|').map(|set| set.split(',').map(Keys::parse).collect());
                shape.marks = sets.collect::<Option<_>>()?;
            }
            "only" => shape.only.push(says(value)?),
            "not" => shape.not.push(says(value)?),
            "default" => shape.default = severity(value)?,
            "scale" => shape.scale = Scale::named(value)?,
            "zero" => (shape.zero_lines, shape.zero_columns) = (value != "column", true),
            "prefix" => shape.prefix = value,
            "lines" => shape.by_line = true,
            "hook" => shape.hook = value,
            "fixes" => shape.fixes = value,
            _ => *shape.keys(name)? = Keys::parse(value)?,
        }
    }
    Some(shape)
}

impl Shape {
    fn keys(&mut self, name: &str) -> Option<&mut Keys> {
        Some(match name {
            "items" => &mut self.items,
            "base" => &mut self.base,
            "path" => &mut self.path,
            "line" => &mut self.line,
            "column" => &mut self.column,
            "place" => &mut self.place,
            "rule" => &mut self.rule,
            "severity" => &mut self.severity,
            "message" => &mut self.message,
            "package" => &mut self.package,
            "version" => &mut self.version,
            "needs" => &mut self.needs,
            "none" => &mut self.none,
            _ => return None,
        })
    }
}

fn says(value: &'static str) -> Option<Says> {
    let (keys, words) = value.split_once(':')?;
    Some(Says { keys: Keys::parse(keys)?, words: words.split(',').collect() })
}

fn kind(word: &str) -> Option<FaultKind> {
    Some(match word {
        "lint" => FaultKind::Lint,
        "type" => FaultKind::Type,
        "compile" => FaultKind::Compile,
        "dependency" => FaultKind::Dependency,
        _ => return None,
    })
}

fn severity(word: &str) -> Option<Severity> {
    Some(match word {
        "error" => Severity::Error,
        "warning" => Severity::Warning,
        "note" => Severity::Note,
        _ => return None,
    })
}
