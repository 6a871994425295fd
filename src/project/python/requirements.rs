//! Which of the requirements that a repository declares its tests need.

use std::collections::BTreeMap;

use super::Facts;

/// What a group of requirements is for, by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rank {
    /// For tests.
    Test,
    /// For development: often holds what the tests need, among much else.
    Development,
    /// For running.
    Run,
    Other,
}

/// Requirements that are declared together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Group {
    pub(super) rank: Rank,
    pub(super) what: What,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum What {
    /// An extra of the project itself, with what it holds where that is readable.
    Extra(String, Vec<String>),
    Requirements(Vec<String>),
    /// A requirements file, by its path from the project's directory, with its text.
    File(String, String),
}

/// Tools that development groups hold and that no test needs, unless it imports them; by the beginning of the name.
const NOT_FOR_TESTS: &[&str] = &[
    "black",
    "build",
    "bump",
    "commitizen",
    "cruft",
    "flake8",
    "furo",
    "hatch",
    "invoke",
    "ipython",
    "isort",
    "jupyter",
    "mkdocs",
    "mypy",
    "myst-",
    "nox",
    "poethepoet",
    "pre-commit",
    "prek",
    "pydocstyle",
    "pyinstaller",
    "pylint",
    "pyrefly",
    "pyright",
    "pyupgrade",
    "ruff",
    "scriv",
    "sphinx",
    "towncrier",
    "tox",
    "twine",
    "ty",
    "uv",
    "wheel",
    "zest-releaser",
];

/// What will be installed for the tests.
#[derive(Debug, Default)]
pub(super) struct Wanted {
    pub(super) extras: Vec<String>,
    pub(super) requirements: Vec<String>,
    /// The same with the versions of the lockfile.
    pub(super) pinned: Vec<String>,
    pub(super) files: Vec<String>,
    /// Everything declared anywhere.
    pub(super) all: Vec<String>,
    pub(super) notes: Vec<String>,
}

impl Rank {
    pub(super) fn of(name: &str) -> Self {
        match normalised(name).as_str() {
            "test" | "tests" | "testing" | "unittest" | "unit-test" | "unit-tests" | "unit" | "pytest"
            | "test-deps" | "tests-require" | "hatch-test" | "testenv" => Self::Test,
            "dev" | "develop" | "development" | "dev-dependencies" | "all" | "ci" | "qa" | "default" => {
                Self::Development
            }
            _ => Self::Other,
        }
    }
}

impl Wanted {
    pub(super) fn choose(groups: Vec<Group>, is_package: bool, pins: &BTreeMap<String, String>) -> Self {
        let has = |rank| groups.iter().any(|group| group.rank == rank);
        let mut ranks = vec![if has(Rank::Test) { Rank::Test } else { Rank::Development }];
        if !is_package {
            ranks.push(Rank::Run);
        }
        let mut wanted = Self::default();
        for group in groups {
            wanted.take(group, &ranks);
        }
        wanted.pinned = wanted.requirements.iter().map(|requirement| pinned(requirement, pins)).collect();
        wanted
    }

    fn take(&mut self, group: Group, ranks: &[Rank]) {
        let chosen = ranks.contains(&group.rank);
        let what = match group.what {
            // Of an extra for development only a part is wanted.
            What::Extra(_, requirements) if group.rank == Rank::Development && !requirements.is_empty() => {
                What::Requirements(requirements)
            }
            what => what,
        };
        match what {
            What::Extra(name, requirements) => {
                self.all.extend(requirements.iter().filter_map(|one| usable(one)));
                if chosen && !self.extras.contains(&name) {
                    self.extras.push(name);
                }
            }
            What::Requirements(requirements) => {
                for requirement in requirements {
                    let Some(usable) = usable(&requirement) else {
                        if chosen {
                            self.notes.push(format!("the requirement `{}` was left out", requirement.trim()));
                        }
                        continue;
                    };
                    self.all.push(usable.clone());
                    let wanted = group.rank != Rank::Development || is_for_tests(&usable);
                    if chosen && wanted && !self.requirements.contains(&usable) {
                        self.requirements.push(usable);
                    }
                }
            }
            What::File(path, text) => {
                self.all.extend(text.lines().filter_map(usable));
                if chosen && !self.files.contains(&path) {
                    self.files.push(path);
                }
            }
        }
    }
}

