//! Go, Rust, C, C++, Swift: panics, signals, failed assertions, reports of sanitizers and of valgrind.

use super::{Found, end};
use crate::artifact::text::lines::Lines;
use crate::artifact::trace::panic;

/// `panic: x` or `fatal error: x`, with the goroutine below.
pub(super) fn go(lines: &Lines, index: usize) -> Option<Found> {
    let line = lines.get(index);
    let message = line.strip_prefix("panic: ").or_else(|| line.strip_prefix("fatal error: "))?;
    let goroutine = |line: &str| line.starts_with("goroutine ") && line.ends_with(':');
    let (first, _) = lines.range(index + 1..index + 14).find(|(_, line)| goroutine(line))?;
    // The first goroutine is the one that died, unless it is the one that watches over the time.
    let stop =
        |line: &str| ["exit status ", "FAIL", "ok  \t", "=== ", "--- "].iter().any(|head| line.starts_with(head));
    let end = end(lines, first, |line| !stop(line));
    let message = message.trim_end_matches(" [recovered]").to_owned();
    Some(Found { tool: "go", lines: (index, end), says: index, message })
}

/// What the race detector prints between two rules.
pub(super) fn go_race(lines: &Lines, index: usize) -> Option<Found> {
    (lines.get(index).trim() == "WARNING: DATA RACE").then_some(())?;
    let end = end(lines, index + 1, |line| !line.starts_with("======"));
    Some(Found { tool: "go", lines: (index, end), says: index, message: "data race".to_owned() })
}

/// `thread 'main' panicked at …` with its backtrace, where there is one.
pub(super) fn rust(lines: &Lines, index: usize) -> Option<Found> {
    lines.get(index).trim_start().strip_prefix("thread '")?;
    let panicked = panic::read(lines.range(index..index + 60).map(|(_, line)| line))?;
    let mut stop = index + panicked.lines;
    if lines.range(stop..stop + 2).any(|(_, line)| line.trim() == "stack backtrace:") {
        let frame = |line: &str| line.starts_with(' ') || line.trim() == "stack backtrace:" || line.is_empty();
        stop = end(lines, stop, frame);
    }
    Some(Found { tool: "rust", lines: (index, stop), says: index, message: panicked.message })
}

pub(super) fn rust_overflow(lines: &Lines, index: usize) -> Option<Found> {
    let line = lines.get(index).trim();
    let thread = line.starts_with("thread '");
    thread.then(|| Found { tool: "rust", lines: (index, index + 2), says: index, message: line.to_owned() })
}

/// `==12==ERROR: AddressSanitizer: heap-use-after-free on address …`, up to its summary.
pub(super) fn sanitizer(lines: &Lines, index: usize) -> Option<Found> {
    let line = lines.get(index);
    let (_, message) = line.split_once("ERROR: ").or_else(|| line.split_once("WARNING: "))?;
    if !message.split(':').next().is_some_and(|name| name.ends_with("Sanitizer") && !name.contains(' ')) {
        return None;
    }
    let stop = end(lines, index + 1, |line| !line.contains("SUMMARY: ") && !line.contains("Sanitizer: "));
    let summary = usize::from(lines.get(stop).contains("SUMMARY: "));
    // The process and the addresses are of this run alone.
    let message = message.split(" (pid=").next().unwrap_or(message);
    let message = message.split(" on address 0x").next().unwrap_or(message).to_owned();
    Some(Found { tool: "sanitizer", lines: (index, stop + summary), says: index, message })
}

/// `a.c:3:7: runtime error: signed integer overflow`
pub(super) fn undefined(lines: &Lines, index: usize) -> Option<Found> {
    let (at, message) = lines.get(index).split_once(": runtime error: ")?;
    let at = crate::artifact::place::whole(at).filter(|at| at.column.is_some() && !at.path.contains(' '))?;
    crate::artifact::place::is_file(&at.path).then_some(())?;
    let stop = end(lines, index + 1, |line| line.trim_start().starts_with('#'));
    Some(Found { tool: "sanitizer", lines: (index, stop), says: index, message: message.to_owned() })
}

