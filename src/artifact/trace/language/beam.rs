//! Elixir and Erlang.

use super::super::stack::{Language, Order};

pub(super) const BEAM: Language = Language {
    needles: &[".ex", ".erl"],
    order: Order::InnermostFirst,
    last_counts: false,
    gap: 3,
    names_callee: false,
    shapes: &[
        // The language's own applications keep their name, so that `lib/enum.ex` is not taken for the project's.
        r"^(?:\([0-9]+\) )?(?P<path>\((?:elixir|stdlib|kernel|ex_unit|mix|logger|iex|eex|compiler|crypto|ssl|erts)(?: [^)]*)?\) [^ :]+\.(?:exs?|erl)):(?P<line>[0-9]+): (?P<function>\S.*)$",
        r"^(?:\([0-9]+\) )?(?:\([a-z_0-9]+(?: [^)]*)?\) )?(?P<path>[^ :()]+\.(?:exs?|eex|heex|leex|erl)):(?P<line>[0-9]+): (?P<function>\S.*)$",
        r"^(?:test )?(?P<path>[^ :()]+\.exs):(?P<line>[0-9]+)$",
        r"^(?:\*\* )?(?:in function|in call from|in) +(?P<function>\S+).* \((?P<path>[^ ():]+\.[a-z]?rl)(?:, line |:)(?P<line>[0-9]+)\)",
        r#"^[\[{ ]*\{?(?P<function>[a-z_]\w*,[^,]+),[^{}]*,?\[\{file,"(?P<path>[^"]+)"\},\{line,(?P<line>[0-9]+)\}\]"#,
    ],
    read: None,
    clean,
};

/// `anonymous fn/1 in M.f/2` is a part of `M.f/2`; Erlang's `m,f` is `m:f`.
fn clean(function: &str) -> String {
    let name = function.rsplit_once(" in ").map_or(function, |(_, name)| name);
    match name.split_once(',') {
        Some((module, function)) if !name.contains('(') => format!("{module}:{}", function.trim_matches('\'')),
        _ => name.to_owned(),
    }
}
