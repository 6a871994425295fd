//! OCaml and Haskell.

use super::super::stack::{Language, Order};

pub(super) const OCAML: Language = Language {
    needles: &["Called from", "Raised at", "Raised by", "Re-raised at"],
    order: Order::InnermostFirst,
    last_counts: false,
    gap: 2,
    names_callee: false,
    shapes: &[
        r#"^(?:Called from|Raised at|Re-raised at|Raised by primitive operation at) (?P<function>\S+ in )?file "(?P<path>[^"]+)"(?: \(inlined\))?, lines? (?P<line>[0-9]+)(?:-[0-9]+)?, characters? (?P<column>[0-9]+)"#,
    ],
    read: None,
    clean: ocaml,
};

pub(super) const HASKELL: Language = Language {
    needles: &[".hs:", ".lhs:"],
    order: Order::InnermostFirst,
    last_counts: false,
    gap: 4,
    names_callee: true,
    shapes: &[
        r"^(?P<function>\S+), called at (?P<path>[^ :]+\.l?hs):(?P<line>[0-9]+):(?P<column>[0-9]+) in ",
        r"^(?:[\w.-]+: )?(?P<path>[^ :]+\.l?hs):\(?(?P<line>[0-9]+)[:,](?P<column>[0-9]+)(?:\)?-\(?[0-9,]+\)?)?:(?: |$)",
    ],
    read: None,
    clean: str::to_owned,
};

/// Dune hides each program's modules behind a name of its own.
fn ocaml(function: &str) -> String {
    let name = function.trim_end_matches(" in ");
    name.strip_prefix("Dune__exe__").unwrap_or(name).replace("__", ".")
}