/// `==12== Invalid read of size 4`
pub(super) fn valgrind(lines: &Lines, index: usize) -> Option<Found> {
    let inside = |line: &str| {
        line.strip_prefix("==").and_then(|rest| rest.split_once("== ")).map_or("", |(_, rest)| rest).to_owned()
    };
    let message = inside(lines.get(index)).trim().to_owned();
    let heads = ["Invalid ", "Conditional jump", "Use of uninit", "Mismatched free", "Process terminating"];
    let leak = message.contains(" are definitely lost in loss record");
    (leak || heads.iter().any(|head| message.starts_with(head))).then_some(())?;
    let stop = end(lines, index + 1, |line| !inside(line).trim().is_empty());
    let message = message.split(" in loss record").next().unwrap_or(&message).to_owned();
    Some(Found { tool: "valgrind", lines: (index, stop), says: index, message })
}

/// A process that a signal ended, as the shell, the C library or a debugger says it.
pub(super) fn signal(lines: &Lines, index: usize) -> Option<Found> {
    let line = lines.get(index).trim();
    if line.len() > 300 {
        return None;
    }
    let shell = [
        "Segmentation fault",
        "Aborted",
        "Bus error",
        "Illegal instruction",
        "Floating point exception",
        "Trace/breakpoint trap",
    ];
    let said = shell.iter().find(|word| {
        let Some((before, after)) = line.split_once(**word) else { return false };
        // `./x.sh: line 3: 123 Segmentation fault (core dumped) ./prog`, or nothing but the words.
        let before = before.trim_end();
        let alone = before.is_empty() || before.ends_with(|c: char| c.is_ascii_digit()) || before.ends_with(':');
        let after = after.trim_start();
        alone
            && (after.is_empty()
                || after.starts_with("(core dumped)")
                || after.starts_with(": 11")
                || before.ends_with(|c: char| c.is_ascii_digit()))
    });
    let library = [
        "terminate called ",
        "*** stack smashing detected",
        "double free or corruption",
        "free(): invalid",
        "malloc(): ",
        "Program received signal SIG",
        "Thread ",
    ];
    let printed = library.iter().any(|head| line.starts_with(head))
        && (!line.starts_with("Thread ") || line.contains(" received signal SIG"));
    if said.is_none() && !printed {
        return None;
    }
    let frame =
        |line: &str| line.starts_with('#') || line.trim_start().starts_with("what():") || line.starts_with("0x");
    let stop = end(lines, index + 1, frame);
    let what =
        lines.range(index + 1..stop).find_map(|(_, line)| line.trim_start().strip_prefix("what():").map(str::trim));
    let message = what.map_or_else(|| line.to_owned(), |what| format!("{line}: {what}"));
    Some(Found { tool: "process", lines: (index, stop), says: index, message })
}

/// ``prog: a.c:12: f: Assertion `x' failed.`` and its kin.
pub(super) fn assertion(lines: &Lines, index: usize) -> Option<Found> {
    let line = lines.get(index).trim();
    let glibc = line.contains(": Assertion `") && (line.ends_with("failed.") || line.ends_with("failed"));
    let others = line.starts_with("Assertion failed: ") && (line.contains(", file ") || line.ends_with(')'));
    (line.len() < 600 && (glibc || others)).then_some(())?;
    let message = line.find("Assertion ").map_or(line, |at| &line[at..]).to_owned();
    Some(Found { tool: "assert", lines: (index, index + 1), says: index, message })
}

/// `App/Main.swift:12: Fatal error: Index out of range`
pub(super) fn swift(lines: &Lines, index: usize) -> Option<Found> {
    let line = lines.get(index).trim();
    let (before, message) = line.split_once("Fatal error: ")?;
    let new = before.contains(".swift:");
    let old = before.is_empty() && message.contains(": file ") && message.contains(".swift, line ");
    (new || old).then_some(())?;
    let message = if old { message.split(": file ").next().unwrap_or(message) } else { message }.to_owned();
    let stop = end(lines, index + 1, |line| {
        line.starts_with("Current stack trace:") || line.starts_with(|c: char| c.is_ascii_digit())
    });
    Some(Found { tool: "swift", lines: (index, stop), says: index, message })
}
