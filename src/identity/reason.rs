//! The closed vocabularies of ambiguity: six states, and the reasons that explain them.
//!
//! Words only; which of them apply is decided in `assess`.

use std::fmt;

use super::locator::{DiscogsId, Mbid};

/// How sure an identity is. The order of the variants carries no meaning; see [`AmbiguityState::PRECEDENCE`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AmbiguityState {
    /// One verified identity, no competing exact-name record.
    None,
    /// Several artists share the exact name.
    NameCollision,
    /// Observed in hosaka's own signals, not a verified catalogue identity.
    Observed,
    /// The record is known to merge more than one artist.
    OverMerged,
    /// Nothing verified matched the input.
    Unresolved,
    /// It cannot be told whether the name is unique.
    Unknown,
}

impl AmbiguityState {
    /// Every state.
    pub const ALL: [Self; 6] =
        [Self::None, Self::NameCollision, Self::Observed, Self::OverMerged, Self::Unresolved, Self::Unknown];

    /// Of several states that apply, the first in this order is the one to tell.
    pub const PRECEDENCE: [Self; 6] =
        [Self::OverMerged, Self::NameCollision, Self::Unresolved, Self::Observed, Self::Unknown, Self::None];

    /// The word of the public vocabulary.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::NameCollision => "name_collision",
            Self::Observed => "observed",
            Self::OverMerged => "over_merged",
            Self::Unresolved => "unresolved",
            Self::Unknown => "unknown",
        }
    }

    /// What the state says, in one line for people.
    #[must_use]
    pub fn meaning(self) -> &'static str {
        match self {
            Self::None => "one verified identity, no competing exact-name record",
            Self::NameCollision => "several artists share the exact name: ask which one",
            Self::Observed => "observed in hosaka's own signals, not a verified catalogue identity",
            Self::OverMerged => "the record is known to merge more than one artist: facts may be mixed",
            Self::Unresolved => "nothing verified matched the input",
            Self::Unknown => "hosaka cannot tell whether the name is unique",
        }
    }
}

impl fmt::Display for AmbiguityState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What kind of locator identified an artist without a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LocatorKind {
    /// hosaka's own id.
    ClusterId,
    /// A Discogs artist number.
    DiscogsId,
    /// A MusicBrainz id.
    Mbid,
    /// An artist's link.
    Url,
    /// The code of a recording.
    Isrc,
    /// A recording named by artist and title together.
    ArtistTrack,
    /// A slug from an earlier answer.
    Slug,
}

impl LocatorKind {
    /// Every kind.
    pub const ALL: [Self; 7] =
        [Self::ClusterId, Self::DiscogsId, Self::Mbid, Self::Url, Self::Isrc, Self::ArtistTrack, Self::Slug];

    /// The word of the public vocabulary.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ClusterId => "cluster_id",
            Self::DiscogsId => "discogs_id",
            Self::Mbid => "mbid",
            Self::Url => "url",
            Self::Isrc => "isrc",
            Self::ArtistTrack => "artist_track",
            Self::Slug => "slug",
        }
    }
}

/// An id of another catalogue by which somebody asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AskedId {
    /// A Discogs artist number.
    Discogs(DiscogsId),
    /// A MusicBrainz id.
    Mbid(Mbid),
}

impl fmt::Display for AskedId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Discogs(id) => id.fmt(f),
            Self::Mbid(id) => id.fmt(f),
        }
    }
}

/// One explanation of a state. Displays as the word of the public vocabulary, numbers included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reason {
    /// The dossier says that its record holds more than one Discogs artist.
    DossierOverMerge,
    /// The data service listed same-name siblings; the number counts them and the resolved artist.
    SameNameClusters(u32),
    /// The name matched only after folding marks, `&`/`and`, a leading `The` or dots.
    FoldedMatch,
    /// The identity was asked by a locator, so no name was compared.
    Locator(LocatorKind),
    /// The lookup was by name and no probe result reached the assessment.
    ProbeNotRun,
    /// The name holds no letter or digit.
    ProbeNotComparable,
    /// The probe failed upstream.
    ProbeUnavailable,
    /// So many verified artists carry this exact name.
    ProbeDistinctVerifiedClusters(u32),
    /// Exactly one verified exact-name record, the resolved one.
    ProbeSingle,
    /// No exact-name row at all.
    ProbeNoExactRows,
    /// Exact-name rows exist but none is bound to an identity.
    ProbeNoBoundRows,
    /// So many exact-name rows were not bound.
    ProbeUnboundExact(u32),
    /// So many rows carry a Discogs number behind the name.
    ProbeSuffixVariants(u32),
    /// The asked name and the resolved record disagree about a Discogs number.
    DisambiguationSuffix,
    /// The identity is observed, not verified.
    ObservedTier,
    /// The identity matched without a cluster id.
    NoCluster,
    /// The data service holds no record for the input.
    NoRecord,
    /// The data service offered so many observed records whose names begin alike.
    PrefixCandidates(u32),
    /// The dossier says in a way that cannot be read whether its record holds more than one artist.
    DossierOverMergeUnreadable,
    /// The record's slug cannot be read, and with it the number that it may carry.
    SlugUnreadable,
    /// The record does not carry the id that was asked for.
    AskedId(AskedId),
}

