//! .NET: C#, F#, Visual Basic.

use super::super::stack::{Call, Language, Line, Order, Role, Step};
use crate::artifact::Location;

pub(super) const DOTNET: Language = Language {
    needles: &["at ", "--->", "--- End of inner exception"],
    order: Order::InnermostFirst,
    last_counts: false,
    gap: 3,
    names_callee: false,
    shapes: &[
        // Mono and Unity
        r"^at (?P<function>\S.*?\)) \[0x[0-9a-f]+\] in (?P<path>\S.*?):(?P<line>[0-9]+)$",
        r"^(?P<function>[A-Za-z_][\w.+`]*:[\w.<>]+ ?\(.*\)) \(at (?P<path>[^()]+\.cs):(?P<line>[0-9]+)\)$",
        r"^(?:at|à|bei|en|в|在) (?P<function>\S.*?\)) (?:in|dans|в|位置) (?P<path>\S.*?):(?:\p{Alphabetic}+) (?P<line>[0-9]+)$",
    ],
    read: Some(read),
    clean,
};

fn read(line: &Line<'_>) -> Option<Step> {
    if let Some(inner) = line.text.strip_prefix("---> ") {
        let repeated = inner.starts_with("(Inner Exception #");
        let role = if repeated { Role::Aside } else { Role::Cause };
        return Some(Step::Begin(role, (!repeated).then(|| inner.to_owned())));
    }
    if let Some((_, inner)) = line.text.split_once(" ---> ").filter(|(head, _)| head.contains("Exception")) {
        return Some(Step::Begin(Role::Cause, Some(inner.to_owned())));
    }
    if line.text.starts_with("--- End of inner exception") {
        return Some(Step::Begin(Role::Aside, None));
    }
    // Without symbols there is no file.
    let call = line.text.strip_prefix("at ")?;
    let bare = call.ends_with(')') && call.contains('.') && !call.contains(") in ") && !call.contains(':');
    let named = call.split_once('(').is_some_and(|(function, _)| !function.contains([' ', '/', '\\']));
    // Files without lines are the JVM's, places without files JavaScript's.
    let inside = call.rsplit_once('(').map_or("", |(_, inside)| inside);
    let elsewhere = ["Native Method)", "Unknown Source)", "<anonymous>)", "native)"].contains(&inside)
        || [".java)", ".kt)", ".scala)", ".groovy)", ".clj)"].iter().any(|end| inside.ends_with(end));
    (bare && named && !elsewhere)
        .then(|| Step::Call(Call::new(Location { path: String::new(), line: None, column: None }, "")))
}

/// `N.C.<M>d__5.MoveNext()` is `N.C.M`: the compiler wraps asynchronous methods, lambdas and local functions.
fn clean(function: &str) -> String {
    let name = function.split('(').next().unwrap_or(function).replace("<>c__DisplayClass", "<>c");
    let mut parts: Vec<String> = Vec::new();
    for part in name.split(['.', '+', ':']) {
        if part.starts_with("<>c") || part == "MoveNext" || part.is_empty() {
            continue;
        }
        match part.strip_prefix('<').and_then(|rest| rest.split_once('>')) {
            Some((method, rest)) => {
                parts.push(method.to_owned());
                if let Some(local) = rest.strip_prefix("g__").and_then(|rest| rest.split('|').next()) {
                    parts.push(local.to_owned());
                }
            }
            None => parts.push(part.split('`').next().unwrap_or(part).to_owned()),
        }
    }
    parts.join(".")
}
