//! The forge's own words, as far as a person needs them: one line, bounded, without what deceives a reader.

use serde_json::Value;

use crate::secret::Redactor;

/// In characters.
const LONGEST: usize = 300;
/// How much of a body that is no JSON is looked at, in bytes.
const LOOKED_AT: usize = 2_000;

/// What an answer that is no good one says: its message and the reasons beside it.
pub(super) fn said(body: &[u8]) -> String {
    let Ok(Value::Object(answer)) = serde_json::from_slice::<Value>(body) else {
        return String::from_utf8_lossy(&body[..body.len().min(LOOKED_AT)]).into_owned();
    };
    let mut texts: Vec<&str> = answer.get("message").and_then(Value::as_str).into_iter().collect();
    match answer.get("errors") {
        Some(Value::Array(errors)) => texts.extend(errors.iter().filter_map(reason)),
        Some(errors) => texts.extend(errors.as_str()),
        None => {}
    }
    texts.join("; ")
}

/// Reasons come as texts, as objects with a message, or with a code alone.
fn reason(error: &Value) -> Option<&str> {
    error.as_str().or_else(|| ["message", "code"].iter().find_map(|key| error.get(key)?.as_str()))
}

/// A text as it may stand in an error or the journal.
pub(super) fn shown(text: &str, redactor: &Redactor) -> String {
    let line = crate::text::one_line(&redactor.scrub(&crate::text::plain(text)), LONGEST);
    if line.is_empty() { "no reason given".to_owned() } else { line }
}
