//! What this version does not do yet: one table, with the reason for taking a key or refusing it.
//!
//! A key is taken only where what the program does is at least as strict as what the key asks for.

use super::node::{Kind, Node};

/// Which values of a key a row speaks of.
#[derive(Debug, Clone, Copy)]
pub(super) enum When {
    /// Any.
    Set,
    /// This word.
    Is(&'static str),
    /// A mapping.
    Mapping,
}

/// One thing that is not done yet.
#[derive(Debug)]
pub(super) struct Later {
    /// The key, with dots between the levels; names of the writer's own are `*`.
    pub(super) key: &'static str,
    pub(super) when: When,
    pub(super) taken: bool,
    pub(super) reason: &'static str,
}

const fn refused(key: &'static str, when: When, reason: &'static str) -> Later {
    Later { key, when, taken: false, reason }
}

const fn taken(key: &'static str, when: When, reason: &'static str) -> Later {
    Later { key, when, taken: true, reason }
}

/// The table.
pub(super) const LATER: &[Later] = &[
    refused("models.routes", When::Set, "every failure goes to `light` first, so a route would not be followed"),
    refused("secrets", When::Mapping, "no proxy adds secrets to requests yet, so the command would run without them"),
    refused("sandbox.container", When::Set, "repository code runs with the toolchain of this machine, not of an image"),
    refused("verify", When::Is("ci"), "the project's own CI is not waited for, so the evidence would be weaker"),
    refused("verify.level", When::Is("ci"), "the project's own CI is not waited for, so the evidence would be weaker"),
    taken("verify.level", When::Is("failing-tests"), "the whole suite is run, which proves more"),
    taken("verify.level", When::Is("affected-tests"), "the whole suite is run, which proves more"),
    taken("approvals.who", When::Set, "nobody can approve yet: what needs a person is not done"),
    taken("deliver", When::Is("suggestions"), "no suggestions are posted yet: the fix stays a bundle"),
    taken("pull_request.reviewers", When::Set, "nobody is asked to review yet"),
    taken("projects.owners", When::Set, "nobody is asked to review yet"),
    taken("stage", When::Is("batch"), "there is no sweep yet: no more is done than at `pull-request`"),
];

/// The reason why the value of the key at `path` is refused, if it is.
pub(super) fn refusal(path: &str, node: &Node) -> Option<&'static str> {
    LATER
        .iter()
        .filter(|row| !row.taken && row.key == path)
        .find(|row| match (row.when, &node.kind) {
            (When::Set, _) | (When::Mapping, Kind::Map(_)) => true,
            (When::Is(word), Kind::Scalar { text, .. }) => word == text,
            _ => false,
        })
        .map(|row| row.reason)
}
