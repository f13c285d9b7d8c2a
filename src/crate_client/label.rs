//! Asks for a label's dossier, and reads it: only the facets that are served, each a fact or a gap.

use serde::Deserialize;

use super::fault::UpstreamFault;
use super::ledger::CallLedger;
use super::reading::{self, Raw, text};
use super::tracks::{cluster_id, name};
use super::transport::Request;
use super::{CrateClient, own_ids, rows};
use crate::identity::{ArtistKey, Tier, display_name};
use crate::model::artist::{ArtistIdentity, Merged};
use crate::model::date::Day;
use crate::model::day::RecordedDay;
use crate::model::family::Family;
use crate::model::gap::{Fact, GapReason};
use crate::model::label::{DjMomentum, LabelDossier, LabelPages, LabelPresence, RelatedLabel};
use crate::model::link::{Link, LinkSite};
use crate::model::prose::Prose;
use crate::model::source::Source;
use crate::model::text::CleanName;

/// How far a share may be from that of the two counts beside it.
const SHARE_SLACK: f64 = 0.02;

impl CrateClient {
    /// The dossier of the label under `key`, which has the two forms of an artist's; `None` when the service holds
    /// none.
    ///
    /// # Errors
    /// When the service could not answer.
    pub async fn label(
        &self,
        key: &ArtistKey,
        ledger: &CallLedger,
    ) -> Result<Option<LabelDossier>, UpstreamFault> {
        let path = format!("/api/v2/label/{}", key.as_str());
        let request = Request { family: Family::Label, path: &path, query: &[] };
        let today = self.today();
        self.fetch(request, ledger, |body| read(body, today)).await.map(Option::flatten)
    }
}

#[derive(Deserialize)]
struct Wire<'a> {
    #[serde(borrow, default)]
    slug: Raw<'a>,
    #[serde(borrow, default)]
    id: Raw<'a>,
    #[serde(borrow, default)]
    cluster_id: Raw<'a>,
    #[serde(borrow, default)]
    resolved_via: Raw<'a>,
    #[serde(borrow, default)]
    identity: Raw<'a>,
    #[serde(borrow, default)]
    binds: Raw<'a>,
    #[serde(borrow, default)]
    presence: Raw<'a>,
    #[serde(borrow, default)]
    over_merge: Raw<'a>,
    #[serde(borrow, default)]
    travels: Raw<'a>,
    #[serde(borrow, default)]
    dj_momentum: Raw<'a>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireIdentity<'a> {
    #[serde(borrow, default)]
    discogs_label_id: Raw<'a>,
    #[serde(borrow, default)]
    name: Raw<'a>,
    #[serde(borrow, default)]
    parent_label: Raw<'a>,
    #[serde(borrow, default)]
    profile: Raw<'a>,
    #[serde(borrow, default)]
    urls: Raw<'a>,
}

#[derive(Default, Deserialize)]
struct WireBinds<'a> {
    #[serde(borrow, default)]
    discogs_label_id: Raw<'a>,
    #[serde(borrow, default)]
    label_mbid: Raw<'a>,
    #[serde(borrow, default)]
    bandcamp_url: Raw<'a>,
}

#[derive(Deserialize)]
struct WirePresence<'a> {
    #[serde(borrow, default)]
    has_discogs: Raw<'a>,
    #[serde(borrow, default)]
    has_bandcamp: Raw<'a>,
    #[serde(borrow, default)]
    has_seen_momentum: Raw<'a>,
    #[serde(borrow, default)]
    has_editorial: Raw<'a>,
}

#[derive(Deserialize)]
struct WireOverMerge<'a> {
    #[serde(borrow, default)]
    discogs_label_id_count: Raw<'a>,
}

