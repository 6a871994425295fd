//! Go: the stacks of goroutines, and the places of failed tests and assertions.

use super::super::stack::{Call, Language, Line, Order, Role, Step};
use crate::artifact::{Location, place};

pub(super) const GO: Language = Language {
    needles: &[".go:", "goroutine "],
    order: Order::InnermostFirst,
    last_counts: false,
    gap: 6,
    names_callee: false,
    shapes: &[
        r"^Error Trace:\s+(?P<path>\S[^:]*\.go):(?P<line>[0-9]+)$",
        r"^(?P<path>[\w./~@+-]+\.go):(?P<line>[0-9]+)(?::(?P<column>[0-9]+))?(?:: |$)",
    ],
    read: Some(read),
    clean,
};

fn read(line: &Line<'_>) -> Option<Step> {
    if line.text.starts_with("goroutine ") && line.text.ends_with(':') {
        return Some(Step::Begin(Role::Main, None));
    }
    // The race detector shows where both sides and their goroutines come from.
    if line.text.starts_with("Previous ") && line.text.ends_with(':') {
        return Some(Step::Begin(Role::Aside, None));
    }
    let (at, rest) = place::leading(line.text)?;
    let offset =
        rest.trim().strip_prefix("+0x").is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
    let below = line.raw.starts_with('\t') || line.raw.starts_with("      ");
    if !place::has_extension(&at.path, "go") || !(offset || (rest.is_empty() && below && is_call(line.above))) {
        return None;
    }
    let function = if is_call(line.above) { clean(line.above) } else { String::new() };
    Some(Step::Call(Call::new(Location { column: None, ..at }, &function)))
}

fn is_call(line: &str) -> bool {
    line.starts_with("created by ") || (line.ends_with(')') && !line.contains(": "))
}

/// `main.(*T).M(0xc000, 0x1)` is `main.(*T).M`.
fn clean(line: &str) -> String {
    let line = line.strip_prefix("created by ").unwrap_or(line);
    let line = line.split(" in goroutine ").next().unwrap_or(line);
    let Some(front) = line.strip_suffix(')') else { return line.to_owned() };
    // The last pair of brackets holds the arguments, and they can hold brackets.
    let mut depth = 1_usize;
    for (at, byte) in front.bytes().enumerate().rev() {
        match byte {
            b')' => depth += 1,
            b'(' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return front[..at].to_owned();
        }
    }
    line.to_owned()
}
