//! Lua and `LuaJIT`.

use super::super::stack::{Language, Order};

pub(super) const LUA: Language = Language {
    needles: &[".lua:"],
    order: Order::InnermostFirst,
    last_counts: false,
    gap: 3,
    names_callee: false,
    shapes: &[
        r"^(?P<path>[^ :]+\.lua):(?P<line>[0-9]+): in (?:(?:global |local |upvalue |field |method )?(?:function )?[<'`](?P<function>[^'>]+)['>]|main chunk)",
        r"^(?:lua[0-9.]*|luajit): (?P<path>[^ :]+\.lua):(?P<line>[0-9]+): ",
    ],
    read: None,
    clean,
};

/// A function without a name is known by where it begins, which is no name.
fn clean(function: &str) -> String {
    if function.contains(".lua:") { String::new() } else { function.to_owned() }
}
