//! Values that may be of the wrong type: they are skipped, and what follows is still read.

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// Longer texts are cut while they are read.
const TEXT_LIMIT: usize = 16 << 10;
/// More items of one list are skipped.
const LIST_LIMIT: usize = 2000;

/// A text or a number as text; empty where something else stands.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Text(pub(super) String);

/// A number that is not negative.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Number(pub(super) Option<u32>);

/// An object; the default where something else stands.
#[derive(Debug, Clone, Default)]
pub(super) struct Object<T>(pub(super) T);

/// A list of objects or texts.
#[derive(Debug, Clone)]
pub(super) struct List<T>(pub(super) Vec<T>);

/// An object's keys and values, in order.
#[derive(Debug, Clone)]
pub(super) struct Named<T>(pub(super) Vec<(String, T)>);

impl<T> Default for List<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Default for Named<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

/// Takes nothing from anything: each visitor below overrides what it wants.
macro_rules! skip {
    (scalars) => {
        skip!(text);
        skip!(numbers);
    };
    (text) => {
        fn visit_str<E: Error>(self, _: &str) -> Result<Self::Value, E> {
            Ok(Default::default())
        }
    };
    (numbers) => {
        fn visit_u64<E: Error>(self, _: u64) -> Result<Self::Value, E> {
            Ok(Default::default())
        }
        fn visit_i64<E: Error>(self, _: i64) -> Result<Self::Value, E> {
            Ok(Default::default())
        }
        fn visit_f64<E: Error>(self, _: f64) -> Result<Self::Value, E> {
            Ok(Default::default())
        }
    };
    (rest) => {
        fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            formatter.write_str("any value")
        }
        fn visit_bool<E: Error>(self, _: bool) -> Result<Self::Value, E> {
            Ok(Default::default())
        }
        fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
            Ok(Default::default())
        }
    };
    (list) => {
        fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
            while items.next_element::<IgnoredAny>()?.is_some() {}
            Ok(Default::default())
        }
    };
    (map) => {
        fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Self::Value, A::Error> {
            while entries.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
            Ok(Default::default())
        }
    };
}
pub(super) use skip;

struct TextVisitor;

impl<'de> Visitor<'de> for TextVisitor {
    type Value = Text;

    skip!(rest);
    skip!(list);
    skip!(map);

    fn visit_str<E: Error>(self, text: &str) -> Result<Text, E> {
        Ok(Text(text[..text.floor_char_boundary(TEXT_LIMIT)].to_owned()))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Text, E> {
        Ok(Text(number.to_string()))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Text, E> {
        Ok(Text(number.to_string()))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Text, E> {
        Ok(Text(number.to_string()))
    }
}

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TextVisitor)
    }
}

struct NumberVisitor;

impl<'de> Visitor<'de> for NumberVisitor {
    type Value = Number;

    skip!(rest);
    skip!(list);
    skip!(map);

    fn visit_str<E: Error>(self, text: &str) -> Result<Number, E> {
        Ok(Number(text.parse().ok()))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Number, E> {
        Ok(Number(u32::try_from(number).ok()))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Number, E> {
        Ok(Number(u32::try_from(number).ok()))
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<Number, E> {
        Ok(Number(None))
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NumberVisitor)
    }
}

struct ObjectVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de> + Default> Visitor<'de> for ObjectVisitor<T> {
    type Value = Object<T>;

    skip!(rest);
    skip!(scalars);
    skip!(list);

    fn visit_map<A: MapAccess<'de>>(self, entries: A) -> Result<Object<T>, A::Error> {
        T::deserialize(MapAccessDeserializer::new(entries)).map(Object)
    }
}

impl<'de, T: Deserialize<'de> + Default> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ObjectVisitor(PhantomData))
    }
}

struct ListVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ListVisitor<T> {
    type Value = List<T>;

    skip!(rest);
    skip!(scalars);
    skip!(map);

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<List<T>, A::Error> {
        let mut list = Vec::new();
        while list.len() < LIST_LIMIT {
            let Some(item) = items.next_element()? else { return Ok(List(list)) };
            list.push(item);
        }
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(List(list))
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for List<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ListVisitor(PhantomData))
    }
}

struct NamedVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for NamedVisitor<T> {
    type Value = Named<T>;

    skip!(rest);
    skip!(scalars);
    skip!(list);

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Named<T>, A::Error> {
        let mut named = Vec::new();
        while named.len() < LIST_LIMIT {
            let Some(entry) = entries.next_entry()? else { return Ok(Named(named)) };
            named.push(entry);
        }
        while entries.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Named(named))
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Named<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NamedVisitor(PhantomData))
    }
}