impl Reason {
    /// The whole vocabulary for documentation: pattern and meaning, in the order in which reasons are listed.
    pub const TABLE: [(&'static str, &'static str); 21] = [
        (
            "dossier:over_merge",
            "the dossier counts more than one Discogs artist in this record; state is `over_merged`",
        ),
        (
            "same_name_clusters:<n>",
            "the data service itself lists `<n>` artists of this name, the resolved one included; state is \
             `name_collision`, no probe was needed",
        ),
        (
            "folded_match",
            "no record has the name as typed; it matched after folding marks, `&`/`and`, a leading `The` or dots",
        ),
        (
            "locator:<kind>",
            "identified by `cluster_id`, `discogs_id`, `mbid`, `url`, `isrc`, `artist_track` or `slug`; no name was compared",
        ),
        ("same_name_probe:not_run", "the lookup was by name but the probe did not run; state is `unknown`"),
        ("same_name_probe:not_comparable", "the name holds no letter or digit (`!!!`); state is `unknown`"),
        ("same_name_probe:unavailable", "the probe failed upstream; state is `unknown`"),
        (
            "same_name_probe:<n>_distinct_verified_clusters",
            "`<n>` verified artists carry this exact name; state is `name_collision`",
        ),
        ("same_name_probe:single", "exactly one verified exact-name record, the resolved one"),
        ("same_name_probe:no_exact_rows", "the probe returned no exact-name row; nothing competes"),
        (
            "same_name_probe:no_bound_rows",
            "exact-name rows exist but none is bound to an identity; state is `unknown`",
        ),
        (
            "same_name_probe:unbound_exact:<k>",
            "`<k>` exact-name rows were not bound (a hint beside another reason)",
        ),
        (
            "same_name_probe:suffix_variants:<k>",
            "`<k>` rows carry a Discogs number such as `Name (2)`; homonyms likely exist",
        ),
        (
            "identity:disambiguation_suffix",
            "only one of the asked name and the resolved record carries a Discogs number, or they differ",
        ),
        (
            "identity:observed_tier",
            "observed in hosaka's own signals without a catalogue binding; state is `observed`",
        ),
        ("identity:no_cluster", "a record matched but has no cluster id, so rows cannot be compared with it"),
        ("identity:no_record", "the data service holds no record for the input; state is `unresolved`"),
        (
            "identity:prefix_candidates:<k>",
            "`<k>` observed records whose names begin alike were offered instead",
        ),
        (
            "dossier:over_merge_unreadable",
            "the dossier's count of merged Discogs artists cannot be read; state is `unknown`",
        ),
        (
            "identity:slug_unreadable",
            "the record's slug cannot be read, so neither can a number in it that tells homonyms apart; state is \
             `unknown`",
        ),
        (
            "identity:asked:<id>",
            "the record does not carry the id that was asked for, `<id>`, which may have been merged into it; state is \
             `observed`",
        ),
    ];

