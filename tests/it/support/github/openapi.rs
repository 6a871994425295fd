//! What GitHub's own description says of requests and answers: `fixtures/github/openapi.json`.
//!
//! A handler gives what its test is about; what the description demands besides is filled in, so that a client that
//! reads more than it should finds plausible but useless values. A key that the description does not know is wrong
//! in both directions.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex};

use jsonschema::Validator;
use serde_json::{Map, Value, json};

static DESCRIPTION: LazyLock<Description> = LazyLock::new(|| {
    let text = include_str!("../../../../fixtures/github/openapi.json");
    Description { whole: serde_json::from_str(text).unwrap(), validators: Mutex::default() }
});

struct Description {
    whole: Value,
    validators: Mutex<HashMap<String, Arc<Validator>>>,
}

/// The operations that are described, as `METHOD /template`.
pub(crate) fn operations() -> Vec<String> {
    DESCRIPTION.whole["operations"].as_object().unwrap().keys().cloned().collect()
}

/// What is wrong with a request.
pub(crate) fn check_request(operation: &str, query: &[(String, String)], body: &[u8]) -> Vec<String> {
    let described = &DESCRIPTION.whole["operations"][operation];
    let mut wrong = Vec::new();
    for (name, text) in query {
        let Some(schema) = described["query"].get(name) else {
            wrong.push(format!("unknown query parameter `{name}`"));
            continue;
        };
        let value = if schema["type"] == "integer" {
            text.parse::<i64>().map_or_else(|_| json!(text), |number| json!(number))
        } else {
            json!(text)
        };
        wrong.extend(DESCRIPTION.violations(&format!("{operation} ?{name}"), schema, &value));
    }
    let schema = &described["body"];
    match serde_json::from_slice::<Value>(body) {
        Err(_) if body.is_empty() => {
            if !schema.is_null() {
                wrong.push("a body is missing".to_owned());
            }
        }
        Err(error) => wrong.push(format!("the body is no JSON: {error}")),
        Ok(_) if schema.is_null() => wrong.push("a body where none belongs".to_owned()),
        Ok(body) => {
            wrong.extend(DESCRIPTION.violations(&format!("{operation} body"), schema, &body));
            wrong.extend(DESCRIPTION.unknown_keys(schema, &body));
        }
    }
    wrong
}

/// Fills in what an answer lacks, and says what is wrong with it.
pub(crate) fn complete_answer(operation: &str, status: u16, answer: &mut Value) -> Vec<String> {
    let basic = json!({"$ref": "#/schemas/basic-error"});
    let described = DESCRIPTION.whole["operations"][operation]["responses"].get(status.to_string());
    let schema = match described {
        Some(schema) => schema,
        None if status >= 400 => &basic,
        None => return vec![format!("{operation} never answers {status}")],
    };
    if schema.is_null() {
        return Vec::new();
    }
    // Errors carry a `status` of late that the description does not know.
    let mut wrong = if status < 400 { DESCRIPTION.unknown_keys(schema, answer) } else { Vec::new() };
    DESCRIPTION.fill(schema, answer);
    wrong.extend(DESCRIPTION.violations(&format!("{operation} {status}"), schema, answer));
    wrong
}

impl Description {
    fn violations(&self, name: &str, schema: &Value, value: &Value) -> Vec<String> {
        let validator = self.validator(name, schema);
        validator.iter_errors(value).map(|error| format!("{}: {error}", error.instance_path())).collect()
    }

    /// Compiled once for all tests of the process.
    fn validator(&self, name: &str, schema: &Value) -> Arc<Validator> {
        let mut validators = self.validators.lock().unwrap();
        let compile = || {
            let document = json!({"allOf": [schema], "schemas": self.whole["schemas"]});
            Arc::new(jsonschema::options().should_validate_formats(true).build(&document).unwrap())
        };
        Arc::clone(validators.entry(name.to_owned()).or_insert_with(compile))
    }

    /// Follows a reference, and the one alternative that is not null.
    fn settle<'a>(&'a self, schema: &'a Value) -> &'a Value {
        if let Some(reference) = schema["$ref"].as_str() {
            return self.settle(self.whole.pointer(reference.trim_start_matches('#')).unwrap());
        }
        let alternatives = schema["anyOf"].as_array().or_else(|| schema["oneOf"].as_array());
        let mut real = alternatives.into_iter().flatten().filter(|schema| schema["type"] != "null");
        match (real.next(), real.next()) {
            (Some(only), None) => self.settle(only),
            _ => schema,
        }
    }

