//! How patiently the forge is talked to, and how much of it is read. All of it are values, so that a test takes
//! milliseconds.

use std::time::Duration;

use crate::backoff::Retries;

/// How the forge is talked to.
#[derive(Debug, Clone)]
pub struct Settings {
    /// How long to wait for what.
    pub timeouts: Timeouts,
    /// When to ask again.
    pub retries: Retries,
    /// The wait after a rate limit that does not say how long it lasts; it doubles with each further one.
    pub unnamed_limit: Duration,
    /// How often to look whether a request with a lost answer was done: reads may lag behind writes. Before each look
    /// is a wait as after that many failed attempts.
    pub looks: u32,
    /// The largest JSON answer that is read, in bytes.
    pub max_answer: usize,
    /// The most pages of one list that are read.
    pub max_pages: u32,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            timeouts: Timeouts::default(),
            retries: Retries::default(),
            unnamed_limit: Duration::from_mins(1),
            looks: 3,
            max_answer: 16 << 20,
            max_pages: 10,
        }
    }
}

/// How long to wait for what.
#[derive(Debug, Clone, Copy)]
pub struct Timeouts {
    /// For a connection.
    pub connect: Duration,
    /// For the next bytes.
    pub read: Duration,
    /// For one whole JSON answer.
    pub overall: Duration,
    /// For one whole file.
    pub download: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            read: Duration::from_secs(30),
            overall: Duration::from_mins(1),
            download: Duration::from_mins(10),
        }
    }
}
