//! The edits that tools propose with a finding.

use serde_json::Value;

use crate::artifact::Fix;

/// More edits than this are no fix of one finding.
const FIXES_LIMIT: usize = 50;

/// The edits of a finding in the way of this name.
pub(super) fn read(way: &str, item: &Value, path: &str) -> Vec<Fix> {
    let (list, read): (_, fn(&Value, &str) -> Option<Fix>) = match way {
        "ruff" => (item.pointer("/fix/edits"), ruff),
        "shellcheck" => (item.pointer("/fix/replacements"), shellcheck),
        "reviewdog" => (item.get("suggestions"), reviewdog),
        _ => return Vec::new(),
    };
    let Some(list) = list.and_then(Value::as_array).filter(|list| list.len() <= FIXES_LIMIT) else {
        return Vec::new();
    };
    // Of one edit that cannot be read the others are no fix either.
    let edit = |edit: &Value| read(edit, path).filter(|fix| fix.start <= fix.end);
    list.iter().map(edit).collect::<Option<_>>().unwrap_or_default()
}

fn ruff(edit: &Value, path: &str) -> Option<Fix> {
    Some(Fix {
        path: path.to_owned(),
        start: position(edit.get("location")?, "row", "column")?,
        end: position(edit.get("end_location")?, "row", "column")?,
        replacement: edit.get("content")?.as_str()?.to_owned(),
    })
}

fn shellcheck(edit: &Value, path: &str) -> Option<Fix> {
    Some(Fix {
        path: path.to_owned(),
        start: position(edit, "line", "column")?,
        end: position(edit, "endLine", "endColumn")?,
        replacement: edit.get("replacement")?.as_str()?.to_owned(),
    })
}

/// Without columns whole lines are meant: how long they are is not said, so there is no edit.
fn reviewdog(edit: &Value, path: &str) -> Option<Fix> {
    let start = edit.pointer("/range/start")?;
    let end = edit.pointer("/range/end")?;
    Some(Fix {
        path: path.to_owned(),
        start: position(start, "line", "column")?,
        end: position(end, "line", "column")?,
        replacement: edit.get("text")?.as_str()?.to_owned(),
    })
}

fn position(at: &Value, line: &str, column: &str) -> Option<(u32, u32)> {
    let number = |key: &str| at.get(key)?.as_u64().and_then(|number| u32::try_from(number).ok());
    Some((number(line)?, number(column)?)).filter(|(line, column)| *line > 0 && *column > 0)
}
