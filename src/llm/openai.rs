//! Chat completions with tools, at `OpenAI` or at any base URL that speaks the same.

mod wire;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::ids::Sha;
use crate::journal::{Entry, Journal, WaitingFor};
use crate::llm::host::{is_loopback, is_own};
use crate::llm::http::{Http, Lost, Reply};
use crate::llm::providers::Opening;
use crate::llm::{Answer, Asked, LlmError, Model, Request, Retries, plain};
use crate::secret::Secret;
use crate::usage::Rate;

/// One model of one service.
#[derive(Debug)]
pub struct OpenAi {
    name: String,
    model: String,
    url: reqwest::Url,
    key: Option<Secret>,
    rate: Rate,
    /// The service's own name for the output limit differs from everyone else's.
    limit_key: &'static str,
    http: Http,
    retries: Retries,
    /// Set once the service said that this model has no tools: then the plain-text form is used.
    toolless: AtomicBool,
}

/// What one exchange came to.
enum Exchange {
    Answered(Answer),
    Again { reason: String, wish: Option<Duration> },
    Toolless,
    Failed(LlmError),
}

impl OpenAi {
    /// Opens a model; nothing is sent yet.
    ///
    /// # Errors
    /// A sentence: a base URL that is none, or one that would carry the key in clear text.
    pub fn open(opening: Opening<'_>) -> Result<Self, String> {
        let base = opening.base_url.unwrap_or(opening.provider.base_url);
        let mut url = reqwest::Url::parse(base).map_err(|error| format!("`{base}` is no URL: {error}"))?;
        if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
            return Err(format!("`{base}` must begin with https:// or http:// and name a host"));
        }
        if url.scheme() == "http" && opening.key.is_some() && !is_loopback(&url) {
            return Err(format!("`{base}` would carry the key in clear text; use https://, or unset the key"));
        }
        let own = opening.base_url.is_none();
        let http = Http::new(&url, opening.settings)?;
        url.path_segments_mut()
            .map_err(|()| format!("`{base}` cannot have a path"))?
            .pop_if_empty()
            .extend(["chat", "completions"]);
        let name = format!("{}:{}", opening.provider.name, opening.model);
        Ok(Self {
            rate: if is_own(&url) { Rate::Free } else { crate::usage::Prices::builtin().rate(&name) },
            name,
            model: opening.model.to_owned(),
            url,
            key: opening.key,
            limit_key: if own { "max_completion_tokens" } else { "max_tokens" },
            http,
            retries: opening.settings.retries.clone(),
            toolless: AtomicBool::new(false),
        })
    }

    async fn answer(&self, request: &Request, journal: &Journal) -> Result<Answer, LlmError> {
        let mut attempt = 1;
        loop {
            let began = Instant::now();
            let body = self.body(request);
            let (exchange, bytes) = match self.http.post(&self.url, self.key.as_ref(), &body).await {
                Ok(reply) => (self.read(&reply, request), reply.body),
                Err(lost) => (self.give_up_or_again(lost, request), Vec::new()),
            };
            self.record(journal, (request, &bytes), &exchange, began);
            match exchange {
                Exchange::Answered(answer) => return Ok(answer),
                Exchange::Failed(error) => return Err(error),
                Exchange::Toolless => self.toolless.store(true, Ordering::Relaxed),
                Exchange::Again { reason, wish } => {
                    self.pause(journal, attempt, &reason, wish).await?;
                    attempt += 1;
                }
            }
        }
    }

    fn body(&self, request: &Request) -> Value {
        let toolless = self.toolless.load(Ordering::Relaxed);
        let plain = toolless.then(|| plain::render(request));
        wire::body(&self.model, self.limit_key, plain.as_ref().unwrap_or(request))
    }

    /// Tells an answer from a failure, and a passing failure from a lasting one.
    fn read(&self, reply: &Reply, request: &Request) -> Exchange {
        match reply.status {
            200 => match wire::answer(&reply.body, request) {
                Ok(answer) if said(&answer) > request.longest_answer() => {
                    Exchange::Failed(self.endless(request, said(&answer)))
                }
                Ok(answer) => Exchange::Answered(answer),
                Err(reason) => Exchange::Failed(LlmError::Garbled {
                    model: self.name.clone(),
                    reason,
                    spent: request.guess(reply.body.len()),
                }),
            },
            status => {
                let message = wire::error(&reply.body, self.key.as_ref());
                let reason = format!("status {status}: {message}");
                let passing = matches!(status, 408 | 429 | 500..=599) && !wire::is_lasting(&reply.body);
                // Some servers call a missing template for tools an error of their own (500).
                let toolless = matches!(status, 400 | 404 | 422 | 500 | 501) && wire::lacks_tools(&message);
                if toolless && !self.toolless.load(Ordering::Relaxed) {
                    Exchange::Toolless
                } else if passing {
                    Exchange::Again { reason, wish: reply.wish }
                } else {
                    Exchange::Failed(LlmError::Refused { model: self.name.clone(), reason })
                }
            }
        }
    }

    fn give_up_or_again(&self, lost: Lost, request: &Request) -> Exchange {
        match lost {
            Lost::Transport(reason) => Exchange::Again { reason, wish: None },
            Lost::Endless(limit) => Exchange::Failed(self.endless(request, limit)),
        }
    }

    fn endless(&self, request: &Request, bytes: usize) -> LlmError {
        LlmError::Endless {
            model: self.name.clone(),
            reason: format!("at most {} tokens were asked for, and {bytes} bytes came", request.max_output),
            spent: request.guess(bytes),
        }
    }

    async fn pause(
        &self,
        journal: &Journal,
        attempt: u32,
        reason: &str,
        wish: Option<Duration>,
    ) -> Result<(), LlmError> {
        let gone = |reason| Err(LlmError::Unavailable { model: self.name.clone(), reason });
        if attempt >= self.retries.attempts {
            return gone(format!("{reason} (asked {attempt} times)"));
        }
        if let Some(wish) = wish.filter(|wish| *wish > self.retries.longest_wish) {
            return gone(format!("{reason} (it asks to wait {} s, which is too long)", wish.as_secs()));
        }
        let wait = self.retries.wait(attempt).max(wish.unwrap_or_default());
        let began = Instant::now();
        tokio::time::sleep(wait).await;
        journal.record(Entry {
            action: "wait".to_owned(),
            subject: self.name.clone(),
            outcome: format!("after attempt {attempt}"),
            span: Some(journal.span(WaitingFor::Http, began)),
            ..Entry::default()
        });
        Ok(())
    }

    fn record(&self, journal: &Journal, sizes: (&Request, &[u8]), exchange: &Exchange, began: Instant) {
        let (request, bytes) = sizes;
        let (outcome, tokens) = match exchange {
            Exchange::Answered(answer) => (wire::outcome(answer), Some(answer.tokens)),
            Exchange::Again { reason, .. } => (reason.clone(), None),
            Exchange::Toolless => ("it has no tools; asked again in plain text".to_owned(), None),
            Exchange::Failed(error) => {
                (error.to_string(), Some(error.spent()).filter(|spent| *spent != crate::usage::Tokens::default()))
            }
        };
        journal.record(Entry {
            action: "model".to_owned(),
            subject: self.name.clone(),
            outcome,
            hashes: vec![request.key(), Sha::of(bytes)],
            tokens,
            span: Some(journal.span(WaitingFor::Http, began)),
            ..Entry::default()
        });
    }
}

/// How much an answer says, in bytes.
fn said(answer: &Answer) -> usize {
    answer.text.len() + answer.calls.iter().map(|call| call.name.len() + call.arguments.len()).sum::<usize>()
}

impl Model for OpenAi {
    fn name(&self) -> &str {
        &self.name
    }

    fn rate(&self) -> Rate {
        self.rate
    }

    fn ask<'a>(&'a self, request: &'a Request, journal: &'a Journal) -> Asked<'a> {
        Box::pin(self.answer(request, journal))
    }
}
