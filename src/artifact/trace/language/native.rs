//! C, C++ and others that are compiled to machine code: debuggers, sanitizers, valgrind, Zig.

use super::super::stack::{Language, Line, Order, Role, Step};

pub(super) const NATIVE: Language = Language {
    needles: &["#0", "#1", "frame #", " in ", "Assertion", "runtime error: ", "0x"],
    order: Order::InnermostFirst,
    last_counts: false,
    gap: 2,
    names_callee: false,
    shapes: &[
        // gdb
        r"^#[0-9]+ +(?:0x[0-9a-f]+ in )?(?P<function>\S.*?) ?\(.*\) at (?P<path>\S.*?):(?P<line>[0-9]+)$",
        // lldb
        r"^\*? ?frame #[0-9]+: 0x[0-9a-f]+ [^`]*`(?P<function>.+?) at (?P<path>\S.*?):(?P<line>[0-9]+)(?::(?P<column>[0-9]+))?(?: \[.*\])?$",
        // sanitizers
        r"(?:^|[|\]] +)#[0-9]+ 0x[0-9a-f]+ in (?P<function>\S.*?) (?P<path>[^ ()]+\.[A-Za-z+]{1,5}):(?P<line>[0-9]+)(?::(?P<column>[0-9]+))?$",
        r"^#[0-9]+ (?P<function>\S.*?) (?P<path>[^ ()]+\.[A-Za-z+]{1,5}):(?P<line>[0-9]+)(?::(?P<column>[0-9]+))? \(.*\)$",
        // Boost and the standard library's own traces
        r"^[0-9]+# +(?P<function>\S.*?) at (?P<path>\S.*?):(?P<line>[0-9]+)$",
        r#"^#[0-9]+ +Source "(?P<path>[^"]+)", line (?P<line>[0-9]+), in (?P<function>.+)$"#,
        // Zig
        r"^(?P<path>[^ :]+\.zig):(?P<line>[0-9]+):(?P<column>[0-9]+): 0x[0-9a-f]+ in (?P<function>\S+) \(.*\)$",
        // assert(3) of glibc, of musl and of macOS; UBSan
        r"^(?:[^ :]+: )?(?P<path>[^ :]+\.[A-Za-z+]{1,4}):(?P<line>[0-9]+): (?P<function>[^:].*): Assertion [`'].* failed\.?$",
        r"^Assertion failed: .*, function (?P<function>[^ ,]+), file (?P<path>[^,]+), line (?P<line>[0-9]+)\.?$",
        r"^Assertion failed: .* \((?P<path>[^ ():]+): (?P<function>[^ :]+): (?P<line>[0-9]+)\)$",
        r"^Assertion failed: .*, file (?P<path>[^,]+), line (?P<line>[0-9]+)$",
        r"^(?P<path>[^ :]+\.[A-Za-z+]{1,4}):(?P<line>[0-9]+)(?::(?P<column>[0-9]+))?: runtime error: ",
    ],
    read: Some(other_stack),
    clean,
};

pub(super) const VALGRIND: Language = Language {
    needles: &["== "],
    order: Order::InnermostFirst,
    last_counts: false,
    gap: 0,
    names_callee: false,
    shapes: &[r"^==[0-9]+== +(?:at|by) 0x[0-9A-F]+: (?P<function>\S.*?) \((?P<path>[^ ()]+):(?P<line>[0-9]+)\)$"],
    read: Some(valgrind_aside),
    clean,
};

/// Behind the stack of the fault come those of its memory and of other threads.
fn other_stack(line: &Line<'_>) -> Option<Step> {
    let heads = [
        "freed by thread",
        "previously allocated by",
        "allocated by thread",
        "Previous write of",
        "Previous read of",
        "Previous atomic",
        "Uninitialized value was",
        "Memory was marked as uninit",
        "Uninitialized value was stored",
        "Location is heap block",
        "Mutex M",
        "HINT: ",
    ];
    let thread = |text: &str| text.starts_with("Thread T") && text.ends_with("created by:");
    let created = line.text.starts_with("Thread T") && line.text.contains(" created by ");
    let aside = heads.iter().any(|head| line.text.starts_with(head)) || created || thread(line.text);
    aside.then_some(Step::Begin(Role::Aside, None))
}

fn valgrind_aside(line: &Line<'_>) -> Option<Step> {
    let text = line.text.strip_prefix("==")?.split_once("== ")?.1.trim_start();
    let heads = ["Address 0x", "Block was alloc'd at", "Uninitialised value was created"];
    heads.iter().any(|head| text.starts_with(head)).then_some(Step::Begin(Role::Aside, None))
}

/// Without the return type and the arguments of a C++ function; templates and `operator()` stay.
fn clean(function: &str) -> String {
    let name = function.trim_end_matches(" const").trim();
    let Some(front) = name.strip_suffix(')') else { return name.to_owned() };
    let mut depth = 1_usize;
    let open = front.bytes().enumerate().rev().find(|(_, byte)| {
        match byte {
            b')' => depth += 1,
            b'(' => depth -= 1,
            _ => {}
        }
        depth == 0
    });
    let name = open.map_or(name, |(at, _)| &front[..at]);
    if name.is_empty() || name.ends_with("operator") { function.trim().to_owned() } else { name.to_owned() }
}
