//! What tokens cost: a dated table of ours, so that a bill can be traced to the prices it was made with.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::usage::Tokens;

/// US dollars for a million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the names are those of `Tokens`")]
pub struct Price {
    pub input: f64,
    pub cached_read: f64,
    pub cache_write: f64,
    pub output: f64,
}

/// What a model's tokens cost.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Rate {
    /// Nothing: it runs here, or its answers are recorded.
    Free,
    /// This.
    Priced(Price),
    /// Unknown: the bill says so, and only the cap on tokens binds.
    Unpriced,
}

/// The table.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prices {
    /// Raised with every change.
    pub version: u32,
    /// The day the prices were looked up.
    pub date: String,
    /// In which unit.
    pub unit: String,
    models: BTreeMap<String, Price>,
}

impl Prices {
    /// The table that this build was made with.
    #[must_use]
    pub fn builtin() -> &'static Self {
        static TABLE: LazyLock<Prices> = LazyLock::new(|| {
            // A table that cannot be read prices nothing, which the bill shows; a test keeps that from shipping.
            serde_json::from_str(include_str!("prices.json")).unwrap_or_else(|_| Prices {
                version: 0,
                date: String::new(),
                unit: String::new(),
                models: BTreeMap::new(),
            })
        });
        &TABLE
    }

    /// The rate of `provider:name`; a dated version (`-2026-01-31`) costs what its model costs.
    #[must_use]
    pub fn rate(&self, model: &str) -> Rate {
        let undated = model.len().checked_sub(11).filter(|cut| model.is_char_boundary(*cut)).and_then(|cut| {
            let (name, date) = model.split_at(cut);
            let is_date = date.char_indices().all(|(at, c)| match at {
                0 | 5 | 8 => c == '-',
                _ => c.is_ascii_digit(),
            });
            is_date.then_some(name)
        });
        let found = self.models.get(model).or_else(|| self.models.get(undated?));
        found.map_or(Rate::Unpriced, |price| Rate::Priced(*price))
    }
}

impl Rate {
    /// US dollars for these tokens; `None` when nobody knows.
    #[must_use]
    pub fn cost(&self, tokens: &Tokens) -> Option<f64> {
        match self {
            Self::Free => Some(0.0),
            Self::Unpriced => None,
            Self::Priced(price) => Some(
                [
                    (tokens.input, price.input),
                    (tokens.cached_read, price.cached_read),
                    (tokens.cache_write, price.cache_write),
                    (tokens.output, price.output),
                ]
                .iter()
                .map(|(count, price)| million(*count) * price)
                .sum(),
            ),
        }
    }

    /// The most that a prompt and an answer of these sizes can cost.
    #[must_use]
    pub fn bound(&self, prompt: u64, output: u64) -> Option<f64> {
        match self {
            Self::Priced(price) => {
                Some(million(prompt) * price.input.max(price.cache_write) + million(output) * price.output)
            }
            _ => self.cost(&Tokens::default()),
        }
    }
}

/// Millions of tokens; counts beyond 2⁵³ do not occur.
#[expect(clippy::cast_precision_loss, reason = "token counts are far below 2^53")]
fn million(count: u64) -> f64 {
    count as f64 / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_read_and_dated() {
        let prices = Prices::builtin();
        assert!(prices.version >= 1 && !prices.models.is_empty());
        assert!(prices.date.parse::<jiff::civil::Date>().is_ok(), "{}", prices.date);
    }

    #[test]
    fn a_dated_version_costs_what_its_model_costs_and_a_stranger_is_unpriced() {
        let prices = Prices::builtin();
        assert!(matches!(prices.rate("openai:gpt-4.1"), Rate::Priced(_)));
        assert_eq!(prices.rate("openai:gpt-4.1-2025-04-14"), prices.rate("openai:gpt-4.1"));
        assert_eq!(prices.rate("openai:gpt-4.1-preview-x"), Rate::Unpriced);
        assert_eq!(prices.rate("é"), Rate::Unpriced);
    }

    #[test]
    fn cached_tokens_are_billed_at_their_own_price() {
        let price = Price { input: 2.0, cached_read: 0.5, cache_write: 2.5, output: 8.0 };
        let tokens = Tokens { input: 1_000_000, cached_read: 2_000_000, cache_write: 0, output: 500_000, reasoning: 9 };
        assert_eq!(Rate::Priced(price).cost(&tokens), Some(7.0));
        assert_eq!(Rate::Priced(price).bound(1_000_000, 500_000), Some(6.5));
        assert_eq!(Rate::Unpriced.cost(&tokens), None);
    }
}
