//! The facts of one file as plain, serialisable values: what a cache keeps for each blob.

use serde::{Deserialize, Serialize};

/// What one file's text says. Lines are 1-based, both ends included.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parsed {
    /// Types, functions, methods, constants, macros and inline modules, in the order of the text.
    pub definitions: Vec<Definition>,
    /// Names used, each once for every definition that uses it, in the order of the text.
    pub references: Vec<Reference>,
    /// What the file imports.
    pub imports: Vec<Import>,
    /// The file's words in lower case, each once: what [`Document::counts`] points into.
    pub terms: Vec<String>,
    /// How often each word occurs, for each definition and for the rest of the file.
    pub documents: Vec<Document>,
    /// The number of lines.
    pub lines: u32,
    /// Whether the grammar met text that it could not read.
    pub errors: bool,
}

/// What a definition defines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Kind {
    Function,
    Method,
    Type,
    Constant,
    Macro,
    Module,
}

impl Kind {
    /// Whether it is code that runs: a function or a method.
    #[must_use]
    pub fn is_callable(self) -> bool {
        matches!(self, Self::Function | Self::Method)
    }
}

/// One definition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Definition {
    /// Its own name.
    pub name: String,
    /// The name with what it stands in: `Type.method`, `module::f` for an inline module, else the bare name.
    pub symbol: String,
    /// What it defines.
    pub kind: Kind,
    /// The first line, attributes and decorators included, doc comments not.
    pub start_line: u32,
    /// The last line.
    pub end_line: u32,
    /// The first line of the signature, behind attributes and decorators.
    pub signature_line: u32,
    /// The last line of the signature, before the body.
    pub signature_end: u32,
    /// The first line of its documentation, at most 120 characters.
    pub doc: Option<String>,
    /// Whether it looks like a test; ask [`super::is_test`], which also knows the path.
    pub is_test: bool,
    /// Whether it says so itself (`#[test]`, a `TestCase` class), whatever file it stands in.
    pub marked_test: bool,
    /// The line of the marker that keeps it from running or from counting: skip, ignore, xfail.
    pub skipped: Option<u32>,
    /// How many assertions it makes.
    pub assertions: u32,
}

/// How a name is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Relation {
    /// It is called.
    Call,
    /// It is named as a type.
    Type,
    /// It is mentioned: a function as a value, a property, a constant.
    Use,
}

/// One name that a definition uses.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reference {
    /// The name.
    pub name: String,
    /// What stands before it: `self`, a variable, a type or a module.
    pub receiver: Option<String>,
    /// How it is used.
    pub relation: Relation,
    /// The line of the first such use.
    pub line: u32,
    /// Index of the definition that uses it; `None` outside of any function.
    pub from: Option<u32>,
}

/// One import.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Import {
    /// The module, as written: `crate::a::b`, `.sibling`, `os.path`.
    pub module: String,
    /// The names taken from it, before any renaming; empty when the module itself is imported, `*` for all.
    pub names: Vec<String>,
    /// Where.
    pub line: u32,
}

/// The words of one definition, or of the file outside of all functions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Document {
    /// Index of the definition; `None` for the rest of the file.
    pub definition: Option<u32>,
    /// Pairs of an index into [`Parsed::terms`] and how often the word occurs, by index.
    pub counts: Vec<(u32, u32)>,
}

/// A test function, as the gate compares it before and after a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestFn {
    /// Its own name.
    pub name: String,
    /// Its name with class or module.
    pub symbol: String,
    /// The first line, attributes and decorators included.
    pub start_line: u32,
    /// The last line.
    pub end_line: u32,
    /// The line of a marker that keeps it from running or from counting.
    pub skipped: Option<u32>,
    /// How many assertions it makes.
    pub assertions: usize,
}
