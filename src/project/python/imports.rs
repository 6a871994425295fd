//! Libraries that tests import and that no requirement for tests names.
//!
//! Only names that the repository declares somewhere, or that everybody knows, are installed: a guess from an
//! import could bring in a stranger's package.

use std::collections::BTreeSet;

use super::Facts;
use super::requirements::{name, normalised};
use crate::ids::RepoPath;

/// Import names of well-known test libraries with their distributions.
const KNOWN: &[(&str, &str)] = &[
    ("aiohttp", "aiohttp"),
    ("asgiref", "asgiref"),
    ("asynctest", "asynctest"),
    ("bs4", "beautifulsoup4"),
    ("cloudpickle", "cloudpickle"),
    ("cryptography", "cryptography"),
    ("ddt", "ddt"),
    ("dirty_equals", "dirty-equals"),
    ("execnet", "execnet"),
    ("factory", "factory-boy"),
    ("faker", "Faker"),
    ("freezegun", "freezegun"),
    ("hypothesis", "hypothesis"),
    ("httpx", "httpx"),
    ("iniconfig", "iniconfig"),
    ("jinja2", "Jinja2"),
    ("jsonschema", "jsonschema"),
    ("mock", "mock"),
    ("nose", "nose"),
    ("numpy", "numpy"),
    ("parameterized", "parameterized"),
    ("pexpect", "pexpect"),
    ("pkg_resources", "setuptools<81"),
    ("pretend", "pretend"),
    ("psutil", "psutil"),
    ("pyfakefs", "pyfakefs"),
    ("pytest_httpbin", "pytest-httpbin"),
    ("pytz", "pytz"),
    ("requests", "requests"),
    ("requests_mock", "requests-mock"),
    ("responses", "responses"),
    ("respx", "respx"),
    ("setuptools", "setuptools"),
    ("simplejson", "simplejson"),
    ("six", "six"),
    ("syrupy", "syrupy"),
    ("testfixtures", "testfixtures"),
    ("testtools", "testtools"),
    ("time_machine", "time-machine"),
    ("trio", "trio"),
    ("trustme", "trustme"),
    ("tzdata", "tzdata"),
    ("vcr", "vcrpy"),
    ("webtest", "WebTest"),
    ("yaml", "PyYAML"),
];

/// The distributions for what the tests import; `declared` are all requirements that the repository names anywhere.
pub(super) fn distributions(facts: &Facts<'_>, tests: &[&RepoPath], declared: &[String]) -> Vec<String> {
    let mut imported = BTreeSet::new();
    for path in tests {
        let text = facts.tree.read(path).unwrap_or_default();
        imported.extend(text.lines().flat_map(modules).map(str::to_owned));
    }
    let parts = facts.tree.under(facts.root).flat_map(|(_, path)| path.split('/'));
    let own: BTreeSet<&str> = parts.map(|part| part.strip_suffix(".py").unwrap_or(part)).collect();
    let mut found: Vec<String> = Vec::new();
    for module in imported.iter().filter(|module| !own.contains(module.as_str())) {
        let known = KNOWN.iter().find(|(import, _)| import == module).map(|(_, distribution)| *distribution);
        let wanted = known.map_or_else(|| normalised(module), name);
        let requirement = declared.iter().find(|one| name(one) == wanted).cloned().or(known.map(str::to_owned));
        found.extend(requirement.filter(|one| !found.iter().any(|other| name(other) == name(one))));
    }
    found
}

/// The top-level modules that a line imports.
fn modules(line: &str) -> Vec<&str> {
    let line = line.trim_start();
    let top = |text: &'_ str| -> Option<usize> {
        let end = text.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(text.len());
        (end > 0).then_some(end)
    };
    if let Some(rest) = line.strip_prefix("from ") {
        return top(rest).map(|end| &rest[..end]).into_iter().collect();
    }
    let Some(rest) = line.strip_prefix("import ") else { return vec![] };
    rest.split(',').map(str::trim).filter_map(|part| Some(&part[..top(part)?])).collect()
}
