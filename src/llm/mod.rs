//! Models behind one trait: asked with a whole conversation, answering with text and tool calls.
//!
//! A provider is one file and a row in [`providers::PROVIDERS`]. What a provider's wire looks like stays in its
//! file; everyone else sees [`Request`], [`Answer`] and [`LlmError`].

mod host;
mod http;
pub mod openai;
pub mod plain;
pub mod providers;
pub mod record;
pub mod replay;
mod request;
pub mod spec;

use std::pin::Pin;

use serde::{Deserialize, Serialize};

use crate::journal::Journal;
use crate::usage::{Rate, Tokens};

pub use self::http::{Settings, Timeouts};
pub use crate::backoff::Retries;
pub use record::Recorder;
pub use replay::Replay;

/// The answer to come.
pub type Asked<'a> = Pin<Box<dyn Future<Output = Result<Answer, LlmError>> + Send + 'a>>;

/// A model that can be asked. Implementations: the providers, a recorder around one, and the replay of recordings.
pub trait Model: Send + Sync {
    /// `provider:name`, as the bill shows it.
    fn name(&self) -> &str;
    /// What its tokens cost.
    fn rate(&self) -> Rate;
    /// Asks once; retries, waiting and the record of it are inside.
    fn ask<'a>(&'a self, request: &'a Request, journal: &'a Journal) -> Asked<'a>;
}

/// One question, whole: the same request gives the same [`Request::key`], whatever the host or the day.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// The conversation, the system message first.
    pub messages: Vec<Message>,
    /// The tools that may be called.
    pub tools: Vec<ToolSpec>,
    /// The most tokens that an answer may have.
    pub max_output: u32,
}

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", tag = "role")]
#[expect(missing_docs, reason = "the field's own terms")]
pub enum Message {
    System { text: String },
    User { text: String },
    Assistant { text: String, calls: Vec<ToolCall> },
    Tool { call: String, text: String },
}

/// A tool as the model is told of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolSpec {
    /// Its name.
    pub name: String,
    /// What it does.
    pub description: String,
    /// The JSON schema of its arguments.
    pub parameters: serde_json::Value,
}

/// A call that the model wants made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// The provider's id for it.
    pub id: String,
    /// The tool's name, unchecked.
    pub name: String,
    /// Its arguments: JSON as the model wrote it, unchecked.
    pub arguments: String,
}

/// What a model answered.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// Its text.
    pub text: String,
    /// The calls that it wants.
    pub calls: Vec<ToolCall>,
    /// Whether the answer was cut off by the output limit.
    pub cut_off: bool,
    /// What it used, as reported.
    pub tokens: Tokens,
    /// Whether `tokens` is our estimate, because the service reported nothing.
    #[serde(default)]
    pub estimated: bool,
}

/// Why no answer came.
#[derive(Debug, thiserror::Error)]
pub enum LlmError {
    /// The service cannot be reached, or keeps failing (exit 7).
    #[error("{model} gave no answer: {reason}")]
    Unavailable {
        /// Who was asked.
        model: String,
        /// The last failure, and how often it was tried.
        reason: String,
    },
    /// The service answered with something that is no answer. It is not asked again in here, because the call was
    /// paid for: the caller reserves money first (exit 7).
    #[error("{model} answered with something unreadable: {reason}")]
    Garbled {
        /// Who was asked.
        model: String,
        /// What was wrong with it.
        reason: String,
        /// What it cost, estimated from the sizes.
        spent: Tokens,
    },
    /// The service answered with more than the most that was asked for, or without an end. It does not keep to its
    /// limit, so it is not asked again (exit 7).
    #[error("{model} does not end its answer: {reason}")]
    Endless {
        /// Who was asked.
        model: String,
        /// How long it became.
        reason: String,
        /// What it cost, at most: the output limit was sent along.
        spent: Tokens,
    },
    /// The service refused the request: a wrong key, an unknown model (exit 7).
    #[error("{model} refused the request: {reason}")]
    Refused {
        /// Who was asked.
        model: String,
        /// The status and the message.
        reason: String,
    },
    /// The recording holds no answer to this request.
    #[error("no recorded answer in {directory} for request {key}; {}", hints.join("; "))]
    Unrecorded {
        /// Where it was looked for.
        directory: String,
        /// The request's key.
        key: String,
        /// What is recorded instead, and where it differs.
        hints: Vec<String>,
    },
    /// A recording cannot be read or written.
    #[error("the recording {path}: {reason}")]
    Recording {
        /// Which file or directory.
        path: String,
        /// What is wrong with it.
        reason: String,
    },
}

impl LlmError {
    /// What the failed call cost, as far as it shows.
    #[must_use]
    pub fn spent(&self) -> Tokens {
        match self {
            Self::Garbled { spent, .. } | Self::Endless { spent, .. } => *spent,
            _ => Tokens::default(),
        }
    }
}
