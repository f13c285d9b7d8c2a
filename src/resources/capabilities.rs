//! `hosaka://capabilities`: what the server can do, from the values that it runs by.

use std::time::Duration;

use serde_json::{Value, json};

use crate::admission::AdmissionLimits;
use crate::answer::LINKS_SHOWN;
use crate::auth::Metadata;
use crate::clock::whole_ms;
use crate::envelope::ENVELOPE_VERSION;
use crate::envelope::error::{ErrorType, Property};
use crate::envelope::identity::CANDIDATES_MAX;
use crate::envelope::untrusted::UNTRUSTED_TEXTS_MAX;
use crate::model::prose::PROSE_MAX_CHARS;
use crate::model::text::NAME_MAX_CHARS;
use crate::profile::Endpoint;
use crate::protocol::era::Era;
use crate::protocol::reply::SERVER_INFO;
use crate::shape::{HARD_TOKENS, SOFT_TOKENS};
use crate::tools::registry::ToolName;

/// The document. Both deadlines are those of one call and of a whole tool.
#[must_use]
pub fn document(
    limits: &AdmissionLimits,
    (call_deadline, tool_deadline): (Duration, Duration),
    sign_in: Option<&Metadata>,
    fixture_mode: bool,
) -> Value {
    json!({
        "server": SERVER_INFO,
        "envelope_version": ENVELOPE_VERSION,
        "protocol_versions": Era::ALL.map(Era::version),
        "fixture_mode": fixture_mode,
        "auth": auth(sign_in),
        "tools": ToolName::ALL.map(|tool| tool.spec().capability()),
        "limits": {
            "response_tokens_soft": SOFT_TOKENS,
            "response_tokens_hard": HARD_TOKENS,
            "anonymous_calls_per_minute": limits.anonymous_calls_per_minute,
            "account_calls_per_minute": limits.account.calls_per_minute,
            "account_calls_at_once": limits.account.calls_at_once,
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

/// How to sign in, and what works without.
fn auth(sign_in: Option<&Metadata>) -> Value {
    match sign_in {
        None => json!({"sign_in": "not offered by this server", "anonymous": "the tools marked anonymous"}),
        Some(metadata) => json!({
            "sign_in": "OAuth 2.1, bearer token in the Authorization header",
            "resource_metadata": metadata.address(Endpoint::CORE),
            "issuer": metadata.issuer(),
            "scopes": metadata.scopes(),
            "sign_in_from_the_first_request": metadata.endpoint_address(Endpoint::CORE.linked()),
            "anonymous": "the tools marked anonymous",
        }),
    }
}
