//! Collects the facts of one file while its tree is walked: keeps the scopes, names symbols, counts words.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::facts::{Definition, Document, Import, Kind, Parsed, Reference, Relation};
use super::words::words;

/// What the text between a start and an end belongs to.
struct Scope {
    name: String,
    kind: Kind,
    end_byte: usize,
    definition: Option<u32>,
    skipped: Option<u32>,
    marked_test: bool,
}

/// A definition as a language sees it; scopes add the rest.
pub(super) struct Found<'t> {
    pub(super) name: &'t str,
    pub(super) kind: Kind,
    pub(super) lines: (u32, u32),
    pub(super) signature: (u32, u32),
    pub(super) end_byte: usize,
    pub(super) doc: Option<String>,
    pub(super) is_test: bool,
    pub(super) marked_test: bool,
    pub(super) skipped: Option<u32>,
}

/// The facts so far, and where in the tree the walk stands.
#[derive(Default)]
pub(super) struct Builder<'t> {
    parsed: Parsed,
    scopes: Vec<Scope>,
    /// The marker that skips the whole file.
    pub(super) file_skipped: Option<u32>,
    seen: HashSet<(&'t str, Option<&'t str>, Relation, Option<u32>)>,
    /// What a definition is already known to use, so that a bare mention adds nothing.
    known: HashSet<(&'t str, Option<u32>)>,
    terms: HashMap<String, u32>,
    split: HashMap<&'t str, Vec<u32>>,
    counts: BTreeMap<Option<u32>, HashMap<u32, u32>>,
}

impl<'t> Builder<'t> {
    /// Leaves the scopes that end at or before a byte; called with the start of each node.
    pub(super) fn at(&mut self, start_byte: usize) {
        while self.scopes.last().is_some_and(|scope| scope.end_byte <= start_byte) {
            self.scopes.pop();
        }
    }

    /// Enters a scope that is no definition of its own: an `impl`.
    pub(super) fn scope(&mut self, name: String, end_byte: usize) {
        let skipped = self.inherited_skip();
        self.scopes.push(Scope { name, kind: Kind::Type, end_byte, definition: None, skipped, marked_test: false });
    }

    /// Whether the walk is inside a function: what is defined there belongs to the function.
    pub(super) fn in_function(&self) -> bool {
        self.scopes.iter().any(|scope| scope.kind.is_callable())
    }

    /// Whether the innermost scope is a type.
    pub(super) fn in_type(&self) -> bool {
        self.scopes.last().is_some_and(|scope| scope.kind == Kind::Type)
    }

    /// Whether the innermost scope says that what it holds are tests.
    pub(super) fn in_marked_test(&self) -> bool {
        self.scopes.last().is_some_and(|scope| scope.marked_test)
    }

    fn inherited_skip(&self) -> Option<u32> {
        self.scopes.last().and_then(|scope| scope.skipped).or(self.file_skipped)
    }

    /// Records a definition and, when something can stand in it, enters it.
    pub(super) fn define(&mut self, found: Found<'t>) {
        if self.in_function() {
            return;
        }
        let skipped = found.skipped.or_else(|| self.inherited_skip());
        let index = u32::try_from(self.parsed.definitions.len()).ok();
        let symbol = self.symbol(found.name);
        self.known.insert((found.name, index));
        if found.kind != Kind::Constant {
            self.scopes.push(Scope {
                name: found.name.to_owned(),
                kind: found.kind,
                end_byte: found.end_byte,
                definition: index.filter(|_| found.kind != Kind::Module),
                skipped,
                marked_test: found.marked_test,
            });
        }
        self.parsed.definitions.push(Definition {
            name: found.name.to_owned(),
            symbol,
            kind: found.kind,
            start_line: found.lines.0,
            end_line: found.lines.1,
            signature_line: found.signature.0,
            signature_end: found.signature.1,
            doc: found.doc,
            is_test: found.is_test,
            marked_test: found.marked_test,
            skipped: skipped.filter(|_| found.is_test),
            assertions: 0,
        });
    }

