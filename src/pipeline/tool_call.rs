//! One tool call: arguments to types, admission, the tool, what its answer costs to read, its two forms.

use std::net::IpAddr;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt as _;
use serde_json::Value;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use super::answer::written;
use super::caller::Caller;
use super::draft::Draft;
use super::parts::Parts;
use super::shaping;
use super::stored::{FORM, StoredAnswer};
use crate::admission::replay::{ReplayKey, SameCall};
use crate::admission::{Admitted, Asker, Kind, Permit};
use crate::answer::{AccountProfile, AccountUsage, Data, Finding};
use crate::crate_client::{CallLedger, Moment};
use crate::cursors::{Owner, Walks};
use crate::envelope::attribution::{Attribution, Origin};
use crate::envelope::error::{Cause, ErrorType, ToolError};
use crate::envelope::meta::{Idempotency, Meta, Quota, View};
use crate::envelope::{ENVELOPE_VERSION, Envelope};
use crate::model::source::Sources;
use crate::profile::{Endpoint, Profile};
use crate::protocol::era::Era;
use crate::protocol::jsonrpc::RequestId;
use crate::protocol::reply::{self, CallResult};
use crate::telemetry::Trace;
use crate::tools::account::AccountView;
use crate::tools::registry::ToolName;
use crate::tools::spec::Access;
use crate::tools::{Call, upstream_error};
use crate::transport::HttpAnswer;

/// When a call is worth another try whose account could not be confirmed, in milliseconds.
const UNCONFIRMED_RETRY_MS: u64 = 5_000;

/// Who calls, and where.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asking<'a> {
    pub(super) caller: &'a Caller,
    pub(super) address: IpAddr,
    pub(super) endpoint: Endpoint,
}

/// Runs a call and writes its answer, whatever comes of it: a fault of a tool is an answer too.
pub(super) async fn run(
    parts: &Parts,
    mut trace: Trace,
    asking: Asking<'_>,
    tool: ToolName,
    arguments: &Value,
    (id, era): (&RequestId, Era),
) -> HttpAnswer {
    let mut spent = Spent::default();
    // Nothing that the tool leaves half done outlives the call: the client is built to be cut short at
    // any point, as every deadline does.
    let attempt = AssertUnwindSafe(attempt(parts, asking, tool, arguments, &mut spent));
    let outcome = attempt.catch_unwind().await.unwrap_or_else(|_panic| Err(unexpected()));
    let finding = match outcome {
        Ok(Found::Now(finding)) => Ok(*finding),
        Ok(Found::Before(stored)) => match replayed(parts, &trace, asking, &spent, &stored, (id, era)) {
            Some(answer) => {
                trace.finish("replay", 0);
                return answer;
            }
            None => Err(unexpected()),
        },
        Ok(Found::Again(stored)) => {
            // It was let in as every call, and it ends as every call.
            let meta = meta(parts, &trace, asking, &spent);
            let settled = match spent.permit.take() {
                Some(permit) => permit.settle(None).await.map(drop),
                None => Ok(()),
            };
            match settled.map(|()| again(&stored, meta, (id, era))) {
                Ok(Some(answer)) => {
                    trace.finish("ok", 0);
                    return answer;
                }
                Ok(None) => Err(unexpected()),
                Err(error) => Err(error),
            }
        }
        Err(error) => Err(error),
    };
    let permit = spent.permit.take();
    let mut meta = meta(parts, &trace, asking, &spent);
    if let Some(permit) = &permit {
        meta.quota = permit.quota();
    }
    let failed =
        |error, meta| Envelope::failure(error, Attribution::of(&Sources::default(), parts.origin), meta);
    let mut envelope = match finding {
        Ok(finding) => Envelope::success(finding, meta),
        Err(error) => failed(error, meta),
    };
    let mut draft = shaping::fit(&mut envelope, parts.origin);
    if let Some((question, moment)) = spent.recent.take()
        && let Some(basis) = spent.ledger.as_ref().and_then(|ledger| parts.client.basis(moment, ledger))
        && let Some(answer) = StoredAnswer::of(&envelope, &draft)
    {
        parts.recent.keep(question, answer, basis, parts.clock.monotonic());
    }
    // What the call spent is durable before its answer is sent.
    if let Some(permit) = permit {
        let kept = spent.is_replayable.then(|| StoredAnswer::of(&envelope, &draft)).flatten();
        match permit.settle(kept).await {
            Ok(settled) => {
                envelope.meta.quota = settled.quota;
                if settled.replay_failed {
                    envelope.meta.idempotency = Idempotency::Unavailable;
                }
            }
            Err(error) => {
                let quota =
                    parts.admission.quota(asking.caller.asker(asking.address, &parts.chatgpt_networks));
                envelope = failed(error, Meta { units: 0, quota, ..envelope.meta });
                draft = Draft::of(&envelope);
            }
        }
    }
    // The figures of the settlement count for its size too.
    let draft = shaping::fit_again(&mut envelope, draft, parts.origin);
    let units = envelope.meta.units;
    let outcome = envelope.error().map_or("ok", |error| error.kind().as_str());
    // A client that reads it in the result can begin the sign-in from within the conversation.
    let challenge = (outcome == ErrorType::Unauthorized.as_str() && asking.caller.account().is_none())
        .then(|| parts.challenges.in_result(asking.endpoint))
        .flatten();
    let answer = write((id, era), &envelope, &draft, challenge.as_deref());
    trace.finish(outcome, units);
    answer
}

