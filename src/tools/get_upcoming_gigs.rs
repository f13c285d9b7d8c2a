//! `get_upcoming_gigs`: concerts that lie ahead of one artist.

use serde_json::json;

use super::argument::ArgumentSpec;
use super::arguments::Arguments;
use super::listing::{self, Limit};
use super::provenance::{Provenance, Reading, Table};
use super::registry::ToolName;
use super::spec::{Access, ToolSpec};
use super::{next, refusal};
use crate::answer::{Data, Finding, GigList, GigRow, UpcomingGigs};
use crate::crate_client::{CallLedger, CrateClient, Extension};
use crate::envelope::attribution::{Attribution, Origin};
use crate::envelope::error::ToolError;
use crate::envelope::identity::Ambiguity;
use crate::envelope::next::NextAction;
use crate::identity::{self, AmbiguityState, ArtistKey, Assessment, ClusterId};
use crate::model::date::Day;
use crate::model::family::Family;
use crate::model::gap::{Fact, GapReason};
use crate::model::gig::{Gig, Gigs};
use crate::model::listed::Listed;
use crate::model::source::{Source, Sources};
use crate::profile::Profile;

/// Gigs when no limit is given.
const UNASKED: u32 = 10;

/// What is published about it.
pub(super) static SPEC: ToolSpec = ToolSpec {
    name: ToolName::GetUpcomingGigs,
    title: "Get upcoming gigs",
    description: "Concerts of one artist that lie ahead, the nearest first. present:false means that hosaka holds \
        none, never that there are none; reason says why. Pass the cluster_id of resolve_artist as key. If \
        ambiguity.state is not none, say so. Show attribution.line with any fact.",
    arguments: &[
        ArgumentSpec::needed_text("key", 200, "cluster_id (64 hex digits) or slug from resolve_artist"),
        ArgumentSpec::integer("limit", 1, 50, "Gigs; 10 unless given"),
    ],
    access: Access::SignedIn,
    profile: Profile::Core,
    cost: "1; 0 where the data service has no gigs",
    families: &[Family::Gigs],
};

/// Where each value of its answer comes from.
pub(super) static PROVENANCE: Table = Table {
    tool: ToolName::GetUpcomingGigs,
    endpoint: "/api/v2/artist/{key}/gigs",
    rows: &[
        Provenance::same("/cluster_id", "/cluster_id"),
        Provenance::made("/as_of", "the day of the call, in UTC"),
        Provenance::read("/gigs/*/date", "/gigs/*/date", Reading::Day),
        Provenance::read("/gigs/*/title", "/gigs/*/title", Reading::Name),
        Provenance::read("/gigs/*/venue", "/gigs/*/venue", Reading::Name),
        Provenance::read("/gigs/*/city", "/gigs/*/city", Reading::Name),
        Provenance::read("/gigs/*/country", "/gigs/*/country", Reading::Name),
        Provenance::same("/gigs/*/cancelled", "/gigs/*/cancelled"),
        Provenance::made("/gigs/*/gaps/*", "why a value of the row is missing"),
        Provenance::made("/shown", "how many gigs are shown"),
        Provenance::made("/total", "how many gigs lie ahead"),
        Provenance::made("/unreadable", "how many gigs could not be read"),
    ],
};

/// A valid call of `get_upcoming_gigs`.
#[derive(Clone, Debug, PartialEq)]
pub struct GigsRequest {
    key: ArtistKey,
    limit: Limit,
}

impl GigsRequest {
    pub(super) fn parse(arguments: &Arguments) -> Result<Self, ToolError> {
        let key = refusal::artist_key(arguments.text("key").unwrap_or_default())?;
        Ok(Self { key, limit: Limit::parse(arguments, UNASKED) })
    }
}

/// Asks for the gigs, where the service has any.
pub(super) async fn run(
    request: &GigsRequest,
    client: &CrateClient,
    ledger: &CallLedger,
    origin: Origin,
) -> Result<Finding, ToolError> {
    let today = client.today();
    let answered = if client.has(Extension::Gigs) {
        client.gigs(&request.key, ledger).await.map(|gigs| gigs.map(Ok))
    } else {
        Ok(Some(Err(GapReason::NotCovered)))
    };
    let listing::Outcome { found, degraded } = listing::outcome(answered)?;
    let cluster_id = found.as_ref().ok().and_then(|gigs| gigs.cluster_id.clone().ok());
    let list = match is_mixed(&request.key, cluster_id.as_ref(), client) {
        true => Err(GapReason::AmbiguousBind),
        false => found.and_then(|gigs: Gigs| gigs.gigs).and_then(|gigs| upcoming(gigs, today)),
    };
    let present = list.as_ref().map(|_| ()).map_err(|reason| *reason);
    let assessment = assess(&request.key, cluster_id.as_ref(), client);
    let next_actions = next_actions(request, cluster_id.as_ref(), present, &assessment);
    let sources: Sources = present.ok().map(|()| Source::Hosaka).into_iter().collect();
    let list = match list {
        Ok(gigs) => shown(gigs, request.limit.rows(), today),
        Err(_) => shown(Listed { rows: Vec::new(), unreadable: 0 }, 0, today),
    };
    Ok(Finding {
        data: Data::UpcomingGigs(UpcomingGigs { cluster_id: cluster_id.map(|id| id.to_string()), list }),
        present,
        ambiguity: Some(Ambiguity::from(&assessment)),
        degraded,
        untrusted_text: Vec::new(),
        attribution: Attribution::of(&sources, origin),
        next_actions,
    })
}

