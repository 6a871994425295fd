//! What a request is known by and how large it is.

use std::collections::BTreeMap;

use crate::ids::Sha;
use crate::llm::{Message, Request};
use crate::usage::Tokens;

/// Raised when the normal form changes: old recordings then miss instead of matching by accident.
const NORMAL_FORM: u32 = 1;

/// Bytes that one token stands for, at least: real text has three or four, so this bounds the count from above.
const BYTES_PER_TOKEN: u64 = 2;

/// Bytes of a token, at most, over a whole answer: source text has three to six.
const LONGEST_TOKEN: usize = 16;
/// An answer of so many bytes is never called endless: the smallest limits are missed by little.
const SHORT_ANSWER: usize = 16 << 10;
/// Tokens that a service may add to any request.
const UNSEEN: u64 = 4_000;

impl Request {
    /// The SHA-256 of the whole normalised request. Call ids are numbered in their order, because providers draw
    /// them at random; everything else counts as it stands.
    #[must_use]
    pub fn key(&self) -> Sha {
        let normal = serde_json::json!({ "form": NORMAL_FORM, "request": self.normalised() });
        Sha::of(normal.to_string().as_bytes())
    }

    /// The request with its call ids numbered.
    #[must_use]
    pub fn normalised(&self) -> Self {
        let mut normal = self.clone();
        let mut numbers: BTreeMap<String, String> = BTreeMap::new();
        for message in &mut normal.messages {
            match message {
                Message::Assistant { calls, .. } => {
                    for call in calls {
                        let number = format!("call-{}", numbers.len() + 1);
                        numbers.insert(std::mem::replace(&mut call.id, number.clone()), number);
                    }
                }
                Message::Tool { call, .. } => {
                    if let Some(number) = numbers.get(call) {
                        call.clone_from(number);
                    }
                }
                Message::System { .. } | Message::User { .. } => {}
            }
        }
        normal
    }

    /// An upper bound of its prompt tokens, for the reservation before a call.
    #[must_use]
    pub fn prompt_bound(&self) -> u64 {
        (serde_json::to_vec(self).map_or(0, |bytes| bytes.len()) as u64).div_ceil(BYTES_PER_TOKEN)
    }

    /// What a call used whose provider reports nothing: a guess from the sizes, on the dear side.
    #[must_use]
    pub fn guess(&self, answer_bytes: usize) -> Tokens {
        let prompt = serde_json::to_vec(self).map_or(0, |bytes| bytes.len()) as u64;
        // No more is billed than was asked for, however much came.
        let output = (answer_bytes as u64).div_ceil(3).min(u64::from(self.max_output));
        Tokens { input: prompt.div_ceil(3), output, ..Tokens::default() }
    }

    /// The most bytes that an answer within its limit can have.
    #[must_use]
    pub fn longest_answer(&self) -> usize {
        (self.max_output as usize).saturating_mul(LONGEST_TOKEN).max(SHORT_ANSWER)
    }

    /// Whether an exchange of this size can have used so much. Services count what we do not see (templates, hidden
    /// reasoning), but not another order of magnitude.
    #[must_use]
    pub fn is_plausible(&self, tokens: &Tokens) -> bool {
        let bound = self.prompt_bound().saturating_add(u64::from(self.max_output)).saturating_add(UNSEEN);
        let used = [tokens.input, tokens.cached_read, tokens.cache_write, tokens.output];
        used.into_iter().fold(0, u64::saturating_add) <= bound.saturating_mul(8)
    }
}

impl Message {
    /// Who speaks, as the wire names it.
    #[must_use]
    pub fn role(&self) -> &'static str {
        match self {
            Self::System { .. } => "system",
            Self::User { .. } => "user",
            Self::Assistant { .. } => "assistant",
            Self::Tool { .. } => "tool",
        }
    }

    /// What is said; for an assistant its text and the calls it makes.
    #[must_use]
    pub fn shown(&self) -> String {
        match self {
            Self::System { text } | Self::User { text } | Self::Tool { text, .. } => text.clone(),
            Self::Assistant { text, calls } => {
                let calls = calls.iter().map(|call| format!("{}({})", call.name, call.arguments));
                std::iter::once(text.clone()).chain(calls).collect::<Vec<_>>().join("\n")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::llm::{Message, Request, ToolCall};

    fn request(id: &str, answer: &str) -> Request {
        let call = ToolCall { id: id.into(), name: "grep".into(), arguments: "{}".into() };
        Request {
            messages: vec![
                Message::System { text: "s".into() },
                Message::Assistant { text: String::new(), calls: vec![call] },
                Message::Tool { call: id.into(), text: answer.into() },
            ],
            tools: Vec::new(),
            max_output: 10,
        }
    }

    #[test]
    fn a_guess_books_no_more_output_than_was_asked_for() {
        assert_eq!(request("a", "b").guess(4 << 20).output, 10);
    }

    #[test]
    fn a_report_of_another_order_of_magnitude_is_not_plausible() {
        let used = |input| crate::usage::Tokens { input, output: 10, ..Default::default() };
        assert!(request("a", "b").is_plausible(&used(500)));
        assert!(!request("a", "b").is_plausible(&used(u64::MAX)));
    }

    #[test]
    fn the_key_ignores_the_ids_that_a_provider_draws_and_nothing_else() {
        assert_eq!(request("call_x1", "a").key(), request("call_q9", "a").key());
        assert_ne!(request("call_x1", "a").key(), request("call_x1", "b").key());
        assert_ne!(request("x", "a").key(), Request { max_output: 11, ..request("x", "a") }.key());
    }
}
