//! A tree surveyed: its index, with the facts of every blob kept for the next run, and its rules.

use rayon::iter::{IntoParallelRefIterator as _, ParallelIterator as _};

use crate::cache::Cache;
use crate::context::{Rule, root_rules};
use crate::index::{File, Index};
use crate::source::Source;
use crate::syntax::{Lang, Parsed};

/// The kind of the cache's entries; another number for other facts.
const FACTS: &str = "facts-1";

/// What is known of one tree.
#[derive(Debug)]
pub struct Survey {
    /// Every definition, reference and import.
    pub index: Index,
    /// The project's rules at the root, from this very tree.
    pub rules: Vec<Rule>,
    /// How many files were parsed now.
    pub parsed: usize,
    /// How many files' facts came from the cache.
    pub known: usize,
    /// What could not be kept: the survey itself is whole.
    pub problems: Vec<String>,
}

impl Survey {
    /// Surveys a tree. A cache that cannot be read or written costs time, not truth.
    pub fn take(source: &dyn Source, cache: Option<&Cache>) -> Self {
        let index = Index::build(source, &|entry, lang| {
            let value = cache?.get(FACTS, &key(lang, &entry.blob))?;
            serde_json::from_slice::<Parsed>(&value).ok()
        });
        let fresh: Vec<&File> = index.files().map(|(_, file)| file).filter(|file| file.fresh).collect();
        let parsed = fresh.len();
        let known = index.files().count() - parsed;
        let problems = cache.map(|cache| keep(cache, &fresh)).unwrap_or_default();
        Self { rules: root_rules(source), parsed, known, problems, index }
    }
}

/// Keeps the facts of newly parsed files; gives what went wrong, once for all files.
fn keep(cache: &Cache, fresh: &[&File]) -> Vec<String> {
    let failed = fresh.par_iter().filter_map(|file| {
        let value = serde_json::to_vec(&file.facts).map_err(|error| error.to_string());
        let kept = value
            .and_then(|value| cache.put(FACTS, &key(file.lang, &file.blob), &value).map_err(|error| error.to_string()));
        kept.err()
    });
    let mut problems: Vec<String> = failed.collect();
    if !fresh.is_empty() {
        problems.extend(cache.trim().err().map(|error| error.to_string()));
    }
    problems.sort_unstable();
    problems.dedup();
    problems
}

fn key(lang: Lang, blob: &str) -> String {
    format!("{} {blob}", lang.name())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::RepoPath;
    use crate::source::Memory;

    fn tree(body: &str) -> Memory {
        let file = |path: &str, text: &str| (RepoPath::new(path).unwrap(), text.to_owned());
        Memory::new([
            file("a.py", "def a(): pass\n"),
            file("b.py", &format!("def b(): {body}\n")),
            file("AGENTS.md", "Use British spelling.\n"),
        ])
    }

    #[test]
    fn a_second_survey_parses_only_what_changed() {
        let directory = tempfile::tempdir().unwrap();
        let cache = Cache::open(directory.path(), 1_000_000).unwrap();
        let first = Survey::take(&tree("a()"), Some(&cache));
        assert_eq!((first.parsed, first.known, first.rules.len()), (2, 0, 1));
        let second = Survey::take(&tree("return a()"), Some(&cache));
        assert_eq!((second.parsed, second.known), (1, 1));
        assert!(second.problems.is_empty(), "{:?}", second.problems);
        let a = second.index.find_symbol("a")[0];
        assert_eq!(second.index.users(a).len(), 1, "cached and fresh facts meet");
    }

    #[test]
    fn a_lost_cache_is_told_and_changes_nothing() {
        let directory = tempfile::tempdir().unwrap();
        let cache = Cache::open(directory.path(), 1_000_000).unwrap();
        std::fs::remove_dir_all(directory.path()).unwrap();
        std::fs::write(directory.path(), "in the way").unwrap();
        let survey = Survey::take(&tree("a()"), Some(&cache));
        assert_eq!(survey.index.files().count(), 2);
        assert!(!survey.problems.is_empty());
        std::fs::remove_file(directory.path()).unwrap();
        std::fs::create_dir(directory.path()).unwrap();
    }
}
