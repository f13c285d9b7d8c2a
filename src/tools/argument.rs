//! How one argument of a tool is published and read.

use serde_json::{Map, Value, json};

/// What an argument may be. Each kind has one JSON type, as some clients demand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Text of at most so many characters.
    Text {
        /// The most characters.
        max_chars: usize,
    },
    /// A whole number.
    Integer {
        /// The least value.
        min: i64,
        /// The greatest value.
        max: i64,
    },
    /// One word of a list.
    Choice(&'static [&'static str]),
    /// Some words of a list.
    Choices(&'static [&'static str]),
    /// Texts of at most so many characters, at most so many of them.
    Texts {
        /// The most texts.
        max_items: usize,
        /// The most characters of each.
        max_chars: usize,
    },
    /// Yes or no.
    Flag,
}

/// One argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArgumentSpec {
    /// Its name.
    pub name: &'static str,
    /// What it may be.
    pub kind: Kind,
    /// Whether every call needs it.
    pub required: bool,
    /// What it is for, to a reader that has to fill it in.
    pub description: &'static str,
}

impl Kind {
    /// The JSON type's name.
    #[must_use]
    pub fn type_name(self) -> &'static str {
        match self {
            Self::Text { .. } | Self::Choice(_) => "string",
            Self::Integer { .. } => "integer",
            Self::Choices(_) | Self::Texts { .. } => "array",
            Self::Flag => "boolean",
        }
    }

    /// Reads a value, taking text for a number where that is unambiguous.
    ///
    /// `Ok(None)` for values that count as absent. Frameworks send numbers as text at times, and
    /// fill what they do not use with null or empty text.
    ///
    /// # Errors
    /// What is accepted instead.
    pub fn read(self, value: &Value) -> Result<Option<ArgumentValue>, String> {
        match (self, value) {
            (_, Value::Null) => Ok(None),
            (_, Value::String(text)) if text.trim().is_empty() => Ok(None),
            (Self::Text { max_chars }, Value::String(text)) => {
                if text.chars().count() > max_chars {
                    return Err(format!("text of at most {max_chars} characters"));
                }
                Ok(Some(ArgumentValue::Text(text.clone())))
            }
            (Self::Text { .. }, Value::Number(number)) if number.is_u64() || number.is_i64() => {
                Ok(Some(ArgumentValue::Text(number.to_string())))
            }
            (Self::Text { .. }, _) => Err("text".to_owned()),
            (Self::Integer { .. }, Value::Number(number)) => match whole(number) {
                Some(number) => Ok(Some(ArgumentValue::Integer(number))),
                None => Err("a whole number".to_owned()),
            },
            (Self::Integer { .. }, Value::String(text)) => match text.trim().parse() {
                Ok(number) => Ok(Some(ArgumentValue::Integer(number))),
                Err(_) => Err("a whole number".to_owned()),
            },
            (Self::Integer { .. }, _) => Err("a whole number".to_owned()),
            (Self::Choice(words), value) => match word_of(words, value) {
                Some(word) => Ok(Some(ArgumentValue::Choice(word))),
                None => Err(format!("one of {}", words.join(", "))),
            },
            (Self::Choices(words), value) => match words_of(words, value) {
                Some(chosen) if chosen.is_empty() => Ok(None),
                Some(chosen) => Ok(Some(ArgumentValue::Choices(chosen))),
                None => Err(format!("an array with any of {}", words.join(", "))),
            },
            (Self::Texts { max_items, max_chars }, value) => match texts_of(value) {
                Some(texts)
                    if texts.len() <= max_items
                        && texts.iter().all(|text| text.chars().count() <= max_chars) =>
                {
                    Ok((!texts.is_empty()).then_some(ArgumentValue::Texts(texts)))
                }
                _ => Err(format!("an array of at most {max_items} texts of at most {max_chars} characters")),
            },
            (Self::Flag, Value::Bool(flag)) => Ok(Some(ArgumentValue::Flag(*flag))),
            (Self::Flag, Value::String(text)) => match text.trim() {
                "true" => Ok(Some(ArgumentValue::Flag(true))),
                "false" => Ok(Some(ArgumentValue::Flag(false))),
                _ => Err("true or false".to_owned()),
            },
            (Self::Flag, _) => Err("true or false".to_owned()),
        }
    }
}

/// The word of a list that a value spells, in any case.
fn word_of(words: &'static [&'static str], value: &Value) -> Option<&'static str> {
    let text = value.as_str()?.trim();
    words.iter().find(|word| word.eq_ignore_ascii_case(text)).copied()
}

