//! What a project's tests ask of pytest: plugins, and where the tests are.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::LazyLock;

use regex::Regex;

use super::{Facts, ini};
use crate::ids::RepoPath;

#[expect(clippy::unwrap_used, reason = "a constant pattern")]
static MARKER: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"pytest\.mark\.([A-Za-z_]+)").unwrap());
#[expect(clippy::unwrap_used, reason = "a constant pattern")]
static FUNCTION: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\bdef ([A-Za-z0-9_]+)\(([^)]*)\)").unwrap());

/// A plugin, and the text of settings or tests that gives it away.
struct Plugin {
    distribution: &'static str,
    /// Words of `addopts`, by their beginning.
    options: &'static [&'static str],
    /// Keys of the settings.
    keys: &'static [&'static str],
    /// Markers of tests.
    markers: &'static [&'static str],
    /// Fixtures that tests take.
    fixtures: &'static [&'static str],
}

macro_rules! plugin {
    ($distribution:literal, $options:expr, $keys:expr, $markers:expr, $fixtures:expr) => {
        Plugin {
            distribution: $distribution,
            options: &$options,
            keys: &$keys,
            markers: &$markers,
            fixtures: &$fixtures,
        }
    };
}

const PLUGINS: &[Plugin] = &[
    plugin!("pytest-cov", ["--cov", "--no-cov"], [], [], []),
    plugin!("pytest-xdist", ["-n", "--numprocesses", "--dist", "--maxprocesses"], [], ["xdist_group"], ["worker_id"]),
    plugin!(
        "pytest-asyncio",
        ["--asyncio-mode"],
        ["asyncio_mode", "asyncio_default_fixture_loop_scope"],
        ["asyncio"],
        []
    ),
    plugin!("pytest-timeout", ["--timeout"], ["timeout", "timeout_method"], ["timeout"], []),
    plugin!("pytest-mock", [], ["mock_use_standalone_module"], [], ["mocker"]),
    plugin!("pytest-benchmark", ["--benchmark"], [], ["benchmark"], ["benchmark"]),
    plugin!("pytest-httpbin", [], [], [], ["httpbin", "httpbin_secure", "httpbin_both"]),
    plugin!("pytest-httpserver", [], [], [], ["httpserver"]),
    plugin!("pytest-rerunfailures", ["--reruns"], ["reruns"], ["flaky"], []),
    plugin!("pytest-randomly", ["-p randomly", "--randomly"], [], [], []),
    plugin!("pytest-random-order", ["--random-order"], [], ["random_order"], []),
    plugin!("pytest-socket", ["--disable-socket", "--allow-hosts"], [], ["enable_socket"], ["socket_enabled"]),
    plugin!("pytest-django", ["--ds", "--reuse-db"], ["DJANGO_SETTINGS_MODULE"], ["django_db"], []),
    plugin!("pytest-env", [], ["env"], [], []),
    plugin!("pytest-trio", [], ["trio_mode"], ["trio"], []),
    plugin!("pytest-aiohttp", [], [], [], ["aiohttp_client", "aiohttp_server"]),
    plugin!("pytest-doctestplus", ["--doctest-plus"], ["doctest_plus"], [], []),
    plugin!("pytest-html", ["--html"], [], [], []),
    plugin!("pytest-sugar", ["--force-sugar"], [], [], []),
    plugin!("pytest-order", ["--order"], [], ["order"], []),
    plugin!("pytest-subtests", [], [], [], ["subtests"]),
    plugin!("pytest-lazy-fixtures", [], [], [], []),
    plugin!("pytest-freezer", [], [], [], ["freezer"]),
    plugin!("pytest-datadir", [], [], [], ["datadir", "shared_datadir"]),
    plugin!("pytest-regressions", ["--force-regen"], [], [], ["data_regression", "file_regression"]),
    plugin!("pytest-codspeed", ["--codspeed"], [], [], []),
    plugin!("pytest-mypy", ["--mypy"], [], [], []),
    plugin!("pytest-ruff", ["--ruff"], [], [], []),
    plugin!("pytest-flake8", ["--flake8"], ["flake8-max-line-length"], [], []),
    plugin!("pytest-black", ["--black"], [], [], []),
    plugin!("pytest-isort", ["--isort"], [], [], []),
    plugin!("pytest-instafail", ["--instafail"], [], [], []),
    plugin!("pytest-xvfb", [], [], [], ["xvfb"]),
    plugin!("requests-mock", [], [], [], ["requests_mock"]),
    plugin!("respx", [], [], ["respx"], ["respx_mock"]),
    plugin!("pyfakefs", [], [], [], ["fs"]),
    plugin!("syrupy", ["--snapshot"], [], [], []),
    plugin!("inline-snapshot", ["--inline-snapshot"], [], [], []),
];

