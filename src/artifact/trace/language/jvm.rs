//! The JVM: Java, Kotlin, Scala, Groovy, Clojure.

use super::super::stack::{Call, Language, Line, Order, Role, Step};
use crate::artifact::{Location, place};

pub(super) const JVM: Language = Language {
    needles: &[".java:", ".kt:", ".scala:", ".groovy:", ".clj", "(Native Method)", "(Unknown Source)", ".java)"],
    order: Order::InnermostFirst,
    last_counts: false,
    gap: 4,
    names_callee: false,
    shapes: &[
        r#"^\[?\[(?P<function>[A-Za-z_][\w.$-]*) [A-Za-z_][\w]* "(?P<path>[\w-]+\.cljc?)" (?P<line>[0-9]+)\]"#,
        r"^at (?P<function>[\w.-]+/[^ (]+) \((?P<path>[\w./-]+\.cljc?):(?P<line>[0-9]+)\)$",
    ],
    read: Some(read),
    clean,
};

fn read(line: &Line<'_>) -> Option<Step> {
    let text = without_label(line.text);
    if let Some(cause) = text.strip_prefix("Caused by: ") {
        // What a suppressed exception wraps is as little the fault as itself; it stands deeper.
        let aside = line.suppressed.is_some_and(|indent| line.indent() >= indent);
        let role = if aside { Role::Aside } else { Role::Cause };
        return Some(Step::Begin(role, (!aside).then(|| cause.to_owned())));
    }
    if text.starts_with("Suppressed: ") || text.starts_with("Wrapped by: ") {
        return Some(Step::Begin(Role::Aside, None));
    }
    if let Some(count) = text.strip_prefix("... ").and_then(|rest| rest.split_once(" more")).map(|(count, _)| count) {
        return count.parse().ok().map(Step::Shared);
    }
    call(text.strip_prefix("at ")?).map(Step::Call)
}

/// Build tools put their own word before each line: `[junit] at …`, `[error] at …`.
fn without_label(text: &str) -> &str {
    let inner = text.strip_prefix('[').and_then(|rest| rest.split_once("] "));
    match inner {
        Some((label, rest)) if label.len() < 12 && label.bytes().all(|byte| byte.is_ascii_alphabetic()) => rest.trim(),
        _ => text,
    }
}

/// `app//org.x.Foo.bar(Foo.java:7) ~[x.jar:1.0]`
fn call(call: &str) -> Option<Call> {
    let (function, rest) = call.split_once('(')?;
    let (file, _) = rest.split_once(')')?;
    let (name, line) = file.split_once(':').unwrap_or((file, ""));
    // Only some languages have methods with blanks in their names.
    let spoken = [".kt", ".groovy", ".scala"].iter().any(|end| name.ends_with(end));
    if (function.trim_end().contains(' ') && !spoken) || !function.contains('.') {
        return None;
    }
    if matches!(name, "Native Method" | "Unknown Source" | "<generated>" | "<unknown>") {
        return Some(Call::new(Location { path: String::new(), line: None, column: None }, ""));
    }
    let jvm = [".java", ".kt", ".kts", ".scala", ".groovy", ".clj", ".cljc", ".gradle", ".aj"];
    if !jvm.iter().any(|end| name.ends_with(end)) || !place::is_file(name) {
        return None;
    }
    let function = function.trim();
    let path = folder(function, name).unwrap_or_else(|| name.to_owned());
    let at = Location { path, line: line.parse().ok(), column: None };
    Some(Call::new(at, &clean(function)))
}

/// Only the file is named; its folder is the package: `a.b.C.m(C.java:1)` is `a/b/C.java`.
fn folder(function: &str, file: &str) -> Option<String> {
    if file.contains('/') {
        return None;
    }
    let (class, _) = function.rsplit_once('.')?;
    let class = class.rsplit_once('/').map_or(class, |(_, class)| class);
    let package = class.split('$').next()?.rsplit_once('.')?.0;
    Some(format!("{}/{file}", package.replace('.', "/")))
}

/// The method as it stands in the source: no module, no made-up classes of lambdas.
fn clean(function: &str) -> String {
    let name = function.rsplit_once('/').map_or(function, |(_, name)| name);
    let Some((class, method)) = name.rsplit_once('.') else { return name.to_owned() };
    let made_up = |part: &&str| !part.is_empty() && !part.bytes().all(|byte| byte.is_ascii_digit());
    let parts: Vec<&str> = class.split('$').filter(made_up).collect();
    let wrapped = |name: &str, head: &str| -> Option<String> {
        let inner = name.strip_prefix(head)?.split('$').next()?;
        (!inner.is_empty()).then(|| inner.to_owned())
    };
    let method =
        wrapped(method, "lambda$").or_else(|| wrapped(method, "$anonfun$")).unwrap_or_else(|| method.to_owned());
    // `Foo$bar$1.invoke` is a lambda in `Foo.bar`.
    let lambda = matches!(method.as_str(), "invoke" | "invokeSuspend" | "apply" | "doCall" | "invokeStatic" | "call");
    let nested = class.contains('$') && parts.len() > 1;
    let lower = parts.last().is_some_and(|part| part.starts_with(|c: char| c.is_ascii_lowercase() || c == '_'));
    if lambda && nested && lower { parts.join(".") } else { format!("{}.{method}", parts.join("$")) }
}
