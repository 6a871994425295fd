//! JSON documents as trees, also when one breaks off or stands between other output: what can be read is kept.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use crate::artifact::Problem;

/// What is kept of a text costs at most this much: a value 1, an object that holds something [`OBJECT`] more. At some
/// 150 bytes each this stays well below the memory that an artifact may take.
const BUDGET: usize = 1_000_000;
/// The first entry of an object makes room for several.
const OBJECT: usize = 4;
/// Other output before or behind the documents (`> jest --json`) is at most this long, else the text is a log.
const NOISE: usize = 4 << 10;
/// So many lines before a document are tried as its beginning.
const BEGINNINGS: usize = 16;

/// What was read of a text.
#[derive(Debug, Default)]
pub(super) struct Trees {
    /// The documents in their order; one that breaks off is kept as far as it came.
    pub(super) documents: Vec<Value>,
    /// What could not be read.
    pub(super) problem: Option<Problem>,
}

/// The documents of a text, begun where `begins` says that the first is one; nothing where no such is.
pub(super) fn read(text: &str, begins: impl Fn(&Value) -> bool) -> Option<Trees> {
    beginnings(text).find_map(|start| {
        let trees = from(text, start, &begins)?;
        trees.documents.first().is_some_and(&begins).then_some(trees)
    })
}

/// Where a document may begin: at the first character, or at a line behind a little noise.
fn beginnings(text: &str) -> impl Iterator<Item = usize> {
    let mut at = 0;
    let lines = text.split_inclusive('\n').map(move |line| {
        let start = at + line.len() - line.trim_start_matches(['\u{feff}', ' ', '\t', '\r']).len();
        at += line.len();
        start
    });
    let document = move |start: &usize| text[*start..].starts_with(['{', '[']);
    lines.take_while(|start| *start <= NOISE).filter(document).take(BEGINNINGS)
}

/// All documents from `start` on; none where what follows them is more than noise.
fn from(text: &str, start: usize, begins: &impl Fn(&Value) -> bool) -> Option<Trees> {
    let mut trees = Trees::default();
    let mut left = BUDGET;
    let mut at = start;
    while at < text.len() {
        let rest = &text[at..];
        if !rest.starts_with(['{', '[']) {
            let next = rest.find(['\n']).map(|end| at + end + 1);
            let noise = next.is_none() || at - start > NOISE || rest.len() <= NOISE;
            at = next.unwrap_or(text.len());
            if trees.documents.is_empty() || !noise {
                return None;
            }
            at += blanks(&text[at..]);
            continue;
        }
        let one = document(rest, &mut left);
        if trees.documents.is_empty() && one.length.is_some_and(|end| end < rest.trim_end().len()) && !begins(&one.tree)
        {
            return None;
        }
        trees.documents.push(one.tree);
        if let Some((line, message)) = one.damage {
            let before = crate::text::line_feeds(&text.as_bytes()[..at]);
            let line = u32::try_from(line).ok().map(|line| line.saturating_add(before));
            let message = format!("the document cannot be read to its end: {message}");
            trees.problem.get_or_insert(Problem { line, message });
        }
        let Some(length) = one.length else { break };
        at += length;
    }
    Some(trees)
}

fn blanks(text: &str) -> usize {
    text.len() - text.trim_start().len()
}

/// One document.
struct One {
    tree: Value,
    /// Where what follows begins; none where nothing can be read behind it.
    length: Option<usize>,
    /// The line within the text and what is wrong there.
    damage: Option<(usize, String)>,
}

fn document(text: &str, left: &mut usize) -> One {
    let before = *left;
    let one = strict(text, left);
    if one.damage.is_none() {
        return one;
    }
    match without_bare_words(text) {
        // The words and what replaces them are equally long, so that places stay.
        Some(text) => {
            *left = before;
            strict(&text, left)
        }
        None => one,
    }
}

fn strict(text: &str, left: &mut usize) -> One {
    let mut tree = Value::Null;
    let mut reader = serde_json::Deserializer::from_str(text);
    match (Slot { value: &mut tree, left }).deserialize(&mut reader) {
        Ok(()) => {
            let end = reader.end().err().map_or(text.len(), |error| offset(text, error.line(), error.column()));
            One { tree, length: Some(end), damage: None }
        }
        Err(error) => {
            let line = error.line();
            // A line that is damaged does not take the following ones along, where each is a document.
            let length = error.is_syntax().then(|| offset(text, line.saturating_add(1), 1));
            let length = length.filter(|end| *left > 0 && line == 1 && *end < text.len());
            One { tree, length, damage: Some((line, error.to_string())) }
        }
    }
}

/// The place of a 1-based line and column, at the boundary of a character.
fn offset(text: &str, line: usize, column: usize) -> usize {
    let mut start = 0;
    for _ in 1..line {
        match memchr::memchr(b'\n', &text.as_bytes()[start..]) {
            Some(end) => start += end + 1,
            None => return text.len(),
        }
    }
    let mut at = start.saturating_add(column.saturating_sub(1)).min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Python and JavaScript write `NaN` and `Infinity`, which JSON does not know; none where there are none.
fn without_bare_words(text: &str) -> Option<String> {
    if !text.contains("NaN") && !text.contains("Infinity") {
        return None;
    }
    let mut clean = String::with_capacity(text.len());
    for (index, piece) in pieces(text).enumerate() {
        // Every second piece is a string.
        let piece: Cow<'_, str> = if index % 2 == 0 {
            piece.replace("-Infinity", "     null").replace("Infinity", "    null").replace("NaN", "  0").into()
        } else {
            piece.into()
        };
        clean.push_str(&piece);
    }
    Some(clean)
}

