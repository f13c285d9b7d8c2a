//! `hosaka://capabilities`: what the server can do, from the values that it runs by.

use std::time::Duration;

use serde_json::{Value, json};

use crate::admission::AdmissionLimits;
use crate::answer::LINKS_SHOWN;
use crate::clock::whole_ms;
use crate::envelope::ENVELOPE_VERSION;
use crate::envelope::error::{ErrorType, Property};
use crate::envelope::identity::CANDIDATES_MAX;
use crate::envelope::untrusted::UNTRUSTED_TEXTS_MAX;
use crate::model::prose::PROSE_MAX_CHARS;
use crate::model::text::NAME_MAX_CHARS;
use crate::protocol::era::Era;
use crate::protocol::reply::SERVER_INFO;
use crate::shape::{HARD_TOKENS, SOFT_TOKENS};
use crate::tools::registry::ToolName;

/// The document.
#[must_use]
pub fn document(
    limits: &AdmissionLimits,
    call_deadline: Duration,
    tool_deadline: Duration,
    fixture_mode: bool,
) -> Value {
    json!({
        "server": SERVER_INFO,
        "envelope_version": ENVELOPE_VERSION,
        "protocol_versions": Era::ALL.map(Era::version),
        "fixture_mode": fixture_mode,
        "auth": {"sign_in": "not offered by this server", "anonymous": "the tools whose auth is anonymous"},
        "tools": ToolName::ALL.map(|tool| tool.spec().capability()),
        "limits": {
            "response_tokens_soft": SOFT_TOKENS,
            "response_tokens_hard": HARD_TOKENS,
            "anonymous_calls_per_minute": limits.anonymous_calls_per_minute,
            "call_deadline_ms": whole_ms(call_deadline),
            "tool_deadline_ms": whole_ms(tool_deadline),
            "name_max_chars": NAME_MAX_CHARS,
            "links_shown": LINKS_SHOWN,
            "candidates_max": CANDIDATES_MAX,
            "untrusted_texts_max": UNTRUSTED_TEXTS_MAX,
            "untrusted_text_max_chars": PROSE_MAX_CHARS,
        },
        "errors": ErrorType::ALL.map(|kind| json!({
            "type": kind.as_str(),
            "recoverable": kind.recoverable().as_str(),
            "retryable": kind.retryable().as_str(),
            "issued": kind.retryable() != Property::Reserved,
            "meaning": kind.meaning(),
        })),
    })
}
