//! A model that says what it was told to say, in order; it reads nothing and costs nothing.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::journal::{Entry, Journal};
use crate::llm::{Answer, Asked, LlmError, Model, Request};
use crate::usage::Rate;

/// The bundled answers.
pub const ANSWERS: &str = include_str!("../../fixtures/demo/answers.json");

/// Scripted answers.
#[derive(Debug)]
pub struct Scripted {
    answers: Vec<Answer>,
    next: AtomicUsize,
}

impl Scripted {
    /// From a JSON list of answers.
    ///
    /// # Errors
    /// When it is none.
    pub fn new(answers: &str) -> serde_json::Result<Self> {
        Ok(Self { answers: serde_json::from_str(answers)?, next: AtomicUsize::new(0) })
    }
}

impl Model for Scripted {
    fn name(&self) -> &'static str {
        "scripted:demo"
    }

    fn rate(&self) -> Rate {
        Rate::Free
    }

    fn ask<'a>(&'a self, request: &'a Request, journal: &'a Journal) -> Asked<'a> {
        Box::pin(async move {
            let at = self.next.fetch_add(1, Ordering::Relaxed);
            journal.record(Entry {
                action: "model".to_owned(),
                subject: self.name().to_owned(),
                outcome: "a scripted answer: no model was asked".to_owned(),
                hashes: vec![request.key()],
                ..Entry::default()
            });
            self.answers.get(at).cloned().ok_or_else(|| LlmError::Unavailable {
                model: self.name().to_owned(),
                reason: "the script has no further answer".to_owned(),
            })
        })
    }
}
