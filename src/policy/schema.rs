//! The JSON schema of the policy file, from the same table that the checker reads.

use serde_json::{Map, Value, json};

use super::keys::POLICY;
use super::later::{LATER, Later, When};
use super::shape::{Key, Leaf, Shape};

/// The schema (draft 2020-12), for editors and for whoever writes policies by program.
#[must_use]
pub fn schema() -> Value {
    let mut schema = record(POLICY, "");
    schema["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
    schema["title"] = json!("The policy of unbreak");
    schema
}

fn record(keys: &[Key], path: &str) -> Value {
    let mut properties = Map::new();
    for key in keys {
        let below = if path.is_empty() { key.name.to_owned() } else { format!("{path}.{}", key.name) };
        properties.insert(key.name.to_owned(), property(key, &below));
    }
    let required: Vec<&str> = keys.iter().filter(|key| key.required).map(|key| key.name).collect();
    let mut object = json!({ "type": "object", "additionalProperties": false, "properties": properties });
    if !required.is_empty() {
        object["required"] = json!(required);
    }
    object
}

fn property(key: &Key, path: &str) -> Value {
    let notes = LATER.iter().filter(|row| row.key == path);
    if let Some(row) = notes.clone().find(|row| !row.taken && matches!(row.when, When::Set)) {
        return json!({ "not": {}, "description": format!("{} Not in this version: {}.", key.doc, row.reason) });
    }
    let mut value = shape(&key.shape, path);
    let mut description = key.doc.to_owned();
    for row in notes {
        description.push_str(&note(row));
    }
    value["description"] = json!(description);
    if !key.default.is_empty() {
        value["x-default"] = json!(key.default);
    }
    value
}

fn note(row: &Later) -> String {
    let which = match row.when {
        When::Is(word) => format!("`{word}`: "),
        When::Mapping => "A mapping: ".to_owned(),
        When::Set => String::new(),
    };
    format!(" {which}{}{}.", if row.taken { "" } else { "not in this version: " }, row.reason)
}

fn shape(shape: &Shape, path: &str) -> Value {
    let refused = |when: &dyn Fn(When) -> bool| LATER.iter().any(|row| !row.taken && row.key == path && when(row.when));
    match shape {
        Shape::Leaf(leaf) => self::leaf(*leaf),
        Shape::Word(words) => {
            let words: Vec<&str> = words
                .iter()
                .copied()
                .filter(|word| !refused(&|when| matches!(when, When::Is(refused) if refused == *word)))
                .collect();
            json!({ "enum": words })
        }
        Shape::List(item) => json!({ "type": "array", "items": self::shape(item, path) }),
        Shape::OneOrMany(item) => {
            json!({ "anyOf": [self::shape(item, path), { "type": "array", "items": self::shape(item, path) }] })
        }
        Shape::Map(item) => {
            let pattern = if path.ends_with("env") { "^[A-Za-z_][A-Za-z0-9_]*$" } else { "^[A-Za-z0-9_.:/-]+$" };
            let names = json!({ "pattern": pattern });
            let values = self::shape(item, &format!("{path}.*"));
            json!({ "type": "object", "propertyNames": names, "additionalProperties": values })
        }
        Shape::Record(keys) => record(keys, path),
        Shape::Either(shapes) => {
            let shapes: Vec<Value> = shapes
                .iter()
                .filter(|shape| {
                    let mapping = matches!(shape, Shape::Map(_) | Shape::Record(_));
                    !(mapping && refused(&|when| matches!(when, When::Mapping)))
                })
                .map(|shape| self::shape(shape, path))
                .collect();
            json!({ "anyOf": shapes })
        }
        Shape::PathRule { may_exclude } => rule(if *may_exclude {
            r"^!?(?![/~!])(?!.*(^|/)\.\.(/|$))[^\\]+$"
        } else {
            r"^(?![/~!])(?!.*(^|/)\.\.(/|$))[^\\]+$"
        }),
        Shape::Words => json!({ "anyOf": [
            { "type": "string", "minLength": 1 },
            { "type": "array", "minItems": 1, "items": { "type": ["string", "number", "boolean"] } },
        ] }),
        Shape::CommandRule => rule("."),
        Shape::Any => json!({}),
    }
}

fn rule(pattern: &str) -> Value {
    let text = json!({ "type": "string", "pattern": pattern });
    let examples = json!({ "type": "array", "items": { "type": "string", "minLength": 1 } });
    json!({ "anyOf": [text, {
        "type": "object",
        "additionalProperties": false,
        "properties": { "path": text, "pattern": text, "match": examples, "not_match": examples },
        "oneOf": [{ "required": ["path"] }, { "required": ["pattern"] }],
    }] })
}

fn leaf(leaf: Leaf) -> Value {
    match leaf {
        Leaf::Text | Leaf::CommandLine => json!({ "type": "string", "pattern": r"\S" }),
        Leaf::Plain => json!({ "type": ["string", "number", "boolean"] }),
        Leaf::Flag => json!({ "type": "boolean" }),
        Leaf::OnlyFalse(_) => json!({ "const": false }),
        Leaf::One => json!({ "const": 1 }),
        Leaf::Whole { least, most } => json!({ "type": "integer", "minimum": least, "maximum": most }),
        Leaf::Count => {
            json!({ "anyOf": [{ "type": "integer", "minimum": 0 }, { "type": "string", "pattern": "^[0-9]+[km]?$" }] })
        }
        Leaf::Money => json!({ "type": "number", "minimum": 0, "maximum": 10_000 }),
        Leaf::Duration => json!({ "type": "string", "pattern": "^[0-9]+[smh]$" }),
        Leaf::Directory | Leaf::CacheDirectory => {
            json!({ "type": "string", "pattern": r"^(?!/)(?!.*(^|/)\.\.(/|$))[^\\]+$" })
        }
        Leaf::Host => json!({ "type": "string", "pattern": r"^(registries|(\*\.)?[A-Za-z0-9_.-]+(:[0-9]+)?)$" }),
        Leaf::Url => json!({ "type": "string", "pattern": "^https?://[^@]+$" }),
    }
}