/// Whether the gigs are those of a record that is known to mix several artists.
fn is_mixed(key: &ArtistKey, found: Option<&ClusterId>, client: &CrateClient) -> bool {
    let asked = match key {
        ArtistKey::Cluster(id) => Some(id),
        ArtistKey::Slug(_) => None,
    };
    [asked, found].into_iter().flatten().any(|id| client.is_shared(id))
}

/// The gigs from `today` on, the nearest first.
///
/// # Errors
/// When none of them lies ahead.
pub(super) fn upcoming(gigs: Listed<Gig>, today: Day) -> Fact<Listed<Gig>> {
    let mut ahead: Vec<Gig> = gigs.rows.into_iter().filter(|gig| gig.date >= today).collect();
    ahead.sort_by_key(|gig| gig.date);
    if ahead.is_empty() {
        // One whose day cannot be read may lie ahead.
        let nothing_ahead = gigs.unreadable == 0;
        return Err(if nothing_ahead { GapReason::HonestGap } else { GapReason::MalformedUpstream });
    }
    Ok(Listed { rows: ahead, unreadable: gigs.unreadable })
}

/// The first `rows` of them, laid out.
pub(super) fn shown(gigs: Listed<Gig>, rows: usize, today: Day) -> GigList {
    let total = gigs.rows.len();
    let gigs_shown: Vec<GigRow> = gigs.rows.into_iter().take(rows).map(GigRow).collect();
    GigList { as_of: today, shown: gigs_shown.len(), gigs: gigs_shown, total, unreadable: gigs.unreadable }
}

/// The answer does not say how the cluster is bound: only an earlier resolve that saw nobody else in it does.
fn assess(key: &ArtistKey, found: Option<&ClusterId>, client: &CrateClient) -> Assessment {
    let id = match key {
        ArtistKey::Cluster(id) => Some(id),
        ArtistKey::Slug(_) => found,
    };
    // What was remembered says whose the key is, and only the answer says whose the gigs are.
    let is_verified =
        found.is_some() && id.and_then(|id| client.recall(id)).is_some_and(|remembered| remembered.is_alone);
    identity::assess_unread(key, is_verified)
}

fn next_actions(
    request: &GigsRequest,
    found: Option<&ClusterId>,
    present: Result<(), GapReason>,
    assessment: &Assessment,
) -> Vec<NextAction> {
    let key = found.map_or(request.key.as_str(), ClusterId::as_str);
    let tool = match present {
        Ok(()) if assessment.state == AmbiguityState::None => return Vec::new(),
        // Its name is not in the answer, and its slug is one.
        Ok(()) if matches!(request.key, ArtistKey::Slug(_)) => {
            return vec![next::anew(&request.key, next::WHO_BY_KEY)];
        }
        Ok(()) => (ToolName::GetArtist, next::WHOSE),
        Err(GapReason::NotFoundUpstream) => return vec![next::without(&request.key)],
        Err(GapReason::UpstreamDegraded) => (ToolName::GetUpcomingGigs, next::LATER),
        Err(_) => (ToolName::GetArtist, next::CARD),
    };
    vec![NextAction::new(tool.0.as_str(), [("key", json!(key))], tool.1)]
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::clock::Clock;
    use crate::crate_client::faulty::{Behaviour, Faulty, call_of, client_of, settings};
    use crate::crate_client::{Shelves, Switch};
    use crate::model::family::Family;

    #[tokio::test]
    async fn gigs_of_a_record_that_mixes_artists_are_given_to_none_of_them() {
        const GIGS: &str = r#"{"cluster_id":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
            "state":"present","gigs":[{"date":"2099-01-01","title":"T"}]}"#;
        let mut settings = settings();
        settings.extensions = vec![(Extension::Gigs, Switch::On)];
        let faulty = Arc::new(Faulty::default());
        let clock = Clock::wound_to(time::macros::datetime!(2027-01-31 12:00 UTC));
        let client = client_of(Arc::clone(&faulty) as _, settings, Shelves::default(), &clock);
        faulty.set(Family::Gigs, Behaviour::Says(200, GIGS));
        let id = ClusterId::parse(&"a".repeat(64)).unwrap();
        let request = GigsRequest { key: ArtistKey::Cluster(id.clone()), limit: Limit::of(UNASKED) };
        let ask = async || run(&request, &client, &call_of(1), Origin::Service).await.unwrap().present;
        assert_eq!(ask().await, Ok(()));
        client.mark_shared(&id);
        assert_eq!(ask().await, Err(GapReason::AmbiguousBind));
    }

    #[test]
    fn gigs_that_cannot_be_read_are_never_told_as_none_ahead() {
        let past = |unreadable| {
            let day = |text| Day::parse(text).unwrap();
            let nothing = || Err(GapReason::NotCovered);
            let gig = Gig {
                date: day("2020-01-01"),
                title: nothing(),
                venue: nothing(),
                city: nothing(),
                country: nothing(),
                is_cancelled: Err(GapReason::NotCovered),
            };
            upcoming(Listed { rows: vec![gig], unreadable }, day("2026-11-30")).map(|_| ())
        };
        assert_eq!(past(0), Err(GapReason::HonestGap));
        assert_eq!(past(1), Err(GapReason::MalformedUpstream));
    }
}
