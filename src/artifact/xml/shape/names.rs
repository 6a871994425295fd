//! The words with which reports name a test, tell how it ended and how long it ran.

use crate::artifact::xml::draft::seconds;
use crate::artifact::{Status, TestId};
use crate::text;

/// What the words of most runners mean, in lower case.
pub(super) fn status(word: &str) -> Option<Status> {
    Some(match word {
        "pass" | "passed" | "success" | "successful" | "ok" | "warning" | "completed" | "passedbutrunaborted" => {
            Status::Passed
        }
        "fail" | "failed" | "failure" | "assertion" => Status::Failed,
        "error" | "errored" | "broken" | "aborted" | "timeout" | "disconnected" | "crashed" => Status::Errored,
        "skip" | "skipped" | "ignore" | "ignored" | "inconclusive" | "notexecuted" | "notrunnable" | "notrun"
        | "not run" | "not_run" | "pending" | "disabled" | "canceled" | "cancelled" | "explicit" => Status::Skipped,
        _ => return None,
    })
}

/// Parts a full name into class and name, and cuts off the class where the name repeats it.
pub(super) fn complete(id: &mut TestId, full: &str, row: &str) {
    if id.name.is_empty() && !full.is_empty() {
        let (class, name) = parted(full);
        name.clone_into(&mut id.name);
        if id.class.is_empty() {
            class.clone_into(&mut id.class);
        }
    }
    let own = id.class.rsplit(['.', '+']).next().unwrap_or_default();
    for class in [id.class.as_str(), own].into_iter().filter(|class| !class.is_empty()) {
        let rest = id.name.strip_prefix(class);
        let name = rest.and_then(|rest| rest.strip_prefix("::").or_else(|| rest.strip_prefix('.')));
        if let Some(name) = name.filter(|name| !name.is_empty()) {
            id.name = name.to_owned();
            break;
        }
    }
    if !row.is_empty() {
        id.name = format!("{}({row})", id.name);
    }
    id.name = text::plain(&id.name);
}

/// `a.b.C.d(x.y)` is `d(x.y)` of `a.b.C`, `A::b` is `b` of `A`.
fn parted(full: &str) -> (&str, &str) {
    let arguments = full.find(['(', '"', '<', ' ']).unwrap_or(full.len());
    let head = &full[..arguments];
    let found = head.rfind("::").map(|at| (at, at + 2)).or_else(|| head.rfind('.').map(|at| (at, at + 1)));
    match found {
        Some((end, start)) if end > 0 && start < full.len() => (&full[..end], &full[start..]),
        _ => ("", full),
    }
}

/// Seconds of `1:02:03.5`, with or without a date before them.
pub(in crate::artifact::xml) fn clock(text: &str) -> Option<f64> {
    let time = text.trim().rsplit([' ', 'T']).next()?;
    time.split(':').try_fold(0.0, |sum, part| Some(sum * 60.0 + seconds(part)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_parted_before_their_arguments() {
        assert_eq!(parted("N.S.Fixture.Test(1.5,\"a.b\")"), ("N.S.Fixture", "Test(1.5,\"a.b\")"));
        assert_eq!(parted("MathTest::testSum"), ("MathTest", "testSum"));
        assert_eq!(parted("Test Stack.Push"), ("", "Test Stack.Push"));
        assert_eq!(parted("plain"), ("", "plain"));
    }

    #[test]
    fn times_are_read_with_and_without_a_date() {
        assert_eq!(clock("00:01:02.5"), Some(62.5));
        assert_eq!(clock("20150703 00:00:37.25"), Some(37.25));
        assert_eq!(clock("2023-11-13T01:00:00"), Some(3600.0));
        assert_eq!(clock("soon"), None);
    }
}
