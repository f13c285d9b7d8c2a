//! One tool call: arguments to types, admission, the tool, what its answer costs to read, its two forms.

use std::net::IpAddr;

use serde_json::Value;

use super::answer::{encoded, with_id};
use super::parts::Parts;
use crate::admission::Permit;
use crate::answer::{Data, Finding};
use crate::auth::Principal;
use crate::envelope::Envelope;
use crate::envelope::attribution::Attribution;
use crate::envelope::error::{Cause, ToolError};
use crate::envelope::meta::{ClientClass, Idempotency, Meta, View};
use crate::model::source::Sources;
use crate::protocol::era::Era;
use crate::protocol::jsonrpc::RequestId;
use crate::protocol::reply::CallResult;
use crate::render::text;
use crate::shape;
use crate::telemetry::Trace;
use crate::tools::registry::ToolName;
use crate::tools::{Call, upstream_error};
use crate::transport::HttpAnswer;

/// Runs a call and writes its answer, whatever comes of it.
pub(super) async fn run(
    parts: &Parts,
    trace: &Trace,
    principal: &Principal,
    address: IpAddr,
    tool: ToolName,
    arguments: &Value,
    (id, era): (&RequestId, Era),
) -> HttpAnswer {
    let mut spent = Spent::default();
    let outcome = attempt(parts, principal, address, tool, arguments, &mut spent).await;
    let meta = meta(parts, trace, principal, &spent);
    let envelope = match outcome {
        Ok(finding) => Envelope::success(finding, meta),
        Err(error) => Envelope::failure(error, Attribution::of(&Sources::default(), parts.origin), meta),
    };
    let outcome = envelope.error().map_or("ok", |error| error.kind().as_str());
    trace.finished(&parts.clock, "tools/call", tool.as_str(), outcome, spent.units);
    write(trace, id, era, envelope)
}

/// What a call used, as its answer tells it.
#[derive(Default)]
struct Spent {
    units: u32,
    upstream_2xx: u32,
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
    let call = Call::parse(tool, arguments)?;
    (spent.view, spent.view_coerced) = call.view();
    let permit: Permit = parts.admission.admit(principal, address, call.most_units())?;
    let found =
        tokio::time::timeout(parts.tool_deadline, call.run(&parts.client, permit.ledger(), parts.origin))
            .await;
    spent.units = permit.ledger().units();
    spent.upstream_2xx = permit.ledger().upstream_2xx();
    found.unwrap_or_else(|_| Err(upstream_error::deadline_passed(Cause::ToolDeadline, parts.tool_deadline)))
}

fn meta(parts: &Parts, trace: &Trace, principal: &Principal, spent: &Spent) -> Meta {
    let anonymous = principal.is_anonymous();
    Meta {
        request_id: trace.id(),
        generated_at: trace.at(),
        anonymous,
        account_mode: None,
        client_class: ClientClass::Unknown,
        view: spent.view,
        view_coerced: spent.view_coerced,
        units: spent.units,
        upstream_2xx: spent.upstream_2xx,
        cache_hit: false,
        replay: false,
        tokens_estimate: 0,
        truncated: false,
        degraded_limits: false,
        anon_budget_bucket: anonymous.then(|| parts.admission.anonymous_bucket()),
        idempotency: Idempotency::Ok,
        quota: None,
        fixture_mode: parts.origin == crate::envelope::attribution::Origin::Fixtures,
    }
}

fn write(trace: &Trace, id: &RequestId, era: Era, mut envelope: Envelope<Data>) -> HttpAnswer {
    let text = text::render(&envelope);
    let json = serde_json::to_string(&envelope).unwrap_or_default();
    envelope.meta.tokens_estimate = shape::tokens(&text) + shape::tokens(&json);
    let is_error = !envelope.is_ok();
    let body = encoded(id, era, None, &CallResult::new(&text, &envelope, is_error));
    with_id(
        trace,
        match body {
            Ok(bytes) => HttpAnswer::ok(bytes),
            Err(error) => HttpAnswer::with_body(error.status(era), error.to_json(Some(id)).to_string()),
        },
    )
}
