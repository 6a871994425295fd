//! The JSON of chat completions: strict in what is sent, lenient in what is read.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::llm::{Answer, Message, Request, ToolCall, plain};
use crate::secret::Secret;
use crate::text::cut_middle;
use crate::usage::Tokens;

/// The body of one request.
pub(super) fn body(model: &str, limit_key: &str, request: &Request) -> Value {
    let mut body = json!({
        "model": model,
        "messages": request.messages.iter().map(message).collect::<Vec<_>>(),
        limit_key: request.max_output,
    });
    if !request.tools.is_empty() {
        body["tools"] = request
            .tools
            .iter()
            .map(|tool| {
                json!({"type": "function", "function": {
                    "name": tool.name, "description": tool.description, "parameters": tool.parameters,
                }})
            })
            .collect();
    }
    body
}

fn message(message: &Message) -> Value {
    match message {
        Message::System { text } => json!({"role": "system", "content": text}),
        Message::User { text } => json!({"role": "user", "content": text}),
        Message::Tool { call, text } => json!({"role": "tool", "tool_call_id": call, "content": text}),
        Message::Assistant { text, calls } if calls.is_empty() => json!({"role": "assistant", "content": text}),
        Message::Assistant { text, calls } => {
            let calls: Vec<Value> = calls
                .iter()
                .map(|call| {
                    json!({"id": call.id, "type": "function",
                        "function": {"name": call.name, "arguments": call.arguments}})
                })
                .collect();
            let content = if text.is_empty() { Value::Null } else { json!(text) };
            json!({"role": "assistant", "content": content, "tool_calls": calls})
        }
    }
}

#[derive(Deserialize)]
struct Completion {
    choices: Vec<Choice>,
    #[serde(default)]
    usage: Option<Used>,
}