/// The settings of pytest, whichever file they stand in, as `key = value` lines.
pub(super) struct Settings {
    text: String,
    pub(super) has_test_paths: bool,
}

impl Settings {
    pub(super) fn read(facts: &Facts<'_>) -> Self {
        let mut text = String::new();
        for (file, section) in
            [("pytest.ini", "pytest"), (".pytest.ini", "pytest"), ("tox.ini", "pytest"), ("setup.cfg", "tool:pytest")]
        {
            let sections = ini::parse(&facts.text(file).unwrap_or_default());
            for (key, value) in sections.get(section).into_iter().flatten() {
                let _ = writeln!(text, "{key} = {}", value.replace('\n', " "));
            }
        }
        let tables =
            facts.tool("pytest").map(|table| table.get("ini_options").and_then(|it| it.as_table()).unwrap_or(table));
        for (key, value) in tables.into_iter().flatten() {
            let value = match value {
                toml::Value::String(value) => value.clone(),
                toml::Value::Array(values) => {
                    values.iter().filter_map(toml::Value::as_str).collect::<Vec<_>>().join(" ")
                }
                other => format!("{other:?}"),
            };
            let _ = writeln!(text, "{key} = {}", value.replace('\n', " "));
        }
        let has_test_paths = text.lines().any(|line| line.starts_with("testpaths ="));
        Self { text, has_test_paths }
    }

    fn value(&self, key: &str) -> Option<&str> {
        self.text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(" = "))
    }
}

/// pytest itself and the plugins that settings and tests ask for.
pub(super) fn distributions(facts: &Facts<'_>, settings: &Settings, tests: &[&RepoPath]) -> Vec<String> {
    let options = format!(" {}", settings.value("addopts").unwrap_or_default());
    let mut used = Used::default();
    for text in tests.iter().filter_map(|path| facts.tree.read(path)) {
        used.read(&text);
    }
    let mut found = vec!["pytest".to_owned()];
    for plugin in PLUGINS {
        let by_option = plugin.options.iter().any(|option| options.contains(&format!(" {option}")));
        let by_key = plugin.keys.iter().any(|key| settings.value(key).is_some());
        let by_marker = plugin.markers.iter().any(|marker| used.markers.contains(*marker));
        // A fixture that is defined in the tests is the project's own.
        let taken = |fixture: &&str| used.parameters.contains(*fixture) && !used.defined.contains(*fixture);
        if by_option || by_key || by_marker || plugin.fixtures.iter().any(taken) {
            found.push(plugin.distribution.to_owned());
        }
    }
    let required = settings.value("required_plugins").unwrap_or_default();
    found.extend(required.split_whitespace().filter_map(super::requirements::usable));
    found
}

/// Names that tests use which plugins may give.
#[derive(Default)]
struct Used {
    markers: BTreeSet<String>,
    parameters: BTreeSet<String>,
    defined: BTreeSet<String>,
}

impl Used {
    fn read(&mut self, text: &str) {
        self.markers.extend(MARKER.captures_iter(text).map(|found| found[1].to_owned()));
        for function in FUNCTION.captures_iter(text) {
            if function[1].starts_with("test") {
                let parameters = function[2].split(',').filter_map(|one| one.trim().split([':', '=']).next());
                self.parameters.extend(parameters.map(|name| name.trim().to_owned()));
            } else {
                self.defined.insert(function[1].to_owned());
            }
        }
    }
}

/// Python files that are tests or belong to them.
pub(super) fn test_files<'a>(facts: &Facts<'a>) -> Vec<&'a RepoPath> {
    facts.tree.under(facts.root).map(|(path, _)| path).filter(|path| is_test_file(path)).collect()
}

pub(super) fn is_test_file(path: &RepoPath) -> bool {
    let name = path.file_name();
    let Some(stem) = name.strip_suffix(".py") else { return false };
    let named = stem.starts_with("test_") || stem.ends_with("_test") || matches!(stem, "conftest" | "tests" | "test");
    named || path.as_str().split('/').any(|part| matches!(part, "test" | "tests" | "testing"))
}

/// The test directories of a project without settings: naming them keeps samples and documents out of the run.
pub(super) fn directories(facts: &Facts<'_>) -> Vec<&'static str> {
    let holds = |directory: &str| {
        let below = format!("{directory}/");
        facts.tree.under(facts.root).any(|(path, it)| path.extension() == Some("py") && it.starts_with(&below))
    };
    ["tests", "test", "testing"].into_iter().filter(|directory| holds(directory)).collect()
}
