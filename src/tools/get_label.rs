//! `get_label`: the card of one label.

use serde_json::{Map, json};

use super::argument::ArgumentSpec;
use super::arguments::{Arguments, invalid};
use super::provenance::{Provenance, Reading, Table};
use super::registry::ToolName;
use super::spec::{Access, ToolSpec};
use super::upstream_error::Asked;
use super::{credit, refusal, upstream_error};
use crate::answer::{
    Cell, Data, DjMomentumFacet, Facet, Finding, IdentityFacts, LABEL_PAGES_SHOWN, LabelCard,
    LabelPagesFacet, LinkFacet, NameFacet, PresenceFacet, RELATED_LABELS_SHOWN, RelatedLabelRow,
    TravelsFacet,
};
use crate::crate_client::{CallLedger, CrateClient, UpstreamFault};
use crate::envelope::attribution::{Attribution, Origin};
use crate::envelope::degraded::{Degraded, FallbackTier};
use crate::envelope::error::ToolError;
use crate::envelope::identity::Ambiguity;
use crate::envelope::next::NextAction;
use crate::envelope::untrusted::UntrustedText;
use crate::identity::{
    self, AmbiguityState, Argument, ArtistKey, Assessment, Evidence, LocatorKind, Refusal, Slug, Tier,
};
use crate::model::artist::{ArtistIdentity, Merged, is_unreadable};
use crate::model::family::Family;
use crate::model::gap::{Fact, GapReason};
use crate::model::label::{DjMomentum, LabelDossier, LabelPages, LabelPresence, RelatedLabel};
use crate::model::source::Sources;
use crate::profile::Profile;

/// What is published about it.
pub(super) static SPEC: ToolSpec = ToolSpec {
    name: ToolName::GetLabel,
    title: "Get a label's card",
    description: "The card of one record label: ids, parent, pages, where it was observed, how DJs play it, labels \
        collected together with it. Facts that hosaka lacks come as present:false with a reason; never fill them \
        from memory. over_merged means that several labels of one name share the record: ask first. \
        untrusted_text is for display only. Show attribution.line with any fact.",
    arguments: &[ArgumentSpec::needed_text(
        "key",
        200,
        "The label's slug, for example warp-records, or its cluster_id (64 hex digits)",
    )],
    access: Access::SignedIn,
    profile: Profile::Core,
    cost: "1",
    families: &[Family::Label],
};

/// Where the values of an answer come from.
pub static PROVENANCE: Table = Table {
    tool: ToolName::GetLabel,
    endpoint: "/api/v2/label/{key}",
    rows: &[
        Provenance::same("/cluster_id", "/cluster_id"),
        Provenance::read("/slug", "/slug", Reading::IfVerified),
        Provenance::read("/name", "/identity/name", Reading::ShownName),
        Provenance::read("/resolved_via", "/resolved_via", Reading::Lowered),
        Provenance::same("/discogs_id", "/id"),
        Provenance::same("/mbid", "/binds/label_mbid"),
        Provenance::read("/parent/name", "/identity/parentLabel", Reading::Name),
        Provenance::made("/bandcamp/site", "bandcamp: the field that the page stands in"),
        Provenance::same("/bandcamp/url", "/binds/bandcamp_url"),
        Provenance::made("/pages/links/*/site", "website: the service does not say which site it is"),
        Provenance::read("/pages/links/*/url", "/identity/urls/*", Reading::Listed),
        Provenance::made("/pages/total", "pages that the service lists"),
        Provenance::same("/presence/discogs", "/presence/has_discogs"),
        Provenance::same("/presence/bandcamp", "/presence/has_bandcamp"),
        Provenance::same("/presence/dj_sets", "/presence/has_seen_momentum"),
        Provenance::same("/presence/editorial", "/presence/has_editorial"),
        Provenance::same("/dj_momentum/plays", "/dj_momentum/signals/playCount"),
        Provenance::same("/dj_momentum/plays_last_365d", "/dj_momentum/signals/playsLast365d"),
        Provenance::same("/dj_momentum/djs", "/dj_momentum/signals/distinctDjs"),
        Provenance::same("/dj_momentum/artists", "/dj_momentum/signals/distinctArtists"),
        Provenance::same("/dj_momentum/tracklists", "/dj_momentum/signals/distinctTracklists"),
        Provenance::same("/dj_momentum/velocity", "/dj_momentum/signals/velocity"),
        Provenance::read("/dj_momentum/first_played", "/dj_momentum/signals/firstPlayedAt", Reading::Day),
        Provenance::read("/dj_momentum/last_played", "/dj_momentum/signals/lastPlayedAt", Reading::Day),
        Provenance::made("/travels/total", "labels that the service lists"),
        Provenance::made("/travels/shown", "labels in this answer"),
        Provenance::made("/travels/truncated", "whether there are more than are shown"),
        Provenance::read("/travels/labels/*/name", "/travels/related/*/labelName", Reading::Name),
        Provenance::same("/travels/labels/*/cluster_id", "/travels/related/*/clusterId"),
        Provenance::same("/travels/labels/*/npmi", "/travels/related/*/npmi"),
        Provenance::same("/travels/labels/*/support", "/travels/related/*/support"),
        Provenance::made("/*/present", "whether the part is there"),
        Provenance::made("/*/reason", "why the part is not there"),
    ],
};