/// What stands outside of strings and the strings, in turn.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    let mut inside = false;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let mut escaped = false;
        let mut end = rest.len();
        for (at, byte) in rest.bytes().enumerate().skip(usize::from(inside)) {
            match byte {
                _ if escaped => escaped = false,
                b'\\' if inside => escaped = true,
                b'"' => {
                    end = if inside { at + 1 } else { at };
                    break;
                }
                _ => {}
            }
        }
        let (piece, behind) = rest.split_at(end);
        rest = behind;
        inside = !inside;
        Some(piece)
    })
}

/// Where the next value goes; it is in the tree before it is whole.
struct Slot<'a> {
    value: &'a mut Value,
    left: &'a mut usize,
}

fn pay<E: Error>(left: &mut usize, cost: usize) -> Result<(), E> {
    *left = left.saturating_sub(cost);
    if *left == 0 { Err(E::custom("it holds too many values")) } else { Ok(()) }
}

impl<'de> DeserializeSeed<'de> for Slot<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        pay(self.left, 1)?;
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Slot<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("any JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        *self.value = Value::Null;
        Ok(())
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<(), E> {
        *self.value = Value::Bool(value);
        Ok(())
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<(), E> {
        *self.value = value.into();
        Ok(())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<(), E> {
        *self.value = value.into();
        Ok(())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<(), E> {
        *self.value = value.into();
        Ok(())
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<(), E> {
        *self.value = Value::String(value.to_owned());
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        *self.value = Value::Array(Vec::new());
        let Value::Array(list) = self.value else { return Ok(()) };
        loop {
            let mut item = Value::Null;
            // An item that breaks off is kept as far as it came.
            let more = items.next_element_seed(Slot { value: &mut item, left: self.left });
            let came = if more.is_err() { !item.is_null() } else { !matches!(more, Ok(None)) };
            if came {
                list.push(item);
            }
            if more?.is_none() {
                return Ok(());
            }
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        *self.value = Value::Object(Map::new());
        let Value::Object(map) = self.value else { return Ok(()) };
        while let Some(key) = entries.next_key::<String>()? {
            if map.is_empty() {
                pay(self.left, OBJECT)?;
            }
            // Of a key that stands twice the first counts, as in every other reader here.
            let mut again = Value::Null;
            let slot = if map.contains_key(&key) { &mut again } else { map.entry(key).or_insert(Value::Null) };
            entries.next_value_seed(Slot { value: slot, left: self.left })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn all(text: &str) -> Trees {
        read(text, |_| true).unwrap_or_default()
    }

    #[test]
    fn what_stands_before_the_damage_is_kept() {
        let trees = all("{\"a\":[1,{\"b\":\"x\",\"c\":tru");
        assert_eq!(trees.documents, [json!({"a": [1, {"b": "x", "c": null}]})]);
        assert_eq!(trees.problem.unwrap().line, Some(1));
    }

    #[test]
    fn several_documents_and_damaged_lines_between_them_are_read() {
        assert_eq!(all("{\n\"a\":1}\n{} [2]\n").documents, [json!({"a": 1}), json!({}), json!([2])]);
        let trees = all("{\"a\":1}\n{oops}\n\n{\"b\":2}\nDone.\n");
        assert_eq!(trees.documents, [json!({"a": 1}), json!({}), json!({"b": 2})]);
        assert_eq!(trees.problem.unwrap().line, Some(2));
    }

    #[test]
    fn a_little_noise_around_a_document_is_no_part_of_it() {
        let trees = all("\u{feff}\n> app@1.0.0 test\n> jest --json\n\n{\"a\":1}\nnpm ERR! code 1\n");
        assert_eq!(trees.documents, [json!({"a": 1})]);
        assert!(trees.problem.is_none());
        let log = "a line of a log\n".repeat(1000);
        assert!(read(&format!("{{}}\n{log}"), |_| true).is_none());
        assert!(read(&format!("{log}{{}}\n"), |_| true).is_none());
    }

    #[test]
    fn what_is_not_asked_for_is_not_read() {
        assert!(read("{\"a\":1}\n{\"b\":2}", |tree| tree.get("b").is_some()).is_some());
        assert!(read("{\"a\":1}", |tree| tree.get("b").is_some()).is_none());
    }

    #[test]
    fn numbers_that_json_does_not_know_are_no_damage() {
        let trees = all(r#"{"a":NaN,"b":[-Infinity,Infinity],"c":"NaN \" Infinity","d":NaN}"#);
        assert_eq!(trees.documents, [json!({"a": 0, "b": [null, null], "c": "NaN \" Infinity", "d": 0})]);
        assert!(trees.problem.is_none());
    }

    #[test]
    fn depth_and_number_are_bounded() {
        assert!(all(&"[".repeat(100_000)).problem.unwrap().message.contains("recursion limit"));
        assert!(all(&"{\"a\":".repeat(100_000)).problem.unwrap().message.contains("recursion limit"));
        let many = format!("[{}1]", "1,".repeat(BUDGET + 1));
        assert!(all(&many).problem.unwrap().message.contains("too many values"));
    }

    #[test]
    fn any_cut_is_read() {
        let text = "> npm\n{\"a\":[1,\"é\\u00e9\",{\"b\":NaN}]}\n{\"c\":\"漢\"}\n";
        for end in (0..text.len()).filter(|end| text.is_char_boundary(*end)) {
            read(&text[..end], |_| true);
        }
    }
}