#[derive(Deserialize)]
struct WireTravels<'a> {
    #[serde(borrow, default)]
    state: Raw<'a>,
    #[serde(borrow, default)]
    related: Raw<'a>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireRelated<'a> {
    #[serde(borrow, default)]
    cluster_id: Raw<'a>,
    #[serde(borrow, default)]
    label_name: Raw<'a>,
    #[serde(borrow, default)]
    npmi: Raw<'a>,
    #[serde(borrow, default)]
    support: Raw<'a>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireMomentum<'a> {
    #[serde(borrow, default)]
    play_count: Raw<'a>,
    #[serde(borrow, default)]
    distinct_djs: Raw<'a>,
    #[serde(borrow, default)]
    distinct_artists: Raw<'a>,
    #[serde(borrow, default)]
    distinct_tracklists: Raw<'a>,
    #[serde(borrow, default)]
    first_played_at: Raw<'a>,
    #[serde(borrow, default)]
    last_played_at: Raw<'a>,
    #[serde(borrow, default)]
    plays_last365d: Raw<'a>,
    #[serde(borrow, default)]
    velocity: Raw<'a>,
}

/// `Ok(None)` when the service holds no identity under the key. `today` is the last day on which anything can have been
/// played.
fn read(body: &[u8], today: Day) -> Result<Option<LabelDossier>, UpstreamFault> {
    let wire: Wire<'_> = reading::body(body)?;
    let identity: WireIdentity<'_> = match reading::object(wire.identity) {
        Ok(identity) => identity,
        Err(GapReason::HonestGap) => return Ok(None),
        Err(_) => return Err(UpstreamFault::Unreadable),
    };
    let binds: Fact<WireBinds<'_>> = reading::object(wire.binds);
    let merged = merged(wire.over_merge);
    let who = who(&wire, &identity, &binds, merged).ok_or(UpstreamFault::Unreadable)?;
    Ok(Some(LabelDossier {
        identity: who,
        merged,
        parent: name(identity.parent_label),
        bandcamp: binds.and_then(|binds| link(LinkSite::Bandcamp, binds.bandcamp_url)),
        pages: pages(identity.urls),
        presence: reading::object(wire.presence).map(|found| presence(&found)),
        dj_momentum: reading::facet(wire.dj_momentum).map(|found| momentum(&found, today)),
        travels: travels(wire.travels),
        prose: text(identity.profile).and_then(|text| Prose::new("profile", &text, Source::Discogs)),
    }))
}

fn who(
    wire: &Wire<'_>,
    identity: &WireIdentity<'_>,
    binds: &Fact<WireBinds<'_>>,
    merged: Merged,
) -> Option<ArtistIdentity> {
    let name = text(identity.name)?;
    let said = own_ids::tier(wire.resolved_via);
    let bound_id = own_ids::within(binds, |binds| own_ids::discogs_id(binds.discogs_label_id));
    let own = [wire.id, identity.discogs_label_id].map(own_ids::discogs_id);
    let discogs_id = own_ids::one_of(own.into_iter().chain([bound_id]));
    // A binding that folds several labels is not a verified one.
    let is_folded = matches!(merged, Merged::Count(2..));
    Some(ArtistIdentity {
        name: CleanName::new(display_name(&name))?,
        record_name: name,
        cluster_id: own_ids::cluster_id(wire.cluster_id),
        slug: own_ids::slug(wire.slug),
        tier: if is_folded { Tier::Cluster } else { own_ids::bound(said, &discogs_id) },
        is_tier_unreadable: said == Err(GapReason::MalformedUpstream),
        discogs_id,
        mbid: own_ids::within(binds, |binds| own_ids::mbid(binds.label_mbid)),
    })
}

/// The block is only there when labels were folded.
fn merged(raw: Raw<'_>) -> Merged {
    match reading::object::<WireOverMerge<'_>>(raw) {
        Ok(found) => reading::value(found.discogs_label_id_count).map_or(Merged::Unreadable, Merged::Count),
        Err(GapReason::MalformedUpstream) => Merged::Unreadable,
        Err(_) => Merged::NotSaid,
    }
}

fn link(site: LinkSite, raw: Raw<'_>) -> Fact<Link> {
    let url: String = reading::value(raw)?;
    Link::page(site, &url).ok_or(GapReason::MalformedUpstream)
}

fn pages(raw: Raw<'_>) -> Fact<LabelPages> {
    let rows: Vec<Raw<'_>> = reading::value(raw)?;
    let total = rows.len();
    let links: Vec<Link> = rows.into_iter().filter_map(|row| link(LinkSite::Website, row).ok()).collect();
    match (links.is_empty(), total) {
        (true, 0) => Err(GapReason::HonestGap),
        (true, _) => Err(GapReason::MalformedUpstream),
        (false, _) => Ok(LabelPages { links, total }),
    }
}

