//! Ruby (uncaught, minitest, `RSpec`) and Crystal.

use super::super::stack::{Call, Language, Line, Order, Step};
use crate::artifact::place;

pub(super) const RUBY: Language = Language {
    needles: &[":in ", ".rb:", ".cr:", "from "],
    order: Order::InnermostFirst,
    last_counts: false,
    gap: 4,
    names_callee: false,
    shapes: &[
        r"^(?:# |from |[0-9]+: from )?(?P<path>[^ :'`(][^:'`(]*):(?P<line>[0-9]+):in [`'](?P<function>[^']*)'",
        r"^(?:# |from )(?P<path>[^ :]+\.(?:rb|rake|ru)):(?P<line>[0-9]+)$",
        r"^from (?P<path>[^ :]+\.cr):(?P<line>[0-9]+):(?P<column>[0-9]+) in '(?P<function>[^']*)'$",
        r".* \[(?P<path>[^ \[\]:]+\.rb):(?P<line>[0-9]+)\]:$",
    ],
    read: Some(read),
    clean,
};

/// Bare places of Rails and of minitest, which hides what is not the project's: `test/a_test.rb:3`.
fn read(line: &Line<'_>) -> Option<Step> {
    let at = place::whole(line.text.strip_prefix("bin/rails test ").unwrap_or(line.text))?;
    let ruby = place::has_extension(&at.path, "rb") && !at.path.contains([' ', '(']);
    ruby.then(|| Step::Call(Call::new(at, "")))
}

/// `block (2 levels) in Foo#bar` is a part of `Foo#bar`.
fn clean(function: &str) -> String {
    let name = function.rsplit_once(" in ").map_or(function, |(_, name)| name);
    if name.starts_with('<') { String::new() } else { name.to_owned() }
}