/// The words that an array spells, each once; also when it was written as text, or is a single word.
fn words_of(words: &'static [&'static str], value: &Value) -> Option<Vec<&'static str>> {
    let parsed;
    let values = match value {
        Value::Array(values) => values.as_slice(),
        Value::String(text) if text.trim_start().starts_with('[') => {
            parsed = serde_json::from_str::<Vec<Value>>(text).ok()?;
            parsed.as_slice()
        }
        one => std::slice::from_ref(one),
    };
    let mut chosen = Vec::new();
    for value in values {
        let word = word_of(words, value)?;
        if !chosen.contains(&word) {
            chosen.push(word);
        }
    }
    Some(chosen)
}

/// The texts of an array, each once and none empty; also when it was written as text, or is a single one.
fn texts_of(value: &Value) -> Option<Vec<String>> {
    let parsed;
    let values = match value {
        Value::Array(values) => values.as_slice(),
        // A text that only looks like an array is a text.
        Value::String(text) => match serde_json::from_str::<Vec<Value>>(text) {
            Ok(values) => {
                parsed = values;
                parsed.as_slice()
            }
            Err(_) => std::slice::from_ref(value),
        },
        one => std::slice::from_ref(one),
    };
    let mut texts: Vec<String> = Vec::new();
    for value in values {
        let text = match value {
            Value::String(text) => text.trim().to_owned(),
            Value::Number(number) if number.is_u64() => number.to_string(),
            Value::Null => continue,
            _ => return None,
        };
        if !text.is_empty() && !texts.contains(&text) {
            texts.push(text);
        }
    }
    Some(texts)
}

/// A whole number, also when it was written as `5.0`.
fn whole(number: &serde_json::Number) -> Option<i64> {
    number.as_i64().or_else(|| {
        let float = number.as_f64()?;
        #[expect(clippy::cast_possible_truncation, reason = "whole and within 2^53, so exact")]
        (float.fract() == 0.0 && float.abs() < 9_007_199_254_740_992.0).then_some(float as i64)
    })
}

