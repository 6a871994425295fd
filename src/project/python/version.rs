//! Versions that a build derives from tags: given outright where a change log tells, guessed where all else fails.

use std::sync::LazyLock;

use regex::Regex;

use super::super::with;
use super::Facts;
use crate::policy::CommandSpec;

const TOOLS: &[&str] = &["setuptools-scm", "setuptools_scm", "hatch-vcs", "flit-scm", "flit_scm", "vcs-versioning"];
const FILES: &[&str] = &["CHANGELOG", "CHANGES", "HISTORY", "NEWS", "RELEASES", "docs/changelog", "docs/changes"];
const ENDINGS: &[&str] = &["", ".md", ".rst", ".txt"];

/// A version at the head of a line, perhaps behind the project's name.
#[expect(clippy::unwrap_used, reason = "a constant pattern")]
static VERSION: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?mi)^\W*(?:(?:version|release|[a-z][\w.-]*)\s+)?\[?v?(\d+\.\d+(?:\.\d+)?)\b").unwrap()
});

/// What is set so that the build asks no repository.
pub(super) enum Variables {
    /// The version is written down; nothing to set.
    None,
    /// Known from the change log.
    Known(String),
    /// Not known: the repository is asked first.
    Unknown,
}

pub(super) fn variables(facts: &Facts<'_>) -> Variables {
    let build = format!("{:?}", facts.pyproject.get("build-system"));
    let setup = facts.text("setup.py").unwrap_or_default() + &facts.text("setup.cfg").unwrap_or_default();
    let pdm = facts.tool("pdm").and_then(|pdm| pdm.get("version")?.get("source")?.as_str()) == Some("scm");
    let derived = TOOLS.iter().any(|tool| build.contains(tool) || setup.contains(tool));
    if !derived && !pdm && !setup.contains("use_scm_version") {
        return Variables::None;
    }
    let names = FILES.iter().flat_map(|name| ENDINGS.iter().map(move |ending| format!("{name}{ending}")));
    let found = names.filter_map(|name| {
        let text = facts.text(&name).or_else(|| facts.text(&name.to_lowercase()))?;
        VERSION.captures(&text).map(|found| found[1].to_owned())
    });
    // A later file is no better than an earlier one.
    found.into_iter().next().map_or(Variables::Unknown, Variables::Known)
}

/// An installation, tried with the version or without it.
pub(super) fn attempts(install: CommandSpec, variables: &Variables) -> Vec<CommandSpec> {
    let pretend = |version: &str| {
        let names = ["SETUPTOOLS_SCM_PRETEND_VERSION", "PDM_BUILD_SCM_VERSION"];
        with(install.clone(), &names.map(|name| (name, version)))
    };
    match variables {
        Variables::None => vec![install],
        Variables::Known(version) => vec![pretend(version), install],
        Variables::Unknown => {
            let guessed = pretend("1.0.0");
            vec![install, guessed]
        }
    }
}
