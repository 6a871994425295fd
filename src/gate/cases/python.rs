//! Python: functions named `test…`, at the top or in classes that pytest or unittest collect.

use super::{Function, line_start};
use crate::gate::pattern::patterns;

patterns! {
    DEFINITION = r"(?m)^([ \t]*)(?:async[ \t]+)?(def|class)[ \t]+([A-Za-z_]\w*)([^\n]*)";
}

pub(super) fn functions(code: &str) -> Vec<Function> {
    let mut found = Vec::new();
    // The classes and functions that are open, with their indentation and whether tests in them are collected.
    let mut open: Vec<(usize, String, bool)> = Vec::new();
    for definition in DEFINITION.captures_iter(code) {
        let (Some(indent), Some(kind), Some(name)) = (definition.get(1), definition.get(2), definition.get(3)) else {
            continue;
        };
        let width = indent.as_str().len();
        open.retain(|(outer, ..)| *outer < width);
        let collected = open.iter().all(|(_, _, collected)| *collected);
        let mut symbol: Vec<&str> = open.iter().map(|(_, name, _)| name.as_str()).filter(|n| !n.is_empty()).collect();
        if kind.as_str() == "class" {
            let bases = definition.get(4).map_or("", |rest| rest.as_str());
            open.push((
                width,
                name.as_str().into(),
                collected && (class_is_collected(name.as_str(), bases) || is_base(code, name.as_str())),
            ));
            continue;
        }
        symbol.push(name.as_str());
        let start = decorators_start(code, line_start(code, name.start()), width);
        found.push(Function {
            name: name.as_str().into(),
            symbol: symbol.join("."),
            span: start..body_end(code, name.end(), width),
            test: collected && name.as_str().starts_with("test"),
        });
        open.push((width, String::new(), false));
    }
    found
}

fn class_is_collected(name: &str, bases: &str) -> bool {
    name.starts_with("Test") || bases.contains("Test") || bases.contains("Case")
}

/// A mixin is collected through the classes that inherit from it.
fn is_base(code: &str, name: &str) -> bool {
    DEFINITION.captures_iter(code).filter(|found| &found[2] == "class").any(|found| {
        let bases = found.get(4).map_or("", |rest| rest.as_str());
        bases.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|base| base == name)
    })
}

fn indent_of(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// Climbs over decorators, whose arguments may span lines.
fn decorators_start(code: &str, start: usize, width: usize) -> usize {
    let mut first = start;
    let mut cursor = start;
    while cursor > 0 {
        let line_at = line_start(code, cursor - 1);
        let line = &code[line_at..cursor];
        let bare = line.trim();
        if bare.is_empty() {
            break;
        }
        if indent_of(line) == width && bare.starts_with('@') {
            first = line_at;
        } else if indent_of(line) <= width && !bare.starts_with([')', ']', '}']) {
            break;
        }
        cursor = line_at;
    }
    first
}

/// The body ends before the first line at the same or a smaller indentation, once the signature is closed.
fn body_end(code: &str, from: usize, width: usize) -> usize {
    let mut end = from;
    let mut depth = 0usize;
    let mut first = true;
    let mut at = from;
    for line in code[from..].split_inclusive('\n') {
        let bare = line.trim();
        if !first && depth == 0 && !bare.is_empty() && indent_of(line) <= width {
            break;
        }
        for byte in line.bytes() {
            match byte {
                b'(' | b'[' | b'{' => depth += 1,
                b')' | b']' | b'}' => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        at += line.len();
        if !bare.is_empty() {
            end = at;
        }
        first = false;
    }
    end
}
