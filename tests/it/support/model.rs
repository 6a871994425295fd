//! A model service on 127.0.0.1 that answers from a script and checks every request that it gets.
//!
//! A request that breaks the protocol of chat completions is answered with 400 and fails the test at
//! [`ModelServer::finish`], which also fails when the script was not played to its end.

use std::collections::{BTreeSet, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use wiremock::matchers::any;
use wiremock::{Mock, MockServer, Request, Respond, ResponseTemplate};

/// One step of a script.
pub(crate) enum Step {
    /// A whole answer.
    Answer(Value),
    /// Anything else: a status, headers, a body.
    Raw(ResponseTemplate),
}

/// An answer that calls tools, all in one message.
pub(crate) fn calls(calls: &[(&str, Value)]) -> Step {
    let calls: Vec<Value> = calls
        .iter()
        .map(|(name, arguments)| json!({"type": "function", "function": {"name": name, "arguments": arguments.to_string()}}))
        .collect();
    Step::Answer(json!({"content": null, "tool_calls": calls}))
}

/// An answer that calls a tool with arguments as they stand.
pub(crate) fn raw_call(name: &str, arguments: &str) -> Step {
    let call = json!({"type": "function", "function": {"name": name, "arguments": arguments}});
    Step::Answer(json!({"content": null, "tool_calls": [call]}))
}

/// An answer in words.
pub(crate) fn text(text: &str) -> Step {
    Step::Answer(json!({"content": text}))
}

/// The same answer, cut off by the output limit.
pub(crate) fn cut_off(step: Step) -> Step {
    match step {
        Step::Answer(mut message) => {
            message["cut_off"] = json!(true);
            Step::Answer(message)
        }
        raw @ Step::Raw(_) => raw,
    }
}

/// A failure of the service.
pub(crate) fn status(code: u16, body: &str) -> Step {
    Step::Raw(ResponseTemplate::new(code).set_body_string(body))
}

/// Silence.
pub(crate) fn hang(time: Duration) -> Step {
    Step::Raw(ResponseTemplate::new(200).set_delay(time))
}

/// The service.
pub(crate) struct ModelServer {
    server: MockServer,
    state: Arc<Mutex<State>>,
}

struct State {
    model: String,
    key: Option<String>,
    toolless: bool,
    script: VecDeque<Step>,
    issued: BTreeSet<String>,
    requests: Vec<Value>,
    violations: Vec<String>,
}

impl ModelServer {
    /// Starts with a script for the model `tiny`.
    pub(crate) async fn start(key: Option<&str>, script: Vec<Step>) -> Self {
        let state = Arc::new(Mutex::new(State {
            model: "tiny".to_owned(),
            key: key.map(str::to_owned),
            toolless: false,
            script: script.into(),
            issued: BTreeSet::new(),
            requests: Vec::new(),
            violations: Vec::new(),
        }));
        let server = MockServer::start().await;
        Mock::given(any()).respond_with(Player(Arc::clone(&state))).mount(&server).await;
        Self { server, state }
    }

    /// From now on the model has no tools, and says so.
    pub(crate) fn without_tools(self) -> Self {
        self.state.lock().unwrap().toolless = true;
        self
    }

    /// `openai:tiny@…`.
    pub(crate) fn spec(&self) -> String {
        format!("openai:tiny@{}/v1", self.server.uri())
    }

    /// Fails when a request broke the protocol or the script was not played to its end.
    pub(crate) fn finish(&self) -> Vec<Value> {
        let state = self.state.lock().unwrap();
        assert!(state.violations.is_empty(), "{:#?}", state.violations);
        assert!(state.script.is_empty(), "{} steps of the script were not asked for", state.script.len());
        state.requests.clone()
    }
}

struct Player(Arc<Mutex<State>>);

impl Respond for Player {
    fn respond(&self, request: &Request) -> ResponseTemplate {
        let mut state = self.0.lock().unwrap();
        let body: Value = match serde_json::from_slice(&request.body) {
            Ok(body) => body,
            Err(error) => return state.violate(format!("the body is no JSON: {error}")),
        };
        if let Err(violation) = state.check(request, &body) {
            return state.violate(violation);
        }
        if state.toolless && body.get("tools").is_some() {
            return failure(400, "tiny does not support tools");
        }
        state.requests.push(body);
        match state.script.pop_front() {
            None => state.violate("the script is over".to_owned()),
            Some(Step::Raw(template)) => template,
            Some(Step::Answer(message)) => state.answer(message),
        }
    }
}

fn failure(status: u16, message: &str) -> ResponseTemplate {
    ResponseTemplate::new(status).set_body_json(json!({"error": {"message": message, "type": "invalid_request_error"}}))
}

impl State {
    fn violate(&mut self, violation: String) -> ResponseTemplate {
        let answer = failure(400, &violation);
        self.violations.push(violation);
        answer
    }

    fn answer(&mut self, mut message: Value) -> ResponseTemplate {
        let cut_off = message.as_object_mut().unwrap().remove("cut_off").is_some();
        let mut reason = if cut_off { "length" } else { "stop" };
        if let Some(calls) = message["tool_calls"].as_array_mut() {
            for call in calls {
                let id = format!("call_{}", self.issued.len());
                call["id"] = json!(id);
                self.issued.insert(id);
            }
            reason = if cut_off { "length" } else { "tool_calls" };
        } else {
            message.as_object_mut().unwrap().remove("tool_calls");
        }
        message["role"] = json!("assistant");
        ResponseTemplate::new(200).set_body_json(json!({
            "id": "chatcmpl-1", "object": "chat.completion", "model": "tiny",
            "choices": [{"index": 0, "message": message, "finish_reason": reason}],
            "usage": {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120,
                "prompt_tokens_details": {"cached_tokens": 40},
                "completion_tokens_details": {"reasoning_tokens": 5}},
        }))
    }

    fn check(&self, request: &Request, body: &Value) -> Result<(), String> {
        let expect = |ok: bool, what: &str| if ok { Ok(()) } else { Err(format!("{what}: {body:#}")) };
        expect(request.method.as_str() == "POST", "the method must be POST")?;
        expect(request.url.path() == "/v1/chat/completions", "the path must be /v1/chat/completions")?;
        let header = |name: &str| request.headers.get(name).map(|value| value.to_str().unwrap().to_owned());
        expect(header("content-type").as_deref() == Some("application/json"), "the content type must be JSON")?;
        let bearer = self.key.as_ref().map(|key| format!("Bearer {key}"));
        expect(header("authorization") == bearer, "the key must be sent, and nothing else")?;
        let known = ["model", "messages", "tools", "max_tokens"];
        expect(
            body.as_object().is_some_and(|body| body.keys().all(|key| known.contains(&key.as_str()))),
            "unknown keys",
        )?;
        expect(body["model"] == json!(self.model), "the wrong model")?;
        expect(body["max_tokens"].as_u64().is_some_and(|limit| limit > 0), "no output limit")?;
        self.check_messages(body["messages"].as_array().ok_or("no messages")?)?;
        match body.get("tools") {
            None => Ok(()),
            Some(tools) => check_tools(tools.as_array().ok_or("tools are no list")?),
        }
    }

    /// System first; then the user and the assistant take turns; the results of calls stand right behind them, each
    /// once and in their order.
    fn check_messages(&self, messages: &[Value]) -> Result<(), String> {
        let mut open: VecDeque<String> = VecDeque::new();
        let mut last = "";
        for (at, message) in messages.iter().enumerate() {
            let role = message["role"].as_str().ok_or("a message without a role")?;
            let wrong = |why: &str| Err(format!("message {at} ({role} after `{last}`): {why}"));
            if (at == 0) != (role == "system") {
                return wrong("the system speaks first and only then");
            }
            if role != "tool" && !open.is_empty() {
                return wrong("a call was not answered");
            }
            match role {
                "system" => {}
                "user" if matches!(last, "system" | "assistant" | "tool") => {}
                "assistant" if matches!(last, "user" | "tool") => {
                    for call in message["tool_calls"].as_array().into_iter().flatten() {
                        let id = call["id"].as_str().ok_or("a call without id")?;
                        if !self.issued.contains(id) || !call["function"]["arguments"].is_string() {
                            return wrong("a call that was never made, or without arguments");
                        }
                        open.push_back(id.to_owned());
                    }
                    if open.is_empty() && message["content"].as_str().is_none_or(str::is_empty) {
                        return wrong("an assistant that says nothing");
                    }
                }
                "tool" => {
                    let id = message["tool_call_id"].as_str().unwrap_or_default();
                    if open.pop_front().as_deref() != Some(id) {
                        return wrong("it answers no open call");
                    }
                }
                _ => return wrong("out of turn"),
            }
            if matches!(role, "user" | "tool" | "system") && message["content"].as_str().is_none_or(str::is_empty) {
                return wrong("an empty message");
            }
            last = role;
        }
        if !open.is_empty() || !matches!(last, "user" | "tool") {
            return Err(format!("the conversation ends with `{last}`, open calls {open:?}"));
        }
        Ok(())
    }
}

fn check_tools(tools: &[Value]) -> Result<(), String> {
    let mut names = BTreeSet::new();
    for tool in tools {
        let function = &tool["function"];
        let name = function["name"].as_str().ok_or("a tool without a name")?;
        let schema = &function["parameters"];
        let properties = schema["properties"].as_object().ok_or(format!("{name} has no properties"))?;
        let required = schema["required"].as_array().ok_or(format!("{name} requires nothing"))?;
        let known = required.iter().all(|key| properties.contains_key(key.as_str().unwrap_or_default()));
        let described = function["description"].as_str().is_some_and(|text| !text.is_empty());
        if tool["type"] != "function" || schema["type"] != "object" || !known || !described || !names.insert(name) {
            return Err(format!("the tool {name} is malformed: {tool}"));
        }
    }
    Ok(())
}
