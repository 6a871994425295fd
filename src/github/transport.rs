//! One request and its bounded answer. octocrab adds the token and the headers; below it is a client without redirects,
//! without retries and without the proxies of the environment.

use std::sync::Arc;

use http_body_util::BodyExt as _;
use octocrab::service::middleware::base_uri::BaseUriLayer;
use octocrab::service::middleware::reqwest_connector::ReqwestConnector;
use octocrab::{AuthState, OctoBody, Octocrab, OctocrabBuilder};
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, IF_NONE_MATCH, USER_AGENT};

use crate::github::address::Address;
use crate::github::settings::Timeouts;
use crate::secret::Secret;

const AGENT: &str = concat!("unbreak/", env!("CARGO_PKG_VERSION"));
/// What every request says.
const HEADERS: [(HeaderName, &str); 3] = [
    (USER_AGENT, AGENT),
    (ACCEPT, "application/vnd.github+json"),
    (HeaderName::from_static("x-github-api-version"), "2022-11-28"),
];

/// What is sent.
#[derive(Debug, Clone, Copy)]
pub(super) struct Message<'a> {
    pub method: &'static str,
    /// Path and query.
    pub path: &'a str,
    pub body: Option<&'a str>,
    pub etag: Option<&'a str>,
}

/// What came back.
#[derive(Debug)]
pub(super) struct Reply {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: Vec<u8>,
}

impl Reply {
    /// A header, if it is text.
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }
}

/// Why nothing whole came back.
#[derive(Debug)]
pub(super) enum Lost {
    /// The connection was never made: nothing was sent.
    Unsent(String),
    /// It broke later: what was asked for may have happened.
    Broken(String),
    /// More bytes than an answer may have.
    Endless,
}

/// The way to the interface.
#[derive(Debug)]
pub(super) struct Transport {
    http: reqwest::Client,
    base: http::Uri,
    token: Option<Secret>,
}

impl Transport {
    /// A way to the interface at an address.
    ///
    /// # Errors
    /// A sentence: a token that cannot be sent, no certificates to check the forge by.
    pub(super) fn new(address: &Address, token: Option<Secret>, timeouts: &Timeouts) -> Result<Self, String> {
        if token.as_ref().is_some_and(|token| !sendable(token.reveal())) {
            return Err("the token is empty or holds a blank or a line break; it was not pasted whole".to_owned());
        }
        let http = client(address.is_clear_text(), timeouts)?;
        let base = address.origin().as_str().parse().map_err(|error| format!("the address cannot be used: {error}"))?;
        Ok(Self { http, base, token })
    }

    /// The client below, which knows no token.
    pub(super) fn bare(&self) -> &reqwest::Client {
        &self.http
    }

    /// Sends one request and reads at most `limit` bytes of its answer.
    pub(super) async fn exchange(&self, message: Message<'_>, limit: usize) -> Result<Reply, Lost> {
        let unsent = |error: &dyn std::error::Error| Lost::Unsent(format!("the request cannot be made: {error}"));
        let mut request = http::Request::builder().method(message.method).uri(message.path);
        for (name, value) in HEADERS {
            request = request.header(name, value);
        }
        if let Some(etag) = message.etag {
            request = request.header(IF_NONE_MATCH, etag);
        }
        if message.body.is_some() {
            request = request.header(CONTENT_TYPE, "application/json");
        }
        let body = message.body.map_or_else(OctoBody::empty, |body| OctoBody::from(body.to_owned()));
        let request = request.body(body).map_err(|error| unsent(&error))?;
        let response = self.octocrab().execute(request).await.map_err(|error| lost(&error))?;
        let (head, mut body) = response.into_parts();
        let mut bytes = Vec::new();
        while let Some(frame) = body.frame().await {
            let Ok(data) = frame.map_err(|error| lost(&error))?.into_data() else { continue };
            if bytes.len() + data.len() > limit {
                return Err(Lost::Endless);
            }
            bytes.extend_from_slice(&data);
        }
        Ok(Reply { status: head.status.as_u16(), headers: head.headers, body: bytes })
    }

    /// octocrab on our client. It is made for each request, since its queue lives on the runtime that it is made in,
    /// and this client may be opened outside of any. It is put together from its parts, since the whole one names
    /// itself as the user agent.
    fn octocrab(&self) -> Octocrab {
        let auth = match &self.token {
            Some(token) => AuthState::AccessToken { token: token.reveal().into() },
            None => AuthState::None,
        };
        let built = OctocrabBuilder::new_empty()
            .with_service(ReqwestConnector::new(self.http.clone()))
            .with_layer(&BaseUriLayer::new(self.base.clone()))
            .with_auth(auth)
            .build();
        match built {
            Ok(octocrab) => octocrab,
            Err(never) => match never {},
        }
    }
}

fn client(clear_text: bool, timeouts: &Timeouts) -> Result<reqwest::Client, String> {
    // The first caller of the process wins; a provider that stands already is as good.
    drop(rustls::crypto::ring::default_provider().install_default());
    let mut builder = reqwest::Client::builder();
    if clear_text {
        builder = builder.tls_backend_preconfigured(trustless()?);
    }
    builder
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .retry(reqwest::retry::never())
        .connect_timeout(timeouts.connect)
        .read_timeout(timeouts.read)
        .user_agent(AGENT)
        .build()
        .map_err(|error| format!("no secure connection can be made here ({}); install ca-certificates", chain(&error)))
}

/// TLS that trusts nobody, for an interface that is spoken to in clear text: it works on a machine without
/// certificates.
fn trustless() -> Result<rustls::ClientConfig, String> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let versions = rustls::ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let config = versions.map_err(|error| error.to_string())?;
    Ok(config.with_root_certificates(rustls::RootCertStore::empty()).with_no_client_auth())
}

fn sendable(token: &str) -> bool {
    !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_graphic())
}

/// What a failure of the client says about the request.
fn lost(error: &(dyn std::error::Error + 'static)) -> Lost {
    let mut cause = Some(error);
    while let Some(error) = cause {
        if let Some(error) = error.downcast_ref::<reqwest::Error>() {
            return if error.is_connect() { Lost::Unsent(chain(error)) } else { Lost::Broken(chain(error)) };
        }
        cause = error.source();
    }
    Lost::Broken("the connection broke".to_owned())
}

/// An error with its last cause, without addresses, which may hold a signature.
pub(super) fn chain(error: &reqwest::Error) -> String {
    let kind = if error.is_timeout() {
        "timed out"
    } else if error.is_connect() {
        "cannot connect"
    } else {
        "the connection broke"
    };
    let causes = std::iter::successors(std::error::Error::source(error), |error| error.source());
    causes.last().map_or_else(|| kind.to_owned(), |last| format!("{kind}: {last}"))
}
