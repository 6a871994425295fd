//! Patterns of the rules: constants, compiled once.

use std::sync::LazyLock;

use regex::Regex;

/// A constant pattern that is compiled when it is first used.
pub(super) type Pattern = LazyLock<Regex>;

/// Compiles a constant.
#[expect(clippy::expect_used, reason = "every pattern is a constant of this module, and the tests compile each")]
pub(super) fn compile(text: &str) -> Regex {
    Regex::new(text).expect("a constant pattern")
}

/// Declares constant patterns.
macro_rules! patterns {
    ($($(#[$about:meta])* $name:ident = $text:expr;)+) => {
        $($(#[$about])* static $name: crate::gate::pattern::Pattern =
            std::sync::LazyLock::new(|| crate::gate::pattern::compile($text));)+
    };
}
pub(super) use patterns;