/// What a call leads to.
enum Found {
    /// Facts.
    Now(Box<Finding>),
    /// The answer of an identical call of the same account.
    Before(Arc<str>),
    /// What the same question was answered just now, and would be again.
    Again(Arc<str>),
}

/// The stored answer with the facts about this one; `None` when it cannot be read.
fn replayed(
    parts: &Parts,
    trace: &Trace,
    asking: Asking<'_>,
    spent: &Spent,
    stored: &str,
    (id, era): (&RequestId, Era),
) -> Option<HttpAnswer> {
    let stored = StoredAnswer::read(stored)?;
    let truncated = stored.truncated;
    let envelope = stored.envelope(Meta { replay: true, truncated, ..meta(parts, trace, asking, spent) })?;
    let bytes = reply::encode_pieces(id, era, stored.text, &envelope).ok()?;
    Some(HttpAnswer::ok(bytes))
}

/// The answer of just now with the facts about this one.
fn again(stored: &str, meta: Meta, (id, era): (&RequestId, Era)) -> Option<HttpAnswer> {
    let stored = StoredAnswer::read(stored)?;
    let envelope = stored.envelope(Meta { truncated: stored.truncated, ..meta })?;
    Some(HttpAnswer::ok(reply::encode_pieces(id, era, stored.text, &envelope).ok()?))
}

fn unexpected() -> ToolError {
    ToolError::new(ErrorType::Internal, "An unexpected error of the server.")
        .hint("Report it to the operator with meta.request_id.")
}

/// What a call used, as its answer tells it.
#[derive(Default)]
struct Spent {
    /// Held until the answer is made, so that what was used is known whatever becomes of the tool.
    permit: Option<Permit>,
    /// What the call counted, once it was let in.
    ledger: Option<Arc<CallLedger>>,
    /// Whether identical calls may be answered with its answer.
    is_replayable: bool,
    /// The question of a caller without an account and when it was asked, where its answer may be given again.
    recent: Option<(Box<str>, Moment)>,
    view: Option<View>,
    view_coerced: bool,
}

