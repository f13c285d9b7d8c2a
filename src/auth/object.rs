//! JSON objects that others wrote.
//!
//! Decides only that an object is one: a struct would be read from an array as well, its fields by their places, so that
//! a document that names nothing would pass for one that names everything.

use serde::de::DeserializeOwned;

/// Reads a text that is one JSON object; `None` for anything else.
pub(crate) fn object<T: DeserializeOwned>(text: &[u8]) -> Option<T> {
    let is_object = text.trim_ascii_start().starts_with(b"{");
    is_object.then(|| serde_json::from_slice(text).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, serde::Deserialize)]
    struct Named {
        name: String,
    }

    #[test]
    fn nothing_is_read_by_its_place() {
        let read = |text: &str| object::<Named>(text.as_bytes());
        for text in [r#"{"name":"x"}"#, " \n\t{\"name\": \"x\", \"more\": 1} "] {
            assert_eq!(read(text), Some(Named { name: "x".to_owned() }), "{text}");
        }
        for text in [r#"["x"]"#, r#" ["x"]"#, "", "null", r#"{"name":"x"}x"#, r#"{"name":"x","name":"y"}"#] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
