//! The little language of the table: where something stands in a document, and what stands there.

use std::borrow::Cow;

use serde_json::Value;

/// Alternatives of steps into a document.
#[derive(Debug, Default)]
pub(super) struct Keys(Vec<Vec<Step>>);

#[derive(Debug)]
enum Step {
    Key(&'static str),
    Index(usize),
    /// Each item of a list.
    Items,
    /// Each value of an object.
    Values,
    /// The enclosing object.
    Up,
    /// The key of the last value of an object.
    Name,
}

/// A value and the key under which it stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scope<'v> {
    pub(super) value: &'v Value,
    key: Option<&'v str>,
}

/// A mark is looked for in so many items of a list.
const LOOK: usize = 50;

impl Keys {
    pub(super) fn parse(text: &'static str) -> Option<Self> {
        text.split('|').map(steps).collect::<Option<_>>().map(Self)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether the whole value is meant.
    pub(super) fn is_whole(&self) -> bool {
        matches!(self.0.as_slice(), [steps] if steps.is_empty())
    }

    /// Whether any alternative leads from an item to something other than null.
    pub(super) fn lead_anywhere(&self, scopes: &[Scope<'_>]) -> bool {
        let mut any = false;
        self.values(scopes, &mut |value| any |= !value.is_null());
        any
    }

    /// Whether the steps lead to something other than null, by keys as they are written here.
    pub(super) fn stand_in(&self, value: &Value) -> bool {
        self.0.iter().any(|steps| stands(steps, value))
    }

    /// Every object (and, where `texts` is set, text) to which the first alternative that leads anywhere leads.
    pub(super) fn each<'v>(&self, root: &'v Value, texts: bool, found: &mut dyn FnMut(&[Scope<'v>])) {
        for steps in &self.0 {
            let mut any = false;
            let mut scopes = vec![Scope { value: root, key: None }];
            walk(steps, &mut scopes, &mut |scopes| {
                if scopes.last().is_some_and(|last| last.value.is_object() || (texts && last.value.is_string())) {
                    any = true;
                    found(scopes);
                }
            });
            if any {
                return;
            }
        }
    }

    /// Every value to which any alternative leads from an item.
    pub(super) fn values<'v>(&self, scopes: &[Scope<'v>], found: &mut dyn FnMut(&'v Value)) {
        for steps in &self.0 {
            let Some((mut from, rest)) = start(steps, scopes) else { continue };
            walk(rest, &mut from, &mut |scopes| {
                if let Some(last) = scopes.last() {
                    found(last.value);
                }
            });
        }
    }

    /// The first text, number or truth value that says something; of a list its first.
    pub(super) fn text<'v>(&self, scopes: &[Scope<'v>]) -> Option<Cow<'v, str>> {
        self.0.iter().find_map(|steps| {
            if let [Step::Name] = steps.as_slice() {
                return scopes.iter().rev().find_map(|scope| scope.key).map(Cow::Borrowed);
            }
            let mut text = None;
            let (mut from, rest) = start(steps, scopes)?;
            walk(rest, &mut from, &mut |scopes| {
                if text.is_none() {
                    text = scopes.last().and_then(|last| says(last.value));
                }
            });
            text
        })
    }

    /// The first number.
    pub(super) fn number(&self, scopes: &[Scope<'_>]) -> Option<u32> {
        self.0.iter().find_map(|steps| {
            let mut number = None;
            let (mut from, rest) = start(steps, scopes)?;
            walk(rest, &mut from, &mut |scopes| {
                number = number.or_else(|| scopes.last().and_then(|last| count(last.value)));
            });
            number
        })
    }
}

fn steps(text: &'static str) -> Option<Vec<Step>> {
    let mut steps = Vec::new();
    for mut part in text.split('.').filter(|part| !part.is_empty()) {
        while let Some(rest) = part.strip_prefix('^') {
            steps.push(Step::Up);
            part = rest;
        }
        let key = part.find(['[', '{']).map_or(part, |at| &part[..at]);
        match key {
            "" => {}
            "@" => steps.push(Step::Name),
            key => steps.push(key.parse().map_or(Step::Key(key), Step::Index)),
        }
        let mut rest = &part[key.len()..];
        while !rest.is_empty() {
            let (step, after) = match rest.split_at_checked(2)? {
                ("[]", after) => (Step::Items, after),
                ("{}", after) => (Step::Values, after),
                _ => return None,
            };
            steps.push(step);
            rest = after;
        }
    }
    Some(steps)
}