#[derive(Deserialize)]
struct Choice {
    message: Said,
    #[serde(default)]
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Said {
    /// A text, or a list of parts.
    #[serde(default)]
    content: Value,
    #[serde(default)]
    refusal: Option<String>,
    #[serde(default)]
    tool_calls: Option<Vec<Called>>,
}

#[derive(Deserialize)]
struct Called {
    #[serde(default)]
    id: Option<String>,
    function: Function,
}

#[derive(Deserialize)]
struct Function {
    name: String,
    /// A string of JSON; some servers send the object itself.
    #[serde(default)]
    arguments: Value,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Used {
    prompt_tokens: u64,
    completion_tokens: u64,
    prompt_tokens_details: Option<PromptDetails>,
    completion_tokens_details: Option<CompletionDetails>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct PromptDetails {
    cached_tokens: Option<u64>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct CompletionDetails {
    reasoning_tokens: Option<u64>,
}

/// Reads the body of a 200.
pub(super) fn answer(bytes: &[u8], request: &Request) -> Result<Answer, String> {
    let completion: Completion = serde_json::from_slice(bytes).map_err(|problem| {
        // Some gateways answer 200 and mean an error.
        let told = serde_json::from_slice::<Value>(bytes).is_ok_and(|value| value.get("error").is_some());
        if told { error(bytes, None) } else { format!("it is no chat completion: {problem}") }
    })?;
    // A count that cannot be is a service's error, and would end the run as if its budget were used up.
    let tokens = completion.usage.map(tokens).filter(|tokens| request.is_plausible(tokens));
    let choice = completion.choices.into_iter().next().ok_or("it holds no choice")?;
    let cut_off = choice.finish_reason.as_deref() == Some("length");
    let text = content(choice.message.content).or(choice.message.refusal).unwrap_or_default();
    let calls: Vec<ToolCall> =
        choice.message.tool_calls.unwrap_or_default().into_iter().enumerate().map(call).collect();
    let calls = if calls.is_empty() { plain::parse(&text, request, cut_off) } else { calls };
    let estimated = tokens.is_none();
    let tokens = tokens.unwrap_or_else(|| request.guess(bytes.len()));
    Ok(Answer { text, calls, cut_off, tokens, estimated })
}

fn content(content: Value) -> Option<String> {
    match content {
        Value::String(text) => Some(text),
        Value::Array(parts) => Some(parts.iter().filter_map(|part| part["text"].as_str()).collect()),
        _ => None,
    }
}

fn call((at, called): (usize, Called)) -> ToolCall {
    let arguments = match called.function.arguments {
        Value::String(text) => text,
        Value::Null => "{}".to_owned(),
        value => value.to_string(),
    };
    let id = called.id.filter(|id| !id.is_empty()).unwrap_or_else(|| format!("call-{}", at + 1));
    ToolCall { id, name: called.function.name, arguments }
}

fn tokens(used: Used) -> Tokens {
    let cached = used.prompt_tokens_details.and_then(|details| details.cached_tokens).unwrap_or(0);
    let reasoning = used.completion_tokens_details.and_then(|details| details.reasoning_tokens).unwrap_or(0);
    Tokens {
        // A cached count above the whole is a service's error; the whole is what gets billed.
        input: used.prompt_tokens.saturating_sub(cached),
        cached_read: cached.min(used.prompt_tokens),
        cache_write: 0,
        output: used.completion_tokens,
        reasoning: reasoning.min(used.completion_tokens),
    }
}

/// The message of an error body, short; foreign bodies as they stand.
pub(super) fn error(body: &[u8], key: Option<&Secret>) -> String {
    let value: Value = serde_json::from_slice(body).unwrap_or_default();
    let message = [&value["error"]["message"], &value["error"], &value["message"], &value["detail"]]
        .into_iter()
        .find_map(Value::as_str)
        .map_or_else(|| String::from_utf8_lossy(body).into_owned(), str::to_owned);
    let line = message.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.is_empty() { "no message".to_owned() } else { cut_middle(&hide_key(&line, key), 300) }
}

/// Services repeat a wrong key, or its beginning, in their message: it goes no further.
fn hide_key(text: &str, key: Option<&Secret>) -> String {
    let beginning = key.and_then(|key| key.reveal().get(..6)).unwrap_or("sk-");
    let words = text.split(' ').map(|word| if word.contains(beginning) { "***" } else { word });
    words.collect::<Vec<_>>().join(" ")
}

/// A spent account answers 429 like a busy service, but waiting does not help.
pub(super) fn is_lasting(body: &[u8]) -> bool {
    let value: Value = serde_json::from_slice(body).unwrap_or_default();
    ["code", "type"].iter().any(|key| value["error"][key] == "insufficient_quota")
}

/// Whether a refusal says that the model cannot call tools.
pub(super) fn lacks_tools(message: &str) -> bool {
    let message = message.to_lowercase();
    message.contains("tool")
        && ["support", "requires", "not enabled", "unrecognized"].iter().any(|word| message.contains(word))
}

/// An answer in a few words, for the record.
pub(super) fn outcome(answer: &Answer) -> String {
    let mut words: Vec<&str> = answer.calls.iter().map(|call| call.name.as_str()).collect();
    if words.is_empty() {
        words.push("text");
    }
    let cut = if answer.cut_off { ", cut off by the output limit" } else { "" };
    let guess = if answer.estimated { ", tokens estimated" } else { "" };
    format!("{}{cut}{guess}", words.join(" "))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn asked() -> Request {
        Request { messages: Vec::new(), tools: Vec::new(), max_output: 1 }
    }

    #[test]
    fn what_servers_vary_is_read_alike() {
        let read = |message: Value| answer(json!({"choices": [{"message": message}]}).to_string().as_bytes(), &asked());
        assert_eq!(read(json!({"content": [{"type": "text", "text": "a"}, {"text": "b"}]})).unwrap().text, "ab");
        assert_eq!(read(json!({"refusal": "no"})).unwrap().text, "no");
        let object = read(json!({"tool_calls": [{"function": {"name": "f", "arguments": {"x": 1}}}]})).unwrap();
        assert_eq!((object.calls[0].id.as_str(), object.calls[0].arguments.as_str()), ("call-1", "{\"x\":1}"));
        let told = answer(br#"{"error": {"message": "overloaded"}}"#, &asked());
        assert_eq!(told.unwrap_err(), "overloaded");
    }

    proptest! {
        #[test]
        fn no_body_makes_a_panic(body in prop::collection::vec(any::<u8>(), 0..60), text in "[=\\- \ncalendpth]{0,60}") {
            prop_assert!(answer(&body, &asked()).is_err(), "no chat completion is that short");
            prop_assert!(error(&body, None).len() <= 400);
            prop_assert!(plain::parse(&text, &asked(), false).len() <= text.lines().count());
        }
    }
}
