//! Python tracebacks outside of any test runner: a script, an import or a tool that died.

use crate::artifact::text::Part;
use crate::artifact::text::lines::Lines;
use crate::artifact::{Diagnostic, FaultKind, Severity, gist};

/// A traceback is not longer than this.
const TRACE_LIMIT: usize = 500;

/// Reads every traceback; of a chain the last one, which is the one that was raised.
pub(in crate::artifact) fn read(lines: &Lines) -> Part {
    let mut part = Part { quotes: true, ..Part::default() };
    let mut index = 0;
    while index < lines.len() {
        if !is_head(lines.get(index)) {
            index += 1;
            continue;
        }
        let mut start = index;
        let mut end = end(lines, start);
        // `During handling of the above exception, another exception occurred:`
        while let Some(next) = lines.range(end..end + 6).find(|(_, line)| is_head(line)).map(|(at, _)| at) {
            let chained = lines.range(end..next).any(|(_, line)| line.contains("the above exception"));
            if !chained {
                break;
            }
            start = next;
            end = self::end(lines, start);
        }
        // The head alone, cut off by what another process printed, says nothing.
        if lines.range(start + 1..end).any(|(_, line)| line.trim_start().starts_with("File \"")) {
            part.diagnostics.push(diagnostic(lines, start, end));
        }
        index = end.max(index + 1);
    }
    part.recognised = !part.diagnostics.is_empty();
    part
}

fn is_head(line: &str) -> bool {
    line.trim_start().starts_with("Traceback (most recent call last)")
}

/// After the indented frames comes one line that says what was raised.
fn end(lines: &Lines, start: usize) -> usize {
    let indent = lines.get(start).len() - lines.get(start).trim_start().len();
    let inside = |line: &str| line.is_empty() || line.len() - line.trim_start().len() > indent;
    let raised = lines.range(start + 1..start + TRACE_LIMIT).find(|(_, line)| !inside(line)).map(|(at, _)| at);
    raised.map_or(lines.len().min(start + TRACE_LIMIT), |at| at + 1)
}

fn diagnostic(lines: &Lines, start: usize, end: usize) -> Diagnostic {
    let details = lines.join(start..end);
    let fault = gist::fault("", None, &details, None);
    let raised = lines.get(end - 1).trim();
    let raised_class = class(raised);
    let message = if raised_class.is_some() { crate::text::first_line(raised, 400) } else { fault.message };
    let class = raised_class.or_else(|| gist::exception(&message));
    let (quoted, excerpt) = lines.quote(start.max(end.saturating_sub(8))..end);
    Diagnostic {
        kind: kind(class.as_deref().unwrap_or_default()),
        tool: "python".to_owned(),
        rule: class,
        severity: Severity::Error,
        message,
        location: fault.location,
        frames: fault.frames,
        details: fault.details,
        lines: quoted,
        excerpt,
        ..Diagnostic::default()
    }
}

/// `socket.timeout: timed out` names its class, whatever that is called; a sentence names none.
fn class(raised: &str) -> Option<String> {
    let name = raised.split_once(':').map_or(raised, |(name, _)| name);
    let known = gist::exception(raised).is_some();
    let part = |part: &str| {
        part.starts_with(|c: char| c.is_alphabetic() || c == '_')
            && part.chars().all(|c| c.is_alphanumeric() || c == '_')
    };
    let named = name.split('.').all(part) && (name.len() < raised.len() || name.contains('.'));
    (known || named).then(|| name.to_owned())
}

/// What kind of fault an exception outside of a test is.
pub(in crate::artifact) fn kind(class: &str) -> FaultKind {
    match class.rsplit('.').next().unwrap_or(class) {
        "ModuleNotFoundError" | "ResolutionImpossible" | "DistributionNotFound" => FaultKind::Dependency,
        "SyntaxError" | "IndentationError" | "TabError" => FaultKind::Compile,
        "TimeoutError" | "TimeoutExpired" => FaultKind::Timeout,
        "ReadTimeout" | "ConnectTimeout" | "ConnectionError" | "ConnectionRefusedError" | "gaierror" => {
            FaultKind::Infrastructure
        }
        _ => FaultKind::Crash,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_of_a_chain_is_the_fault() {
        let lines = Lines::of(
            "x\nTraceback (most recent call last):\n  File \"a.py\", line 1, in f\n    g()\nKeyError: 'a'\n\nDuring handling of the above exception, another exception occurred:\n\nTraceback (most recent call last):\n  File \"b.py\", line 2, in <module>\n    f()\nModuleNotFoundError: No module named 'yaml'\nmore",
        );
        let part = read(&lines);
        assert_eq!(part.diagnostics.len(), 1);
        let found = &part.diagnostics[0];
        assert_eq!(
            (found.kind, found.message.as_str()),
            (FaultKind::Dependency, "ModuleNotFoundError: No module named 'yaml'")
        );
        assert_eq!(found.location.as_ref().unwrap().path, "b.py");
        assert_eq!(found.lines.unwrap().end, 12);
    }

    #[test]
    fn a_traceback_that_is_cut_off_still_counts() {
        assert_eq!(
            read(&Lines::of("Traceback (most recent call last):\n  File \"a.py\", line 1, in f")).diagnostics.len(),
            1
        );
    }
}
