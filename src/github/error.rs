//! Why the forge did not do something, and whose fault it is.

/// Why the forge did not do something.
#[derive(Debug, thiserror::Error)]
pub enum GitHubError {
    /// No answer, or none but failures of its own; what was asked for may have happened all the same.
    #[error("{route}: GitHub gave no answer: {reason}")]
    Unreachable {
        /// What was asked.
        route: &'static str,
        /// The last failure.
        reason: String,
    },
    /// It asks to be left alone for longer than a run may wait.
    #[error("{route}: GitHub's rate limit is used up for {seconds} more seconds")]
    RateLimited {
        /// What was asked.
        route: &'static str,
        /// How long.
        seconds: u64,
    },
    /// It said no.
    #[error("{route}: GitHub refused with {status}: {message}")]
    Refused {
        /// What was asked.
        route: &'static str,
        /// The status of the answer.
        status: u16,
        /// Its words, one line.
        message: String,
    },
    /// The answer is none that can be read.
    #[error("{route}: GitHub's answer cannot be read: {reason}")]
    Garbled {
        /// What was asked.
        route: &'static str,
        /// Why.
        reason: String,
    },
    /// What came cannot be kept here: a file that exists already, a full disk.
    #[error("{route}: what GitHub sent cannot be kept: {reason}")]
    Unkept {
        /// What was asked.
        route: &'static str,
        /// Why.
        reason: String,
    },
    /// It cannot be talked to at all: a wrong address, no certificates.
    #[error("{0}")]
    Unusable(String),
}

impl GitHubError {
    /// Whether what was asked for is not there, or not to be seen with this token.
    #[must_use]
    pub fn is_not_found(&self) -> bool {
        matches!(self, Self::Refused { status: 404 | 410, .. })
    }
}