/// Follows the steps that lead upwards; what is left goes on from there.
fn start<'s, 'v>(steps: &'s [Step], scopes: &[Scope<'v>]) -> Option<(Vec<Scope<'v>>, &'s [Step])> {
    let up = steps.iter().take_while(|step| matches!(step, Step::Up)).count();
    let mut objects = scopes.iter().rev().skip(1).filter(|scope| scope.value.is_object());
    let from = if up == 0 { scopes.last() } else { objects.nth(up - 1) };
    Some((vec![*from?], &steps[up..]))
}

fn walk<'v>(steps: &[Step], scopes: &mut Vec<Scope<'v>>, found: &mut dyn FnMut(&[Scope<'v>])) {
    let Some((step, rest)) = steps.split_first() else { return found(scopes) };
    let Some(value) = scopes.last().map(|scope| scope.value) else { return };
    let mut enter = |value: &'v Value, key: Option<&'v str>| {
        scopes.push(Scope { value, key });
        walk(rest, scopes, found);
        scopes.pop();
    };
    match (step, value) {
        (Step::Key(key), Value::Object(_)) => {
            if let Some(value) = loosely(value, key) {
                enter(value, None);
            }
        }
        (Step::Index(index), Value::Array(list)) => {
            if let Some(value) = list.get(*index) {
                enter(value, None);
            }
        }
        (Step::Items, Value::Array(list)) => list.iter().for_each(|value| enter(value, None)),
        (Step::Values, Value::Object(map)) => map.iter().for_each(|(key, value)| enter(value, Some(key))),
        _ => {}
    }
}

fn stands(steps: &[Step], value: &Value) -> bool {
    let Some((step, rest)) = steps.split_first() else { return !value.is_null() };
    match (step, value) {
        (Step::Key(key), Value::Object(map)) => map.get(*key).is_some_and(|value| stands(rest, value)),
        (Step::Index(index), Value::Array(list)) => list.get(*index).is_some_and(|value| stands(rest, value)),
        (Step::Items, Value::Array(list)) => list.iter().take(LOOK).any(|value| stands(rest, value)),
        (Step::Values, Value::Object(map)) => map.values().take(LOOK).any(|value| stands(rest, value)),
        _ => false,
    }
}

/// The value of a key, whatever its case and whatever joins its words.
pub(super) fn loosely<'v>(object: &'v Value, key: &str) -> Option<&'v Value> {
    let map = object.as_object()?;
    map.get(key).or_else(|| map.iter().find(|(other, _)| same(other, key)).map(|(_, value)| value))
}

fn same(one: &str, other: &str) -> bool {
    let letters = |text: &str| text.len() < 64;
    let plain = |byte: &u8| !matches!(byte, b'_' | b'-');
    letters(one)
        && one
            .bytes()
            .filter(plain)
            .map(|byte| byte.to_ascii_lowercase())
            .eq(other.bytes().filter(plain).map(|byte| byte.to_ascii_lowercase()))
}

fn says(value: &Value) -> Option<Cow<'_, str>> {
    match value {
        Value::String(text) => Some(Cow::Borrowed(text.as_str())).filter(|text| !text.trim().is_empty()),
        Value::Number(number) => Some(Cow::Owned(number.to_string())),
        Value::Bool(truth) => Some(Cow::Borrowed(if *truth { "true" } else { "false" })),
        Value::Array(list) => list.iter().filter(|item| !item.is_array()).find_map(says),
        _ => None,
    }
}

fn count(value: &Value) -> Option<u32> {
    match value {
        Value::Number(number) => match number.as_u64() {
            Some(number) => u32::try_from(number).ok(),
            None => number.as_f64().filter(|number| number.fract() == 0.0).and_then(|number| {
                // Whole and in range: nothing is lost.
                #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it was looked at")]
                (0.0..f64::from(u32::MAX)).contains(&number).then_some(number as u32)
            }),
        },
        // Some say `3-5` where several lines are meant.
        Value::String(text) => {
            let text = text.trim();
            text[..text.bytes().take_while(u8::is_ascii_digit).count()].parse().ok()
        }
        Value::Array(list) => list.first().filter(|item| !item.is_array()).and_then(count),
        _ => None,
    }
}