/// Requirements files, ranked by their names.
pub(super) fn files(facts: &Facts<'_>) -> Vec<Group> {
    let mut groups = Vec::new();
    for (path, name) in facts.tree.under(facts.root) {
        let Some(rank) = rank_of_file(name) else { continue };
        let compiled = path.extension() == Some("in") && facts.tree.has(facts.root, &name.replace(".in", ".txt"));
        if compiled {
            continue;
        }
        let text = facts.tree.read(path).unwrap_or_default();
        groups.push(Group { rank, what: What::File(name.to_owned(), text) });
    }
    groups
}

fn rank_of_file(name: &str) -> Option<Rank> {
    let name = name.to_ascii_lowercase();
    let stem = name.strip_suffix(".txt").or_else(|| name.strip_suffix(".in")).or_else(|| name.strip_suffix(".pip"))?;
    if stem.matches('/').count() > 1 {
        return None;
    }
    let words: Vec<&str> = stem.split(['-', '_', '.', '/']).collect();
    if !words.iter().any(|word| matches!(*word, "requirements" | "requirement" | "reqs" | "requires")) {
        return None;
    }
    let rest = words.iter().filter(|word| !matches!(**word, "requirements" | "requirement" | "reqs" | "requires"));
    let ranks: Vec<Rank> = rest.map(|word| Rank::of(word)).collect();
    match ranks.iter().min() {
        None => Some(Rank::Run),
        Some(Rank::Other) if ranks.len() == 1 && stem.ends_with("base") => Some(Rank::Run),
        Some(rank) => Some(*rank),
    }
}

/// A requirement that pip can take from a registry; options, paths and addresses are not.
pub(super) fn usable(text: &str) -> Option<String> {
    let text = text.split(" #").next().unwrap_or_default().trim();
    let odd = text.starts_with(['-', '#', '.', '/', '{', '$']) || text.contains(['{', '\\', '\n']);
    let address = text.contains("://") || text.contains(" @ ") || text.contains("@ ");
    let named = text.starts_with(|c: char| c.is_ascii_alphanumeric());
    (named && !odd && !address).then(|| text.to_owned())
}

fn is_for_tests(requirement: &str) -> bool {
    let name = name(requirement);
    !NOT_FOR_TESTS.iter().any(|tool| match tool.len() {
        // Short names begin too many others.
        0..=3 => name == *tool,
        _ => name.starts_with(tool),
    })
}

/// The name of a requirement as registries compare it.
pub(super) fn name(requirement: &str) -> String {
    let end = requirement.find(|c: char| !(c.is_ascii_alphanumeric() || "-_.".contains(c)));
    normalised(&requirement[..end.unwrap_or(requirement.len())])
}

pub(super) fn normalised(name: &str) -> String {
    let parts: Vec<&str> = name.split(['-', '_', '.']).filter(|part| !part.is_empty()).collect();
    parts.join("-").to_ascii_lowercase()
}

/// `requirements` and those of `more` whose names are not among them.
pub(super) fn merged(requirements: &[String], more: &[String]) -> Vec<String> {
    let missing = more.iter().filter(|one| !requirements.iter().any(|other| name(other) == name(one)));
    requirements.iter().chain(missing).cloned().collect()
}

fn pinned(requirement: &str, pins: &BTreeMap<String, String>) -> String {
    let Some(version) = pins.get(&name(requirement)) else { return requirement.to_owned() };
    let (specifier, marker) = match requirement.split_once(';') {
        Some((specifier, marker)) => (specifier, format!(";{marker}")),
        None => (requirement, String::new()),
    };
    let bare = match specifier.split_once(']') {
        Some((bare, _)) => format!("{bare}]"),
        None => specifier.split(['<', '>', '=', '!', '~', '(', ' ']).next().unwrap_or_default().to_owned(),
    };
    format!("{bare}=={version}{marker}")
}
