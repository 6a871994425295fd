//! What a request asks and what it is answered: pages, tags and errors as GitHub has them.

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use wiremock::{Request, ResponseTemplate};

/// A request, taken apart.
pub(crate) struct Call {
    /// What stands for the placeholders of the route.
    pub(super) captures: Vec<String>,
    pub(super) query: Vec<(String, String)>,
    pub(super) body: Value,
}

impl Call {
    pub(super) fn text(&self, at: usize) -> &str {
        &self.captures[at]
    }

    /// A placeholder that is a number; 0, which nothing has, for anything else.
    pub(super) fn number(&self, at: usize) -> u64 {
        self.captures[at].parse().unwrap_or(0)
    }

    pub(super) fn query(&self, name: &str) -> Option<&str> {
        self.query.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// What is answered.
pub(crate) enum Answer {
    /// A status and its body.
    Json(u16, Value),
    /// One page of it, alone or as a member of an object beside the total.
    List { member: Option<&'static str>, items: Vec<Value> },
    /// 302.
    Redirect(String),
    /// 204.
    Nothing,
}

impl Answer {
    pub(super) fn ok(value: Value) -> Self {
        Self::Json(200, value)
    }

    /// An error in GitHub's form.
    pub(super) fn error(status: u16, message: &str) -> Self {
        Self::Json(status, error_body(status, message))
    }

    pub(super) fn not_found() -> Self {
        Self::error(404, "Not Found")
    }

    /// 422 about one thing.
    pub(super) fn invalid(detail: &Value) -> Self {
        let mut body = error_body(422, "Validation Failed");
        body["errors"] = json!([detail]);
        Self::Json(422, body)
    }
}

pub(super) fn error_body(status: u16, message: &str) -> Value {
    json!({"message": message, "documentation_url": "https://docs.github.com/rest", "status": status.to_string()})
}

/// The page of a list that a call asks for, with its `Link` header; `address` is the request's, without the query.
pub(super) fn page(call: &Call, member: Option<&str>, items: Vec<Value>, address: &str) -> (Value, Option<String>) {
    let number = |name: &str, default: usize| call.query(name).and_then(|text| text.parse().ok()).unwrap_or(default);
    let (size, page) = (number("per_page", 30).clamp(1, 100), number("page", 1).max(1));
    let total = items.len();
    let last = total.div_ceil(size).max(1);
    let shown: Vec<Value> = items.into_iter().skip((page - 1) * size).take(size).collect();
    let link = |page: usize, relation: &str| {
        let others = call.query.iter().filter(|(name, _)| name != "page");
        let all = others.map(|(name, value)| format!("{name}={value}")).chain([format!("page={page}")]);
        format!("<{address}?{}>; rel=\"{relation}\"", all.collect::<Vec<_>>().join("&"))
    };
    let mut links = Vec::new();
    if page > 1 {
        links.extend([link(page - 1, "prev"), link(1, "first")]);
    }
    if page < last {
        links.extend([link(page + 1, "next"), link(last, "last")]);
    }
    let body = match member {
        None => Value::Array(shown),
        Some(member) => json!({"total_count": total, member: shown}),
    };
    (body, (!links.is_empty()).then(|| links.join(", ")))
}

/// A body with its tag, or 304 to somebody who has it.
pub(super) fn tagged(request: &Request, status: u16, body: &Value) -> ResponseTemplate {
    let text = body.to_string();
    if status != 200 || request.method.as_str() != "GET" {
        return json_answer(status, text);
    }
    let tag = format!("W/\"{:x}\"", Sha256::digest(text.as_bytes()));
    let known = request.headers.get("if-none-match").is_some_and(|known| known.as_bytes() == tag.as_bytes());
    let answer = if known { ResponseTemplate::new(304) } else { json_answer(200, text) };
    answer.insert_header("etag", tag.as_str())
}

fn json_answer(status: u16, text: String) -> ResponseTemplate {
    ResponseTemplate::new(status).set_body_raw(text, "application/json; charset=utf-8")
}
