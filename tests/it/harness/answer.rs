//! What a [`super::Demo`] answered, and how to take it apart.

use bytes::Bytes;
use http::HeaderMap;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

/// One HTTP answer.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// The headers.
    pub headers: HeaderMap,
    /// The whole body.
    pub body: Bytes,
}

/// One answer of a tool.
#[derive(Clone, Debug)]
pub struct Envelope {
    /// The structured form.
    pub json: Value,
    /// The structured form as it was sent, byte for byte.
    pub raw: String,
    /// The readable form.
    pub text: String,
    /// Whether the protocol calls it an error.
    pub is_error: bool,
}

#[derive(Deserialize)]
struct RawAnswer<'a> {
    #[serde(borrow)]
    result: RawResult<'a>,
}

#[derive(Deserialize)]
struct RawResult<'a> {
    #[serde(borrow, rename = "structuredContent")]
    structured_content: &'a RawValue,
}

impl Answer {
    /// A header's text; empty when there is none.
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().expect("text"))
    }

    /// The body as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|_| panic!("not JSON: {self:?}"))
    }

    /// The result of a request that was answered.
    pub fn result(&self) -> Value {
        let json = self.json();
        assert_eq!((self.status, &json["jsonrpc"]), (200, &Value::from("2.0")), "{json}");
        assert!(json["result"].is_object() && json.get("error").is_none(), "{json}");
        json["result"].clone()
    }

    /// The `error` member of a request that was not.
    pub fn error(&self) -> Value {
        let json = self.json();
        assert_eq!(json["jsonrpc"], "2.0", "{json}");
        assert!(json["error"]["message"].is_string() && json.get("result").is_none(), "{json}");
        json["error"].clone()
    }

    /// Status and JSON-RPC code of an error.
    pub fn refusal(&self) -> (u16, i64) {
        (self.status, self.error()["code"].as_i64().expect("a code"))
    }

    /// The envelope of a tool call.
    pub fn envelope(&self) -> Envelope {
        let result = self.result();
        let content = result["content"].as_array().expect("content");
        assert_eq!((content.len(), &content[0]["type"]), (1, &Value::from("text")), "{result}");
        let whole: RawAnswer<'_> = serde_json::from_slice(&self.body).expect("a raw envelope");
        let envelope = Envelope {
            json: result["structuredContent"].clone(),
            raw: whole.result.structured_content.get().to_owned(),
            text: content[0]["text"].as_str().expect("a text").to_owned(),
            is_error: result["isError"].as_bool().expect("a flag"),
        };
        assert_eq!(envelope.json["ok"], !envelope.is_error, "{result}");
        envelope
    }
}

impl Envelope {
    /// The facts of an answer that is no error.
    pub fn data(&self) -> &Value {
        assert!(!self.is_error, "{}", self.json);
        &self.json["data"]
    }

    /// The type of an error.
    pub fn error_type(&self) -> &str {
        self.json["error"]["type"].as_str().unwrap_or_else(|| panic!("no error: {}", self.json))
    }

    /// How sure the identity is.
    pub fn state(&self) -> &str {
        self.json["ambiguity"]["state"].as_str().unwrap_or_else(|| panic!("no state: {}", self.json))
    }
}
