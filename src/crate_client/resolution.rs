//! Reads the answer of `/resolve`.

use serde::Deserialize;

use super::fault::UpstreamFault;
use super::reading::{self, Raw};
use crate::identity::{
    Candidate, ClusterId, DiscogsId, Mbid, Slug, Tier, display_name, number_hint, split_suffix,
};
use crate::model::artist::ArtistIdentity;
use crate::model::link::{Link, LinkSite};
use crate::model::text::CleanName;

/// What the service knows about who is meant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Resolution {
    /// The identity; `None` when nothing matched.
    pub identity: Option<ArtistIdentity>,
    /// Its pages elsewhere, in the service's order, as far as they could be read.
    pub links: Vec<Link>,
    /// How many pages the service listed.
    pub links_total: usize,
    /// Whom the service offers instead when no identity was bound.
    pub candidates: Vec<Candidate>,
    /// Same-name siblings that the service itself lists.
    pub same_name_clusters: Vec<Candidate>,
}

#[derive(Deserialize)]
struct Wire<'a> {
    #[serde(borrow, default)]
    cluster_id: Raw<'a>,
    #[serde(borrow, default)]
    slug: Raw<'a>,
    #[serde(borrow, default)]
    display: Raw<'a>,
    #[serde(borrow, default)]
    locators: Raw<'a>,
    #[serde(borrow, default)]
    resolved_via: Raw<'a>,
    #[serde(borrow, default)]
    candidates: Raw<'a>,
    #[serde(borrow, default)]
    same_name_clusters: Raw<'a>,
}

#[derive(Default, Deserialize)]
struct Locators<'a> {
    #[serde(borrow, default)]
    discogs: Raw<'a>,
    #[serde(borrow, default)]
    mbid: Raw<'a>,
    #[serde(borrow, default)]
    bandcamp: Raw<'a>,
    #[serde(borrow, default)]
    soundcloud: Raw<'a>,
    #[serde(borrow, default)]
    instagram: Raw<'a>,
    #[serde(borrow, default)]
    spotify: Raw<'a>,
    #[serde(borrow, default)]
    youtube: Raw<'a>,
    #[serde(borrow, default)]
    website: Raw<'a>,
}

#[derive(Deserialize)]
struct WireCandidate<'a> {
    #[serde(borrow, default)]
    cluster_id: Raw<'a>,
    #[serde(borrow, default)]
    name: Raw<'a>,
    #[serde(borrow, default)]
    tier: Raw<'a>,
    #[serde(borrow, default)]
    distinct_events: Raw<'a>,
    #[serde(borrow, default)]
    discogs: Raw<'a>,
    #[serde(borrow, default)]
    mbid: Raw<'a>,
    #[serde(borrow, default)]
    country: Raw<'a>,
}

pub(super) fn read(body: &[u8]) -> Result<Resolution, UpstreamFault> {
    let wire: Wire<'_> = reading::body(body)?;
    let locators: Locators<'_> = reading::object(wire.locators).unwrap_or_default();
    let (links, links_total) = links(&locators);
    Ok(Resolution {
        identity: identity(&wire, &locators),
        links,
        links_total,
        candidates: candidates(wire.candidates),
        same_name_clusters: candidates(wire.same_name_clusters),
    })
}

/// An identity needs a name and a tier; without either there is nothing that could be vouched for.
fn identity(wire: &Wire<'_>, locators: &Locators<'_>) -> Option<ArtistIdentity> {
    let tier = tier(wire.resolved_via)?;
    let name: String = reading::optional(wire.display)?;
    Some(ArtistIdentity {
        name: CleanName::new(display_name(&name))?,
        record_name: name,
        cluster_id: text(wire.cluster_id).and_then(|id| ClusterId::parse(&id).ok()),
        slug: text(wire.slug).and_then(|slug| Slug::parse(&slug).ok()),
        tier,
        discogs_id: discogs_id(locators.discogs),
        mbid: text(locators.mbid).and_then(|id| Mbid::parse(&id).ok()),
    })
}

pub(super) fn text(raw: Raw<'_>) -> Option<String> {
    reading::optional(raw)
}

pub(super) fn discogs_id(raw: Raw<'_>) -> Option<DiscogsId> {
    reading::optional(raw).and_then(DiscogsId::from_number)
}

