//! What a caller is told when a signal was not available just now.

use serde::Serialize;

/// How much is left of a signal. Closed vocabulary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FallbackTier {
    /// The service is not being asked for a while.
    Unavailable,
    /// The service itself says that its answer is degraded.
    Suspect,
    /// A signal is missing or was too slow.
    NoSignal,
}

/// What to do about it. Closed vocabulary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum RecommendedAction {
    /// Ask again in half a minute.
    #[serde(rename = "retry_after_30s")]
    RetryAfter30s,
    /// Check the facts later.
    #[serde(rename = "verify_later")]
    VerifyLater,
    /// Ask again later.
    #[serde(rename = "retry_later")]
    RetryLater,
}

/// A signal that was not available.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Degraded {
    fallback_tier: FallbackTier,
    recommended_action: RecommendedAction,
}

impl FallbackTier {
    /// Every tier.
    pub const ALL: [Self; 3] = [Self::Unavailable, Self::Suspect, Self::NoSignal];

    /// The word on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Unavailable => "unavailable",
            Self::Suspect => "suspect",
            Self::NoSignal => "no_signal",
        }
    }

    /// The action that goes with it; each tier has exactly one.
    #[must_use]
    pub fn action(self) -> RecommendedAction {
        match self {
            Self::Unavailable => RecommendedAction::RetryAfter30s,
            Self::Suspect => RecommendedAction::VerifyLater,
            Self::NoSignal => RecommendedAction::RetryLater,
        }
    }
}

impl RecommendedAction {
    /// Every action.
    pub const ALL: [Self; 3] = [Self::RetryAfter30s, Self::VerifyLater, Self::RetryLater];

    /// The word on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::RetryAfter30s => "retry_after_30s",
            Self::VerifyLater => "verify_later",
            Self::RetryLater => "retry_later",
        }
    }
}

impl Degraded {
    /// The notice for `tier`.
    #[must_use]
    pub fn at(tier: FallbackTier) -> Self {
        Self { fallback_tier: tier, recommended_action: tier.action() }
    }

    /// What a person is told.
    #[must_use]
    pub fn sentence(self) -> &'static str {
        match self.fallback_tier {
            FallbackTier::Unavailable => "The data service is not answering just now; retry in 30 seconds.",
            FallbackTier::Suspect => "The data service calls this answer degraded; verify it later.",
            FallbackTier::NoSignal => "A signal was missing just now; retry later.",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_on_the_wire_are_the_words_in_the_code() {
        for tier in FallbackTier::ALL {
            assert_eq!(serde_json::to_value(tier).unwrap(), tier.as_str());
            assert_eq!(serde_json::to_value(tier.action()).unwrap(), tier.action().as_str());
        }
    }
}
