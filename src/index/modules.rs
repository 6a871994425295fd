//! From the module that an import names to the files of the tree that it can mean.

use std::collections::HashMap;

use crate::ids::RepoPath;

/// Files by the last part of their module path.
#[derive(Debug, Default)]
pub(super) struct Modules {
    by_stem: HashMap<String, Vec<(u32, Vec<String>)>>,
}

impl Modules {
    /// The modules that files, in index order, are.
    pub(super) fn of<'p>(paths: impl Iterator<Item = &'p RepoPath>) -> Self {
        let mut by_stem: HashMap<String, Vec<(u32, Vec<String>)>> = HashMap::new();
        for (number, path) in paths.enumerate() {
            let parts = parts(path);
            if let Some(stem) = parts.last().cloned() {
                by_stem.entry(stem).or_default().push((super::short(number), parts));
            }
        }
        Self { by_stem }
    }

    /// The files whose module path agrees best with the end of `module`, at most eight; `from` breaks ties by nearness.
    ///
    /// The head of a module path is often no directory (`crate`, a package's own name), so the end decides.
    pub(super) fn find(&self, module: &str, from: &RepoPath) -> Vec<u32> {
        let segments = module.split(['.', ':', '/']).filter(|part| !matches!(*part, "" | "crate" | "self" | "super"));
        let wanted: Vec<&str> = segments.collect();
        let Some(candidates) = wanted.last().and_then(|stem| self.by_stem.get(*stem)) else { return Vec::new() };
        let home = parts(from);
        let score = |parts: &[String]| {
            let tail = parts.iter().rev().zip(wanted.iter().rev()).take_while(|(a, b)| a == b).count();
            let near = parts.iter().zip(&home).take_while(|(a, b)| a == b).count();
            (tail, near)
        };
        let best = candidates.iter().map(|(_, parts)| score(parts)).max();
        let agreeing = candidates.iter().filter(|(_, parts)| Some(score(parts)) == best);
        agreeing.map(|(number, _)| *number).take(8).collect()
    }
}

/// The module path of a file: `src/a/b.rs` is src, a, b; `a/mod.rs` and `a/__init__.py` are a.
fn parts(path: &RepoPath) -> Vec<String> {
    let text = path.as_str();
    let stem = text.rsplit_once('.').map_or(text, |(stem, _)| stem);
    let mut parts: Vec<String> = stem.split('/').map(str::to_owned).collect();
    if parts.last().is_some_and(|last| matches!(last.as_str(), "mod" | "__init__" | "lib" | "main")) {
        parts.pop();
        // A crate's root is the crate: `shop/src/lib.rs` is shop.
        if parts.last().is_some_and(|last| last == "src") && parts.len() > 1 {
            parts.pop();
        }
    }
    parts
}
