//! Why a call was not answered, in a closed vocabulary.

use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

use super::degraded::Degraded;
use super::next::{NextAction, SuggestedCall};

/// Every kind of failure a tool can answer with. Closed: the docs, the schema, the capabilities and
/// the tool descriptions are tested against [`ErrorType::ALL`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorType {
    /// An argument failed validation.
    InvalidArgument,
    /// One of several alternative arguments is needed and none was given.
    OneOfRequired,
    /// A limit or a range is above the tool's maximum.
    RangeTooLarge,
    /// An argument looks like a placeholder.
    PlaceholderDetected,
    /// The tool needs a sign-in.
    Unauthorized,
    /// Reserved; not issued.
    InsufficientScope,
    /// The account's allowance is used up.
    QuotaExceeded,
    /// Anonymous capacity is used up or paused.
    AnonymousCapacityExhausted,
    /// Too many calls a minute, or at once.
    RateLimited,
    /// The shared capacity for accounts is exhausted for now.
    LinkedCapacityExhausted,
    /// The identical request is already running.
    RequestInProgress,
    /// The data service is in a degraded window.
    UpstreamDegraded,
    /// The data service answered with an error, or a deadline passed.
    UpstreamError,
    /// The call could not be metered, so it was not served.
    MeteringUnavailable,
    /// The tool is switched off for now.
    ToolDisabled,
    /// Reserved; not issued.
    IdempotencyConflict,
    /// An unexpected error of the server.
    Internal,
}

/// A property of an error that is fixed, or that depends on the case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Property {
    /// Always so.
    Yes,
    /// Never so.
    No,
    /// Depends on the case.
    Varies,
    /// The code is not issued.
    Reserved,
}

impl Property {
    /// The word in docs and capabilities.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Yes => "yes",
            Self::No => "no",
            Self::Varies => "varies",
            Self::Reserved => "reserved",
        }
    }
}

impl ErrorType {
    /// Every type, in the order of the documentation.
    pub const ALL: [Self; 17] = [
        Self::InvalidArgument,
        Self::OneOfRequired,
        Self::RangeTooLarge,
        Self::PlaceholderDetected,
        Self::Unauthorized,
        Self::InsufficientScope,
        Self::QuotaExceeded,
        Self::AnonymousCapacityExhausted,
        Self::RateLimited,
        Self::LinkedCapacityExhausted,
        Self::RequestInProgress,
        Self::UpstreamDegraded,
        Self::UpstreamError,
        Self::MeteringUnavailable,
        Self::ToolDisabled,
        Self::IdempotencyConflict,
        Self::Internal,
    ];

    /// The word on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.row().0
    }

    /// Whether the caller can do something about it.
    #[must_use]
    pub fn recoverable(self) -> Property {
        self.row().1
    }

    /// Whether the same call may succeed after a short wait.
    #[must_use]
    pub fn retryable(self) -> Property {
        self.row().2
    }

    /// What it means and what to do, in one sentence.
    #[must_use]
    pub fn meaning(self) -> &'static str {
        self.row().3
    }

    /// The one table: word, recoverable, retryable, meaning.
    fn row(self) -> (&'static str, Property, Property, &'static str) {
        use Property::{No, Reserved, Varies, Yes};
        match self {
            Self::InvalidArgument => (
                "invalid_argument",
                Yes,
                No,
                "an argument failed validation; fix what data.param names and call again",
            ),
            Self::OneOfRequired => (
                "one_of_required",
                Yes,
                No,
                "the tool needs one of several alternative arguments and got none",
            ),
            Self::RangeTooLarge => {
                ("range_too_large", Yes, No, "a limit exceeds the maximum that data names; lower it")
            }
            Self::PlaceholderDetected => (
                "placeholder_detected",
                Yes,
                No,
                "an argument looks like a placeholder; resolve the real value first",
            ),
            Self::Unauthorized => ("unauthorized", Varies, No, "the tool needs a sign-in"),
            Self::InsufficientScope => ("insufficient_scope", Reserved, Reserved, "reserved, not issued"),
            Self::QuotaExceeded => (
                "quota_exceeded",
                No,
                No,
                "the allowance of the period is used up; data.reset_at says when it resets",
            ),
            Self::AnonymousCapacityExhausted => (
                "anonymous_capacity_exhausted",
                Yes,
                Yes,
                "anonymous capacity is used up; sign in or retry later",
            ),
            Self::RateLimited => ("rate_limited", Yes, Yes, "too many calls; wait for data.retry_after_ms"),
            Self::LinkedCapacityExhausted => (
                "linked_capacity_exhausted",
                Yes,
                Yes,
                "the shared capacity is exhausted; retry in a few minutes",
            ),
            Self::RequestInProgress => (
                "request_in_progress",
                Yes,
                Yes,
                "the identical request is running; wait for data.retry_after_ms",
            ),
            Self::UpstreamDegraded => {
                ("upstream_degraded", Yes, Yes, "the data service is degraded; retry after 30 seconds")
            }
            Self::UpstreamError => (
                "upstream_error",
                Varies,
                Varies,
                "the data service failed or a deadline passed; see data.cause",
            ),
            Self::MeteringUnavailable => (
                "metering_unavailable",
                Yes,
                Yes,
                "the call could not be metered and was not served; retry shortly",
            ),
            Self::ToolDisabled => {
                ("tool_disabled", Yes, Varies, "the tool is switched off for now; see data.fix_hint")
            }
            Self::IdempotencyConflict => ("idempotency_conflict", Reserved, Reserved, "reserved, not issued"),
            Self::Internal => ("internal", No, No, "an unexpected server error; report meta.request_id"),
        }
    }
}

