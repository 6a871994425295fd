//! Coverage in XML: which lines ran, for finding the fault among them.

use std::collections::BTreeMap;

use quick_xml::events::{BytesStart, Event};

use super::{Document, Root, attribute};
use crate::artifact::{CoveredFile, Report};

/// More lines than this of all files are not kept.
const LINES_LIMIT: usize = 4_000_000;

pub(super) fn sniff(root: &Root<'_>) -> bool {
    match root.name {
        "coverage" => {
            root.head.contains("line-rate=") || root.head.contains("clover=") || root.head.contains("generated=")
        }
        "report" => root.head.contains("JACOCO") || root.head.contains("<sessioninfo"),
        _ => false,
    }
}

/// Reads Cobertura, Clover and `JaCoCo`.
pub(super) fn read(document: &mut Document<'_>, report: &mut Report) {
    let mut reader = Reader::default();
    while let Some((event, _)) = document.next() {
        match event {
            Event::Start(tag) | Event::Empty(tag) => reader.open(&tag),
            _ => {}
        }
    }
    let files = reader.files.into_iter().map(|(path, lines)| {
        let of = |ran: bool| lines.iter().filter(|(_, hit)| **hit == ran).map(|(line, _)| *line).collect();
        CoveredFile { path, hit: of(true), missed: of(false) }
    });
    report.coverage = files.collect();
}

#[derive(Default)]
struct Reader {
    package: String,
    file: String,
    /// Lines and whether each ran, by file.
    files: BTreeMap<String, BTreeMap<u32, bool>>,
    kept: usize,
}

impl Reader {
    fn open(&mut self, tag: &BytesStart<'_>) {
        let get = |name: &str| attribute(tag, name).unwrap_or_default();
        match tag.local_name().into_inner() {
            // A package of JaCoCo is a path; of the others it says nothing that the files do not say.
            "package" => self.package = get("name"),
            "class" if !get("filename").is_empty() => self.file = get("filename"),
            "file" => self.file = Some(get("path")).filter(|path| !path.is_empty()).unwrap_or_else(|| get("name")),
            "sourcefile" => {
                let path = format!("{}/{}", self.package, get("name"));
                path.trim_start_matches('/').clone_into(&mut self.file);
            }
            "line" => {
                let number = [get("number"), get("num"), get("nr")].into_iter().find_map(|number| number.parse().ok());
                let ran =
                    [get("hits"), get("count"), get("ci")].iter().any(|count| !matches!(count.as_str(), "" | "0"));
                if let Some(number) = number.filter(|_| self.kept < LINES_LIMIT && !self.file.is_empty()) {
                    self.kept += 1;
                    let line = self.files.entry(self.file.clone()).or_default().entry(number).or_insert(false);
                    *line |= ran;
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::artifact::{CoveredFile, read};

    fn covered(document: &str) -> (&'static str, Vec<CoveredFile>) {
        let report = read("coverage.xml", document.as_bytes());
        (report.kind, report.coverage)
    }

    #[test]
    fn three_formats_say_which_lines_ran() {
        let of = |path: &str| vec![CoveredFile { path: path.to_owned(), hit: vec![1], missed: vec![3] }];
        let cobertura = "<coverage line-rate='0.5'><packages><package name='p'><classes><class name='a' filename='src/a.py'><lines><line number='3' hits='0'/><line number='1' hits='2'/></lines></class></classes></package></packages></coverage>";
        assert_eq!(covered(cobertura), ("coverage", of("src/a.py")));
        let jacoco = "<!DOCTYPE report PUBLIC '-//JACOCO//DTD Report 1.1//EN' 'report.dtd'><report name='x'><sessioninfo id='1'/><package name='org/x'><sourcefile name='A.java'><line nr='1' mi='0' ci='3'/><line nr='3' mi='2' ci='0'/></sourcefile></package></report>";
        assert_eq!(covered(jacoco), ("coverage", of("org/x/A.java")));
        let clover = "<coverage generated='1' clover='3'><project><file name='a.js' path='/r/a.js'><line num='1' count='1' type='stmt'/><line num='3' count='0' type='stmt'/></file></project></coverage>";
        assert_eq!(covered(clover), ("coverage", of("/r/a.js")));
    }
}
