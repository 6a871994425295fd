//! The dialect of INI that `setup.cfg`, `tox.ini` and `pytest.ini` are written in.

use std::collections::BTreeMap;

/// Sections, each with its keys; an indented line continues the value before it.
pub(super) fn parse(text: &str) -> BTreeMap<String, BTreeMap<String, String>> {
    let mut sections: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
    let mut section = String::new();
    let mut key = None;
    for line in text.lines() {
        let trimmed = line.trim();
        if trimmed.is_empty() || trimmed.starts_with(['#', ';']) {
            continue;
        }
        let keys = sections.entry(section.clone()).or_default();
        if let (true, Some(key)) = (line.starts_with([' ', '\t']), &key) {
            let value: &mut String = keys.entry(String::clone(key)).or_default();
            value.push('\n');
            value.push_str(trimmed);
        } else if let Some(name) = trimmed.strip_prefix('[').and_then(|rest| rest.split(']').next()) {
            name.trim().clone_into(&mut section);
            key = None;
        } else if let Some((name, value)) = trimmed.split_once(['=', ':']) {
            keys.insert(name.trim().to_owned(), value.trim().to_owned());
            key = Some(name.trim().to_owned());
        }
    }
    sections
}
