//! The index as the model's tools see it.

use crate::ids::RepoPath;
use crate::index::{Index, SymbolId};
use crate::repair::{Code, Place};
use crate::source::Source;

/// Answers of the index, with the text of each line from the tree at hand.
pub(super) struct Indexed<'a> {
    index: &'a Index,
}

impl<'a> Indexed<'a> {
    pub(super) fn new(index: &'a Index) -> Self {
        Self { index }
    }

    /// A symbol as the place of its definition.
    fn place(&self, id: SymbolId) -> Place {
        let definition = self.index.definition(id);
        let lines = (definition.start_line, definition.end_line);
        Place { path: self.index.path(id).clone(), lines, text: self.index.symbol(id) }
    }
}

impl Code for Indexed<'_> {
    fn outline(&self, path: &RepoPath, _tree: &dyn Source) -> Vec<Place> {
        let Some(file) = self.index.find(path) else { return Vec::new() };
        self.index.symbols_of(file).map(|id| self.place(id)).collect()
    }

    fn find_symbol(&self, name: &str, _tree: &dyn Source) -> Vec<Place> {
        self.index.find_symbol(name).into_iter().map(|id| self.place(id)).collect()
    }

    fn references(&self, name: &str, tree: &dyn Source) -> Vec<Place> {
        let users = self.index.find_symbol(name).into_iter().flat_map(|id| self.index.users(id));
        let mut places: Vec<Place> = users
            .map(|link| {
                let path = self.index.path(link.symbol).clone();
                let text = tree.text(&path).unwrap_or_default();
                let line = text.lines().nth((link.line as usize).saturating_sub(1)).unwrap_or_default();
                Place { path, lines: (link.line, link.line), text: line.trim().to_owned() }
            })
            .collect();
        places.sort();
        places.dedup();
        places
    }

    fn history(&self, _path: &RepoPath) -> Vec<String> {
        Vec::new()
    }
}
