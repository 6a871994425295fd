//! Findings of a tool that no row of the table knows: elements that have a file, a line and a message.

use std::collections::BTreeSet;

use super::element::Element;
use super::linter::{DETAILS_LIMIT, Findings, RULE_LIMIT, cut, severity, told};
use super::{Document, Root};
use crate::artifact::{Diagnostic, Entry, Location, Report, place};
use crate::text;

const KIND: &str = "linter-xml";
/// Who is named where nobody is.
const TOOL: &str = "linter";

/// Names of attributes and elements, without case and marks between words.
const MESSAGE: &[&str] = &["message", "msg", "errormessage", "description", "reason", "details"];
const PATH: &[&str] =
    &["file", "filename", "filepath", "path", "fullpath", "sourcefile", "sourcepath", "source", "uri"];
const LINE: &[&str] = &[
    "line",
    "linenumber",
    "lineno",
    "linenum",
    "startline",
    "startlinenumber",
    "beginline",
    "linestart",
    "linefrom",
    "fromline",
    "row",
];
const COLUMN: &[&str] =
    &["column", "col", "columnnumber", "startcolumn", "begincolumn", "columnstart", "columnfrom", "char", "character"];
const RULE: &[&str] = &[
    "rule",
    "ruleid",
    "rulekey",
    "rulename",
    "check",
    "checkid",
    "checkname",
    "checker",
    "code",
    "errorcode",
    "id",
    "type",
];
const SEVERITY: &[&str] = &["severity", "level", "priority"];
/// Elements that hold the place of a finding.
const PLACE: &[&str] = &[
    "location",
    "locations",
    "place",
    "position",
    "pos",
    "range",
    "start",
    "begin",
    "span",
    "sourcelocation",
    "sourcerange",
];
/// What says that an element is a test or an entry of a log, in which a message complains about nothing.
const OTHER: &[&str] = &["status", "result", "outcome", "time", "duration", "logger", "timestamp"];
/// Parts of names that complaints and lists of them have.
const COMPLAINTS: &[&str] = &[
    "issue",
    "error",
    "warning",
    "violation",
    "problem",
    "defect",
    "finding",
    "bug",
    "diagnostic",
    "alert",
    "lint",
    "offense",
    "offence",
    "inspection",
    "analysis",
    "report",
    "results",
    "flaw",
    "smell",
];

/// Elements around a finding that may name its file.
const AROUND: usize = 8;
/// Places stand no deeper in a finding.
const DEPTH: usize = 4;
/// A longer path names no file.
const PATH_LIMIT: usize = 1024;
/// Kinds of findings beyond this many are not read.
const NAMES_LIMIT: usize = 8;

/// For people.
pub(super) fn entry() -> Entry {
    Entry { kind: KIND, syntax: "XML", producers: "any other tool that lists findings", reads: "diagnostics" }
}

/// The names of the elements that are findings; nothing where there are none, or where text precedes the document.
pub(super) fn names(root: &Root<'_>) -> Option<BTreeSet<String>> {
    let before = root.before.trim_start_matches('\u{feff}').trim_start();
    if !(before.is_empty() || before.starts_with('<')) || root.name.eq_ignore_ascii_case("html") {
        return None;
    }
    let mut text = root.head.as_bytes();
    let whole = Document::behind(&mut text, 0).first()?;
    let mut names = BTreeSet::new();
    search(&whole, &mut Vec::new(), &mut names);
    names.remove(&whole.name);
    (!names.is_empty()).then_some(names)
}

/// Looks for the innermost elements that are findings; whether there are any.
fn search<'e>(element: &'e Element, around: &mut Vec<&'e Element>, names: &mut BTreeSet<String>) -> bool {
    around.push(element);
    let mut any = false;
    for child in &element.children {
        any |= search(child, around, names);
    }
    around.pop();
    if any || names.len() >= NAMES_LIMIT {
        return any;
    }
    let complains = |name: &str| {
        let name = name.to_ascii_lowercase();
        COMPLAINTS.iter().any(|part| name.contains(part))
    };
    let is_complaint = complains(&element.name)
        || around.iter().any(|outside| complains(&outside.name))
        || own(element, SEVERITY).is_some();
    let found = is_complaint && finding(&mut around.iter().rev().copied(), element).is_some();
    if found {
        names.insert(element.name.clone());
    }
    found
}

/// Reads every element of these names that is a finding.
pub(super) fn read(names: &BTreeSet<String>, document: &mut Document<'_>, report: &mut Report) {
    report.kind = KIND;
    let mut findings = Findings::of(report);
    document
        .items(|name| names.contains(name), |around, item| findings.extend(finding(&mut around.iter().rev(), &item)));
}

/// `around` are the elements in which it stands, the innermost first.
fn finding(around: &mut dyn Iterator<Item = &Element>, item: &Element) -> Option<Diagnostic> {
    if OTHER.iter().any(|name| item.attributes.iter().any(|(key, _)| same(key, name))) {
        return None;
    }
    let line = place(item, LINE, DEPTH, &mut number)?;
    let path = place(item, PATH, DEPTH, &mut file).or_else(|| around.take(AROUND).find_map(named_file))?;
    let rule = own(item, RULE);
    let level = own(item, SEVERITY);
    let text = Some(item.text.trim()).filter(|text| !text.is_empty() && (rule.is_some() || level.is_some()));
    let message = cut(own(item, MESSAGE).or(text)?, DETAILS_LIMIT);
    let location =
        Location { path: text::plain(path), line: Some(line), column: place(item, COLUMN, DEPTH, &mut number) };
    let rule = text::first_line(cut(rule.unwrap_or_default(), RULE_LIMIT), RULE_LIMIT);
    Some(Diagnostic {
        severity: severity(cut(level.unwrap_or_default(), RULE_LIMIT)),
        location: Some(location),
        ..told(TOOL, rule, message, item)
    })
}

