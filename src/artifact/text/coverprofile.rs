//! Go's cover profiles: a block of statements on each line, with how often it ran.

use super::Part;
use super::lines::Lines;
use crate::artifact::Problem;
use crate::artifact::coverage::{Coverage, ran};

/// Reads the blocks behind a line that names the mode.
pub(super) fn read(lines: &Lines) -> Part {
    let (mut part, mut coverage) = (Part::default(), Coverage::default());
    let (mut open, mut own, mut others) = (false, 0, 0);
    let mut strange = None;
    for (index, line) in lines.all() {
        let line = line.trim();
        let is_mode = matches!(line, "mode: set" | "mode: count" | "mode: atomic");
        open |= is_mode;
        let block = block(line).filter(|_| open);
        if let Some((path, first, last, ran)) = &block {
            part.recognised = true;
            coverage.file(path);
            coverage.lines(*first, *last, *ran);
        }
        if is_mode || block.is_some() {
            part.whole |= own + others == 0;
            own += 1;
            match part.claims.last_mut() {
                Some(claim) if claim.1 == index => claim.1 += 1,
                _ => part.claims.push((index, index + 1)),
            }
        } else if !line.is_empty() {
            others += 1;
            strange = strange.or(Some(lines.number(index)));
        }
    }
    if !part.recognised {
        return Part::default();
    }
    // The last line of a profile that breaks off is none.
    part.whole &= others <= 1 + own / 10;
    if let Some(line) = strange.filter(|_| part.whole) {
        part.problems.push(Problem { line: Some(line), message: "this is no block of a cover profile".to_owned() });
    }
    coverage.finish(&mut part.coverage, &mut part.problems);
    part
}

/// `example.com/m/a.go:10.2,12.16 2 1`: from line 10 to line 12, two statements that ran once.
fn block(line: &str) -> Option<(&str, u32, u32, bool)> {
    let mut words = line.rsplitn(3, ' ');
    let (count, statements, place) = (words.next()?, words.next()?, words.next()?);
    let (path, range) = place.rsplit_once(':')?;
    let (start, end) = range.split_once(',')?;
    let line = |at: &str| at.split_once('.')?.0.parse().ok();
    let is_number = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    (is_number(count) && is_number(statements)).then_some((path, line(start)?, line(end)?, ran(count)))
}

#[cfg(test)]
mod tests {
    use crate::artifact::{CoveredFile, open, read};

    const PROFILE: &str = "mode: atomic\nexample.com/m/a.go:3.20,5.2 2 7\nexample.com/m/a.go:5.2,6.10 1 0\nexample.com/m/errors_test.go:1.1,1.9 1 0\n";

    #[test]
    fn blocks_are_the_lines_that_they_span() {
        let report = open("cover.out", PROFILE.as_bytes()).remove(0);
        assert_eq!((report.kind, report.problems.len(), report.diagnostics.len()), ("go-cover", 0, 0));
        let files = [
            CoveredFile { path: "example.com/m/a.go".to_owned(), hit: vec![3, 4, 5], missed: vec![6] },
            CoveredFile { path: "example.com/m/errors_test.go".to_owned(), hit: vec![], missed: vec![1] },
        ];
        assert_eq!(report.coverage, files);
    }

    #[test]
    fn a_damaged_profile_gives_what_can_be_read() {
        for end in 0..PROFILE.len() {
            let report = open("cover.out", &PROFILE.as_bytes()[..end]).remove(0);
            assert_eq!(report.kind == "go-cover", PROFILE[..end].contains("2 7"), "{}", &PROFILE[..end]);
            let is_quiet = report.diagnostics.is_empty() && report.passages.is_empty() && report.tests.total == 0;
            assert!(report.kind == "unknown" || is_quiet, "{}", &PROFILE[..end]);
        }
        let blocks = "a.go:1.1,4294967295.9 1 0\n".repeat(100_000);
        let report = read("c", format!("mode: set\n{blocks}oops\n").as_bytes());
        assert_eq!((report.coverage.len(), report.problems.len()), (1, 2));
    }

    #[test]
    fn other_lines_are_no_blocks() {
        assert_eq!(read("c", b"mode: set\nok\n").kind, "unknown");
        assert_eq!(read("c", b"a.go:1.1,2.2 1 0\n").kind, "unknown");
    }
}
