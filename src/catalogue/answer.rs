//! Answers and refusals in the service's form.
//!
//! Decides how a refusal reads; knows nothing of when one is due.

use bytes::Bytes;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::CatalogueAnswer;

/// An answer, or a refusal that becomes one.
pub(super) type Answered = Result<CatalogueAnswer, Problem>;

/// A refusal with status 400.
#[derive(Debug)]
pub(super) struct Problem {
    code: &'static str,
    message: String,
    more: Map<String, Value>,
}

impl Problem {
    pub(super) fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), more: Map::new() }
    }

    /// Says which parameter is meant.
    pub(super) fn param(self, name: &str) -> Self {
        self.with("param", json!(name))
    }

    pub(super) fn hint(self, text: &str) -> Self {
        self.with("hint", json!(text))
    }

    pub(super) fn with(mut self, key: &str, value: Value) -> Self {
        self.more.insert(key.to_owned(), value);
        self
    }

    /// A parameter of a query that is not what it must be.
    pub(super) fn invalid_query(param: &str, message: impl Into<String>) -> Self {
        let message = message.into();
        let details = json!([{ "path": [param], "message": message }]);
        Self::new("invalid_query", "the query is not valid").param(param).with("details", details)
    }

    pub(super) fn into_answer(self) -> CatalogueAnswer {
        let mut body = self.more;
        body.insert("error".to_owned(), json!(self.code));
        body.insert("message".to_owned(), json!(self.message));
        CatalogueAnswer { status: 400, ..json_answer(&body) }
    }
}

pub(super) fn json_answer<T: Serialize>(body: &T) -> CatalogueAnswer {
    // Maps with string keys and numbers that are finite always serialise.
    CatalogueAnswer { status: 200, body: serde_json::to_vec(body).unwrap_or_default().into() }
}

/// A document that is answered as it is stored.
pub(super) fn stored(body: &'static [u8]) -> CatalogueAnswer {
    CatalogueAnswer { status: 200, body: Bytes::from_static(body) }
}

pub(super) fn not_found() -> CatalogueAnswer {
    CatalogueAnswer { status: 404, body: Bytes::from_static(br#"{"error":"not_found"}"#) }
}

/// Joins stored records to a JSON array without reading them.
pub(super) fn array_of<'a>(records: impl IntoIterator<Item = &'a [u8]>) -> Vec<u8> {
    let mut out = vec![b'['];
    for (at, record) in records.into_iter().enumerate() {
        if at > 0 {
            out.push(b',');
        }
        out.extend_from_slice(record);
    }
    out.push(b']');
    out
}

/// Puts parts of a JSON document together.
pub(super) fn assembled(parts: &[&[u8]]) -> CatalogueAnswer {
    CatalogueAnswer { status: 200, body: parts.concat().into() }
}
