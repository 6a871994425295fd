//! Where the fault is: signals that each see a part of the truth, fused into one ranking with reasons.
//!
//! A signal is one file here and a row in [`SIGNALS`]. Test functions and test files are ranked only where a
//! diagnostic points into them: what is to be mended is the code. The order depends on nothing but the input.

mod anchors;
mod calls;
mod changed;
mod failing_tests;
mod fuse;
mod imports;
mod lexical;
mod names;

#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

use crate::failure::Failure;
use crate::history::Changed;
use crate::ids::RepoPath;
use crate::index::{FileId, Index, SymbolId};

/// One place that may hold the fault.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Ranked {
    /// The file.
    #[schemars(with = "String")]
    pub path: RepoPath,
    /// The function as `Type.method` or `module::f`; `None` for a whole file.
    pub symbol: Option<String>,
    /// Its first line.
    pub start_line: u32,
    /// Its last line.
    pub end_line: u32,
    /// Comparable within one ranking only.
    pub score: f64,
    /// Why it is here, the strongest reason first.
    pub reasons: Vec<String>,
}

/// The ranking, and what it was derived from.
#[derive(Debug, Clone, Default)]
pub struct Localisation {
    /// The places, best first; at least twenty where the tree has them.
    pub ranked: Vec<Ranked>,
    /// The functions of [`Self::ranked`] as the index knows them; `None` for whole files.
    pub places: Vec<Option<SymbolId>>,
    /// The failing tests as found in the tree, in the order of the failures.
    pub tests: Vec<SymbolId>,
    /// How far the signals agree on the first place, 0 to 1.
    pub confidence: f64,
}

/// What is known of the fault.
#[derive(Debug, Clone, Copy)]
pub struct Query<'a> {
    /// What failed, root cause first.
    pub failures: &'a [Failure],
    /// What changed since it last passed; empty when unknown.
    pub changed: &'a [Changed],
}

/// A place as the index knows it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Symbol(SymbolId),
    File(FileId),
    /// A file that no grammar reads.
    Other(RepoPath),
}

/// What one signal says of one place.
struct Hit {
    place: Place,
    score: f64,
    reason: String,
}

/// What every signal is given.
struct Scene<'a> {
    index: &'a Index,
    query: &'a Query<'a>,
    tests: Vec<SymbolId>,
}

/// One way to look for the fault.
struct Signal {
    name: &'static str,
    weight: f64,
    find: fn(&Scene<'_>) -> Vec<Hit>,
}

const SIGNALS: &[Signal] = &[
    Signal { name: "anchors", weight: 4.0, find: anchors::find },
    Signal { name: "changed", weight: 2.0, find: changed::find },
    Signal { name: "calls", weight: 0.5, find: calls::find },
    Signal { name: "names", weight: 1.0, find: names::find },
    Signal { name: "lexical", weight: 1.5, find: lexical::find },
    Signal { name: "imports", weight: 0.6, find: imports::find },
];

/// Ranks the places of a tree that may hold the fault.
#[must_use]
pub fn locate(index: &Index, query: &Query<'_>) -> Localisation {
    let tests = failing_tests::find(index, query.failures);
    let scene = Scene { index, query, tests };
    let found: Vec<(&Signal, Vec<Hit>)> = SIGNALS.iter().map(|signal| (signal, (signal.find)(&scene))).collect();
    fuse::fuse(&scene, found)
}

impl Scene<'_> {
    /// Whether a function may be ranked without being diagnosed: it runs and is no test.
    fn is_candidate(&self, id: SymbolId) -> bool {
        self.index.definition(id).kind.is_callable() && !self.index.in_tests(id)
    }

    /// The function at a line, or the file where the line is in none.
    fn place(&self, path: &RepoPath, line: Option<u32>) -> Place {
        let enclosing = line.and_then(|line| self.index.enclosing(path, line));
        let function = enclosing.filter(|id| self.index.definition(*id).kind.is_callable());
        match (function, self.index.find(path)) {
            (Some(id), _) => Place::Symbol(id),
            (None, Some(file)) => Place::File(file),
            (None, None) => Place::Other(path.clone()),
        }
    }

    /// Whether a place is a test, or stands among tests.
    fn is_test(&self, place: &Place) -> bool {
        match place {
            Place::Symbol(id) => self.index.in_tests(*id),
            Place::File(file) => self.index.file(*file).is_test,
            Place::Other(_) => false,
        }
    }
}
