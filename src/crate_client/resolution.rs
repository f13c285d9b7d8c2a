//! Reads the answer of `/resolve`.

use serde::Deserialize;

use super::fault::UpstreamFault;
use super::own_ids;
use super::reading::{self, Raw, text};
use crate::identity::{Candidate, ClusterId, DiscogsId, Mbid, display_name, number_hint, split_suffix};
use crate::model::artist::ArtistIdentity;
use crate::model::gap::GapReason;
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
    /// Same-name siblings that the service itself lists, as far as they could be read.
    pub same_name_clusters: Vec<Candidate>,
    /// The ids of those that cannot be read otherwise.
    pub unnamed_siblings: Vec<ClusterId>,
    /// How many siblings it listed.
    pub siblings_listed: usize,
    /// Whether the service lists siblings in a form that cannot be read.
    pub siblings_unreadable: bool,
    /// Whether the service says that it compared a name, whatever it was asked by.
    pub matched_by_name: bool,
}

impl Resolution {
    /// Takes no notice of the siblings that the service lists; a search for the name looks for them then.
    pub(super) fn forget_siblings(&mut self) {
        self.same_name_clusters.clear();
        self.unnamed_siblings.clear();
        self.siblings_listed = 0;
        self.siblings_unreadable = false;
    }
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
    resolved_from: Raw<'a>,
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
    let locators: Locators<'_> = match reading::object(wire.locators) {
        Ok(locators) => locators,
        // Nobody's pages and ids are not missing; somebody's may be, and then that must not look like none.
        Err(GapReason::HonestGap) => Locators::default(),
        Err(_) if reading::value::<&str>(wire.resolved_via) == Err(GapReason::HonestGap) => {
            Locators::default()
        }
        Err(_) => return Err(UpstreamFault::Unreadable),
    };
    let (links, links_total) = links(&locators);
    let (candidates, _) = candidates(wire.candidates);
    let (same_name_clusters, siblings_listed) = self::candidates(wire.same_name_clusters);
    Ok(Resolution {
        identity: identity(&wire, &locators)?,
        links,
        links_total,
        candidates,
        same_name_clusters,
        unnamed_siblings: unnamed(wire.same_name_clusters),
        siblings_listed,
        siblings_unreadable: reading::value::<Vec<Raw<'_>>>(wire.same_name_clusters).err()
            == Some(GapReason::MalformedUpstream),
        matched_by_name: is_by_name(wire.resolved_from),
    })
}

/// Whether the service says that a name led to the record. What cannot be read may say so.
fn is_by_name(raw: Raw<'_>) -> bool {
    match reading::value::<String>(raw) {
        Ok(from) => from.to_lowercase().contains("name"),
        Err(reason) => reason == GapReason::MalformedUpstream,
    }
}

/// The service says that it found nobody by a tier that is null. Anything else that lacks a tier or a name
/// is no such statement, and must not be told as one.
fn identity(wire: &Wire<'_>, locators: &Locators<'_>) -> Result<Option<ArtistIdentity>, UpstreamFault> {
    if reading::value::<&str>(wire.resolved_via) == Err(GapReason::HonestGap) {
        return Ok(None);
    }
    let said = own_ids::tier(wire.resolved_via).map_err(|_| UpstreamFault::Unreadable)?;
    let record_name = text(wire.display).ok_or(UpstreamFault::Unreadable)?;
    let name = CleanName::new(display_name(&record_name)).ok_or(UpstreamFault::Unreadable)?;
    let discogs_id = own_ids::discogs_id(locators.discogs);
    Ok(Some(ArtistIdentity {
        name,
        record_name,
        cluster_id: own_ids::cluster_id(wire.cluster_id),
        slug: own_ids::slug(wire.slug),
        tier: own_ids::bound(Ok(said), &discogs_id),
        is_tier_unreadable: false,
        discogs_id,
        mbid: own_ids::mbid(locators.mbid),
    }))
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
        let rows: Vec<Raw<'_>> = match reading::value(raw) {
            Ok(rows) => rows,
            // A list that cannot be read holds at least one page that is not shown.
            Err(GapReason::MalformedUpstream) => vec![Raw::default()],
            Err(_) => Vec::new(),
        };
        total += rows.len();
        links.extend(rows.into_iter().filter_map(|row| Link::new(site, &text(row)?)));
    }
    (links, total)
}

/// The candidates that could be read, and how many were listed.
fn candidates(raw: Raw<'_>) -> (Vec<Candidate>, usize) {
    let rows = reading::objects::<WireCandidate<'_>>(raw).unwrap_or_default();
    let listed = rows.len();
    (rows.into_iter().flatten().filter_map(|row| candidate(&row)).collect(), listed)
}

/// The ids of rows that say nothing else that can be read.
fn unnamed(raw: Raw<'_>) -> Vec<ClusterId> {
    let rows = reading::objects::<WireCandidate<'_>>(raw).unwrap_or_default();
    rows.into_iter()
        .flatten()
        .filter(|row| candidate(row).is_none())
        .filter_map(|row| ClusterId::parse(&text(row.cluster_id)?).ok())
        .collect()
}

