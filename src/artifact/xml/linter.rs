//! Reports of linters: a list of findings, each with a place and a message. Most differ in nothing but the names of
//! elements and attributes, so each tool is one row of the table in `linters`.

use super::element::Element;
use super::linters::{LINTERS, Linter};
use super::{Document, Root};
use crate::artifact::{Diagnostic, Entry, Frame, Location, Report, Severity};
use crate::text;

/// More findings than this are counted, not kept.
const KEPT: usize = 100_000;
/// Other places that a finding names beyond this many are not kept.
const FRAMES_LIMIT: usize = 30;

/// The tools, for people; each once.
pub(super) fn entries() -> impl Iterator<Item = Entry> {
    let first = |(at, linter): &(usize, &Linter)| LINTERS[..*at].iter().all(|other| other.tool != linter.tool);
    LINTERS.iter().enumerate().filter(first).map(|(_, linter)| Entry {
        kind: linter.tool,
        syntax: "XML",
        producers: linter.tool,
        reads: "diagnostics",
    })
}

/// The tool that wrote a document.
pub(super) fn of(root: &Root<'_>) -> Option<&'static Linter> {
    LINTERS.iter().find(|linter| linter.roots.contains(&root.name) && root.head.contains(linter.mark))
}

/// Reads every finding.
pub(super) fn read(linter: &Linter, document: &mut Document<'_>, report: &mut Report) {
    report.kind = linter.tool;
    report.producer = Some(linter.tool.to_owned());
    document.items(
        |name| linter.items.contains(&name),
        |around, item| {
            let Some(found) = diagnostic(linter, around, &item) else { return };
            if report.diagnostics.len() < KEPT {
                report.diagnostics.push(found);
            } else {
                report.more.add(found.severity);
            }
        },
    );
}

fn diagnostic(linter: &Linter, around: &[Element], item: &Element) -> Option<Diagnostic> {
    let value = |path: &str| value(path, around, item);
    let message = value(linter.message);
    let mut line = value(linter.line).parse().ok().filter(|line| *line > 0);
    let mut file = value(linter.path);
    // Some write `a.cs(34)`, or that the line is only near.
    if line.is_none()
        && let Some((path, number)) = in_brackets(&file)
    {
        (file, line) = (path, number);
    }
    if linter.class_is_path && !file.contains('/') {
        file = format!("{}.java", file.replace('.', "/"));
    }
    if message.is_empty() && file.is_empty() {
        return None;
    }
    let location = (!file.is_empty()).then(|| Location {
        path: file,
        line,
        column: value(linter.column).parse().ok().filter(|column| *column > 0),
    });
    let rule = value(linter.rule);
    let shown = text::first_line(if message.is_empty() { &rule } else { &message }, 400);
    Some(Diagnostic {
        kind: linter.kind,
        tool: linter.tool.to_owned(),
        rule: Some(rule).filter(|rule| !rule.is_empty()),
        severity: severity(&value(linter.severity)),
        excerpt: shown.clone(),
        message: shown,
        frames: frames(linter, item, location.as_ref()),
        location,
        details: text::cut_middle(&text::plain(&format!("{message}\n{}", item.whole_text())), 16 << 10)
            .trim()
            .to_owned(),
        lines: Some(crate::artifact::Lines { start: item.line, end: item.last.min(item.line.saturating_add(14)) }),
        ..Diagnostic::default()
    })
}

/// The further places of a finding.
fn frames(linter: &Linter, item: &Element, first: Option<&Location>) -> Vec<Frame> {
    let Some((element, attribute)) = linter.path.split('|').next().and_then(|path| path.split_once('@')) else {
        return Vec::new();
    };
    if element.is_empty() {
        return Vec::new();
    }
    let places = item.every(element).into_iter().take(FRAMES_LIMIT).map(|place| Frame {
        path: place.get(attribute).to_owned(),
        line: place.number("line").or_else(|| place.number("start")),
        function: None,
        in_project: None,
    });
    places
        .filter(|frame| !frame.path.is_empty() && first.is_none_or(|at| at.path != frame.path || at.line != frame.line))
        .collect()
}

/// What a path into a finding leads to; of alternatives (`a|b`) the first that says something, of `a/b` both joined.
///
/// `@x` is the item's attribute, `e@x` that of an element around it or else in it, `e` the text of one in it, `.` its
/// own text.
fn value(path: &str, around: &[Element], item: &Element) -> String {
    let one = |path: &str| -> String {
        match path.split_once('@') {
            Some(("", attribute)) => item.get(attribute).to_owned(),
            Some((element, attribute)) => {
                let outside =
                    around.iter().rev().find(|other| other.name == element && !other.get(attribute).is_empty());
                // What the item says of itself comes before what its parts say.
                let own = item.children.iter().filter(|child| child.name == element);
                let inside = || own.chain(item.every(element)).find(|other| !other.get(attribute).is_empty());
                outside.or_else(inside).map_or("", |found| found.get(attribute)).to_owned()
            }
            None if path == "." => item.text.trim().to_owned(),
            None => item.below(path).map_or_else(String::new, |found| found.whole_text().trim().to_owned()),
        }
    };
    for alternative in path.split('|').filter(|path| !path.is_empty()) {
        let parts: Vec<String> = alternative.split('/').map(one).filter(|part| !part.is_empty()).collect();
        if !parts.is_empty() {
            return parts.iter().map(|part| part.trim_end_matches(['/', '\\'])).collect::<Vec<_>>().join("/");
        }
    }
    String::new()
}

/// `a.cs(34)` and `a.cs(≈34)`.
fn in_brackets(path: &str) -> Option<(String, Option<u32>)> {
    let (file, rest) = path.strip_suffix(')')?.rsplit_once('(')?;
    let number = rest.trim_start_matches(|c: char| !c.is_ascii_digit()).parse().ok()?;
    Some((file.to_owned(), Some(number)))
}

/// How bad a word or a priority is: 1 is the worst of priorities.
fn severity(word: &str) -> Severity {
    let word = word.to_ascii_lowercase();
    let starts = |words: &[&str]| words.iter().any(|start| word.starts_with(start));
    if matches!(word.as_str(), "1" | "e") || starts(&["err", "fatal", "crit", "high", "block", "severe"]) {
        Severity::Error
    } else if matches!(word.as_str(), "4" | "5" | "i" | "r" | "c")
        || starts(&["info", "low", "hint", "suggest", "note", "style", "ignore", "minor", "convention", "refactor"])
    {
        Severity::Note
    } else {
        Severity::Warning
    }
}

#[cfg(test)]
mod tests {
    use crate::artifact::{Severity, read};

    /// `path:line:column severity rule message` of each finding.
    fn show(document: &str) -> Vec<String> {
        let report = read("r.xml", document.as_bytes());
        let shown = report.diagnostics.iter().map(|found| {
            let at = found.location.as_ref().map_or("-".to_owned(), |at| {
                format!("{}:{}:{}", at.path, at.line.unwrap_or(0), at.column.unwrap_or(0))
            });
            let rule = found.rule.as_deref().unwrap_or("-");
            format!("{at} {:?} {rule} {}", found.severity, found.message)
        });
        std::iter::once(report.kind.to_owned()).chain(shown).collect()
    }

    #[test]
    fn checkstyle_names_the_file_around_its_findings() {
        let document = "<checkstyle version='1'><file name='src/a.js'>\n<error line='3' column='5' severity='warning' message='&apos;x&apos; is unused' source='no-unused-vars'/>\n<error line='0' message='whole file'/></file></checkstyle>";
        assert_eq!(
            show(document),
            ["checkstyle", "src/a.js:3:5 Warning no-unused-vars 'x' is unused", "src/a.js:0:0 Warning - whole file"]
        );
    }

    #[test]
    fn places_and_messages_are_found_wherever_a_tool_puts_them() {
        let pmd = "<pmd version='6'><file name='A.java'><violation beginline='2' begincolumn='1' rule='R' priority='1'>\n bad \n</violation></file></pmd>";
        assert_eq!(show(pmd), ["pmd", "A.java:2:1 Error R bad"]);
        let cppcheck = "<results version='2'><cppcheck version='1'/><errors><error id='nullPointer' severity='error' msg='null'><location file='a.c' line='4' column='2'/><location file='b.c' line='9'/></error><error id='x' severity='style' msg='no place'/></errors></results>";
        assert_eq!(show(cppcheck), ["cppcheck", "a.c:4:2 Error nullPointer null", "- Note x no place"]);
        let stylecop = "<StyleCopViolations><Violation LineNumber='7' Source='C:\\a\\M.cs' RuleId='SA1600'>must have a header</Violation></StyleCopViolations>";
        assert_eq!(show(stylecop), ["stylecop", "C:\\a\\M.cs:7:0 Warning SA1600 must have a header"]);
        let gendarme = "<gendarme-output><results><rule Name='R'><problem>p</problem><target><defect Severity='Low' Location='l' Source='a.cs(\u{2248}34)'/></target></rule></results></gendarme-output>";
        assert_eq!(show(gendarme), ["gendarme", "a.cs:34:0 Note R l"]);
    }

    #[test]
    fn findbugs_has_its_place_in_the_line_of_the_bug_itself() {
        let document = "<BugCollection version='3'><BugInstance type='NP' priority='2'><LongMessage>null</LongMessage><Class classname='a.B'><SourceLine sourcepath='a/B.java' start='1'/></Class><SourceLine sourcepath='a/B.java' start='9' primary='true'/></BugInstance></BugCollection>";
        assert_eq!(show(document), ["spotbugs", "a/B.java:9:0 Warning NP null"]);
    }

    #[test]
    fn a_report_that_is_cut_off_or_strange_gives_what_it_has() {
        let whole = "<checkstyle><file name='a'><error line='99999999999' message='m'/><error line='-1' message='n'/></file></checkstyle>";
        assert_eq!(show(whole).len(), 3);
        for end in 0..whole.len() {
            let report = read("r.xml", &whole.as_bytes()[..end]);
            assert!(report.diagnostics.iter().all(|found| found.severity == Severity::Warning));
        }
    }
}
