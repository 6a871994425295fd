//! Coverage in XML: which lines ran, for finding the fault among them.

mod dotnet;

use super::document::{Piece, Tag};
use super::{Document, Format, Root};
use crate::artifact::Report;
use crate::artifact::coverage::{Coverage, ran};

/// A longer name is no folder's.
const PACKAGE_LIMIT: usize = 4096;

/// The formats, each with its files in an order of its own.
pub(super) const FORMATS: &[Format] = &[
    Format {
        kind: "coverage",
        producers: "Cobertura, coverage.py, gcovr, JaCoCo, Clover, SonarQube, scoverage",
        reads: "which lines ran",
        sniff,
        read,
    },
    Format {
        kind: "coverage",
        producers: "OpenCover, dotCover, dotnet-coverage",
        reads: "which lines ran",
        sniff: dotnet::sniff,
        read: dotnet::read,
    },
];

fn sniff(root: &Root<'_>) -> bool {
    let has = |words: &[&str]| words.iter().any(|word| root.head.contains(word));
    match root.name {
        "coverage" => {
            let inside = ["<packages", "<sources", "<project ", "<lineToCover", "<file path="];
            has(&["line-rate=", "clover=", "generated="]) || has(&inside) || root.before.contains("cobertura")
        }
        "report" => {
            let nested = has(&["<group ", "<package "]) && has(&["<class ", "<sourcefile "]);
            root.before.contains("JACOCO") || has(&["<sessioninfo ", "<counter "]) || nested
        }
        "scoverage" => true,
        _ => false,
    }
}

/// Reads what tells a file before its lines.
fn read(document: &mut Document<'_>, report: &mut Report) {
    let mut reader = Reader::default();
    while let Some(piece) = document.piece() {
        if let Piece::Open(tag) = piece {
            reader.open(&tag);
        }
    }
    reader.coverage.finish(&mut report.coverage, &mut report.problems);
}

#[derive(Default)]
struct Reader {
    /// Nothing when it is too long.
    package: Option<String>,
    coverage: Coverage,
}

impl Reader {
    fn open(&mut self, tag: &Tag<'_>) {
        let get = |names: &[&str]| names.iter().find_map(|name| tag.get(name).filter(|value| !value.is_empty()));
        match tag.name {
            // A package of JaCoCo is a path; of the others it says nothing that the files do not say.
            "package" => {
                self.package = Some(get(&["name"]).unwrap_or_default()).filter(|name| name.len() <= PACKAGE_LIMIT);
            }
            "class" => {
                if let Some(path) = get(&["filename"]) {
                    self.coverage.file(&path);
                }
            }
            "file" => self.coverage.file(&get(&["path", "name"]).unwrap_or_default()),
            "sourcefile" => {
                let name = get(&["name"]).unwrap_or_default();
                let path = self.package.as_ref().map(|package| format!("{package}/{name}")).unwrap_or_default();
                self.coverage.file(path.trim_start_matches('/'));
            }
            "line" | "lineToCover" | "statement" => {
                let number = get(&["number", "num", "nr", "lineNumber", "line"]);
                let Some(number) = number.and_then(|number| number.trim().parse().ok()) else { return };
                let counts = ["hits", "count", "ci", "truecount", "falsecount", "invocation-count"];
                let counted = counts.iter().any(|name| tag.get(name).is_some_and(|count| ran(&count)));
                self.coverage.line(number, counted || tag.get("covered").is_some_and(|covered| covered == "true"));
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests;
