//! Logs and archives: the forge names an address for a minute, and the file is fetched from there, without the token.

use std::path::Path;
use std::time::Instant;

use reqwest::Url;
use reqwest::header::{DATE, LOCATION, RETRY_AFTER};

use crate::backoff::wish;
use crate::github::exchange::{Call, Sent, record};
use crate::github::kept::{Excess, Kept, Place};
use crate::github::retry::{Patience, Setback, Wish};
use crate::github::routes::{ARTIFACT, JOB_LOG};
use crate::github::transport::chain;
use crate::github::{Downloaded, GitHub, GitHubError};
use crate::journal::Journal;

/// How often a file may be somewhere else again.
const MOST_REDIRECTS: usize = 3;

/// What came of one address.
enum Fetched {
    Kept(Downloaded),
    Gone,
    Elsewhere(Url),
    /// A new address may help.
    Failed(Setback),
}

impl GitHub {
    /// The log of a job into a new file, at most `cap` bytes of it: of a longer one the last `cap` bytes, from wherever
    /// in a line they begin, with [`Downloaded::cut`] set. `None` when there is none (yet).
    ///
    /// # Errors
    /// [`GitHubError`]; the file then is not there.
    pub async fn job_log(
        &self,
        job: u64,
        file: &Path,
        cap: u64,
        journal: &Journal,
    ) -> Result<Option<Downloaded>, GitHubError> {
        let call = self.call(&JOB_LOG, &[("job", &job.to_string())])?;
        self.download(&call, Place { file, cap, excess: Excess::KeepEnd }, journal).await
    }

    /// The archive of an artifact into a new file; `None` when it is gone. One that is larger than `cap` is not kept:
    /// no bytes, and [`Downloaded::cut`] set.
    ///
    /// # Errors
    /// [`GitHubError`]; the file then is not there.
    pub async fn artifact(
        &self,
        id: u64,
        file: &Path,
        cap: u64,
        journal: &Journal,
    ) -> Result<Option<Downloaded>, GitHubError> {
        let call = self.call(&ARTIFACT, &[("artifact", &id.to_string())])?;
        self.download(&call, Place { file, cap, excess: Excess::KeepNothing }, journal).await
    }

    async fn download(
        &self,
        call: &Call,
        place: Place<'_>,
        journal: &Journal,
    ) -> Result<Option<Downloaded>, GitHubError> {
        let garbled = |reason| GitHubError::Garbled { route: call.route.name, reason };
        let mut patience = Patience::new(&self.settings, call.route);
        loop {
            let failure = match self.attempt(call, journal).await? {
                Sent::Failed(failure) => failure,
                Sent::Answered(reply) if matches!(reply.status, 404 | 410) => return Ok(None),
                Sent::Answered(reply) if !(300..400).contains(&reply.status) => {
                    self.good(call, &reply)?;
                    return Err(garbled("it names no address to fetch the file from".to_owned()));
                }
                Sent::Answered(reply) => {
                    let location = reply.header(LOCATION.as_str()).unwrap_or_default();
                    let url = self.address.redirect(self.address.origin(), location).map_err(garbled)?;
                    match self.follow(call, url, place, journal).await? {
                        Fetched::Kept(downloaded) => return Ok(Some(downloaded)),
                        Fetched::Gone => return Ok(None),
                        Fetched::Elsewhere(_) => {
                            return Err(garbled(format!("it sends on more than {MOST_REDIRECTS} times")));
                        }
                        Fetched::Failed(failure) => failure,
                    }
                }
            };
            self.pause(&mut patience, &failure, journal).await?;
        }
    }

    /// Fetches from an address, and from where that one sends to.
    async fn follow(
        &self,
        call: &Call,
        mut url: Url,
        place: Place<'_>,
        journal: &Journal,
    ) -> Result<Fetched, GitHubError> {
        let limit = self.settings.timeouts.download;
        for _ in 0..MOST_REDIRECTS {
            let began = Instant::now();
            let fetch = tokio::time::timeout(limit, self.fetch(call, &url, place));
            let (outcome, fetched) = fetch.await.unwrap_or_else(|_| {
                let reason = format!("no whole file within {} ms", limit.as_millis());
                (reason.clone(), Ok(Fetched::Failed(Setback { reason, unknown: true, wish: Wish::None })))
            });
            record(journal, ("github", format!("{} (file)", call.subject())), outcome, began);
            match fetched? {
                Fetched::Elsewhere(next) => url = next,
                end => return Ok(end),
            }
        }
        Ok(Fetched::Elsewhere(url))
    }

    /// One answer of the store, and what to write into the journal about it.
    async fn fetch(&self, call: &Call, url: &Url, place: Place<'_>) -> (String, Result<Fetched, GitHubError>) {
        let failed = |reason: String, wish| Ok(Fetched::Failed(Setback { reason, unknown: true, wish }));
        let response = match self.transport.bare().get(url.clone()).send().await {
            Ok(response) => response,
            Err(error) => {
                let reason = self.foreign(&chain(&error));
                return (reason.clone(), failed(reason, Wish::None));
            }
        };
        let status = response.status().as_u16();
        let header = |name| response.headers().get(name).and_then(|value: &http::HeaderValue| value.to_str().ok());
        let result = match status {
            200 => return self.keep(call, response, place).await,
            301 | 302 | 303 | 307 | 308 => self
                .address
                .redirect(url, header(LOCATION).unwrap_or_default())
                .map(Fetched::Elsewhere)
                .map_err(|reason| GitHubError::Garbled { route: call.route.name, reason }),
            // A log that is not there (yet) is a missing blob of the store.
            404 | 410 => Ok(Fetched::Gone),
            // An address that is too old is forbidden.
            403 | 408 | 429 | 500..=599 => {
                let wish = header(RETRY_AFTER).and_then(|text| wish(text, header(DATE)));
                failed(format!("the store answered {status}"), wish.map_or(Wish::None, Wish::Named))
            }
            _ => {
                let message = "the store of files refused".to_owned();
                Err(GitHubError::Refused { route: call.route.name, status, message })
            }
        };
        (status.to_string(), result)
    }

    async fn keep(
        &self,
        call: &Call,
        mut response: reqwest::Response,
        place: Place<'_>,
    ) -> (String, Result<Fetched, GitHubError>) {
        let unkept = |error: std::io::Error| {
            let reason = error.to_string();
            (reason.clone(), Err(GitHubError::Unkept { route: call.route.name, reason }))
        };
        let mut kept = match Kept::create(place) {
            Ok(kept) => kept,
            Err(error) => return unkept(error),
        };
        loop {
            let more = match response.chunk().await {
                Ok(Some(bytes)) => kept.take(&bytes),
                Ok(None) => Ok(false),
                Err(error) => {
                    let reason = self.foreign(&chain(&error));
                    let failure = Setback { reason: reason.clone(), unknown: true, wish: Wish::None };
                    return (reason, Ok(Fetched::Failed(failure)));
                }
            };
            match more {
                Ok(true) => {}
                Ok(false) => break,
                Err(error) => return unkept(error),
            }
        }
        match kept.finish() {
            Ok(downloaded) => (format!("200, {} bytes", downloaded.bytes), Ok(Fetched::Kept(downloaded))),
            Err(error) => unkept(error),
        }
    }
}
