//! From the bytes of an HTTP answer to a tool's result or the reason why there is none.

use serde_json::Value;

use crate::cli::output::harmless_line;

/// The id of the only request that is ever sent on a connection.
pub(super) const REQUEST_ID: u64 = 1;

/// What the server said.
#[derive(Debug, PartialEq)]
pub(super) enum Reply {
    /// The tool ran.
    Result(ToolResult),
    /// A JSON-RPC error, as one line.
    Refused(String),
}

/// The result of a tool.
#[derive(Debug, PartialEq)]
pub(super) struct ToolResult {
    /// The envelope, or the whole result when it carries none.
    pub(super) envelope: Value,
    /// The text block.
    pub(super) text: Option<String>,
    /// Whether it reports an error.
    pub(super) failed: bool,
}

impl ToolResult {
    /// Whether it was refused to somebody who did not sign in.
    pub(super) fn wants_token(&self) -> bool {
        self.failed && self.envelope.pointer("/error/type").and_then(Value::as_str) == Some("unauthorized")
    }
}

/// Reads the body, JSON or event stream by its content type.
///
/// # Errors
/// One line: it is not an answer to our request.
pub(super) fn read(content_type: Option<&str>, body: &[u8]) -> Result<Reply, String> {
    let kind =
        content_type.unwrap_or_default().split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let message = match kind.as_str() {
        "text/event-stream" => from_events(&String::from_utf8_lossy(body)),
        _ => serde_json::from_slice(body).ok(),
    };
    let Some(message) = message else {
        return Err(format!("the answer is not MCP (content type {})", describe_kind(&kind)));
    };
    if let Some(error) = message.get("error") {
        return Ok(Reply::Refused(refusal(error)));
    }
    let Some(result) = message.get("result") else {
        return Err("the answer is JSON, but neither a result nor an error".to_owned());
    };
    let envelope = result.get("structuredContent").filter(|envelope| envelope.is_object());
    let failed = result.get("isError") == Some(&Value::Bool(true))
        || envelope.and_then(|envelope| envelope.get("ok")) == Some(&Value::Bool(false));
    let text = result.pointer("/content/0/text").and_then(Value::as_str).map(str::to_owned);
    Ok(Reply::Result(ToolResult { envelope: envelope.unwrap_or(result).clone(), text, failed }))
}

fn describe_kind(kind: &str) -> String {
    if kind.is_empty() { "missing".to_owned() } else { harmless_line(kind) }
}

fn refusal(error: &Value) -> String {
    let message = error.get("message").and_then(Value::as_str).unwrap_or("the server refused the call");
    let mut line = harmless_line(message);
    if let Some(code) = error.get("code").and_then(Value::as_i64) {
        line += &format!(" (JSON-RPC {code})");
    }
    match error.pointer("/data/did_you_mean") {
        Some(Value::String(name)) => line += &format!("; did you mean {}?", harmless_line(name)),
        Some(Value::Array(names)) => {
            let names: Vec<String> = names.iter().filter_map(Value::as_str).map(harmless_line).collect();
            if !names.is_empty() {
                line += &format!("; did you mean {}?", names.join(", "));
            }
        }
        _ => {}
    }
    if let Some(hint) = error.pointer("/data/fix_hint").and_then(Value::as_str) {
        let joint = if line.ends_with('?') { "" } else { ";" };
        line += &format!("{joint} {}", harmless_line(hint));
    }
    if let Some(path) = error.pointer("/data/endpoint").and_then(Value::as_str) {
        line += &format!(" Name it with --url, such as --url https://localhost:8443{}", harmless_line(path));
    }
    line
}

/// The message that answers our request, among the events of a stream.
fn from_events(stream: &str) -> Option<Value> {
    let mut data: Option<String> = None;
    let mut events = Vec::new();
    // The blank line that ends the last event may be missing when the server hangs up.
    for line in stream.trim_start_matches('\u{feff}').lines().chain([""]) {
        if line.is_empty() {
            events.extend(data.take());
        } else if let Some(value) = line.strip_prefix("data:") {
            let value = value.strip_prefix(' ').unwrap_or(value);
            match &mut data {
                Some(data) => {
                    data.push('\n');
                    data.push_str(value);
                }
                None => data = Some(value.to_owned()),
            }
        }
    }
    let messages = events.iter().filter_map(|event| serde_json::from_str::<Value>(event).ok());
    messages
        .filter(|message| message.get("result").is_some() || message.get("error").is_some())
        .find(|message| message.get("id").is_none_or(|id| id.as_u64() == Some(REQUEST_ID)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const RESULT: &str = r#"{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"hi"}],"structuredContent":{"ok":true}}}"#;

    fn result(content_type: &str, body: &str) -> ToolResult {
        match read(Some(content_type), body.as_bytes()) {
            Ok(Reply::Result(result)) => result,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn json_and_event_streams_say_the_same() {
        let plain = result("application/json; charset=utf-8", RESULT);
        assert_eq!(plain.text.as_deref(), Some("hi"));
        assert!(!plain.failed);
        let (head, tail) = RESULT.split_at(16);
        for stream in [
            format!(": keep\n\nevent: message\ndata: {RESULT}\n\n"),
            format!(
                "id: 0\ndata:\n\ndata: {{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\"}}\n\ndata:{RESULT}\n\n"
            ),
            format!("\u{feff}data: {head}\r\ndata: {tail}\r\n\r\n"),
            format!("data: {{\"id\":7,\"result\":{{}}}}\n\ndata: {RESULT}"),
        ] {
            assert_eq!(result("text/event-stream", &stream), plain, "{stream}");
        }
    }

    #[test]
    fn an_error_is_seen_in_either_place() {
        assert!(result("application/json", r#"{"id":1,"result":{"isError":true,"content":[]}}"#).failed);
        assert!(result("application/json", r#"{"id":1,"result":{"structuredContent":{"ok":false}}}"#).failed);
    }

    #[test]
    fn a_refusal_is_one_line_with_its_hints() {
        let body = r#"{"id":1,"error":{"code":-32602,"message":"unknown\ntool","data":{"did_you_mean":"get_artist","fix_hint":"use it"}}}"#;
        assert_eq!(
            read(Some("application/json"), body.as_bytes()),
            Ok(Reply::Refused("unknown tool (JSON-RPC -32602); did you mean get_artist? use it".to_owned()))
        );
    }

    #[test]
    fn what_is_not_mcp_is_said_to_be_so() {
        for (kind, body) in [
            (Some("text/html"), "<html>"),
            (None, ""),
            (Some("text/event-stream"), ": only a comment\n\n"),
            (Some("application/json"), "{\"ok\":true}"),
            (Some("application/json"), "[]"),
        ] {
            assert!(read(kind, body.as_bytes()).is_err(), "{kind:?} {body}");
        }
    }
}
