//! Reads the ids that a record gives of itself.
//!
//! A record need not have every id, so one that is not sent is none; one that cannot be read is never taken for none.

use super::reading::Raw;
use super::rows;
use crate::identity::{ClusterId, DiscogsId, Mbid, Slug, Tier};
use crate::model::gap::{Fact, GapReason};

fn or_none<T>(fact: Fact<T>) -> Fact<T> {
    match fact {
        Err(GapReason::NotCovered) => Err(GapReason::HonestGap),
        fact => fact,
    }
}

/// An id that stands inside another part of the record: where that part cannot be had, the id is not taken for none.
pub(super) fn within<P, T>(part: &Fact<P>, read: impl FnOnce(&P) -> Fact<T>) -> Fact<T> {
    or_none(part.as_ref().map_err(|gap| *gap).and_then(read))
}

pub(super) fn cluster_id(raw: Raw<'_>) -> Fact<ClusterId> {
    or_none(rows::cluster_id(raw))
}

pub(super) fn slug(raw: Raw<'_>) -> Fact<Slug> {
    or_none(rows::slug(raw))
}

pub(super) fn discogs_id(raw: Raw<'_>) -> Fact<DiscogsId> {
    or_none(rows::discogs_id(raw))
}

pub(super) fn mbid(raw: Raw<'_>) -> Fact<Mbid> {
    or_none(rows::mbid(raw))
}

pub(super) fn tier(raw: Raw<'_>) -> Fact<Tier> {
    or_none(rows::tier(raw))
}

/// How a record is bound: not to Discogs where the word for it or the Discogs id cannot be read.
pub(super) fn bound(said: Fact<Tier>, discogs_id: &Fact<DiscogsId>) -> Tier {
    match (said, discogs_id) {
        (_, Err(GapReason::MalformedUpstream)) | (Err(_), _) => Tier::Cluster,
        (Ok(tier), _) => tier,
    }
}

/// The id that stands in several places.
///
/// # Errors
/// When it stands nowhere; when one of them cannot be had, or they differ: then it is none of them.
pub(super) fn one_of<T: PartialEq>(places: impl IntoIterator<Item = Fact<T>>) -> Fact<T> {
    let mut found = Err(GapReason::HonestGap);
    for place in places {
        match (place, &found) {
            (Ok(value), Ok(other)) if value != *other => return Err(GapReason::MalformedUpstream),
            (Err(GapReason::HonestGap), _) => {}
            (Err(reason), _) => return Err(reason),
            (Ok(value), _) => found = Ok(value),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(json: &str) -> Raw<'_> {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn an_id_that_cannot_be_read_is_never_taken_for_none() {
        let (none, malformed) = (Some(GapReason::HonestGap), Some(GapReason::MalformedUpstream));
        for (json, reason) in [("null", none), ("[]", malformed), ("true", malformed), ("{}", malformed)] {
            assert_eq!(slug(raw(json)).err(), reason, "{json}");
            assert_eq!(mbid(raw(json)).err(), reason, "{json}");
            assert_eq!(discogs_id(raw(json)).err(), reason, "{json}");
            assert_eq!(cluster_id(raw(json)).err(), reason, "{json}");
            assert_eq!(tier(raw(json)).err(), reason, "{json}");
        }
        assert_eq!((slug(Raw::default()).err(), mbid(Raw::default()).err()), (none, none));
        for (id, number) in [("0", "0"), ("-5", "-5"), ("\"3543\"", "3.5")] {
            assert_eq!(discogs_id(raw(id)).err(), malformed, "{id}");
            assert_eq!(discogs_id(raw(number)).err(), malformed, "{number}");
        }
    }

    #[test]
    fn a_binding_of_which_a_half_cannot_be_read_is_not_a_verified_one() {
        let (id, none) = (rows::discogs_id(raw("5")), Err(GapReason::HonestGap));
        let malformed = Err(GapReason::MalformedUpstream);
        assert_eq!(bound(Ok(Tier::Discogs), &id), Tier::Discogs);
        assert_eq!(bound(Ok(Tier::Discogs), &none), Tier::Discogs);
        assert_eq!(bound(Ok(Tier::Discogs), &malformed), Tier::Cluster);
        assert_eq!(bound(Err(GapReason::MalformedUpstream), &id), Tier::Cluster);
        assert_eq!(bound(Err(GapReason::HonestGap), &id), Tier::Cluster);
    }

    #[test]
    fn an_id_that_stands_in_several_places_is_one_only_where_all_agree() {
        let (none, malformed) = (Err(GapReason::HonestGap), Err(GapReason::MalformedUpstream));
        assert_eq!(one_of([Ok(5), none, Ok(5)]), Ok(5));
        assert_eq!(one_of([Ok(5), Ok(6)]), malformed);
        for places in [[Ok(5), malformed], [malformed, Ok(5)]] {
            assert_eq!(one_of(places), malformed);
        }
        assert_eq!(one_of::<u8>([none, none]), none);
    }
}
