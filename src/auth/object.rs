//! JSON objects that others wrote.
//!
//! Decides only that an object is one: a struct would be read from an array as well, its fields by their places, so that
//! a document that names nothing would pass for one that names everything.

use serde::de::DeserializeOwned;

/// Reads a text that is one JSON object; `None` for anything else.
pub(crate) fn object<T: DeserializeOwned>(text: &[u8]) -> Option<T> {
    let is_object = text.trim_ascii_start().starts_with(b"{");
    // Where the reader passes something over, it does not see whether that is text at all.
    let text = std::str::from_utf8(text).ok().filter(|_| is_object)?;
    serde_json::from_str(text).ok()
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

    #[test]
    fn what_is_not_utf_8_is_not_read_wherever_it_stands() {
        for text in [b"{\"name\":\"\xb0\"}".as_slice(), b"{\"name\":\"x\",\"passed over\":[\"\xb0\"]}"] {
            assert_eq!(object::<Named>(text), None);
        }
    }
}
