//! Rust backtraces, short and full.

use super::super::stack::{Call, Language, Line, Order, Step};
use crate::artifact::place;

pub(super) const RUST: Language = Language {
    needles: &[".rs:"],
    order: Order::InnermostFirst,
    last_counts: false,
    gap: 3,
    names_callee: false,
    shapes: &[],
    read: Some(read),
    clean,
};

fn read(line: &Line<'_>) -> Option<Step> {
    let at = place::whole(line.text.strip_prefix("at ")?)?;
    if !place::has_extension(&at.path, "rs") {
        return None;
    }
    Some(Step::Call(Call::new(at, &clean(symbol(line.above).unwrap_or_default()))))
}

/// `3: krate::module::function`, in full backtraces with an address before the name.
fn symbol(line: &str) -> Option<&str> {
    let (number, symbol) = line.split_once(": ")?;
    if number.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let symbol = symbol.trim();
    let addressed = symbol.strip_prefix("0x").and_then(|rest| rest.split_once(" - "));
    Some(addressed.map_or(symbol, |(_, symbol)| symbol))
}

/// Without the hash that each build makes anew.
fn clean(function: &str) -> String {
    let hash = |hash: &str| hash.len() == 16 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    match function.rsplit_once("::h") {
        Some((name, digits)) if hash(digits) => name.to_owned(),
        _ => function.to_owned(),
    }
}
