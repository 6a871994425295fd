//! Stack traces of any language inside a text: frames, outermost call first, and where a fault was raised.

use super::{Frame, Location, place};

/// The most frames that are kept of one trace.
const FRAMES_LIMIT: usize = 100;

/// A trace as read.
#[derive(Debug, Default)]
pub(super) struct Trace {
    /// Outermost call first.
    pub(super) frames: Vec<Frame>,
    /// The innermost place that is not the language's or a package's; else the innermost.
    pub(super) location: Option<Location>,
    /// The line of the text (from 0) that holds the last frame.
    pub(super) last_line: Option<usize>,
}

/// How a line of a trace reads, and which end of the stack its trace begins with.
enum Order {
    OutermostFirst,
    InnermostFirst,
}

/// Finds the frames of the last trace in `text`.
pub(super) fn read(text: &str) -> Trace {
    let mut outermost_first = Vec::new();
    let mut innermost_first = Vec::new();
    let mut last_line = None;
    let mut name = None;
    let mut definition = None;
    for (index, line) in text.lines().enumerate() {
        // A later traceback replaces an earlier one: it is the one that was raised.
        if line.starts_with("Traceback (most recent call last)") {
            outermost_first.clear();
        }
        if let Some(function) = python_definition(line) {
            definition = Some(function);
        }
        let Some((frame, column, order)) = frame(line, name.take().as_deref(), definition) else {
            name = rust_symbol(line);
            continue;
        };
        last_line = Some(index);
        match order {
            Order::OutermostFirst => outermost_first.push((frame, column)),
            Order::InnermostFirst => innermost_first.push((frame, column)),
        }
    }
    innermost_first.reverse();
    let mut found = if innermost_first.len() > outermost_first.len() { innermost_first } else { outermost_first };
    if found.len() > FRAMES_LIMIT {
        found.drain(FRAMES_LIMIT / 2..found.len() - FRAMES_LIMIT / 2);
    }
    let raised = found.iter().rev().find(|(frame, _)| !place::is_foreign(&frame.path)).or_else(|| found.last());
    let location =
        raised.map(|(frame, column)| Location { path: frame.path.clone(), line: frame.line, column: *column });
    Trace { frames: found.into_iter().map(|(frame, _)| frame).collect(), location, last_line }
}

fn frame(line: &str, symbol: Option<&str>, definition: Option<&str>) -> Option<(Frame, Option<u32>, Order)> {
    if line.len() > 2048 {
        return None;
    }
    let trimmed = line.trim();
    if let Some(frame) = python_file(trimmed) {
        return Some((frame, None, Order::OutermostFirst));
    }
    if let Some(call) = trimmed.strip_prefix("at ") {
        return called(call, symbol).map(|(frame, column)| (frame, column, Order::InnermostFirst));
    }
    if let Some(call) = trimmed.strip_prefix("❯ ") {
        let (function, at) = call.rsplit_once(' ').unwrap_or(("", call));
        let at = place::whole(at).filter(|at| place::is_file(&at.path))?;
        return Some((of(&at, Some(function)), at.column, Order::InnermostFirst));
    }
    pytest_place(line, definition).map(|frame| (frame, None, Order::OutermostFirst))
}

fn of(place: &Location, function: Option<&str>) -> Frame {
    let function = function.map(str::trim).filter(|name| !name.is_empty() && *name != "<module>").map(str::to_owned);
    Frame { path: place.path.clone(), line: place.line, function, in_project: None }
}

/// `File "a.py", line 3, in f`
fn python_file(line: &str) -> Option<Frame> {
    let (path, rest) = line.strip_prefix("File \"")?.split_once("\", line ")?;
    let (number, rest) = rest.split_at(rest.bytes().take_while(u8::is_ascii_digit).count());
    let place = Location { path: path.to_owned(), line: Some(number.parse().ok()?), column: None };
    Some(of(&place, rest.strip_prefix(", in ")))
}

/// What follows `at `: JavaScript, the JVM, a Rust backtrace.
fn called(call: &str, symbol: Option<&str>) -> Option<(Frame, Option<u32>)> {
    let Some((function, at)) = call.strip_suffix(')').and_then(|call| call.rsplit_once('(')) else {
        let call = call.strip_prefix("async ").unwrap_or(call);
        let at = place::whole(call).filter(|at| place::is_file(&at.path) || at.path.starts_with("node:"))?;
        return Some((of(&at, symbol), at.column));
    };
    let at = place::whole(at)?;
    let function = function.trim_start_matches("async ");
    let mut frame = of(&at, Some(function));
    if let Some(package) = jvm_folder(function, &at.path) {
        frame.path = package;
    }
    Some((frame, at.column))
}

