//! Tokens, money and time: kept raw, priced from a versioned table.

mod meter;
mod prices;

use serde::{Deserialize, Serialize};

pub use meter::{Exhausted, Meter, Reservation, Used};
pub use prices::{Price, Prices, Rate};

/// What one or more model calls used, as the provider reported it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Tokens {
    /// Prompt tokens that were not served from a cache.
    pub input: u64,
    /// Prompt tokens read from the provider's cache.
    pub cached_read: u64,
    /// Prompt tokens written to the provider's cache.
    pub cache_write: u64,
    /// Completion tokens, reasoning included.
    pub output: u64,
    /// Reasoning tokens, a part of `output`.
    pub reasoning: u64,
}

impl Tokens {
    /// All of them, in and out.
    #[must_use]
    pub fn total(&self) -> u64 {
        [self.input, self.cached_read, self.cache_write, self.output]
            .iter()
            .fold(0, |sum, part| sum.saturating_add(*part))
    }

    /// The sum of both.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        Self {
            input: self.input.saturating_add(other.input),
            cached_read: self.cached_read.saturating_add(other.cached_read),
            cache_write: self.cache_write.saturating_add(other.cache_write),
            output: self.output.saturating_add(other.output),
            reasoning: self.reasoning.saturating_add(other.reasoning),
        }
    }
}

/// Where the time went, in seconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Seconds {
    /// Waiting for models.
    pub model: f64,
    /// Waiting for child processes.
    pub commands: f64,
    /// Everything else: the program's own work.
    pub own: f64,
}

/// The bill of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Usage {
    pub calls: u32,
    pub input: u64,
    pub cached_read: u64,
    pub cache_write: u64,
    pub output: u64,
    pub reasoning: u64,
    pub usd: f64,
    pub seconds: Seconds,
}

/// How dear a means of repair is; the first that gives a verified candidate ends the search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Tier {
    /// What tools themselves call safe; no model.
    Zero,
    /// A light model.
    Light,
    /// A strong model.
    Strong,
}
