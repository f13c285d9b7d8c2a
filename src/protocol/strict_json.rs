//! JSON whose objects name every key once.
//!
//! Readers of JSON differ in which of two equal keys they believe, so a body with two can mean one thing to whoever
//! checks it and another to whoever serves it. Decides what is JSON here, and says of what is not only which kind
//! of fault it has. It must never know what the text is for.

use std::cell::Cell;
use std::fmt;

use serde::de::{DeserializeSeed, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// A JSON text that was read to its end.
#[derive(Clone, Debug, PartialEq)]
pub struct StrictJson {
    /// The value. A key that an object names more than once has the value null, since nobody can say which of its
    /// values was meant.
    pub value: Value,
    /// Whether any object names a key more than once, however the key is escaped.
    pub repeats_a_key: bool,
}

/// Why a text is not read. Repeats nothing of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotJson {
    /// Lists and objects are nested deeper than is read.
    #[error("is nested too deep")]
    TooDeep,
    /// A number is larger than any that can be held.
    #[error("holds a number that is out of range")]
    NumberOutOfRange,
    /// Anything else.
    #[error("is not valid JSON")]
    Syntax,
}

/// Reads `bytes` as one JSON value with nothing but white space around it.
///
/// # Errors
/// What is not JSON, nests 128 deep or more, or holds a number beyond a double's range.
pub fn parse(bytes: &[u8]) -> Result<StrictJson, NotJson> {
    let repeated = Cell::new(false);
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let value = Once(&repeated).deserialize(&mut reader).map_err(|error| kind_of(&error))?;
    reader.end().map_err(|error| kind_of(&error))?;
    Ok(StrictJson { value, repeats_a_key: repeated.get() })
}

/// The library keeps the kind of its errors to itself but for their words.
fn kind_of(error: &serde_json::Error) -> NotJson {
    let words = error.to_string();
    if words.starts_with("recursion limit exceeded") {
        NotJson::TooDeep
    } else if words.starts_with("number out of range") {
        NotJson::NumberOutOfRange
    } else {
        NotJson::Syntax
    }
}

/// Builds a value and notes whether a key came twice.
#[derive(Clone, Copy)]
struct Once<'c>(&'c Cell<bool>);

impl<'de> DeserializeSeed<'de> for Once<'_> {
    type Value = Value;

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Once<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(self)? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            let value = entries.next_value_seed(self)?;
            if let Some(first) = object.get_mut(&key) {
                *first = Value::Null;
                self.0.set(true);
            } else {
                object.insert(key, value);
            }
        }
        Ok(Value::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn value_of(text: &str) -> Value {
        let read = parse(text.as_bytes()).unwrap();
        assert!(!read.repeats_a_key, "{text}");
        read.value
    }

    #[test]
    fn a_key_that_comes_twice_is_noted_wherever_it_stands_and_however_it_is_written() {
        for text in [
            r#"{"a":1,"a":1}"#,
            r#"{"a":1,"\u0061":2}"#,
            r#"{"":1,"":2}"#,
            r#"[[{"x":{"a":1,"b":2,"a":3}}]]"#,
            r#"{"a":{"b":[{"c":null,"c":null}]}}"#,
        ] {
            assert!(parse(text.as_bytes()).unwrap().repeats_a_key, "{text}");
        }
        for text in [r#"{"a":1,"A":1,"a ":1}"#, r#"[{"a":1},{"a":1}]"#, r#"{"a":{"a":{"a":1}}}"#] {
            assert!(!parse(text.as_bytes()).unwrap().repeats_a_key, "{text}");
        }
        let read = parse(br#"{"a":1,"b":2,"a":3,"a":4}"#).unwrap();
        assert_eq!(read.value, json!({"a": null, "b": 2}));
    }

    #[test]
    fn numbers_are_what_they_were() {
        for text in [
            "0",
            "-0",
            "-0.0",
            "1",
            "-1",
            "9223372036854775807",
            "9223372036854775808",
            "-9223372036854775808",
            "-9223372036854775809",
            "18446744073709551615",
            "18446744073709551616",
            "1.0",
            "1e3",
            "0.1",
            "1e-400",
            "1.7976931348623157e308",
            "123456789012345678901234567890",
            "2.2250738585072011e-308",
            "5e-324",
        ] {
            let theirs: Value = serde_json::from_str(text).unwrap();
            assert_eq!(serde_json::to_string(&value_of(text)).unwrap(), theirs.to_string(), "{text}");
            assert_eq!(value_of(text), theirs, "{text}");
        }
    }

    #[test]
    fn what_is_not_read_says_why() {
        let why = |text: &str| parse(text.as_bytes()).unwrap_err();
        for text in [
            "",
            " ",
            "{",
            "{}x",
            "[1,]",
            "{\"a\":1,}",
            "nul",
            "\"\\ud800\"",
            "01",
            "NaN",
            "{1:2}",
            "\u{feff}{}",
        ] {
            assert_eq!(why(text), NotJson::Syntax, "{text}");
        }
        assert_eq!(parse(b"\"\xff\"").unwrap_err(), NotJson::Syntax);
        assert_eq!(why("1e999"), NotJson::NumberOutOfRange);
        assert_eq!(why(r#"{"a":[-1e400]}"#), NotJson::NumberOutOfRange);
        for open in ["[", "{\"a\":"] {
            assert_eq!(why(&open.repeat(128)), NotJson::TooDeep, "{open}");
            assert_eq!(why(&open.repeat(100_000)), NotJson::TooDeep, "{open}");
            assert_eq!(why(&open.repeat(127)), NotJson::Syntax, "{open}");
        }
        assert_eq!(value_of(&format!("{}{}", "[".repeat(127), "]".repeat(127))).as_array().unwrap().len(), 1);
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            any::<String>().prop_map(Value::from),
        ];
        leaf.prop_recursive(6, 60, 8, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..8).prop_map(Value::from),
                prop::collection::btree_map("[a-c\"\\\\é]{0,3}", inner, 0..8)
                    .prop_map(|entries| Value::Object(entries.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn json_without_repeated_keys_is_read_as_the_library_reads_it(value in any_json(), pretty: bool) {
            let text = if pretty { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) };
            let text = text.unwrap();
            let read = parse(text.as_bytes()).unwrap();
            prop_assert!(!read.repeats_a_key);
            prop_assert_eq!(&read.value, &serde_json::from_str::<Value>(&text).unwrap());
        }

        #[test]
        fn whatever_the_library_refuses_is_refused(text in "[\\[\\]{}:,\"a0-9.eE+\\- ntrufalse]{0,24}") {
            let theirs = serde_json::from_str::<Value>(&text).ok();
            let ours = parse(text.as_bytes()).ok();
            prop_assert_eq!(ours.is_some(), theirs.is_some());
            if let Some(ours) = ours.filter(|ours| !ours.repeats_a_key) {
                prop_assert_eq!(Some(ours.value), theirs);
            }
        }
    }
}
