//! Requirements in `setup.cfg`, `setup.py`, `tox.ini` and `Pipfile`.

use std::sync::LazyLock;

use regex::Regex;

use super::requirements::{Group, Rank, What};
use super::{Facts, ini};

/// The keys of a dictionary literal; which of them are extras shows by their names.
#[expect(clippy::unwrap_used, reason = "a constant pattern")]
static KEY: LazyLock<Regex> = LazyLock::new(|| Regex::new(r#"["']([\w.-]+)["']\s*(?:\]\s*=|:)\s*[\[(\w]"#).unwrap());
#[expect(clippy::unwrap_used, reason = "a constant pattern")]
static TESTS_REQUIRE: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"tests_require\w*\s*=\s*[\[(]([^\])]*)").unwrap());
#[expect(clippy::unwrap_used, reason = "a constant pattern")]
static LITERAL: LazyLock<Regex> = LazyLock::new(|| Regex::new(r#"["']([^"'\n]+)["']"#).unwrap());

pub(super) fn groups(facts: &Facts<'_>) -> Vec<Group> {
    let mut groups = setup_cfg(facts);
    groups.extend(facts.text("setup.py").map(|text| setup_py(&text)).unwrap_or_default());
    groups.extend(tox(facts));
    groups.extend(pipfile(facts));
    groups
}

fn setup_cfg(facts: &Facts<'_>) -> Vec<Group> {
    let sections = ini::parse(&facts.text("setup.cfg").unwrap_or_default());
    let mut groups = Vec::new();
    for (name, value) in sections.get("options.extras_require").into_iter().flatten() {
        groups.push(Group { rank: Rank::of(name), what: What::Extra(name.clone(), lines(value)) });
    }
    let tests = sections.get("options").and_then(|options| options.get("tests_require"));
    groups.extend(tests.map(|value| Group { rank: Rank::Test, what: What::Requirements(lines(value)) }));
    groups
}

fn setup_py(text: &str) -> Vec<Group> {
    let mut groups = Vec::new();
    if let Some(at) = text.find("extras_require").or_else(|| text.find("extras")) {
        for found in KEY.captures_iter(&text[at..]) {
            let rank = Rank::of(&found[1]);
            if rank <= Rank::Development {
                groups.push(Group { rank, what: What::Extra(found[1].to_owned(), vec![]) });
            }
        }
    }
    if let Some(list) = TESTS_REQUIRE.captures(text) {
        let requirements = LITERAL.captures_iter(&list[1]).map(|found| found[1].to_owned()).collect();
        groups.push(Group { rank: Rank::Test, what: What::Requirements(requirements) });
    }
    groups
}

/// The plain test environment of tox; those with names of their own are for other things.
fn tox(facts: &Facts<'_>) -> Vec<Group> {
    let sections = ini::parse(&facts.text("tox.ini").unwrap_or_default());
    let Some(environment) = sections.get("testenv") else { return vec![] };
    let values = |key: &str| environment.get(key).map(|value| lines(value)).unwrap_or_default();
    let mut groups = Vec::new();
    let mut requirements = Vec::new();
    for dependency in values("deps") {
        let file = dependency.strip_prefix("--requirement").or_else(|| dependency.strip_prefix("-r"));
        if let Some(file) = file {
            let path = file.trim_start_matches(['=', ' ']).replace("{toxinidir}/", "").replace("{tox_root}/", "");
            let text = facts.text(&path);
            groups.extend(text.map(|text| Group { rank: Rank::Test, what: What::File(path, text) }));
        } else if let Some((_, extras)) = dependency.strip_prefix('.').and_then(|rest| rest.split_once('[')) {
            let extras = extras.trim_end_matches(']').split(',');
            groups.extend(extras.map(|name| Group { rank: Rank::Test, what: What::Extra(name.trim().into(), vec![]) }));
        } else if !conditional(&dependency) {
            requirements.push(dependency);
        }
    }
    let extras = values("extras").into_iter().filter(|extra| !conditional(extra));
    groups.extend(extras.map(|extra| Group { rank: Rank::Test, what: What::Extra(extra, vec![]) }));
    if !requirements.is_empty() {
        groups.push(Group { rank: Rank::Test, what: What::Requirements(requirements) });
    }
    groups
}

/// `factor: value` holds in some environments only, and `{…}` refers to others.
fn conditional(line: &str) -> bool {
    line.contains('{') || line.split_once(':').is_some_and(|(factor, _)| !factor.contains([';', '=', '<', '>', '/']))
}

fn pipfile(facts: &Facts<'_>) -> Vec<Group> {
    let Some(table) = facts.tree.toml(facts.root, "Pipfile") else { return vec![] };
    let section = |name: &str, rank| {
        let packages = table.get(name)?.as_table()?;
        Some(Group { rank, what: What::Requirements(packages.keys().cloned().collect()) })
    };
    [section("packages", Rank::Run), section("dev-packages", Rank::Development)].into_iter().flatten().collect()
}

fn lines(value: &str) -> Vec<String> {
    value.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect()
}
