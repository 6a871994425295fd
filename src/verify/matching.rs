//! Whether a failure that a command shows is the one that an artifact named.

use crate::artifact::{PASSAGE, TestId};
use crate::failure::Failure;

/// The same fault, possibly in another runner's words: by fingerprint, by test, or by diagnostic.
#[must_use]
pub fn same_failure(wanted: &Failure, seen: &Failure) -> bool {
    if wanted.id == seen.id {
        return true;
    }
    match (&wanted.test, &seen.test) {
        (Some(wanted), Some(seen)) => same_test(wanted, seen),
        (None, None) => same_diagnostic(wanted, seen),
        _ => false,
    }
}

/// Whether a failure says enough to be told from others: a passage of a log is in nobody else's words.
pub(super) fn is_matchable(failure: &Failure) -> bool {
    let named = failure.test.is_some() || failure.location.is_some() || failure.rule.is_some();
    named && failure.tool.as_deref() != Some(PASSAGE)
}

/// Runners spell one test differently: `tests/test_a.py::TestB::test_c`, `tests.test_a.TestB` with `test_c`,
/// `a::tests::c`. The last parts must agree, as far as the shorter of both says.
pub(super) fn same_test(a: &TestId, b: &TestId) -> bool {
    let (a, b) = (parts(a), parts(b));
    let common = a.len().min(b.len());
    common > 0 && a.iter().rev().zip(b.iter().rev()).take(common).all(|(a, b)| a == b)
}

fn parts(id: &TestId) -> Vec<String> {
    // Parameters may hold any of the separators.
    let (name, parameters) = id.name.find('[').map_or((id.name.as_str(), ""), |at| id.name.split_at(at));
    let whole = format!("{}::{name}", id.class);
    let mut parts: Vec<String> = whole
        .replace(" > ", "::")
        .replace(" › ", "::")
        .split(['.', '/', ':', '\\'])
        .filter(|part| !part.is_empty() && *part != "py")
        .map(|part| part.trim().to_owned())
        .collect();
    if let Some(last) = parts.last_mut() {
        last.push_str(parameters);
    }
    parts
}

fn same_diagnostic(wanted: &Failure, seen: &Failure) -> bool {
    let same_place = match (&wanted.location, &seen.location) {
        (Some(a), Some(b)) => {
            a.path == b.path || a.path.ends_with(&format!("/{}", b.path)) || b.path.ends_with(&format!("/{}", a.path))
        }
        _ => true,
    };
    let same_rule = wanted.rule.is_some() && wanted.rule == seen.rule;
    wanted.kind == seen.kind && same_place && (same_rule || wanted.message == seen.message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(class: &str, name: &str) -> TestId {
        TestId { class: class.to_owned(), name: name.to_owned(), ..TestId::default() }
    }

    #[test]
    fn one_test_in_several_spellings_is_one() {
        assert!(same_test(&id("tests.test_a.TestB", "test_c"), &id("", "tests/test_a.py::TestB::test_c")));
        assert!(same_test(&id("krate", "module::tests::c"), &id("", "module::tests::c")));
        assert!(same_test(&id("a", "test_x[1.5-b]"), &id("pkg.a", "test_x[1.5-b]")));
        assert!(same_test(&id("", "adds"), &id("math", "adds")));
    }

    #[test]
    fn tests_of_other_classes_or_parameters_are_others() {
        assert!(!same_test(&id("a.TestB", "test_c"), &id("a.TestD", "test_c")));
        assert!(!same_test(&id("a", "test_x[1]"), &id("a", "test_x[2]")));
        assert!(!same_test(&id("", ""), &id("a", "b")));
    }
}