/// The JVM names only the file; its folder is the package: `a.b.C.m(C.java:1)` is `a/b/C.java`.
fn jvm_folder(function: &str, file: &str) -> Option<String> {
    let jvm = [".java", ".kt", ".scala", ".groovy"].iter().any(|end| file.ends_with(end));
    if !jvm || file.contains('/') {
        return None;
    }
    let (class, _) = function.rsplit_once('.')?;
    let package = class.rsplit_once('/').map_or(class, |(_, class)| class).rsplit_once('.')?.0;
    Some(format!("{}/{file}", package.replace('.', "/")))
}

/// `a.py:3: in f`, `a.py:3: AssertionError`: the places between the parts of a pytest traceback.
fn pytest_place(line: &str, definition: Option<&str>) -> Option<Frame> {
    if line.starts_with([' ', '\t', '>']) || line.starts_with("E ") {
        return None;
    }
    let (at, rest) = place::leading(line)?;
    if !place::has_extension(&at.path, "py") || at.path.contains(' ') {
        return None;
    }
    let rest = rest.strip_prefix(':')?.trim();
    match rest.strip_prefix("in ") {
        Some(function) => Some(of(&at, Some(function))),
        None if rest.contains(' ') => None,
        None => Some(of(&at, definition)),
    }
}

/// `    def f(x):` in the source that pytest prints above a place.
pub(super) fn python_definition(line: &str) -> Option<&str> {
    let rest = line.trim_start_matches(['>', ' ']);
    let rest = rest.strip_prefix("async ").unwrap_or(rest).strip_prefix("def ")?;
    let (name, _) = rest.split_once('(')?;
    Some(name.trim())
}

/// `  3: krate::module::function` above its `at path` line.
fn rust_symbol(line: &str) -> Option<String> {
    let (number, symbol) = line.trim_start().split_once(": ")?;
    (!number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())).then(|| symbol.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(text: &str) -> String {
        let trace = read(text);
        let frames: Vec<String> = trace
            .frames
            .iter()
            .map(|frame| {
                format!("{}:{} {}", frame.path, frame.line.unwrap_or(0), frame.function.as_deref().unwrap_or("-"))
            })
            .collect();
        format!("{} | {}", frames.join(", "), trace.location.map_or("-".to_owned(), |at| at.path))
    }

    #[test]
    fn a_python_traceback_is_outermost_first() {
        let text = "Traceback (most recent call last):\n  File \"t.py\", line 3, in test_a\n    f()\n  File \"/usr/lib/python3.11/json/x.py\", line 9, in loads\nValueError: x";
        assert_eq!(show(text), "t.py:3 test_a, /usr/lib/python3.11/json/x.py:9 loads | t.py");
    }

    #[test]
    fn a_pytest_traceback_takes_names_from_the_source_it_shows() {
        let text = "    def test_a():\n>       f(1)\n\nt.py:3: \n_ _ _\n\n    def f(x):\n>       assert x\nE       assert 0\n\nlib.py:9: AssertionError";
        assert_eq!(show(text), "t.py:3 test_a, lib.py:9 f | lib.py");
    }

    #[test]
    fn javascript_and_jvm_traces_are_turned_round() {
        let text =
            "Error: x\n    at f (/r/a.js:1:2)\n    at Object.<anonymous> (/r/t.js:3:4)\n    at node:internal/x:5:6";
        assert_eq!(show(text), "node:internal/x:5 -, /r/t.js:3 Object.<anonymous>, /r/a.js:1 f | /r/a.js");
        assert_eq!(show("\tat org.x.Foo.bar(Foo.java:7)"), "org/x/Foo.java:7 org.x.Foo.bar | org/x/Foo.java");
    }

    #[test]
    fn a_rust_backtrace_names_its_functions() {
        let text = "   0: core::panicking::panic\n             at /rustc/x/library/core/src/panicking.rs:1:5\n   1: demo::f\n             at ./src/lib.rs:4:9";
        assert_eq!(
            show(text),
            "./src/lib.rs:4 demo::f, /rustc/x/library/core/src/panicking.rs:1 core::panicking::panic | ./src/lib.rs"
        );
    }
}
