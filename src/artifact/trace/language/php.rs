//! PHP: uncaught exceptions, numbered traces, and the bare places below a `PHPUnit` failure.

use super::super::stack::{Call, Language, Line, Order, Role, Step};
use crate::artifact::Location;

pub(super) const PHP: Language = Language {
    needles: &[".php", ".phpt", ".inc("],
    order: Order::InnermostFirst,
    last_counts: false,
    gap: 3,
    names_callee: true,
    shapes: &[
        r"^#[0-9]+ +(?P<path>\S[^()]*\.(?:php|phpt|inc|phtml|phar\S*))\((?P<line>[0-9]+)\): (?P<function>[^(]+)",
        r"^#[0-9]+ +(?P<function>[^ (]+\(.*\)) called at \[(?P<path>[^\]]+):(?P<line>[0-9]+)\]$",
        r"^(?:.* )?in (?P<path>(?:/|[A-Za-z]:)\S*\.php)(?::| on line )(?P<line>[0-9]+)$",
        r"^(?:at )?(?P<path>(?:/|[A-Za-z]:|[\w.-]+/)[^:()]*\.(?:php|phpt|inc)):(?P<line>[0-9]+)$",
        r"^in (?P<path>[^ ()]+\.phpt?)\((?P<line>[0-9]+)\)",
    ],
    read: Some(read),
    clean,
};

fn read(line: &Line<'_>) -> Option<Step> {
    // What was caught first is printed first; what it became follows.
    let next = line.text.strip_prefix("Next ").is_some_and(|rest| rest.contains(" in ") || rest.contains(": "));
    if next {
        return Some(Step::Begin(Role::Aside, None));
    }
    let internal = line.text.starts_with('#') && line.text.contains(" [internal function]: ");
    internal.then(|| Step::Call(Call::new(Location { path: String::new(), line: None, column: None }, "")))
}

fn clean(function: &str) -> String {
    function.split('(').next().unwrap_or(function).to_owned()
}
