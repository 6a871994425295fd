//! Requirements in `pyproject.toml`: extras, dependency groups, and those of poetry, pdm, uv and hatch.

use toml::{Table, Value};

use super::requirements::{Group, Rank, What, normalised};

/// How deep groups may include each other.
const DEPTH: usize = 8;

pub(super) fn groups(pyproject: &Table) -> Vec<Group> {
    let table = |path: &[&str]| table(pyproject, path);
    let mut groups = Vec::new();
    for (name, value) in table(&["project", "optional-dependencies"]) {
        groups.push(Group { rank: Rank::of(name), what: What::Extra(name.clone(), strings(value)) });
    }
    if let Some(extras) = pyproject.get("tool").and_then(|tool| tool.get("poetry")?.get("extras")?.as_table()) {
        groups.extend(
            extras
                .iter()
                .map(|(name, value)| Group { rank: Rank::of(name), what: What::Extra(name.clone(), strings(value)) }),
        );
    }
    let declared: Vec<(&String, &Value)> = table(&["dependency-groups"]).collect();
    for (name, _) in &declared {
        groups.push(listed(name, included(&declared, name, DEPTH)));
    }
    for (name, value) in table(&["tool", "pdm", "dev-dependencies"]) {
        groups.push(listed(name, strings(value)));
    }
    let uv = pyproject.get("tool").and_then(|tool| tool.get("uv")?.get("dev-dependencies"));
    groups.extend(uv.map(|value| listed("dev", strings(value))));
    groups.extend(hatch(pyproject));
    groups.extend(poetry(pyproject));
    let run = pyproject.get("project").and_then(|project| project.get("dependencies")).map(strings).unwrap_or_default();
    groups.push(Group { rank: Rank::Run, what: What::Requirements(run) });
    groups
}

fn hatch(pyproject: &Table) -> Vec<Group> {
    let mut groups = Vec::new();
    for (name, value) in table(pyproject, &["tool", "hatch", "envs"]) {
        let keys = ["dependencies", "extra-dependencies"];
        let requirements = keys.iter().filter_map(|key| value.get(*key)).flat_map(strings).collect();
        groups.push(listed(name, requirements));
        for extra in value.get("features").map(strings).unwrap_or_default() {
            groups.push(Group { rank: Rank::of(name), what: What::Extra(extra, vec![]) });
        }
    }
    groups
}

fn poetry(pyproject: &Table) -> Vec<Group> {
    let written = |rank, path: &[&str]| Group {
        rank,
        what: What::Requirements(
            table(pyproject, path)
                .filter(|(name, _)| name.as_str() != "python")
                .filter_map(|(name, value)| poetry_requirement(name, value))
                .collect(),
        ),
    };
    let mut groups = vec![
        written(Rank::Development, &["tool", "poetry", "dev-dependencies"]),
        written(Rank::Run, &["tool", "poetry", "dependencies"]),
    ];
    for (name, _) in table(pyproject, &["tool", "poetry", "group"]) {
        groups.push(written(Rank::of(name), &["tool", "poetry", "group", name, "dependencies"]));
    }
    groups.retain(|group| group.what != What::Requirements(vec![]));
    groups
}

/// Poetry's own form of a requirement; `None` for addresses and paths.
fn poetry_requirement(name: &str, value: &Value) -> Option<String> {
    let (version, extras) = match value {
        Value::String(version) => (version.as_str(), vec![]),
        Value::Table(table) => {
            let version = table.get("version")?.as_str()?;
            (version, table.get("extras").map(strings).unwrap_or_default())
        }
        // Several constraints for several interpreters: any version will have to do.
        Value::Array(_) => ("*", vec![]),
        _ => return None,
    };
    let extras = if extras.is_empty() { String::new() } else { format!("[{}]", extras.join(",")) };
    let constraints: Vec<String> = version.split(',').filter_map(constraint).collect();
    Some(format!("{name}{extras}{}", constraints.join(",")))
}

fn constraint(text: &str) -> Option<String> {
    let text = text.trim();
    let (sign, version) = text.split_at(text.find(|c: char| c.is_ascii_digit()).unwrap_or(text.len()));
    let numbers: Vec<u64> = version.split('.').map_while(|part| part.parse().ok()).collect();
    match sign.trim() {
        "^" => {
            let at = numbers.iter().position(|number| *number > 0).unwrap_or(numbers.len().saturating_sub(1));
            let mut limit: Vec<String> = numbers.iter().take(at).map(u64::to_string).collect();
            limit.push((numbers.get(at)? + 1).to_string());
            Some(format!(">={version},<{}", limit.join(".")))
        }
        "~" if numbers.len() > 1 => Some(format!("~={}.{}.0", numbers[0], numbers[1])),
        "~" => Some(format!(">={version}")),
        "" if version.is_empty() || version.contains('*') && numbers.is_empty() => None,
        "" => Some(format!("=={version}")),
        "*" => None,
        sign => Some(format!("{sign}{version}")),
    }
}

/// A dependency group with what it includes.
fn included(declared: &[(&String, &Value)], name: &str, depth: usize) -> Vec<String> {
    let Some((_, value)) = declared.iter().find(|(known, _)| normalised(known) == normalised(name)) else {
        return vec![];
    };
    let mut found = Vec::new();
    for entry in value.as_array().into_iter().flatten() {
        match (entry.as_str(), entry.get("include-group").and_then(Value::as_str)) {
            (Some(requirement), _) => found.push(requirement.to_owned()),
            (None, Some(other)) if depth > 0 => found.extend(included(declared, other, depth - 1)),
            _ => {}
        }
    }
    found
}

fn listed(name: &str, requirements: Vec<String>) -> Group {
    Group { rank: Rank::of(name), what: What::Requirements(requirements) }
}

fn table<'a>(root: &'a Table, path: &[&str]) -> impl Iterator<Item = (&'a String, &'a Value)> + use<'a> {
    let mut at = Some(root);
    for part in path {
        at = at.and_then(|table| table.get(*part)?.as_table());
    }
    at.into_iter().flatten()
}

pub(super) fn strings(value: &Value) -> Vec<String> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}
