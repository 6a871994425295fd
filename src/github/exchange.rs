//! Sends rows of the table, and nothing else: counts, records, asks again.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::github::error::GitHubError;
use crate::github::retry::{Patience, Setback, Wish, setback};
use crate::github::routes::{Repeat, Route};
use crate::github::transport::{Lost, Message, Reply};
use crate::github::{GitHub, words};
use crate::journal::{Entry, Journal, WaitingFor};

/// A row with its parameters.
#[derive(Debug)]
pub(super) struct Call {
    pub route: &'static Route,
    /// Path and query, below the origin.
    pub path: String,
    pub body: Option<String>,
    pub etag: Option<String>,
}

impl Call {
    /// The same with a body.
    pub(super) fn with(mut self, body: &Value) -> Self {
        self.body = Some(body.to_string());
        self
    }

    /// `METHOD name`.
    pub(super) fn subject(&self) -> String {
        format!("{} {}", self.route.method.as_str(), self.route.name)
    }
}

/// How one request ended.
#[derive(Debug)]
pub(super) enum Sent {
    Answered(Reply),
    Failed(Setback),
}

impl GitHub {
    /// A row of the table with its parameters; the repository is known.
    pub(super) fn call(&self, route: &'static Route, parameters: &[(&str, &str)]) -> Result<Call, GitHubError> {
        let repository = &self.connection.repository;
        let all = [&[("owner", repository.owner()), ("repo", repository.name())], parameters].concat();
        let path = self.address.path(route, &all).map_err(GitHubError::Unusable)?;
        Ok(Call { route, path, body: None, etag: None })
    }

    /// Sends a request until it is answered. One that is not harmless to repeat is sent again only when it is known
    /// that nothing was done.
    pub(super) async fn ask(&self, call: &Call, journal: &Journal) -> Result<Reply, GitHubError> {
        let mut patience = Patience::new(&self.settings, call.route);
        loop {
            let failure = match self.attempt(call, journal).await? {
                Sent::Answered(reply) => return Ok(reply),
                Sent::Failed(failure) => failure,
            };
            if failure.unknown && call.route.repeat == Repeat::LookFirst {
                return Err(GitHubError::Unreachable { route: call.route.name, reason: failure.reason });
            }
            self.pause(&mut patience, &failure, journal).await?;
        }
    }

    /// Sends a request once.
    ///
    /// # Errors
    /// [`GitHubError::Garbled`] when the answer is too large.
    pub(super) async fn attempt(&self, call: &Call, journal: &Journal) -> Result<Sent, GitHubError> {
        let began = Instant::now();
        self.calls.fetch_add(1, Ordering::Relaxed);
        let message = Message {
            method: call.route.method.as_str(),
            path: &call.path,
            body: call.body.as_deref(),
            etag: call.etag.as_deref(),
        };
        let overall = self.settings.timeouts.overall;
        let exchange = self.transport.exchange(message, self.settings.max_answer);
        let exchanged = tokio::time::timeout(overall, exchange)
            .await
            .unwrap_or_else(|_| Err(Lost::Broken(format!("no whole answer within {} ms", overall.as_millis()))));
        let (outcome, sent) = self.judged(call, exchanged);
        record(journal, ("github", call.subject()), outcome, began);
        sent
    }

    fn judged(&self, call: &Call, exchanged: Result<Reply, Lost>) -> (String, Result<Sent, GitHubError>) {
        let failed = |reason: String, unknown| {
            let reason = self.foreign(&reason);
            (reason.clone(), Ok(Sent::Failed(Setback { reason, unknown, wish: Wish::None })))
        };
        match exchanged {
            Ok(reply) if reply.status < 400 => (reply.status.to_string(), Ok(Sent::Answered(reply))),
            Ok(reply) => {
                let failure = setback(&reply, &self.foreign(&words::said(&reply.body)));
                (reply.status.to_string(), Ok(failure.map_or(Sent::Answered(reply), Sent::Failed)))
            }
            Err(Lost::Unsent(reason)) => failed(reason, false),
            Err(Lost::Broken(reason)) => failed(reason, true),
            Err(Lost::Endless) => {
                let reason = format!("it is larger than {} bytes", self.settings.max_answer);
                (reason.clone(), Err(GitHubError::Garbled { route: call.route.name, reason }))
            }
        }
    }

    /// Waits before the next attempt.
    ///
    /// # Errors
    /// When there is to be none.
    pub(super) async fn pause(
        &self,
        patience: &mut Patience<'_>,
        failure: &Setback,
        journal: &Journal,
    ) -> Result<(), GitHubError> {
        let wait = patience.wait(failure)?;
        self.sleep(wait, format!("after attempt {}", patience.attempts()), journal).await;
        Ok(())
    }

    /// Waits, on record.
    pub(super) async fn sleep(&self, wait: Duration, why: String, journal: &Journal) {
        let began = Instant::now();
        tokio::time::sleep(wait).await;
        record(journal, ("wait", "github".to_owned()), why, began);
    }

    /// What an answer says, if it is a good one.
    ///
    /// # Errors
    /// [`GitHubError::Refused`] and [`GitHubError::Garbled`].
    pub(super) fn accept<T: DeserializeOwned>(&self, call: &Call, reply: &Reply) -> Result<T, GitHubError> {
        self.good(call, reply)?;
        let route = call.route.name;
        serde_json::from_slice(&reply.body)
            .map_err(|error| GitHubError::Garbled { route, reason: self.foreign(&error.to_string()) })
    }

    /// Nothing but whether the answer is a good one.
    ///
    /// # Errors
    /// [`GitHubError::Refused`].
    pub(super) fn good(&self, call: &Call, reply: &Reply) -> Result<(), GitHubError> {
        if (200..300).contains(&reply.status) { Ok(()) } else { Err(self.refusal(call, reply)) }
    }

    pub(super) fn refusal(&self, call: &Call, reply: &Reply) -> GitHubError {
        let message = self.foreign(&words::said(&reply.body));
        GitHubError::Refused { route: call.route.name, status: reply.status, message }
    }

    /// Foreign text as it may stand in an error or the journal: without the token, on one line.
    pub(super) fn foreign(&self, text: &str) -> String {
        words::shown(text, &self.redactor)
    }
}

/// Writes into the journal what was done, to what, what came of it, and that it was waited for.
pub(super) fn record(journal: &Journal, what: (&str, String), outcome: String, began: Instant) {
    journal.record(Entry {
        action: what.0.to_owned(),
        subject: what.1,
        outcome,
        span: Some(journal.span(WaitingFor::Http, began)),
        ..Entry::default()
    });
}
