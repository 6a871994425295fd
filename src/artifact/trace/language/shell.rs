//! PowerShell and the shells of Unix.

use super::super::stack::{Language, Order};

pub(super) const POWERSHELL: Language = Language {
    needles: &[" char:", ".ps1", ".psm1", ": line "],
    order: Order::InnermostFirst,
    last_counts: false,
    gap: 4,
    names_callee: false,
    shapes: &[
        r"^(?:\+ )?At (?P<path>\S.*?):(?P<line>[0-9]+) char:(?P<column>[0-9]+)$",
        r"^at (?P<function><?[\w-]+>?), (?P<path>\S.*?): line (?P<line>[0-9]+)$",
        r"^(?:\w+-\w+: )(?P<path>\S.*?\.psm?1):(?P<line>[0-9]+)$",
        r"^at <?\w+>?, (?P<path>\S.*?\.psm?1):(?P<line>[0-9]+)$",
        r"^(?P<path>(?:\.{0,2}/)?[\w./-]+): line (?P<line>[0-9]+): ",
    ],
    read: None,
    clean,
};

fn clean(function: &str) -> String {
    if function.starts_with('<') { String::new() } else { function.to_owned() }
}
