//! Tool calls as plain text, for models without tool calling.
//!
//! A call is a line `=== call NAME`, then for each argument a line `--- ARGUMENT` followed by the lines of its
//! value, then a line `=== end`. Values stand as they are: nothing is escaped, so code survives. The form is told
//! to the model in `prompt/plain.md`.

use std::fmt::Write as _;

use serde_json::{Map, Value};

use crate::llm::{Message, Request, ToolCall, ToolSpec};

const CALL: &str = "=== call ";
const END: &str = "=== end";
const ARGUMENT: &str = "--- ";

/// The same request without tools: they are described in the system message, calls are text, results are the
/// user's words.
#[must_use]
pub fn render(request: &Request) -> Request {
    let mut messages: Vec<Message> = Vec::new();
    for message in &request.messages {
        let plain = match message {
            Message::System { text } => Message::System { text: format!("{text}\n\n{}", explain(&request.tools)) },
            Message::User { text } => Message::User { text: text.clone() },
            Message::Assistant { text, calls } => Message::Assistant { text: spoken(text, calls), calls: Vec::new() },
            Message::Tool { text, .. } => Message::User { text: format!("Result:\n{text}") },
        };
        // Results of parallel calls become one message: many servers insist that the speakers take turns.
        match (messages.last_mut(), plain) {
            (Some(Message::User { text: said }), Message::User { text }) => {
                said.push_str("\n\n");
                said.push_str(&text);
            }
            (_, plain) => messages.push(plain),
        }
    }
    Request { messages, tools: Vec::new(), max_output: request.max_output }
}

fn explain(tools: &[ToolSpec]) -> String {
    let mut text = crate::prompt::PLAIN_FORM.to_owned();
    for tool in tools {
        let names = parameters(tool).map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ");
        let _ = writeln!(text, "- {}({names}): {}", tool.name, tool.description);
    }
    text
}

/// An assistant's turn as it would have written it. A turn that was read from this form holds its calls already.
fn spoken(text: &str, calls: &[ToolCall]) -> String {
    if text.contains(CALL) {
        return text.to_owned();
    }
    let mut said = text.to_owned();
    for call in calls {
        let _ = write!(said, "\n{CALL}{}\n", call.name);
        let arguments: Map<String, Value> = serde_json::from_str(&call.arguments).unwrap_or_default();
        for (name, value) in &arguments {
            let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            let _ = write!(said, "{ARGUMENT}{name}\n{value}\n");
        }
        let _ = write!(said, "{END}");
    }
    said.trim_start().to_owned()
}

/// The calls in a text; none when it holds none. A call that the output limit cut off is dropped: its last value
/// cannot be trusted.
#[must_use]
pub fn parse(text: &str, request: &Request, cut_off: bool) -> Vec<ToolCall> {
    let mut calls = Vec::new();
    let mut open: Option<Open> = None;
    for line in text.lines() {
        let bare = line.trim_end();
        open = match (open, bare.strip_prefix(CALL)) {
            (None, Some(name)) => Some(Open::new(name.trim(), &request.tools)),
            (None, None) => None,
            (Some(call), _) if bare == END => {
                calls.push(call.close(calls.len()));
                None
            }
            (Some(mut call), _) => {
                call.take(line);
                Some(call)
            }
        };
    }
    if let Some(call) = open.filter(|_| !cut_off) {
        calls.push(call.close(calls.len()));
    }
    calls
}

/// A call whose end is still to come.
struct Open<'a> {
    name: &'a str,
    tool: Option<&'a ToolSpec>,
    arguments: Vec<(&'a str, Vec<&'a str>)>,
}

impl<'a> Open<'a> {
    fn new(name: &'a str, tools: &'a [ToolSpec]) -> Self {
        Self { name, tool: tools.iter().find(|tool| tool.name == name), arguments: Vec::new() }
    }

