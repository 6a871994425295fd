//! Which lines ran, put together file by file, in whatever order a format tells.

use std::collections::BTreeMap;

use super::{CoveredFile, Problem};

/// More lines than this of all files are not kept.
const LINES_LIMIT: usize = 2_000_000;
/// More files than this are not kept.
const FILES_LIMIT: usize = 100_000;
/// A longer path names no file.
const PATH_LIMIT: usize = 4096;
/// Formats that tell of stretches may name this many lines in all, each time that they do: one of them costs little to
/// write and may be long.
const STRETCHES_LIMIT: usize = 4 * LINES_LIMIT;
/// Nor are files kept whose paths are longer than this in all.
const PATHS_LIMIT: usize = 32 << 20;

/// The lines of the files so far.
#[derive(Default)]
pub(super) struct Coverage {
    numbers: BTreeMap<String, usize>,
    /// The lines of each file, by its number.
    files: Vec<BTreeMap<u32, bool>>,
    /// The file that is being told about: its lines need no look-up of its name.
    current: Current,
    kept: usize,
    stretched: usize,
    path_bytes: usize,
    left_out: usize,
}

#[derive(Default)]
enum Current {
    /// What is told belongs to no file.
    #[default]
    Nothing,
    File(usize),
    /// One that is not kept.
    LeftOut,
}

impl Coverage {
    /// What follows is about this file.
    pub(super) fn file(&mut self, path: &str) {
        self.current = match self.number(path) {
            Some(file) => Current::File(file),
            None if path.is_empty() => Current::Nothing,
            None => Current::LeftOut,
        };
    }

    /// One line of the current file that could run, and whether it did. No file has a line 0.
    pub(super) fn line(&mut self, number: u32, ran: bool) {
        match self.current {
            Current::Nothing => {}
            Current::File(file) => self.line_of(file, number, ran),
            Current::LeftOut => self.left_out += 1,
        }
    }

    /// Several lines of the current file, both ends included.
    pub(super) fn lines(&mut self, first: u32, last: u32, ran: bool) {
        let Some(length) = last.checked_sub(first).map(|more| more as usize + 1) else { return };
        let taken = length.min(STRETCHES_LIMIT - self.stretched);
        self.stretched += taken;
        self.left_out += length - taken;
        (first..=last).take(taken).for_each(|number| self.line(number, ran));
    }

    /// The number of a file, for formats that tell lines and paths apart; nothing when the file is not kept.
    pub(super) fn number(&mut self, path: &str) -> Option<usize> {
        if path.is_empty() || path.len() > PATH_LIMIT {
            return None;
        }
        if let Some(file) = self.numbers.get(path) {
            return Some(*file);
        }
        let (file, path_bytes) = (self.files.len(), self.path_bytes + path.len());
        if file == FILES_LIMIT || path_bytes > PATHS_LIMIT {
            return None;
        }
        self.path_bytes = path_bytes;
        self.numbers.insert(path.to_owned(), file);
        self.files.push(BTreeMap::new());
        Some(file)
    }

    /// The same as [`Self::line`] of a file that has a number.
    pub(super) fn line_of(&mut self, file: usize, number: u32, ran: bool) {
        let Some(lines) = self.files.get_mut(file).filter(|_| number > 0) else { return };
        if let Some(known) = lines.get_mut(&number) {
            *known |= ran;
        } else if self.kept == LINES_LIMIT {
            self.left_out += 1;
        } else {
            self.kept += 1;
            lines.insert(number, ran);
        }
    }

    /// Adds the files of which lines are known, by path.
    pub(super) fn finish(mut self, coverage: &mut Vec<CoveredFile>, problems: &mut Vec<Problem>) {
        for (path, file) in self.numbers {
            let lines = self.files.get_mut(file).map(std::mem::take).unwrap_or_default();
            if lines.is_empty() {
                continue;
            }
            let of = |ran: bool| lines.iter().filter(|(_, hit)| **hit == ran).map(|(line, _)| *line).collect();
            coverage.push(CoveredFile { path, hit: of(true), missed: of(false) });
        }
        if self.left_out > 0 {
            let message = format!(
                "{} covered lines were not kept: there are too many of them, too many files, or too long paths",
                self.left_out
            );
            problems.push(Problem { line: None, message });
        }
    }
}

/// Whether a count, as a format writes it, says that a line ran.
pub(super) fn ran(count: &str) -> bool {
    count.trim().parse::<f64>().is_ok_and(|count| count > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finished(coverage: Coverage) -> (Vec<CoveredFile>, Vec<Problem>) {
        let (mut files, mut problems) = (Vec::new(), Vec::new());
        coverage.finish(&mut files, &mut problems);
        (files, problems)
    }

    #[test]
    fn a_line_ran_when_anything_says_so() {
        let mut coverage = Coverage::default();
        coverage.line(1, true);
        for (path, line, ran) in
            [("b", 2, false), ("a", 1, false), ("b", 2, true), ("b", 2, false), ("b", 0, true), ("", 3, true)]
        {
            coverage.file(path);
            coverage.line(line, ran);
        }
        coverage.file("without lines");
        let of = |path: &str, hit: &[u32], missed: &[u32]| CoveredFile {
            path: path.to_owned(),
            hit: hit.to_vec(),
            missed: missed.to_vec(),
        };
        assert_eq!(finished(coverage), (vec![of("a", &[], &[1]), of("b", &[2], &[])], vec![]));
    }

    #[test]
    fn counts_are_read_as_they_are_written() {
        let counts = ["1", " 2 ", "1e3", "0.5", "99999999999999999999999"];
        assert!(counts.into_iter().all(ran));
        assert!(!["0", "-1", "", "=====", "NaN", "0.0"].into_iter().any(ran));
    }

    #[test]
    fn stretches_are_bounded() {
        let mut coverage = Coverage::default();
        coverage.file("a");
        coverage.lines(3, 4, true);
        coverage.lines(4, 3, true);
        coverage.lines(0, 1, false);
        for _ in 0..100_000 {
            coverage.lines(5, u32::MAX, false);
        }
        let (files, problems) = finished(coverage);
        assert_eq!((files[0].hit.as_slice(), &files[0].missed[..2]), ([3, 4].as_slice(), [1, 5].as_slice()));
        assert_eq!((files[0].missed.len(), problems.len()), (LINES_LIMIT - 2, 1));
    }

    #[test]
    fn files_lines_and_paths_are_bounded() {
        let mut coverage = Coverage::default();
        for number in 0..FILES_LIMIT + 10 {
            coverage.file(&number.to_string());
            coverage.line(1, true);
        }
        coverage.file(&"x".repeat(PATH_LIMIT + 1));
        coverage.line(1, true);
        coverage.file("0");
        (1..=u32::try_from(LINES_LIMIT).unwrap()).for_each(|line| coverage.line(line, true));
        assert_eq!((coverage.kept, coverage.left_out), (LINES_LIMIT, 11 + FILES_LIMIT - 1));
        let (files, problems) = finished(coverage);
        assert_eq!((files.len(), problems.len()), (FILES_LIMIT, 1));

        let mut coverage = Coverage::default();
        for number in 0..=PATHS_LIMIT / PATH_LIMIT {
            coverage.file(&format!("{number:0PATH_LIMIT$}"));
            coverage.line(1, true);
        }
        assert_eq!((coverage.files.len(), coverage.left_out), (PATHS_LIMIT / PATH_LIMIT, 1));
    }
}