pub(super) fn tier(raw: Raw<'_>) -> Option<Tier> {
    match text(raw)?.as_str() {
        "discogs" => Some(Tier::Discogs),
        "cluster" => Some(Tier::Cluster),
        _ => None,
    }
}

fn links(locators: &Locators<'_>) -> (Vec<Link>, usize) {
    let lists = [
        (LinkSite::Bandcamp, locators.bandcamp),
        (LinkSite::Spotify, locators.spotify),
        (LinkSite::SoundCloud, locators.soundcloud),
        (LinkSite::YouTube, locators.youtube),
        (LinkSite::Instagram, locators.instagram),
        (LinkSite::Website, locators.website),
    ];
    let mut links = Vec::new();
    let mut total = 0;
    for (site, raw) in lists {
        let rows: Vec<Raw<'_>> = reading::optional(raw).unwrap_or_default();
        total += rows.len();
        links.extend(rows.into_iter().filter_map(|row| Link::new(site, &text(row)?)));
    }
    (links, total)
}

fn candidates(raw: Raw<'_>) -> Vec<Candidate> {
    let rows = reading::objects::<WireCandidate<'_>>(raw).unwrap_or_default();
    rows.into_iter()
        .flatten()
        .filter_map(|row| {
            let name = text(row.name)?;
            Some(Candidate {
                cluster_id: ClusterId::parse(&text(row.cluster_id)?).ok()?,
                name: display_name(&name).to_owned(),
                tier: tier(row.tier),
                support: reading::optional(row.distinct_events),
                hint: hint(&row, &name),
            })
        })
        .collect()
}

/// What tells a candidate from its namesakes, as far as the service says.
fn hint(row: &WireCandidate<'_>, name: &str) -> Option<String> {
    let discogs = discogs_id(row.discogs).map(|id| format!("Discogs {id}"));
    let mbid = text(row.mbid).and_then(|id| Mbid::parse(&id).ok()).map(|id| format!("MusicBrainz {id}"));
    let country =
        text(row.country).filter(|code| code.len() == 2 && code.bytes().all(|b| b.is_ascii_uppercase()));
    let known: Vec<String> = [discogs, mbid, country].into_iter().flatten().collect();
    match (known.is_empty(), split_suffix(name).1) {
        (false, _) => Some(known.join(", ")),
        (true, Some(number)) => Some(number_hint(number)),
        (true, None) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unresolved_answer_has_no_identity() {
        let body = br#"{"cluster_id":null,"slug":null,"display":null,"resolved_via":null,"resolved_from":"name",
            "locators":{"discogs":null,"mbid":null,"bandcamp":[],"soundcloud":[],"instagram":[],"spotify":[],"youtube":[],"website":[]}}"#;
        assert_eq!(read(body), Ok(Resolution::default()));
    }

    #[test]
    fn values_of_the_wrong_type_are_left_out_and_the_rest_is_kept() {
        let body = br#"{"cluster_id":5,"slug":"four-tet","display":"Four Tet","resolved_via":"discogs",
            "locators":{"discogs":"3543","mbid":"3bcff06f-675a-451f-9075-99e8657047e8","bandcamp":"x","website":["javascript:alert(1)"]},
            "candidates":7}"#;
        let resolution = read(body).unwrap();
        let identity = resolution.identity.unwrap();
        assert_eq!(identity.cluster_id, None);
        assert_eq!(identity.discogs_id, None);
        assert_eq!(
            identity.mbid.map(|id| id.to_string()).as_deref(),
            Some("3bcff06f-675a-451f-9075-99e8657047e8")
        );
        assert_eq!((resolution.links, resolution.links_total), (vec![], 1));
    }

    #[test]
    fn an_unknown_tier_is_never_taken_for_a_verified_one() {
        let body = br#"{"cluster_id":null,"slug":"x","display":"X","resolved_via":"guess","locators":{}}"#;
        assert_eq!(read(body).unwrap().identity, None);
    }

    #[test]
    fn what_is_not_an_object_is_unreadable() {
        for body in [&b"<html>"[..], b"", b"[]", b"5"] {
            assert!(read(body).is_err());
        }
    }
}
