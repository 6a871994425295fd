//! How long to wait before asking again: exponential, jittered, bounded, and never less than the server asks for.

use std::time::Duration;

use crate::ids::Sha;

/// The rules of asking again.
#[derive(Debug, Clone)]
pub struct Retries {
    /// How often one request is sent at most.
    pub attempts: u32,
    /// The first wait; each further one is twice as long.
    pub base: Duration,
    /// The longest wait that we choose.
    pub cap: Duration,
    /// The longest wait that a server may ask for; a longer one ends the call.
    pub longest_wish: Duration,
    /// Where the jitter comes from: a value, so that a run can be repeated.
    pub seed: u64,
}

impl Default for Retries {
    fn default() -> Self {
        Self {
            attempts: 5,
            base: Duration::from_secs(1),
            cap: Duration::from_secs(30),
            longest_wish: Duration::from_mins(2),
            seed: 0,
        }
    }
}

impl Retries {
    /// The wait after `attempt` (from 1) failed: between half and all of the doubled base.
    #[must_use]
    pub fn wait(&self, attempt: u32) -> Duration {
        let doubled = self.base.saturating_mul(2u32.saturating_pow(attempt.saturating_sub(1))).min(self.cap);
        let digits = Sha::of(format!("{}:{attempt}", self.seed).as_bytes());
        let drawn = u32::from_str_radix(&digits.as_str()[..4], 16).unwrap_or(0);
        doubled / 2 + (doubled / 2).mul_f64(f64::from(drawn) / f64::from(0xffff))
    }
}

/// What a `Retry-After` header asks for: seconds, or a date. A date is read against the `Date` of the same
/// answer, so that no clock of ours has a say in it.
#[must_use]
pub fn wish(retry_after: &str, date: Option<&str>) -> Option<Duration> {
    let text = retry_after.trim();
    if let Ok(seconds) = text.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let until = instant(text)?;
    let now = instant(date?.trim())?;
    Some(Duration::from_secs(u64::try_from(until - now).unwrap_or(0)))
}

/// The moment that a date of HTTP names, in seconds since 1970.
#[must_use]
pub fn instant(text: &str) -> Option<i64> {
    jiff::fmt::rfc2822::parse(text).ok().map(|zoned| zoned.timestamp().as_second())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_the_cap_and_never_fall_below_half() {
        let retries = Retries { seed: 7, ..Retries::default() };
        for (attempt, full) in [(1, 1), (2, 2), (3, 4), (9, 30), (4_000_000_000, 30)] {
            let wait = retries.wait(attempt);
            let full = Duration::from_secs(full);
            assert!(wait >= full / 2 && wait <= full, "{attempt}: {wait:?}");
        }
        assert_eq!(retries.wait(2), retries.wait(2));
        assert_ne!(retries.wait(2), Retries { seed: 8, ..retries.clone() }.wait(2));
    }

    #[test]
    fn a_wish_is_seconds_or_a_date_against_the_servers_own_clock() {
        assert_eq!(wish("7", None), Some(Duration::from_secs(7)));
        assert_eq!(wish("0.5", None), Some(Duration::from_millis(500)));
        let date = Some("Sun, 06 Nov 1994 08:49:37 GMT");
        assert_eq!(wish("Sun, 06 Nov 1994 08:49:47 GMT", date), Some(Duration::from_secs(10)));
        assert_eq!(wish("Sun, 06 Nov 1994 08:49:00 GMT", date), Some(Duration::ZERO));
        assert_eq!(wish("Sun, 06 Nov 1994 08:49:47 GMT", None), None);
        assert_eq!(wish("-3", None), None);
        assert_eq!(wish("soon", date), None);
    }
}