/// Why an upstream call failed, as `data.cause` says it. Closed vocabulary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// One upstream call exceeded its deadline.
    CallDeadline,
    /// The whole tool exceeded its deadline.
    ToolDeadline,
    /// The client cancelled the request.
    ClientAbort,
}

impl Cause {
    /// Every cause.
    pub const ALL: [Self; 3] = [Self::CallDeadline, Self::ToolDeadline, Self::ClientAbort];

    /// The word on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::CallDeadline => "call_deadline",
            Self::ToolDeadline => "tool_deadline",
            Self::ClientAbort => "client_abort",
        }
    }
}

/// An error as a tool answers it. Its texts are ours: no argument and no upstream text is repeated.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ToolError {
    #[serde(rename = "type")]
    kind: ErrorType,
    message: String,
    recoverable: bool,
    retryable: bool,
    data: ErrorData,
    #[serde(skip)]
    pub(super) next_actions: Vec<NextAction>,
    #[serde(skip)]
    pub(super) suggested_tool_calls: Vec<SuggestedCall>,
    #[serde(skip)]
    pub(super) degraded: Option<Degraded>,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct ErrorData(Vec<(&'static str, Value)>);

impl Serialize for ErrorData {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

impl ToolError {
    /// An error whose two properties are the fixed ones of its type; where they vary, the careful
    /// reading holds until [`Self::recoverable`] or [`Self::retryable`] says otherwise.
    #[must_use]
    pub fn new(kind: ErrorType, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            recoverable: kind.recoverable() == Property::Yes,
            retryable: kind.retryable() == Property::Yes,
            data: ErrorData::default(),
            next_actions: Vec::new(),
            suggested_tool_calls: Vec::new(),
            degraded: None,
        }
    }

    /// Adds one specific under `data`.
    #[must_use]
    pub fn with(mut self, key: &'static str, value: impl Into<Value>) -> Self {
        self.data.0.push((key, value.into()));
        self
    }

    /// Says how to fix the call.
    #[must_use]
    pub fn hint(self, hint: impl Into<String>) -> Self {
        self.with("fix_hint", hint.into())
    }

    /// Settles a property that varies.
    #[must_use]
    pub fn recoverable(mut self, recoverable: bool) -> Self {
        self.recoverable = recoverable;
        self
    }

    /// Settles a property that varies.
    #[must_use]
    pub fn retryable(mut self, retryable: bool) -> Self {
        self.retryable = retryable;
        self
    }

    /// Adds the corrected call.
    #[must_use]
    pub fn suggest(mut self, tool: &'static str, args: Map<String, Value>) -> Self {
        self.suggested_tool_calls.push(SuggestedCall::new(tool, args));
        self
    }

    /// Adds a recommended follow-up.
    #[must_use]
    pub fn next(mut self, action: NextAction) -> Self {
        self.next_actions.push(action);
        self
    }

    /// Says that the service is degraded.
    #[must_use]
    pub fn degraded(mut self, degraded: Degraded) -> Self {
        self.degraded = Some(degraded);
        self
    }

    /// The corrected calls.
    #[must_use]
    pub fn suggested_tool_calls(&self) -> &[SuggestedCall] {
        &self.suggested_tool_calls
    }

    /// Its type.
    #[must_use]
    pub fn kind(&self) -> ErrorType {
        self.kind
    }

    /// What a person reads.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// One specific under `data`.
    #[must_use]
    pub fn datum(&self, key: &str) -> Option<&Value> {
        self.data.0.iter().find(|(name, _)| *name == key).map(|(_, value)| value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_error_type_is_spelled_the_same_in_code_and_on_the_wire() {
        for kind in ErrorType::ALL {
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.as_str());
        }
    }

    #[test]
    fn an_error_carries_the_fixed_properties_of_its_type() {
        let error = serde_json::to_value(
            ToolError::new(ErrorType::RateLimited, "slow down").with("retry_after_ms", 2000),
        )
        .unwrap();
        assert_eq!(
            error,
            serde_json::json!({"type": "rate_limited", "message": "slow down", "recoverable": true,
                "retryable": true, "data": {"retry_after_ms": 2000}})
        );
    }
}