    /// The word with its variable parts in angle brackets, as in [`Reason::TABLE`].
    #[must_use]
    pub fn pattern(self) -> &'static str {
        Self::TABLE.get(self.rank()).map_or("", |(pattern, _)| pattern)
    }

    /// The index of this reason's row in [`Reason::TABLE`].
    #[must_use]
    pub fn rank(self) -> usize {
        match self {
            Self::DossierOverMerge => 0,
            Self::SameNameClusters(_) => 1,
            Self::FoldedMatch => 2,
            Self::Locator(_) => 3,
            Self::ProbeNotRun => 4,
            Self::ProbeNotComparable => 5,
            Self::ProbeUnavailable => 6,
            Self::ProbeDistinctVerifiedClusters(_) => 7,
            Self::ProbeSingle => 8,
            Self::ProbeNoExactRows => 9,
            Self::ProbeNoBoundRows => 10,
            Self::ProbeUnboundExact(_) => 11,
            Self::ProbeSuffixVariants(_) => 12,
            Self::DisambiguationSuffix => 13,
            Self::ObservedTier => 14,
            Self::NoCluster => 15,
            Self::NoRecord => 16,
            Self::PrefixCandidates(_) => 17,
            Self::DossierOverMergeUnreadable => 18,
            Self::SlugUnreadable => 19,
            Self::AskedId(_) => 20,
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SameNameClusters(n) => write!(f, "same_name_clusters:{n}"),
            Self::Locator(kind) => write!(f, "locator:{}", kind.as_str()),
            Self::ProbeDistinctVerifiedClusters(n) => {
                write!(f, "same_name_probe:{n}_distinct_verified_clusters")
            }
            Self::ProbeUnboundExact(k) => write!(f, "same_name_probe:unbound_exact:{k}"),
            Self::ProbeSuffixVariants(k) => write!(f, "same_name_probe:suffix_variants:{k}"),
            Self::PrefixCandidates(k) => write!(f, "identity:prefix_candidates:{k}"),
            Self::AskedId(id) => write!(f, "identity:asked:{id}"),
            fixed => f.write_str(fixed.pattern()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{AmbiguityState, AskedId, DiscogsId, LocatorKind, Reason};

    #[test]
    fn the_six_states_have_the_words_of_the_specification() {
        let words: Vec<_> = AmbiguityState::ALL.iter().map(|s| s.as_str()).collect();
        assert_eq!(words, ["none", "name_collision", "observed", "over_merged", "unresolved", "unknown"]);
        for state in AmbiguityState::ALL {
            assert_eq!(AmbiguityState::PRECEDENCE.iter().filter(|s| **s == state).count(), 1);
        }
    }

    #[test]
    fn every_reason_is_a_row_of_the_table_and_shows_as_its_pattern() {
        let one_each = [
            (Reason::DossierOverMerge, "dossier:over_merge"),
            (Reason::SameNameClusters(3), "same_name_clusters:3"),
            (Reason::FoldedMatch, "folded_match"),
            (Reason::Locator(LocatorKind::Mbid), "locator:mbid"),
            (Reason::ProbeNotRun, "same_name_probe:not_run"),
            (Reason::ProbeNotComparable, "same_name_probe:not_comparable"),
            (Reason::ProbeUnavailable, "same_name_probe:unavailable"),
            (Reason::ProbeDistinctVerifiedClusters(2), "same_name_probe:2_distinct_verified_clusters"),
            (Reason::ProbeSingle, "same_name_probe:single"),
            (Reason::ProbeNoExactRows, "same_name_probe:no_exact_rows"),
            (Reason::ProbeNoBoundRows, "same_name_probe:no_bound_rows"),
            (Reason::ProbeUnboundExact(4), "same_name_probe:unbound_exact:4"),
            (Reason::ProbeSuffixVariants(5), "same_name_probe:suffix_variants:5"),
            (Reason::DisambiguationSuffix, "identity:disambiguation_suffix"),
            (Reason::ObservedTier, "identity:observed_tier"),
            (Reason::NoCluster, "identity:no_cluster"),
            (Reason::NoRecord, "identity:no_record"),
            (Reason::PrefixCandidates(1), "identity:prefix_candidates:1"),
            (Reason::DossierOverMergeUnreadable, "dossier:over_merge_unreadable"),
            (Reason::SlugUnreadable, "identity:slug_unreadable"),
            (Reason::AskedId(AskedId::Discogs(DiscogsId::from_number(7).unwrap())), "identity:asked:7"),
        ];
        assert_eq!(one_each.len(), Reason::TABLE.len());
        for ((reason, shown), (pattern, _)) in one_each.iter().zip(Reason::TABLE) {
            assert_eq!(reason.to_string(), *shown);
            assert_eq!(reason.pattern(), pattern);
            let fixed = |c: char| c == '<' || c.is_ascii_digit();
            let (prefix, shown_prefix) = (pattern.split(fixed).next(), shown.split(fixed).next());
            assert!(pattern.contains("<kind>") || prefix == shown_prefix, "{shown} is not {pattern}");
        }
    }
}
