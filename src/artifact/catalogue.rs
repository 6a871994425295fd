//! Every format that can be read, for people: what `docs/artifacts.md` is made of.

use super::{json, log, text, xml};

/// One format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// The kind that `parse` prints.
    pub kind: &'static str,
    /// `XML`, `JSON`, `text` or `log`.
    pub syntax: &'static str,
    /// The programs that write it.
    pub producers: &'static str,
    /// What is read from it.
    pub reads: &'static str,
}

/// Every format, in the order in which they are tried.
#[must_use]
pub fn catalogue() -> Vec<Entry> {
    xml::entries().chain(json::entries()).chain(text::entries()).chain(log::entries()).collect()
}
