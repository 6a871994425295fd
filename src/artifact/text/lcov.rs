//! LCOV's trace files: a record for each source file, in which every line that can run has its count.

use super::Part;
use super::lines::Lines;
use crate::artifact::Problem;
use crate::artifact::coverage::{Coverage, ran};

/// What the lines of a record begin with; functions and branches are no lines.
const KEYS: &[&str] = &[
    "TN:", "SF:", "VER:", "DA:", "LF:", "LH:", "FN:", "FNL:", "FNA:", "FNDA:", "FNF:", "FNH:", "BRDA:", "BRF:", "BRH:",
    "MCDC:", "MCF:", "MCH:",
];

/// Reads every record, also of a log that shows some.
pub(super) fn read(lines: &Lines) -> Part {
    let mut reader = Reader::default();
    for (index, line) in lines.all() {
        reader.line(lines, index, line.trim());
    }
    reader.finish(lines)
}

#[derive(Default)]
struct Reader {
    coverage: Coverage,
    part: Part,
    /// Whether a record was begun and not ended.
    open: bool,
    /// Lines of records, and others.
    own: usize,
    others: usize,
    /// The text begins with a record.
    first: bool,
    /// Lines in a record that say nothing, and the number of the first.
    strange: usize,
    strange_at: u32,
}

impl Reader {
    fn line(&mut self, lines: &Lines, index: usize, line: &str) {
        let is_end = line == "end_of_record";
        if !is_end && !KEYS.iter().any(|key| line.starts_with(key)) {
            // Blank lines and comments may stand anywhere.
            if !line.is_empty() && (!line.starts_with('#') || line.starts_with("##")) {
                self.others += 1;
                self.strange(lines, index);
            }
            return;
        }
        self.first |= self.own + self.others == 0;
        self.own += 1;
        self.part.recognised |= self.open;
        match self.part.claims.last_mut() {
            Some(claim) if claim.1 == index => claim.1 += 1,
            _ => self.part.claims.push((index, index + 1)),
        }
        if let Some(path) = line.strip_prefix("SF:") {
            // The end of the record before is missing.
            self.strange(lines, index);
            self.open = true;
            self.coverage.file(path.trim());
        } else if is_end {
            self.open = false;
            self.coverage.file("");
        } else if let Some(data) = line.strip_prefix("DA:") {
            match data.split_once(',').and_then(|(number, count)| Some((number.trim().parse().ok()?, count))) {
                Some((number, counted)) => {
                    self.coverage.line(number, ran(counted.split(',').next().unwrap_or_default()));
                }
                None => self.strange(lines, index),
            }
        }
    }

    fn strange(&mut self, lines: &Lines, index: usize) {
        if self.open {
            self.strange_at = if self.strange == 0 { lines.number(index) } else { self.strange_at };
            self.strange += 1;
        }
    }

    fn finish(mut self, lines: &Lines) -> Part {
        if !self.part.recognised {
            return Part::default();
        }
        // The last line of a trace that breaks off is none.
        self.part.whole = self.first && self.others <= 1 + self.own / 10;
        if self.strange > 0 {
            let message = format!("records are damaged in {} places, this is the first", self.strange);
            self.part.problems.push(Problem { line: Some(self.strange_at), message });
        }
        if self.open {
            let line = Some(lines.number(lines.len().saturating_sub(1)));
            self.part.problems.push(Problem { line, message: "the last record has no end".to_owned() });
        }
        self.coverage.finish(&mut self.part.coverage, &mut self.part.problems);
        self.part
    }
}

#[cfg(test)]
mod tests {
    use crate::artifact::{CoveredFile, Limits, Matchers, Raw, Report, open, read};

    const TRACE: &str = "TN:unit\nSF:/r/src/error.c\nFN:1,main\nFNDA:1,main\nFNF:1\nFNH:1\nBRDA:3,0,0,-\nDA:1,2\nDA:3,0,Ab+c/d==\nDA:0,1\nLF:2\nLH:1\nend_of_record\nSF:src/b.c\nDA:2,=====\nDA:9,99999999999999999999999\nend_of_record\n";

    fn of(path: &str, hit: &[u32], missed: &[u32]) -> CoveredFile {
        CoveredFile { path: path.to_owned(), hit: hit.to_vec(), missed: missed.to_vec() }
    }

    fn files() -> Vec<CoveredFile> {
        vec![of("/r/src/error.c", &[1], &[3]), of("src/b.c", &[9], &[2])]
    }

    fn is_quiet(report: &Report) -> bool {
        report.tests.total == 0 && report.diagnostics.is_empty() && report.passages.is_empty()
    }

    #[test]
    fn lines_and_nothing_else_are_read() {
        for report in [read("lcov.info", TRACE.as_bytes()), open("lcov.info", TRACE.as_bytes()).remove(0)] {
            assert_eq!((report.kind, report.producer.as_deref()), ("lcov", Some("lcov")));
            assert_eq!((report.coverage.clone(), report.problems.len()), (files(), 0));
            assert!(is_quiet(&report));
        }
    }

    #[test]
    fn a_damaged_trace_gives_what_can_be_read() {
        let damaged =
            TRACE.replace("LF:2", "DA:x,1").replacen("LH:1\nend_of_record\n", "\u{0}\u{1}fatal error: x\n", 1);
        let report = open("lcov.info", damaged.as_bytes()).remove(0);
        let problems: Vec<_> = report.problems.iter().map(|problem| (problem.line, problem.message.as_str())).collect();
        assert_eq!(problems, [(Some(11), "records are damaged in 3 places, this is the first")]);
        assert_eq!(report.coverage, files());
        for end in 0..TRACE.len() {
            let report = open("lcov.info", &TRACE.as_bytes()[..end]).remove(0);
            assert_eq!(report.kind == "lcov", TRACE[..end].contains("FN:"), "{}", &TRACE[..end]);
            assert!(report.kind == "unknown" || is_quiet(&report), "{}", &TRACE[..end]);
        }
        let cut = read("lcov.info", &TRACE.as_bytes()[..TRACE.find("\nDA:3").unwrap()]);
        assert_eq!((cut.coverage, cut.problems.len()), (vec![of("/r/src/error.c", &[1], &[])], 1));
    }

    #[test]
    fn a_log_that_shows_a_trace_is_read_as_a_log() {
        let log = format!("$ cat lcov.info\n{TRACE}src/a.c:3:12: error: 'x' undeclared\n$ false\nexited with 1\n");
        let raw = Raw { name: "l".to_owned(), content: log.into_bytes().into(), baseline: None };
        let report = raw.open(Matchers::built_in(), Limits::default()).remove(0);
        assert_eq!(report.coverage, files());
        assert_eq!(report.diagnostics.len(), 1);
    }

    #[test]
    fn long_names_and_many_records_cost_no_more_than_their_length() {
        let long = format!("SF:{}\n{}", "x".repeat(1 << 20), "DA:1,1\n".repeat(300_000));
        assert!(read("l", long.as_bytes()).coverage.is_empty());
        let many = "SF:a\nDA:4294967295,1\nDA:4294967296,1\n".repeat(100_000);
        assert_eq!(read("l", many.as_bytes()).coverage, [of("a", &[u32::MAX], &[])]);
    }
}
