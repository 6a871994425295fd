//! Coverage of .NET: lines name their files by number, and some formats say only afterwards which numbers they are.

use std::collections::HashMap;

use super::super::document::{Piece, Tag};
use super::super::{Document, Root};
use crate::artifact::coverage::{Coverage, ran};
use crate::artifact::{Problem, Report};

/// More lines than this, of a module whose files are not known yet, are not kept.
const POINTS_LIMIT: usize = 2_000_000;

pub(super) fn sniff(root: &Root<'_>) -> bool {
    match root.name {
        "CoverageSession" => true,
        "Root" => root.tag.contains("DotCoverVersion=") || root.tag.contains("CoveragePercent="),
        "results" => root.head.contains("<modules") && root.head.contains("block_coverage="),
        _ => false,
    }
}

/// Reads `OpenCover`, dotCover and dotnet-coverage. A statement of several lines counts as its first one.
pub(super) fn read(document: &mut Document<'_>, report: &mut Report) {
    let mut reader = Reader::default();
    while let Some(piece) = document.piece() {
        match piece {
            Piece::Open(tag) => reader.open(&tag),
            Piece::Close("module") => {
                reader.place();
                // The numbers of a module are its own.
                reader.files.clear();
            }
            _ => {}
        }
    }
    reader.place();
    if reader.left_out > 0 {
        let message = format!("{} covered lines name files that are not known", reader.left_out);
        report.problems.push(Problem { line: None, message });
    }
    reader.coverage.finish(&mut report.coverage, &mut report.problems);
}

#[derive(Default)]
struct Reader {
    /// Numbers of files as the document writes them, and as they are kept.
    files: HashMap<u32, usize>,
    /// The file of a method, where its lines do not name it themselves.
    method: Option<u32>,
    /// Lines whose files are not known yet: file, line, whether it ran.
    points: Vec<(u32, u32, bool)>,
    left_out: usize,
    coverage: Coverage,
}

impl Reader {
    fn open(&mut self, tag: &Tag<'_>) {
        let number = |name: &str| tag.get(name)?.trim().parse::<u32>().ok();
        let word = |name: &str| tag.get(name).unwrap_or_default();
        match tag.name {
            "File" if tag.get("uid").is_some() => self.file(number("uid"), &word("fullPath")),
            "File" => self.file(number("Index"), &word("Name")),
            "source_file" => self.file(number("id"), &word("path")),
            "Method" => self.method = None,
            "FileRef" => self.method = number("uid"),
            "SequencePoint" => self.point(number("fileid").or(self.method), number("sl"), ran(&word("vc"))),
            "Statement" => self.point(number("FileIndex"), number("Line"), word("Covered") == "True"),
            "range" => self.point(number("source_id"), number("start_line"), word("covered") != "no"),
            _ => {}
        }
    }

    fn file(&mut self, number: Option<u32>, path: &str) {
        if let Some((number, file)) = number.zip(self.coverage.number(path)) {
            self.files.insert(number, file);
        }
    }

    fn point(&mut self, file: Option<u32>, line: Option<u32>, ran: bool) {
        let Some((file, line)) = file.zip(line) else { return };
        if let Some(file) = self.files.get(&file) {
            self.coverage.line_of(*file, line, ran);
        } else if self.points.len() < POINTS_LIMIT {
            self.points.push((file, line, ran));
        } else {
            self.left_out += 1;
        }
    }

    fn place(&mut self) {
        for (file, line, ran) in std::mem::take(&mut self.points) {
            match self.files.get(&file) {
                Some(file) => self.coverage.line_of(*file, line, ran),
                None => self.left_out += 1,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::artifact::{CoveredFile, read};

    #[test]
    fn files_have_numbers_before_or_behind_their_lines() {
        let opencover = r#"<?xml version="1.0" encoding="utf-8"?><CoverageSession><Modules><Module hash="1"><Files><File uid="7" fullPath="C:\r\A.cs"/></Files>
<Classes><Class><Methods><Method><FileRef uid="7"/><SequencePoints><SequencePoint vc="2" sl="1" el="9"/><SequencePoint vc="0" sl="3" fileid="7"/></SequencePoints></Method></Methods></Class></Classes></Module></Modules></CoverageSession>"#;
        let dotcover = r#"<Root CoveredStatements="1" CoveragePercent="50" ReportType="DetailedXml" DotCoverVersion="2023"><FileIndices><File Index="1" Name="C:\r\A.cs"/></FileIndices>
<Assembly Name="a"><Method Name="m"><Statement FileIndex="1" Line="1" Column="1" Covered="True"/><Statement FileIndex="1" Line="3" Covered="False"/></Method></Assembly></Root>"#;
        let dotnet = r#"<results><modules><module name="a.dll" block_coverage="50.0"><functions><function><ranges><range source_id="0" start_line="1" end_line="1" covered="partial"/><range source_id="0" start_line="3" covered="no"/></ranges></function></functions>
<source_files><source_file id="0" path="C:\r\A.cs"/></source_files></module><module name="b.dll"><functions><function><ranges><range source_id="0" start_line="1" covered="no"/></ranges></function></functions></module></modules></results>"#;
        for (document, problems) in [(opencover, 0), (dotcover, 0), (dotnet, 1)] {
            let report = read("c.xml", document.as_bytes());
            let expected = CoveredFile { path: r"C:\r\A.cs".to_owned(), hit: vec![1], missed: vec![3] };
            assert_eq!((report.kind, report.coverage, report.problems.len()), ("coverage", vec![expected], problems));
            for end in (0..document.len()).filter(|end| document.is_char_boundary(*end)) {
                let report = read("c.xml", &document.as_bytes()[..end]);
                assert!(report.tests.total == 0 && report.diagnostics.is_empty());
            }
        }
    }
}
