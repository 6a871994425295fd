//! Reports of linters: a list of findings, each with a place and a message. Most differ in nothing but the names of
//! elements and attributes, so each tool is one row of the table in `linters`.

use super::element::Element;
use super::linters::{LINTERS, Linter};
use super::{Document, Root};
use crate::artifact::{Diagnostic, Entry, FaultKind, Frame, Lines, Location, Report, Severity};
use crate::text;

/// More findings than this are counted, not kept.
const KEPT: usize = 100_000;
/// Other places that a finding names beyond this many are not kept.
const FRAMES_LIMIT: usize = 30;
/// Findings beyond what is kept in so many bytes are counted, not kept.
const BYTES_LIMIT: usize = 64 << 20;
/// A longer path names no file.
pub(super) const PATH_LIMIT: usize = 4096;
/// Longer names of rules are cut.
pub(super) const RULE_LIMIT: usize = 512;
/// Longer messages are cut.
pub(super) const DETAILS_LIMIT: usize = 16 << 10;
/// No number is longer.
const NUMBER_LIMIT: usize = 20;

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
    let mut findings = Findings::of(report);
    let (parent, beside) = linter.beside;
    let mut path = String::new();
    document.items(
        |name| linter.items.contains(&name) || beside.contains(&name),
        |around, item| {
            if linter.items.contains(&item.name.as_str()) {
                findings.extend(diagnostic(linter, around, &item, &path));
            } else if around.last().is_some_and(|outside| outside.name == parent) {
                cut(item.text.trim(), PATH_LIMIT).clone_into(&mut path);
            }
        },
    );
}

/// The findings of a report, of which as much is kept as memory allows.
pub(super) struct Findings<'r> {
    report: &'r mut Report,
    left: usize,
}

impl<'r> Findings<'r> {
    pub(super) fn of(report: &'r mut Report) -> Self {
        Self { report, left: BYTES_LIMIT }
    }

    /// Adds a finding, or counts it.
    pub(super) fn extend(&mut self, found: Option<Diagnostic>) {
        let Some(found) = found else { return };
        let paths = found.location.iter().map(|at| &at.path).chain(found.frames.iter().map(|frame| &frame.path));
        let texts = [&found.message, &found.excerpt, &found.details].into_iter().chain(&found.rule).chain(paths);
        let cost = size_of::<Diagnostic>() + texts.map(String::len).sum::<usize>();
        if self.report.diagnostics.len() < KEPT && cost <= self.left {
            self.left -= cost;
            self.report.diagnostics.push(found);
        } else {
            self.report.more.add(found.severity);
        }
    }
}

/// `path` is what stands beside the findings.
fn diagnostic(linter: &Linter, around: &[Element], item: &Element, path: &str) -> Option<Diagnostic> {
    let value = |path: &str, limit: usize| cut(&value(path, around, item, limit), limit).to_owned();
    let number = |path: &str| value(path, NUMBER_LIMIT).parse().ok().filter(|number| *number > 0);
    let message = value(linter.message, DETAILS_LIMIT);
    let mut line = number(linter.line);
    let mut file = value(linter.path, PATH_LIMIT);
    if file.is_empty() {
        path.clone_into(&mut file);
    }
    // What was cut names no file.
    if file.len() + 4 > PATH_LIMIT {
        file.clear();
    }
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
    let location = (!file.is_empty()).then(|| Location { path: file, line, column: number(linter.column) });
    let rule = value(linter.rule, RULE_LIMIT);
    Some(Diagnostic {
        kind: linter.kind,
        severity: severity(&value(linter.severity, RULE_LIMIT)),
        frames: frames(linter, item, location.as_ref()),
        location,
        ..told(linter.tool, rule, &message, item)
    })
}

