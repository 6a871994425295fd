//! Programs that died outside of any test runner: uncaught exceptions, panics, signals, reports of sanitizers.
//!
//! One pass over the text finds the lines that can head a crash; a function of the table reads what is there.

mod managed;
mod native;
pub(in crate::artifact) mod python;
mod script;

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};

use crate::artifact::text::Part;
use crate::artifact::text::lines::Lines;
use crate::artifact::{Diagnostic, FaultKind, Location, Severity, gist, place};
use crate::text;

/// More crashes of one text are not listed.
const CRASHES_LIMIT: usize = 200;
/// A crash does not say more lines than this.
const EXTENT_LIMIT: usize = 300;
/// A person quotes a few lines.
const QUOTE_LIMIT: usize = 15;
/// A message is one line of at most this many bytes.
const MESSAGE_LIMIT: usize = 400;

/// What was found at a line.
struct Found {
    tool: &'static str,
    /// Lines by index, the end excluded.
    lines: (usize, usize),
    /// The line that says what is wrong, by index.
    says: usize,
    message: String,
}

/// Reads what a line of a text heads, if it heads a crash.
type Head = fn(&Lines, usize) -> Option<Found>;

/// What can head a crash and who reads it; no word begins another one.
const HEADS: &[(&str, &[Head])] = &[
    ("^", &[managed::node]),
    ("error: Uncaught", &[managed::deno]),
    ("Exception in thread ", &[managed::jvm]),
    ("detected by the Java Runtime", &[managed::jvm_died]),
    ("Unhandled exception", &[managed::unhandled]),
    ("Unhandled Exception", &[managed::unhandled]),
    ("panic: ", &[native::go]),
    ("fatal error: ", &[native::go]),
    ("WARNING: DATA RACE", &[native::go_race]),
    ("panicked at ", &[native::rust]),
    ("has overflowed its stack", &[native::rust_overflow]),
    ("Sanitizer: ", &[native::sanitizer]),
    (": runtime error: ", &[native::undefined]),
    ("== Invalid ", &[native::valgrind]),
    ("== Conditional jump", &[native::valgrind]),
    ("== Use of uninit", &[native::valgrind]),
    ("== Mismatched free", &[native::valgrind]),
    ("== Process terminating", &[native::valgrind]),
    ("are definitely lost", &[native::valgrind]),
    ("Segmentation fault", &[native::signal]),
    ("(core dumped)", &[native::signal]),
    ("received signal SIG", &[native::signal]),
    ("terminate called ", &[native::signal]),
    ("stack smashing detected", &[native::signal]),
    ("double free or corruption", &[native::signal]),
    ("free(): invalid", &[native::signal]),
    ("malloc(): ", &[native::signal]),
    ("Assertion ", &[native::assertion]),
    ("Fatal Python error: ", &[script::python_died]),
    ("Error)", &[script::ruby]),
    ("Exception)", &[script::ruby]),
    ("rake aborted!", &[script::rake]),
    ("Fatal error: ", &[native::swift, script::ocaml, script::php]),
    ("Parse error: ", &[script::php]),
    ("** (", &[script::elixir]),
    ("Can't locate ", &[script::perl]),
    (".pl line ", &[script::perl_died]),
    (".pm line ", &[script::perl_died]),
    (".PL line ", &[script::perl_died]),
    ("CallStack (from HasCallStack)", &[script::haskell]),
    ("stack traceback:", &[script::lua]),
    ("Stacktrace:", &[script::julia]),
    ("Execution halted", &[script::r]),
    (" char:", &[script::powershell]),
];

/// Reads every crash.
pub(in crate::artifact) fn read(lines: &Lines) -> Part {
    static WORDS: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
        let words = HEADS.iter().map(|(word, _)| *word);
        AhoCorasick::builder().match_kind(MatchKind::LeftmostFirst).build(words).ok()
    });
    let mut part = Part { quotes: true, ..Part::default() };
    let (mut read, mut seen) = (0, (usize::MAX, usize::MAX));
    for word in WORDS.iter().flat_map(|words| words.find_iter(lines.text())) {
        let index = lines.line_at(word.start());
        let head = word.pattern().as_usize();
        if index < read || seen == (index, head) {
            continue;
        }
        seen = (index, head);
        let Some(found) = HEADS[head].1.iter().find_map(|read| read(lines, index)) else { continue };
        if found.lines.0 < read {
            continue;
        }
        read = found.lines.1.max(index + 1);
        part.diagnostics.push(diagnostic(lines, &found));
        if part.diagnostics.len() == CRASHES_LIMIT {
            break;
        }
    }
    part.producer = part.diagnostics.first().map(|first| first.tool.clone());
    part.recognised = !part.diagnostics.is_empty();
    part
}

fn diagnostic(lines: &Lines, found: &Found) -> Diagnostic {
    let details = lines.join(found.lines.0..found.lines.1);
    let fault = gist::fault(&found.message, None, &details, None);
    let message = text::first_line(&text::plain(&found.message), MESSAGE_LIMIT);
    let told = || text::first_line(&details, MESSAGE_LIMIT).split_whitespace().find_map(placed);
    let location = fault.location.filter(|at| !place::is_foreign(&at.path)).or_else(told);
    // The words and the calls right below them; what a program prints above its message is its source.
    let start = found.lines.0.max(found.says.saturating_sub(4));
    let (quoted, excerpt) = lines.quote(start..found.lines.1.min(found.says + QUOTE_LIMIT - 4));
    Diagnostic {
        kind: kind(&message),
        tool: found.tool.to_owned(),
        rule: gist::exception(&message),
        severity: Severity::Error,
        message,
        location,
        frames: fault.frames,
        details: fault.details,
        lines: quoted,
        excerpt,
        ..Diagnostic::default()
    }
}

/// What kept a program from starting is told from what it died of.
fn kind(message: &str) -> FaultKind {
    let says = |words: &[&str]| words.iter().any(|word| message.contains(word));
    let missing = [
        "Cannot find module",
        "Cannot find package",
        "ERR_MODULE_NOT_FOUND",
        "cannot load such file",
        "Can't locate ",
        "there is no package called",
        "Could not load file or assembly",
        "Package not found",
    ];
    if says(&missing) || (message.starts_with("(Mix) ") && says(&["dependency", "dependencies"])) {
        FaultKind::Dependency
    } else if message.starts_with("(Mix) ") {
        if says(&["check-formatted"]) { FaultKind::Format } else { FaultKind::Unknown }
    } else if says(&[
        "SyntaxError",
        "syntax error",
        "Parse error: ",
        "(CompileError)",
        "(SyntaxError)",
        "TokenMissingError",
    ]) {
        FaultKind::Compile
    } else if says(&["TimeoutError", "TimeoutException", "test timed out after"]) {
        FaultKind::Timeout
    } else {
        FaultKind::Crash
    }
}

/// A file with its line in a word of a message.
fn placed(word: &str) -> Option<Location> {
    let (at, _) = place::leading(word.trim_start_matches(['(', '[', '\'', '"', '`']))?;
    (place::is_file(&at.path) && !place::is_foreign(&at.path)).then_some(at)
}

/// The first line from `from` on that does not go on with what began above.
fn end(lines: &Lines, from: usize, goes_on: impl Fn(&str) -> bool) -> usize {
    let limit = lines.len().min(from.saturating_add(EXTENT_LIMIT));
    lines.range(from..limit).find(|(_, line)| !goes_on(line)).map_or(limit, |(at, _)| at)
}

#[cfg(test)]
mod tests;