    /// Properties and required names, those of all parts together.
    fn shape<'a>(&'a self, schema: &'a Value) -> (Map<String, Value>, Vec<&'a str>) {
        let schema = self.settle(schema);
        let mut properties = schema["properties"].as_object().cloned().unwrap_or_default();
        let mut required: Vec<&str> =
            schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        for part in schema["allOf"].as_array().into_iter().flatten() {
            let (more, demanded) = self.shape(part);
            properties.extend(more);
            required.extend(demanded);
        }
        (properties, required)
    }

    fn unknown_keys(&self, schema: &Value, value: &Value) -> Vec<String> {
        let schema = self.settle(schema);
        if let Some(items) = value.as_array() {
            return items.iter().flat_map(|item| self.unknown_keys(&schema["items"], item)).collect();
        }
        let (properties, _) = self.shape(schema);
        let Some(object) = value.as_object().filter(|_| !properties.is_empty()) else { return Vec::new() };
        let open = schema.get("additionalProperties").is_some_and(|more| *more != json!(false));
        object
            .iter()
            .flat_map(|(key, value)| match properties.get(key) {
                Some(schema) => self.unknown_keys(schema, value),
                None if open => Vec::new(),
                None => vec![format!("unknown key `{key}`")],
            })
            .collect()
    }

    fn fill(&self, schema: &Value, value: &mut Value) {
        let (properties, required) = self.shape(schema);
        match value {
            Value::Array(items) => {
                let each = self.settle(schema)["items"].clone();
                for item in items {
                    self.fill(&each, item);
                }
            }
            Value::Object(object) => {
                for (key, value) in object.iter_mut() {
                    self.fill(properties.get(key).unwrap_or(&Value::Null), value);
                }
                for key in required {
                    if !object.contains_key(key) {
                        object.insert(key.to_owned(), self.sample(properties.get(key).unwrap_or(&Value::Null)));
                    }
                }
            }
            _ => {}
        }
    }

    /// Null where that is allowed, else the plainest value.
    fn sample(&self, schema: &Value) -> Value {
        let is_null = |schema: &Value| schema["type"] == "null";
        let alternatives = schema["anyOf"].as_array().or_else(|| schema["oneOf"].as_array());
        if alternatives.is_some_and(|all| all.iter().any(is_null)) || schema["type"].is_array() {
            return Value::Null;
        }
        let schema = self.settle(schema);
        if let Some(first) = schema["enum"].get(0) {
            return first.clone();
        }
        match (schema["type"].as_str(), schema["format"].as_str()) {
            (Some("string"), Some("date-time")) => json!("2026-01-05T08:00:00Z"),
            (Some("string"), Some("uri")) => json!("https://github.invalid/filled-in"),
            (Some("string"), _) => json!("filled-in"),
            (Some("integer" | "number"), _) => json!(1),
            (Some("boolean"), _) => json!(false),
            (Some("array"), _) => json!([]),
            (None, _) if schema.get("allOf").is_none() && schema.get("properties").is_none() => Value::Null,
            _ => {
                let mut object = json!({});
                self.fill(schema, &mut object);
                object
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RUN: &str = "GET /repos/{owner}/{repo}/actions/runs/{run_id}";

    #[test]
    fn an_answer_is_completed_and_then_as_described() {
        let mut answer = json!({"id": 3, "head_repository": {"full_name": "octo/lab"}});
        assert_eq!(complete_answer(RUN, 200, &mut answer), [""; 0]);
        assert_eq!((&answer["id"], &answer["conclusion"]), (&json!(3), &Value::Null));
        assert!(answer["head_repository"]["owner"]["login"].is_string());
    }

    #[test]
    fn a_wrong_answer_of_the_fake_itself_is_noticed() {
        let mut answer = json!({"id": "three", "run_atempt": 1, "created_at": "yesterday"});
        let wrong = complete_answer(RUN, 200, &mut answer);
        insta::assert_debug_snapshot!(wrong, @r#"
        [
            "unknown key `run_atempt`",
            "/id: \"three\" is not of type \"integer\"",
            "/created_at: \"yesterday\" is not a \"date-time\"",
        ]
        "#);
        assert_eq!(complete_answer(RUN, 201, &mut json!({})), [format!("{RUN} never answers 201")]);
    }
}
