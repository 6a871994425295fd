//! JavaScript and TypeScript: V8 (Node, Deno, Bun, Chrome), Firefox, Safari, and what bundlers make of their paths.

use super::super::stack::{Call, Language, Line, Order, Role, Step};
use crate::artifact::{Location, place};

pub(super) const JAVASCRIPT: Language = Language {
    needles: &["at ", "❯ ", "@"],
    order: Order::InnermostFirst,
    last_counts: false,
    gap: 12,
    names_callee: false,
    shapes: &[],
    read: Some(read),
    clean,
};

fn read(line: &Line<'_>) -> Option<Step> {
    if let Some(call) = line.text.strip_prefix("at ") {
        return called(call).map(Step::Call);
    }
    if let Some(call) = line.text.strip_prefix("❯ ") {
        let (function, at) = call.rsplit_once(' ').unwrap_or(("", call));
        return Some(Step::Call(Call::new(script(at)?, &clean(function))));
    }
    let cause = ["[cause]:", "Caused by:", "Cause:"].iter().find_map(|head| line.text.strip_prefix(head));
    if let Some(cause) = cause {
        let cause = cause.trim().trim_end_matches('{').trim();
        return Some(Step::Begin(Role::Cause, (!cause.is_empty()).then(|| cause.to_owned())));
    }
    browser(line.text).map(Step::Call)
}

/// What follows `at ` in V8's form.
fn called(call: &str) -> Option<Call> {
    let call = call.trim_end_matches([' ', '{']);
    if let Some((_, origin)) = call.split_once("(eval at ") {
        // Code that was evaluated has no file: the place of the `eval` stands for it.
        let at = origin.rsplit_once(" (").map_or(origin, |(_, at)| at);
        let at = script(at.split(')').next()?)?;
        return Some(Call::new(at, &clean(call.split(" (eval at ").next().unwrap_or_default())));
    }
    let Some((function, at)) = call.strip_suffix(')').and_then(|call| call.rsplit_once('(')) else {
        return script(call.strip_prefix("async ").unwrap_or(call)).map(|at| Call::new(at, ""));
    };
    let at = script(at).or_else(|| internal(at))?;
    Some(Call::new(at, &clean(function)))
}

/// `node:internal/x:5:6` and `<anonymous>`, `native`, `index 0`: the last three have no place.
fn internal(at: &str) -> Option<Location> {
    let path = at.trim();
    (path == "<anonymous>" || path == "native").then(|| Location { path: String::new(), line: None, column: None })
}

/// A place in a script.
fn script(at: &str) -> Option<Location> {
    let mut at = place::whole(at)?;
    // The query of a module's address changes with each build.
    let query = at.path.find('?').unwrap_or(at.path.len());
    at.path.truncate(query);
    let named =
        place::is_file(&at.path) || ["node:", "internal/", "ext:", "bun:"].iter().any(|head| at.path.starts_with(head));
    let script = !is_jvm(&at.path) && !at.path.contains(" (");
    (named && script).then_some(at)
}

fn is_jvm(path: &str) -> bool {
    ["java", "kt", "scala", "groovy", "clj", "cs"].iter().any(|end| place::has_extension(path, end))
}

/// `f@http://localhost/a.js:1:2` of Firefox and Safari.
fn browser(line: &str) -> Option<Call> {
    let (function, at) = line.split_once('@')?;
    if function.contains([' ', '"', '\'', '(']) && !function.ends_with(" code") {
        return None;
    }
    let at = script(at).filter(|at| at.column.is_some())?;
    let known = ["js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx", "vue", "svelte", "html"];
    known.iter().any(|end| place::has_extension(&at.path, end)).then(|| Call::new(at, &clean(function)))
}

/// `async Foo.bar [as baz]` is `Foo.bar`.
fn clean(function: &str) -> String {
    let mut name = function.trim();
    for word in ["async ", "async*", "new "] {
        name = name.strip_prefix(word).unwrap_or(name);
    }
    let name = name.split(" [as ").next().unwrap_or(name).trim_end_matches(['/', '<']);
    match name {
        "global code" | "module code" | "eval code" | "eval" => String::new(),
        name => name.to_owned(),
    }
}