    /// A line names the next argument only when the tool has one of that name which was not given yet: code may
    /// hold lines of the same look.
    fn take(&mut self, line: &'a str) {
        let named = line.trim_end().strip_prefix(ARGUMENT).map(str::trim).filter(|name| {
            let known = self.tool.is_none_or(|tool| parameters(tool).any(|(parameter, _)| parameter == name));
            known && self.arguments.iter().all(|(given, _)| given != name)
        });
        match (named, self.arguments.last_mut()) {
            (Some(name), _) => self.arguments.push((name, Vec::new())),
            (None, Some((_, lines))) => lines.push(line),
            (None, None) => {}
        }
    }

    fn close(self, at: usize) -> ToolCall {
        let mut arguments = Map::new();
        for (name, lines) in &self.arguments {
            let text = lines.join("\n");
            let number = self.tool.is_some_and(|tool| {
                parameters(tool).any(|(parameter, schema)| parameter == name && schema["type"] == "integer")
            });
            let value = match text.trim().parse::<u64>() {
                Ok(value) if number => Value::from(value),
                _ => Value::from(text),
            };
            arguments.insert((*name).to_owned(), value);
        }
        ToolCall {
            id: format!("call-{}", at + 1),
            name: self.name.to_owned(),
            arguments: Value::Object(arguments).to_string(),
        }
    }
}

fn parameters(tool: &ToolSpec) -> impl Iterator<Item = (&String, &Value)> {
    tool.parameters["properties"].as_object().into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn request() -> Request {
        let tool = |name: &str, parameters: Value| ToolSpec {
            name: name.into(),
            description: "does it".into(),
            parameters: json!({"type": "object", "properties": parameters}),
        };
        let text = json!({"type": "string"});
        Request {
            messages: vec![Message::System { text: "rules".into() }, Message::User { text: "task".into() }],
            tools: vec![
                tool("edit", json!({"path": text, "old": text, "new": text})),
                tool("read_file", json!({"path": text, "start": {"type": "integer"}})),
                tool("submit", json!({"summary": text})),
            ],
            max_output: 100,
        }
    }

    const ANSWER: &str = "I see.\n=== call edit\n--- path\na.py\n--- old\nx = 1\n--- old\n--- new\nx = 2\n=== end\n\
                          === call read_file\n--- path\nb.py\n--- start\n3\n=== end\nDone.";

    #[test]
    fn calls_are_read_with_their_values_unescaped() {
        let calls = parse(ANSWER, &request(), false);
        let read: Vec<(&str, Value)> =
            calls.iter().map(|call| (call.name.as_str(), serde_json::from_str(&call.arguments).unwrap())).collect();
        assert_eq!(
            read,
            [
                ("edit", json!({"path": "a.py", "old": "x = 1\n--- old", "new": "x = 2"})),
                ("read_file", json!({"path": "b.py", "start": 3})),
            ]
        );
    }

    #[test]
    fn a_last_call_may_lack_its_end_but_not_when_the_answer_was_cut_off() {
        let text = "=== call submit\n--- summary\nhalf a sent";
        assert_eq!(parse(text, &request(), false).len(), 1);
        assert_eq!(parse(text, &request(), true).len(), 0);
    }

    #[test]
    fn a_rendered_conversation_has_no_tools_and_reads_back() {
        let mut request = request();
        let calls = parse(ANSWER, &request, false);
        request.messages.push(Message::Assistant { text: "I see.".into(), calls: calls.clone() });
        request.messages.push(Message::Tool { call: "call-1".into(), text: "ok".into() });
        request.messages.push(Message::Tool { call: "call-2".into(), text: "lines".into() });
        let plain = render(&request);
        assert!(plain.tools.is_empty());
        let roles: Vec<&str> = plain.messages.iter().map(Message::role).collect();
        assert_eq!(roles, ["system", "user", "assistant", "user"]);
        assert!(plain.messages[0].shown().contains("- edit(path, old, new): does it"));
        assert_eq!(parse(&plain.messages[2].shown(), &request, false), calls);
    }
}
