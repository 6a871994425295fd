//! Versions that lockfiles pin.

use std::collections::BTreeMap;

use toml::Value;

use super::Facts;
use super::requirements::normalised;

/// Names with the one version that the lockfiles hold; a name with several versions has none.
pub(super) fn pins(facts: &Facts<'_>) -> BTreeMap<String, String> {
    let mut found: BTreeMap<String, Option<String>> = BTreeMap::new();
    let mut add = |name: &str, version: &str| {
        let pin = found.entry(normalised(name)).or_insert_with(|| Some(version.to_owned()));
        if pin.as_deref() != Some(version) {
            *pin = None;
        }
    };
    for name in ["uv.lock", "poetry.lock", "pdm.lock"] {
        let Some(lock) = facts.tree.toml(facts.root, name) else { continue };
        for package in lock.get("package").and_then(Value::as_array).into_iter().flatten() {
            let text = |key: &str| package.get(key).and_then(Value::as_str);
            let local =
                package.get("source").is_some_and(|source| source.get("registry").is_none() && name == "uv.lock");
            if let (Some(name), Some(version), false) = (text("name"), text("version"), local) {
                add(name, version);
            }
        }
    }
    let pipfile = facts.text("Pipfile.lock").and_then(|text| serde_json::from_str::<serde_json::Value>(&text).ok());
    for section in pipfile.iter().flat_map(|lock| [&lock["default"], &lock["develop"]]) {
        for (name, package) in section.as_object().into_iter().flatten() {
            if let Some(version) = package["version"].as_str().and_then(|version| version.strip_prefix("==")) {
                add(name, version);
            }
        }
    }
    found.into_iter().filter_map(|(name, version)| Some((name, version?))).collect()
}
