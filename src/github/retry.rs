//! The one policy of asking again: what passes, how long to wait, and when to stop.
//!
//! A rate limit is an answer: nothing was done. After an error of the forge (5xx) or a broken connection nobody knows
//! whether it was, so a row that is not harmless to repeat is looked up first.

use std::time::Duration;

use crate::backoff::{instant, wish};
use crate::github::error::GitHubError;
use crate::github::routes::Route;
use crate::github::settings::Settings;
use crate::github::transport::Reply;

/// A failure that may pass.
#[derive(Debug)]
pub(super) struct Setback {
    /// One line.
    pub reason: String,
    /// Whether what was asked for may have happened all the same.
    pub unknown: bool,
    /// What the forge asks for.
    pub wish: Wish,
}

/// How long the forge wants to be left alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wish {
    /// It does not say.
    None,
    /// This long.
    Named(Duration),
    /// It sets a limit and does not say how long.
    Unnamed,
}

/// Tells a failure that may pass from an answer. `message` is what the answer says.
pub(super) fn setback(reply: &Reply, message: &str) -> Option<Setback> {
    let reason = || format!("status {}: {message}", reply.status);
    match reply.status {
        403 | 429 if is_limit(reply, message) => Some(limit(reply, reason())),
        408 | 500..=599 => {
            let wish = named(reply).map_or(Wish::None, Wish::Named);
            Some(Setback { reason: reason(), unknown: true, wish })
        }
        _ => None,
    }
}

/// What an answer says that sets a limit: nothing was done.
pub(super) fn limit(reply: &Reply, reason: String) -> Setback {
    let wish = named(reply).or_else(|| until_reset(reply)).map_or(Wish::Unnamed, Wish::Named);
    Setback { reason, unknown: false, wish }
}

/// A 403 also says that something is forbidden for good; only a limit says more.
fn is_limit(reply: &Reply, message: &str) -> bool {
    let message = message.to_ascii_lowercase();
    reply.status == 429
        || reply.header("retry-after").is_some()
        || reply.header("x-ratelimit-remaining") == Some("0")
        || ["rate limit", "abuse detection"].iter().any(|words| message.contains(words))
}

fn named(reply: &Reply) -> Option<Duration> {
    wish(reply.header("retry-after")?, reply.header("date"))
}

/// The time until a used-up limit is renewed, read against the date of the same answer.
fn until_reset(reply: &Reply) -> Option<Duration> {
    if reply.header("x-ratelimit-remaining")? != "0" {
        return None;
    }
    let reset: i64 = reply.header("x-ratelimit-reset")?.trim().parse().ok()?;
    let seconds = reset.checked_sub(instant(reply.header("date")?)?)?;
    Some(Duration::from_secs(u64::try_from(seconds).unwrap_or(0)))
}

/// How much patience is left for one request.
#[derive(Debug)]
pub(super) struct Patience<'a> {
    settings: &'a Settings,
    route: &'static Route,
    attempts: u32,
    unnamed: u32,
}

impl<'a> Patience<'a> {
    pub(super) fn new(settings: &'a Settings, route: &'static Route) -> Self {
        Self { settings, route, attempts: 0, unnamed: 0 }
    }

    /// How often it was asked.
    pub(super) fn attempts(&self) -> u32 {
        self.attempts
    }

    /// The wait before it is asked again.
    ///
    /// # Errors
    /// [`GitHubError::Unreachable`] and [`GitHubError::RateLimited`] when it is not worth waiting.
    pub(super) fn wait(&mut self, setback: &Setback) -> Result<Duration, GitHubError> {
        self.attempts += 1;
        let retries = &self.settings.retries;
        let wish = match setback.wish {
            Wish::None => Duration::ZERO,
            Wish::Named(wish) => wish,
            Wish::Unnamed => {
                self.unnamed += 1;
                self.settings.unnamed_limit.saturating_mul(2u32.saturating_pow(self.unnamed - 1))
            }
        };
        let over = self.attempts >= retries.attempts;
        if wish > retries.longest_wish || (over && setback.wish != Wish::None && !setback.unknown) {
            return Err(GitHubError::RateLimited {
                route: self.route.name,
                seconds: wish.as_secs() + u64::from(wish.subsec_nanos() > 0),
            });
        }
        if over {
            let reason = format!("{} (asked {} times)", setback.reason, self.attempts);
            return Err(GitHubError::Unreachable { route: self.route.name, reason });
        }
        Ok(retries.wait(self.attempts).max(wish))
    }
}
