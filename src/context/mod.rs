//! What a model, or a person, should see of a tree to mend a fault: few excerpts, each with its reason and cost.
//!
//! The ranking comes from `localise`; this module decides how much of it is worth its tokens. The order is stable
//! (rules first, then code by path and line), so that the prefix of a prompt stays the same from round to round.

mod candidates;
mod excerpt;
mod markdown;
mod pack;
mod rules;
mod tokens;

#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

use crate::failure::Failure;
use crate::history::Changed;
use crate::ids::RepoPath;
use crate::index::Index;
use crate::localise::Ranked;
use crate::source::Source;

pub use rules::{RULE_FILES, Rule, root_rules};
pub use tokens::tokens;

/// What a context is made from.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// What failed, root cause first.
    pub failures: &'a [Failure],
    /// The facts of the tree.
    pub index: &'a Index,
    /// The tree.
    pub source: &'a dyn Source,
    /// What changed since it last passed; empty when unknown.
    pub changed: &'a [Changed],
    /// The project's rules, nearest last.
    pub rules: &'a [Rule],
    /// At most so many tokens, by [`tokens`].
    pub budget: usize,
    /// Whether the policy lets a model see a file.
    pub may_see: &'a dyn Fn(&RepoPath) -> bool,
}

/// The context, as `context --format json` prints it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Context {
    /// The version of this form: 1.
    pub version: u32,
    /// The tokens that were allowed.
    pub budget: usize,
    /// The tokens that the sections take, estimated.
    pub tokens: usize,
    /// How far the signals agree on the first place, 0 to 1.
    pub confidence: f64,
    /// Where the fault may be, best first; never cut by the budget.
    pub ranked: Vec<Ranked>,
    /// The excerpts: rules, then code by path and line.
    pub sections: Vec<Section>,
    /// What was left out, best first.
    pub dropped: Vec<Dropped>,
    /// The rule files that were found.
    pub specs: Vec<Spec>,
}

/// What an excerpt is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SectionKind {
    /// The project's own rules.
    Rules,
    /// A whole function, or a whole small file.
    Code,
    /// Parts of a long function: its signature and the lines that the failure names.
    Excerpt,
    /// Signatures without bodies.
    Skeleton,
    /// What a file imports.
    Imports,
}

/// One excerpt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Section {
    /// What it is.
    pub kind: SectionKind,
    /// The file.
    #[schemars(with = "String")]
    pub path: RepoPath,
    /// The function; `None` for whole files and their parts.
    pub symbol: Option<String>,
    /// Its first line.
    pub start_line: u32,
    /// Its last line.
    pub end_line: u32,
    /// Why it is here.
    pub reason: String,
    /// What it costs with its heading, estimated.
    pub tokens: usize,
    /// The text.
    pub text: String,
}

/// What was left out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Dropped {
    /// The file.
    #[schemars(with = "String")]
    pub path: RepoPath,
    /// The function; `None` for a whole file.
    pub symbol: Option<String>,
    /// What it would have cost, estimated; 0 for what may not be seen.
    pub tokens: usize,
    /// Why it was left out.
    pub reason: String,
}

/// A rule file that was found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Spec {
    /// The file.
    #[schemars(with = "String")]
    pub path: RepoPath,
    /// The hash of its whole text.
    pub hash: crate::ids::Sha,
    /// Whether it was cut to its cap.
    pub truncated: bool,
}

/// Packs what matters of a tree into a budget.
#[must_use]
pub fn pack(request: &Request<'_>) -> Context {
    pack::pack(request)
}

impl Context {
    /// The sections as Markdown, the same each time.
    #[must_use]
    pub fn markdown(&self) -> String {
        self.sections.iter().map(markdown::section).collect::<Vec<_>>().join("\n")
    }
}
