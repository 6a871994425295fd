//! Source text to facts: definitions, references, imports, words and test functions, by tree-sitter.
//!
//! A language is one file here and a row in [`LANGUAGES`], behind a cargo feature. Parsing never fails: what a
//! grammar cannot read becomes an error node, and the facts around it are kept.

#[cfg(any(feature = "lang-python", feature = "lang-rust"))]
mod builder;
mod facts;
#[cfg(feature = "lang-python")]
mod python;
#[cfg(feature = "lang-rust")]
mod rust;
#[cfg(any(feature = "lang-python", feature = "lang-rust"))]
mod walk;
mod words;

#[cfg(test)]
mod tests;

pub use facts::{Definition, Document, Import, Kind, Parsed, Reference, Relation, TestFn};
pub use words::words;

use crate::ids::RepoPath;

/// A language that can be parsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the names are the languages'")]
pub enum Lang {
    Rust,
    Python,
}

/// What the rest of the program needs to know of one language.
struct Language {
    lang: Lang,
    name: &'static str,
    extensions: &'static [&'static str],
    extract: fn(&str) -> Parsed,
    /// The module that a file is, as it stands before a free function's name; `None` at a crate's root.
    module: fn(&RepoPath) -> Option<String>,
    /// Whether the language's own conventions make the file one of tests.
    is_test_file: fn(&RepoPath) -> bool,
}

const LANGUAGES: &[Language] = &[
    #[cfg(feature = "lang-rust")]
    Language {
        lang: Lang::Rust,
        name: "rust",
        extensions: &["rs"],
        extract: rust::extract,
        module: rust::module,
        is_test_file: rust::is_test_file,
    },
    #[cfg(feature = "lang-python")]
    Language {
        lang: Lang::Python,
        name: "python",
        extensions: &["py", "pyi"],
        extract: python::extract,
        module: |_| None,
        is_test_file: python::is_test_file,
    },
];

fn row(lang: Lang) -> Option<&'static Language> {
    LANGUAGES.iter().find(|row| row.lang == lang)
}

impl Lang {
    /// The language's name in lower case, as used in cache keys and Markdown fences.
    #[must_use]
    pub fn name(self) -> &'static str {
        row(self).map_or("", |row| row.name)
    }
}

/// The language of a file, by its extension; `None` when no grammar is built in for it.
#[must_use]
pub fn language_of(path: &RepoPath) -> Option<Lang> {
    let extension = path.extension()?;
    LANGUAGES.iter().find(|row| row.extensions.contains(&extension)).map(|row| row.lang)
}

/// The facts of one file's text. Symbols hold no trace of the path: see [`symbol_in`].
#[must_use]
pub fn parse(lang: Lang, text: &str) -> Parsed {
    row(lang).map_or_else(Parsed::default, |row| (row.extract)(text))
}

/// The symbol of a definition in a file: `Type.method`, `module::f` for a Rust function, else the bare name.
#[must_use]
pub fn symbol_in(path: &RepoPath, definition: &Definition) -> String {
    if definition.symbol.contains(['.', ':']) || definition.kind == Kind::Type {
        return definition.symbol.clone();
    }
    let module = language_of(path).and_then(row).and_then(|row| (row.module)(path));
    module.map_or_else(|| definition.symbol.clone(), |module| format!("{module}::{}", definition.symbol))
}

/// Whether a file holds tests by its place or name: `tests/`, `test_*.py`, `*_test.rs` and the like.
#[must_use]
pub fn is_test_path(path: &RepoPath) -> bool {
    language_of(path).and_then(row).is_some_and(|row| (row.is_test_file)(path))
}

/// The innermost definition that holds a 1-based line: a function rather than the type around it.
#[must_use]
pub fn enclosing(parsed: &Parsed, line: u32) -> Option<&Definition> {
    parsed
        .definitions
        .iter()
        .filter(|definition| (definition.start_line..=definition.end_line).contains(&line))
        .min_by_key(|definition| definition.end_line - definition.start_line)
}

/// The test functions of a file, in the order of the text; empty where no grammar knows the file.
///
/// Python functions count only in files that a test runner would collect, or in `TestCase` classes.
#[must_use]
pub fn tests(path: &RepoPath, text: &str) -> Vec<TestFn> {
    let Some(lang) = language_of(path) else { return Vec::new() };
    let parsed = parse(lang, text);
    let tests = parsed.definitions.iter().filter(|definition| is_test(path, definition));
    tests
        .map(|test| TestFn {
            name: test.name.clone(),
            symbol: symbol_in(path, test),
            start_line: test.start_line,
            end_line: test.end_line,
            skipped: test.skipped,
            assertions: test.assertions as usize,
        })
        .collect()
}

/// Whether a definition is a test that a runner would run, given the file it stands in.
#[must_use]
pub fn is_test(path: &RepoPath, definition: &Definition) -> bool {
    definition.is_test && (definition.marked_test || is_test_path(path))
}
