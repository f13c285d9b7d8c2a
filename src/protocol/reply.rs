//! Results on the wire, in the form that each era wants.

use bytes::Bytes;
use serde::Serialize;
use serde_json::Value;

use super::era::Era;
use super::jsonrpc::RequestId;

/// How long a client may keep a result. Callers may always share one that has a hint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheHint {
    /// Lifetime in milliseconds.
    pub ttl_ms: u32,
}

/// Who answers, as it is told to clients.
#[derive(Clone, Debug, Serialize)]
pub struct ServerInfo {
    /// The program's name.
    pub name: &'static str,
    /// The name for people.
    pub title: &'static str,
    /// The program's version.
    pub version: &'static str,
}

/// This program.
pub const SERVER_INFO: ServerInfo =
    ServerInfo { name: "ono-sendai", title: "hosaka music data", version: env!("CARGO_PKG_VERSION") };

#[derive(Serialize)]
struct Response<'a, R> {
    jsonrpc: &'static str,
    id: &'a RequestId,
    result: Dressed<'a, R>,
}

/// A result with what the modern revision adds to every one. `R` must serialise as an object.
#[derive(Serialize)]
struct Dressed<'a, R> {
    #[serde(flatten)]
    result: &'a R,
    #[serde(rename = "resultType", skip_serializing_if = "Option::is_none")]
    result_type: Option<&'static str>,
    #[serde(rename = "ttlMs", skip_serializing_if = "Option::is_none")]
    ttl_ms: Option<u32>,
    #[serde(rename = "cacheScope", skip_serializing_if = "Option::is_none")]
    cache_scope: Option<&'static str>,
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    meta: Option<ResultMeta<'a>>,
}

#[derive(Serialize)]
struct ResultMeta<'a> {
    #[serde(rename = "io.modelcontextprotocol/serverInfo", skip_serializing_if = "Option::is_none")]
    server_info: Option<ServerInfo>,
    #[serde(rename = "mcp/www_authenticate", skip_serializing_if = "Option::is_none")]
    challenges: Option<[&'a str; 1]>,
}

/// Writes the response that carries `result`.
///
/// # Errors
/// When `result` does not serialise as a JSON object, which is a fault of the program.
pub fn encode(
    id: &RequestId,
    era: Era,
    cache: Option<CacheHint>,
    result: &impl Serialize,
) -> Result<Bytes, serde_json::Error> {
    dressed(id, era, cache, result, None)
}

/// Writes the response that carries the result of a tool; `challenge` says how to sign in for it, in the
/// form of a `WWW-Authenticate` field.
///
/// # Errors
/// As for [`encode`].
pub fn encode_call<E: Serialize>(
    id: &RequestId,
    era: Era,
    result: &CallResult<'_, E>,
    challenge: Option<&str>,
) -> Result<Bytes, serde_json::Error> {
    dressed(id, era, None, result, challenge)
}

/// Writes what [`encode_call`] writes for a call that went well, from pieces that are JSON already: `text`, a string, and
/// the envelope, cut anywhere.
///
/// # Errors
/// As for [`encode`].
pub fn encode_pieces(
    id: &RequestId,
    era: Era,
    text: &str,
    envelope: &[impl AsRef<str>],
) -> Result<Bytes, serde_json::Error> {
    const HEAD: &[u8] = br#"{"jsonrpc":"2.0","id":"#;
    const CONTENT: &[u8] = br#","result":{"content":[{"type":"text","text":"#;
    const STRUCTURED: &[u8] = br#"}],"structuredContent":"#;
    const END: &[u8] = br#","isError":false"#;
    const COMPLETE: &[u8] = br#","resultType":"complete","_meta":"#;
    let envelope_bytes: usize = envelope.iter().map(|piece| piece.as_ref().len()).sum();
    let mut json = Vec::with_capacity(text.len() + envelope_bytes + 512);
    json.extend_from_slice(HEAD);
    serde_json::to_writer(&mut json, id)?;
    json.extend_from_slice(CONTENT);
    json.extend_from_slice(text.as_bytes());
    json.extend_from_slice(STRUCTURED);
    for piece in envelope {
        json.extend_from_slice(piece.as_ref().as_bytes());
    }
    json.extend_from_slice(END);
    if era == Era::Modern {
        json.extend_from_slice(COMPLETE);
        serde_json::to_writer(&mut json, &ResultMeta { server_info: Some(SERVER_INFO), challenges: None })?;
    }
    json.extend_from_slice(b"}}");
    Ok(json.into())
}

