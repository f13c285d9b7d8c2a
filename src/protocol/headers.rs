//! Request headers that must agree with the body.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::HeaderMap;
use serde_json::Value;

use super::rpc_error::{RpcCode, RpcError};

/// Names the revision.
pub const VERSION: &str = "mcp-protocol-version";
/// Names the method.
pub const METHOD: &str = "mcp-method";
/// Names the tool, prompt or resource.
pub const NAME: &str = "mcp-name";

/// Reads a header that may occur once; equal repetitions count as one.
///
/// # Errors
/// Two different values, or characters that no value may have.
pub fn single(headers: &HeaderMap, name: &'static str) -> Result<Option<String>, RpcError> {
    let mut found: Option<&str> = None;
    for value in headers.get_all(name) {
        let value = value.to_str().map_err(|_| mismatch(name, "holds characters that are not allowed"))?;
        if found.is_some_and(|other| other != value) {
            return Err(mismatch(name, "occurs twice with different values"));
        }
        found = Some(value);
    }
    Ok(found.map(|value| value.trim().to_owned()))
}

/// Compares `Mcp-Method` and, where the method has one, `Mcp-Name` with the body.
///
/// # Errors
/// A header that is missing or differs.
pub fn check_routing(headers: &HeaderMap, method: &str, params: &Value) -> Result<(), RpcError> {
    if single(headers, METHOD)?.as_deref() != Some(method) {
        return Err(mismatch(METHOD, "must equal the body's method"));
    }
    let key = match method {
        "tools/call" | "prompts/get" => "name",
        "resources/read" => "uri",
        _ => return Ok(()),
    };
    let Some(expected) = params.get(key).and_then(Value::as_str) else {
        // The body is at fault, and the method's own check says so better.
        return Ok(());
    };
    let header = single(headers, NAME)?.ok_or_else(|| mismatch(NAME, "is needed for this method"))?;
    if decode(&header).as_deref() == Some(expected) {
        return Ok(());
    }
    Err(mismatch(NAME, "must equal the name or uri in the body"))
}

/// Undoes the `=?base64?…?=` form; `None` when it is used but broken.
fn decode(value: &str) -> Option<String> {
    match value.strip_prefix("=?base64?").and_then(|rest| rest.strip_suffix("?=")) {
        Some(encoded) => STANDARD.decode(encoded).ok().and_then(|bytes| String::from_utf8(bytes).ok()),
        None => Some(value.to_owned()),
    }
}

fn mismatch(name: &str, what: &str) -> RpcError {
    RpcError::new(RpcCode::HeaderMismatch, format!("the {name} header {what}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;
    use serde_json::json;

    fn call(method: &str, name: Option<&str>) -> Result<(), i32> {
        let mut headers = HeaderMap::new();
        headers.insert(METHOD, method.parse().unwrap());
        if let Some(name) = name {
            headers.insert(NAME, name.parse().unwrap());
        }
        check_routing(&headers, "tools/call", &json!({"name": "get_artist"}))
            .map_err(|error| error.code().number())
    }

    #[test]
    fn routing_headers_must_equal_the_body() {
        assert_eq!(call("tools/call", Some("get_artist")), Ok(()));
        assert_eq!(call("tools/call", Some("=?base64?Z2V0X2FydGlzdA==?=")), Ok(()));
        for (method, name) in [
            ("tools/list", Some("get_artist")),
            ("Tools/Call", Some("get_artist")),
            ("tools/call", None),
            ("tools/call", Some("Get_artist")),
            ("tools/call", Some("=?base64?!!!?=")),
            ("tools/call", Some("=?BASE64?Z2V0X2FydGlzdA==?=")),
            ("tools/call", Some("=?base64?Z2V0X2FydGlzdA?=")),
        ] {
            assert_eq!(call(method, name), Err(-32020), "{method} {name:?}");
        }
    }

    #[test]
    fn a_repeated_header_counts_once_only_when_it_is_the_same() {
        let mut headers = HeaderMap::new();
        headers.append(VERSION, HeaderValue::from_static("2025-11-25"));
        headers.append(VERSION, HeaderValue::from_static("2025-11-25"));
        assert_eq!(single(&headers, VERSION).unwrap().as_deref(), Some("2025-11-25"));
        headers.append(VERSION, HeaderValue::from_static("2025-06-18"));
        assert!(single(&headers, VERSION).is_err());
        headers.insert(VERSION, HeaderValue::from_bytes(b"\xff").unwrap());
        assert!(single(&headers, VERSION).is_err());
    }

    proptest::proptest! {
        #[test]
        fn decoding_never_panics(value in ".*") {
            let _ = decode(&value);
        }
    }
}
