//! Perl: `die`, `confess`, `Test::More`, Raku.

use super::super::stack::{Language, Order};

pub(super) const PERL: Language = Language {
    needles: &[" line "],
    order: Order::InnermostFirst,
    last_counts: false,
    gap: 4,
    names_callee: true,
    shapes: &[
        r"^(?:# +)?(?P<function>[\w:]+)\(.*\) called at (?P<path>\S.*?) line (?P<line>[0-9]+)\.?$",
        r"^(?:# +)?(?:.* )?at (?P<path>\S+?\.(?:pl|pm|t|PL|psgi|cgi)) line (?P<line>[0-9]+)(?:\.|,|$)",
        r"^in (?:sub|block|method|submethod) (?P<function>\S*) ?at (?P<path>\S.*?) (?:\(\S+\) )?line (?P<line>[0-9]+)$",
    ],
    read: None,
    clean: str::to_owned,
};
