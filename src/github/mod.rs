//! The forge's interface: one table of routes outside of which nothing can be sent, one policy for asking again.
//!
//! octocrab is transport and authentication. Its retries are not built in, because they repeat what must not be
//! repeated, and its models are not used, because they reject answers that the forge really gives.
//!
//! ```text
//! reads, writes, commit, download    what is asked for
//! pages, fresh                       lists page by page, answers that the cache has
//! exchange                           count, record, ask again            retry, settings
//! address                            a row of the table as an address    routes
//! transport                          one request, one bounded answer
//! ```

mod address;
mod answers;
mod commit;
mod download;
mod error;
mod exchange;
mod fresh;
mod kept;
mod pages;
mod reads;
mod retry;
mod routes;
mod settings;
#[cfg(test)]
mod tests;
mod transport;
mod words;
mod writes;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

pub use answers::{Artifact, Job, JobStep, Named, Pull, PullEnd, PullState, Repository, User, WorkflowRun};
pub use error::GitHubError;
pub use routes::{Effect, Method, ROUTES, Repeat, Route};
pub use settings::{Settings, Timeouts};

use crate::cache::Cache;
use crate::ids::{BranchName, CommitSha, OwnBranch, RepoPath, RepositoryName};
use crate::secret::{Redactor, Secret};
use address::Address;
use transport::Transport;

/// Where the forge is, and who asks.
#[derive(Debug, Clone)]
pub struct Connection {
    /// The address of the interface: `https://api.github.com`, or `https://HOST/api/v3`.
    pub api: String,
    /// The repository that is worked on.
    pub repository: RepositoryName,
    /// The token; without one only public things can be read.
    pub token: Option<Secret>,
}

/// The forge, for one repository.
#[derive(Debug)]
pub struct GitHub {
    connection: Connection,
    settings: Settings,
    address: Address,
    transport: Transport,
    cache: Option<Arc<Cache>>,
    redactor: Redactor,
    calls: AtomicU32,
}

/// How a download ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Downloaded {
    /// How much was kept.
    pub bytes: u64,
    /// Whether there was more than the cap allows.
    pub cut: bool,
}

/// A pull request to be.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "the forge's own terms")]
pub struct NewPull {
    pub title: String,
    pub body: String,
    pub head: OwnBranch,
    pub base: BranchName,
    pub draft: bool,
}

/// A commit to be made by the forge itself, which signs it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemoteCommit {
    /// Where.
    pub branch: OwnBranch,
    /// What the branch has to be at: the lease.
    pub expected_head: CommitSha,
    /// The first line of its message.
    pub headline: String,
    /// The rest of its message.
    pub body: String,
    /// Files with their new content.
    pub additions: Vec<(RepoPath, Vec<u8>)>,
    /// Files that go.
    pub deletions: Vec<RepoPath>,
}

/// What came of creating something that may be there already.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Created<T> {
    /// It is new.
    New(T),
    /// It was there.
    Existing,
}

impl GitHub {
    /// A client; nothing is sent yet.
    ///
    /// # Errors
    /// [`GitHubError::Unusable`].
    pub fn open(connection: Connection) -> Result<Self, GitHubError> {
        Self::open_with(connection, Settings::default())
    }

    /// A client with a patience of its own.
    ///
    /// # Errors
    /// [`GitHubError::Unusable`]: an address that is none, or that would carry the token in clear text to another
    /// machine; a token that cannot be sent; no certificates to check the forge by.
    pub fn open_with(connection: Connection, settings: Settings) -> Result<Self, GitHubError> {
        let token = connection.token.as_ref();
        let address = Address::parse(&connection.api, token.is_some()).map_err(GitHubError::Unusable)?;
        let transport = Transport::new(&address, token.cloned(), &settings.timeouts).map_err(GitHubError::Unusable)?;
        let redactor = Redactor::new(token.map(|token| ("the GitHub token", token)));
        Ok(Self { connection, settings, address, transport, cache: None, redactor, calls: AtomicU32::new(0) })
    }

    /// The same client, which keeps answers in a cache and asks only whether they still hold.
    #[must_use]
    pub fn with_cache(mut self, cache: Arc<Cache>) -> Self {
        self.cache = Some(cache);
        self
    }

    /// The repository that is worked on.
    #[must_use]
    pub fn repository_name(&self) -> &RepositoryName {
        &self.connection.repository
    }

    /// How many requests were sent to the interface so far, repeated ones counted, downloads from elsewhere not.
    #[must_use]
    pub fn calls(&self) -> u32 {
        self.calls.load(Ordering::Relaxed)
    }
}
