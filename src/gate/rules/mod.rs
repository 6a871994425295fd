//! The rules of the gate: one file each, found through one table.

mod answer_table;
mod bytes;
mod changed_expectation;
mod ci_edit;
mod deleted_test;
mod dependency;
mod file_mode;
mod forced_exit;
mod guarded_assertion;
mod guarded_path;
mod ignore_list;
mod limits;
mod lint_config;
mod loosened_config;
mod lost_exit;
mod replaced_subject;
mod retries;
mod runner_reach;
mod secret;
mod shadow_module;
mod shadowed_assertion;
mod skipped_test;
mod snapshot;
mod special_case;
mod suppression;
mod swallowed_failure;
mod test_config;
mod test_detection;
mod test_support;
mod timeout;
mod uncalled_test;
mod weakened_test;

use super::view::{Reading, View};
use crate::evidence::{Finding, Weight};

/// The rule that only says that expected values changed: alone it means that the test may be outdated.
pub(super) const CHANGED_EXPECTATION: &str = changed_expectation::RULE.name;

/// One rule.
#[derive(Debug)]
pub struct Rule {
    /// As it stands in findings.
    pub name: &'static str,
    /// What it looks for.
    pub about: &'static str,
    /// Why it blocks or shows.
    pub why: &'static str,
    pub(super) check: fn(&View<'_>) -> Vec<Finding>,
}

/// Every rule.
pub static RULES: &[&Rule] = &[
    &deleted_test::RULE,
    &skipped_test::RULE,
    &weakened_test::RULE,
    &guarded_assertion::RULE,
    &uncalled_test::RULE,
    &replaced_subject::RULE,
    &test_support::RULE,
    &changed_expectation::RULE,
    &snapshot::RULE,
    &swallowed_failure::RULE,
    &test_detection::RULE,
    &special_case::RULE,
    &answer_table::RULE,
    &runner_reach::RULE,
    &forced_exit::RULE,
    &shadowed_assertion::RULE,
    &shadow_module::RULE,
    &test_config::RULE,
    &timeout::RULE,
    &retries::RULE,
    &suppression::RULE,
    &lint_config::RULE,
    &ignore_list::RULE,
    &lost_exit::RULE,
    &ci_edit::RULE,
    &guarded_path::RULE,
    &dependency::RULE,
    &secret::RULE,
    &bytes::RULE,
    &file_mode::RULE,
    &limits::RULE,
];

/// A finding of a rule at a 0-based line of the new version.
fn finding(rule: &Rule, file: &Reading<'_>, line: Option<usize>, message: String, severity: Weight) -> Finding {
    let line = line.and_then(|line| u32::try_from(line + 1).ok());
    Finding { rule: rule.name.to_owned(), path: file.path.to_string(), line, message, severity }
}

/// A piece of a file, short enough for a sentence.
fn quote(text: &str) -> String {
    let text = text.trim();
    let end = text.floor_char_boundary(80);
    if end < text.len() { format!("`{}…`", &text[..end]) } else { format!("`{text}`") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_have_different_names_in_kebab_case() {
        let names: std::collections::BTreeSet<_> = RULES.iter().map(|rule| rule.name).collect();
        assert_eq!(names.len(), RULES.len());
        assert!(names.iter().all(|name| name.bytes().all(|b| b.is_ascii_lowercase() || b == b'-')));
    }

    #[test]
    fn an_honest_fix_passes() {
        crate::gate::testing::passes(&[
            (
                "src/a.rs",
                "pub fn add(a: i32, b: i32) -> i32 {\n    a - b\n}\n",
                "pub fn add(a: i32, b: i32) -> i32 {\n    a + b\n}\n",
            ),
            ("README.md", "Teh readme\n", "The readme\n"),
        ]);
    }
}
