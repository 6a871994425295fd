//! Every definition, reference and import of a tree, and who uses whom; built in parallel, the same each time.
//!
//! Pure: facts that a cache knows come in through a closure, and [`File::fresh`] says which are worth keeping.

mod links;
mod modules;
mod select;

#[cfg(test)]
mod tests;

use std::collections::{BTreeSet, HashMap};

use rayon::iter::{IntoParallelRefIterator as _, ParallelIterator as _};

use self::modules::Modules;
use crate::ids::RepoPath;
use crate::source::{Entry, Source};
use crate::syntax::{self, Definition, Document, Kind, Lang, Parsed};

pub use links::Link;

/// The facts of a tree.
#[derive(Debug, Default)]
pub struct Index {
    files: Vec<File>,
    symbols: Vec<(u32, u32)>,
    in_tests: Vec<bool>,
    by_name: HashMap<String, Vec<SymbolId>>,
    mentions: HashMap<String, Mentions>,
    modules: Modules,
    imports: Vec<Vec<FileId>>,
    others: BTreeSet<RepoPath>,
}

/// How often a name is used.
#[derive(Debug, Default)]
struct Mentions {
    all: u32,
    by_tests: u32,
}

/// One parsed file.
#[derive(Debug)]
pub struct File {
    /// Where it is.
    pub path: RepoPath,
    /// Its content, by hash.
    pub blob: String,
    /// Its language.
    pub lang: Lang,
    /// What it says.
    pub facts: Parsed,
    /// Whether it holds tests by its place or name.
    pub is_test: bool,
    /// Whether it was parsed now rather than taken from a cache.
    pub fresh: bool,
    first_symbol: u32,
}

/// A definition of the tree: valid for the index that gave it, in the order of paths and lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SymbolId(u32);

/// A file of the tree: valid for the index that gave it, in the order of paths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(u32);

impl Index {
    /// Reads what is source in a tree. `cached` gives the facts of a blob that are known already.
    ///
    /// Left out are files without a grammar, over 1 MB, not UTF-8, minified, generated or vendored.
    pub fn build(source: &dyn Source, cached: &(dyn Fn(&Entry, Lang) -> Option<Parsed> + Sync)) -> Self {
        let entries = source.files();
        let files: Vec<Option<File>> = entries.par_iter().map(|entry| read(source, entry, cached)).collect();
        let others = entries.iter().zip(&files).filter(|(_, file)| file.is_none());
        let others = others.map(|(entry, _)| entry.path.clone()).collect();
        Self::of(files.into_iter().flatten().collect(), others)
    }

    fn of(mut files: Vec<File>, others: BTreeSet<RepoPath>) -> Self {
        let mut symbols = Vec::new();
        let mut in_tests = Vec::new();
        let mut by_name: HashMap<String, Vec<SymbolId>> = HashMap::new();
        for (number, file) in files.iter_mut().enumerate() {
            file.first_symbol = short(symbols.len());
            in_tests.extend(among_tests(file));
            for (at, definition) in file.facts.definitions.iter().enumerate() {
                let id = SymbolId(short(symbols.len()));
                by_name.entry(definition.name.clone()).or_default().push(id);
                symbols.push((short(number), short(at)));
            }
        }
        let modules = Modules::of(files.iter().map(|file| &file.path));
        let mut index = Self { files, symbols, in_tests, by_name, modules, others, ..Self::default() };
        index.count_mentions();
        index.imports = (0..short(index.files.len())).map(FileId).map(|file| index.find_imports(file)).collect();
        index
    }

    /// The parsed files, in path order.
    pub fn files(&self) -> impl Iterator<Item = (FileId, &File)> {
        self.files.iter().enumerate().map(|(number, file)| (FileId(short(number)), file))
    }

    /// One parsed file.
    #[must_use]
    pub fn file(&self, id: FileId) -> &File {
        &self.files[id.0 as usize]
    }

    /// The parsed file at a path.
    #[must_use]
    pub fn find(&self, path: &RepoPath) -> Option<FileId> {
        self.files.binary_search_by(|file| file.path.cmp(path)).ok().map(|at| FileId(short(at)))
    }

    /// Whether the tree has a file, parsed or not.
    #[must_use]
    pub fn has(&self, path: &RepoPath) -> bool {
        self.find(path).is_some() || self.others.contains(path)
    }

    /// The file of the tree that a path in a log means: itself, or the only one that ends with it or that it ends with.
    #[must_use]
    pub fn resolve(&self, written: &str) -> Option<RepoPath> {
        let written = written.replace('\\', "/");
        if let Some(path) = RepoPath::new(&written).ok().filter(|path| self.has(path)) {
            return Some(path);
        }
        let all = || self.files.iter().map(|file| &file.path).chain(&self.others);
        let trimmed = written.trim_start_matches('/');
        let ends = |long: &str, short: &str| {
            long.strip_suffix(short).is_some_and(|head| head.is_empty() || head.ends_with('/'))
        };
        let mut inside = all().filter(|path| ends(&written, path.as_str()));
        let longest = inside.by_ref().max_by_key(|path| path.as_str().len());
        if longest.is_some() {
            return longest.cloned();
        }
        let mut around = all().filter(|path| ends(path.as_str(), trimmed));
        let first = around.next().cloned();
        if around.next().is_some() { None } else { first }
    }

    /// Every definition, in the order of paths and lines.
    pub fn symbols(&self) -> impl Iterator<Item = SymbolId> + use<> {
        (0..short(self.symbols.len())).map(SymbolId)
    }

