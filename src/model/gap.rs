//! What is missing, and why. A gap says that hosaka does not hold a fact, never that it is not so.

use serde::Serialize;

/// Why a fact is missing. Closed: docs, schema and code are tested against [`GapReason::ALL`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum GapReason {
    /// Nothing verified stands behind the name or id that was asked for.
    NoVerifiedIdentity,
    /// The data service holds no record under that key.
    NotFoundUpstream,
    /// The data service could not answer just now.
    UpstreamDegraded,
    /// The data service does not cover this kind of fact.
    NotCovered,
    /// The data service says itself that it has no value.
    HonestGap,
    /// The fact hangs on an identity that is not certain enough.
    AmbiguousBind,
    /// The value is not measured for this artist.
    NotMeasured,
    /// The data service sent something that cannot be read as this fact.
    MalformedUpstream,
    /// The data service refused to be asked for it.
    RefusedUpstream,
}

impl GapReason {
    /// Every reason.
    pub const ALL: [Self; 9] = [
        Self::NoVerifiedIdentity,
        Self::NotFoundUpstream,
        Self::UpstreamDegraded,
        Self::NotCovered,
        Self::HonestGap,
        Self::AmbiguousBind,
        Self::NotMeasured,
        Self::MalformedUpstream,
        Self::RefusedUpstream,
    ];

    /// The word on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NoVerifiedIdentity => "no_verified_identity",
            Self::NotFoundUpstream => "not_found_upstream",
            Self::UpstreamDegraded => "upstream_degraded",
            Self::NotCovered => "not_covered",
            Self::HonestGap => "honest_gap",
            Self::AmbiguousBind => "ambiguous_bind",
            Self::NotMeasured => "not_measured",
            Self::MalformedUpstream => "malformed_upstream",
            Self::RefusedUpstream => "refused_upstream",
        }
    }

    /// What a reader is told.
    #[must_use]
    pub fn meaning(self) -> &'static str {
        match self {
            Self::NoVerifiedIdentity => "hosaka has no verified record for it",
            Self::NotFoundUpstream => "hosaka holds no record under that key",
            Self::UpstreamDegraded => "the data service could not answer just now",
            Self::NotCovered => "hosaka does not cover this",
            Self::HonestGap => "hosaka holds no value for it",
            Self::AmbiguousBind => "the identity is not certain enough to attach it",
            Self::NotMeasured => "it is not measured for this artist",
            Self::MalformedUpstream => "the data service sent a value that cannot be read",
            Self::RefusedUpstream => "the data service refused the request",
        }
    }
}

/// A fact that is there, or the reason why it is not.
pub type Fact<T> = Result<T, GapReason>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_is_spelled_the_same_in_code_and_on_the_wire() {
        for reason in GapReason::ALL {
            assert_eq!(serde_json::to_value(reason).unwrap(), reason.as_str());
            assert!(!reason.meaning().is_empty());
        }
    }
}
