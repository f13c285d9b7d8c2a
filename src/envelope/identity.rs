//! How the assessment of an identity looks in an answer.

use serde::{Serialize, Serializer};

use crate::identity::{AmbiguityState, Assessment};
use crate::model::text::CleanName;

/// How sure the identity is, why, and who else it could be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Ambiguity {
    #[serde(serialize_with = "word")]
    state: AmbiguityState,
    reasons: Vec<String>,
    candidates: Vec<CandidateRow>,
    #[serde(skip)]
    is_cut: bool,
}

/// The most candidates in one answer; `meta.truncated` says that there are more.
pub const CANDIDATES_MAX: usize = 10;

/// One artist that may be meant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CandidateRow {
    cluster_id: String,
    name: CleanName,
    #[serde(skip_serializing_if = "Option::is_none")]
    tier: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    support: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<CleanName>,
}

fn word<S: Serializer>(state: &AmbiguityState, out: S) -> Result<S::Ok, S::Error> {
    out.serialize_str(state.as_str())
}

impl Ambiguity {
    /// How sure it is.
    #[must_use]
    pub fn state(&self) -> AmbiguityState {
        self.state
    }

    /// The reasons' words.
    #[must_use]
    pub fn reasons(&self) -> &[String] {
        &self.reasons
    }

    /// Whether there are more candidates than are listed.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// Keeps the first `count` of those who may be meant.
    pub(super) fn keep(&mut self, count: usize) {
        self.is_cut |= count < self.candidates.len();
        self.candidates.truncate(count);
    }

    /// Who may be meant.
    #[must_use]
    pub fn candidates(&self) -> &[CandidateRow] {
        &self.candidates
    }
}

impl CandidateRow {
    /// The name to show.
    #[must_use]
    pub fn name(&self) -> &CleanName {
        &self.name
    }

    /// The id to pass on.
    #[must_use]
    pub fn cluster_id(&self) -> &str {
        &self.cluster_id
    }

    /// What tells it from the others.
    #[must_use]
    pub fn hint(&self) -> Option<&CleanName> {
        self.hint.as_ref()
    }
}

impl From<&Assessment> for Ambiguity {
    fn from(assessment: &Assessment) -> Self {
        Self {
            state: assessment.state,
            reasons: assessment.reasons.iter().map(ToString::to_string).collect(),
            candidates: assessment
                .candidates
                .iter()
                .take(CANDIDATES_MAX)
                .filter_map(|candidate| {
                    Some(CandidateRow {
                        cluster_id: candidate.cluster_id.to_string(),
                        name: CleanName::new(&candidate.name)?,
                        tier: candidate.tier.map(|tier| tier.as_str()),
                        support: candidate.support,
                        hint: candidate.hint.as_deref().and_then(CleanName::new),
                    })
                })
                .collect(),
            is_cut: assessment.candidates.len() > CANDIDATES_MAX,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::identity::{Candidate, ClusterId};

    #[test]
    fn a_long_list_of_candidates_is_cut_and_says_so() {
        let candidate = |n: usize| Candidate {
            cluster_id: ClusterId::parse(&format!("{n:064x}")).unwrap(),
            name: "X".to_owned(),
            tier: None,
            support: None,
            hint: None,
            discogs_id: None,
            mbid: None,
        };
        let of = |count: usize| {
            Ambiguity::from(&Assessment {
                state: AmbiguityState::NameCollision,
                reasons: Vec::new(),
                candidates: (0..count).map(candidate).collect(),
            })
        };
        assert_eq!((of(10).candidates().len(), of(10).is_cut()), (10, false));
        assert_eq!((of(500).candidates().len(), of(500).is_cut()), (10, true));
    }
}