fn dressed(
    id: &RequestId,
    era: Era,
    cache: Option<CacheHint>,
    result: &impl Serialize,
    challenge: Option<&str>,
) -> Result<Bytes, serde_json::Error> {
    let modern = era == Era::Modern;
    let cache = cache.filter(|_| modern);
    let response = Response {
        jsonrpc: "2.0",
        id,
        result: Dressed {
            result,
            result_type: modern.then_some("complete"),
            ttl_ms: cache.map(|hint| hint.ttl_ms),
            // Nothing that is listed or read differs between callers.
            cache_scope: cache.map(|_| "public"),
            meta: (modern || challenge.is_some()).then(|| ResultMeta {
                server_info: modern.then_some(SERVER_INFO),
                challenges: challenge.map(|challenge| [challenge]),
            }),
        },
    };
    serde_json::to_vec(&response).map(Bytes::from)
}

/// The result of a tool: a text for readers without a JSON reader, and the envelope.
#[derive(Serialize)]
pub struct CallResult<'a, E> {
    content: [TextContent<'a>; 1],
    #[serde(rename = "structuredContent")]
    structured_content: &'a E,
    #[serde(rename = "isError")]
    is_error: bool,
}

#[derive(Serialize)]
struct TextContent<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    text: &'a str,
}

impl<'a, E> CallResult<'a, E> {
    /// Puts the two forms of one answer together.
    #[must_use]
    pub fn new(text: &'a str, envelope: &'a E, is_error: bool) -> Self {
        Self { content: [TextContent { kind: "text", text }], structured_content: envelope, is_error }
    }
}

/// The handshake's result.
#[must_use]
pub fn initialize(era: Era, instructions: &str) -> Value {
    serde_json::json!({
        "protocolVersion": era.version(),
        "capabilities": capabilities(),
        "serverInfo": SERVER_INFO,
        "instructions": instructions,
    })
}

/// The result of `server/discover`.
#[must_use]
pub fn discover(instructions: &str) -> Value {
    serde_json::json!({
        "supportedVersions": Era::ALL.map(Era::version),
        "capabilities": capabilities(),
        "instructions": instructions,
    })
}

fn capabilities() -> Value {
    serde_json::json!({"tools": {}, "resources": {}, "prompts": {}, "completions": {}})
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn encoded(era: Era) -> Value {
        let id = RequestId::Text("a".to_owned());
        let bytes = encode(&id, era, Some(CacheHint { ttl_ms: 5 }), &json!({"tools": []})).unwrap();
        serde_json::from_slice(&bytes).unwrap()
    }

    #[test]
    fn modern_results_are_complete_signed_and_say_how_long_they_last() {
        let result = encoded(Era::Modern);
        assert_eq!(result.pointer("/result/resultType"), Some(&json!("complete")));
        assert_eq!(result.pointer("/result/ttlMs"), Some(&json!(5)));
        assert_eq!(result.pointer("/result/cacheScope"), Some(&json!("public")));
        assert_eq!(
            result.pointer("/result/_meta/io.modelcontextprotocol~1serverInfo/name"),
            Some(&json!("ono-sendai"))
        );
    }

    #[test]
    fn an_answer_that_is_given_again_is_written_as_it_was_at_first() {
        let text = "a \"b\"\n\u{1}ü";
        let envelope = json!({"ok": true, "data": {"name": "ü\n"}, "meta": {"units": 1}});
        let (text_json, json) = (serde_json::to_string(text).unwrap(), envelope.to_string());
        for era in Era::ALL {
            for id in [RequestId::Text("\"é".to_owned()), RequestId::Integer(7.into())] {
                let first = encode_call(&id, era, &CallResult::new(text, &envelope, false), None).unwrap();
                for cut in [0, 1, 5, json.len()] {
                    let (head, tail) = json.split_at(cut);
                    assert_eq!(
                        encode_pieces(&id, era, &text_json, &[head, tail]).unwrap(),
                        first,
                        "{era:?} {cut}"
                    );
                }
            }
        }
    }

    #[test]
    fn handshake_results_carry_nothing_of_the_modern_era() {
        assert_eq!(
            encoded(Era::LATEST_LEGACY),
            json!({"jsonrpc": "2.0", "id": "a", "result": {"tools": []}})
        );
    }
}
