//! What an answer cost and how it came about.

use serde::Serialize;

/// How much of the shared anonymous budget is left. Closed vocabulary; thresholds are not published.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum BudgetBucket {
    /// Plenty.
    High,
    /// Less than plenty.
    Medium,
    /// Nearly used up.
    Low,
}

impl BudgetBucket {
    /// Every bucket.
    pub const ALL: [Self; 3] = [Self::High, Self::Medium, Self::Low];
}

/// Which kind of client was served. Closed vocabulary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ClientClass {
    /// Known by the client id of its token.
    Chatgpt,
    /// Known by its published addresses.
    ChatgptIp,
    /// Signed in by another client.
    LinkedGeneric,
    /// Nothing is known of it.
    Unknown,
}

impl ClientClass {
    /// Every class.
    pub const ALL: [Self; 4] = [Self::Chatgpt, Self::ChatgptIp, Self::LinkedGeneric, Self::Unknown];
}

/// How much of an artist is shown. Closed vocabulary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum View {
    /// The card that needs no account.
    Summary,
    /// The usual card.
    Standard,
    /// Everything that fits.
    Full,
}

impl View {
    /// Every view.
    pub const ALL: [Self; 3] = [Self::Summary, Self::Standard, Self::Full];

    /// The word on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Summary => "summary",
            Self::Standard => "standard",
            Self::Full => "full",
        }
    }
}

/// Whether a repeated call would be recognised. Closed vocabulary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Idempotency {
    /// Replay protection applied, or none was needed.
    Ok,
    /// Replay protection could not be applied to this call.
    Unavailable,
}

/// The facts about the answer itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[expect(clippy::struct_excessive_bools, reason = "each is one published key")]
pub struct Meta {
    /// To be quoted when reporting a problem; a UUIDv7.
    pub request_id: String,
    /// When the answer was made, in UTC.
    pub generated_at: String,
    /// Whether the caller had no account.
    pub anonymous: bool,
    /// `interim` or `hooked` for accounts.
    pub account_mode: Option<&'static str>,
    /// Which kind of client was served.
    pub client_class: ClientClass,
    /// The view that was served, for tools that have views.
    pub view: Option<View>,
    /// Whether a smaller view than asked for was served.
    pub view_coerced: bool,
    /// Units metered for this call.
    pub units: u32,
    /// Successful calls to the data service behind it.
    pub upstream_2xx: u32,
    /// Whether a short-lived copy was served.
    pub cache_hit: bool,
    /// Whether a stored answer was served.
    pub replay: bool,
    /// What this result costs its reader, text plus JSON, in tokens.
    pub tokens_estimate: u32,
    /// Whether the hard cap shortened the main collection.
    pub truncated: bool,
    /// Includes that were shortened to keep the usual size; the key is absent when there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub trimmed: Vec<Trimmed>,
    /// Whether the server runs with reduced limits.
    pub degraded_limits: bool,
    /// What is left of the anonymous budget; `None` for accounts.
    pub anon_budget_bucket: Option<BudgetBucket>,
    /// Whether replay protection applied.
    pub idempotency: Idempotency,
    /// Use of the account's allowance; `None` for anonymous callers.
    pub quota: Option<Quota>,
    /// Whether the answers come from the demo catalogue.
    pub fixture_mode: bool,
}

/// Use of an account's allowance in the current period.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Quota {
    /// Units used.
    pub used: u64,
    /// Units allowed.
    pub allowance: u64,
    /// Whether four fifths are used.
    pub warning_80: bool,
    /// When the period ends, in UTC.
    pub reset_at: String,
}

/// An include that was shortened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Trimmed {
    /// Where it stands in the envelope.
    pub path: &'static str,
    /// How many rows are left; they are the first ones.
    pub kept: usize,
    /// How many there were.
    pub total: usize,
}