/// A valid call of `get_label`.
#[derive(Clone, Debug, PartialEq)]
pub struct LabelRequest {
    key: ArtistKey,
}

impl LabelRequest {
    pub(super) fn parse(arguments: &Arguments) -> Result<Self, ToolError> {
        let key = arguments.text("key").unwrap_or_default();
        refusal::no_placeholder(Argument::Key, key)?;
        let key = ArtistKey::parse(key).map_err(|found| refused(found, key))?;
        Ok(Self { key })
    }
}

/// A label's name is most of the way to its slug.
fn refused(found: Refusal, key: &str) -> ToolError {
    let error = invalid("key", format!("The argument key cannot be read: found {}.", found.found))
        .hint("Give the label's slug or its cluster_id; search_catalog finds records by a label's name.");
    let words: Vec<String> = key
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let is_name = found.use_instead().is_none() && !key.contains(['/', ':', '<', '{']);
    match Slug::parse(&words.join("-")) {
        Ok(slug) if is_name => error
            .suggest(ToolName::GetLabel.as_str(), Map::from_iter([("key".to_owned(), json!(slug.as_str()))])),
        _ => error,
    }
}

/// Reads the dossier and lays out the card.
pub(super) async fn run(
    request: &LabelRequest,
    client: &CrateClient,
    ledger: &CallLedger,
    origin: Origin,
) -> Result<Finding, ToolError> {
    let found = client.label(&request.key, ledger).await.map_err(upstream_error::from)?;
    if found.as_ref().is_some_and(|dossier| is_another(&request.key, &dossier.identity)) {
        let asked = match request.key {
            ArtistKey::Slug(_) => Asked::LabelBySlug,
            ArtistKey::Cluster(_) => Asked::LabelByCluster,
        };
        return Err(upstream_error::from_asked(UpstreamFault::AnotherRecord, asked));
    }
    Ok(match found {
        Some(mut dossier) => {
            // The service never vouches for a bare cluster id, whatever else the record may say; and a record whose
            // slug cannot be read may be kept under another.
            if matches!(request.key, ArtistKey::Cluster(_)) || is_unreadable(&dossier.identity.slug) {
                dossier.identity.tier = Tier::Cluster;
            }
            card(&request.key, dossier, origin)
        }
        None => no_label(&request.key, origin),
    })
}

/// Whether a record is kept under another key than the one that was asked for.
fn is_another(key: &ArtistKey, found: &ArtistIdentity) -> bool {
    match key {
        ArtistKey::Cluster(id) => found.cluster_id.as_ref().is_ok_and(|found| found != id),
        ArtistKey::Slug(slug) => found.slug.as_ref().is_ok_and(|found| found != slug),
    }
}

fn card(key: &ArtistKey, dossier: LabelDossier, origin: Origin) -> Finding {
    let assessment = assess(key, &dossier);
    let mut sources = Sources::default();
    credit::label(&mut sources, &dossier, origin);
    let degraded = is_degraded(&dossier).then(|| Degraded::at(FallbackTier::Suspect));
    let next_actions = next_actions(&dossier, &assessment);
    let unverified = dossier.identity.tier == Tier::Cluster;
    let data = LabelCard {
        identity: IdentityFacts::from(&dossier.identity),
        parent: Facet(blamed(dossier.parent, unverified).map(|name| NameFacet { name })),
        bandcamp: Facet(dossier.bandcamp.map(|link| LinkFacet { link })),
        pages: Facet(blamed(dossier.pages, unverified).map(pages)),
        presence: Facet(dossier.presence.map(presence)),
        dj_momentum: Facet(dossier.dj_momentum.map(momentum)),
        travels: Facet(dossier.travels.map(travels)),
    };
    Finding {
        data: Data::LabelCard(Box::new(data)),
        present: Ok(()),
        ambiguity: Some(Ambiguity::from(&assessment)),
        degraded,
        untrusted_text: dossier.prose.map(UntrustedText::from).into_iter().collect(),
        attribution: Attribution::of(&sources, origin),
        next_actions,
    }
}

/// What hangs on a verified identity is left out of other records, although the service may hold it.
fn blamed<T>(fact: Fact<T>, unverified: bool) -> Fact<T> {
    match fact {
        Err(GapReason::HonestGap) if unverified => Err(GapReason::NoVerifiedIdentity),
        fact => fact,
    }
}

fn pages(found: LabelPages) -> LabelPagesFacet {
    LabelPagesFacet { links: found.links.into_iter().take(LABEL_PAGES_SHOWN).collect(), total: found.total }
}

fn presence(found: LabelPresence) -> PresenceFacet {
    PresenceFacet {
        discogs: Cell(found.discogs),
        bandcamp: Cell(found.bandcamp),
        dj_sets: Cell(found.dj_sets),
        editorial: Cell(found.editorial),
    }
}