    /// The definitions of one file, in the order of lines.
    pub fn symbols_of(&self, file: FileId) -> impl Iterator<Item = SymbolId> + use<> {
        let file = self.file(file);
        let first = file.first_symbol;
        (first..first + short(file.facts.definitions.len())).map(SymbolId)
    }

    /// The definitions with a bare name, in order.
    #[must_use]
    pub fn named(&self, name: &str) -> &[SymbolId] {
        self.by_name.get(name).map_or(&[], Vec::as_slice)
    }

    fn count_mentions(&mut self) {
        for file in &self.files {
            for reference in file.facts.references.iter().filter(|it| self.by_name.contains_key(&it.name)) {
                let user = reference.from.and_then(|from| file.facts.definitions.get(from as usize));
                let is_test = user.is_some_and(|user| syntax::is_test(&file.path, user));
                let mentions = self.mentions.entry(reference.name.clone()).or_default();
                mentions.all += 1;
                mentions.by_tests += u32::from(is_test);
            }
        }
    }

    /// How many uses a name has, one for each definition and receiver; 0 for names that the tree does not define.
    #[must_use]
    pub fn mentions(&self, name: &str) -> u32 {
        self.mentions.get(name).map_or(0, |mentions| mentions.all)
    }

    /// How many of those uses are in test functions.
    #[must_use]
    pub fn test_mentions(&self, name: &str) -> u32 {
        self.mentions.get(name).map_or(0, |mentions| mentions.by_tests)
    }

    /// The files that a file imports, in path order.
    #[must_use]
    pub fn imported(&self, file: FileId) -> &[FileId] {
        self.imports.get(file.0 as usize).map_or(&[], Vec::as_slice)
    }

    /// The definitions with a qualified or bare symbol, in order.
    #[must_use]
    pub fn find_symbol(&self, symbol: &str) -> Vec<SymbolId> {
        let name = symbol.rsplit(['.', ':']).next().unwrap_or(symbol);
        let same =
            |id: &SymbolId| name == symbol || self.symbol(*id) == symbol || self.definition(*id).symbol == symbol;
        self.named(name).iter().copied().filter(same).collect()
    }

    /// The file that a definition stands in.
    #[must_use]
    pub fn file_of(&self, id: SymbolId) -> FileId {
        FileId(self.symbols[id.0 as usize].0)
    }

    /// A definition.
    #[must_use]
    pub fn definition(&self, id: SymbolId) -> &Definition {
        let (file, at) = self.symbols[id.0 as usize];
        &self.files[file as usize].facts.definitions[at as usize]
    }

    /// The path of the file that a definition stands in.
    #[must_use]
    pub fn path(&self, id: SymbolId) -> &RepoPath {
        &self.file(self.file_of(id)).path
    }

    /// A definition's symbol: `Type.method`, `module::f` or `f`.
    #[must_use]
    pub fn symbol(&self, id: SymbolId) -> String {
        syntax::symbol_in(self.path(id), self.definition(id))
    }

    /// Whether a definition is a test, or stands in a file or module of tests.
    #[must_use]
    pub fn in_tests(&self, id: SymbolId) -> bool {
        self.in_tests.get(id.0 as usize).copied().unwrap_or(false)
    }

    /// The innermost definition that holds a 1-based line of a file.
    #[must_use]
    pub fn enclosing(&self, path: &RepoPath, line: u32) -> Option<SymbolId> {
        let file = self.find(path)?;
        let definition = syntax::enclosing(&self.file(file).facts, line)?;
        self.symbols_of(file).find(|id| std::ptr::eq(self.definition(*id), definition))
    }

    /// The words of a definition.
    #[must_use]
    pub fn document(&self, id: SymbolId) -> Option<&Document> {
        let position = self.position(id);
        let documents = &self.file(self.file_of(id)).facts.documents;
        documents.iter().find(|document| document.definition == Some(position))
    }

    /// The position of a definition in its file, as references and documents name it.
    fn position(&self, id: SymbolId) -> u32 {
        self.symbols[id.0 as usize].1
    }
}

fn read(source: &dyn Source, entry: &Entry, cached: &dyn Fn(&Entry, Lang) -> Option<Parsed>) -> Option<File> {
    let lang = syntax::language_of(&entry.path).filter(|_| select::is_wanted(entry))?;
    let known = cached(entry, lang);
    let fresh = known.is_none();
    let facts = match known {
        Some(facts) => facts,
        None => source
            .text(&entry.path)
            .filter(|text| select::is_written_by_hand(text))
            .map(|it| syntax::parse(lang, &it))?,
    };
    let is_test = syntax::is_test_path(&entry.path);
    Some(File { path: entry.path.clone(), blob: entry.blob.clone(), lang, facts, is_test, fresh, first_symbol: 0 })
}

/// For each definition of a file whether it is a test, or stands in a file or an inline module of tests.
fn among_tests(file: &File) -> Vec<bool> {
    let definitions = &file.facts.definitions;
    let is_tests = |it: &&Definition| it.kind == Kind::Module && matches!(it.name.as_str(), "tests" | "test");
    let modules: Vec<(u32, u32)> = definitions.iter().filter(is_tests).map(|it| (it.start_line, it.end_line)).collect();
    let found = definitions.iter().map(|it| {
        let inside = modules.iter().any(|(start, end)| (*start..=*end).contains(&it.start_line));
        file.is_test || inside || syntax::is_test(&file.path, it)
    });
    found.collect()
}

/// An index as 32 bits: no tree that is read has four thousand million definitions.
fn short(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
