//! Keeps every answer of a model in a directory that [`crate::llm::Replay`] answers from.

use std::fmt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::journal::Journal;
use crate::llm::{Answer, Asked, LlmError, Message, Model, Request};
use crate::usage::Rate;

/// The version of the files.
pub(super) const VERSION: u32 = 1;

/// One file of a recording, `KEY.json`.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Record {
    pub version: u32,
    pub model: String,
    pub request: Request,
    pub answer: Answer,
}

/// Removes secrets from a text.
pub type Scrub = Box<dyn Fn(&str) -> String + Send + Sync>;

/// A model whose answers are kept.
pub struct Recorder {
    inner: Box<dyn Model>,
    directory: PathBuf,
    scrub: Scrub,
}

impl fmt::Debug for Recorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recorder")
            .field("model", &self.inner.name())
            .field("directory", &self.directory)
            .finish_non_exhaustive()
    }
}

impl Recorder {
    /// Wraps `inner`; the directory is made when it is missing, and what it holds already stays.
    ///
    /// # Errors
    /// [`LlmError::Recording`] when the directory cannot be made.
    pub fn new(inner: Box<dyn Model>, directory: &Path, scrub: Scrub) -> Result<Self, LlmError> {
        std::fs::create_dir_all(directory).map_err(|error| unusable(directory, &error))?;
        Ok(Self { inner, directory: directory.to_owned(), scrub })
    }

    fn keep(&self, request: &Request, answer: &Answer) -> Result<(), LlmError> {
        let record = Record {
            version: VERSION,
            model: self.inner.name().to_owned(),
            request: self.scrubbed(&request.normalised()),
            answer: Answer {
                text: (self.scrub)(&answer.text),
                calls: answer.calls.iter().map(|call| self.scrubbed_call(call)).collect(),
                ..answer.clone()
            },
        };
        let path = self.directory.join(format!("{}.json", request.key()));
        let mut json = serde_json::to_string_pretty(&record).map_err(|error| unusable(&path, &error))?;
        json.push('\n');
        // Written aside and moved, so that a recording never holds half an answer.
        let aside = path.with_extension("part");
        std::fs::write(&aside, json)
            .and_then(|()| std::fs::rename(&aside, &path))
            .map_err(|error| unusable(&path, &error))
    }

    fn scrubbed(&self, request: &Request) -> Request {
        let scrub = |text: &str| (self.scrub)(text);
        let messages = request.messages.iter().map(|message| match message {
            Message::System { text } => Message::System { text: scrub(text) },
            Message::User { text } => Message::User { text: scrub(text) },
            Message::Tool { call, text } => Message::Tool { call: call.clone(), text: scrub(text) },
            Message::Assistant { text, calls } => Message::Assistant {
                text: scrub(text),
                calls: calls.iter().map(|call| self.scrubbed_call(call)).collect(),
            },
        });
        Request { messages: messages.collect(), ..request.clone() }
    }

    fn scrubbed_call(&self, call: &crate::llm::ToolCall) -> crate::llm::ToolCall {
        crate::llm::ToolCall { arguments: (self.scrub)(&call.arguments), ..call.clone() }
    }
}

pub(super) fn unusable(path: &Path, error: &dyn fmt::Display) -> LlmError {
    LlmError::Recording { path: path.display().to_string(), reason: error.to_string() }
}

impl Model for Recorder {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn rate(&self) -> Rate {
        self.inner.rate()
    }

    fn ask<'a>(&'a self, request: &'a Request, journal: &'a Journal) -> Asked<'a> {
        Box::pin(async move {
            let answer = self.inner.ask(request, journal).await?;
            self.keep(request, &answer)?;
            Ok(answer)
        })
    }
}
