//! Python: tracebacks of the interpreter, chains and groups of them, and the places of a pytest traceback.

use super::super::stack::{Call, Language, Line, Order, Role, Step};
use crate::artifact::{Location, place};

pub(super) const PYTHON: Language = Language {
    needles: &["File \"", ".py:", ".pyx:", "Traceback (most recent call last)"],
    order: Order::OutermostFirst,
    last_counts: true,
    gap: usize::MAX,
    names_callee: false,
    shapes: &[],
    read: Some(read),
    clean: str::to_owned,
};

/// What the interpreter prints when it dies itself: the most recent call first, and no comma behind the line.
pub(super) const FAULTHANDLER: Language = Language {
    needles: &["(most recent call first)"],
    order: Order::InnermostFirst,
    last_counts: false,
    gap: 2,
    names_callee: false,
    shapes: &[r#"^File "(?P<path>[^"]+)", line (?P<line>[0-9]+) in (?P<function>.+)$"#],
    read: None,
    clean: str::to_owned,
};

fn read(line: &Line<'_>) -> Option<Step> {
    // The parts of an exception group are drawn with a margin; pytest marks what it quotes.
    let text = line.text.trim_start_matches(['|', '+', ' ']);
    if text.starts_with("Traceback (most recent call last)") || text.starts_with("Exception Group Traceback") {
        return Some(Step::Begin(Role::Main, None));
    }
    if line.raw.starts_with("---") && line.raw.contains(" Captured ") {
        return Some(Step::End);
    }
    if line.text.starts_with("+-") && second_of_group(line.text) {
        return Some(Step::End);
    }
    let quoted = text.strip_prefix("E ").map_or(text, str::trim_start);
    if let Some(call) = file(quoted) {
        return Some(Step::Call(call));
    }
    pytest_place(line.raw, line.definition).map(Step::Call)
}

/// `+---------------- 2 ----------------`: the first exception of a group stands for the others.
fn second_of_group(text: &str) -> bool {
    let number = text.trim_matches(['+', '-', ' ']);
    number.len() < 6 && number.parse::<u32>().is_ok_and(|number| number > 1)
}

/// `File "a.py", line 3, in f`
fn file(line: &str) -> Option<Call> {
    let (path, rest) = line.strip_prefix("File \"")?.split_once("\", line ")?;
    let (number, rest) = rest.split_at(rest.bytes().take_while(u8::is_ascii_digit).count());
    // Compilers of other languages write the same with columns behind.
    if rest.starts_with(", characters") {
        return None;
    }
    let at = Location { path: path.to_owned(), line: Some(number.parse().ok()?), column: None };
    Some(Call::new(at, rest.strip_prefix(", in ").unwrap_or_default()))
}

/// `a.py:3: in f`, `a.py:3: AssertionError`: the places between the parts of a pytest traceback.
fn pytest_place(line: &str, definition: Option<&str>) -> Option<Call> {
    if line.starts_with([' ', '\t', '>']) || line.starts_with("E ") {
        return None;
    }
    let (at, rest) = place::leading(line)?;
    if !(place::has_extension(&at.path, "py") || place::has_extension(&at.path, "pyx")) || at.path.contains(' ') {
        return None;
    }
    let rest = rest.strip_prefix(':')?.trim();
    match rest.strip_prefix("in ") {
        Some(function) => Some(Call::new(at, function)),
        None if rest.contains(' ') => None,
        None => Some(Call::new(at, definition.unwrap_or_default())),
    }
}

/// `    def f(x):` in the source that pytest prints above a place.
pub(in super::super) fn definition(line: &str) -> Option<&str> {
    let rest = line.trim_start_matches(['>', ' ']);
    let rest = rest.strip_prefix("async ").unwrap_or(rest).strip_prefix("def ")?;
    let (name, _) = rest.split_once('(')?;
    Some(name.trim())
}