fn presence(wire: &WirePresence<'_>) -> LabelPresence {
    LabelPresence {
        discogs: reading::value(wire.has_discogs),
        bandcamp: reading::value(wire.has_bandcamp),
        dj_sets: reading::value(wire.has_seen_momentum),
        editorial: reading::value(wire.has_editorial),
    }
}

/// Of two values that contradict each other neither is a fact: nothing says which of them is wrong.
fn momentum(wire: &WireMomentum<'_>, today: Day) -> DjMomentum {
    let contradicts = |is_so: bool| if is_so { Err(GapReason::MalformedUpstream) } else { Ok(()) };
    let (plays, recent) = (rows::count(wire.play_count), rows::count(wire.plays_last365d));
    let (first, last) = (day(wire.first_played_at, today), day(wire.last_played_at, today));
    let tracklists = rows::count(wire.distinct_tracklists);
    let velocity = rows::within(wire.velocity, 0.0..=1.0);
    let share = reading::value::<f64>(wire.velocity);
    let more_than_all = contradicts(plays.is_ok_and(|all| recent.is_ok_and(|recent| recent > all)));
    let turned = contradicts(first.iter().zip(&last).any(|(first, last)| first.is_wholly_after(last)));
    // Recent plays and a last one of long ago; what the service counts may lag behind by a month.
    let long_ago = today.before(365 + 31);
    let none_recent = contradicts(
        recent.is_ok_and(|recent| recent > 0) && last.as_ref().is_ok_and(|last| last.is_before(long_ago)),
    );
    // In each tracklist somebody was played at least once.
    let lists = contradicts(
        plays.is_ok_and(|plays| tracklists.is_ok_and(|lists| lists > plays || lists == 0 && plays > 0)),
    );
    let shares = contradicts(match (plays, recent, share) {
        (Ok(plays), Ok(recent), Ok(share)) if recent <= plays && plays > 0 => !is_share(share, recent, plays),
        _ => false,
    });
    DjMomentum {
        plays: more_than_all.and(lists).and(shares).and(plays),
        plays_last_365d: more_than_all.and(none_recent).and(shares).and(recent),
        djs: rows::count(wire.distinct_djs),
        artists: rows::count(wire.distinct_artists),
        tracklists: lists.and(tracklists),
        velocity: shares.and(velocity),
        first_played: turned.and(first),
        last_played: turned.and(none_recent).and(last),
    }
}

/// Whether `share` is that of `part` in `whole`, as far as it may have been rounded.
fn is_share(share: f64, part: u64, whole: u64) -> bool {
    // Counts are at most 2^53, so that none of them changes here.
    #[allow(clippy::cast_precision_loss)]
    let exact = part as f64 / whole as f64;
    (share - exact).abs() <= SHARE_SLACK
}

fn day(raw: Raw<'_>, today: Day) -> Fact<RecordedDay> {
    let written: String = reading::value(raw)?;
    let day = RecordedDay::parse(&written).filter(|day| !day.is_after(today.next()));
    day.ok_or(GapReason::MalformedUpstream)
}

/// The rows of this facet stand beside its state, not under `signals`.
fn travels(raw: Raw<'_>) -> Fact<Vec<Fact<RelatedLabel>>> {
    let wire: WireTravels<'_> = reading::object(raw)?;
    match text(wire.state).as_deref() {
        Some("present" | "ok") => {}
        Some("honest_gap" | "empty") => return Err(GapReason::HonestGap),
        Some("degraded") => return Err(GapReason::UpstreamDegraded),
        _ => return Err(GapReason::MalformedUpstream),
    }
    let rows = reading::objects::<WireRelated<'_>>(wire.related).map_err(|_| GapReason::MalformedUpstream)?;
    if rows.is_empty() {
        return Err(GapReason::HonestGap);
    }
    Ok(rows.into_iter().map(|row| row.and_then(|row| related(&row))).collect())
}

