//! Swift: fatal errors, backtraces, `XCTest`.

use super::super::stack::{Language, Order};

pub(super) const SWIFT: Language = Language {
    needles: &[".swift"],
    order: Order::InnermostFirst,
    last_counts: false,
    gap: 8,
    names_callee: false,
    shapes: &[
        r"^(?:Fatal error|Precondition failed|Assertion failed).*: file (?P<path>[^,]+\.swift), line (?P<line>[0-9]+)",
        r"^(?P<path>[^ :]+\.swift):(?P<line>[0-9]+): (?:Fatal error|Precondition failed|Assertion failed)",
        r"^(?P<path>[^:]+\.swift):(?P<line>[0-9]+): error: (?:-\[)?(?P<function>[^\] ]+ ?[^\] ]*)\]? : ",
        r"^[0-9]+ (?:\[[a-z, ]+\] )*(?:0x[0-9a-f]+ )?(?P<function>\S.*?) (?:\+ [0-9]+ )?in \S+ at (?P<path>\S.*\.swift):(?P<line>[0-9]+)(?::(?P<column>[0-9]+))?$",
    ],
    read: None,
    clean: str::to_owned,
};
