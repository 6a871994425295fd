//! Reads through the cache: an answer that the forge says is still the same is taken from there. Such a question costs
//! nothing of the rate limit.

use std::time::Instant;

use reqwest::header::{HeaderMap, HeaderValue, LINK};
use serde::{Deserialize, Serialize};

use crate::github::GitHub;
use crate::github::error::GitHubError;
use crate::github::exchange::{Call, record};
use crate::github::transport::Reply;
use crate::journal::Journal;

const KIND: &str = "github";

/// An answer in the cache.
#[derive(Debug, Serialize, Deserialize)]
struct Kept {
    etag: String,
    link: Option<String>,
    body: String,
}

impl Kept {
    /// The answer, if it can be asked for again and is text.
    fn of(reply: &Reply) -> Option<Self> {
        let etag = reply.header("etag")?.to_owned();
        let link = reply.header("link").map(str::to_owned);
        let body = std::str::from_utf8(&reply.body).ok()?.to_owned();
        Some(Self { etag, link, body })
    }

    fn into_reply(self) -> Reply {
        let link = self.link.and_then(|link| HeaderValue::try_from(link).ok());
        let headers: HeaderMap = link.into_iter().map(|link| (LINK, link)).collect();
        Reply { status: 200, headers, body: self.body.into_bytes() }
    }
}

impl GitHub {
    /// Asks for something that may be in the cache.
    pub(super) async fn ask_fresh(&self, mut call: Call, journal: &Journal) -> Result<(Call, Reply), GitHubError> {
        let Some(cache) = &self.cache else {
            let reply = self.ask(&call, journal).await?;
            return Ok((call, reply));
        };
        let key = format!("{}{}", self.address.origin(), call.path);
        // What is damaged there is as good as absent.
        let kept: Option<Kept> = cache.get(KIND, &key).and_then(|value| serde_json::from_slice(&value).ok());
        call.etag = kept.as_ref().map(|kept| kept.etag.clone()).filter(|etag| HeaderValue::from_str(etag).is_ok());
        let reply = self.ask(&call, journal).await?;
        if let (304, Some(_), Some(kept)) = (reply.status, &call.etag, kept) {
            return Ok((call, kept.into_reply()));
        }
        if let (200, Some(kept)) = (reply.status, Kept::of(&reply)) {
            let stored = serde_json::to_vec(&kept).map_err(std::io::Error::from);
            if let Err(error) = stored.and_then(|value| cache.put(KIND, &key, &value)) {
                // The answer is as good without: the next run asks for it again.
                record(journal, ("cache", call.subject()), error.to_string(), Instant::now());
            }
        }
        Ok((call, reply))
    }
}