/// A row that names no label is none.
fn related(wire: &WireRelated<'_>) -> Fact<RelatedLabel> {
    let row = RelatedLabel {
        name: name(wire.label_name),
        cluster_id: cluster_id(wire.cluster_id),
        npmi: rows::within(wire.npmi, -1.0..=1.0),
        support: rows::count(wire.support),
    };
    if row.name.is_err() && row.cluster_id.is_err() { Err(GapReason::MalformedUpstream) } else { Ok(row) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(body: &[u8]) -> Result<Option<LabelDossier>, UpstreamFault> {
        read(body, Day::parse("2026-11-30").unwrap())
    }

    fn label(more: &str) -> LabelDossier {
        reading(format!(r#"{{"identity":{{"name":"Svek"}}{more}}}"#).as_bytes()).unwrap().unwrap()
    }

    #[test]
    fn only_an_identity_of_null_says_that_there_is_no_label() {
        assert_eq!(reading(br#"{"identity":null}"#), Ok(None));
        for body in [
            "{}",
            r#"{"identity":[]}"#,
            r#"{"identity":{}}"#,
            r#"{"identity":{"name":null}}"#,
            "[]",
            "<html>",
        ] {
            assert_eq!(reading(body.as_bytes()), Err(UpstreamFault::Unreadable), "{body}");
        }
    }

    #[test]
    fn a_label_that_several_were_folded_into_is_never_verified() {
        let merged = |count: &str| {
            let found = label(&format!(
                r#","resolved_via":"discogs","over_merge":{{"discogs_label_id_count":{count},"folded":true}}"#
            ));
            (found.merged, found.identity.tier)
        };
        assert_eq!(merged("2"), (Merged::Count(2), Tier::Cluster));
        assert_eq!(merged("1"), (Merged::Count(1), Tier::Discogs));
        assert_eq!(merged("\"two\""), (Merged::Unreadable, Tier::Discogs));
        assert_eq!(label(r#","over_merge":null"#).merged, Merged::NotSaid);
        assert_eq!(label(r#","over_merge":[2]"#).merged, Merged::Unreadable);
    }

    #[test]
    fn a_label_of_several_discogs_ids_has_none_and_is_never_verified() {
        let who = |ids: [&str; 3]| {
            let [id, own, bound] = ids;
            let body = format!(
                r#"{{"id":{id},"resolved_via":"discogs","identity":{{"name":"Svek","discogsLabelId":{own}}},
                "binds":{{"discogs_label_id":{bound}}}}}"#
            );
            let identity = reading(body.as_bytes()).unwrap().unwrap().identity;
            (identity.tier, identity.discogs_id.map(|id| id.to_string()))
        };
        assert_eq!(who(["5", "5", "5"]), (Tier::Discogs, Ok("5".to_owned())));
        assert_eq!(who(["5", "null", "null"]), (Tier::Discogs, Ok("5".to_owned())));
        for ids in [["5", "1866", "777"], ["5", "5", "777"], ["5", "1866", "null"], ["\"5\"", "5", "5"]] {
            assert_eq!(who(ids), (Tier::Cluster, Err(GapReason::MalformedUpstream)), "{ids:?}");
        }
    }

    #[test]
    fn a_page_without_an_address_is_no_page() {
        let found = label(r#","binds":{"bandcamp_url":"somelabel"}"#);
        assert_eq!(found.bandcamp, Err(GapReason::MalformedUpstream));
    }

    #[test]
    fn ids_whose_place_cannot_be_read_are_gaps_and_vouch_for_nothing() {
        let malformed = GapReason::MalformedUpstream;
        for binds in ["5", "[]", r#""x""#] {
            let found = label(&format!(r#","binds":{binds}"#)).identity;
            assert_eq!(
                (found.discogs_id.err(), found.mbid.err()),
                (Some(malformed), Some(malformed)),
                "{binds}"
            );
            assert_eq!(found.tier, Tier::Cluster, "{binds}");
        }
        assert_eq!(label(r#","binds":null"#).identity.mbid.err(), Some(GapReason::HonestGap));
    }

    #[test]
    fn what_is_missing_null_or_mistyped_is_a_gap_and_the_rest_is_kept() {
        let found = label(
            r#","id":"5","binds":{"label_mbid":7,"bandcamp_url":"javascript:x"},
            "presence":{"has_discogs":true,"has_bandcamp":"no","has_editorial":null},
            "dj_momentum":{"state":"present","signals":{"playCount":9,"velocity":"fast","firstPlayedAt":"2024-13-01",
                "lastPlayedAt":"2026-02-03T04:05:06Z"}},
            "travels":{"state":"present","related":[7,{"labelName":"A","npmi":0.5},{}]}"#,
        );
        let malformed = GapReason::MalformedUpstream;
        assert_eq!((found.identity.discogs_id, found.identity.mbid), (Err(malformed), Err(malformed)));
        assert_eq!(found.bandcamp, Err(GapReason::MalformedUpstream));
        assert_eq!((found.parent, found.pages), (Err(GapReason::NotCovered), Err(GapReason::NotCovered)));
        let presence = found.presence.unwrap();
        assert_eq!((presence.discogs, presence.bandcamp), (Ok(true), Err(GapReason::MalformedUpstream)));
        assert_eq!(
            (presence.editorial, presence.dj_sets),
            (Err(GapReason::HonestGap), Err(GapReason::NotCovered))
        );
        let momentum = found.dj_momentum.unwrap();
        assert_eq!((momentum.plays, momentum.djs), (Ok(9), Err(GapReason::NotCovered)));
        assert_eq!(momentum.velocity, Err(GapReason::MalformedUpstream));
        assert_eq!(momentum.first_played, Err(GapReason::MalformedUpstream));
        assert_eq!(momentum.last_played.map(|day| day.to_string()), Ok("2026-02-03".to_owned()));
        let related = found.travels.unwrap();
        assert_eq!((related.len(), related.iter().flatten().count()), (3, 1));
    }

    #[test]
    fn plays_that_cannot_be_are_no_facts() {
        let momentum = |signals: &str| {
            label(&format!(r#","dj_momentum":{{"state":"present","signals":{{{signals}}}}}"#))
                .dj_momentum
                .unwrap()
        };
        let no = GapReason::MalformedUpstream;
        for (share, is_fact) in [("0", true), ("1", true), ("0.61", true), ("1.01", false), ("-0.1", false)] {
            let found = momentum(&format!(r#""velocity":{share}"#)).velocity;
            assert_eq!((found.is_ok(), found.err()), (is_fact, (!is_fact).then_some(no)), "{share}");
        }
        let ahead = momentum(r#""firstPlayedAt":"2024-01-02","lastPlayedAt":"2026-12-02T00:00:00Z""#);
        assert_eq!((ahead.first_played.is_ok(), ahead.last_played), (true, Err(no)));
        let turned = momentum(r#""firstPlayedAt":"2024-01-02","lastPlayedAt":"2023-12-31""#);
        assert_eq!((turned.first_played, turned.last_played), (Err(no), Err(no)));
        let more = momentum(r#""playCount":5,"playsLast365d":6,"distinctDjs":2"#);
        assert_eq!((more.plays, more.plays_last_365d, more.djs), (Err(no), Err(no), Ok(2)));
        let old = momentum(
            r#""playCount":5,"playsLast365d":5,"distinctTracklists":0,"lastPlayedAt":"2021-01-01","velocity":0.1"#,
        );
        assert_eq!((old.plays, old.plays_last_365d, old.tracklists), (Err(no), Err(no), Err(no)));
        assert_eq!((old.velocity, old.last_played), (Err(no), Err(no)));
        let fine = momentum(
            r#""playCount":9,"playsLast365d":3,"distinctTracklists":2,"lastPlayedAt":"2026","velocity":0.33"#,
        );
        assert_eq!((fine.plays, fine.plays_last_365d, fine.tracklists), (Ok(9), Ok(3), Ok(2)));
        assert!(fine.velocity.is_ok() && fine.last_played.is_ok());
        let npmi = |npmi: &str| {
            let rows =
                format!(r#","travels":{{"state":"present","related":[{{"labelName":"A","npmi":{npmi}}}]}}"#);
            label(&rows).travels.unwrap().remove(0).unwrap().npmi.is_ok()
        };
        assert!(npmi("-1") && npmi("0.42") && !npmi("1.5"));
    }

    #[test]
    fn the_state_of_the_related_labels_decides_before_their_rows() {
        let travels = |state: &str| {
            label(&format!(r#","travels":{{"state":{state},"related":[{{"labelName":"A"}}]}}"#)).travels
        };
        assert!(travels(r#""present""#).is_ok());
        assert_eq!(travels(r#""honest_gap""#), Err(GapReason::HonestGap));
        assert_eq!(travels(r#""degraded""#), Err(GapReason::UpstreamDegraded));
        assert_eq!(travels(r#""hidden""#), Err(GapReason::MalformedUpstream));
        assert_eq!(travels("5"), Err(GapReason::MalformedUpstream));
    }
}
