//! Passages of a log beside what readers of formats found in the same lines: each line is told once.

use crate::artifact::text::lines::Lines;
use crate::artifact::{Diagnostic, Lines as Span, Report, Severity};

/// A diagnostic takes over the passage in which it stands up to this many lines.
const TOGETHER: u32 = 20;

/// Adds the passages that no reader tells; of the others the first diagnostic in it takes the lines.
pub(super) fn merge(lines: &Lines, passages: Vec<Diagnostic>, report: &mut Report) {
    let faults: Vec<Span> = report.cases.iter().flat_map(|case| &case.faults).filter_map(|fault| fault.lines).collect();
    for mut passage in passages {
        let Some(at) = passage.lines else { continue };
        if faults.iter().any(|told| overlaps(*told, at)) {
            continue;
        }
        let inside = |found: &&mut Diagnostic| {
            found.severity == Severity::Error && found.lines.is_some_and(|span| overlaps(span, at))
        };
        let mut inside: Vec<&mut Diagnostic> = report.diagnostics.iter_mut().filter(inside).collect();
        inside.sort_by_key(|found| found.lines.map(|span| span.start));
        let last = inside.iter().filter_map(|found| found.lines).map(|span| span.end).max();
        let Some((first, last)) = inside.into_iter().next().zip(last) else {
            report.passages.push(passage);
            continue;
        };
        let span = first.lines.unwrap_or(at);
        let all = Span { start: at.start.min(span.start), end: at.end.max(span.end) };
        if all.end - all.start < TOGETHER {
            (first.lines, first.excerpt) = quote(lines, all);
            first.weight = first.weight.max(passage.weight);
        } else if last < at.end {
            // What follows the diagnostics stands for itself.
            (passage.lines, passage.excerpt) = quote(lines, Span { start: last + 1, end: at.end });
            report.passages.extend(passage.lines.is_some().then_some(passage));
        }
    }
}

fn quote(lines: &Lines, span: Span) -> (Option<Span>, String) {
    lines.quote_at_most(TOGETHER as usize, lines.index_of(span.start)..lines.index_of(span.end) + 1)
}

fn overlaps(one: Span, other: Span) -> bool {
    one.start <= other.end && other.start <= one.end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diagnostic_takes_its_passage_unless_that_is_long() {
        let lines = Lines::of(&"x\n".repeat(80));
        let of = |start, end| Diagnostic { lines: Some(Span { start, end }), ..Diagnostic::default() };
        let mut report = Report { diagnostics: vec![of(2, 2), of(30, 31)], ..Report::default() };
        merge(&lines, vec![of(1, 3), of(10, 40), of(50, 50)], &mut report);
        assert_eq!(report.diagnostics[0].lines, Some(Span { start: 1, end: 3 }));
        assert_eq!(report.diagnostics[0].excerpt, "x\nx\nx");
        let passages: Vec<_> = report.passages.iter().filter_map(|passage| passage.lines).collect();
        assert_eq!(passages, [Span { start: 32, end: 40 }, Span { start: 50, end: 50 }]);
    }
}