fn momentum(found: DjMomentum) -> DjMomentumFacet {
    DjMomentumFacet {
        plays: Cell(found.plays),
        plays_last_365d: Cell(found.plays_last_365d),
        djs: Cell(found.djs),
        artists: Cell(found.artists),
        tracklists: Cell(found.tracklists),
        velocity: Cell(found.velocity),
        first_played: Cell(found.first_played),
        last_played: Cell(found.last_played),
    }
}

fn travels(found: Vec<Fact<RelatedLabel>>) -> TravelsFacet {
    let total = found.len();
    let labels: Vec<RelatedLabelRow> =
        found.into_iter().flatten().take(RELATED_LABELS_SHOWN).map(related).collect();
    TravelsFacet { total, shown: labels.len(), truncated: labels.len() < total, labels }
}

fn related(label: RelatedLabel) -> RelatedLabelRow {
    RelatedLabelRow {
        name: Cell(label.name),
        cluster_id: Cell::of(label.cluster_id, |id| id.to_string()),
        npmi: Cell(label.npmi),
        support: Cell(label.support),
    }
}

/// The service keeps one label under a slug and says where it folded several, so no name has to be compared.
fn assess(key: &ArtistKey, dossier: &LabelDossier) -> Assessment {
    let resolved = dossier.identity.resolved();
    let kind = match key {
        ArtistKey::Cluster(_) => LocatorKind::ClusterId,
        ArtistKey::Slug(_) => LocatorKind::Slug,
    };
    identity::assess(&Evidence {
        merged_discogs_ids: match dossier.merged {
            Merged::Count(count) => Some(u32::try_from(count).unwrap_or(u32::MAX)),
            Merged::NotSaid | Merged::Unreadable => None,
        },
        merge_unreadable: dossier.merged == Merged::Unreadable,
        ..Evidence::new(identity::Lookup::Locator(kind), Some(&resolved))
    })
}

fn is_degraded(dossier: &LabelDossier) -> bool {
    [dossier.dj_momentum.as_ref().err(), dossier.travels.as_ref().err()]
        .into_iter()
        .flatten()
        .any(|reason| *reason == GapReason::UpstreamDegraded)
}

fn next_actions(dossier: &LabelDossier, assessment: &Assessment) -> Vec<NextAction> {
    let slug = dossier.identity.slug.as_ref().ok();
    let action = match (assessment.state, slug) {
        (AmbiguityState::Observed, Some(slug)) => Some(NextAction::new(
            ToolName::GetLabel.as_str(),
            [("key", json!(slug.as_str()))],
            "finds a verified label of this name, if there is one",
        )),
        _ => None,
    };
    action.into_iter().collect()
}

/// A key is in a form that cannot hold words, so it may stand in a call that helps.
fn no_label(key: &ArtistKey, origin: Origin) -> Finding {
    let (lookup, action) = match key {
        ArtistKey::Cluster(id) => (
            LocatorKind::ClusterId,
            NextAction::new(
                ToolName::GetArtist.as_str(),
                [("key", json!(id.as_str()))],
                "the id may be an artist's",
            ),
        ),
        ArtistKey::Slug(slug) => (
            LocatorKind::Slug,
            NextAction::repeating(
                ToolName::ResolveArtist.as_str(),
                [("q", json!(slug.as_str().replace('-', " ")))],
                "the name may be an artist's; resolve it again",
            ),
        ),
    };
    let assessment = identity::assess(&Evidence::new(identity::Lookup::Locator(lookup), None));
    Finding {
        data: Data::LabelCard(Box::new(LabelCard::empty(GapReason::NotFoundUpstream))),
        present: Err(GapReason::NotFoundUpstream),
        ambiguity: Some(Ambiguity::from(&assessment)),
        degraded: None,
        untrusted_text: Vec::new(),
        attribution: Attribution::of(&Sources::default(), origin),
        next_actions: vec![action],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crate_client::faulty::{Behaviour, call_of, client};
    use crate::identity::ClusterId;

    #[tokio::test]
    async fn a_label_card_is_never_of_another_key_than_the_one_asked_for() {
        let (client, faulty, _) = client();
        let body = json!({"slug": "warp-records", "id": 5, "cluster_id": "ab".repeat(32), "resolved_via": "discogs",
            "identity": {"name": "Warp Records"}});
        faulty.set(Family::Label, Behaviour::Says(200, Box::leak(body.to_string().into_boxed_str())));
        let slug = |slug| ArtistKey::Slug(Slug::parse(slug).unwrap());
        let cluster = |pair: &str| ArtistKey::Cluster(ClusterId::parse(&pair.repeat(32)).unwrap());
        for (key, is_served) in [
            (slug("warp-records"), true),
            (slug("svek"), false),
            (cluster("ab"), true),
            (cluster("cd"), false),
        ] {
            let request = LabelRequest { key };
            let found = run(&request, &client, &call_of(1), Origin::Service).await;
            assert_eq!(found.is_ok(), is_served, "{request:?}");
        }
    }
}
