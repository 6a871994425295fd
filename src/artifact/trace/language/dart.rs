//! Dart and Flutter: the virtual machine's traces and the terse ones of the test package.

use super::super::stack::{Language, Order};

pub(super) const DART: Language = Language {
    needles: &["package:", "dart:", ".dart"],
    order: Order::InnermostFirst,
    last_counts: false,
    gap: 3,
    names_callee: false,
    shapes: &[
        r"^#[0-9]+ +(?P<function>\S.*?) \((?P<path>(?:package|dart|file):[^ ()]+?):(?P<line>[0-9]+)(?::(?P<column>[0-9]+))?\)$",
        r"^(?P<path>(?:package:|dart:|[\w./-]+/)\S+\.dart) (?P<line>[0-9]+):(?P<column>[0-9]+) +(?P<function>\S.*)$",
    ],
    read: None,
    clean,
};

/// `main.<anonymous closure>` and `main.<fn>` are parts of `main`.
fn clean(function: &str) -> String {
    function.split(".<").next().unwrap_or(function).trim_start_matches("new ").to_owned()
}
