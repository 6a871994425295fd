//! Every row of the table of linters against documents that nobody would write by accident.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::linters::{LINTERS, Linter};
use crate::artifact::{Report, read};

/// Where the parts of a row's paths stand in a document.
#[derive(Default)]
struct Layout {
    /// Attributes of the finding, its children and its text.
    own: BTreeMap<&'static str, String>,
    children: BTreeMap<&'static str, String>,
    text: String,
    /// Attributes of the elements around it.
    around: BTreeMap<&'static str, BTreeMap<&'static str, String>>,
}

impl Layout {
    fn of(linter: &Linter, path: &str, number: &str, word: &str) -> Self {
        let mut layout = Self::default();
        let fields = [
            (linter.path, path),
            (linter.line, number),
            (linter.column, number),
            (linter.rule, word),
            (linter.severity, word),
            (linter.message, word),
        ];
        for (paths, value) in fields {
            for part in paths.split(['|', '/']).filter(|part| !part.is_empty()) {
                layout.put(part, value);
            }
        }
        layout
    }

    fn put(&mut self, part: &'static str, value: &str) {
        let slot = match part.split_once('@') {
            Some(("", attribute)) => self.own.entry(attribute).or_default(),
            Some((element, attribute)) => self.around.entry(element).or_default().entry(attribute).or_default(),
            None if part == "." => &mut self.text,
            None => self.children.entry(part.trim_end_matches('^')).or_default(),
        };
        value.clone_into(slot);
    }

    /// A document of so many findings of a row.
    fn document(&self, linter: &Linter, path: &str, count: usize) -> String {
        let root = linter.roots.last().unwrap();
        let mut document = format!("<{root}><!-- {} -->", linter.mark);
        let attributes = |tag: &mut String, name: &str, of: &BTreeMap<&str, String>| {
            write!(tag, "<{name}").unwrap();
            for (key, value) in of {
                write!(tag, " {key}='{value}'").unwrap();
            }
            tag.push('>');
        };
        let (parent, beside) = linter.beside;
        if !parent.is_empty() {
            write!(document, "<{parent}>").unwrap();
            for name in beside {
                write!(document, "<{name}>{path}</{name}>").unwrap();
            }
        }
        for (name, of) in &self.around {
            attributes(&mut document, name, of);
        }
        for _ in 0..count {
            attributes(&mut document, linter.items[0], &self.own);
            for (name, text) in &self.children {
                write!(document, "<{name}>{text}</{name}>").unwrap();
            }
            write!(document, "{}</{}>", self.text, linter.items[0]).unwrap();
        }
        for name in self.around.keys().rev() {
            write!(document, "</{name}>").unwrap();
        }
        let end = if parent.is_empty() { String::new() } else { format!("</{parent}>") };
        format!("{document}{end}</{root}>")
    }
}

fn document(linter: &Linter, path: &str, number: &str, word: &str) -> String {
    Layout::of(linter, path, number, word).document(linter, path, 2)
}

fn report(document: &str) -> Report {
    read("r.xml", document.as_bytes())
}

#[test]
fn every_row_reads_what_it_describes() {
    for linter in LINTERS {
        let report = report(&document(linter, "src/a.c", "3", "high"));
        assert_eq!((report.kind, report.diagnostics.len()), (linter.tool, 2), "{}", linter.tool);
        for found in &report.diagnostics {
            let at = found.location.as_ref().unwrap();
            assert!(at.path.ends_with("src/a.c"), "{}: {}", linter.tool, at.path);
            assert_eq!(at.line.is_some(), !linter.line.is_empty(), "{}", linter.tool);
            assert!(!found.message.is_empty() && found.lines.is_some(), "{}", linter.tool);
        }
    }
}

#[test]
fn every_row_reads_what_stands_before_a_cut() {
    for linter in LINTERS {
        let document = document(linter, "src/a.c", "3", "high");
        for end in 0..document.len() {
            let report = report(&document[..end]);
            assert!(report.tests.total == 0 && report.diagnostics.len() <= 2, "{}", &document[..end]);
        }
    }
}

#[test]
fn numbers_out_of_range_are_no_lines() {
    for linter in LINTERS {
        for number in ["0", "-1", "4294967296", "99999999999999999999999999", "1e9", "\u{664}", "NaN"] {
            let report = report(&document(linter, "src/a.c", number, number));
            assert_eq!(report.diagnostics.len(), 2, "{}: {number}", linter.tool);
            let places = report.diagnostics.iter().flat_map(|found| &found.location);
            places.for_each(|at| assert_eq!((at.line, at.column), (None, None), "{}: {number}", linter.tool));
        }
    }
}

#[test]
fn long_values_are_cut_and_never_copied_for_each_finding() {
    let long = "x".repeat(1 << 20);
    for linter in LINTERS {
        let mut layout = Layout::of(linter, "src/a.c", "3", "high");
        let outside = layout.around.values_mut().flat_map(BTreeMap::values_mut);
        outside.for_each(|value| value.clone_from(&long));
        let path = if linter.beside.0.is_empty() { "src/a.c" } else { &long };
        let around = report(&layout.document(linter, path, 1000));
        assert_eq!(around.diagnostics.len(), 1000, "{}", linter.tool);
        assert!(kept(&around) < 64 << 20, "{}", linter.tool);

        let inside = report(&document(linter, &long, &long, &long));
        assert!(kept(&inside) < 1 << 20, "{}", linter.tool);
        let paths = inside.diagnostics.iter().flat_map(|found| &found.location).map(|at| at.path.len());
        assert!(paths.max().is_none_or(|length| length <= 4096), "{}", linter.tool);
    }
}

#[test]
fn findings_of_an_unknown_tool_are_bounded_alike() {
    let long = "x".repeat(1 << 20);
    let one = "<issue file='src/a.c' line='3' column='2' severity='high' message='m'/>";
    let whole = format!("<mine>{one}<issue><path>b.c</path><line>4</line><message>n</message></issue></mine>");
    assert_eq!(report(&whole).diagnostics.len(), 2);
    for end in 0..whole.len() {
        let report = report(&whole[..end]);
        assert!(report.tests.total == 0 && report.diagnostics.len() <= 2, "{}", &whole[..end]);
    }
    let lines = "<issue line='3' message='m'/>".repeat(20_000);
    let cut = format!("<mine>{one}<file name='{long}' path='{}.c'>{lines}</file></mine>", &long[..4000]);
    assert_eq!(report(&cut).diagnostics.len(), 1);
    let deep = format!("<mine>{one}{}{one}", "<file name='src/b.c'>".repeat(100_000));
    assert_eq!(report(&deep).diagnostics.len(), 2);
    let wide = format!("<mine>{one}<issue file='b.c' line='1' message='{long}' id='{long}'/></mine>");
    assert!(kept(&report(&wide)) < 1 << 20);
}

/// How much text a report keeps.
fn kept(report: &Report) -> usize {
    let texts = |found: &crate::artifact::Diagnostic| {
        found.message.len()
            + found.details.len()
            + found.excerpt.len()
            + found.rule.as_ref().map_or(0, String::len)
            + found.location.as_ref().map_or(0, |at| at.path.len())
            + found.frames.iter().map(|frame| frame.path.len()).sum::<usize>()
    };
    report.diagnostics.iter().map(texts).sum()
}
