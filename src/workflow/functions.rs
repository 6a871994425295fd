//! The functions of expressions that need nothing but their arguments. Texts are compared without regard to case.

use serde_json::Value;

use super::read::scalar;

/// What a function gives; `None` for one that is not known here, or for arguments that it does not take.
pub(super) fn call(name: &str, arguments: &[Value]) -> Option<Value> {
    let texts: Option<Vec<String>> = arguments.iter().map(text).collect();
    match (name, arguments) {
        ("contains", [Value::Array(values), wanted]) => {
            let wanted = text(wanted)?.to_lowercase();
            Some(Value::Bool(values.iter().filter_map(text).any(|value| value.to_lowercase() == wanted)))
        }
        ("contains", [..]) => compare(&texts?, |text, part| text.contains(part)),
        ("startswith", [..]) => compare(&texts?, |text, part| text.starts_with(part)),
        ("endswith", [..]) => compare(&texts?, |text, part| text.ends_with(part)),
        ("format", [..]) => texts?.split_first().and_then(|(pattern, values)| format(pattern, values)),
        _ => None,
    }
}

fn text(value: &Value) -> Option<String> {
    if value.is_null() { Some(String::new()) } else { scalar(value) }
}

fn compare(texts: &[String], holds: impl Fn(&str, &str) -> bool) -> Option<Value> {
    let [text, part] = texts else { return None };
    Some(Value::Bool(holds(&text.to_lowercase(), &part.to_lowercase())))
}

/// `{0}` is the first value; a doubled brace is a brace.
fn format(pattern: &str, values: &[String]) -> Option<Value> {
    let (mut filled, mut rest) = (String::new(), pattern);
    while let Some(at) = rest.find(['{', '}']) {
        filled.push_str(&rest[..at]);
        let brace = &rest[at..=at];
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix(brace) {
            filled.push_str(brace);
            rest = after;
            continue;
        }
        let (number, after) = rest.split_once('}').filter(|_| brace == "{")?;
        filled.push_str(values.get(number.parse::<usize>().ok()?)?);
        rest = after;
    }
    Some(Value::String(filled + rest))
}