async fn attempt(
    parts: &Parts,
    asking: Asking<'_>,
    tool: ToolName,
    arguments: &Value,
    spent: &mut Spent,
) -> Result<Found, ToolError> {
    let asker = asking.caller.asker(asking.address, &parts.chatgpt_networks);
    let spec = tool.spec();
    let kind = Kind { tool: tool.as_str(), is_discovery: spec.profile == Profile::Full };
    let call = signed_in_enough(parts, asking, tool)
        .and_then(|()| parts.admission.is_open(asker, kind))
        .and_then(|()| Call::parse(tool, arguments));
    // A call that is refused here is a call too.
    parts.admission.pace(asker)?;
    let mut call = call?;
    if asking.caller.account().is_none() {
        call.narrow();
    }
    (spent.view, spent.view_coerced) = call.view();
    let same = same_call(parts, asker, tool, &call);
    spent.is_replayable = same.is_some();
    let permit = match parts.admission.admit(asker, call.most_units(), same).await? {
        Admitted::Run(permit) => spent.permit.insert(*permit),
        Admitted::Replay(stored) => return Ok(Found::Before(stored)),
    };
    permit.ledger().give(parts.tool_deadline);
    spent.ledger = Some(Arc::clone(permit.ledger()));
    if asking.caller.account().is_none() {
        let coerced = if spent.view_coerced { "coerced" } else { "" };
        let question = [tool.as_str(), coerced, &call.canonical()].join(" ");
        if let Some(stored) =
            parts.recent.find(&question, &parts.client, permit.ledger(), parts.clock.monotonic())
        {
            return Ok(Found::Again(stored));
        }
        spent.recent = Some((question.into(), parts.client.moment()));
    }
    let account = account_view(parts, asking, permit);
    let owner = asking.caller.account().map(|(account, _)| Owner::new(*account.id().as_bytes()));
    let walks = Walks { cursors: parts.cursors.as_ref(), owner };
    #[cfg(debug_assertions)]
    planted_fault(tool);
    let run = call.run(&parts.client, permit.ledger(), parts.origin, account.as_ref(), walks);
    let found = tokio::time::timeout(parts.tool_deadline, run).await;
    let found = found
        .unwrap_or_else(|_| Err(upstream_error::deadline_passed(Cause::ToolDeadline, parts.tool_deadline)));
    found.map(|finding| Found::Now(Box::new(finding)))
}

/// Fails as nothing should, so that a test sees from outside what becomes of such a call. No release build has it.
#[cfg(debug_assertions)]
fn planted_fault(tool: ToolName) {
    let is_meant = std::env::var("ONO_PLANTED_FAULT").is_ok_and(|name| name == tool.as_str());
    assert!(!is_meant, "a fault that a test planted");
}

/// What makes two calls the same; `None` for calls that are always answered anew.
fn same_call(parts: &Parts, asker: Asker, tool: ToolName, call: &Call) -> Option<ReplayKey> {
    match asker {
        Asker::Account { id, .. } if call.most_units() > 0 => {
            let (view, coerced) = call.view();
            let source = if parts.origin == Origin::Fixtures { "fixtures" } else { "live" };
            let contract = [ENVELOPE_VERSION, FORM, env!("CARGO_PKG_VERSION"), source].join(" ");
            Some(ReplayKey::of(&SameCall {
                account: id.as_bytes(),
                tool: tool.as_str(),
                arguments: &call.canonical(),
                view: &[view.map_or("-", View::as_str), if coerced { " coerced" } else { "" }].concat(),
                contract: &contract,
            }))
        }
        Asker::Account { .. } | Asker::Anonymous(_) | Asker::Chatgpt(_) => None,
    }
}

/// The caller's own account, as tools may tell it.
fn account_view(parts: &Parts, asking: Asking<'_>, permit: &Permit) -> Option<AccountView> {
    let (_, standing) = asking.caller.account()?;
    let Quota { used, allowance, warning_80, reset_at } = permit.quota()?;
    let limits = parts.admission.account_limits();
    Some(AccountView {
        profile: AccountProfile {
            account_mode: standing.mode.as_str(),
            plan: standing.plan.clone(),
            units_per_month: standing.allowance,
            calls_per_minute: limits.calls_per_minute,
            calls_at_once: limits.calls_at_once,
        },
        usage: AccountUsage {
            used,
            allowance,
            remaining: allowance.saturating_sub(used),
            warning_80,
            reset_at,
        },
    })
}