/// A finding without its place.
pub(super) fn told(tool: &str, rule: String, message: &str, item: &Element) -> Diagnostic {
    let shown = text::first_line(if message.is_empty() { &rule } else { message }, 400);
    let details = text::plain(&format!("{message}\n{}", item.whole_text()));
    Diagnostic {
        kind: FaultKind::Lint,
        tool: tool.to_owned(),
        rule: Some(rule).filter(|rule| !rule.is_empty()),
        excerpt: shown.clone(),
        message: shown,
        details: text::cut_middle(&details, DETAILS_LIMIT).trim().to_owned(),
        lines: Some(Lines { start: item.line, end: item.last.min(item.line.saturating_add(14)) }),
        ..Diagnostic::default()
    }
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
        path: cut(place.get(attribute), PATH_LIMIT).to_owned(),
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
/// own text. `e^` is the folder of the class that `e` names.
fn value(path: &str, around: &[Element], item: &Element, limit: usize) -> String {
    let one = |path: &str| -> String {
        if let Some((package, _)) =
            path.strip_suffix('^').and_then(|path| item.below(path)?.text.trim().rsplit_once('.'))
        {
            return cut(package, limit).replace('.', "/");
        }
        let text = match path.split_once('@') {
            Some(("", attribute)) => item.get(attribute),
            Some((element, attribute)) => {
                let outside =
                    around.iter().rev().find(|other| other.name == element && !other.get(attribute).is_empty());
                // What the item says of itself comes before what its parts say.
                let own = item.children.iter().filter(|child| child.name == element);
                let inside = || own.chain(item.every(element)).find(|other| !other.get(attribute).is_empty());
                outside.or_else(inside).map_or("", |found| found.get(attribute))
            }
            None if path == "." => item.text.trim(),
            None => {
                let whole = item.below(path).map_or_else(String::new, Element::whole_text);
                return cut(whole.trim(), limit).to_owned();
            }
        };
        cut(text, limit).to_owned()
    };
    for alternative in path.split('|').filter(|path| !path.is_empty()) {
        let parts: Vec<String> = alternative.split('/').map(one).filter(|part| !part.is_empty()).collect();
        if !parts.is_empty() {
            let parts: Vec<&str> = parts.iter().map(|part| part.trim_end_matches(['/', '\\'])).collect();
            return text::plain(&parts.join("/"));
        }
    }
    String::new()
}

/// The beginning of a text.
pub(super) fn cut(text: &str, limit: usize) -> &str {
    &text[..text.floor_char_boundary(limit)]
}

/// `a.cs(34)` and `a.cs(≈34)`.
fn in_brackets(path: &str) -> Option<(String, Option<u32>)> {
    let (file, rest) = path.strip_suffix(')')?.rsplit_once('(')?;
    let number = rest.trim_start_matches(|c: char| !c.is_ascii_digit()).parse().ok()?;
    Some((file.to_owned(), Some(number)))
}

/// How bad a word or a priority is: 1 is the worst of priorities.
pub(super) fn severity(word: &str) -> Severity {
    let word = word.to_ascii_lowercase();
    let starts = |words: &[&str]| words.iter().any(|start| word.starts_with(start));
    if matches!(word.as_str(), "1" | "e") || starts(&["err", "fatal", "crit", "high", "block", "severe"]) {
        Severity::Error
    } else if matches!(word.as_str(), "4" | "5" | "i" | "r" | "c")
        || starts(&["info", "low", "hint", "suggest", "note", "style", "ignore", "minor", "convention", "refactor"])
        // Mutations that the tests noticed.
        || matches!(word.as_str(), "killed" | "timed_out" | "memory_error" | "run_error" | "non_viable")
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
    fn only_mutations_that_nothing_noticed_are_warnings() {
        let mutation = |status: &str, class: &str| {
            format!(
                "<mutation detected='true' status='{status}'><sourceFile>A.kt</sourceFile><mutatedClass>{class}</mutatedClass><mutatedMethod>f</mutatedMethod><lineNumber>3</lineNumber><mutator>M</mutator><description>d</description></mutation>"
            )
        };
        let all = [("SURVIVED", "a.b.A\n"), ("NO_COVERAGE", "A"), ("KILLED", "a.b.A$B"), ("TIMED_OUT", "a.A")];
        let document =
            format!("<mutations>{}</mutations>", all.map(|(status, class)| mutation(status, class)).concat());
        let shown =
            ["pit", "a/b/A.kt:3:0 Warning M d", "A.kt:3:0 Warning M d", "a/b/A.kt:3:0 Note M d", "a/A.kt:3:0 Note M d"];
        assert_eq!(show(&document), shown);
    }

    #[test]
    fn a_vulnerability_is_a_finding_and_a_clean_dependency_is_none() {
        let document = "<analysis xmlns='https://jeremylong.github.io/DependencyCheck/dependency-check.2.5.xsd'><dependencies>
<dependency><fileName>clean.jar</fileName><filePath>/r/clean.jar</filePath></dependency>
<dependency><fileName>a.jar: b.jar</fileName><filePath>/r/a.jar</filePath><relatedDependencies><relatedDependency><filePath>/r/other.jar</filePath></relatedDependency></relatedDependencies>
<vulnerabilities><vulnerability source='NVD'><name>CVE-1</name><severity>HIGH</severity><cvssV3><baseSeverity>LOW</baseSeverity></cvssV3><description>bad</description><references><reference><name>r</name></reference></references></vulnerability>
<vulnerability><name>CVE-2</name><severity>MEDIUM</severity></vulnerability><suppressedVulnerability><name>CVE-3</name></suppressedVulnerability></vulnerabilities></dependency></dependencies></analysis>";
        let shown = ["dependency-check", "/r/a.jar:0:0 Error CVE-1 bad", "/r/a.jar:0:0 Warning CVE-2 CVE-2"];
        assert_eq!(show(document), shown);
    }

    #[test]
    fn psalm_is_told_from_other_reports_with_items() {
        let psalm = "<?xml version='1.0'?><report><item><severity>error</severity><line_from>3</line_from><line_to>4</line_to><type>UndefinedClass</type><message>m</message><file_name>src/a.php</file_name><file_path>/r/src/a.php</file_path><snippet>x</snippet><column_from>5</column_from><column_to>9</column_to></item></report>";
        assert_eq!(show(psalm), ["psalm", "src/a.php:3:5 Error UndefinedClass m"]);
        let jcreport = "<report><file name='a.java'><item line='3' column='2' finding-type='x' severity='error' message='m'/></file></report>";
        assert_eq!(show(jcreport), ["jcreport", "a.java:3:2 Error x m"]);
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