/// A value of the right kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArgumentValue {
    /// Text.
    Text(String),
    /// A whole number.
    Integer(i64),
    /// A word of the argument's list.
    Choice(&'static str),
    /// Words of the argument's list, at least one.
    Choices(Vec<&'static str>),
    /// Texts, at least one.
    Texts(Vec<String>),
    /// Yes or no.
    Flag(bool),
}

impl ArgumentSpec {
    /// Text of at most `max_chars` characters that a call may leave out.
    #[must_use]
    pub const fn text(name: &'static str, max_chars: usize, description: &'static str) -> Self {
        Self { name, kind: Kind::Text { max_chars }, required: false, description }
    }

    /// Text of at most `max_chars` characters that every call needs.
    #[must_use]
    pub const fn needed_text(name: &'static str, max_chars: usize, description: &'static str) -> Self {
        Self { name, kind: Kind::Text { max_chars }, required: true, description }
    }

    /// One word of a list that a call may leave out.
    #[must_use]
    pub const fn choice(
        name: &'static str,
        words: &'static [&'static str],
        description: &'static str,
    ) -> Self {
        Self { name, kind: Kind::Choice(words), required: false, description }
    }

    /// A whole number from `min` to `max` that a call may leave out.
    #[must_use]
    pub const fn integer(name: &'static str, min: i64, max: i64, description: &'static str) -> Self {
        Self { name, kind: Kind::Integer { min, max }, required: false, description }
    }

    /// Some words of a list that a call may leave out.
    #[must_use]
    pub const fn choices(
        name: &'static str,
        words: &'static [&'static str],
        description: &'static str,
    ) -> Self {
        Self { name, kind: Kind::Choices(words), required: false, description }
    }

    /// Some texts that a call may leave out.
    #[must_use]
    pub const fn texts(
        name: &'static str,
        max_items: usize,
        max_chars: usize,
        description: &'static str,
    ) -> Self {
        Self { name, kind: Kind::Texts { max_items, max_chars }, required: false, description }
    }

    /// Yes or no; a call may leave it out.
    #[must_use]
    pub const fn flag(name: &'static str, description: &'static str) -> Self {
        Self { name, kind: Kind::Flag, required: false, description }
    }

    /// The JSON Schema of the argument.
    #[must_use]
    pub fn schema(&self) -> Value {
        let mut schema = Map::new();
        schema.insert("type".to_owned(), json!(self.kind.type_name()));
        match self.kind {
            Kind::Text { max_chars } => {
                schema.insert("maxLength".to_owned(), json!(max_chars));
            }
            Kind::Integer { min, max } => {
                schema.insert("minimum".to_owned(), json!(min));
                schema.insert("maximum".to_owned(), json!(max));
            }
            Kind::Choice(words) => {
                schema.insert("enum".to_owned(), json!(words));
            }
            Kind::Choices(words) => {
                schema.insert("items".to_owned(), json!({"type": "string", "enum": words}));
            }
            Kind::Texts { .. } => {
                schema.insert("items".to_owned(), json!({"type": "string"}));
            }
            Kind::Flag => {}
        }
        schema.insert("description".to_owned(), json!(self.description));
        Value::Object(schema)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_sent_as_text_are_numbers_and_text_stays_text() {
        let integer = Kind::Integer { min: 1, max: 10 };
        for five in [json!(5), json!("5"), json!(" 5 "), json!(5.0)] {
            assert_eq!(integer.read(&five), Ok(Some(ArgumentValue::Integer(5))), "{five}");
        }
        for bad in [json!("five"), json!(5.5), json!(true), json!([]), json!({}), json!("5.5")] {
            assert!(integer.read(&bad).is_err(), "{bad}");
        }
        let text = Kind::Text { max_chars: 5 };
        for raw in ["5", "[]", "true"] {
            assert_eq!(text.read(&json!(raw)), Ok(Some(ArgumentValue::Text(raw.to_owned()))));
        }
        assert_eq!(text.read(&json!(45)), Ok(Some(ArgumentValue::Text("45".to_owned()))));
        assert!(text.read(&json!("123456")).is_err());
        assert!(text.read(&json!(["a"])).is_err());
    }

    #[test]
    fn null_and_empty_text_count_as_absent() {
        for kind in [Kind::Text { max_chars: 5 }, Kind::Integer { min: 1, max: 10 }, Kind::Choice(&["a"])] {
            for absent in [json!(null), json!(""), json!("  ")] {
                assert_eq!(kind.read(&absent), Ok(None));
            }
        }
    }

    #[test]
    fn a_choice_is_one_of_its_words_in_any_case() {
        let kind = Kind::Choice(&["summary", "full"]);
        assert_eq!(kind.read(&json!("Full")), Ok(Some(ArgumentValue::Choice("full"))));
        assert_eq!(kind.read(&json!("huge")), Err("one of summary, full".to_owned()));
        assert!(kind.read(&json!(1)).is_err());
    }

    #[test]
    fn lists_and_flags_written_as_text_are_taken() {
        let kind = Kind::Choices(&["similar", "gigs"]);
        for both in [json!(["similar", "gigs"]), json!("[\"similar\",\"Gigs\",\"gigs\"]")] {
            assert_eq!(kind.read(&both), Ok(Some(ArgumentValue::Choices(vec!["similar", "gigs"]))), "{both}");
        }
        assert_eq!(kind.read(&json!("gigs")), Ok(Some(ArgumentValue::Choices(vec!["gigs"]))));
        assert_eq!(kind.read(&json!([])), Ok(None));
        for bad in [json!(["x"]), json!("[gigs"), json!(7), json!([["gigs"]]), json!({"gigs": true})] {
            assert!(kind.read(&bad).is_err(), "{bad}");
        }
        let kind = Kind::Texts { max_items: 2, max_chars: 5 };
        let texts =
            |texts: &[&str]| Ok(Some(ArgumentValue::Texts(texts.iter().map(|t| (*t).to_owned()).collect())));
        for two in [json!(["a", "b"]), json!("[\"a\", \"b\", \"b\"]"), json!([" a ", "", null, "b"])] {
            assert_eq!(kind.read(&two), texts(&["a", "b"]), "{two}");
        }
        assert_eq!(kind.read(&json!("[a]")), texts(&["[a]"]));
        assert_eq!(kind.read(&json!(["", null])), Ok(None));
        for bad in [json!(["a", "b", "c"]), json!("abcdef"), json!([["a"]]), json!({"a": 1}), json!(true)] {
            assert!(kind.read(&bad).is_err(), "{bad}");
        }
        for yes in [json!(true), json!("true"), json!(" true ")] {
            assert_eq!(Kind::Flag.read(&yes), Ok(Some(ArgumentValue::Flag(true))));
        }
        for bad in [json!(1), json!("yes"), json!([true])] {
            assert!(Kind::Flag.read(&bad).is_err(), "{bad}");
        }
    }
}
