//! Node, Deno, the JVM, .NET, Dart: uncaught exceptions.

use super::{Found, end};
use crate::artifact::place;
use crate::artifact::text::lines::Lines;

/// The place, its source and a caret stand above the error:
///
/// ```text
/// /r/a.js:3
///   throw new Error("x");
///   ^
///
/// Error: x
///     at f (/r/a.js:3:9)
/// ```
pub(super) fn node(lines: &Lines, index: usize) -> Option<Found> {
    let caret = lines.get(index).trim();
    if index < 2 || caret.len() > 200 || !caret.bytes().all(|byte| byte == b'^') {
        return None;
    }
    let start = index - 2;
    let at = place::whole(lines.get(start)).filter(|at| at.column.is_none())?;
    let script = ["js", "mjs", "cjs", "ts", "mts", "cts", "jsx", "tsx"];
    let ours = at.path.starts_with("node:") || script.iter().any(|end| place::has_extension(&at.path, end));
    if !ours || at.path.contains(' ') {
        return None;
    }
    let (says, _) = lines.range(index + 1..index + 4).find(|(_, line)| !line.trim().is_empty())?;
    let message = lines.get(says).trim().trim_start_matches("Uncaught ").to_owned();
    Some(Found { tool: "node", lines: (start, end(lines, says + 1, |line| !line.trim().is_empty())), says, message })
}

/// `error: Uncaught (in promise) Error: x`
pub(super) fn deno(lines: &Lines, index: usize) -> Option<Found> {
    let rest = lines.get(index).strip_prefix("error: Uncaught ")?;
    let message = rest.strip_prefix("(in promise) ").unwrap_or(rest).to_owned();
    let end = end(lines, index + 1, |line| line.starts_with(' '));
    Some(Found { tool: "deno", lines: (index, end), says: index, message })
}

/// `Exception in thread "main" java.lang.Error: x`
pub(super) fn jvm(lines: &Lines, index: usize) -> Option<Found> {
    let rest = lines.get(index).trim_start().strip_prefix("Exception in thread \"")?;
    let message = rest.split_once("\" ")?.1.to_owned();
    let goes_on = |line: &str| {
        let text = line.trim_start();
        ["at ", "Caused by: ", "Suppressed: ", "... "].iter().any(|head| text.starts_with(head))
            || line.starts_with('\t')
    };
    // The message can go on below.
    let first = lines.range(index + 1..index + 6).find(|(_, line)| goes_on(line)).map_or(index + 1, |(at, _)| at);
    Some(Found { tool: "java", lines: (index, end(lines, first, goes_on)), says: index, message })
}

/// The virtual machine itself died.
pub(super) fn jvm_died(lines: &Lines, index: usize) -> Option<Found> {
    lines.get(index).strip_prefix("# A fatal error has been detected")?;
    let end = end(lines, index, |line| line.starts_with('#'));
    let says = lines.range(index + 1..end).find(|(_, line)| line.trim_matches(['#', ' ']).len() > 2)?.0;
    let message = format!("the Java runtime died: {}", lines.get(says).trim_matches(['#', ' ']));
    Some(Found { tool: "java", lines: (index, end), says, message })
}

/// .NET: `Unhandled exception. System.Exception: x`; Dart has the message below.
pub(super) fn unhandled(lines: &Lines, index: usize) -> Option<Found> {
    let line = lines.get(index).trim_start();
    let rest = line.strip_prefix("Unhandled exception").or_else(|| line.strip_prefix("Unhandled Exception"))?;
    let goes_on = |line: &str| {
        let text = line.trim_start();
        ["at ", "---", "#"].iter().any(|head| text.starts_with(head))
    };
    let (says, message) = if let Some(message) = rest.strip_prefix(". ").or_else(|| rest.strip_prefix(": ")) {
        (index, message.to_owned())
    } else {
        let (at, message) = lines.range(index + 1..index + 3).find(|(_, line)| !line.trim().is_empty())?;
        (rest.trim() == ":").then(|| (at, message.trim().to_owned()))?
    };
    let first = lines.range(says + 1..says + 8).find(|(_, line)| goes_on(line)).map(|(at, _)| at)?;
    let tool = if lines.get(first).starts_with('#') { "dart" } else { "dotnet" };
    Some(Found { tool, lines: (index, end(lines, first, goes_on)), says, message })
}