/// Accounts may call every tool, unless they are switched off; everybody else those that need none.
fn signed_in_enough(parts: &Parts, asking: Asking<'_>, tool: ToolName) -> Result<(), ToolError> {
    match asking.caller.account() {
        Some((_, standing)) if standing.active && !standing.confirmed => {
            Err(ToolError::new(ErrorType::MeteringUnavailable, "The account cannot be confirmed just now.")
                .with("retry_after_ms", UNCONFIRMED_RETRY_MS)
                .hint("Wait for retry_after_ms, then call again; signing in again does not help."))
        }
        Some((_, standing)) if standing.active => Ok(()),
        Some(_) => Err(ToolError::new(ErrorType::Unauthorized, "This account is not active.")
            .hint("Tell the user; signing in again does not change it.")),
        None if tool.spec().access == Access::Anonymous => Ok(()),
        None => {
            let error = ToolError::new(ErrorType::Unauthorized, "This tool is for signed-in accounts.");
            Err(match parts.challenges.metadata() {
                Some(metadata) => {
                    let linked = metadata.endpoint_address(asking.endpoint.linked());
                    error.recoverable(true).hint(format!(
                        "Tell the user to sign in where this client offers it. If it offers nothing, the \
                         connection needs the address {linked}, which asks for a sign-in from the start."
                    ))
                }
                None => error.hint("This server has no sign-in, so the tool cannot be used here."),
            })
        }
    }
}

fn meta(parts: &Parts, trace: &Trace, asking: Asking<'_>, spent: &Spent) -> Meta {
    let account = asking.caller.account();
    let anonymous = account.is_none();
    let ledger = spent.ledger.as_deref();
    Meta {
        request_id: trace.id(),
        generated_at: to_the_second(parts.clock.utc()),
        anonymous,
        account_mode: account.map(|(_, standing)| standing.mode.as_str()),
        client_class: asking.caller.client_class(asking.address, &parts.chatgpt_networks),
        view: spent.view,
        view_coerced: spent.view_coerced,
        units: ledger.map_or(0, CallLedger::units),
        upstream_2xx: ledger.map_or(0, CallLedger::upstream_2xx),
        cache_hit: ledger.is_some_and(CallLedger::cache_hit),
        replay: false,
        tokens_estimate: 0,
        truncated: false,
        trimmed: Vec::new(),
        degraded_limits: parts.admission.has_degraded_limits(),
        anon_budget_bucket: anonymous.then(|| parts.admission.anonymous_bucket()),
        idempotency: Idempotency::Ok,
        quota: parts.admission.quota(asking.caller.asker(asking.address, &parts.chatgpt_networks)),
        fixture_mode: parts.origin == Origin::Fixtures,
    }
}

fn to_the_second(at: OffsetDateTime) -> String {
    at.replace_nanosecond(0).unwrap_or(at).format(&Rfc3339).unwrap_or_default()
}

fn write(
    (id, era): (&RequestId, Era),
    envelope: &Envelope<Data>,
    draft: &Draft,
    challenge: Option<&str>,
) -> HttpAnswer {
    let bytes = if envelope.is_ok() && challenge.is_none() {
        draft.encode(id, era, &envelope.meta)
    } else {
        reply::encode_call(id, era, &CallResult::new(draft.text(), envelope, !envelope.is_ok()), challenge)
    };
    match written(bytes) {
        Ok(bytes) => HttpAnswer::ok(bytes),
        Err(error) => HttpAnswer::with_body(error.status(era), error.to_json(Some(id)).to_string()),
    }
}