/// What an attribute, or an element in it without further ones, says under one of these names.
fn own<'e>(element: &'e Element, names: &[&str]) -> Option<&'e str> {
    names.iter().find_map(|name| says(element, name).find(|said| !said.is_empty()))
}

fn says<'e>(element: &'e Element, name: &str) -> impl Iterator<Item = &'e str> {
    let attributes = element.attributes.iter().map(|(key, value)| (key, value.as_str()));
    let leaves = element.children.iter().filter(|child| child.children.is_empty());
    let all = attributes.chain(leaves.map(|child| (&child.name, child.text.trim())));
    all.filter(move |(key, _)| same(key, name)).map(|(_, said)| said)
}

/// The same of it or of a place in it, where `read` understands it.
fn place<'e, T>(
    element: &'e Element,
    names: &[&str],
    depth: usize,
    read: &mut dyn FnMut(&'e str) -> Option<T>,
) -> Option<T> {
    let found = names.iter().find_map(|name| says(element, name).find_map(&mut *read));
    if found.is_some() || depth == 0 {
        return found;
    }
    let places = element.children.iter().filter(|child| PLACE.iter().any(|name| same(&child.name, name)));
    places.into_iter().find_map(|child| place(child, names, depth - 1, read))
}

fn number(text: &str) -> Option<u32> {
    text.parse().ok().filter(|number| *number > 0)
}

fn file(path: &str) -> Option<&str> {
    let path = path.strip_prefix("file://").unwrap_or(path);
    let short = path.len() <= PATH_LIMIT;
    (short && place::is_file(path) && !path.contains("://") && !path.contains('\n')).then_some(path)
}

/// The file that an element around findings is about.
fn named_file(element: &Element) -> Option<&str> {
    let about = PATH.iter().any(|name| same(&element.name, name));
    let names = PATH.iter().chain(about.then_some(&"name"));
    names.into_iter().find_map(|name| {
        let mut attributes = element.attributes.iter().filter(|(key, _)| same(key, name));
        attributes.find_map(|(_, value)| file(value))
    })
}

/// Whether a name is this word, however it is written.
fn same(name: &str, word: &str) -> bool {
    let letters = name.bytes().filter(|byte| !matches!(byte, b'_' | b'-' | b'.')).map(|byte| byte.to_ascii_lowercase());
    letters.eq(word.bytes())
}

#[cfg(test)]
mod tests {
    use crate::artifact::read;

    /// `path:line:column severity rule message` of each finding.
    fn show(document: &str) -> Vec<String> {
        let report = read("r.xml", document.as_bytes());
        let shown = report.diagnostics.iter().map(|found| {
            let at = found.location.clone().unwrap();
            let (line, column) = (at.line.unwrap_or(0), at.column.unwrap_or(0));
            let rule = found.rule.as_deref().unwrap_or("-");
            format!("{}:{line}:{column} {:?} {rule} {}", at.path, found.severity, found.message)
        });
        std::iter::once(report.kind.to_owned()).chain(shown).collect()
    }

    #[test]
    fn attributes_elements_and_places_under_usual_names_are_read() {
        let one = "a.c:3:2 Error R1 bad thing";
        let all = [
            "<mytool><finding File='a.c' Line='3' Col='2' Rule_Id='R1' Level='error' Msg='bad thing'/></mytool>",
            "<?xml version='1.0'?>\n<mytool><issues><issue><file-name>a.c</file-name><lineNumber> 3 </lineNumber><column>2</column><code>R1</code><severity>High</severity><message>bad thing</message></issue></issues></mytool>",
            "<analysis><file name='a.c'><problem line='3' column='2' check='R1' severity='1'>bad thing</problem></file></analysis>",
            "<xs><x severity='error' id='R1'><description>bad thing</description><location><file>a.c</file><range><start line='3' column='2'/></range></location></x></xs>",
        ];
        for document in all {
            assert_eq!(show(document), ["linter-xml", one], "{document}");
        }
    }

    #[test]
    fn every_kind_of_finding_in_a_list_is_read() {
        let document = "<list><errors><error file='src/a.c' line='1' message='x'/><error line='2' message='no file'/></errors><warning file='b.c' line='4' message='y'/></list>";
        assert_eq!(show(document), ["linter-xml", "src/a.c:1:0 Warning - x", "b.c:4:0 Warning - y"]);
    }

    #[test]
    fn other_documents_have_no_findings() {
        let none = [
            "<error file='a.c' line='3' message='alone'/>",
            "<TS><context><name>W</name><message><location filename='a.cpp' line='12'/><source>Text</source><translation>T</translation></message></context></TS>",
            "<report><event logger='l' timestamp='1' level='ERROR'><message>m</message><locationInfo file='A.java' line='3'/></event></report>",
            "<report><check file='a.c' line='3' message='fine' status='passed'/></report>",
            "<issues-of><entry file='a.c' line='0' message='m'/><entry file='http://a/b.c' line='1' message='m'/><entry file='words' line='1' message='m'/></issues-of>",
            "<doxygen><compounddef><title>t</title><location file='a.h' line='3'/></compounddef></doxygen>",
            "<project><match file='a.c' line='3' text='int x;'/></project>",
        ];
        for document in none {
            assert_eq!(read("r.xml", document.as_bytes()).diagnostics.len(), 0, "{document}");
        }
        let shown = b"File <stdin>\n<errors><error file='a.c' line='3' message='m'/></errors>";
        assert_ne!(read("r.log", shown).kind, "linter-xml");
    }
}
