//! The fields of a JSON value, whatever stands there: what is missing or of another type is empty.

use serde_json::Value;

use crate::artifact::{Case, Fault, Status, TestId, gist};

/// Much of a fault's text is repetition.
const TEXT_LIMIT: usize = 64 << 10;

/// The value at a path such as `err.message`.
pub(in crate::artifact) fn at<'a>(value: &'a Value, path: &str) -> Option<&'a Value> {
    path.split('.').try_fold(value, |value, key| value.get(key)).filter(|value| !value.is_null())
}

/// The string at a path.
pub(in crate::artifact) fn text<'a>(value: &'a Value, path: &str) -> &'a str {
    at(value, path).and_then(Value::as_str).unwrap_or_default()
}

/// The items of the list at a path.
pub(in crate::artifact) fn items<'a>(value: &'a Value, path: &str) -> &'a [Value] {
    at(value, path).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// The count or line number at a path, also where it is written as a string or a fraction.
pub(in crate::artifact) fn number(value: &Value, path: &str) -> Option<u64> {
    match at(value, path)? {
        Value::String(text) => text.trim().parse().ok(),
        number => number.as_u64(),
    }
}

/// The line number at a path.
pub(in crate::artifact) fn line(value: &Value, path: &str) -> Option<u32> {
    number(value, path).and_then(|line| u32::try_from(line).ok()).filter(|line| *line > 0)
}

/// The duration at a path, of which `unit` are a second; `0.25s` is a duration too.
pub(in crate::artifact) fn seconds(value: &Value, path: &str, unit: f64) -> Option<f64> {
    let number = match at(value, path)? {
        Value::String(text) => text.trim_end_matches('s').parse().ok()?,
        number => number.as_f64()?,
    };
    Some(number / unit).filter(|seconds| seconds.is_finite() && *seconds >= 0.0)
}

/// What a value says: a string, the lines of a list, the message and the stack of an object.
pub(in crate::artifact) fn prose(value: &Value) -> String {
    let mut said = String::new();
    say(value, 4, &mut said);
    said
}

fn say(value: &Value, depth: u8, said: &mut String) {
    if depth == 0 || said.len() > TEXT_LIMIT {
        return;
    }
    match value {
        Value::Null => {}
        Value::String(text) => push_line(said, text),
        Value::Array(list) => list.iter().for_each(|item| say(item, depth - 1, said)),
        Value::Object(map) => {
            let keys = ["name", "message", "errMsg", "failure", "value", "stack", "trace", "snippet"];
            let stack = map.get("stack").and_then(Value::as_str).unwrap_or_default();
            for key in keys.into_iter().filter(|key| !(stack.contains(text(value, key)) && *key != "stack")) {
                map.get(key).into_iter().for_each(|item| say(item, depth - 1, said));
            }
        }
        other => push_line(said, &other.to_string()),
    }
}

fn push_line(said: &mut String, text: &str) {
    if !said.is_empty() && !said.ends_with('\n') {
        said.push('\n');
    }
    said.push_str(text);
}

/// The end that a runner's word stands for; none where no runner says so.
pub(in crate::artifact) fn status(word: &str) -> Option<Status> {
    Some(match word.to_ascii_lowercase().as_str() {
        "passed" | "pass" | "ok" | "success" | "successful" | "expected" | "flaky" | "true" | "fixed" | "warn"
        | "expectedfail" | "expected failure" => Status::Passed,
        "failed" | "fail" | "failure" | "unexpected" | "timedout" | "timeout" | "interrupted" | "ambiguous"
        | "false" | "aborted" | "panicked" | "regression" | "unexpectedpass" => Status::Failed,
        "error" | "errored" | "broken" | "crashed" | "compilefail" => Status::Errored,
        "skipped" | "skip" | "pending" | "todo" | "disabled" | "ignored" | "notrun" | "suppressed" | "undefined"
        | "xfailed" | "other" | "unknown" | "not_run" | "untested" | "incomplete" | "risky" | "pended" | "canceled"
        | "cancelled" | "quarantined" | "inprocess" | "notexecuted" => Status::Skipped,
        _ => return None,
    })
}

/// A case without faults.
pub(in crate::artifact) fn case(id: TestId, status: Status, seconds: Option<f64>) -> Case {
    Case { id, status, seconds, ..Case::default() }
}

/// The fault that a runner tells as a message and a text that may begin with it.
pub(in crate::artifact) fn fault(message: &str, class: &str, details: &str) -> Fault {
    let first = crate::text::plain(message.trim().lines().next().unwrap_or_default());
    let whole = if first.is_empty() || crate::text::plain(details).contains(&first) {
        details.to_owned()
    } else {
        format!("{message}\n{details}")
    };
    gist::fault(message, (!class.is_empty()).then(|| class.to_owned()), whole.trim_end(), None)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_of_any_type_are_read() {
        let value = json!({"a": {"b": "x"}, "n": "7", "t": "1.5s", "e": [{"message": "m", "stack": "m\n at f"}, "z"]});
        assert_eq!((text(&value, "a.b"), text(&value, "n.b"), number(&value, "n")), ("x", "", Some(7)));
        assert_eq!(seconds(&value, "t", 1.0), Some(1.5));
        assert_eq!(prose(&value["e"]), "m\n at f\nz");
    }
}
