//! The budget of a run: reserved before a call, settled after it.

use std::collections::BTreeSet;

use crate::usage::{Rate, Seconds, Tokens, Usage};

/// Counts what models use, and refuses the call that could go over a cap.
#[derive(Debug, Clone)]
pub struct Meter {
    usd: f64,
    tokens: u64,
    reserved_usd: f64,
    reserved_tokens: u64,
    calls: u32,
    spent: Tokens,
    spent_usd: f64,
    unpriced: BTreeSet<String>,
    estimated: bool,
}

/// Money and tokens set aside for one call. It must be settled.
#[derive(Debug)]
#[must_use = "a reservation that is not settled stays reserved"]
pub struct Reservation {
    usd: f64,
    tokens: u64,
}

/// A call that could go over a cap.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("the next model call could need {need}, and {left} is left of the budget")]
pub struct Exhausted {
    /// What it could need.
    pub need: String,
    /// What is left.
    pub left: String,
}

impl Meter {
    /// A meter with these caps: US dollars, and tokens in and out.
    #[must_use]
    pub fn new(usd: f64, tokens: u64) -> Self {
        Self {
            usd,
            tokens,
            reserved_usd: 0.0,
            reserved_tokens: 0,
            calls: 0,
            spent: Tokens::default(),
            spent_usd: 0.0,
            unpriced: BTreeSet::new(),
            estimated: false,
        }
    }

    /// Sets aside the most that a call can use.
    ///
    /// # Errors
    /// [`Exhausted`] when that is more than what is left.
    pub fn reserve(&mut self, prompt: u64, output: u64, rate: &Rate) -> Result<Reservation, Exhausted> {
        let tokens = prompt.saturating_add(output);
        let left = self.tokens.saturating_sub(self.spent.total()).saturating_sub(self.reserved_tokens);
        if tokens > left {
            return Err(Exhausted { need: format!("{tokens} tokens"), left: format!("{left} tokens") });
        }
        let usd = rate.bound(prompt, output).unwrap_or(0.0);
        let left = (self.usd - self.spent_usd - self.reserved_usd).max(0.0);
        if usd > left {
            return Err(Exhausted { need: format!("${usd:.4}"), left: format!("${left:.4}") });
        }
        self.reserved_tokens += tokens;
        self.reserved_usd += usd;
        Ok(Reservation { usd, tokens })
    }

    /// Replaces a reservation by what was used; nothing for a call that failed before it cost anything.
    pub fn settle(&mut self, reservation: &Reservation, model: &str, rate: &Rate, used: Used) {
        self.reserved_usd = (self.reserved_usd - reservation.usd).max(0.0);
        self.reserved_tokens = self.reserved_tokens.saturating_sub(reservation.tokens);
        self.calls += 1;
        self.spent = self.spent.plus(&used.tokens);
        self.estimated |= used.estimated;
        match rate.cost(&used.tokens) {
            Some(cost) => self.spent_usd += cost,
            None => {
                self.unpriced.insert(model.to_owned());
            }
        }
    }

    /// The bill so far; the time is the journal's to tell.
    #[must_use]
    pub fn bill(&self, seconds: Seconds) -> Usage {
        let Tokens { input, cached_read, cache_write, output, reasoning } = self.spent;
        Usage { calls: self.calls, input, cached_read, cache_write, output, reasoning, usd: self.spent_usd, seconds }
    }

    /// The models whose price nobody knows: `usd` leaves them out.
    #[must_use]
    pub fn unpriced(&self) -> Vec<String> {
        self.unpriced.iter().cloned().collect()
    }

    /// Whether a service reported no usage, so that a part of the counts is our estimate.
    #[must_use]
    pub fn is_estimated(&self) -> bool {
        self.estimated
    }
}

/// What one call used.
#[derive(Debug, Clone, Copy, Default)]
pub struct Used {
    /// As reported, or estimated.
    pub tokens: Tokens,
    /// Which of the two.
    pub estimated: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::usage::Price;

    const RATE: Rate = Rate::Priced(Price { input: 1.0, cached_read: 0.1, cache_write: 1.0, output: 10.0 });

    fn used(input: u64, output: u64) -> Used {
        Used { tokens: Tokens { input, output, ..Tokens::default() }, estimated: false }
    }

    #[test]
    fn a_call_that_could_go_over_the_money_is_refused_before_it_is_made() {
        let mut meter = Meter::new(0.05, 1_000_000);
        let first = meter.reserve(10_000, 2_000, &RATE).unwrap();
        assert!(meter.reserve(10_000, 2_000, &RATE).is_err(), "the first reservation stands");
        meter.settle(&first, "m", &RATE, used(1_000, 100));
        let second = meter.reserve(10_000, 2_000, &RATE).unwrap();
        meter.settle(&second, "m", &RATE, used(10_000, 2_000));
        let error = meter.reserve(10_000, 2_000, &RATE).unwrap_err();
        insta::assert_snapshot!(error, @"the next model call could need $0.0300, and $0.0180 is left of the budget");
        let bill = meter.bill(Seconds::default());
        assert_eq!((bill.calls, bill.input, bill.output), (2, 11_000, 2_100));
        assert!((bill.usd - 0.032).abs() < 1e-9);
    }

    #[test]
    fn tokens_bind_where_no_price_is_known_and_the_bill_says_so() {
        let mut meter = Meter::new(0.0, 100);
        let call = meter.reserve(50, 50, &Rate::Unpriced).unwrap();
        meter.settle(&call, "openai:new", &Rate::Unpriced, used(60, 1));
        assert_eq!(meter.unpriced(), ["openai:new"]);
        assert!(meter.reserve(39, 1, &Rate::Unpriced).is_err());
        assert!(meter.reserve(38, 1, &Rate::Unpriced).is_ok());
    }
}
