//! A tool's result for a person at a terminal, or for the next program in the pipe.

use serde_json::Value;

use super::answer::ToolResult;
use crate::cli::output::{Style, harmless, harmless_line, shell_word};

/// The envelope as it came, readable by machines.
pub(super) fn raw(result: &ToolResult) -> String {
    // A value that was parsed from JSON can be written as JSON.
    serde_json::to_string_pretty(&result.envelope).unwrap_or_default() + "\n"
}

/// The answer, or the error with what to do about it, and a line about its cost.
pub(super) fn readable(result: &ToolResult, style: Style) -> String {
    let mut text = match result.envelope.get("error").filter(|error| error.is_object()) {
        Some(error) if result.failed => error_lines(error, &result.envelope, style),
        _ => match &result.text {
            Some(text) => format!("{}\n", harmless(text).trim_end()),
            None => harmless(&raw(result)),
        },
    };
    let cost = cost_line(&result.envelope);
    if !cost.is_empty() {
        text += &format!("{}\n", style.dim(&cost));
    }
    text
}

fn error_lines(error: &Value, envelope: &Value, style: Style) -> String {
    let field =
        |value: &Value, pointer: &str| value.pointer(pointer).and_then(Value::as_str).map(harmless_line);
    let kind = field(error, "/type").unwrap_or_else(|| "unknown".to_owned());
    let message = field(error, "/message").unwrap_or_default();
    let mut lines = vec![format!("{} {message}", style.bold(&format!("error: {kind}:")))];
    if let Some(hint) = field(error, "/data/fix_hint") {
        lines.push(format!("fix: {hint}"));
    }
    if let Some(name) = field(error, "/data/did_you_mean") {
        lines.push(format!("did you mean: {name}"));
    }
    if let Some(ms) = error.pointer("/data/retry_after_ms").and_then(Value::as_u64) {
        lines.push(format!("retry: in {} s", ms.div_ceil(1000)));
    }
    if let Some(reset) = field(error, "/data/reset_at") {
        lines.push(format!("resets: {reset}"));
    }
    for call in envelope.get("suggested_tool_calls").and_then(Value::as_array).into_iter().flatten() {
        if let Some(command) = suggestion(call) {
            lines.push(format!("try: {command}"));
        }
    }
    lines.join("\n") + "\n"
}

/// A suggested call, as it can be pasted.
fn suggestion(call: &Value) -> Option<String> {
    let mut command = format!("ono-sendai call {}", shell_word(&harmless_line(call.get("tool")?.as_str()?)));
    for (key, value) in call.get("args").and_then(Value::as_object).into_iter().flatten() {
        let value = match value {
            Value::String(text) => harmless_line(text),
            other => harmless_line(&other.to_string()),
        };
        command += &format!(" {}", shell_word(&format!("{}={value}", harmless_line(key))));
    }
    Some(command)
}

fn cost_line(envelope: &Value) -> String {
    let number = |pointer: &str| envelope.pointer(pointer).and_then(Value::as_u64);
    let mut parts = Vec::new();
    match number("/meta/units") {
        Some(1) => parts.push("1 unit".to_owned()),
        Some(units) => parts.push(format!("{units} units")),
        None => {}
    }
    if let Some(tokens) = number("/meta/tokens_estimate") {
        parts.push(format!("about {tokens} tokens"));
    }
    if let Some(id) = envelope.pointer("/meta/request_id").and_then(Value::as_str) {
        parts.push(format!("request {}", harmless_line(id)));
    }
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const PLAIN: Style = Style { readable: true, ansi: false };

    #[test]
    fn an_answer_is_its_text_and_what_it_cost() {
        let result = ToolResult {
            envelope: json!({"ok": true, "error": null, "meta": {"units": 2, "tokens_estimate": 640, "request_id": "r-1"}}),
            text: Some("Four Tet\x1b[31m\nData by hosaka\n".to_owned()),
            failed: false,
        };
        assert_eq!(
            readable(&result, PLAIN),
            "Four Tet[31m\nData by hosaka\n2 units, about 640 tokens, request r-1\n"
        );
        assert!(
            readable(&result, Style { readable: true, ansi: true })
                .ends_with("\x1b[2m2 units, about 640 tokens, request r-1\x1b[0m\n")
        );
    }

    #[test]
    fn an_error_says_what_to_do() {
        let result = ToolResult {
            envelope: json!({
                "ok": false,
                "error": {"type": "invalid_argument", "message": "q is too long.", "data": {"fix_hint": "Shorten q.", "retry_after_ms": 1500}},
                "suggested_tool_calls": [{"tool": "resolve_artist", "args": {"q": "Four Tet", "limit": 5}}],
                "meta": {"units": 0},
            }),
            text: Some("ignored".to_owned()),
            failed: true,
        };
        assert_eq!(
            readable(&result, PLAIN),
            "error: invalid_argument: q is too long.\nfix: Shorten q.\nretry: in 2 s\n\
             try: ono-sendai call resolve_artist limit=5 'q=Four Tet'\n0 units\n"
        );
    }

    #[test]
    fn a_result_without_an_envelope_is_shown_all_the_same() {
        let result = ToolResult { envelope: json!({"content": []}), text: None, failed: true };
        assert_eq!(readable(&result, PLAIN), raw(&result));
    }
}