    /// The name behind the types around it, or else behind the innermost module.
    fn symbol(&self, name: &str) -> String {
        let types: Vec<&str> =
            self.scopes.iter().filter(|scope| scope.kind == Kind::Type).map(|scope| scope.name.as_str()).collect();
        if !types.is_empty() {
            return format!("{}.{name}", types.join("."));
        }
        let module = self.scopes.iter().rev().find(|scope| scope.kind == Kind::Module);
        module.map_or_else(|| name.to_owned(), |module| format!("{}::{name}", module.name))
    }

    /// The definition that the walk is in.
    fn current(&self) -> Option<u32> {
        self.scopes.iter().rev().find_map(|scope| scope.definition)
    }

    fn current_mut(&mut self) -> Option<&mut Definition> {
        let index = self.current()?;
        self.parsed.definitions.get_mut(index as usize)
    }

    /// Counts an assertion for the definition that the walk is in.
    pub(super) fn assertion(&mut self) {
        if let Some(definition) = self.current_mut() {
            definition.assertions += 1;
        }
    }

    /// Notes that what the walk is in does not run, or does not count, because of a line.
    pub(super) fn skip(&mut self, line: u32) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.skipped.get_or_insert(line);
        } else {
            self.file_skipped.get_or_insert(line);
        }
        if let Some(definition) = self.current_mut().filter(|definition| definition.is_test) {
            definition.skipped.get_or_insert(line);
        }
    }

    /// Notes the first line of documentation that stands inside of the definition.
    pub(super) fn document(&mut self, text: &str) {
        if let Some(definition) = self.current_mut().filter(|definition| definition.doc.is_none()) {
            definition.doc = first_sentence(text);
        }
    }

    /// Records a use of a name, once for each definition and relation; a bare mention only of a new name, because
    /// the name in a call or behind a dot is walked again by itself.
    pub(super) fn refer(&mut self, name: &'t str, receiver: Option<&'t str>, relation: Relation, line: u32) {
        let from = self.current();
        let new = self.known.insert((name, from));
        let bare = relation == Relation::Use && receiver.is_none();
        if (new || !bare) && self.seen.insert((name, receiver, relation, from)) {
            let receiver = receiver.map(str::to_owned);
            self.parsed.references.push(Reference { name: name.to_owned(), receiver, relation, line, from });
        }
    }

    /// Records an import.
    pub(super) fn import(&mut self, module: String, names: Vec<String>, line: u32) {
        self.parsed.imports.push(Import { module, names, line });
    }

    /// Counts the words of an identifier, a string or a comment.
    pub(super) fn count(&mut self, text: &'t str) {
        let from = self.current();
        let terms = &mut self.terms;
        let ids = self.split.entry(text).or_insert_with(|| {
            let mut ids = Vec::new();
            words(text, |word| {
                let next = u32::try_from(terms.len()).unwrap_or(u32::MAX);
                let id = terms.get(word).copied().unwrap_or_else(|| *terms.entry(word.to_owned()).or_insert(next));
                ids.push(id);
            });
            ids
        });
        let counts = self.counts.entry(from).or_default();
        for id in ids {
            *counts.entry(*id).or_insert(0) += 1;
        }
    }

    /// The facts.
    pub(super) fn finish(mut self, text: &str, errors: bool) -> Parsed {
        let mut terms = vec![String::new(); self.terms.len()];
        for (term, id) in self.terms {
            terms[id as usize] = term;
        }
        self.parsed.terms = terms;
        for (definition, counts) in self.counts {
            let mut counts: Vec<(u32, u32)> = counts.into_iter().collect();
            counts.sort_unstable();
            self.parsed.documents.push(Document { definition, counts });
        }
        self.parsed.lines = u32::try_from(text.lines().count()).unwrap_or(u32::MAX);
        self.parsed.errors = errors;
        self.parsed
    }
}

/// The first line that says something, cut at 120 characters.
pub(super) fn first_sentence(text: &str) -> Option<String> {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty())?;
    Some(line.chars().take(120).collect())
}
