//! What GitHub's runner demands of a matcher: one that it refuses is refused here for the same reason.

use serde_json::Value;

use super::parse;

/// What a group may say; each at most once in a matcher.
const SAYS: &[&str] = &["file", "line", "column", "severity", "code", "message", "fromPath"];

/// Why the runner would refuse a matcher, but for its expressions and the numbers of their groups.
pub(super) fn check(entry: &Value) -> Result<(), String> {
    let owner = parse::owner(entry);
    if owner.trim().is_empty() {
        return Err("it has no `owner`".to_owned());
    }
    let severity = parse::field(entry, "severity").and_then(Value::as_str).unwrap_or_default();
    if !["", "error", "warning", "notice"].iter().any(|known| known.eq_ignore_ascii_case(severity)) {
        let severity = parse::quoted(severity);
        return Err(format!("its `severity` is `{severity}`, which is none of `error`, `warning` and `notice`"));
    }
    let patterns = parse::patterns(entry);
    for (at, pattern) in patterns.iter().enumerate() {
        if !parse::is_loop(pattern) {
            continue;
        }
        if at == 0 || at + 1 < patterns.len() {
            return Err("only the last of several patterns may be a `loop`".to_owned());
        }
        if parse::field(pattern, "message").is_none() {
            return Err("the pattern that is a `loop` has no `message`".to_owned());
        }
    }
    let times = |key: &str| patterns.iter().filter(|pattern| parse::field(pattern, key).is_some()).count();
    if let Some(twice) = SAYS.iter().find(|key| times(key) > 1) {
        return Err(format!("`{twice}` is said by two of its patterns"));
    }
    if times("message") == 0 {
        return Err("none of its patterns has a `message`".to_owned());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn why(patterns: &str) -> String {
        let json = format!(r#"{{"owner": "o", "pattern": {patterns}}}"#);
        check(&serde_json::from_str(&json).unwrap()).map_or_else(|why| why, |()| "fine".to_owned())
    }

    #[test]
    fn a_loop_is_the_last_of_several() {
        assert_eq!(why(r#"[{"message": 1}, {"file": 1, "message": null, "loop": false}]"#), "fine");
        assert_eq!(why(r#"[{"file": 1}, {"message": 1, "loop": true}]"#), "fine");
        assert!(why(r#"[{"message": 1, "loop": true}]"#).starts_with("only the last"));
        assert!(why(r#"[{"file": 1, "loop": true}, {"message": 1}]"#).starts_with("only the last"));
        assert!(why(r#"[{"message": 1}, {"file": 1, "loop": true}]"#).ends_with("has no `message`"));
    }

    #[test]
    fn a_message_is_said_and_nothing_twice() {
        assert!(why(r#"[{"file": 1}]"#).ends_with("has a `message`"));
        assert_eq!(why(r#"[{"file": 1, "message": 2}, {"File": 1}]"#), "`file` is said by two of its patterns");
    }

    #[test]
    fn an_owner_and_a_known_severity_are_needed() {
        let check = |json: &str| check(&serde_json::from_str(json).unwrap()).is_ok();
        assert!(check(r#"{"owner": "o", "severity": "Notice", "pattern": [{"message": 1}]}"#));
        assert!(!check(r#"{"owner": "o", "severity": "bad", "pattern": [{"message": 1}]}"#));
        assert!(!check(r#"{"pattern": [{"message": 1}]}"#));
    }
}
