//! Looking for manifests in a tree.

use crate::ids::RepoPath;
use crate::source::Source;

/// Directories whose manifests are samples, copies or products, not projects to work on.
const NOT_PROJECTS: &[&str] = &[
    "__fixtures__",
    "demo",
    "demos",
    "dist",
    "example",
    "examples",
    "fixture",
    "fixtures",
    "node_modules",
    "snapshots",
    "target",
    "template",
    "templates",
    "test",
    "testdata",
    "testing",
    "tests",
    "third_party",
    "vendor",
];

/// A tree, with questions that detection asks of it.
pub(super) struct Tree<'a> {
    source: &'a dyn Source,
}

impl<'a> Tree<'a> {
    pub(super) fn new(source: &'a dyn Source) -> Self {
        Self { source }
    }

    /// Every file, in path order.
    pub(super) fn files(&self) -> impl Iterator<Item = &'a RepoPath> + use<'a> {
        self.source.files().iter().map(|entry| &entry.path)
    }

    /// The text of a file of a directory; `None` when it is missing or no UTF-8.
    pub(super) fn text(&self, directory: Option<&RepoPath>, name: &str) -> Option<String> {
        self.source.text(&below(directory, name)?)
    }

    /// The parsed TOML of a file of a directory.
    pub(super) fn toml(&self, directory: Option<&RepoPath>, name: &str) -> Option<toml::Table> {
        self.text(directory, name)?.parse().ok()
    }

    pub(super) fn has(&self, directory: Option<&RepoPath>, name: &str) -> bool {
        below(directory, name).is_some_and(|path| self.source.entry(&path).is_some())
    }

    /// Those of `names` that stand in a directory, as paths.
    pub(super) fn present(&self, directory: Option<&RepoPath>, names: &[&str]) -> Vec<RepoPath> {
        let there = names.iter().filter(|name| self.has(directory, name));
        there.filter_map(|name| below(directory, name)).collect()
    }

    /// Files below a directory, each with its path relative to it.
    pub(super) fn under(&self, directory: Option<&'a RepoPath>) -> impl Iterator<Item = (&'a RepoPath, &'a str)> {
        self.files().filter_map(move |path| Some((path, relative(directory, path)?)))
    }

    /// The directories that hold a file of this name, samples and products left out.
    pub(super) fn directories_with(&self, name: &str) -> Vec<Option<RepoPath>> {
        let named = self.files().filter(|path| path.file_name() == name).map(RepoPath::parent);
        named.filter(|directory| directory.as_ref().is_none_or(|directory| !is_sample(directory))).collect()
    }

    pub(super) fn read(&self, path: &RepoPath) -> Option<String> {
        self.source.text(path)
    }
}

fn is_sample(directory: &RepoPath) -> bool {
    directory.as_str().split('/').any(|part| NOT_PROJECTS.contains(&part) || part.starts_with('.'))
}

/// A path below a directory.
pub(super) fn below(directory: Option<&RepoPath>, name: &str) -> Option<RepoPath> {
    match directory {
        Some(directory) => RepoPath::new(&format!("{directory}/{name}")).ok(),
        None => RepoPath::new(name).ok(),
    }
}

/// A path as seen from a directory that holds it.
pub(super) fn relative<'a>(directory: Option<&RepoPath>, path: &'a RepoPath) -> Option<&'a str> {
    match directory {
        Some(directory) => path.as_str().strip_prefix(directory.as_str())?.strip_prefix('/'),
        None => Some(path.as_str()),
    }
}

/// Whether a path matches a workspace pattern: `*` is a part of one component, `**` any number of components.
pub(super) fn matches(pattern: &str, path: &str) -> bool {
    let pattern: Vec<&str> = pattern.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
    let path: Vec<&str> = path.split('/').collect();
    parts_match(&pattern, &path)
}

fn parts_match(pattern: &[&str], path: &[&str]) -> bool {
    match (pattern, path) {
        ([], []) => true,
        (["**", rest @ ..], _) => parts_match(rest, path) || (!path.is_empty() && parts_match(pattern, &path[1..])),
        ([first, pattern @ ..], [part, path @ ..]) => part_matches(first, part) && parts_match(pattern, path),
        _ => false,
    }
}

fn part_matches(pattern: &str, part: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == part,
        Some((before, after)) => part.strip_prefix(before).is_some_and(|rest| {
            (0..=rest.len()).any(|at| rest.is_char_boundary(at) && part_matches(after, &rest[at..]))
        }),
    }
}
