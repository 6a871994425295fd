//! Julia.

use super::super::stack::{Call, Language, Line, Order, Step};
use crate::artifact::place;

pub(super) const JULIA: Language = Language {
    needles: &[".jl:"],
    order: Order::InnermostFirst,
    last_counts: false,
    gap: 4,
    names_callee: false,
    shapes: &[r"^\[[0-9]+\] (?P<function>\S.*?)(?:\(.*\))? at (?P<path>\S+\.jl):(?P<line>[0-9]+)"],
    read: Some(read),
    clean: str::to_owned,
};

/// `@ Main ~/x/a.jl:12` below `[1] f(x::Int64)`.
fn read(line: &Line<'_>) -> Option<Step> {
    let mut at = place::whole(line.text.strip_prefix("@ ")?.split(" [").next()?)?;
    if let Some((module, path)) = at.path.clone().split_once(' ') {
        // The language's own files are named as if they lay in the working folder.
        let own = matches!(module, "Base" | "Core" | "Test" | "Compiler") || module.starts_with("Base.");
        at.path = if own { format!("<{module}>/{}", path.trim_start_matches("./")) } else { path.to_owned() };
    }
    if !place::has_extension(&at.path, "jl") {
        return None;
    }
    let function = line.above.strip_prefix('[').and_then(|rest| rest.split_once("] ")).map_or("", |(_, name)| name);
    Some(Step::Call(Call::new(at, function.split(['(', '{']).next().unwrap_or_default())))
}
