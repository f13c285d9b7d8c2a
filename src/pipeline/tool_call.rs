//! One tool call: arguments to types, admission, the tool, what its answer costs to read, its two forms.

use std::net::IpAddr;
use std::panic::AssertUnwindSafe;

use futures_util::FutureExt as _;
use serde_json::Value;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use super::answer::encoded;
use super::parts::Parts;
use super::shaping;
use crate::admission::Permit;
use crate::answer::{Data, Finding};
use crate::auth::Principal;
use crate::crate_client::CallLedger;
use crate::envelope::Envelope;
use crate::envelope::attribution::{Attribution, Origin};
use crate::envelope::error::{Cause, ErrorType, ToolError};
use crate::envelope::meta::{ClientClass, Idempotency, Meta, View};
use crate::model::source::Sources;
use crate::protocol::era::Era;
use crate::protocol::jsonrpc::RequestId;
use crate::protocol::reply::CallResult;
use crate::render::text;
use crate::telemetry::Trace;
use crate::tools::registry::ToolName;
use crate::tools::spec::Access;
use crate::tools::{Call, upstream_error};
use crate::transport::HttpAnswer;

/// Runs a call and writes its answer, whatever comes of it: a fault of a tool is an answer too.
pub(super) async fn run(
    parts: &Parts,
    mut trace: Trace,
    principal: &Principal,
    address: IpAddr,
    tool: ToolName,
    arguments: &Value,
    (id, era): (&RequestId, Era),
) -> HttpAnswer {
    let mut spent = Spent::default();
    // Nothing that the tool leaves half done outlives the call: the client is built to be cut short at
    // any point, as every deadline does.
    let attempt = AssertUnwindSafe(attempt(parts, principal, address, tool, arguments, &mut spent));
    let outcome = attempt.catch_unwind().await.unwrap_or_else(|_panic| Err(unexpected()));
    let meta = meta(parts, &trace, principal, &spent);
    let units = meta.units;
    let mut envelope = match outcome {
        Ok(finding) => Envelope::success(finding, meta),
        Err(error) => Envelope::failure(error, Attribution::of(&Sources::default(), parts.origin), meta),
    };
    shaping::fit(&mut envelope, parts.origin);
    let outcome = envelope.error().map_or("ok", |error| error.kind().as_str());
    let answer = write(id, era, &envelope);
    trace.finish(outcome, units);
    answer
}

fn unexpected() -> ToolError {
    ToolError::new(ErrorType::Internal, "An unexpected error of the server.")
        .hint("Report it to the operator with meta.request_id.")
}

/// What a call used, as its answer tells it.
#[derive(Default)]
struct Spent {
    /// Held until the answer is written, so that what was used is known whatever becomes of the tool.
    permit: Option<Permit>,
    view: Option<View>,
    view_coerced: bool,
}

async fn attempt(
    parts: &Parts,
    principal: &Principal,
    address: IpAddr,
    tool: ToolName,
    arguments: &Value,
    spent: &mut Spent,
) -> Result<Finding, ToolError> {
    let call = signed_in_enough(principal, tool).and_then(|()| Call::parse(tool, arguments));
    // A call that is refused here is a call too.
    parts.admission.pace(principal, address)?;
    let mut call = call?;
    if principal.is_anonymous() {
        call.narrow();
    }
    (spent.view, spent.view_coerced) = call.view();
    let permit = parts.admission.admit(principal, address, call.most_units())?;
    let ledger = spent.permit.insert(permit).ledger();
    let found =
        tokio::time::timeout(parts.tool_deadline, call.run(&parts.client, ledger, parts.origin)).await;
    found.unwrap_or_else(|_| Err(upstream_error::deadline_passed(Cause::ToolDeadline, parts.tool_deadline)))
}

/// Accounts may call every tool, everybody else those that need none.
fn signed_in_enough(principal: &Principal, tool: ToolName) -> Result<(), ToolError> {
    match tool.spec().access {
        Access::SignedIn if principal.is_anonymous() => {
            Err(ToolError::new(ErrorType::Unauthorized, "This tool is for signed-in accounts.")
                .hint("Sign in, then call again."))
        }
        Access::SignedIn | Access::Anonymous => Ok(()),
    }
}

fn meta(parts: &Parts, trace: &Trace, principal: &Principal, spent: &Spent) -> Meta {
    let anonymous = principal.is_anonymous();
    let ledger = spent.permit.as_ref().map(Permit::ledger);
    Meta {
        request_id: trace.id(),
        generated_at: to_the_second(parts.clock.utc()),
        anonymous,
        account_mode: None,
        client_class: ClientClass::Unknown,
        view: spent.view,
        view_coerced: spent.view_coerced,
        units: ledger.map_or(0, CallLedger::units),
        upstream_2xx: ledger.map_or(0, CallLedger::upstream_2xx),
        cache_hit: false,
        replay: false,
        tokens_estimate: 0,
        truncated: false,
        trimmed: Vec::new(),
        degraded_limits: false,
        anon_budget_bucket: anonymous.then(|| parts.admission.anonymous_bucket()),
        idempotency: Idempotency::Ok,
        quota: None,
        fixture_mode: parts.origin == Origin::Fixtures,
    }
}

fn to_the_second(at: OffsetDateTime) -> String {
    at.replace_nanosecond(0).unwrap_or(at).format(&Rfc3339).unwrap_or_default()
}

fn write(id: &RequestId, era: Era, envelope: &Envelope<Data>) -> HttpAnswer {
    let text = text::render(envelope);
    let is_error = !envelope.is_ok();
    match encoded(id, era, None, &CallResult::new(&text, envelope, is_error)) {
        Ok(bytes) => HttpAnswer::ok(bytes),
        Err(error) => HttpAnswer::with_body(error.status(era), error.to_json(Some(id)).to_string()),
    }
}
