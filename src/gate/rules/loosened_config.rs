//! What a changed setting means: shared by the rules for lint and for test configuration.

use crate::gate::pattern::patterns;

patterns! {
    /// Lists where one more item means that less is checked.
    EXCLUDES = r"(?i)(?:^|[.\[\]])[\w-]*(?:ignore|exclude|disable|omit|per-file-ignores|allowlist|whitelist|skip)[\w-]*(?:\[\]|\]|\.|$)";
    /// Lists where one item less means that less is checked.
    SELECTS = r"(?i)(?:^|\.)(?:extend-)?(?:select|enable|fixable|linters\.enable|extends|plugins|files|include|packages|warn_\w+|check[\w-]*)(?:\[\]|$)";
    /// Numbers that are ceilings.
    CEILINGS = r"(?i)max|threshold|limit|line-?length|complexity|timeout";
    /// Numbers that are floors.
    FLOORS = r"(?i)fail[_-]under|coverage|minimum|min[_-]|branches$|functions$|lines$|statements$|score";
    /// Switches that ask for more.
    STRICT = r"(?i)strict|disallow|warn_|no[A-Z_]\w*|check_untyped|error|deny|enable|warnings|fail[_-]";
}

/// Whether another value of the same key lowers what is checked; `None` stands for a missing key.
pub(super) fn lowered(key: &str, was: Option<&str>, is: Option<&str>) -> bool {
    if EXCLUDES.is_match(key) {
        return is.is_some_and(|is| !matches!(is, "false" | "False" | "no" | "0"));
    }
    match (was, is) {
        (Some(was), Some(is)) => weaker_level(was, is) || number_moved(key, was, is) || switched_off(key, was, is),
        (Some(was), None) => {
            SELECTS.is_match(key) || level(was).is_some_and(|level| level >= 2) || (STRICT.is_match(key) && is_on(was))
        }
        (None, Some(is)) => level(is).is_some_and(|level| level == 0) || (STRICT.is_match(key) && is_off(is)),
        (None, None) => false,
    }
}

/// Lint levels: 0 off, 1 warning, 2 error.
fn level(value: &str) -> Option<u8> {
    match value.to_ascii_lowercase().as_str() {
        "allow" | "off" | "none" | "ignore" | "silent" | "suggestion" => Some(0),
        "warn" | "warning" => Some(1),
        "deny" | "forbid" | "error" => Some(2),
        _ => None,
    }
}

fn weaker_level(was: &str, is: &str) -> bool {
    level(was).zip(level(is)).is_some_and(|(was, is)| is < was)
}

fn number_moved(key: &str, was: &str, is: &str) -> bool {
    let (Ok(was), Ok(is)) = (was.parse::<f64>(), is.parse::<f64>()) else { return false };
    (FLOORS.is_match(key) && is < was) || (CEILINGS.is_match(key) && is > was) || (key.contains("rules") && is < was)
}

fn switched_off(key: &str, was: &str, is: &str) -> bool {
    STRICT.is_match(key) && is_on(was) && is_off(is)
}

fn is_on(value: &str) -> bool {
    matches!(value.to_ascii_lowercase().as_str(), "true" | "yes" | "on" | "1")
}

fn is_off(value: &str) -> bool {
    matches!(value.to_ascii_lowercase().as_str(), "false" | "no" | "off" | "0")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn less_checking_is_told_from_more() {
        assert!(lowered("tool.ruff.lint.ignore[]", None, Some("F401")));
        assert!(!lowered("tool.ruff.lint.ignore[]", Some("F401"), None));
        assert!(lowered("lints.clippy.unwrap_used", Some("deny"), Some("allow")));
        assert!(!lowered("lints.clippy.unwrap_used", Some("warn"), Some("deny")));
        assert!(lowered("tool.mypy.strict", Some("true"), Some("false")));
        assert!(lowered("tool.coverage.report.fail_under", Some("90"), Some("50")));
        assert!(lowered("too-many-lines-threshold", Some("80"), Some("400")));
        assert!(!lowered("too-many-lines-threshold", Some("80"), Some("60")));
        assert!(lowered("tool.ruff.lint.select[]", Some("E"), None));
    }
}
