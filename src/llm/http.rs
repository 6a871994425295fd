//! One JSON request over HTTPS and its bounded answer: timeouts, size cap, no redirects, no proxy of the environment.

use std::sync::Arc;
use std::time::Duration;

use reqwest::header::{DATE, HeaderMap, RETRY_AFTER};

use crate::backoff::{Retries, wish};
use crate::secret::Secret;

/// How a service is talked to.
#[derive(Debug, Clone)]
pub struct Settings {
    /// How long to wait for what.
    pub timeouts: Timeouts,
    /// When to ask again.
    pub retries: Retries,
    /// The largest answer that is read, in bytes.
    pub max_answer: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self { timeouts: Timeouts::default(), retries: Retries::default(), max_answer: 4 << 20 }
    }
}

/// How long to wait for what.
#[derive(Debug, Clone, Copy)]
pub struct Timeouts {
    /// For a connection.
    pub connect: Duration,
    /// For the next bytes; a model may think long before its first.
    pub read: Duration,
    /// For one whole answer.
    pub overall: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self { connect: Duration::from_secs(10), read: Duration::from_mins(3), overall: Duration::from_mins(5) }
    }
}

/// What came back.
#[derive(Debug)]
pub(super) struct Reply {
    pub status: u16,
    /// How long the server asks to be left alone.
    pub wish: Option<Duration>,
    pub body: Vec<u8>,
}

/// Why nothing whole came back.
#[derive(Debug)]
pub(super) enum Lost {
    /// Transport: worth asking again.
    Transport(String),
    /// More bytes than an answer may have; they were paid for.
    Endless(usize),
}

/// A client for one service.
#[derive(Debug)]
pub(super) struct Http {
    client: reqwest::Client,
    overall: Duration,
    max_answer: usize,
}

impl Http {
    /// A client for services at `url`'s host.
    ///
    /// # Errors
    /// When the machine has no certificates to check an `https` service by.
    pub(super) fn new(url: &reqwest::Url, settings: &Settings) -> Result<Self, String> {
        // The first caller of the process wins; a provider that stands already is as good.
        drop(rustls::crypto::ring::default_provider().install_default());
        let mut builder = reqwest::Client::builder();
        if url.scheme() == "http" {
            builder = builder.tls_backend_preconfigured(trustless()?);
        }
        let client = builder
            .no_proxy()
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never())
            .connect_timeout(settings.timeouts.connect)
            .read_timeout(settings.timeouts.read)
            .user_agent(concat!("unbreak/", env!("CARGO_PKG_VERSION")))
            .build()
            .map_err(|error| {
                format!("no secure connection can be made here ({}); install ca-certificates", chain(&error))
            })?;
        Ok(Self { client, overall: settings.timeouts.overall, max_answer: settings.max_answer })
    }

    pub(super) async fn post(
        &self,
        url: &reqwest::Url,
        key: Option<&Secret>,
        body: &serde_json::Value,
    ) -> Result<Reply, Lost> {
        tokio::time::timeout(self.overall, self.exchange(url, key, body))
            .await
            .unwrap_or_else(|_| Err(Lost::Transport(format!("no whole answer within {} ms", self.overall.as_millis()))))
    }

    async fn exchange(
        &self,
        url: &reqwest::Url,
        key: Option<&Secret>,
        body: &serde_json::Value,
    ) -> Result<Reply, Lost> {
        let mut request = self.client.post(url.clone()).json(body);
        if let Some(key) = key {
            request = request.bearer_auth(key.reveal());
        }
        let mut response = request.send().await.map_err(|error| lost(&error))?;
        let status = response.status().as_u16();
        let wish = asked_wait(response.headers());
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|error| lost(&error))? {
            if body.len() + chunk.len() > self.max_answer {
                return Err(Lost::Endless(self.max_answer));
            }
            body.extend_from_slice(&chunk);
        }
        Ok(Reply { status, wish, body })
    }
}

/// TLS that trusts nobody, for a service that is spoken to in clear text and redirects that are never followed: such
/// a service works on a machine without certificates, and none are read in vain.
fn trustless() -> Result<rustls::ClientConfig, String> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let versions = rustls::ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let config = versions.map_err(|error| error.to_string())?;
    Ok(config.with_root_certificates(rustls::RootCertStore::empty()).with_no_client_auth())
}

fn asked_wait(headers: &HeaderMap) -> Option<Duration> {
    let text = |name| headers.get(name).and_then(|value: &reqwest::header::HeaderValue| value.to_str().ok());
    wish(text(RETRY_AFTER)?, text(DATE))
}

fn lost(error: &reqwest::Error) -> Lost {
    Lost::Transport(chain(error))
}

/// An error with its causes, without addresses that may hold a key.
fn chain(error: &reqwest::Error) -> String {
    let mut causes = Vec::new();
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        causes.push(error.to_string());
        cause = error.source();
    }
    let kind = if error.is_timeout() {
        "timed out"
    } else if error.is_connect() {
        "cannot connect"
    } else {
        "the connection broke"
    };
    causes.last().map_or_else(|| kind.to_owned(), |last| format!("{kind}: {last}"))
}
