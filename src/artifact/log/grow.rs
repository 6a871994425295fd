//! The whole of a report whose first lines a reader of a format quotes: in a log a person marks all of it.

use crate::artifact::text::lines::Lines;
use crate::artifact::{Lines as Span, Report};

/// A report grows to this many lines.
const GROWN: usize = 20;
/// Reports that say the same one behind the other are quoted together up to this many lines.
const TOGETHER: usize = 40;
/// Lines that may stand between two of them.
const GAP: usize = 6;

/// One quotation of a report.
struct Quote<'a> {
    lines: &'a mut Option<Span>,
    excerpt: &'a mut String,
    message: &'a str,
}

/// Lets what readers quote grow to the end of the report that it begins.
pub(super) fn grow(lines: &Lines, report: &mut Report) {
    let faults = report.cases.iter_mut().flat_map(|case| &mut case.faults);
    let faults =
        faults.map(|fault| Quote { lines: &mut fault.lines, excerpt: &mut fault.excerpt, message: &fault.message });
    let others = report.diagnostics.iter_mut();
    let others =
        others.map(|found| Quote { lines: &mut found.lines, excerpt: &mut found.excerpt, message: &found.message });
    let mut quotes: Vec<Quote<'_>> = faults.chain(others).filter(|quote| quote.lines.is_some()).collect();
    quotes.sort_by_key(|quote| quote.lines.map_or(0, |span| span.start));
    let starts: Vec<usize> = quotes.iter().filter_map(|quote| Some(lines.index_of((*quote.lines)?.start))).collect();
    let mut blocks: Vec<(usize, usize)> = Vec::new();
    for (at, quote) in quotes.iter().enumerate() {
        let known = quote.lines.map_or(0, |span| lines.index_of(span.end) + 1);
        let limit = starts.get(at + 1).copied().unwrap_or(lines.len());
        blocks.push((known, end_of(lines, starts[at], known, limit)));
    }
    for at in 0..quotes.len() {
        let (known, mut end) = blocks[at];
        let alike = (at + 1..quotes.len()).take_while(|next| quotes[*next].message == quotes[at].message);
        for next in alike {
            if starts[next].saturating_sub(end) > GAP || blocks[next].1.saturating_sub(starts[at]) > TOGETHER {
                break;
            }
            end = end.max(blocks[next].1);
        }
        if end > known {
            let (grown, excerpt) = lines.quote_at_most(TOGETHER, starts[at]..end);
            if let Some(grown) = grown {
                *quotes[at].lines = Some(grown);
                *quotes[at].excerpt = excerpt;
            }
        }
    }
}

/// Where the report ends that begins at `start` and is known up to `end`: what is indented deeper belongs to it.
fn end_of(lines: &Lines, start: usize, end: usize, limit: usize) -> usize {
    let indent = |index: usize| lines.get(index).len() - lines.get(index).trim_start().len();
    let blank = |index: usize| lines.get(index).trim().is_empty();
    let within = |index: usize| index < limit.min(start + GROWN) && !blank(index) && indent(index) > indent(start);
    let mut end = end;
    loop {
        if within(end) {
            end += 1;
        } else if blank(end) && within(end + 1) && lines.get(end + 1).trim_start().starts_with("at ") {
            end += 2;
        } else {
            return end;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::artifact::Diagnostic;

    #[test]
    fn a_report_grows_by_what_is_indented_deeper_and_by_its_repetitions() {
        let lines = Lines::of("FAIL a\n  boom\n\n    at x (a.js:1:2)\n\nFAIL b\n  boom\nnext\n");
        let quote = |start, end| Diagnostic {
            message: "boom".to_owned(),
            lines: Some(Span { start, end }),
            ..Diagnostic::default()
        };
        let mut report = Report { diagnostics: vec![quote(1, 2), quote(6, 6)], ..Report::default() };
        grow(&lines, &mut report);
        let spans: Vec<_> = report.diagnostics.iter().map(|found| found.lines).collect();
        assert_eq!(spans, [Some(Span { start: 1, end: 7 }), Some(Span { start: 6, end: 7 })]);
        assert_eq!(report.diagnostics[1].excerpt, "FAIL b\n  boom");
    }
}
