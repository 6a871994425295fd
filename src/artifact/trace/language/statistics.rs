//! R: the trees of rlang, `traceback()`, testthat.

use super::super::stack::{Language, Order};

pub(super) const R: Language = Language {
    needles: &[".R:", ".R#", ".r:", ".Rmd:"],
    order: Order::OutermostFirst,
    last_counts: false,
    gap: 6,
    names_callee: false,
    shapes: &[
        r"^[0-9]+\. [ │├└─]*(?P<function>[^ (]+)\(.*\) at (?P<path>\S+\.[Rr]):(?P<line>[0-9]+)(?::(?P<column>[0-9]+))?",
        r"^[0-9]+: (?P<function>[^ (]+)\(.*\) at (?P<path>\S+\.[Rr])#(?P<line>[0-9]+)",
        r"^(?:── |-- )?(?:\w+ )+\((?P<path>[^ ()]+\.[Rr]):(?P<line>[0-9]+):(?P<column>[0-9]+)\)",
    ],
    read: None,
    clean: str::to_owned,
};
