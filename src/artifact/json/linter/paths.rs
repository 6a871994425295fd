//! The path of a finding where the document does not simply name it.

use serde_json::Value;

use super::keys::{Scope, loosely};
use crate::artifact::Location;
use crate::text;

/// The place by the function of this name.
pub(super) fn hooked(name: &str, scopes: &[Scope<'_>]) -> Option<Location> {
    let (root, item) = (scopes.first()?.value, scopes.last()?.value);
    match name {
        "sonarqube" => sonarqube(root, item),
        "revapi" => Some(Location { path: revapi(item)?, line: None, column: None }),
        "biome" => biome(item),
        _ => None,
    }
}

/// The source stands beside the bytes that are meant.
fn biome(item: &Value) -> Option<Location> {
    let at = item.get("location")?;
    let path = at.pointer("/path/file")?.as_str()?.to_owned();
    let start = at.pointer("/span/0").and_then(Value::as_u64).and_then(|start| usize::try_from(start).ok());
    let before = start.and_then(|start| at.get("sourceCode")?.as_str()?.get(..start));
    let Some(before) = before else { return Some(Location { path, line: None, column: None }) };
    let line = text::line_feeds(before.as_bytes()).saturating_add(1);
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count();
    Some(Location { path, line: Some(line), column: u32::try_from(column).ok().map(|column| column.saturating_add(1)) })
}

/// `project:module:src/A.java`: the components of the report know the path, of the module as well.
fn sonarqube(root: &Value, issue: &Value) -> Option<Location> {
    let number = |at: &str| issue.pointer(at).and_then(Value::as_u64).and_then(|line| u32::try_from(line).ok());
    let line = number("/textRange/startLine").or_else(|| number("/startLine")).or_else(|| number("/line"));
    let offset = number("/textRange/startOffset").or_else(|| number("/startOffset"));
    let column = line.and(offset).map(|offset| offset.saturating_add(1));
    Some(Location { path: component_path(root, issue)?, line, column })
}

fn component_path(root: &Value, issue: &Value) -> Option<String> {
    let components = root.get("components").and_then(Value::as_array);
    let component = |key: &str| {
        let has = |known: &&Value| known.get("key").and_then(Value::as_str) == Some(key);
        components.and_then(|known| known.iter().find(has))
    };
    let path = |known: &Value| known.get("path").and_then(Value::as_str).map(str::to_owned);
    let key = issue.get("component").and_then(Value::as_str)?;
    let Some(file) = component(key) else { return Some(key.rsplit(':').next().unwrap_or(key).to_owned()) };
    let own = path(file)?;
    let module = issue.get("subProject").or_else(|| file.get("moduleKey")).and_then(Value::as_str);
    match module.and_then(component).and_then(path) {
        Some(module) => Some(format!("{module}/{own}")),
        None => Some(own),
    }
}

/// The package and the class among the attachments.
fn revapi(item: &Value) -> Option<String> {
    let attachments = item.get("attachments").and_then(Value::as_array)?;
    let attached = |name: &str| {
        let named = |known: &&Value| known.get("name").and_then(Value::as_str) == Some(name);
        attachments.iter().find(named).and_then(|known| loosely(known, "value")).and_then(Value::as_str)
    };
    let package = attached("package")?.replace('.', "/");
    Some(format!("{package}/{}.java", attached("classSimpleName")?))
}

/// A file's path where a URI is given: the scheme goes, `%20` becomes what it means.
pub(in crate::artifact::json) fn local(uri: &str) -> String {
    let Some(rest) = strip_scheme(uri) else { return uri.to_owned() };
    let path = decoded(rest);
    let drive = path.as_bytes();
    match drive {
        [b'/', letter, b':', ..] if letter.is_ascii_alphabetic() => path[1..].to_owned(),
        _ => path,
    }
}

fn strip_scheme(uri: &str) -> Option<&str> {
    let head = uri.get(..5)?;
    if !head.eq_ignore_ascii_case("file:") {
        return None;
    }
    let rest = &uri[5..];
    match rest.strip_prefix("//") {
        // A host stands between two slashes and the path; none stands in `file:///`.
        Some(rest) => Some(rest.strip_prefix("localhost").unwrap_or(rest)),
        None => Some(rest),
    }
}

/// `%20` and its like as what they mean; what is no such escape or no UTF-8 stays.
pub(in crate::artifact::json) fn decoded(text: &str) -> String {
    if !text.contains('%') {
        return text.to_owned();
    }
    let (bytes, mut out, mut at) = (text.as_bytes(), Vec::with_capacity(text.len()), 0);
    while let Some(byte) = bytes.get(at) {
        let digit = |at: usize| bytes.get(at).and_then(|byte| char::from(*byte).to_digit(16));
        if let (b'%', Some(high), Some(low)) = (byte, digit(at + 1), digit(at + 2)) {
            out.push(u8::try_from(high * 16 + low).unwrap_or(b'?'));
            at += 3;
        } else {
            out.push(*byte);
            at += 1;
        }
    }
    String::from_utf8(out).unwrap_or_else(|_| text.to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn uris_of_files_become_paths() {
        assert_eq!(local("file:///home/a%20b.rs"), "/home/a b.rs");
        assert_eq!(local("FILE:///C:/x/a.rs"), "C:/x/a.rs");
        assert_eq!(local("file:src/a.rs"), "src/a.rs");
        assert_eq!(local("src/100%.rs"), "src/100%.rs");
        assert_eq!(decoded("%E2%82%AC%ff"), "%E2%82%AC%ff");
        assert_eq!(decoded("%E2%82%ACpath"), "€path");
    }

    #[test]
    fn bytes_of_a_source_become_a_line_and_a_column() {
        let item = json!({"location": {"path": {"file": "a.js"}, "span": [5, 6], "sourceCode": "a;\né;b"}});
        let at = biome(&item).unwrap();
        assert_eq!((at.line, at.column), (Some(2), Some(2)));
        let torn = json!({"location": {"path": {"file": "a.js"}, "span": [4, 6], "sourceCode": "a;\né;b"}});
        assert_eq!(biome(&torn).unwrap().line, None);
    }

    #[test]
    fn a_component_knows_its_module() {
        let report =
            json!({"components": [{"key": "p:m", "path": "m"}, {"key": "p:m:src/A.java", "path": "src/A.java"}]});
        let issue = json!({"component": "p:m:src/A.java", "subProject": "p:m"});
        assert_eq!(component_path(&report, &issue).as_deref(), Some("m/src/A.java"));
        assert_eq!(component_path(&json!({}), &issue).as_deref(), Some("src/A.java"));
    }
}