fn candidate(row: &WireCandidate<'_>) -> Option<Candidate> {
    let name = text(row.name)?;
    let (discogs_id, mbid) = (own_ids::discogs_id(row.discogs).ok(), own_ids::mbid(row.mbid).ok());
    Some(Candidate {
        cluster_id: ClusterId::parse(&text(row.cluster_id)?).ok()?,
        name: display_name(&name).to_owned(),
        tier: own_ids::tier(row.tier).ok(),
        support: reading::optional(row.distinct_events),
        hint: hint(discogs_id, mbid, text(row.country), &name),
        discogs_id,
        mbid,
    })
}

/// What tells a candidate from its namesakes, as far as the service says.
fn hint(
    discogs_id: Option<DiscogsId>,
    mbid: Option<Mbid>,
    country: Option<String>,
    name: &str,
) -> Option<String> {
    let country =
        country.filter(|code| code.len() == 2 && code.bytes().all(|byte| byte.is_ascii_uppercase()));
    let discogs = discogs_id.map(|id| format!("Discogs {id}"));
    let mbid = mbid.map(|id| format!("MusicBrainz {id}"));
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
        assert_eq!(read(body), Ok(Resolution { matched_by_name: true, ..Resolution::default() }));
    }

    #[test]
    fn what_may_say_that_a_name_led_here_is_taken_to_say_so() {
        let by_name = |from: &str| {
            let body = format!(
                r#"{{"display":"X","resolved_via":"discogs","locators":{{}},"resolved_from":{from}}}"#
            );
            read(body.as_bytes()).unwrap().matched_by_name
        };
        for from in [r#""name""#, r#""Name""#, r#""fuzzy_name""#, "5", r#"["name"]"#, "{}"] {
            assert!(by_name(from), "{from}");
        }
        for from in [r#""url""#, r#""locator""#, "null"] {
            assert!(!by_name(from), "{from}");
        }
    }

    #[test]
    fn values_of_the_wrong_type_are_gaps_and_the_rest_is_kept() {
        let body = br#"{"cluster_id":5,"slug":"four-tet","display":"Four Tet","resolved_via":"discogs",
            "locators":{"discogs":"3543","mbid":"3bcff06f-675a-451f-9075-99e8657047e8","bandcamp":"x","website":["javascript:alert(1)"]},
            "candidates":7}"#;
        let resolution = read(body).unwrap();
        let identity = resolution.identity.unwrap();
        assert_eq!(identity.cluster_id, Err(GapReason::MalformedUpstream));
        assert_eq!(identity.discogs_id, Err(GapReason::MalformedUpstream));
        assert_eq!(identity.tier, crate::identity::Tier::Cluster, "bound to whom cannot be read");
        assert_eq!(
            identity.mbid.map(|id| id.to_string()).as_deref(),
            Ok("3bcff06f-675a-451f-9075-99e8657047e8")
        );
        assert_eq!((resolution.links, resolution.links_total), (vec![], 2));
    }

    #[test]
    fn only_a_tier_of_null_says_that_nobody_was_found() {
        for body in [
            r#"{}"#,
            r#"{"resolved_via":"guess","display":"X","locators":{}}"#,
            r#"{"resolved_via":5,"display":"X"}"#,
            r#"{"resolved_via":"discogs","display":null}"#,
            r#"{"resolved_via":"discogs"}"#,
            r#"{"cluster_id":null,"slug":null,"display":null}"#,
        ] {
            assert_eq!(read(body.as_bytes()), Err(UpstreamFault::Unreadable), "{body}");
        }
        assert_eq!(read(br#"{"resolved_via":null}"#), Ok(Resolution::default()));
    }

    #[test]
    fn pages_and_ids_that_cannot_be_read_are_never_told_as_none() {
        let read = |locators: &str| {
            read(format!(r#"{{"resolved_via":"discogs","display":"X"{locators}}}"#).as_bytes()).map(|_| ())
        };
        assert_eq!(read(r#","locators":{}"#), Ok(()));
        for locators in ["", r#","locators":"x""#, r#","locators":[]"#] {
            assert_eq!(read(locators), Err(UpstreamFault::Unreadable), "{locators}");
        }
    }

    #[test]
    fn siblings_that_cannot_be_read_are_counted_all_the_same() {
        let body = br#"{"resolved_via":null,"same_name_clusters":[{"cluster_id":5},{"name":"X"},7]}"#;
        let resolution = read(body).unwrap();
        assert_eq!((resolution.same_name_clusters.len(), resolution.siblings_listed), (0, 3));
    }

    #[test]
    fn what_is_not_an_object_is_unreadable() {
        for body in [&b"<html>"[..], b"", b"[]", b"5"] {
            assert!(read(body).is_err());
        }
    }
}
